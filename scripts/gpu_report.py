#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns what the GPU benchmarks measured into tables and plots.

    scripts/gpu_report.py FROM TO                     FROM/scan.json becomes TO/scan-h200.{json,md,svg} on an NVIDIA
                                                      H200, and so do FROM/reduce.json, FROM/histogram.json,
                                                      FROM/segmented.json and FROM/by_key.json
    scripts/gpu_report.py FROM TO --readme README.md  and the figures in README.md become those

Ratios travel between machines, absolute figures do not.
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
         "matrix": "2x2 matrices of f32", "i32_largest": "i32, the largest", "f32_largest": "f32, the largest",
         "variable_100": "f32 between 100 edges", "variable_5000": "f32 between 5000 edges",
         "log_1000": "f32, 1000 bins in geometric progression", "pairs_256x256": "pairs of f32, 256 x 256 bins",
         "f32_weighted_256": "f32, 256 bins, weights of f32", "i32_weighted_256": "f32, 256 bins, weights of i32"}
TYPES |= {f"{type_}_{bins}": f"{type_}, {bins} bins" for type_, bins in (
    ("u8", 256), ("u16", 65536), ("i32", 1024), ("f64", 1000),
    *(("f32", bins) for bins in (16, 256, 2048, 16384, 57344, 65536, 1 << 20)))}
DISTRIBUTIONS = {"uniform": "uniform", "one_value": "one value", "zipf": "Zipf", "sorted": "sorted",
                 "hot": "90 % one value"}


@dataclass(frozen=True)
class Benchmark:
    """What the report on a benchmark consists of."""
    traffic: str          # what the GB/s are of
    ceiling: tuple        # the competitor that shows how fast memory is, and what it does
    cub_reorders: tuple   # the types that CUB combines in another order
    end: str              # what is waited for
    wall: dict            # the other competitors of the wall time, and what they are called
    sections: tuple       # generators of its parts
    readme: Callable      # generator of its lines in README.md
    marker: str           # before these lines
    inputs: str           # what inputs differ in
    plot: Callable        # writes the figure


class Result:
    """The lines of one benchmark."""

    def __init__(self, path):
        self.algorithm = path.stem
        self.benchmark = BENCHMARKS[path.stem]
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        self.where = next(line for line in lines if line["kind"] == "machine")
        self.rows = [line for line in lines if line["kind"] == "measurement"]
        self.targets = [line for line in lines if line["kind"] == "target"]
        self.misplaced = [line for line in lines if line["kind"] == "misplaced"]
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
        return f"{path.stem}-{gpu}"


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
    """A table for each type: microseconds, GB/s, and what one element off the aligned base costs."""
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
                          f"{doing}, GB/s", "tilewise / CUB", f"tilewise / {doing}", "misaligned by one: tilewise, GB/s",
                          "misaligned by one: CUB, GB/s", "misaligned by one: tilewise / CUB", "misaligned by one / aligned"], lines)


