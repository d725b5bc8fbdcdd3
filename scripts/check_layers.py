#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks rules that the compiler cannot: the layers of the headers, and the rules for files.

A header includes only headers of its own layer or of a lower one, and never itself, directly or indirectly.
"""

import argparse
import fnmatch
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# The layers of include/tilewise, lowest first; the first pattern that fits says which one a header belongs to.
LAYERS = [
    ("vocabulary", ["order.hpp", "error.hpp", "policy.hpp", "policy_properties.hpp", "functional.hpp", "cached_memory.hpp", "mdspan.hpp",
                    "discard_iterator.hpp", "zip.hpp",
                    "std_execution.hpp", "thrust_execution.hpp", "compiled.hpp", "core/*", "distributed/*",
                    "device/cuda/arch.cuh", "device/cuda/arch/*"]),
    ("axes", ["axis/*", "axis.hpp"]),
    ("host", ["host/*"]),
    ("cuda", ["device/cuda/*", "device/tuning.cuh"]),
    ("blocks", ["device/block/*"]),
    ("device algorithms", ["device/*", "compiled/*"]),
    ("engines", ["engine/*"]),
    ("contracts", ["*.hpp"]),
]

MACHINE = "device/cuda/arch/"

SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CODE = {".hpp", ".cuh", ".cpp", ".cu", ".py", ".sh", ".cmake", ".in"}
NO_COMMENTS = {".json", ".md", ".csv", ".npy", ".bin"}
WORKSPACE = re.compile(r"(^|[\s\"'(=`])/" + r"work/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def layer_of(header):
    """The number of a header's layer, or None."""
    for number, (_, patterns) in enumerate(LAYERS):
        if any(fnmatch.fnmatchcase(header, pattern) for pattern in patterns):
            return None if "/" in header and patterns == ["*.hpp"] else number
    return None


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check_includes(root):
    """Yields what is wrong with the includes of the library's headers."""
    base = root / "include" / "tilewise"
    graph = {}
    for path in sorted(p for p in base.rglob("*") if p.is_file()):
        name = path.relative_to(base).as_posix()
        where = path.relative_to(root).as_posix()
        layer = layer_of(name)
        if layer is None:
            yield f"{where}: no layer: add it to LAYERS in scripts/check_layers.py"
            continue
        text = path.read_text()
        graph[name] = []
        for match in INCLUDE.finditer(text):
            quote, target = match.groups()
            at = f"{where}:{line_of(text, match.start())}"
            if quote == '"':
                yield f'{at}: write #include <tilewise/...>, not "{target}"'
            elif target.startswith("tilewise/"):
                target = target.removeprefix("tilewise/")
                other = layer_of(target)
                if not (base / target).is_file():
                    yield f"{at}: {target} does not exist"
                elif target.startswith(MACHINE) and not name.startswith(MACHINE) and name != "device/cuda/arch.cuh":
                    yield f"{at}: only arch.cuh includes parts of it, so that the interpreter's can stand in for them"
                elif other is not None and other > layer:
                    yield f"{at}: {name} ({LAYERS[layer][0]}) may not include {target} ({LAYERS[other][0]})"
                else:
                    graph[name].append(target)
    for cycle in cycles(graph):
        yield f"include/tilewise/{cycle[0]}: includes itself: {' -> '.join(cycle)}"


def cycles(graph):
    """Yields one way round for every header at which a walk along includes comes back to one it has not left."""
    done, path = set(), []

    def walk(name):
        if name in path:
            yield path[path.index(name):] + [name]
        elif name not in done:
            path.append(name)
            for target in graph.get(name, []):
                yield from walk(target)
            path.pop()
            done.add(name)

    for name in sorted(graph):
        yield from walk(name)


def check_headers(root):
    """Yields forbidden words in the library's headers."""
    for path in sorted(p for p in (root / "include").rglob("*") if p.is_file()):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            where = f"{path.relative_to(root).as_posix()}:{number}"
            if "<<<" in line:
                yield f"{where}: launch through a typed function, not <<< >>>"
            if path.parent.name == "tilewise" and re.search(r"^\s*#.*\bTILEWISE_(DEVICE_ENGINE|COMPILED)\b", line):
                yield f"{where}: the engine is chosen in include/tilewise/engine and nowhere else"
            if re.search(r"\b(TODO|FIXME)\b", line):
                yield f"{where}: open work belongs in the tracker"


