#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what `example_ladder --json FILE` measured: a picture, and a table in Markdown, for every ladder.

    examples/ladder/plot.py FILE FOLDER     writes FOLDER/ladder-of-<what>.svg and FOLDER/ladders.md
"""

import argparse
import json
import re
from pathlib import Path


def slug(name):
    """`Scans: the running sums of 8 int (...)` becomes `scans-the-running-sums-of-8-int`."""
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\(.*\)", "", name.lower())).strip("-")


def speed(rung):
    return rung["bytes"] / rung["microseconds"] / 1e3 # GB/s


def draw(ladder, path):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tilewise"
    import matplotlib.pyplot as plot

    rungs = ladder["rungs"]
    figure, axes = plot.subplots(figsize=(8, 0.9 + 0.28 * len(rungs)), layout="constrained")
    colours = ["tab:orange" if "tilewise" in rung["name"] else "tab:gray" if "::" in rung["name"] else "tab:blue"
               for rung in rungs]
    bars = axes.barh([rung["name"] for rung in rungs], [speed(rung) for rung in rungs], color=colours)
    axes.bar_label(bars, [f" {speed(rung):.3g}" for rung in rungs], fontsize=8)
    axes.axvline(ladder["ceiling_gb_per_s"], color="black", linewidth=1)
    axes.annotate(ladder["ceiling"], (ladder["ceiling_gb_per_s"], -0.8), ha="right", fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(right=2 * ladder["ceiling_gb_per_s"])
    axes.invert_yaxis()
    axes.set_xlabel("GB/s")
    axes.set_title(ladder["name"], fontsize=10)
    figure.savefig(path, metadata={"Date": None})
    plot.close(figure)


def table(ladder):
    lines = [f"## {ladder['name']}", "",
             f"| rung | microseconds | GB/s | % of {ladder['ceiling']} | factor | |", "|---|--:|--:|--:|--:|---|"]
    before = None
    for rung in ladder["rungs"]:
        factor = f"{before / rung['microseconds']:.2f}" if before else ""
        part = 100 * speed(rung) / ladder["ceiling_gb_per_s"]
        lines.append(f"| {rung['name']} | {rung['microseconds']:.1f} | {speed(rung):.1f} | {part:.1f} | {factor} "
                     f"| {rung['remark']} |")
        before = rung["microseconds"]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    measured = json.loads(arguments.file.read_text())
    arguments.folder.mkdir(parents=True, exist_ok=True)
    lines = ["# What the rungs take", "", f"Measured on: {measured['machine']}.", ""]
    for ladder in measured["ladders"]:
        picture = f"ladder-{slug(ladder['name'])}.svg"
        draw(ladder, arguments.folder / picture)
        lines += [*table(ladder), "", f"![{ladder['name']}]({picture})", ""]
    (arguments.folder / "ladders.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