def of_wrappings(result):
    lines = []
    for what in result.inputs("wrappings"):
        for count in result.counts("wrappings", what):
            ours, pointer, cub, thrust = (result.row("wrappings", what, count, who)
                                          for who in ("tilewise", "tilewise_pointer", "cub", "thrust"))
            lines.append([what.replace("_", " "), power(count), with_quartiles(ours), microseconds(pointer),
                          faster(ours, pointer), microseconds(cub), microseconds(thrust), faster(ours, cub)])
    if lines:
        yield from ["### Floats behind iterators", "",
                    "CUB gets the same iterator, or the pointer where it takes none (span); Thrust also waits for the "
                    "value. The zip iterator reads two arrays, the counting iterator none.", ""]
        yield from table(["input", "n", "tilewise, us (quartiles)", "tilewise on the raw pointer, us",
                          "pointer / wrapped", "CUB, us", "Thrust, us", "tilewise / CUB"], lines)


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
        yield from ["### One element off the aligned base", ""]
        yield from table(["type", "what is off", "n", "tilewise, us (quartiles)", "tilewise aligned, us",
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
        yield from ["### With warm caches", "", "Nothing is flushed between runs, of which each finds in the cache what "
                    "it can keep of the one before.", ""]
        yield from table([result.benchmark.inputs, "n", "tilewise, us (quartiles)", "CUB, us", f"{doing}, us",
                          "tilewise / CUB"], lines)


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
        yield from ["### Of less entropy", "",
                    "Integers whose bits are ones with a probability of 1/2, 1/4, ... 1/32, and zeros.", ""]
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
        yield from ["### Through iterators and transforms", "",
                    "CUB gets the same iterators, or the pointer where it takes none (span); Thrust also waits. The "
                    "zip iterator reads two arrays. The raw pointers are of the same types, and scanned without a "
                    "transform.", ""]
        yield from table(["input", "n", "tilewise, us (quartiles)", "tilewise, GB/s", "tilewise on raw pointers, GB/s",
                          "wrapped / raw", "CUB, GB/s", "Thrust, GB/s", "tilewise / CUB"], lines)


def of_extremes(result):
    lines = []
    for what in result.inputs("extremes"):
        for count in result.counts("extremes", what):
            ours, plain, cub, thrust = (result.row("extremes", what, count, who)
                                        for who in ("tilewise", "reduce", "cub", "thrust"))
            lines.append([what, power(count), with_quartiles(ours), microseconds(plain), microseconds(cub),
                          microseconds(thrust), faster(ours, plain), faster(ours, cub), faster(ours, thrust)])
    if lines:
        yield from ["### Smallest and largest elements, and counts, from call to answer", "",
                    "Beside a sum of the same elements, CUB's ArgMin and ArgMax with a wait, and Thrust.", ""]
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
                    "Host time with everything warm. CUB has its scratch at hand" +
                    (", writes to pinned memory" if result.benchmark.end == "value" else "") +
                    " and waits for the stream.", ""]
        yield from table(["n", "tilewise, us (quartiles)", *(f"{name}, us" for name in others.values()),
                          "tilewise / CUB", "tilewise / Thrust"], lines)


def of_host_memory(result):
    lines = []
    for what in result.inputs("host"):
        for count in result.counts("host", what):
            ours, pieces, copy, cores = (result.row("host", what, count, who)
                                         for who in ("tilewise", "tilewise_in_pieces", "copy", "tilewise_par"))
            lines.append([what, power(count), with_quartiles(ours), speed(ours), speed(pieces), speed(copy),
                          faster(ours, copy), speed(cores), str(ours["runs"])])
    if lines:
        yield from ["### Floats in host memory, from call to value", "",
                    "A sum under device, also with room for an eighth of the floats, beside a mere copy of them to the GPU "
                    "(cudaMemcpyAsync and a wait), and under par on the machine's processor cores.", ""]
        yield from table(["memory", "n", "tilewise, us (quartiles)", "tilewise, GB/s", "in eight pieces, GB/s",
                          "a copy, GB/s", "tilewise / a copy", "par, GB/s", "runs"], lines)


def of_distributions(result):
    """A table for each axis: what every distribution of the samples takes."""
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
                          "samples that CUB counts elsewhere"], lines)


def of_segments(result):
    """A table for each type, of reductions and of scans."""
    for part, others, names in (("reduce", ("cub", "whole", "read"), ("CUB", "as one range", "read bandwidth")),
                                ("scan", ("copy",), ("copying",))):
        for type_ in dict.fromkeys(what.split(", ")[0] for what in result.inputs(part)):
            lines = []
            for what in result.inputs(part):
                name, lengths, mean = what.split(", ")
                for count in result.counts(part, what) if name == type_ else ():
                    ours, *rest = (result.row(part, what, count, who) for who in ("tilewise", *others))
                    lines.append([lengths, mean, with_quartiles(ours), speed(ours), *map(speed, rest),
                                  *(rate(ours, other) for other in rest)])
            yield from [f"### {part}: {TYPES.get(type_, type_)}", ""]
            yield from table(["lengths", "mean", "tilewise, us (quartiles)", "tilewise, GB/s",
                              *(f"{name}, GB/s" for name in names), *(f"tilewise / {name}" for name in names)], lines)


KEYS = {f"{key}_{value}": f"{key} keys, {value} values" for key in ("i32", "i64") for value in ("f32", "f64", "i32")}


