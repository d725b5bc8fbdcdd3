// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Listings are regions of programs: removes their common indentation, and empty lines at the beginning and the end.
// Lines that wrap continue further to the right than they begin: site.css reads their indentation.
// In tables, Markdown has \| for a bar in code, and Doxygen keeps the backslash.
document.addEventListener("DOMContentLoaded", () => {
    for (const code of document.querySelectorAll("table.markdownTable code")) {
        const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
        for (let text; (text = texts.nextNode()); ) text.data = text.data.replaceAll("\\|", "|");
    }
    for (const listing of document.querySelectorAll("div.fragment")) {
        const lines = [...listing.querySelectorAll(":scope > div.line")];
        while (lines.length > 0 && lines[0].textContent.trim() === "") lines.shift().remove();
        while (lines.length > 0 && lines.at(-1).textContent.trim() === "") lines.pop().remove();
        const written = lines.filter((line) => line.textContent.trim() !== "");
        const indentation = Math.min(...written.map((line) => line.textContent.search(/\S/)));
        for (const line of written) {
            const text = document.createTreeWalker(line, NodeFilter.SHOW_TEXT).nextNode();
            text.data = text.data.slice(indentation);
            line.style.setProperty("--indentation", line.textContent.search(/\S/));
        }
    }
});
