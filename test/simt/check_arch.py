#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the interpreter's arch.cuh has every name of the parts of the library's:

check_arch.py INTERPRETERS PARTS...
"""

import re
import sys
from pathlib import Path

NAMES = [
    r"#define (TILEWISE_\w+)",
    r"TILEWISE_DEVICE (?:[\w:<>*&]+ )*?[\w:<>*& ]*?\b(\w+)\(",
    r"cudaError_t (\w+)\(",
    r"^(?:struct|concept)(?: alignas\(\w+\))? (\w+)",
    r"inline constexpr \w+ (\w+)",
]
OWN = {"exchange_words", "floor_base", "shared_address", "start_kernel"}  # how the library's does it


def names(path):
    text = Path(path).read_text()
    return {name for pattern in NAMES for name in re.findall(pattern, text, re.MULTILINE)} - OWN


def main():
    there = names(sys.argv[1])
    missing = [(name, part) for part in sys.argv[2:] for name in sorted(names(part) - there)]
    for name, part in missing:
        print(f"{sys.argv[1]}: has no {name}, which {part} has")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