def of_keys(result):
    """A table for each pair of types, of reductions, of scans and of run lengths."""
    for part, others, names in (("reduce", ("cub", "waits", "read"), ("CUB", "with a wait", "read bandwidth")),
                                ("scan", ("cub", "waits", "copy"), ("CUB", "with a wait", "copying")),
                                ("count", ("cub", "read"), ("CUB", "read bandwidth"))):
        for types in dict.fromkeys(what.split(", ")[0] for what in result.inputs(part)):
            lines = []
            for what in result.inputs(part):
                name, lengths, mean = what.split(", ")
                for count in result.counts(part, what) if name == types else ():
                    ours, *rest = (result.row(part, what, count, who) for who in ("tilewise", *others))
                    lines.append([lengths, mean, power(count), with_quartiles(ours), speed(ours), *map(speed, rest),
                                  *(rate(ours, other) for other in rest)])
            yield from [f"### {part}: {KEYS.get(types, types)}", ""]
            yield from table(["run lengths", "mean", "n", "tilewise, us (quartiles)", "tilewise, GB/s",
                              *(f"{name}, GB/s" for name in names), *(f"tilewise / {name}" for name in names)], lines)


def of_targets(result):
    if result.targets:
        yield from ["### Targets", "", "What the library promises on an NVIDIA H200, and the worst figure of this "
                    "run.", ""]
        yield from table(["", "target", "worst"], [[target["verdict"], target["claim"], target["worst"]] for target in result.targets])


def markdown(result):
    runs = min((row["runs"] for row in result.rows if row["part"] != "host"), default=0)
    cache = "the cache flushed before each run of less than 256 MiB" if result.where["cold"] else "the cache warm"
    return "\n".join([f"# Benchmarks: {result.algorithm} on an {result.where['gpu']}", "", result.machine() + ".",
                      f"Medians of at least {runs} runs, shuffled with the baselines', {cache}; GB/s are "
                      f"{result.benchmark.traffic}; ratios above 1 are in tilewise's favour.", "", *of_targets(result),
                      *(line for section in result.benchmark.sections for line in section(result))])


def ranges(counts, wanted):
    """The runs of neighbouring counts that are wanted, as text: 2^8, 2^18 to 2^20."""
    runs, last = [], None
    for place, count in enumerate(counts):
        if count in wanted:
            if last == place - 1 and runs:
                runs[-1][1] = count
            else:
                runs.append([count, count])
            last = place
    return ", ".join(power(first) if first == end else f"{power(first)} to {power(end)}" for first, end in runs)


def behind(result, offset):
    """Where CUB is ahead by more than 2 %."""
    for what in result.inputs("types"):
        counts = [count for count in result.counts("types", what) if result.row("types", what, count, "cub", offset)]
        slow = {count for count in counts
                if result.row("types", what, count, "cub", offset)["median_us"] * 1.02 <
                result.row("types", what, count, "tilewise", offset)["median_us"]}
        if slow:
            yield f"{TYPES.get(what, what)} at {ranges(counts, slow)}"


README_SIZES = [1 << bits for bits in (16, 20, 22, 24, 26, 28, 30)]


def readme_line(result, what, name=None, offset=0):
    """A line of the README's table: tilewise / CUB at the sizes that matter."""
    def cell(count):
        ours, cub = (result.row("types", what, count, who, offset) for who in ("tilewise", "cub"))
        return f"{ours['gb_per_s']:.0f} / {cub['gb_per_s']:.0f}" if ours and cub else ""
    return [name or TYPES.get(what, what)] + [cell(count) for count in README_SIZES]


def readme_table(result, head, *more):
    """A table of the sizes that matter."""
    yield from [f"{result.machine()}. Medians, GB/s {result.benchmark.traffic}, tilewise / CUB:", ""]
    yield from table([head] + [power(count) for count in README_SIZES],
                     [readme_line(result, what) for what in result.inputs("types")] + list(more))


def readme_walls(result, what):
    """Sentences on the wall time, if it was measured."""
    def at(count):
        ours, cub, thrust = (result.row("wall", "f32", count, who)["median_us"]
                             for who in ("tilewise", "cub", "thrust"))
        return f"{ours:.1f} us at {power(count)} ({cub:.1f}; {thrust:.0f})"

    walls = [count for count in (1 << 10, 1 << 16, 1 << 20, 1 << 24) if count in result.counts("wall", "f32")]
    if walls:
        yield (f"From call to {result.benchmark.end} of {what} (CUB with scratch at hand, and a wait; "
               f"`{result.benchmark.wall['thrust']}`): " + ", ".join(map(at, walls)) + ".")


