#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that docs/errors.md has every message of the headers, and no message that the headers no longer have.

A message is a string literal of two words or more in include/; a message that a program composes has several. On the
page it is the code in the first column of a table, with … in place of values.
"""

import fnmatch
import re
import sys
import tempfile
from pathlib import Path

LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
COMMENT = re.compile(r"(" + LITERAL + r")|//.*$", re.MULTILINE)
JOINED = re.compile(r'"\s*\n?\s*"')
ASSERTION = re.compile(r"static_assert\((?:[^;\"]|\n)*?" + LITERAL)
ERROR = re.compile(r"#error " + LITERAL)
DELETED = re.compile(r"= delete; // (tilewise: .*)")
PRAGMA = re.compile(r"_Pragma\([^)]*\)")
ROW = re.compile(r"^\| (`+)([^`]*)\1 \|", re.MULTILINE) # two backquotes if there is an apostrophe, for Doxygen
# Their literals are compared with the names of types, or are instructions.
NO_MESSAGES = ["core/type_names.hpp", "device/cuda/arch/*"]


def is_message(text):
    return re.search(r"\w.* .*\w", text) is not None


def messages_in(text):
    """Returns the whole messages of a header, which a compiler prints, and the parts of those that a program composes."""
    whole = {m[1] for m in DELETED.finditer(text)}
    text = JOINED.sub("", COMMENT.sub(r"\1", text))
    whole |= {m[1] for m in ERROR.finditer(text)}
    whole |= {m[1] for m in ASSERTION.finditer(text) if m[1].startswith("tilewise:")}
    for other in (ASSERTION, ERROR, PRAGMA):
        text = other.sub("", text)
    parts = {m[1].strip() for m in re.finditer(LITERAL, text)}
    return {m.removeprefix("tilewise: ") for m in whole}, {m.removeprefix("tilewise: ") for m in parts if is_message(m)}


def check(root):
    shown = {m.replace("\\|", "|") for _, m in ROW.findall((root / "docs" / "errors.md").read_text())}
    base, known, found = root / "include" / "tilewise", set(), []
    for path in sorted(p for p in base.rglob("*") if p.suffix in (".hpp", ".cuh")):
        name = path.relative_to(base).as_posix()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in NO_MESSAGES):
            continue
        whole, parts = messages_in(path.read_text())
        known |= whole | parts
        missing = sorted(whole - shown) + sorted(p for p in parts if not any(p in message for message in shown))
        found += [f"include/tilewise/{name}: docs/errors.md lacks the message: {message}" for message in missing]
    for message in sorted(shown - known):
        rest = message
        for part in sorted(known, key=len, reverse=True):
            rest = rest.replace(part, "…")
        if any(is_message(words) for words in rest.split("…")):
            found.append(f"docs/errors.md: no header has the message: {message}")
    return found


def self_test():
    """Plants each kind of error; every one must be found, and the clean files must pass."""
    header = ('static_assert(a, "tilewise: an assertion of "\n    "two lines");\nstatic_assert(b, "not for users");\n'
              '#error "an error at once"\nvoid f(int) = delete; // tilewise: a deleted function\n'
              'throw error("the size is " + text(size) + ", not positive"); // "a comment of mine"\n/// "some words"\n')
    page = ("| message |\n|---|\n| `an assertion of two lines` | x |\n| `an error at once` |\n| `a deleted function` |\n"
            "| ``the size is …, not positive`` | y |\n")
    changes = {
        "clean": ("", ""),
        "new assertion": ('static_assert(c, "tilewise: another assertion");\n', ""),
        "new exception": ('throw error("another exception");\n', ""),
        "new fault": ('return "another fault";\n', ""),
        "new deleted function": ("void g() = delete; // tilewise: another function\n", ""),
        "longer assertion": ('static_assert(c, "tilewise: an assertion of");\n', ""),
        "old message": ("", "| `a message of old` | z |\n"),
    }
    failures = 0
    for name, (more_header, more_page) in changes.items():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "include" / "tilewise").mkdir(parents=True)
            (root / "docs").mkdir()
            (root / "include" / "tilewise" / "a.hpp").write_text(header + more_header)
            (root / "docs" / "errors.md").write_text(page + more_page)
            found = check(root)
        if len(found) != (name != "clean"):
            failures += 1
            print(f"self-test {name}: got {found}")
    print(f"self-test: {len(changes) - failures} of {len(changes)}")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    found = check(Path(__file__).resolve().parent.parent)
    print("\n".join(found) or "messages: all on docs/errors.md")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
