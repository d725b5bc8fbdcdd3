#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds words that have a standard term instead, in the pages and in comments of headers, examples and benchmarks.

Each entry has the term to write, a regular expression of words not to write, and a sentence in which it must find one.
An entry may be limited to some files, if the words have ordinary meanings in others.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = r"include/tilewise/device/|docs/how-.*-works|docs/ladder"
FIGURES = r"docs/benchmarks|docs/decisions/|docs/ladder|README|include/tilewise/device/tuning"

# (write, not, an example of what is found[, files])
WORDS = [
    ("publish, poll, report", r"told|tells?|telling|hears?|heard|hearing", "blocks tell each other their sums"),
    ("exclusive prefix, carry-in", r"what comes before", "adds what comes before"),
    ("tile status, look-back", r"boards?|one look(?!-)|a look at a (tile|group)", "the board of a tile"),
    ("warp roles: producer, reducer, publisher, writer", r"squads?|fillers?|adders?|carriers?", "a squad of warps"),
    ("take a ticket", r"(draws?|drew|drawn|drawing) (a |the |its |their )?(tickets?|tiles?|numbers? from)", "draws a ticket"),
    ("epoch", r"ledgers?|tag of (a|the) launch", "the ledger of launches"),
    ("tile per block", r"side by side", "tiles side by side", KERNELS),
    ("predicated, unpredicated", r"(needs?|takes?|without|with no) (no )?care|careful(ly)?", "a tile that needs no care"),
    ("vector load, 16-byte vector", r"packets?|granules?", "reads a packet"),
    ("realigned, misaligned by one element", r"covering (loads?|vectors?|reads?)|one off", "one off the boundary"),
    ("iterations per warp, work units", r"(per|each|a warp's) turns?|turns (of|per)", "elements per turn"),
    ("in flight", r"under way", "four loads under way"),
    ("staging, stage in, stage out", r"stand-ins?|(brings?|brought|takes?|delivers?) (it|them|elements|results) (in|out|back)",
     "a stand-in for host memory"),
    ("privatized bins, sub-histogram", r"tally|tallies|tallied|home (bins?|table)", "each warp's tally"),
    ("flush", r"(?<!up-)(?<!down-)sweeps?|swept", "a sweep of packed counters"),
    ("contention, warp-aggregated atomics", r"crowd(s|ed|ing)?", "threads crowd on a bin"),
    ("sum", r"add(s|ed|ing)? up", "lanes add up their counts", KERNELS),
    ("send, pass, payload", r"travel(s|led|ling)?", "values travel with their keys"),
    ("out-of-range handling", r"fates?", "the fate of a sample"),
    ("known operator, counterpart", r"twins?", "the twin of std::plus"),
    ("has value, optional", r"maybe", "a maybe of a value"),
    ("reduction by dense key", r"values by index", "combines values by index"),
    ("super-group", r"(?<!-)supers?(?!-)", "the total of a super"),
    ("optimization step, version", r"rungs?", "the third rung"),
    ("target, result, baseline, read-bandwidth ceiling",
     r"(the|this|each|every) bar|% of reading|(the|a|this|last|new) \[?records?\]?(?! length)|beat(s|en)?|peers?(?!('s)? (access|memory|device))",
     "121.5 % of reading", FIGURES),
    ("property of a policy", r"refinements?", "a refinement of device"),
    ("about 2^9", r"some 2\^\d+|some \d+ thousand", "some 2^9 bins"),
    ("[lower, upper)", r"to below", "from 0 to below 1"),
    ("need, require, must", r"wants?|wish(es)?|shall|dares?", "a kernel wants its input aligned"),
    ("no personification", r"kernels? (knows?|tells?|hears?|learns?|sees?)|(warps?|lanes?|blocks?) (knows?|learns?|agrees?|asks?)",
     "the kernel knows the count"),
    ("a heading that names its subject", r"^#+ (What there is|Read on|How it can .*|What the library promises)$", "## Read on"),
]
SOURCES = (".hpp", ".cuh", ".cpp", ".cu")
CODE = re.compile(r"^( *)(```|~~~).*?^ *\2", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`[^`\n]*`|\]\([^)\s]*\)|\\snippet .*")
COMMENT = re.compile(r'^(?:[^"/]|"(?:\\.|[^"\\])*"|/(?!/))*//[/!<]*(.*)$')


def prose_of(path, text):
    """The lines of a file with nothing but prose in them: no code."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])

    if path.suffix in SOURCES:
        comments = (COMMENT.match(line) for line in text.splitlines())
        lines = [match[1] if match else "" for match in comments]
    else:
        lines = CODE.sub(blank, text).splitlines()
    return [INLINE.sub(blank, line) for line in lines]


def found_in(name, lines):
    for number, line in enumerate(lines, 1):
        for write, words, _, *files in WORDS:
            if files and not re.search(files[0], name):
                continue
            match = re.search(words if words.startswith("^") else rf"(?<![\w-])(?:{words})(?![\w])", line, re.IGNORECASE)
            if match:
                yield f"{name}:{number}: `{match[0].strip()}`: write: {write}"


def check():
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").glob("*.dox"),
             *(path for folder in ("include", "examples", "bench") for path in (ROOT / folder).rglob("*")
               if path.suffix in SOURCES)]
    return [line for path in sorted(files)
            for line in found_in(path.relative_to(ROOT).as_posix(), prose_of(path, path.read_text()))]


def self_test():
    """Every entry finds its example, in a page and in a comment; sentences in ordinary use are left alone."""
    failures = 0
    for write, words, example, *files in WORDS:
        page = "docs/how-scan-works.md" if files and files[0] == KERNELS else "docs/benchmarks/x.md"
        lines = prose_of(Path(page), f"# A page\n{example}\n```\n{example}\n```\n")
        found = [line for line in found_in(page, lines) if write in line]
        in_header = [line for line in found_in("include/tilewise/device/tuning.cuh",
                                               prose_of(Path("a.cuh"), f"int x; // {example}\nint {words[:3]};"))
                     if write in line or words.startswith("^")]
        if len(found) != 1 or not (in_header or words.startswith("^")):
            failures += 1
            print(f"self-test `{example}`: got {found} {in_header}")
    clean = ["Calls side by side", "an up-sweep and a down-sweep", "super-groups of 32 groups", "peer access to memory",
             "the path is `https://tells.example/board`", "scatter the record lengths", "additional barriers", "one look-back"]
    found = [*found_in("docs/guide.md", clean[:1]), *found_in("docs/how-scan-works.md", prose_of(Path("a.md"), "\n".join(clean[1:])))]
    if found:
        failures += 1
        print("self-test of ordinary use:", *found, sep="\n")
    print(f"self-test: {len(WORDS) + 1 - failures} of {len(WORDS) + 1}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true", help="test this script")
    if parser.parse_args().self_test:
        return 1 if self_test() else 0
    found = check()
    print("\n".join(found) or "words: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