def readme_of_reduce(result):
    yield from readme_table(result, "sum of n", readme_line(result, "i8_to_i32", "i8 to i32, one byte off", 1))
    yield "CUB combines matrices in another order than asked for."
    yield "It is ahead by more than 2 % for " + "; ".join(behind(result, 0)) + "."
    yield "With the base one element off: " + ("; ".join(behind(result, 1)) or "nowhere") + "."
    yield from readme_walls(result, "a sum of floats")
    largest = max(result.counts("host", "pageable"), default=None)
    if largest:
        ours, copy = (result.row("host", "pageable", largest, who) for who in ("tilewise", "copy"))
        yield (f"From {power(largest)} floats in ordinary host memory to their sum: {ours['gb_per_s']:.0f} GB/s; "
               f"cudaMemcpyAsync only copies them at {copy['gb_per_s']:.0f}.")
    yield ""


def readme_of_scans(result):
    copies = [result.row("types", "f32", count, "copy") for count in README_SIZES]
    yield from readme_table(result, "running sums of n", readme_line(result, "f32", "f32, one element off", 1),
                            readme_line(result, "i8", "i8, one byte off", 1),
                            ["a copy of the f32"] + [f"{row['gb_per_s']:.0f}" if row else "" for row in copies])
    yield "CUB is ahead by more than 2 % for " + ("; ".join(behind(result, 0)) or "no type") + "."
    yield "With input and output one element off: " + ("; ".join(behind(result, 1)) or "nowhere") + "."
    yield from readme_walls(result, "the running sums of floats")
    yield from ["", "[Every type and size](docs/benchmarks/scan-h200.md).", "",
                "![GB/s of every type and size](docs/benchmarks/scan-h200.svg)", ""]


def readme_of_histograms(result):
    count = 1 << 28
    yield from [f"{result.machine()}. Medians at {power(count)} samples, GB/s of samples, tilewise / CUB:", ""]
    lines = []
    for what in dict.fromkeys(row["what"] for row in result.rows):
        cells = []
        for part in DISTRIBUTIONS:
            ours, cub = (result.row(part, what, count, who) for who in ("tilewise", "cub"))
            cells.append((f"{ours['gb_per_s']:.0f}" + (f" / {cub['gb_per_s']:.0f}" if cub else "")) if ours else "")
        lines.append([result.title(what), *cells])
    yield from table(["histogram of", *DISTRIBUTIONS.values()], lines)
    yield from ["CUB has no histogram of pairs and none with weights. [Every distribution and size]"
                "(docs/benchmarks/histogram-h200.md).", "",
                "![GB/s of every axis](docs/benchmarks/histogram-h200.svg)", ""]


def readme_of_segments(result):
    """The figures of floats."""
    yield from [f"{result.machine()}. Medians at 2^26 floats, GB/s of elements, offsets and results, tilewise / CUB:", ""]
    rows = [(*what.split(", "), what) for what in result.inputs("reduce") if what.startswith("f32, ")]
    means = list(dict.fromkeys(mean for _, _, mean, _ in rows))
    lines = []
    for lengths in dict.fromkeys(lengths for _, lengths, _, _ in rows):
        cells = {mean: tuple(result.row("reduce", what, 1 << 26, who) for who in ("tilewise", "cub"))
                 for _, its_lengths, mean, what in rows if its_lengths == lengths}
        lines.append([lengths, *(f"{cells[mean][0]['gb_per_s']:.0f} / {cells[mean][1]['gb_per_s']:.0f}"
                                 if mean in cells and all(cells[mean]) else "" for mean in means)])
    yield from table(["sums of segments, mean length", *means], lines)
    yield from ["[Every type, and scans](docs/benchmarks/segmented-h200.md).", ""]


