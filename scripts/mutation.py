#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inserts each bug of test/mutations.txt into a copy of the library; the tests must detect every one.

The list has one block for each bug, separated by empty lines; lines that begin with # are comments:

    name: the last row of a chunk is lost
    file: include/tilewise/host/fold.hpp
    find: row < rows
    replace: row + 1 < rows
    test: test/mutation_probe.cpp#reductions

`find` must occur exactly once in `file`. `test` names test programs, separated by commas, one of which must fail;
test/mutation_probe.cpp#scans is compiled with PROBE_SCANS defined, which leaves the rest of it out. A text of several
lines stands between `find<<<` and `>>>`, on lines of their own; likewise `replace<<<`. A bug that does not compile is
an error of the list.

`build` is `host` (when left out; the tests are both parts of test/mutation_probe.cpp when left out), `contracted`: the
compiler may fuse a product with a sum, and the test is test/contraction_of_classes.cpp when left out; or `race`: the
tests then are kernels under the interpreter's race build, compiled by clang++, and are test/simt/mutation_probe.cpp when
left out.
"""

import argparse
import concurrent.futures
import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "test" / "mutations.txt"
PROBES = {"host": "test/mutation_probe.cpp#reductions,test/mutation_probe.cpp#scans",
          "contracted": "test/contraction_of_classes.cpp",
          "race": "test/simt/mutation_probe.cpp"}
FLAGS = ["-std=c++20", "-DTILEWISE_HARDENED", "-DTILEWISE_STRICT_FP", "-ffp-contract=off", "-w"]
HOST = [*FLAGS, "--param=ggc-min-heapsize=4000000"] # as in cmake/development.cmake
CONTRACTED = ["-std=c++20", "-O3", "-march=native", "-ffp-contract=fast", "-DTILEWISE_HARDENED", "-w"]
GTEST = ["-lgtest_main", "-lgmock", "-lgtest", "-lrapidcheck"]
QUICKLY = ["--gtest_brief=1", "--gtest_fail_fast"]
CPU_SECONDS = 60 # that a program may take longer than twice the time without a bug
INCLUDES = ("include", "examples") # where bugs are, and what tests look for them in

# As in test/simt/CMakeLists.txt
SIMT = ROOT / "test" / "simt"
RACE = ["-O0", "-DSIMT_RACE", "-fno-pie"]
RACE_TEST = [*RACE, "-DTILEWISE_DEVICE_ENGINE=1", "-fno-strict-aliasing", "-fsanitize=thread",
             "-mllvm", "-tsan-distinguish-volatile=1", "-mllvm", "-tsan-instrument-func-entry-exit=0",
             "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset", "-fpch-instantiate-templates"]
RACE_LINK = ["-no-pie", "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset"]
NOT_RACE = {"storage_on_heap.cpp"}

# Precompiled, for they take as long as the rest: headers that most tests want, and in which there are no bugs.
HEADERS = """algorithm array atomic cmath cstdint cstring deque forward_list functional iterator limits map memory mutex
    numeric optional random ranges span sstream stdexcept string thread tuple utility vector
    gmock/gmock.h gtest/gtest.h rapidcheck.h""".split()
RACE_HEADERS = ["cuda_runtime.h", "simt/runtime.hpp", "simt/test.hpp"]


class ListError(Exception):
    pass


def parse(text):
    """The blocks of the list, each a dictionary."""
    blocks, block, lines = [], {}, iter(text.splitlines())
    for line in lines:
        if line.startswith("#"):
            continue
        if not line.strip():
            if block:
                blocks.append(block)
            block = {}
            continue
        if line.endswith("<<<"):
            key, value = line.removesuffix("<<<"), []
            for inner in lines:
                if inner == ">>>":
                    break
                value.append(inner)
            else:
                raise ListError(f"no >>> after {line}")
            value = "\n".join(value)
        else:
            key, colon, value = line.partition(":")
            if not colon:
                raise ListError(f"neither `key: value` nor `key<<<`: {line}")
            value = value.strip()
        if key not in ("name", "file", "find", "replace", "test", "build") or key in block:
            raise ListError(f"unexpected `{key}` in {block.get('name', line)}")
        block[key] = value
    if block:
        blocks.append(block)
    for block in blocks:
        missing = {"name", "file", "find", "replace"} - block.keys()
        if missing:
            raise ListError(f"{block.get('name', block)}: {', '.join(sorted(missing))} missing")
        if build_of(block) not in PROBES:
            raise ListError(f"{block['name']}: no build `{block['build']}`")
    return blocks


def build_of(bug):
    return bug.get("build", "host")


def tests_of(bug):
    return [test.strip() for test in bug.get("test", PROBES[build_of(bug)]).split(",")]


def mutated(bug):
    """The text of the bug's file with the bug in it."""
    text = (ROOT / bug["file"]).read_text()
    if text.count(bug["find"]) != 1:
        raise ListError(f"{bug['name']}: `find` occurs {text.count(bug['find'])} times in {bug['file']}")
    return text.replace(bug["find"], bug["replace"])


