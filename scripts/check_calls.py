#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds unqualified calls and commas in the library's templates, which a function beside a user's type could take.

In a template the name of a function is looked up among the namespaces of the arguments' types, too (argument-dependent
lookup), so an internal call is written tilewise::f(x) or host::f(x). An iterator may overload the comma, too, so it is
written ++a, (void)++b. The syntax tree of clang
shows which calls are looked up so.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Names that are meant to be found beside a user's type, and functions of CUDA, which stand in the global namespace.
MEANT = re.compile(r"get$|operator|cuda|__")
TOKEN = re.compile(r'"includedFrom": \{\s*"file": "[^"]*"|"file": "([^"]*)"|"line": (\d+)|"usesADL": true,\s*"name": "([^"]*)"')
COMMA = re.compile(r",\s*(?:\+\+|--)\w")
# clang 14 has no std::source_location, which the interpreter of kernels takes.
PRELUDE = """#include <version>
#ifndef __cpp_lib_source_location
namespace std {
struct source_location {
    static constexpr source_location current() { return {}; }
    constexpr char const* file_name() const { return ""; }
    constexpr unsigned line() const { return 0; }
};
}
#endif
"""


# Headers that need another library's
NEED_OTHERS = ["tilewise/thrust_execution.hpp", "tilewise/distributed/mpi.hpp", "tilewise/distributed/mpi_calls.hpp",
               "tilewise/distributed/nccl.hpp", "tilewise/distributed/nccl_errors.hpp"]


def headers(root, *endings):
    """Those of the library."""
    base = root / "include"
    found = sorted(p.relative_to(base).as_posix() for p in base.rglob("*") if p.name.endswith(endings))
    return [name for name in found if name not in NEED_OTHERS]


def ways_to_read(root):
    """The headers and the options of every mode in which they have other templates."""
    host = headers(root, ".hpp")
    # The machine's parts have no place beside the interpreter's arch.cuh, and only arch.cuh includes them.
    kernels = [name for name in headers(root, ".hpp", ".cuh") if "device/cuda/arch/" not in name]
    compiled = [name for name in host if "compiled" in name]
    return [([name for name in host if name not in compiled], []),
            (host, ["-DTILEWISE_COMPILED"]),
            ([name for name in kernels if name not in compiled],
             ["-DTILEWISE_DEVICE_ENGINE=1", f"-I{ROOT}/test/simt/include"])]


def unqualified_calls(compiler, root, names, options):
    """Yields (file, line, name) of calls under root that argument-dependent lookup may take."""
    source = PRELUDE + "".join(f"#include <{name}>\n" for name in names)
    command = [compiler, "-std=c++20", "-x", "c++", "-fsyntax-only", "-w", *options, f"-I{root}/include",
               "-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=tilewise", "-"]
    result = subprocess.run(command, input=source, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stderr}")
    file, line = "", 0 # clang names them where they change
    for match in TOKEN.finditer(result.stdout):
        if match[1]:
            file = match[1]
        elif match[2]:
            line = int(match[2])
        elif match[3] and file.startswith(f"{root}/include/") and not MEANT.match(match[3]):
            yield Path(file).relative_to(root).as_posix(), line, match[3]


def commas(root):
    """Yields (file, line) of commas before a step."""
    for name in headers(root, ".hpp", ".cuh"):
        for number, line in enumerate((root / "include" / name).read_text().splitlines(), 1):
            if COMMA.search(line):
                yield f"include/{name}", number


def check(compiler, root):
    found = set()
    for names, options in ways_to_read(root):
        if names:
            found.update(unqualified_calls(compiler, root, names, options))
    return [*(f"{file}:{line}: qualify the call of {name}: a function beside a user's type could take it"
              for file, line, name in sorted(found)),
            *(f"{file}:{line}: write `, (void)` before the step: an iterator may overload the comma"
              for file, line in commas(root))]


def self_test(compiler):
    """Plants a call in every mode; each must be found, and nothing else."""
    before = ("#pragma once\nnamespace tilewise { namespace host { template <class T> int f(T const&) { return 0; } }\n"
              "struct base { template <class T> int member(T const&); };\n")
    clean = ("template <class T> int g(T x) { return host::f(x) + (x < x) + base().member(x); }\n"
             "template <class T> void h(T x, T y) { ++x, (void)++y; } }\n")
    call = "namespace host { template <class T> int g(T x)\n{ return f<T>(x); } } }\n"
    comma = "template <class T> void g(T x, T y)\n{ ++x, ++y; } }\n"
    modes = {"host": "a.hpp", "compiled": "compiled/a.hpp", "kernels": "device/a.cuh"}
    failures = 0
    planted = {"clean": clean, "comma": comma, **{mode: call for mode in modes}}
    for name, bug in planted.items():
        with tempfile.TemporaryDirectory() as folder:
            for mode, path in modes.items():
                file = Path(folder) / "include" / "tilewise" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                text = before + (bug if mode == name or (name == "comma" and mode == "host") else clean)
                file.write_text(re.sub(r"\b(host|g|h|base)\b", rf"\1_{mode}", text))
            found = check(compiler, Path(folder))
        if len(found) != (name != "clean") or any(":5:" not in line for line in found):
            failures += 1
            print(f"self-test {name}: got {found}")
    print(f"self-test: {len(planted) - failures} of {len(planted)}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true", help="test this script")
    parser.add_argument("--compiler", default="clang++", help="the clang to use")
    options = parser.parse_args()
    if options.self_test:
        return 1 if self_test(options.compiler) else 0
    found = check(options.compiler, ROOT)
    print("\n".join(found) or "calls: qualified")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