def readme_of_keys(result):
    """The figures of i32 keys and f32 values."""
    yield from [f"{result.machine()}. Medians at 2^26, i32 keys and f32 values, GB/s of keys, values and results, "
                "tilewise / CUB:", ""]
    settings = [what for what in result.inputs("reduce") if what.startswith("i32_f32, ")]
    lines = []
    for part in ("reduce", "scan", "count"):
        pairs = [tuple(result.row(part, what, 1 << 26, who) for who in ("tilewise", "cub")) for what in settings]
        lines.append([part, *(f"{ours['gb_per_s']:.0f} / {cub['gb_per_s']:.0f}" if ours and cub else ""
                              for ours, cub in pairs)])
    yield from table(["runs", *(what.removeprefix("i32_f32, ") for what in settings)], lines)
    yield from ["[Every type and size](docs/benchmarks/by_key-h200.md).", ""]


def plot_keys(result, path):
    """GB/s by number of keys, a panel for each distribution of run lengths: i32 keys and f32 values."""
    pyplot = plotter()
    if not pyplot:
        return
    settings = [what for what in result.inputs("reduce") if what.startswith("i32_f32, ")]
    figure, panels = pyplot.subplots(2, max(1, len(settings)), figsize=(2.5 * max(1, len(settings)), 6), squeeze=False)
    for row, (part, competitors) in enumerate((("reduce", ("read", "cub", "tilewise")),
                                               ("scan", ("copy", "cub", "tilewise")))):
        for what, panel in zip(settings, panels[row]):
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
    for row in panels:
        row[0].legend(fontsize=7)
    figure.suptitle(result.machine(), fontsize=9)
    save(figure, path)


def plot_segments(result, path):
    """GB/s by mean length, a panel for each distribution of lengths: sums of floats, and running sums."""
    pyplot = plotter()
    if not pyplot:
        return
    kinds = list(dict.fromkeys(what.split(", ")[1] for what in result.inputs("reduce")))
    figure, panels = pyplot.subplots(2, max(1, len(kinds)), figsize=(12, 6), squeeze=False)
    for row, (part, competitors) in enumerate((("reduce", ("read", "cub", "tilewise")), ("scan", ("copy", "tilewise")))):
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
    panels[0][0].legend(fontsize=7)
    panels[1][0].legend(fontsize=7)
    figure.suptitle(result.machine(), fontsize=9)
    save(figure, path)


def plotter():
    """matplotlib's pyplot, or nothing where that is missing."""
    try:
        import matplotlib
    except ImportError:
        print("skipped: the plot (install python3-matplotlib)")
        return None
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tilewise"
    from matplotlib import pyplot
    return pyplot


def save(figure, path):
    """Writes an SVG without the spaces that matplotlib leaves at the ends of lines."""
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    text = path.read_text(encoding="utf-8")
    path.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n", encoding="utf-8")


COLOURS = {"tilewise": "#d1495b", "cub": "#00798c", "thrust": "#edae49", "ceiling": "#c9c9c9"}