def compile(command):
    built = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if built.returncode != 0:
        raise ListError(f"does not compile:\n{built.stderr[:2000]}")


def compiler_of(build):
    return "clang++" if build == "race" else "g++"


def interpreter(folder):
    """The library of the kernels' interpreter: compiled at once, but for what needs GoogleTest, which not all link."""
    library = folder / "libsimt_race.a"
    sources = [path for path in sorted(SIMT.glob("src/*.cpp")) if path.name not in NOT_RACE]
    for part in (True, False):
        source = folder / f"interpreter{part:d}.cpp"
        source.write_text("".join(f'#include "{path}"\n' for path in sources if (path.name == "test.cpp") == part))
        compile([compiler_of("race"), *FLAGS, *RACE, "-O2", f"-I{SIMT}/include", f"-I{ROOT}/include", "-c", source,
                 "-o", f"{source}.o"])
        compile(["ar", "rcs", library, f"{source}.o"])
    return library


def options_of(build, test):
    if build == "contracted":
        return CONTRACTED
    if build == "race":
        return [*FLAGS, *RACE_TEST, f"-I{SIMT}/include"]
    return [*HOST, "-O0" if "probe" in test else "-O1"] # (some tests run for minutes without optimisation)


def precompiled_headers(build, options, folder):
    """The header that includes those of every test with the same options."""
    header = folder / f"{hashlib.sha256(str(options).encode()).hexdigest()[:16]}.hpp"
    names = [*HEADERS, *(RACE_HEADERS if build == "race" else [])]
    header.write_text("".join(f"#include <{name}>\n" for name in names))
    compile([compiler_of(build), *options, "-x", "c++-header", header, "-o",
             f"{header}.{'pch' if build == 'race' else 'gch'}"])
    return header


def failure_of(program, limit):
    """How a program fails, or that it does not end within the limits of CPU seconds, and ten times as many of the clock's;
    None if it passes. And the CPU seconds that it took."""
    environment = {**os.environ, "RC_PARAMS": "noshrink=1"}
    output = program.with_suffix(".output")
    with output.open("wb") as file, subprocess.Popen([program, *QUICKLY], stdin=subprocess.DEVNULL, stdout=file,
                                                     stderr=file, env=environment) as running:
        resource.prlimit(running.pid, resource.RLIMIT_CPU, (limit, limit))
        timer = threading.Timer(10 * limit, running.kill)
        timer.start()
        _, status, used = os.wait4(running.pid, 0)
        timer.cancel()
        running.returncode = os.waitstatus_to_exitcode(status)
    seconds = used.ru_utime + used.ru_stime
    if status == 0:
        return None, seconds
    last = "\n".join(output.read_text(errors="replace").splitlines()[-20:])
    return f"status {running.returncode} after {seconds:.0f} s\n{last}", seconds


def failing_test(shared, build, tests, includes, folder):
    """The first of the tests that fails and how, or None; raises when one does not compile. Notes how long tests take that
    have no limit yet."""
    for number, named in enumerate(tests):
        test, _, part = named.partition("#")
        program, object_file = folder / f"program{number}", folder / f"program{number}.o"
        text = (ROOT / test).read_text()
        options, libraries = options_of(build, test), []
        header = shared["headers"][str(options)]
        if build == "race": # linked apart: the interpreter takes the place of the thread sanitizer's library
            libraries += [*RACE_LINK, shared["interpreter"], "-lboost_context"]
        if "int main(" not in text:
            options = [*options, f'-DTILEWISE_GOLDEN_DIR="{ROOT}/test/golden"']
            libraries += GTEST
        if not re.search("^#define", text.partition("#include")[0], re.MULTILINE): # for what it includes
            options = [*options, "-include", header]
        if part:
            options = [*options, f"-DPROBE_{part.upper()}"]
        compile([compiler_of(build), *options, *(f"-I{path}" for path in includes), f"-I{ROOT}/test",
                 "-x", "c++", "-c", ROOT / test, "-o", object_file])
        compile([compiler_of(build), object_file, "-o", program, *libraries, "-ltbb"])
        failure, seconds = failure_of(program, shared["limits"].get((build, named), 10 * CPU_SECONDS))
        if failure:
            return f"{named}: {failure}"
        shared["limits"].setdefault((build, named), CPU_SECONDS + round(2 * seconds))
    return None


