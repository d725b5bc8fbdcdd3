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


def speed(version):
    return version["bytes"] / version["microseconds"] / 1e3 # GB/s


def draw(ladder, path):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tilewise"
    import matplotlib.pyplot as plot

    versions = ladder["versions"]
    figure, axes = plot.subplots(figsize=(8, 0.9 + 0.28 * len(versions)), layout="constrained")
    colours = ["tab:orange" if "tilewise" in version["name"] else "tab:gray" if "::" in version["name"] else "tab:blue"
               for version in versions]
    bars = axes.barh([version["name"] for version in versions], [speed(version) for version in versions], color=colours)
    axes.axvline(ladder["ceiling_gb_per_s"], color="black", linewidth=1)
    axes.bar_label(bars, [f"{speed(version):.{0 if speed(version) >= 100 else 1}f}" for version in versions], fontsize=8,
                   padding=3, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5}) # hides the line
    axes.set_xscale("log")
    axes.set_xlim(min(map(speed, versions)) / 2, max(3 * ladder["ceiling_gb_per_s"], 2 * max(map(speed, versions))))
    axes.invert_yaxis()
    axes.set_xlabel(f"GB/s; the line is {ladder['ceiling']}, {ladder['ceiling_gb_per_s']:.0f} GB/s")
    axes.set_title(ladder["name"], fontsize=10)
    figure.savefig(path, metadata={"Date": None})
    plot.close(figure)
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")


def table(ladder):
    remarks = any(version["remark"] for version in ladder["versions"])
    lines = [f"## {ladder['name']}", "",
             f"| version | microseconds | GB/s | % of {ladder['ceiling']} | speedup |" + " remark |" * remarks,
             "|---|--:|--:|--:|--:|" + "---|" * remarks]
    before = None
    for version in ladder["versions"]:
        factor = f"{before / version['microseconds']:.2f}" if before else ""
        part = 100 * speed(version) / ladder["ceiling_gb_per_s"]
        lines.append(f"| {version['name']} | {version['microseconds']:.1f} | {speed(version):.1f} | {part:.1f} | {factor} |"
                     + f" {version['remark']} |" * remarks)
        before = version["microseconds"]
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
    lines = ["# The ladders: all versions", "", f"{', '.join(filter(None, (measured['machine'], arguments.about)))}; medians, "
             "caches warm. Speedup: over the version in the row above. Remarks on scans: elements moved, work and steps, see "
             "[ladders](../ladders.md).", "",
             "On the processor, read bandwidth is measured by `reduce(par, ...)` of 64-bit words with `std::bit_xor`, and "
             "copy bandwidth by `memcpy`, on one thread. Both are medians of five runs of their own, so `par` can exceed "
             "them.", ""]
    for ladder in measured["ladders"]:
        picture = f"{slug(ladder['name'])}.svg"
        draw(ladder, pictures / picture)
        lines += [*table(ladder), "", f"![{ladder['name']}](ladders/{picture})", ""]
    (arguments.folder / "ladders.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
