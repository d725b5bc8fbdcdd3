#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the results of the GPU benchmarks into tables and plots.

    scripts/gpu_report.py FROM TO                     FROM/scan.json becomes TO/scan-h200.{json,md,svg} on an NVIDIA
                                                      H200, and so do FROM/reduce.json, FROM/histogram.json,
                                                      FROM/segmented.json, FROM/by_key.json and FROM/ranks.json
    scripts/gpu_report.py FROM TO --readme README.md  and an overview of TO/*-h200.json, those of earlier runs among
                                                      them, becomes the table in README.md and TO/overview-h200.svg

Ratios are comparable between machines, absolute figures are not.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

TYPES = {"i8_to_i32": "i8 to i32", "u8_to_i32": "u8 to i32", "f16_to_f32": "f16 to f32",
         "exclusive_f32": "f32, exclusive", "u8_to_f32_squares": "u8 to f32, squares",
         "f16_to_f32_squares": "f16 to f32, squares", "affine": "affine functions of f32",
         "matrix": "2x2 matrices of f32", "i32_largest": "maximum of i32", "f32_largest": "maximum of f32",
         "variable_100": "f32, 100 edges", "variable_5000": "f32, 5000 edges",
         "log_1000": "f32, 1000 logarithmic bins", "pairs_256x256": "pairs of f32, 256 x 256 bins",
         "i32_weighted_256": "f32, 256 bins, i32 weights"}
TYPES |= {f"f32_weighted_{bins}": f"f32, {bins} bins, f32 weights" for bins in (16, 256, 2048)}
TYPES |= {f"{type_}_{bins}": f"{type_}, {bins} bins" for type_, bins in (
    ("u8", 256), ("u16", 65536), ("i32", 1024), ("f64", 1000),
    *(("f32", bins) for bins in (16, 256, 2048, 16384, 57344, 65536, 1 << 20)))}
DISTRIBUTIONS = {"uniform": "uniform", "one_value": "one value", "zipf": "Zipf", "sorted": "sorted",
                 "hot": "90 % one value"}


@dataclass(frozen=True)
class Benchmark:
    """How the results of one benchmark are reported."""
    traffic: str          # what the GB/s count
    ceiling: tuple        # the competitor that is limited by memory alone, and its label
    cub_reorders: tuple   # the types that CUB combines in another order
    end: str              # what the host waits for
    wall: dict            # the other competitors in host time, and their labels
    sections: tuple       # generators of the page's sections
    inputs: str           # what distinguishes inputs
    plot: Callable        # writes the figure
    method: Callable = None  # the lines that say how it was measured, where that is different
    calls: str = None        # what the names of calls are called, where they are not inputs


class Result:
    """The measurements of one benchmark."""

    def __init__(self, algorithm, where, rows, targets=(), misplaced=()):
        self.algorithm = algorithm
        self.benchmark = BENCHMARKS[algorithm]
        self.where = where
        self.rows = rows
        self.targets = targets
        self.misplaced = misplaced
        self.by_setting = {(row["part"], row["what"], row["n"], row["offset"], row["who"]): row for row in self.rows}

    def row(self, part, what, count, who, offset=0):
        return self.by_setting.get((part, what, count, offset, who))

    def inputs(self, part):
        return list(dict.fromkeys(row["what"] for row in self.rows if row["part"] == part))

    def title(self, what):
        return TYPES.get(what, what) + (" (CUB reorders the product)" if what in self.benchmark.cub_reorders else "")

    def counts(self, part, what):
        return sorted({row["n"] for row in self.rows if row["part"] == part and row["what"] == what})

    def machine(self):
        where = self.where
        return (f"{where['gpu']}, {where['multiprocessors']} multiprocessors, driver {where['driver']}, "
                f"CUDA {where['runtime']}, CUB {where['cub']}; {where['date']}; commit {where['commit']}")

    def name(self, path):
        gpu = re.sub(r"[^a-z0-9]+", "-", self.where["gpu"].lower().replace("nvidia", "")).strip("-")
        gpu = re.sub(r"-[0-9]+gb.*", "", gpu)  # the memory
        return f"{path.stem}-{gpu}"


def measured(path):
    """The result that a benchmark wrote."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    of_kind = lambda kind: [line for line in lines if line["kind"] == kind]
    return Result(path.stem, of_kind("machine")[0], of_kind("measurement"), of_kind("target"), of_kind("misplaced"))


def recorded(path, algorithm):
    """The result that a report wrote, see figures()."""
    record = json.loads(path.read_text(encoding="utf-8"))
    return Result(algorithm, record["where"], record["rows"], record["targets"])


def power(count):
    return f"2^{count.bit_length() - 1}"


def microseconds(row):
    return f"{row['median_us']:.4g}" if row else ""


def with_quartiles(row):
    return f"{row['median_us']:.4g} ({row['quartile1_us']:.4g} to {row['quartile3_us']:.4g})" if row else ""


def speed(row):
    return f"{row['gb_per_s']:.4g}" if row else ""


def faster(ours, other):
    return f"{other['median_us'] / ours['median_us']:.2f}" if ours and other else ""


def rate(ours, other):
    """How much faster ours is where the two move different numbers of bytes."""
    return f"{ours['gb_per_s'] / other['gb_per_s']:.2f}" if ours and other else ""


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"] + \
           ["| " + " | ".join(line) + " |" for line in lines] + [""]


def of_types(result):
    """A table for each type: microseconds, GB/s, and the cost of inputs misaligned by one element."""
    ceiling, doing = result.benchmark.ceiling
    for what in result.inputs("types"):
        lines = []
        for count in result.counts("types", what):
            get = lambda who, offset=0, n=count, w=what: result.row("types", w, n, who, offset)
            ours, cub, most, ours_off, cub_off = (get("tilewise"), get("cub"), get(ceiling), get("tilewise", 1),
                                                  get("cub", 1))
            lines.append([power(count), with_quartiles(ours), microseconds(cub), microseconds(most), speed(ours),
                          speed(cub), speed(most), faster(ours, cub), faster(ours, most), speed(ours_off),
                          speed(cub_off), faster(ours_off, cub_off), faster(ours_off, ours)])
        yield from [f"### {result.title(what)}", ""]
        yield from table(["n", "tilewise, us (quartiles)", "CUB, us", f"{doing}, us", "tilewise, GB/s", "CUB, GB/s",
                          f"{doing}, GB/s", "tilewise / CUB", f"tilewise / {doing}",
                          "misaligned by one: tilewise, GB/s", "misaligned by one: CUB, GB/s",
                          "misaligned by one: tilewise / CUB", "misaligned by one / aligned"], lines)


def of_wrappings(result):
    lines = []
    for what in result.inputs("wrappings"):
        for count in result.counts("wrappings", what):
            ours, pointer, cub, thrust = (result.row("wrappings", what, count, who)
                                          for who in ("tilewise", "tilewise_pointer", "cub", "thrust"))
            lines.append([what.replace("_", " "), power(count), with_quartiles(ours), microseconds(pointer),
                          faster(ours, pointer), microseconds(cub), microseconds(thrust), faster(ours, cub)])
    if lines:
        yield from ["### Floats read through iterators", "",
                    "CUB gets the same iterator, or the pointer for a span; Thrust's time includes the wait for the "
                    "value. The zip iterator reads two arrays, the counting iterator none.", ""]
        yield from table(["input", "n", "tilewise, us (quartiles)", "tilewise on the raw pointer, us",
                          "raw pointer / iterator", "CUB, us", "Thrust, us", "tilewise / CUB"], lines)


def of_alignments(result):
    lines = []
    for what in result.inputs("alignments"):
        for count in result.counts("alignments", what):
            ours, aligned, cub = (result.row("alignments", what, count, who, 1)
                                  for who in ("tilewise", "tilewise_aligned", "cub"))
            name, off = what.split(", ")
            lines.append([TYPES.get(name, name), off, power(count), with_quartiles(ours), microseconds(aligned),
                          faster(ours, aligned), microseconds(cub), faster(ours, cub)])
    if lines:
        yield from ["### Misaligned by one element", ""]
        yield from table(["type", "misaligned", "n", "tilewise, us (quartiles)", "tilewise aligned, us",
                          "misaligned by one / aligned", "CUB, us", "tilewise / CUB"], lines)


def of_warm_caches(result):
    ceiling, doing = result.benchmark.ceiling
    lines = []
    for what in result.inputs("warm"):
        for count in result.counts("warm", what):
            ours, cub, most = (result.row("warm", what, count, who) for who in ("tilewise", "cub", ceiling))
            lines.append([result.title(what), power(count), with_quartiles(ours), microseconds(cub), microseconds(most),
                          faster(ours, cub)])
    if lines:
        yield from ["### With warm caches", "", "The cache is not flushed between runs, so each run finds there what "
                    "the previous one left.", ""]
        yield from table([result.benchmark.inputs, "n", "tilewise, us (quartiles)", "CUB, us", f"{doing}, us",
                          "tilewise / CUB"], lines)


def of_calls(result):
    lines = []
    for what in result.inputs("call"):
        for count in result.counts("call", what):
            ours, cub, launch = (result.row("call", what, count, who) for who in ("tilewise", "cub", "launch"))
            lines.append([result.title(what), power(count), with_quartiles(ours), microseconds(cub),
                          microseconds(launch), faster(ours, cub)])
    if lines:
        yield from ["### Host time of a call that does not wait", "", "From call to return with `nosync()`, everything "
                    "warm and nothing else in the stream. CUB's scratch is allocated in advance. A launch is that of a "
                    "kernel that does nothing.", ""]
        yield from table([result.benchmark.calls or result.benchmark.inputs, "n", "tilewise, us (quartiles)", "CUB, us",
                          "a launch, us", "tilewise / CUB"], lines)


def of_entropies(result):
    ceiling, doing = result.benchmark.ceiling
    lines = []
    for what in result.inputs("entropies"):
        for count in result.counts("entropies", what):
            ours, cub, most = (result.row("entropies", what, count, who) for who in ("tilewise", "cub", ceiling))
            name, bits = what.split(", ")
            lines.append([name, bits, power(count), with_quartiles(ours), speed(ours), speed(cub), speed(most),
                          faster(ours, cub), faster(ours, most)])
    if lines:
        yield from ["### Entropy of the input", "",
                    "Integers each bit of which is 1 with a probability of 1/2, 1/4, ... 1/32, or 0.", ""]
        yield from table(["type", "entropy of a bit", "n", "tilewise, us (quartiles)", "tilewise, GB/s", "CUB, GB/s",
                          f"{doing}, GB/s", "tilewise / CUB", f"tilewise / {doing}"], lines)


def of_wrapped_scans(result):
    lines = []
    for what in result.inputs("wrappings"):
        for count in result.counts("wrappings", what):
            ours, pointer, cub, thrust = (result.row("wrappings", what, count, who)
                                          for who in ("tilewise", "tilewise_pointer", "cub", "thrust"))
            lines.append([what.replace("_", " "), power(count), with_quartiles(ours), speed(ours), speed(pointer),
                          rate(ours, pointer), speed(cub), speed(thrust), faster(ours, cub)])
    if lines:
        yield from ["### Scans through iterators and transforms", "",
                    "CUB gets the same iterators, or the pointer for a span; Thrust's time includes a wait. The zip "
                    "iterator reads two arrays. Raw pointers have the same types and are scanned without a "
                    "transform.", ""]
        yield from table(["input", "n", "tilewise, us (quartiles)", "tilewise, GB/s", "tilewise on raw pointers, GB/s",
                          "iterator / raw pointer", "CUB, GB/s", "Thrust, GB/s", "tilewise / CUB"], lines)


def of_extremes(result):
    lines = []
    for what in result.inputs("extremes"):
        for count in result.counts("extremes", what):
            ours, plain, cub, thrust = (result.row("extremes", what, count, who)
                                        for who in ("tilewise", "reduce", "cub", "thrust"))
            lines.append([what, power(count), with_quartiles(ours), microseconds(plain), microseconds(cub),
                          microseconds(thrust), faster(ours, plain), faster(ours, cub), faster(ours, thrust)])
    if lines:
        yield from ["### Minimum, maximum and count, from call to value", "",
                    "Compared with `reduce` of the same elements, CUB's ArgMin and ArgMax with a wait, and Thrust.", ""]
        yield from table(["algorithm and data", "n", "tilewise, us (quartiles)", "reduce, us", "CUB, us", "Thrust, us",
                          "tilewise / reduce", "tilewise / CUB", "tilewise / Thrust"], lines)


def of_wall_time(result):
    others = result.benchmark.wall
    lines = []
    for count in result.counts("wall", "f32"):
        get = lambda who, n=count: result.row("wall", "f32", n, who)
        ours = get("tilewise")
        lines.append([power(count), with_quartiles(ours), *(microseconds(get(who)) for who in others),
                      faster(ours, get("cub")), faster(ours, get("thrust"))])
    if lines:
        yield from [f"### From call to {result.benchmark.end}, f32", "",
                    "Host time, everything warm. CUB's scratch is allocated in advance" +
                    (", its result is in pinned memory," if result.benchmark.end == "value" else "") +
                    " and its time includes a wait for the stream.", ""]
        yield from table(["n", "tilewise, us (quartiles)", *(f"{name}, us" for name in others.values()),
                          "tilewise / CUB", "tilewise / Thrust"], lines)


def of_host_memory(result):
    lines = []
    for what in result.inputs("host"):
        for count in result.counts("host", what):
            ours, pieces, noted, copy, cores = (
                result.row("host", what, count, who)
                for who in ("tilewise", "tilewise_in_pieces", "tilewise_with_progress", "copy", "tilewise_par"))
            lines.append([what, power(count), with_quartiles(ours), speed(ours), speed(pieces), speed(noted),
                          speed(copy), faster(ours, copy), speed(cores), str(ours["runs"])])
    if lines:
        yield from ["### Floats in host memory, from call to value", "",
                    "A sum under `device`, also with a budget for an eighth of the floats, and with a callback for the "
                    "progress of these pieces, compared with copying the floats to the GPU (cudaMemcpyAsync and a "
                    "wait) and with `par` on the machine's CPU cores.", ""]
        yield from table(["memory", "n", "tilewise, us (quartiles)", "tilewise, GB/s", "in eight pieces, GB/s",
                          "with progress, GB/s", "a copy, GB/s", "tilewise / a copy", "par, GB/s", "runs"], lines)


def of_distributions(result):
    """A table for each axis: the time for each distribution of samples."""
    lost = {(row["part"], row["what"], row["n"]): row["samples"] for row in result.misplaced}
    for what in dict.fromkeys(row["what"] for row in result.rows):
        lines = []
        for part, name in DISTRIBUTIONS.items():
            for count in result.counts(part, what):
                ours, cub, most = (result.row(part, what, count, who) for who in ("tilewise", "cub", "read"))
                lines.append([name, power(count), with_quartiles(ours), microseconds(cub), speed(ours), speed(cub),
                              speed(most), faster(ours, cub), faster(ours, most),
                              f"{lost[part, what, count]:.0f}" if (part, what, count) in lost else ""])
        yield from [f"### {result.title(what)}", ""]
        yield from table(["samples", "n", "tilewise, us (quartiles)", "CUB, us", "tilewise, GB/s", "CUB, GB/s",
                          "read bandwidth, GB/s", "tilewise / CUB", "tilewise / read bandwidth",
                          "samples in another bin in CUB's result"], lines)


def of_segments(result):
    """A table for each type, of reductions and of scans."""
    for part, others, names in (("reduce", ("cub", "whole", "read"), ("CUB", "as one range", "read bandwidth")),
                                ("scan", ("cub", "whole", "copy"), ("CUB", "as one range", "copying"))):
        kept = [who for who in others if any(row["part"] == part and row["who"] == who for row in result.rows)]
        names = [name for who, name in zip(others, names) if who in kept]
        for type_ in dict.fromkeys(what.split(", ")[0] for what in result.inputs(part)):
            lines = []
            for what in result.inputs(part):
                name, lengths, mean = what.split(", ")
                for count in result.counts(part, what) if name == type_ else ():
                    ours, *rest = (result.row(part, what, count, who) for who in ("tilewise", *kept))
                    lines.append([lengths, mean, with_quartiles(ours), speed(ours), *map(speed, rest),
                                  *(rate(ours, other) for other in rest)])
            yield from [f"### {part}: {TYPES.get(type_, type_)}", ""]
            if "whole" in kept:
                yield from ["As one range: `reduce` or the scan of all elements together, without segments.", ""]
            yield from table(["lengths", "mean", "tilewise, us (quartiles)", "tilewise, GB/s",
                              *(f"{name}, GB/s" for name in names), *(f"tilewise / {name}" for name in names)], lines)


KEYS = {f"{key}_{value}": f"{key} keys, {value} values" for key in ("i32", "i64") for value in ("f32", "f64", "i32")}


BY_KEY = {"reduce": "tilewise: `reduce_by_key_into` under `nosync()`; waiting: `reduce_by_key`, which waits for the results.",
          "scan": "tilewise: `inclusive_scan_by_key` under `nosync()`; waiting: the same without `nosync()`.",
          "count": "`count_by_key_into` under `nosync()`."}


def of_keys(result):
    """A table for each pair of types, of reductions, of scans and of run lengths."""
    labels = {"cub": "CUB", "waits": "waiting", "thrust": "Thrust", "read": "read bandwidth", "copy": "copying"}
    for part, others in (("reduce", ("cub", "waits", "thrust", "read")), ("scan", ("cub", "waits", "thrust", "copy")),
                         ("count", ("cub", "read"))):
        kept = [who for who in others if any(row["part"] == part and row["who"] == who for row in result.rows)]
        names = [labels[who] for who in kept]
        for types in dict.fromkeys(what.split(", ")[0] for what in result.inputs(part)):
            lines = []
            for what in result.inputs(part):
                name, lengths, mean = what.split(", ")
                for count in result.counts(part, what) if name == types else ():
                    ours, *rest = (result.row(part, what, count, who) for who in ("tilewise", *kept))
                    lines.append([lengths, mean, power(count), with_quartiles(ours), speed(ours), *map(speed, rest),
                                  *(rate(ours, other) for other in rest)])
            yield from [f"### {part}: {KEYS.get(types, types)}", "", BY_KEY[part], ""]
            yield from table(["run lengths", "mean", "n", "tilewise, us (quartiles)", "tilewise, GB/s",
                              *(f"{name}, GB/s" for name in names), *(f"tilewise / {name}" for name in names)], lines)


def claim(target):
    """`u8_256: >= 3550 GB/s, 2^28, hot` becomes `u8, 256 bins: >= 3550 GB/s, 2^28, 90 % one value`."""
    inputs, _, limit = target["claim"].partition(": ")
    *others, last = limit.split(", ")
    return f"{TYPES.get(inputs, inputs)}: {', '.join((*others, DISTRIBUTIONS.get(last, last)))}"


def worst(target):
    """`0.938  f64 2^18 + 1` becomes `0.938 (f64, 2^18, misaligned)`."""
    found = re.fullmatch(r"(\S+)\s+(.*) (2\^\d+) \+ (\d+)(.*)", target["worst"])
    if not found:
        return target["worst"]
    value, what, count, offset, where = found.groups()
    name, *details = what.split(", ")
    setting = [(TYPES | KEYS).get(name, name), *details, count, *(["misaligned"] if offset != "0" else []),
               *([where.strip()] if where else [])]
    return f"{value} ({', '.join(setting)})"


def of_targets(result):
    """The targets; on another GPU than an H200, for which the project has set them, those that are ratios."""
    on_h200 = "H200" in result.where["gpu"]
    targets = [target for target in result.targets
               if on_h200 or not re.search("GB/s|of the target of", target["claim"])]
    if targets:
        met = sum(target["verdict"] == "pass" for target in targets)
        yield from ["### Targets", "", "The project's targets for an NVIDIA H200" +
                    ("" if on_h200 else ", without those in GB/s") + ", each with the worst result of this run and its "
                    f"setting (misaligned: by one element). {met} of {len(targets)} targets are met.", ""]
        verdicts = {"pass": "met", "none": "not measured"}
        yield from table(["target", "worst result", ""],
                         [[claim(target), worst(target), verdicts.get(target["verdict"], "missed")]
                          for target in targets])


RANKS = {"reduce": "`reduce`", "inclusive_scan": "`inclusive_scan`", "histogram_256": "`histogram`, 256 bins",
         "histogram_65536": "`histogram`, 65536 bins"}


def with_ranks(name, ranks):
    return f"{name}, {ranks} rank" + ("s" if ranks > 1 else "")


def of_ranks(result, part, who="tilewise"):
    """Algorithm, number of ranks, number of elements and row of each setting of a part."""
    for row in result.rows:
        if row["part"] == part and row["who"] == who:
            name, ranks = row["what"].split(", ")
            yield name, int(ranks.split()[0]), row["n"], row


def number(count):
    """A number of elements, also one that is no power of two: three times 2^20 is 3 * 2^20."""
    zeros = (count & -count).bit_length() - 1
    return f"2^{zeros}" if count == 1 << zeros else f"{count >> zeros} * 2^{zeros}"


def of_latency(result):
    above = lambda call, local, one: f"{(call['median_us'] - local['median_us']) / one['median_us']:.2f}" \
        if call and local and one else ""
    lines = []
    for name, ranks, count, ours in of_ranks(result, "latency"):
        at, local, one, theirs = (result.row("latency", with_ranks(name, ranks), count, who)
                                  for who in ("tilewise_at", "device", "all_reduce", "cub_nccl"))
        lines.append([RANKS[name], str(ranks), with_quartiles(ours), microseconds(at), microseconds(local),
                      microseconds(one), above(ours, local, one), above(at, local, one), microseconds(theirs)])
    if lines:
        _, ranks, count, _ = next(of_ranks(result, "latency"))
        yield from [f"### Latency: {number(count // ranks)} floats on each rank", "",
                    "Known positions: with `at(begin, total)`. Local call: the same algorithm on each rank's own part, "
                    "without ranks, which waits. An all-reduce is `ncclAllReduce` of 8 bytes and a wait for the stream. "
                    "Warm caches.", ""]
        yield from table(["algorithm", "ranks", "tilewise, us (quartiles)", "known positions, us", "local call, us",
                          "an all-reduce, us", "(tilewise - local) / all-reduce",
                          "(known positions - local) / all-reduce", "CUB and NCCL, us"], lines)


def of_strong_scaling(result):
    for name, title in RANKS.items():
        lines = []
        for _, ranks, count, ours in sorted((found for found in of_ranks(result, "strong") if found[0] == name),
                                            key=lambda found: (found[2], found[1])):
            get = lambda who, on=ranks, n=count: result.row("strong", with_ranks(name, on), n, who)
            lines.append([number(count), str(ranks), with_quartiles(ours), speed(ours),
                          faster(ours, get("device", 1)), faster(ours, get("tilewise", 1)), microseconds(get("device")),
                          microseconds(get("cub_nccl")), faster(ours, get("cub_nccl"))])
        if lines:
            yield from [f"### Strong scaling: {title}", ""]
            yield from table(["n of all ranks", "ranks", "tilewise, us (quartiles)", "tilewise, GB/s",
                              "speedup over one GPU", "speedup over one rank", "local parts alone, us",
                              "CUB and NCCL, us", "tilewise / CUB and NCCL"], lines)


def of_weak_scaling(result):
    for name, title in RANKS.items():
        lines = []
        for _, ranks, count, ours in (found for found in of_ranks(result, "weak") if found[0] == name):
            get = lambda who, on=ranks, n=count: result.row("weak", with_ranks(name, on), n, who)
            lines.append([number(count), str(ranks), with_quartiles(ours), speed(ours),
                          faster(ours, get("device", 1, count // ranks)), faster(ours, get("tilewise", 1, count // ranks)),
                          microseconds(get("cub_nccl")), faster(ours, get("cub_nccl"))])
        if lines:
            yield from [f"### Weak scaling: {title}", ""]
            yield from table(["n of all ranks", "ranks", "tilewise, us (quartiles)", "tilewise, GB/s",
                              "time of one GPU / time", "time of one rank / time", "CUB and NCCL, us",
                              "tilewise / CUB and NCCL"], lines)


def method_of_ranks(result):
    where = result.where
    links = re.sub(r"\x1b\[[0-9;]*m", "", where.get("topology", "")).expandtabs().split("\n\n")[0].strip("\n")
    runs = min((row["runs"] for row in result.rows), default=0)
    one = {"processes": "process", "threads": "thread"}[where["ranks_are"]]
    yield from [f"{where['gpus']} GPUs, a {one} for each, NCCL {where['nccl']}.",
                f"Medians of at least {runs} runs, interleaved at random with those of the baselines. A run lasts from a "
                "barrier (an all-reduce and a wait) until the call has returned on the slowest rank. The floats are "
                "uniform in [0, 1). Every result of tilewise was checked: it has the same bits on all ranks and for every "
                "number of ranks. Ratios above 1 mean that tilewise is faster.", "",
                "* One GPU: a call under `device`, without ranks, for all elements. One rank: a call under "
                "`distributed` on one rank.",
                "* Local parts alone: each rank's call under `device` for its own part, without an exchange; its scan is "
                "one of the part, not of the range.",
                f"* GB/s count bytes {result.benchmark.traffic}. Over ranks, a scan reads its input twice.",
                "* CUB and NCCL: `cub::DeviceReduce` and `ncclAllReduce`; `cub::DeviceReduce`, `ncclAllGather` of the sums "
                "and `cub::DeviceScan` with the sum of the ranks before as initial value; `cub::DeviceHistogram` and "
                "`ncclAllReduce` of the counts. Sums of floats by these depend on the number of ranks.", ""]
    if links:
        yield from ["```text", *(line.rstrip() for line in links.splitlines()), "```", ""]


def plot_ranks(result, path):
    """For each algorithm the speedup over one GPU by the number of elements, for each number of ranks."""
    pyplot = plotter()
    numbers = sorted({ranks for _, ranks, *_ in of_ranks(result, "strong") if ranks > 1})
    if not pyplot or not numbers:
        return
    figure, panels = pyplot.subplots(1, len(RANKS), figsize=(12, 3.2), squeeze=False)
    for (name, title), panel in zip(RANKS.items(), panels.flat):
        for mark, ranks in zip("osD^v", numbers):
            for who, label in (("cub_nccl", "CUB and NCCL"), ("tilewise", "tilewise")):
                points = []
                for found, of_row, count, row in of_ranks(result, "strong", who):
                    one = result.row("strong", with_ranks(name, 1), count, "device")
                    if found == name and of_row == ranks and one:
                        points.append((count, one["median_us"] / row["median_us"]))
                if points:
                    panel.plot(*zip(*sorted(points)), marker=mark, label=f"{label}, {ranks} ranks",
                               color=COLOURS["cub" if who == "cub_nccl" else who])
            panel.axhline(ranks, color=COLOURS["ceiling"], linewidth=0.8)
        panel.set_title(title.replace("`", ""), fontsize=9)
        panel.set_xscale("log", base=2)
        panel.set_ylim(0, 1.1 * max(numbers))
        panel.grid(alpha=0.3)
        panel.tick_params(labelsize=7)
        panel.set_xlabel("elements of all ranks", fontsize=7)
        panel.set_ylabel("speedup over tilewise on one GPU", fontsize=7)
    add_legend(figure, *panels[0])
    add_title(figure, re.sub(r" \d+ multiprocessors, driver [^,]*,", "", result.machine()))
    save(figure, path)


def markdown(result, plot):
    if result.benchmark.method:
        return "\n".join([f"# Benchmarks: {result.algorithm} on {result.where['gpus']} {result.where['gpu']}", "",
                          result.machine() + ".", *result.benchmark.method(result),
                          f"![{result.algorithm}: speedup over one GPU]({plot})", "", *of_targets(result),
                          *(line for section in result.benchmark.sections for line in section(result))])
    timed = [row for row in result.rows if row["part"] != "host"]
    runs = min((row["runs"] for row in timed if row["median_us"] < 4500), default=0)  # near 5 ms, either is possible
    of_long = min((row["runs"] for row in timed), default=0)
    fewer = f" ({of_long} of those of 5 ms and longer)" if of_long < runs else ""
    cache = "the cache flushed before each run of less than 256 MiB" if result.where["cold"] else "the cache warm"
    return "\n".join([f"# Benchmarks: {result.algorithm} on an {result.where['gpu']}", "", result.machine() + ".",
                      f"Medians of at least {runs} runs{fewer}, interleaved at random with those of the baselines, {cache}. "
                      f"GB/s count bytes {result.benchmark.traffic}. Ratios above 1 mean that tilewise is faster."
                      + result.where.get("note", ""), "",
                      f"![{result.algorithm}: tilewise and its baselines]({plot})", "",
                      *of_targets(result),
                      *(line for section in result.benchmark.sections for line in section(result))])


def ranges(counts, wanted):
    """The wanted counts as text, consecutive ones as an interval: 2^8, 2^18 to 2^20."""
    runs, last = [], None
    for place, count in enumerate(counts):
        if count in wanted:
            if last == place - 1 and runs:
                runs[-1][1] = count
            else:
                runs.append([count, count])
            last = place
    return ", ".join(power(first) if first == end else f"{power(first)} to {power(end)}" for first, end in runs)


def faster_cub(result, offset):
    """The types and sizes for which CUB is more than 2 % faster."""
    for what in result.inputs("types"):
        counts = [count for count in result.counts("types", what) if result.row("types", what, count, "cub", offset)]
        slow = {count for count in counts if ahead(result.row("types", what, count, "cub", offset),
                                                   result.row("types", what, count, "tilewise", offset))}
        if slow:
            yield f"{TYPES.get(what, what)} at {ranges(counts, slow)}"


def ahead(cub, ours):
    return cub["median_us"] * 1.02 < ours["median_us"]


def of_slower_settings(result):
    yield from ["### Where CUB is more than 2 % faster", "",
                "* Aligned: " + ("; ".join(faster_cub(result, 0)) or "nowhere") + ".",
                "* Misaligned by one element: " + ("; ".join(faster_cub(result, 1)) or "nowhere") + ".", ""]


def plot_keys(result, path):
    """GB/s by number of keys, a panel for each distribution of run lengths: i32 keys and f32 values."""
    pyplot = plotter()
    if not pyplot:
        return
    settings = [what for what in result.inputs("reduce") if what.startswith("i32_f32, ")]
    rows_of_part = max(1, -(-len(settings) // 4))
    figure, panels = pyplot.subplots(2 * rows_of_part, 4, figsize=(12, 5 * rows_of_part), squeeze=False)
    for place, (part, competitors) in enumerate((("reduce", ("read", "cub", "tilewise")),
                                                 ("scan", ("copy", "cub", "tilewise")))):
        of_part = panels[place * rows_of_part:(place + 1) * rows_of_part].flat
        for panel in of_part[len(settings):]:
            panel.axis("off")
        for what, panel in zip(settings, of_part):
            for who in competitors:
                rows = [(count, result.row(part, what, count, who)) for count in result.counts(part, what)]
                points = [(count, point["gb_per_s"]) for count, point in rows if point]
                if points:
                    panel.plot(*zip(*points), marker=".", color=COLOURS.get(who, COLOURS["ceiling"]),
                               label={"cub": "CUB", "read": "read bandwidth", "copy": "copying"}.get(who, who))
            panel.set_title(f"{part}, runs: {what.removeprefix('i32_f32, ')}", fontsize=8)
            panel.set_xscale("log", base=2)
            panel.set_ylim(bottom=0)
            panel.grid(alpha=0.3)
            panel.tick_params(labelsize=7)
            panel.set_xlabel("keys", fontsize=7)
            panel.set_ylabel("GB/s", fontsize=7)
    add_legend(figure, panels[0][0], panels[rows_of_part][0])
    add_title(figure, result.machine())
    save(figure, path)


def plot_segments(result, path):
    """GB/s by mean length, a panel for each distribution of lengths: sums of floats, and running sums."""
    pyplot = plotter()
    if not pyplot:
        return
    kinds = list(dict.fromkeys(what.split(", ")[1] for what in result.inputs("reduce")))
    figure, panels = pyplot.subplots(2, max(1, len(kinds)), figsize=(12, 6), squeeze=False)
    for row, (part, competitors) in enumerate((("reduce", ("read", "cub", "tilewise")),
                                               ("scan", ("copy", "tilewise")))):
        for kind, panel in zip(kinds, panels[row]):
            for who in competitors:
                points = [(int(what.split(", ")[2]), result.row(part, what, 1 << 26, who))
                          for what in result.inputs(part) if what.startswith(f"f32, {kind}, ")]
                points = [(mean, point["gb_per_s"]) for mean, point in points if point]
                if points:
                    panel.plot(*zip(*points), marker=".", color=COLOURS.get(who, COLOURS["ceiling"]),
                               label={"cub": "CUB", "read": "read bandwidth", "copy": "copying"}.get(who, who))
            panel.set_title(f"{part}, f32, lengths: {kind}", fontsize=9)
            panel.set_xscale("log")
            panel.set_ylim(bottom=0)
            panel.grid(alpha=0.3)
            panel.tick_params(labelsize=7)
            panel.set_xlabel("mean length", fontsize=7)
            panel.set_ylabel("GB/s", fontsize=7)
    add_legend(figure, panels[0][0], panels[1][0])
    add_title(figure, result.machine())
    save(figure, path)


def plotter():
    """matplotlib's pyplot, or None without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        print("skipped: the plot (install python3-matplotlib)")
        return None
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tilewise"
    from matplotlib import pyplot
    return pyplot


HEAD = 0.32 # inches above the panels, for title and legend


def add_title(figure, text):
    title = figure.suptitle(text, fontsize=9, x=0.01, ha="left", y=1 - 0.1 / figure.get_figheight())
    title.set_in_layout(False)


def add_legend(figure, *panels):
    """One legend for all panels, above them and beside the title, where it hides no curve; these have all labels."""
    labelled = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels()):
            labelled.setdefault(label, handle)
    figure.legend(labelled.values(), labelled.keys(), loc="upper right", ncol=len(labelled), fontsize=7, frameon=False)


def save(figure, path):
    """Writes an SVG without the spaces that matplotlib leaves at the ends of lines."""
    figure.tight_layout(rect=(0, 0, 1, 1 - HEAD / figure.get_figheight()))
    figure.savefig(path, metadata={"Date": None})
    text = path.read_text(encoding="utf-8")
    path.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n", encoding="utf-8")


COLOURS = {"tilewise": "#d1495b", "cub": "#00798c", "thrust": "#edae49", "ceiling": "#8f8f8f"} # legible on white, and inverted


def plot_sizes(result, path):
    """A panel for each type and one for the host time."""
    pyplot = plotter()
    if not pyplot:
        return
    types = result.inputs("types")
    walls = result.counts("wall", "f32")
    rows = (len(types) + bool(walls) + 3) // 4
    figure, panels = pyplot.subplots(rows, 4, figsize=(12, 2.6 * rows), squeeze=False)
    ours, cub, thrust, grey = COLOURS.values()
    left = list(panels.flat)
    ceiling, doing = result.benchmark.ceiling

    for what in types:
        panel = left.pop(0)
        for who, offset, label, colour, line in ((ceiling, 0, doing, grey, "-"),
                                                 ("cub", 0, "CUB", cub, "-"),
                                                 ("cub", 1, "CUB, misaligned by one", cub, ":"),
                                                 ("tilewise", 0, "tilewise", ours, "-"),
                                                 ("tilewise", 1, "tilewise, misaligned by one", ours, ":")):
            rows = [result.row("types", what, count, who, offset) for count in result.counts("types", what)]
            points = [(row["n"], row["gb_per_s"]) for row in rows if row and row["n"] >= 1 << 16]
            if points:
                panel.plot(*zip(*points), line, color=colour, label=label)
        panel.set_title(TYPES.get(what, what), fontsize=9)
        panel.set_ylabel(f"GB/s {result.benchmark.traffic}", fontsize=7)
        panel.set_ylim(bottom=0)
    if walls:
        panel = left.pop(0)
        for who, label, colour in (("thrust", result.benchmark.wall["thrust"], thrust), ("cub", "CUB and a wait", cub),
                                   ("tilewise", "tilewise", ours)):
            panel.plot(walls, [result.row("wall", "f32", count, who)["median_us"] for count in walls], color=colour,
                       label=label)
        panel.set_title(f"f32, from call to {result.benchmark.end}", fontsize=9)
        panel.set_ylabel("microseconds", fontsize=7)
        panel.set_ylim(bottom=0)
        panel.legend(fontsize=7)
    for panel in left:
        panel.axis("off")
    for panel in panels.flat:
        panel.set_xscale("log", base=2)
        panel.grid(alpha=0.3)
        panel.tick_params(labelsize=7)
    if types:
        add_legend(figure, panels[0][0])
    add_title(figure, re.sub(r" \d+ multiprocessors, driver [^,]*,", "", result.machine())) # beside a long legend
    save(figure, path)


def plot_distributions(result, path):
    """For each axis the GB/s of every distribution, at the largest number of samples."""
    pyplot = plotter()
    if not pyplot:
        return
    inputs = list(dict.fromkeys(row["what"] for row in result.rows))
    figure, panels = pyplot.subplots((len(inputs) + 3) // 4, 4, figsize=(12, 2.4 * ((len(inputs) + 3) // 4)),
                                     squeeze=False)
    for panel in panels.flat[len(inputs):]:
        panel.axis("off")
    for what, panel in zip(inputs, panels.flat):
        parts = [part for part in DISTRIBUTIONS if result.counts(part, what)]
        for place, who in enumerate(("tilewise", "cub")):
            rows = [result.row(part, what, result.counts(part, what)[-1], who) for part in parts]
            panel.bar([i + 0.4 * place for i in range(len(parts))], [row["gb_per_s"] if row else 0 for row in rows],
                      0.4, color=COLOURS[who], label="CUB" if who == "cub" else who)
        most = result.row(parts[0], what, result.counts(parts[0], what)[-1], "read")
        if most:
            panel.axhline(most["gb_per_s"], color=COLOURS["ceiling"], label="read bandwidth")
        panel.set_title(result.title(what), fontsize=9)
        names = [DISTRIBUTIONS[part].replace(" one", "\none") for part in parts]
        panel.set_xticks([i + 0.2 for i in range(len(parts))], names, fontsize=6)
        panel.tick_params(axis="y", labelsize=7)
        panel.set_ylabel("GB/s of samples", fontsize=7)
    add_legend(figure, panels[0][0])
    add_title(figure, result.machine())
    save(figure, path)


# What README.md shows: suite, part, input and label of each row, at these sizes.
OVERVIEW_SIZES = [1 << bits for bits in (16, 20, 24, 26, 28)]
OVERVIEW_ROWS = (
    ("reduce", "types", "f32", "`reduce`: sum of f32"),
    ("reduce", "types", "i8_to_i32", "`reduce`: sum of i8 in i32"),
    ("reduce", "types", "matrix", "`reduce`: product of 2x2 f32 matrices"),
    ("scan", "types", "f32", "`inclusive_scan`: sums of f32"),
    ("scan", "types", "i8", "`inclusive_scan`: sums of i8"),
    ("histogram", "uniform", "f32_256", "`histogram`: uniform f32, 256 bins"),
    ("histogram", "zipf", "f32_2048", "`histogram`: Zipf-distributed f32, 2048 bins"),
    ("segmented", "reduce", "f32, exponential, 32", "`segmented_reduce`: sums of about 32 f32"),
    ("segmented", "reduce", "f32, exponential, 1000", "`segmented_reduce`: sums of about 1000 f32"),
    ("by_key", "reduce", "i32_f32, exponential, 32", "`reduce_by_key`: i32 keys, runs of about 32 f32"),
    ("by_key", "scan", "i32_f32, exponential, 32", "`inclusive_scan_by_key`: the same"))


def origins(results):
    """Machines, and the commit of each result."""
    suites = {} # by machine, then by date and commit
    for name, result in results.items():
        machine, run = result.machine().split("; ", 1)
        suites.setdefault(machine, {}).setdefault(run.replace("; ", ", "), []).append(name)
    return " ".join(f"{machine}. " + "; ".join(f"{', '.join(names)}: {run}" for run, names in runs.items()) + "."
                    for machine, runs in suites.items())


def overview(results):
    """The lines of README.md."""
    lines = []
    for suite, part, what, label in OVERVIEW_ROWS:
        cells = [(result.row(part, what, count, "tilewise"), result.row(part, what, count, "cub"))
                 for result in [results.get(suite)] if result for count in OVERVIEW_SIZES]
        if any(all(cell) for cell in cells):
            lines.append([label] + [f"{ours['gb_per_s']:.0f} / {cub['gb_per_s']:.0f}" if ours and cub else ""
                                    for ours, cub in cells])
    yield from [origins(results), "",
                "GB/s read and written by number of elements, tilewise / CUB. Medians; the cache is flushed before "
                "each run of less than 256 MiB.", ""]
    yield from table(["", *map(power, OVERVIEW_SIZES)], lines)
    slower = [f"{count} of {among} in [{name}](docs/benchmarks/{name}-h200.md)"
              for name, (count, among) in ((name, slower_settings(result)) for name, result in results.items())]
    yield from [f"CUB is more than 2 % faster in some of the settings measured: {', '.join(slower)}.",
                "CUB reorders the matrices of a product, so it computes a different product.", "",
                "![tilewise, CUB and Thrust on an NVIDIA H200](docs/benchmarks/overview-h200.svg)", ""]


def slower_settings(result):
    """In how many settings CUB is more than 2 % faster on the GPU, and how many there are."""
    pairs = [(row, ours) for row in result.rows if row["who"] == "cub" and row["part"] != "call" for ours in
             [result.row(row["part"], row["what"], row["n"], "tilewise", row["offset"])] if ours]
    return sum(ahead(cub, ours) for cub, ours in pairs), len(pairs)


def overview_panels(results):
    """What the panels show: title, label of the x axis, its base, label of the y axis, and a curve by competitor."""
    def curves(suite, part, points, competitors, value="gb_per_s"):
        """`points` are pairs of x and a setting: input and size."""
        result = results.get(suite)
        found = {who: [(x, row[value]) for x, (what, count) in points
                       for row in [result.row(part, what, count, who)] if row] for who in competitors} if result else {}
        return {who: curve for who, curve in found.items() if curve}

    sizes = [(1 << bits, ("f32", 1 << bits)) for bits in range(16, 33)]
    yield "reduce: sum of f32", "elements", 2, "GB/s", curves("reduce", "types", sizes, ("read", "cub", "tilewise"))
    yield "inclusive_scan: sums of f32", "elements", 2, "GB/s", curves("scan", "types", sizes, ("copy", "cub", "tilewise"))
    yield ("reduce: from call to value, f32", "elements", 2, "microseconds",
           curves("reduce", "wall", [(1 << bits, ("f32", 1 << bits)) for bits in range(10, 25)],
                  ("thrust", "cub", "tilewise"), "median_us"))
    yield ("histogram of 2^28 uniform f32", "bins", 2, "GB/s",
           curves("histogram", "uniform", [(1 << bits, (f"f32_{1 << bits}", 1 << 28)) for bits in range(4, 21)],
                  ("read", "cub", "tilewise")))
    lengths = (1, 3, 4, 8, 16, 32, 100, 1000, 20_000, 1_000_000, 33_000_000)
    yield ("segmented_reduce: sums of 2^26 f32", "mean length (exponential)", 10, "GB/s",
           curves("segmented", "reduce", [(mean, (f"f32, exponential, {mean}", 1 << 26)) for mean in lengths],
                  ("read", "cub", "tilewise")))
    yield ("reduce_by_key: 2^26 i32 keys, f32 values", "length of runs", 10, "GB/s",
           curves("by_key", "reduce", [(mean, (f"i32_f32, constant, {mean}", 1 << 26)) for mean in lengths],
                  ("read", "cub", "tilewise")))


def plot_overview(results, path):
    """The one chart of README.md."""
    pyplot = plotter()
    panels = [panel for panel in overview_panels(results) if panel[-1]]
    if not pyplot or not panels:
        return
    columns = min(3, len(panels))
    figure, axes = pyplot.subplots(-(-len(panels) // columns), columns, squeeze=False,
                                   figsize=(3.6 * columns, 2.9 * -(-len(panels) // columns)))
    names = {"cub": "CUB", "thrust": "Thrust", "read": "read or copy bandwidth", "copy": "read or copy bandwidth"}
    for axis in axes.flat[len(panels):]:
        axis.axis("off")
    for (title, x_label, base, y_label, curves), axis in zip(panels, axes.flat):
        for who, curve in curves.items():
            label = "CUB and a wait" if who == "cub" and "thrust" in curves else names.get(who, who)
            axis.plot(*zip(*curve), marker=".", color=COLOURS.get(who, COLOURS["ceiling"]), label=label)
        axis.set_title(title, fontsize=9)
        axis.set_xscale("log", base=base)
        axis.set_ylim(bottom=0)
        axis.set_xlabel(x_label, fontsize=8)
        axis.set_ylabel(y_label, fontsize=8)
        axis.grid(alpha=0.3)
        axis.tick_params(labelsize=7)
        if "thrust" in curves:
            axis.legend(fontsize=7, loc="center right") # between the curves
    add_legend(figure, *(axis for (*_, curves), axis in zip(panels, axes.flat) if "thrust" not in curves))
    add_title(figure, ", ".join(dict.fromkeys(result.where["gpu"] for result in results.values())))
    save(figure, path)


BENCHMARKS = {
    "reduce": Benchmark(
        traffic="of input", ceiling=("read", "read bandwidth"), cub_reorders=("matrix",), end="value",
        wall={"tilewise_on_stream": "tilewise on a stream", "cub": "CUB and a wait", "thrust": "thrust::reduce"},
        sections=(of_slower_settings, of_types, of_warm_caches, of_entropies, of_extremes, of_wrappings, of_wall_time,
                  of_calls, of_host_memory),
        inputs="type", plot=plot_sizes),
    "scan": Benchmark(
        traffic="read and written", ceiling=("copy", "copying"), cub_reorders=(), end="completion",
        wall={"tilewise_on_stream": "tilewise on a stream", "cub": "CUB and a wait",
              "thrust": "thrust::inclusive_scan", "thrust_nosync": "the same with par_nosync and a wait"},
        sections=(of_slower_settings, of_types, of_warm_caches, of_alignments, of_entropies, of_wrapped_scans,
                  of_wall_time, of_calls),
        inputs="type", plot=plot_sizes),
    "histogram": Benchmark(
        traffic="of samples", ceiling=("read", "read bandwidth"), cub_reorders=(), end="completion", wall={},
        sections=(of_distributions, of_warm_caches, of_calls), inputs="axis", plot=plot_distributions),
    "segmented": Benchmark(
        traffic="of elements, offsets and results", ceiling=("read", "read bandwidth"), cub_reorders=(),
        end="completion", wall={}, sections=(of_segments, of_calls), inputs="lengths", plot=plot_segments, calls="call"),
    "by_key": Benchmark(
        traffic="of keys, values and results", ceiling=("read", "read bandwidth"), cub_reorders=(),
        end="completion", wall={}, sections=(of_keys, of_calls), inputs="run lengths", plot=plot_keys, calls="call"),
    "ranks": Benchmark(
        traffic="of input, and of results of a scan", ceiling=(), cub_reorders=(), end="completion", wall={},
        sections=(of_latency, of_strong_scaling, of_weak_scaling), inputs="algorithm", plot=plot_ranks,
        method=method_of_ranks)}
OVERVIEWED = tuple(name for name in BENCHMARKS if name != "ranks") # compared with CUB on one GPU


def write_overview(folder, readme):
    """Into README.md, and a chart beside the records in `folder`."""
    paths = {algorithm: folder / f"{algorithm}-h200.json" for algorithm in OVERVIEWED}
    results = {algorithm: recorded(path, algorithm) for algorithm, path in paths.items() if path.exists()}
    plot_overview(results, folder / "overview-h200.svg")
    block = re.compile(r"(?<=<!-- h200 figures -->\n).*?(?=<!-- end -->)", re.DOTALL)
    text, found = block.subn(lambda _: "\n".join(overview(results)), readme.read_text(encoding="utf-8"))
    if not found:
        print(f"{readme} has no line <!-- h200 figures -->")
    readme.write_text(text, encoding="utf-8")


def figures(result):
    """The result as JSON, one measurement a line."""
    wanted = ("part", "what", "who", "n", "offset", "median_us", "quartile1_us", "quartile3_us", "low_us",
              "high_us", "runs", "gb_per_s")
    short = [{key: round(row[key], 3) if isinstance(row[key], float) else row[key] for key in wanted}
             for row in result.rows]
    where = {key: value for key, value in result.where.items() if key != "kind"}
    targets = [{key: value for key, value in target.items() if key != "kind"} for target in result.targets]
    listed = lambda items: "[\n" + ",\n".join(json.dumps(item) for item in items) + "\n]"
    return f'{{"where": {json.dumps(where)},\n"targets": {listed(targets)},\n"rows": {listed(short)}}}\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="FROM", type=Path)
    parser.add_argument("target", metavar="TO", type=Path)
    parser.add_argument("--readme", metavar="FILE", type=Path)
    arguments = parser.parse_args()
    sources = [path for path in sorted(arguments.source.glob("*.json")) if path.stem in BENCHMARKS]
    if not sources:
        print(f"no figures in {arguments.source}: scripts/gpu bench measures them")
        return 1
    arguments.target.mkdir(parents=True, exist_ok=True)
    names = []
    for path in sources:
        result = measured(path)
        name = result.name(path)
        (arguments.target / f"{name}.json").write_text(figures(result), encoding="utf-8")
        (arguments.target / f"{name}.md").write_text(markdown(result, f"{name}.svg"), encoding="utf-8")
        result.benchmark.plot(result, arguments.target / f"{name}.svg")
        names.append(name)
        print(f"{name}: {len(result.rows)} measurements on {result.machine()}")
    if arguments.readme and any(name.endswith("-h200") for name in names):
        write_overview(arguments.target, arguments.readme)
    return 0


if __name__ == "__main__":
    sys.exit(main())
