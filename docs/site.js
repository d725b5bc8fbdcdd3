// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Listings are regions of programs: removes their common indentation, and empty lines at the beginning and the end.
// Lines that wrap continue further to the right than they begin, and narrow pages have less indentation: site.css sets
// the width of the spaces that a line begins with.
// In tables, Markdown has \| for a bar in code, and Doxygen keeps the backslash.
// Where there is no space to break a line at, calls break after their opening parenthesis, and titles after an underscore.
document.addEventListener("DOMContentLoaded", () => {
    const texts = function* (selector) {
        for (const element of document.querySelectorAll(selector)) {
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            for (let text; (text = walker.nextNode()); ) yield text;
        }
    };
    const allowBreakAfter = (pattern, text) => {
        const position = text.data.search(pattern);
        if (position >= 0) text.splitText(position + 1).before(document.createElement("wbr"));
    };
    for (const text of texts("table.markdownTable code")) text.data = text.data.replaceAll("\\|", "|");
    for (const text of texts("table.markdownTable code, div.fragment .line")) allowBreakAfter(/\((?![).])/, text);
    for (const text of texts(".header .title")) allowBreakAfter(/_/, text);
    for (const listing of document.querySelectorAll("div.fragment")) {
        const lines = [...listing.querySelectorAll(":scope > div.line")];
        while (lines.length > 0 && lines[0].textContent.trim() === "") lines.shift().remove();
        while (lines.length > 0 && lines.at(-1).textContent.trim() === "") lines.pop().remove();
        const written = lines.filter((line) => line.textContent.trim() !== "");
        const indentation = Math.min(...written.map((line) => line.textContent.search(/\S/)));
        for (const line of written) {
            const text = document.createTreeWalker(line, NodeFilter.SHOW_TEXT).nextNode();
            text.data = text.data.slice(indentation);
            const spaces = text.data.search(/\S|$/);
            if (spaces === 0) continue;
            const span = document.createElement("span");
            span.className = "indentation";
            text.before(span);
            text.splitText(spaces);
            span.append(text);
            line.style.setProperty("--indentation", spaces);
        }
    }
});
