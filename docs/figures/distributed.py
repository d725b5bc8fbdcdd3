#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figure fragments.svg of docs/how-distributed-works.md, beside this file."""

from scan import INK, MEMORY, QUIET, STATUS, WARP, Figure

LEFT, TILE, TILES = 20, 50, 16


def units(begin, end):
    """The largest units in [begin, end), in tiles; what is less than a tile is one item."""
    while begin < end:
        if begin % 1 or end - begin < 1:
            next_begin = min(end, int(begin) + 1)
        else:
            size = 1
            while begin % (2 * size) == 0 and begin + 2 * size <= end:
                size *= 2
            next_begin = begin + size
        yield begin, next_begin
        begin = next_begin


def fragments():
    """Three parts of a range, their fragments, and those joined."""
    figure = Figure(1010, 330, "Three parts of a range as their largest units, and the units that joining them completes")
    colours = WARP, STATUS, MEMORY
    cuts = 0, 5.3, 10.6, 16
    rows = [(40, [(0, 16)], "range of 16 tiles"),
            (110, list(zip(cuts, cuts[1:])), "fragment of each rank"),
            (180, [(0, 10.6), (10.6, 16)], "ranks 0 and 1 joined"),
            (250, [(0, 16)], "all joined")]
    for number, (y, parts, what) in enumerate(rows):
        figure.text(LEFT + TILE * TILES + 20, y + 22, what)
        for part, (begin, end) in enumerate(parts):
            shown = [(t, t + 1) for t in range(TILES)] if number == 0 else units(begin, end)
            for first, last in shown:
                is_part = (last - first) < 1
                fill = "#ffffff" if number == 0 or is_part else colours[part if len(parts) == 3 else 2 * part]
                width = (last - first) * TILE
                label = "" if is_part or number == 0 else f"{last - first:.0f}"
                figure.box(LEFT + first * TILE, y, width, 34, fill, *([label] if label else []))
    for cut in cuts[1:-1]:
        x = LEFT + cut * TILE
        figure.parts.append(f'<line x1="{x}" y1="28" x2="{x}" y2="150" stroke="#b42318" stroke-width="2"/>')
    for rank, (begin, end) in enumerate(zip(cuts, cuts[1:])):
        figure.text(LEFT + (begin + end) / 2 * TILE, 22, f"rank {rank}", 13, INK, "middle")
    figure.text(LEFT, 310, "A number: the tiles in one aggregate. White: a part of a tile, as chunks, rows, lane vectors and "
                "elements. Where two such parts meet, they form the tile.", 12, QUIET)
    figure.write("fragments.svg")


if __name__ == "__main__":
    fragments()