def project_files(root):
    """The files under version control and new ones, or every file outside build/ where git is missing."""
    try:
        listing = subprocess.run(
            ["git", "-c", f"safe.directory={root}", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"],
            check=True, capture_output=True).stdout
        files = [root / name for name in listing.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        files = [p for p in root.rglob("*") if p.relative_to(root).parts[0] not in ("build", ".git")]
    return sorted(p for p in files if p.is_file() and "__pycache__" not in p.parts)


def needs_spdx(path, text):
    if path.name == "LICENSE" or path.suffix in NO_COMMENTS:
        return False
    named = path.name in ("CMakeLists.txt", "mutations.txt") or path.name.startswith(".clang")
    return path.suffix in CODE or named or text.startswith("#!")


def check_files(root):
    """Yields files without the licence line and lines that name a place outside the project."""
    for path in project_files(root):
        where = path.relative_to(root).as_posix()
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        lines = text.splitlines()
        first = lines[1:2] if text.startswith("#!") else lines[:1]
        if needs_spdx(path, text) and not any(SPDX in line for line in first):
            yield f"{where}:1: the first line must be {SPDX}"
        for number, line in enumerate(lines, 1):
            if WORKSPACE.search(line):
                yield f"{where}:{number}: names a path outside the project"


def check(root):
    return [*check_includes(root), *check_headers(root), *check_files(root)]


def self_test():
    """Plants each violation in a small tree; every one must be found, and the clean tree must pass."""
    spdx = f"// {SPDX}\n"
    clean = {
        "include/tilewise/core/config.hpp": spdx,
        "include/tilewise/order.hpp": spdx + "#include <tilewise/core/config.hpp>\n#include <cstddef>\n",
        "include/tilewise/host/reduce.hpp": spdx + "#include <tilewise/order.hpp>\n",
        "include/tilewise/reduce.hpp": spdx + "#include <tilewise/host/reduce.hpp>\n",
    }
    planted = {
        "upward": {"include/tilewise/order.hpp": spdx + "#include <tilewise/reduce.hpp>\n"},
        "cycle": {"include/tilewise/core/config.hpp": spdx + "#  include <tilewise/order.hpp>\n"},
        "no layer": {"include/tilewise/surprise/surprise.hpp": spdx},
        "algorithm in a block": {"include/tilewise/device/block/block.cuh": spdx + "#include <tilewise/device/reduce.cuh>\n",
                                   "include/tilewise/device/reduce.cuh": spdx},
        "part of the machine": {"include/tilewise/device/block/block.cuh": spdx + "#include <tilewise/device/cuda/arch/warp.cuh>\n",
                                "include/tilewise/device/cuda/arch/warp.cuh": spdx},
        "missing": {"include/tilewise/error.hpp": spdx + "#include <tilewise/gone.hpp>\n"},
        "quoted": {"include/tilewise/error.hpp": spdx + '#include "config.hpp"\n'},
        "launch": {"include/tilewise/error.hpp": spdx + "kernel<<<1, 1>>>();\n"},
        "engine": {"include/tilewise/reduce.hpp": spdx + "#ifdef TILEWISE_DEVICE_ENGINE\n#endif\n"},
        "open work": {"include/tilewise/error.hpp": spdx + "// TO" + "DO: later\n"},
        "licence": {"test/order.cpp": "int main() {}\n"},
        "outside": {"README.md": "see /" + "work/elsewhere\n"},
    }
    failures = 0
    for name, change in {"clean": {}, **planted}.items():
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**clean, **change}.items():
                file = Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            found = check(Path(folder))
        if len(found) != (name != "clean"):
            failures += 1
            print(f"self-test {name}: expected {len(change)} finding(s), got {found}")
    print(f"self-test: {len(planted) + 1 - failures} of {len(planted) + 1}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true", help="test this script")
    if parser.parse_args().self_test:
        return 1 if self_test() else 0
    found = check(Path(__file__).resolve().parent.parent)
    print("\n".join(found) or "layers: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
