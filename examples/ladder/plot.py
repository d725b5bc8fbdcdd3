#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what `example_ladder --json FILE` measured: a picture, and a table in Markdown, for every ladder.

    examples/ladder/plot.py FILE FOLDER --about "driver, date, commit"

writes FOLDER/ladders.md and the pictures that it shows, which are in FOLDER/ladders.
"""

import argparse
import json
import re
from pathlib import Path


def slug(name):
    """`Scans: the running sums of 8 int (...)` becomes `scans-int`."""
    what = re.sub(r" \(.*", "", name.lower())
    return re.sub(r"[^a-z]+", "-", f"{what.split(':')[0]} {re.split('[0-9]+', what)[-1]}").strip("-")


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
    axes.bar_label(bars, [f" {speed(rung):.{0 if speed(rung) >= 100 else 1}f}" for rung in rungs], fontsize=8)
    axes.axvline(ladder["ceiling_gb_per_s"], color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlim(min(map(speed, rungs)) / 2, 3 * ladder["ceiling_gb_per_s"])
    axes.invert_yaxis()
    axes.set_xlabel(f"GB/s; the line is {ladder['ceiling']}, {ladder['ceiling_gb_per_s']:.0f} GB/s")
    axes.set_title(ladder["name"], fontsize=10)
    figure.savefig(path, metadata={"Date": None})
    plot.close(figure)
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")


def table(ladder):
    remarks = any(rung["remark"] for rung in ladder["rungs"])
    lines = [f"## {ladder['name']}", "",
             f"| rung | microseconds | GB/s | % of {ladder['ceiling']} | factor |" + " |" * remarks,
             "|---|--:|--:|--:|--:|" + "---|" * remarks]
    before = None
    for rung in ladder["rungs"]:
        factor = f"{before / rung['microseconds']:.2f}" if before else ""
        part = 100 * speed(rung) / ladder["ceiling_gb_per_s"]
        lines.append(f"| {rung['name']} | {rung['microseconds']:.1f} | {speed(rung):.1f} | {part:.1f} | {factor} |"
                     + f" {rung['remark']} |" * remarks)
        before = rung["microseconds"]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--about", default="", help="what else belongs to a record: driver, date, commit")
    arguments = parser.parse_args()
    measured = json.loads(arguments.file.read_text())
    pictures = arguments.folder / "ladders"
    pictures.mkdir(parents=True, exist_ok=True)
    lines = ["# What the rungs take", "", f"{', '.join(filter(None, (measured['machine'], arguments.about)))}; medians, caches warm.", ""]
    for ladder in measured["ladders"]:
        picture = f"{slug(ladder['name'])}.svg"
        draw(ladder, pictures / picture)
        lines += [*table(ladder), "", f"![{ladder['name']}](ladders/{picture})", ""]
    (arguments.folder / "ladders.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