def verdict(shared, bug):
    """"caught", "survived", or what is wrong with the list."""
    try:
        text = mutated(bug)
        with tempfile.TemporaryDirectory(prefix="tilewise-mutation-") as folder:
            copy = Path(folder) / bug["file"]
            if bug["file"].startswith("include/"):
                copy.parent.mkdir(parents=True)
            else: # such files find their neighbours beside themselves
                shutil.copytree((ROOT / bug["file"]).parent, copy.parent)
            copy.write_text(text)
            includes = [root / part for root in (Path(folder), ROOT) for part in INCLUDES]
            failed = failing_test(shared, build_of(bug), tests_of(bug), includes, Path(folder))
        return "caught" if failed else "survived"
    except (ListError, OSError) as error:
        return f"error: {error}"


def fingerprint(tests):
    """Changes whenever a result could."""
    digest = hashlib.sha256()
    for build in PROBES:
        digest.update(subprocess.run([compiler_of(build), "--version"], capture_output=True, check=True).stdout)
    headers = [*(ROOT / "include").rglob("*"), *(ROOT / "examples/ladder").rglob("*"), *(ROOT / "test").rglob("*.hpp"), *(ROOT / "test/golden").rglob("*"),
               *SIMT.rglob("*")]
    for path in sorted({p for p in headers if p.is_file()} | {ROOT / test.partition("#")[0] for test in tests} | {LIST, Path(__file__)}):
        digest.update(f"{path.relative_to(ROOT)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def run(jobs, only, build, every, first):
    bugs = [bug for bug in parse(LIST.read_text())
            if only in bug["name"] and build in (None, build_of(bug))][first::every]
    if not bugs:
        raise ListError("no bugs in the list")
    tests = sorted({(build_of(bug), test) for bug in bugs for test in tests_of(bug)})

    complete = not only and build is None and every == 1 and first == 0

    # Nothing changed since the last complete success?
    cache = ROOT / "build" / "mutation.cache"
    key = fingerprint([test for _, test in tests])
    if complete and cache.is_file() and cache.read_text() == key:
        print(f"caught {len(bugs)} of {len(bugs)} (nothing changed)")
        return 0

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, \
            tempfile.TemporaryDirectory(prefix="tilewise-mutation-") as common:
        options = {str(options_of(build, test)): (build, options_of(build, test)) for build, test in tests}
        headers = pool.map(lambda each: precompiled_headers(*each, Path(common)), options.values())
        shared = {"limits": {}}
        if any(build == "race" for build, _ in tests):
            shared["interpreter"] = interpreter(Path(common))
        shared["headers"] = dict(zip(options, headers))

        # The tests pass without bugs.
        def fails_without_bug(build_and_test):
            build, test = build_and_test
            with tempfile.TemporaryDirectory(prefix="tilewise-mutation-") as folder:
                return failing_test(shared, build, [test], [ROOT / part for part in INCLUDES], Path(folder))
        for failure in pool.map(fails_without_bug, tests):
            if failure:
                raise ListError(f"a test fails without any bug: {failure}")

        # Every bug makes one of them fail.
        verdicts = []
        for bug, text in zip(bugs, pool.map(lambda bug: verdict(shared, bug), bugs)):
            verdicts.append(text)
            if text != "caught":
                print(f"{bug['name']}: {text}", flush=True)
            elif len(verdicts) % 10 == 0:
                print(f"... {len(verdicts)} of {len(bugs)}", file=sys.stderr, flush=True)
    caught = verdicts.count("caught")
    print(f"caught {caught} of {len(bugs)}")
    if caught == len(bugs) and complete:
        cache.parent.mkdir(exist_ok=True)
        cache.write_text(key)
    return 0 if caught == len(bugs) else 1


def check_list():
    """Each bug has one place in the sources, so that the list follows whatever is renamed."""
    lost = []
    for bug in parse(LIST.read_text()):
        try:
            mutated(bug)
        except (ListError, OSError) as error:
            lost.append(str(error))
    print("\n".join(lost) or "seeded bugs: each has its place")
    return 1 if lost else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", metavar="TEXT", help="only bugs whose name contains TEXT")
    parser.add_argument("--build", choices=PROBES, help="only bugs of a build")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth of them")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="skip the first N of them")
    parser.add_argument("--places", action="store_true", help="only check that each bug still has its place in the code")
    arguments = parser.parse_args()
    try:
        if arguments.places:
            return check_list()
        return run(arguments.jobs, arguments.only, arguments.build, arguments.every, arguments.first)
    except (ListError, OSError) as error:
        print(f"mutation: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
