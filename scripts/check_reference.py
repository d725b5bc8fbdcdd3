#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every algorithm of docs/reference.dox has parameters, requirements, complexity, errors and an example.

The example is a whole program in examples/reference, which the tests run.
"""

import re
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"((?:^///[^\n]*\n)+)", re.MULTILINE)
GROUP = re.compile(r"@addtogroup (\w+)")
SECTION = re.compile(r"@par ([^\n]*)")
WANTED = ["parameters", "requirements", "complexity", "errors", "example"]


def check(root):
    reference = (root / "docs" / "reference.dox").read_text()
    algorithms = re.search(r"@defgroup algorithms .*?@\{(.*?)@\}", reference, re.DOTALL)
    groups = re.findall(r"@defgroup (\w+)", algorithms[1]) if algorithms else []
    texts = [reference, *(p.read_text() for p in sorted((root / "include" / "tilewise").glob("*.hpp")))]
    sections, examples = {name: set() for name in groups}, {}
    for text in texts:
        for block in BLOCK.findall(text):
            if (group := GROUP.search(block)) and group[1] in sections:
                for title in SECTION.findall(block):
                    sections[group[1]].update(title.lower().split(", "))
                examples.setdefault(group[1], []).extend(re.findall(r"@snippet (\S+)", block))
    found = [] if groups else ["docs/reference.dox: there is no group algorithms"]
    for name in groups:
        found += [f"{name}: the reference has no paragraph \"{wanted}\"" for wanted in WANTED
                  if wanted not in sections[name]]
        programs = [e for e in examples.get(name, []) if (root / "examples" / e).parent.name == "reference"]
        if not programs or not all((root / "examples" / program).exists() for program in programs):
            found.append(f"{name}: the reference has no example that is a whole program in examples/reference")
    return found


def self_test():
    """Leaves out each part; every gap must be found, and the complete reference must pass."""
    reference = ("/// @defgroup algorithms Algorithms\n/// @{\n/// @defgroup f f\n/// @}\n\n"
                 "/// @addtogroup f\n/// @par Parameters\n/// x\n")
    header = ("/// @addtogroup f\n/// @par Requirements, complexity\n/// x\n/// @par Errors\n/// x\n/// @par Example\n"
              "/// @snippet reference/f.cpp program\n/// @{\n\nvoid f();\n")
    changes = {"clean": (reference, header, "f"), "no program": (reference, header, "g"),
               "no algorithms": (reference.replace("defgroup algorithms", "defgroup others"), header, "f"),
               "no parameters": (reference.replace("@par Parameters", "@par Others"), header, "f"),
               "no complexity": (reference, header.replace(", complexity", ""), "f"),
               "no errors": (reference, header.replace("@par Errors", "@par Others"), "f"),
               "another example": (reference, header.replace("reference/f.cpp program", "guide/f.cpp part"), "f")}
    failures = 0
    for name, (dox, hpp, program) in changes.items():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path, text in {"docs/reference.dox": dox, "include/tilewise/f.hpp": hpp,
                               f"examples/reference/{program}.cpp": ""}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
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
    print("\n".join(found) or "reference: complete")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
