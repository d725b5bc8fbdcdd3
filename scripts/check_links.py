#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds dead links in the documentation: in the Markdown files of the repository, and in the HTML of the site.

Links to other hosts are not followed. In the HTML it also finds Markdown that Doxygen did not convert, and groups of the
reference without a member.
"""

import argparse
import re
import sys
import tempfile
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FENCE = re.compile(r"^( *)(```|~~~).*?^ *\2", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
HEADING = re.compile(r"^#+ +(.*?)(?: +#+)? *$", re.MULTILINE)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
# An apostrophe in code ends it for Doxygen, unless a letter follows; code in a link keeps its backquotes.
UNCONVERTED = re.compile(r"\\ilinebr|\[TOC\]|&lsquo;|<a [^>]*>`")
MENU = re.compile(r'\burl:"([^"]+)"')


class Page(HTMLParser):
    """What a page of HTML refers to, and what in it can be referred to."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)
            elif name in ("href", "src") or (name == "data" and tag == "object"):
                self.links.append((self.getpos()[0], value or ""))


class Markdown:
    """The same of a page of Markdown; a heading is referred to by its words, joined by hyphens."""

    def __init__(self, text):
        def blank(match):
            return re.sub(r"[^\n]", " ", match[0])

        text = FENCE.sub(blank, COMMENT.sub(blank, text))
        self.anchors, seen = set(), Counter()
        for title in HEADING.findall(text):
            words = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", title).lower()).replace(" ", "-")
            self.anchors.add(f"{words}-{seen[words]}" if seen[words] else words)
            seen[words] += 1
        self.links = [(number, target) for number, line in enumerate(text.splitlines(), 1)
                      for target in LINK.findall(CODE.sub(blank, line))]


class Menu:
    """The same of the script that has a site's menu."""

    def __init__(self, text):
        self.anchors = set()
        self.links = [(text.count("\n", 0, match.start()) + 1, match[1]) for match in MENU.finditer(text)]


def broken_links(paths, read):
    """Yields what is wrong with the links of files, of which `read` makes pages."""
    pages = {path.resolve(): read(path.read_text()) for path in paths}
    for path, page in pages.items():
        for line, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link == "#":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{path}:{line}: {link}: there is no such file"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{path}:{line}: {link}: the page has no such place"


def check(root, html):
    markdown = [path for path in root.rglob("*.md") if path.relative_to(root).parts[0] != "build"]
    found = list(broken_links(sorted(markdown), Markdown))
    if html:
        pages = sorted(html.rglob("*.html"))
        if not pages:
            found.append(f"{html}: there are no pages")
        found += broken_links(pages, Page)
        found += [f"{page}: {mark}: Markdown that was not converted" for page in pages
                  for mark in sorted(set(UNCONVERTED.findall(page.read_text())))]
        found += [f"{page}: a group without members" for page in pages
                  if page.name.startswith("group__") and "memberdecls" not in page.read_text()]
        found += broken_links(sorted(html.glob("menudata.js")), Menu)
    return found


def self_test():
    """Plants each kind of broken link in a small site; every one must be found, and the clean site must pass."""
    clean = {
        "README.md": "# A title\n[a](docs/a.md#in-two-words) [b](#a-title) [c](https://example.org/none) `[d](none)`\n",
        "docs/a.md": "# A\n## In *two* words\n```\n[e](none)\n```\n![f](f.svg) [g](../README.md)\n",
        "docs/f.svg": "<svg/>",
        "html/index.html": '<p id="top"><a href="a.html#there">a</a><a href="#top">b</a><a href="#">c</a></p>',
        "html/a.html": '<h1 id="there">A</h1><img src="f.svg"/><object data="f.svg"></object>',
        "html/f.svg": "<svg/>",
        "html/group__a.html": '<table class="memberdecls"></table>',
        "html/menudata.js": 'var menudata={children:[{text:"A",url:"a.html"}]}',
    }
    planted = {
        "file": {"docs/b.md": "[a](c.md)\n"},
        "heading": {"docs/b.md": "[a](a.md#in-three-words)\n"},
        "own heading": {"docs/b.md": "# B\n[a](#c)\n"},
        "picture": {"docs/b.md": "![a](b.svg)\n"},
        "page": {"html/b.html": '<a href="c.html">c</a>'},
        "place": {"html/b.html": '<a href="a.html#here">a</a>'},
        "image": {"html/b.html": '<img src="b.svg"/>'},
        "object": {"html/b.html": '<object data="b.svg"></object>'},
        "remnant of a table": {"html/b.html": '<code>\\ilinebr</code>'},
        "code in a link": {"html/b.html": '<a href="a.html">`a`</a>'},
        "empty group": {"html/group__b.html": "<p>B</p>"},
        "menu": {"html/menudata.js": 'var menudata={children:[{text:"B",url:"b.html"}]}'},
    }
    failures = 0
    for name, change in {"clean": {}, **planted}.items():
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**clean, **change}.items():
                file = Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            found = check(Path(folder), Path(folder) / "html")
        if len(found) != (name != "clean"):
            failures += 1
            print(f"self-test {name}: got {found}")
    print(f"self-test: {len(planted) + 1 - failures} of {len(planted) + 1}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("html", nargs="?", type=Path, help="folder with the built site")
    parser.add_argument("--self-test", action="store_true", help="test this script")
    arguments = parser.parse_args()
    if arguments.self_test:
        return 1 if self_test() else 0
    found = check(Path(__file__).resolve().parent.parent, arguments.html)
    print("\n".join(found) or "links: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
