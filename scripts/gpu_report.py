#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns what the GPU benchmarks measured into tables and plots.

    scripts/gpu_report.py FROM TO                     FROM/reduce.json becomes TO/reduce-h200.{json,md,svg} on an NVIDIA H200
    scripts/gpu_report.py FROM TO --readme README.md  and the figures in README.md become those

Ratios travel between machines, absolute figures do not.
"""

import argparse
import json
import re
import sys
from pathlib import Path

TYPES = {"f32": "f32", "f64": "f64", "i32": "i32", "i8_to_i32": "i8 to i32", "i8": "i8", "f16": "f16",
         "u8_to_f32_squares": "u8 to f32, squares", "f16_to_f32_squares": "f16 to f32, squares",
         "matrix": "2x2 matrices of f32 (CUB reorders the product)"}


class Record:
    """The lines of one benchmark."""

    def __init__(self, path):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        self.where = next(line for line in lines if line["record"] == "machine")
        self.rows = [line for line in lines if line["record"] == "measurement"]
        self.bars = [line for line in lines if line["record"] == "bar"]
        self.by_setting = {(row["part"], row["what"], row["n"], row["offset"], row["who"]): row for row in self.rows}

    def row(self, part, what, count, who, offset=0):
        return self.by_setting.get((part, what, count, offset, who))

    def inputs(self, part):
        return list(dict.fromkeys(row["what"] for row in self.rows if row["part"] == part))

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


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"] + \
           ["| " + " | ".join(line) + " |" for line in lines] + [""]


def of_types(record):
    """A table for each type: microseconds, GB/s, and what one element off the aligned base costs."""
    for what in record.inputs("types"):
        lines = []
        for count in record.counts("types", what):
            get = lambda who, offset=0, n=count, w=what: record.row("types", w, n, who, offset)
            ours, cub, read, ours_off, cub_off = (get("tilewise"), get("cub"), get("read"), get("tilewise", 1),
                                                  get("cub", 1))
            lines.append([power(count), with_quartiles(ours), microseconds(cub), microseconds(read), speed(ours),
                          speed(cub), speed(read), faster(ours, cub), speed(ours_off), speed(cub_off),
                          faster(ours_off, cub_off), faster(ours_off, ours)])
        yield from [f"### {TYPES.get(what, what)}", ""]
        yield from table(["n", "tilewise, us (quartiles)", "CUB, us", "reading, us", "tilewise, GB/s", "CUB, GB/s",
                          "reading, GB/s", "tilewise / CUB", "one off: tilewise, GB/s", "one off: CUB, GB/s",
                          "one off: tilewise / CUB", "one off / aligned"], lines)


def of_wrappings(record):
    lines = []
    for what in record.inputs("wrappings"):
        for count in record.counts("wrappings", what):
            ours, pointer, cub, thrust = (record.row("wrappings", what, count, who)
                                          for who in ("tilewise", "tilewise_pointer", "cub", "thrust"))
            lines.append([what.replace("_", " "), power(count), with_quartiles(ours), microseconds(pointer),
                          faster(ours, pointer), microseconds(cub), microseconds(thrust), faster(ours, cub)])
    if lines:
        yield from ["### Floats behind iterators", "",
                    "CUB gets the same iterator, or the pointer where it takes none (span); Thrust also waits for the "
                    "value. The zip iterator reads two arrays, the counting iterator none.", ""]
        yield from table(["input", "n", "tilewise, us (quartiles)", "tilewise on the raw pointer, us",
                          "pointer / wrapped", "CUB, us", "Thrust, us", "tilewise / CUB"], lines)


def of_wall_time(record):
    lines = []
    for count in record.counts("wall", "f32"):
        ours, on_stream, cub, thrust = (record.row("wall", "f32", count, who)
                                        for who in ("tilewise", "tilewise_on_stream", "cub", "thrust"))
        lines.append([power(count), with_quartiles(ours), microseconds(on_stream), microseconds(cub),
                      microseconds(thrust), faster(ours, cub), faster(ours, thrust)])
    if lines:
        yield from ["### From call to value, f32", "",
                    "Host time with everything warm. CUB has its scratch at hand, writes to pinned memory and waits "
                    "for the stream.", ""]
        yield from table(["n", "tilewise, us (quartiles)", "tilewise on a stream, us", "CUB and a wait, us",
                          "thrust::reduce, us", "tilewise / CUB", "tilewise / Thrust"], lines)


def of_bars(record):
    if record.bars:
        yield from ["### The bars", "", "What the library promises on an NVIDIA H200, and the worst figure of this "
                    "run.", ""]
        yield from table(["", "bar", "worst"], [[bar["verdict"], bar["claim"], bar["worst"]] for bar in record.bars])


def markdown(record, name):
    runs = min((row["runs"] for row in record.rows), default=0)
    cache = "the cache flushed before each run of less than 256 MiB" if record.where["cold"] else "the cache warm"
    return "\n".join([f"# Benchmarks: {name}", "", record.machine() + ".",
                      f"Medians of at least {runs} runs in turns with the peers', {cache}; GB/s are of input; ratios "
                      "above 1 are in tilewise's favour.", "", *of_bars(record), *of_types(record),
                      *of_wrappings(record), *of_wall_time(record)])


README_BLOCK = re.compile(r"(?<=<!-- h200 figures -->\n).*?(?=<!-- end -->)", re.DOTALL)


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


def behind(record, offset):
    """Where CUB is ahead by more than 2 %."""
    for what in record.inputs("types"):
        counts = [count for count in record.counts("types", what) if record.row("types", what, count, "cub", offset)]
        slow = {count for count in counts
                if record.row("types", what, count, "cub", offset)["median_us"] * 1.02 <
                record.row("types", what, count, "tilewise", offset)["median_us"]}
        if slow:
            yield f"{TYPES.get(what, what).split(' (')[0]} at {ranges(counts, slow)}"


def for_readme(record):
    """A table of the sizes that matter, and the places where a peer is ahead."""
    def cell(what, count, offset=0):
        ours, cub = (record.row("types", what, count, who, offset) for who in ("tilewise", "cub"))
        return f"{ours['gb_per_s']:.0f} / {cub['gb_per_s']:.0f}" if ours and cub else ""

    def wall(count):
        ours, cub, thrust = (record.row("wall", "f32", count, who)["median_us"] for who in ("tilewise", "cub", "thrust"))
        return f"{ours:.1f} us at {power(count)} ({cub:.1f}; {thrust:.0f})"

    sizes = [1 << bits for bits in (16, 20, 22, 24, 26, 28, 30)]
    yield from [record.machine() + ". Medians, GB/s of input, tilewise / CUB:", ""]
    yield from table(["sum of n"] + [power(count) for count in sizes],
                     [[TYPES.get(what, what).split(" (")[0]] + [cell(what, count) for count in sizes]
                      for what in record.inputs("types")] +
                     [["i8 to i32, one byte off"] + [cell("i8_to_i32", count, 1) for count in sizes]])
    yield "CUB combines matrices in another order than asked for."
    yield "It is ahead by more than 2 % for " + "; ".join(behind(record, 0)) + "."
    yield "With the base one element off: " + ("; ".join(behind(record, 1)) or "nowhere") + "."
    walls = [count for count in (1 << 10, 1 << 16, 1 << 20, 1 << 24) if count in record.counts("wall", "f32")]
    if walls:
        yield ("From call to value of a sum of floats (CUB with scratch at hand, and a wait; `thrust::reduce`): " +
               ", ".join(map(wall, walls)) + ".")
    yield ""


def plot(record, path):
    """A panel for each type and one for the wall time; skipped where matplotlib is missing."""
    try:
        import matplotlib
    except ImportError:
        print("skipped: the plot (install python3-matplotlib)")
        return
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tilewise"
    from matplotlib import pyplot
    types = record.inputs("types")
    walls = record.counts("wall", "f32")
    columns = max(1, (len(types) + bool(walls) + 1) // 2)
    figure, panels = pyplot.subplots(2, columns, figsize=(3 * columns, 6.5), squeeze=False)
    ours, cub, thrust, grey = "#d1495b", "#00798c", "#edae49", "#c9c9c9"
    left = list(panels.flat)

    for what in types:
        panel = left.pop(0)
        for who, offset, label, colour, line in (("read", 0, "only reading", grey, "-"),
                                                 ("cub", 0, "CUB", cub, "-"),
                                                 ("cub", 1, "CUB, one element off", cub, ":"),
                                                 ("tilewise", 0, "tilewise", ours, "-"),
                                                 ("tilewise", 1, "tilewise, one element off", ours, ":")):
            rows = [record.row("types", what, count, who, offset) for count in record.counts("types", what)]
            points = [(row["n"], row["gb_per_s"]) for row in rows if row and row["n"] >= 1 << 16]
            if points:
                panel.plot(*zip(*points), line, color=colour, label=label)
        panel.set_title(TYPES.get(what, what).split(" (")[0], fontsize=10)
        panel.set_ylabel("GB/s of input", fontsize=8)
        panel.set_ylim(bottom=0)
    if walls:
        panel = left.pop(0)
        for who, label, colour in (("thrust", "thrust::reduce", thrust), ("cub", "CUB and a wait", cub),
                                   ("tilewise", "tilewise", ours)):
            panel.plot(walls, [record.row("wall", "f32", count, who)["median_us"] for count in walls], color=colour,
                       label=label)
        panel.set_title("f32, from call to value", fontsize=10)
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
    figure.suptitle(record.machine(), fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    text = path.read_text(encoding="utf-8") # without the spaces that matplotlib leaves at the ends of lines
    path.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n", encoding="utf-8")


def figures(record):
    """The record as JSON, one measurement a line."""
    wanted = ("part", "what", "who", "n", "offset", "median_us", "quartile1_us", "quartile3_us", "runs", "gb_per_s")
    short = [{key: round(row[key], 3) if isinstance(row[key], float) else row[key] for key in wanted}
             for row in record.rows]
    where = {key: value for key, value in record.where.items() if key != "record"}
    bars = [{key: value for key, value in bar.items() if key != "record"} for bar in record.bars]
    listed = lambda items: "[\n" + ",\n".join(json.dumps(item) for item in items) + "\n]"
    return f'{{"where": {json.dumps(where)},\n"bars": {listed(bars)},\n"rows": {listed(short)}}}\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="FROM", type=Path)
    parser.add_argument("target", metavar="TO", type=Path)
    parser.add_argument("--readme", metavar="FILE", type=Path)
    arguments = parser.parse_args()
    sources = sorted(arguments.source.glob("*.json"))
    if not sources:
        print(f"no figures in {arguments.source}: scripts/gpu bench measures them")
        return 1
    arguments.target.mkdir(parents=True, exist_ok=True)
    for path in sources:
        record = Record(path)
        name = record.name(path)
        (arguments.target / f"{name}.json").write_text(figures(record), encoding="utf-8")
        (arguments.target / f"{name}.md").write_text(markdown(record, name), encoding="utf-8")
        plot(record, arguments.target / f"{name}.svg")
        if arguments.readme and name == "reduce-h200":
            text = README_BLOCK.sub(lambda _: "\n".join(for_readme(record)), arguments.readme.read_text(encoding="utf-8"))
            arguments.readme.write_text(text, encoding="utf-8")
        print(f"{name}: {len(record.rows)} measurements on {record.machine()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
