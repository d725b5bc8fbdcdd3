#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the project's sources and the headers they include with clang-tidy:  tidy.py [--syntax] BUILD [SOURCE...]

With --syntax, the compiler of the build checks them instead, for its warnings. BUILD is a build folder with
compile_commands.json. A source is skipped if neither it, nor a header of the project that it includes, nor the settings
have changed since it was last found clean.

Sources with the same options are checked together, so that common headers are parsed once: all includes, then each
source in a namespace of its own. A source that opens a named namespace, specializes a template, defines macros,
functions with C linkage or operator new, or includes a header under a condition is checked alone.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-19"
FINDING = re.compile(r"^(?=/[^ ]+: (?:fatal error|error|warning):)|^\d+ warnings.*generated.*$", re.MULTILINE)
INCLUDE = re.compile(r'#include (?:<(.*)>|"(.*)")')
ALONE = re.compile(r"^namespace \w[\w:]*(?: \{)?$|^template <>|^extern|^#(?:define|undef|pragma)|^\w[\w:]* \w+::[\w:]+\(|^void\*? operator ", re.MULTILINE)
MOST = 500_000 # bytes of sources in a unit; the largest decide how long all of it takes


def sources_of(build, wanted):
    """Source file -> its compile command, without what names the result or asks for optimisation."""
    commands = json.loads((build / "compile_commands.json").read_text())
    found = {}
    for entry in commands:
        path, words = Path(entry["file"]), shlex.split(entry["command"])
        if ROOT in path.parents and build not in path.parents and (not wanted or path in wanted):
            output = words.index("-o")
            found[path] = [word for word in words[:output] + words[output + 2:-2] if not word.startswith("-O")]
    return found


def is_read_alone(text):
    depth = 0
    for line in text.splitlines():
        depth += line.startswith("#if") - line.startswith("#endif")
        if depth > 0 and line.startswith("#include"):
            return True
    return ALONE.search(text) is not None


def units_of(sources):
    """Lists of sources that can be read together, with the command for all of them."""
    groups, units = {}, []
    for path, command in sources.items():
        alone = is_read_alone(path.read_text())
        groups.setdefault((tuple(command), path if alone else None), []).append(path)
    for (command, _), paths in groups.items():
        pieces = -(-sum(path.stat().st_size for path in paths) // MOST)
        units += [(paths[first::pieces], command) for first in range(pieces)]
    return units


def together(paths):
    """The text of a unit, and for each of its lines the file and the line it comes from."""
    includes, bodies = [], []
    for number, path in enumerate(paths):
        body = [(f"namespace source_{number} {{", path, 0)]
        for at, line in enumerate(path.read_text().splitlines(), 1):
            include = INCLUDE.match(line)
            if include and include[2] and (path.parent / include[2]).exists():
                line = f'#include "{(path.parent / include[2]).resolve()}"'
            if not include:
                body.append((line, path, at))
            elif all(line != known for known, _, _ in includes):
                includes.append((line, path, at))
        bodies += [*body, ("}", path, 0)]
    lines = [*includes, *bodies]
    return "".join(f"{line}\n" for line, _, _ in lines), [f"{path}:{at}" for _, path, at in lines]


def headers():
    """The headers of the project, by which every cached result is keyed."""
    folders = [ROOT / "include", ROOT / "test", ROOT / "examples", ROOT / "bench"]
    return sorted(path for folder in folders for path in folder.rglob("*.hpp"))


def digest(*parts):
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()


def included(path, known, seen=None):
    """The headers of the project that `path` reaches, judged by name."""
    seen = set() if seen is None else seen
    text = path.read_text()
    for header in known:
        if header not in seen and header.name in text:
            seen.add(header)
            included(header, known, seen)
    return sorted(seen)


def read(folder, paths, command, syntax):
    """Whether a unit is clean, and what was found in it."""
    source, origin = paths[0], None
    if len(paths) > 1:
        text, origin = together(paths)
        source = folder / f"{digest(text.encode())[:16]}.cpp"
        source.write_text(text)
        command = [*command, "-Wno-return-type"] # of main, which is one function among others here
    if syntax:
        command = [*command, "-fsyntax-only", "-fno-color-diagnostics", source]
    else:
        command = [TIDY, "--quiet", f"--config-file={ROOT / '.clang-tidy'}", source, "--", *command[1:]]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    output = result.stdout + ("" if not syntax and result.returncode == 0 else result.stderr)
    if origin:
        output = re.sub(rf"{source}:(\d+)", lambda found: origin[int(found[1]) - 1], output)
    return result.returncode == 0, output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--syntax", action="store_true", help="compile, instead of calling clang-tidy")
    parser.add_argument("build", type=lambda name: Path(name).resolve())
    parser.add_argument("sources", nargs="*", type=lambda name: Path(name).resolve())
    arguments = parser.parse_args()
    sources = sources_of(arguments.build, set(arguments.sources))
    if not sources:
        sys.exit("tidy: no sources")

    # What has changed?
    cache_file = arguments.build / ("syntax.cache" if arguments.syntax else "tidy.cache")
    cache = set(cache_file.read_text().split()) if cache_file.is_file() else set()
    settings = (ROOT / ".clang-tidy").read_bytes() + Path(__file__).read_bytes()
    tool = next(iter(sources.values()))[0] if arguments.syntax else TIDY
    version = subprocess.run([tool, "--version"], capture_output=True, check=True).stdout
    known = headers()
    todo, keys = [], set()
    for paths, command in units_of(sources):
        files = [file for path in paths for file in (path, *included(path, known))]
        key = digest(settings, version, " ".join(command).encode(), *(file.read_bytes() for file in files))
        keys.add(key)
        if key not in cache:
            todo.append((key, paths, command))

    # Run, the largest first.
    todo.sort(key=lambda unit: -sum(path.stat().st_size for path in unit[1]))
    folder = arguments.build / "together"
    folder.mkdir(exist_ok=True)
    failures, findings, done = 0, {}, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = {pool.submit(read, folder, paths, command, arguments.syntax): (key, paths)
                   for key, paths, command in todo}
        for future in concurrent.futures.as_completed(running):
            key, paths = running[future]
            clean, output = future.result()
            done += 1
            print(f"[{done}/{len(todo)}] {', '.join(path.name for path in paths)}", flush=True)
            if clean:
                cache.add(key)
                cache_file.write_text("\n".join(sorted(cache & keys)))
            else:
                failures += 1
                findings.update(dict.fromkeys(part.strip() for part in FINDING.split(output) if part.strip()))
    print("\n".join(findings))
    print(f"tidy: {len(sources)} sources in {len(keys)} units, {len(keys) - len(todo)} unchanged, {failures} not clean")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
