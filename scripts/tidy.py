#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy over the project's sources and the headers they include:  tidy.py BUILD [SOURCE...]

BUILD is a build folder with compile_commands.json. A source is skipped when neither it, nor a header of the project
that it includes, nor the settings have changed since it was last found clean.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-19"
FINDING = re.compile(r"^(?=/[^ ]+: (?:error|warning):)|^\d+ warnings.*generated.*$", re.MULTILINE)


def sources_of(build, wanted):
    """Source file -> its compile command, for the sources of the project."""
    commands = json.loads((build / "compile_commands.json").read_text())
    found = {Path(entry["file"]): entry["command"] for entry in commands}
    mine = {path: command for path, command in found.items() if ROOT in path.parents and build not in path.parents}
    return {path: command for path, command in mine.items() if not wanted or path in wanted}


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


def tidy(build, path):
    result = subprocess.run(
        [TIDY, "--quiet", "-p", build, path], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return result.returncode == 0, result.stdout + ("" if result.returncode == 0 else result.stderr)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    sources = sources_of(build, {Path(name).resolve() for name in sys.argv[2:]})
    if not sources:
        sys.exit("tidy: no sources")

    # What has changed?
    cache_file = build / "tidy.cache"
    cache = set(cache_file.read_text().split()) if cache_file.is_file() else set()
    settings = (ROOT / ".clang-tidy").read_bytes()
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    known = headers()
    keys = {}
    for path, command in sources.items():
        files = [path, *included(path, known)]
        keys[path] = digest(settings, version, command.encode(), *(file.read_bytes() for file in files))
    todo = [path for path in sources if keys[path] not in cache]

    # Run, the largest first.
    todo.sort(key=lambda path: -path.stat().st_size)
    failures, findings = 0, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (clean, output) in zip(todo, pool.map(lambda path: tidy(build, path), todo)):
            if clean:
                cache.add(keys[path])
                cache_file.write_text("\n".join(sorted(cache & set(keys.values()))))
            else:
                failures += 1
                findings.update(dict.fromkeys(finding.strip() for finding in FINDING.split(output) if finding.strip()))
    print("\n".join(findings))
    print(f"tidy: {len(sources) - failures} of {len(sources)} clean, {len(sources) - len(todo)} unchanged")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
