#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of docs/how-histogram-works.md, beside this file."""

from scan import INK, MEMORY, QUIET, STATUS, WARP, Figure


def edges():
    """Two pieces of the axis from 1 to 2 with ten bins of float, and the end of another."""
    figure = Figure(860, 200, "Three edges, and the bins that the formula gives to samples at them")
    pieces = [  # left, the edge, the bins on both sides, the sample, where it stands, what the formula says, why
        (20, "edge 3 = 1.3F", "bin 2", "bin 3", "1.3F", 0, "bin 2", "is the edge: bin 3"),
        (310, "edge 9 = 1.9000001F", "bin 8", "bin 9", "1.9F", -14, "bin 9", "is below the edge: bin 8"),
        (600, "edge 256 = 1", "bin 255", "no bin", "0.99999994F", -14, "bin 256", "is below the edge: bin 255")]
    for left, edge, below, above, sample, shift, wrong, right in pieces:
        middle = left + 120
        figure.box(left, 80, 120, 30, WARP, below)
        figure.box(middle, 80, 120, 30, MEMORY if above == "no bin" else STATUS, above)
        figure.text(middle, 130, edge, 12, QUIET, "middle")
        figure.arrow((middle + shift, 50), (middle + shift, 78))
        figure.text(middle + shift, 42, sample, 13, INK, "middle")
        figure.text(middle, 158, f"the formula says {wrong}", 13, "#b42318", "middle")
        figure.text(middle, 178, right, 13, INK, "middle")
    figure.write("histogram-edges.svg")


def homes():
    """What a multiprocessor's shared memory holds, by the number of cells."""
    figure = Figure(860, 200, "By the number of cells: one table, one table per multiprocessor, packed, partitioned")
    strips = [  # width, cells, what lies in shared memory, words below
        (190, "up to 28 Ki cells", ["table", "table"], "32 bits each, two blocks"),
        (190, "up to 56 Ki cells", ["table"], "32 bits each, one block"),
        (190, "up to 113 Ki cells", ["table, packed"], "16 bits each, flushed"),
        (190, "more cells", ["a range of the table"], "samples partitioned first")]
    left = 20
    for width, cells, tables, words in strips:
        figure.text(left + width / 2, 35, cells, 13, INK, "middle")
        figure.box(left, 50, width, 90, MEMORY)
        each = (width - 20) / len(tables)
        for i, table in enumerate(tables):
            figure.box(left + 10 + i * each, 70, each - 4, 50, WARP, table)
        figure.text(left + width / 2, 162, words, 12, QUIET, "middle")
        left += width + 20
    figure.text(20, 190, "Grey: the shared memory of one multiprocessor, 227 KiB.", 12, QUIET)
    figure.write("histogram-tables.svg")


if __name__ == "__main__":
    edges()
    homes()
