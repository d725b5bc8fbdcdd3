#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that must not compile, and what the compiler must say.

Usage: check.py COMPILER FLAGS... : checks every *.cpp beside this script, or every *.cu if the compiler is nvcc. Their
first comment lines say

    // expect: a sentence that the output must contain (may be given several times)
    // lines: 15      the most lines the output may have (may be left out)
    // options: -x    more options for the compiler (may be left out)

With TILEWISE_REJECT_FIXED defined the same program must compile: it fails for that one reason. g++ and clang compile
those programs together, so that what they include is parsed once, and one by one where that fails.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))
import tidy  # noqa: E402


def is_nvcc(command):
    return Path(command[0]).name.startswith("nvcc")


def compile_it(command, path, *options):
    """The compiler's success and its output; from the file's folder, so that paths in the output stay short."""
    # nvcc knows no -fsyntax-only, and finds what kernels cannot do only when it compiles them.
    only_check = ["-cuda", "-o", os.devnull] if is_nvcc(command) else ["-fsyntax-only", "-fno-diagnostics-color"]
    result = subprocess.run(
        [*command, *only_check, *options, path.name],
        cwd=path.parent, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return result.returncode == 0, result.stdout


def head_of(path):
    return re.match(r"(?://.*\n)*", path.read_text()).group()


def options_of(path):
    return [option for line in re.findall(r"^// options: *(.+?) *$", head_of(path), re.MULTILINE)
            for option in line.split()]


def compile_when_fixed(command, programs):
    """Those of the programs that are known to compile with TILEWISE_REJECT_FIXED, by compiling them together."""
    groups, known = {}, set()
    for path in programs:
        if not is_nvcc(command) and not tidy.is_read_alone(path.read_text()):
            groups.setdefault(tuple(options_of(path)), []).append(path)
    for options, paths in groups.items():
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "fixed.cpp")
            source.write_text(tidy.together(paths)[0])
            if compile_it(command, source, *options, "-Wno-return-type", "-DTILEWISE_REJECT_FIXED")[0]:
                known.update(paths)
    return known


def complaint(command, path, compiles_when_fixed):
    """What is wrong with the way the compiler rejects `path`, or nothing."""
    head, options = head_of(path), options_of(path)
    expected = re.findall(r"^// expect: *(.+?) *$", head, re.MULTILINE)
    limit = re.search(r"^// lines: *(\d+) *$", head, re.MULTILINE)
    if not expected:
        return "the first lines have no `// expect: ...`"
    if not compiles_when_fixed:
        compiles, output = compile_it(command, path, *options, "-DTILEWISE_REJECT_FIXED")
        if not compiles:
            return f"does not compile with TILEWISE_REJECT_FIXED:\n{output}"
    compiles, output = compile_it(command, path, *options)
    if compiles:
        return "compiles"
    for sentence in expected:
        if sentence not in output:
            return f"the output does not say `{sentence}`:\n{output}"
    count = len(output.splitlines())
    if limit and count > int(limit.group(1)):
        return f"{count} lines of output, allowed are {limit.group(1)}:\n{output}"
    return None


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    programs = sorted(HERE.glob("*.cu" if is_nvcc(command) else "*.cpp"))
    if not programs:
        sys.exit("no programs to reject")
    fixed = compile_when_fixed(command, programs)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = list(pool.map(lambda path: complaint(command, path, path in fixed), programs))
    for path, text in zip(programs, complaints):
        print(f"{path.name}: {text or 'rejected as it should be'}")
    sys.exit(1 if any(complaints) else 0)


if __name__ == "__main__":
    main()