def plot_sizes(result, path):
    """A panel for each type and one for the wall time."""
    pyplot = plotter()
    if not pyplot:
        return
    types = result.inputs("types")
    walls = result.counts("wall", "f32")
    columns = max(1, (len(types) + bool(walls) + 1) // 2)
    figure, panels = pyplot.subplots(2, columns, figsize=(3 * columns, 6.5), squeeze=False)
    ours, cub, thrust, grey = COLOURS.values()
    left = list(panels.flat)
    ceiling, doing = result.benchmark.ceiling

    for what in types:
        panel = left.pop(0)
        for who, offset, label, colour, line in ((ceiling, 0, f"only {doing}", grey, "-"),
                                                 ("cub", 0, "CUB", cub, "-"),
                                                 ("cub", 1, "CUB, one element off", cub, ":"),
                                                 ("tilewise", 0, "tilewise", ours, "-"),
                                                 ("tilewise", 1, "tilewise, one element off", ours, ":")):
            rows = [result.row("types", what, count, who, offset) for count in result.counts("types", what)]
            points = [(row["n"], row["gb_per_s"]) for row in rows if row and row["n"] >= 1 << 16]
            if points:
                panel.plot(*zip(*points), line, color=colour, label=label)
        panel.set_title(TYPES.get(what, what), fontsize=10)
        panel.set_ylabel(f"GB/s {result.benchmark.traffic}", fontsize=8)
        panel.set_ylim(bottom=0)
    if walls:
        panel = left.pop(0)
        for who, label, colour in (("thrust", result.benchmark.wall["thrust"], thrust), ("cub", "CUB and a wait", cub),
                                   ("tilewise", "tilewise", ours)):
            panel.plot(walls, [result.row("wall", "f32", count, who)["median_us"] for count in walls], color=colour,
                       label=label)
        panel.set_title(f"f32, from call to {result.benchmark.end}", fontsize=10)
        panel.set_ylabel("microseconds", fontsize=8)
        panel.set_ylim(bottom=0)
        panel.legend(fontsize=7)
    for panel in left:
        panel.axis("off")
    for panel in panels.flat:
        panel.set_xscale("log", base=2)
        panel.grid(alpha=0.3)
        panel.tick_params(labelsize=7)
    if types:
        panels[0][0].legend(fontsize=7)
    figure.suptitle(result.machine(), fontsize=9)
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
        panel.set_xticks([i + 0.2 for i in range(len(parts))], [DISTRIBUTIONS[part] for part in parts], fontsize=6)
        panel.tick_params(axis="y", labelsize=7)
        panel.set_ylabel("GB/s of samples", fontsize=7)
    panels[0][0].legend(fontsize=6)
    figure.suptitle(result.machine(), fontsize=9)
    save(figure, path)


BENCHMARKS = {
    "reduce": Benchmark(
        traffic="of input", ceiling=("read", "read bandwidth"), cub_reorders=("matrix",), end="value",
        wall={"tilewise_on_stream": "tilewise on a stream", "cub": "CUB and a wait", "thrust": "thrust::reduce"},
        sections=(of_types, of_warm_caches, of_entropies, of_extremes, of_wrappings, of_wall_time,
                  of_host_memory),
        readme=readme_of_reduce, marker="h200 figures", inputs="type", plot=plot_sizes),
    "scan": Benchmark(
        traffic="read and written", ceiling=("copy", "copying"), cub_reorders=(), end="completion",
        wall={"tilewise_on_stream": "tilewise on a stream", "cub": "CUB and a wait",
              "thrust": "thrust::inclusive_scan", "thrust_nosync": "the same with par_nosync and a wait"},
        sections=(of_types, of_warm_caches, of_alignments, of_entropies, of_wrapped_scans, of_wall_time),
        readme=readme_of_scans, marker="h200 figures of scans", inputs="type", plot=plot_sizes),
    "histogram": Benchmark(
        traffic="of samples", ceiling=("read", "read bandwidth"), cub_reorders=(), end="completion", wall={},
        sections=(of_distributions, of_warm_caches), readme=readme_of_histograms, marker="h200 figures of histograms",
        inputs="axis",
        plot=plot_distributions),
    "segmented": Benchmark(
        traffic="of elements, offsets and results", ceiling=("read", "read bandwidth"), cub_reorders=(),
        end="completion", wall={}, sections=(of_segments,), readme=readme_of_segments,
        marker="h200 figures of segments", inputs="lengths", plot=plot_segments),
    "by_key": Benchmark(
        traffic="of keys, values and results", ceiling=("read", "read bandwidth"), cub_reorders=(),
        end="completion", wall={}, sections=(of_keys,), readme=readme_of_keys, marker="h200 figures of keys",
        inputs="run lengths", plot=plot_keys)}


def write_into_readme(result, readme):
    block = re.compile(rf"(?<=<!-- {result.benchmark.marker} -->\n).*?(?=<!-- end -->)", re.DOTALL)
    text, found = block.subn(lambda _: "\n".join(result.benchmark.readme(result)), readme.read_text(encoding="utf-8"))
    if not found:
        print(f"there is no <!-- {result.benchmark.marker} --> in {readme}")
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
    for path in sources:
        result = Result(path)
        name = result.name(path)
        (arguments.target / f"{name}.json").write_text(figures(result), encoding="utf-8")
        (arguments.target / f"{name}.md").write_text(markdown(result), encoding="utf-8")
        result.benchmark.plot(result, arguments.target / f"{name}.svg")
        if arguments.readme and name == f"{path.stem}-h200":
            write_into_readme(result, arguments.readme)
        print(f"{name}: {len(result.rows)} measurements on {result.machine()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
