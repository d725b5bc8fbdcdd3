#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joins the headers of the library into one file, for compiler explorers and for programs of one file.

    scripts/single_header.py                  writes build/single/tilewise.hpp: <tilewise/tilewise.hpp> and all it includes
    scripts/single_header.py -o FILE HEADER...  other headers, such as tilewise/reduce.hpp
    scripts/single_header.py --check g++ nvcc   writes it, and compiles and runs test/install/single_header.cpp with it

Comments that take whole lines are left out. The file still includes the standard library, oneTBB and, under nvcc, CUDA.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIRECTIVE = re.compile(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif|include|pragma once)\b\s*(.*?)\s*(?://.*)?$")
OWN = re.compile(r"<(tilewise/[^>]+)>")


class Joined:
    """The text of headers, each of them where it is first included."""

    def __init__(self):
        self.lines = []
        self.written = {}  # of each header, the sets of conditions under which it is in the text

    def include(self, header, conditions=frozenset()):
        """Adds a header, unless it is in the text already where these conditions hold."""
        if any(earlier <= conditions for earlier in self.written.get(header, [])):
            return
        self.written.setdefault(header, []).append(conditions)
        guard = "TILEWISE_SINGLE_" + re.sub(r"\W", "_", header.removeprefix("tilewise/")).upper()
        # A header that is needed under several conditions is there several times; the guard keeps one of them.
        self.lines += [f"#ifndef {guard}", f"#define {guard}"]
        self.add_lines((ROOT / "include" / header).read_text().splitlines(), conditions)
        self.lines.append(f"#endif // {header}")

    def add_lines(self, lines, conditions):
        branches = []  # of the conditionals around a line: those that were not taken, and the one that is
        for line in lines:
            if line.lstrip().startswith("//"):
                continue
            match = DIRECTIVE.match(line)
            directive, rest = match.groups() if match else ("", "")
            if directive == "pragma once":
                continue
            if directive in ("if", "ifdef", "ifndef"):
                branches.append([f"{directive} {rest}"])
            elif directive in ("elif", "else"):
                branches[-1] = [f"not {branches[-1][0]}", *branches[-1][1:], f"{directive} {rest}"]
            elif directive == "endif":
                branches.pop()
            own = OWN.match(rest) if directive == "include" else None
            if own:
                self.include(own[1], conditions | {branch for taken in branches for branch in taken})
            else:
                self.lines.append(line)


def joined(headers):
    text = Joined()
    for header in headers:
        text.include(header)
    body = re.sub(r"\n{3,}", "\n\n", "\n".join(text.lines))
    return ("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
            f"// {', '.join(f'<{header}>' for header in headers)} of tilewise in one file, made by scripts/single_header.py.\n"
            f"// Link oneTBB: -std=c++20 -ltbb\n#pragma once\n\n{body}\n")


def output_of(compiler, include, options, folder):
    """What the test prints when it is compiled with these headers."""
    program = Path(folder) / "program"
    subprocess.run([compiler, "-std=c++20", *options, f"-I{include}", ROOT / "test" / "install" / "single_header.cpp",
                    "-o", program, "-ltbb"], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def check(single, compilers):
    """With each of the compilers, the single file gives the results of the headers that it is made of."""
    with tempfile.TemporaryDirectory() as folder:
        expected = output_of("g++", ROOT / "include", ["-DHEADER=<tilewise/tilewise.hpp>"], folder)
        if len(expected.splitlines()) != 2:
            sys.exit(f"the test prints too little:\n{expected}")
        shutil.copy(single, Path(folder) / "single.hpp")
        for compiler in compilers:
            options = ["-x", "cu"] if Path(compiler).name == "nvcc" else ["-Wall", "-Wextra", "-Werror"]
            result = output_of(compiler, folder, ["-DHEADER=<single.hpp>", *options], folder)
            if result != expected:
                sys.exit(f"{compiler}: with one header\n{result}with many\n{expected}")
            print(f"{compiler}: the same results")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("headers", nargs="*", default=["tilewise/tilewise.hpp"], metavar="HEADER")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "single" / "tilewise.hpp")
    parser.add_argument("--check", nargs="+", metavar="COMPILER", help="compile and run a program with it")
    options = parser.parse_args()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(joined(options.headers))
    print(f"{options.output}: {options.output.stat().st_size // 1024} KiB")
    if options.check:
        check(options.output, options.check)


if __name__ == "__main__":
    main()
