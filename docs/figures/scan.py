#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of docs/how-scan-works.md, beside this file."""

from pathlib import Path

INK, QUIET, MEMORY, WARP, STATUS = "#1f2933", "#7b8794", "#d9e2ec", "#c6e2ff", "#ffe3b3"


class Figure:
    def __init__(self, width, height, title):
        self.size = width, height
        self.parts = [f"<title>{title}</title>", f'<rect width="{width}" height="{height}" fill="#ffffff"/>']

    def text(self, x, y, words, size=13, colour=INK, anchor="start"):
        self.parts.append(
            f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" text-anchor="{anchor}">{words}</text>')

    def box(self, x, y, width, height, fill, *lines):
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" fill="{fill}" stroke="{QUIET}"/>')
        top = y + height / 2 + 5 - 8 * (len(lines) - 1)
        for number, line in enumerate(lines):
            size, colour = (12, QUIET) if number else (13, INK)
            self.text(x + width / 2, top + 16 * number, line, size, colour, "middle")

    def arrow(self, *points):
        path = " ".join(f"{x},{y}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{INK}" marker-end="url(#head)"/>')

    def bracket(self, left, right, y):
        self.parts.append(f'<polyline points="{left},{y + 10} {left},{y} {right},{y} {right},{y + 10}" fill="none" '
                          f'stroke="{QUIET}"/>')

    def spread(self, left, right, y, to_left, to_right, to_y):
        """A part of one strip that is the whole of the next."""
        corners = f"{left},{y} {right},{y} {to_right},{to_y} {to_left},{to_y}"
        self.parts.append(f'<polygon points="{corners}" fill="#f0f4f8"/>')

    def write(self, name):
        width, height = self.size
        head = ('<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                'orient="auto">'
                f'<path d="M0,0 L8,4 L0,8 z" fill="{INK}"/></marker></defs>')
        Path(__file__).with_name(name).write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'font-family="sans-serif">\n{head}\n' + "\n".join(self.parts) + "\n</svg>\n")


def units():
    """A range, a tile, a chunk, a row, a lane vector."""
    figure = Figure(860, 330, "A range is tiles, a tile is chunks, a chunk is rows, a row is lane vectors")
    left, width = 20, 560
    strips = [  # y, how many, which becomes the next strip, what it is
        (20, 10, 3, "range: tiles of 32 KiB of T", "a block takes a tile"),
        (95, 8, 5, "tile: 8 chunks of 4 KiB", "a warp takes a chunk"),
        (170, 8, 2, "chunk: 8 rows of 512 bytes", "loaded at once"),
        (245, 32, 13, "row: 32 lane vectors of 16 bytes", "a lane takes one")]
    for strip, after in zip(strips, strips[1:]):
        each = width / strip[1]
        at = left + strip[2] * each
        figure.spread(at, at + each, strip[0] + 30, left, left + width, after[0])
    for y, count, chosen, what, who in strips:
        each = width / count
        for i in range(count):
            figure.box(left + i * each, y, each, 30, WARP if i == chosen else MEMORY)
        figure.text(left + width + 20, y + 13, what)
        figure.text(left + width + 20, y + 30, who, 12, QUIET)
    figure.text(left, 305, "The last tile, chunk and row may be incomplete.", 12, QUIET)
    figure.write("scan-units.svg")


def warp_roles():
    """What happens to a tile in the kernel that reads every element once."""
    figure = Figure(1000, 400, "The warps of a block of scan_in_one_pass, and what passes between them")
    figure.box(20, 20, 110, 50, MEMORY, "elements", "global memory")
    figure.box(20, 330, 110, 50, MEMORY, "results", "global memory")
    figure.box(215, 20, 110, 50, WARP, "producer", "1 warp")
    for i in reversed(range(7)):
        figure.box(405 + 5 * i, 12 + 5 * i, 160, 44, MEMORY)
    figure.box(405, 12, 160, 44, MEMORY, "stages", "shared memory, 7 tiles")
    figure.box(355, 160, 160, 50, WARP, "reducers", "8 warps: a chunk each")
    figure.box(205, 330, 310, 50, WARP, "writers", "8 warps: a chunk each, results in registers")
    figure.box(645, 160, 125, 50, WARP, "publisher", "1 warp")
    figure.box(645, 245, 125, 50, WARP, "group publisher", "1 warp")
    figure.box(645, 330, 125, 50, WARP, "carry-in", "1 warp")
    figure.box(850, 160, 130, 50, STATUS, "tile aggregates", "of all blocks")
    figure.box(850, 245, 130, 50, STATUS, "group aggregates", "of all blocks")
    figure.arrow((130, 45), (215, 45))
    figure.text(270, 85, "takes a ticket", 11, QUIET, "middle")
    figure.arrow((325, 45), (405, 45))
    figure.text(363, 38, "bulk copy", 11, QUIET, "middle")
    figure.arrow((460, 88), (460, 160))
    figure.arrow((405, 75), (300, 115), (300, 330))
    figure.arrow((515, 185), (645, 185))
    figure.text(580, 178, "chunk aggregates", 11, QUIET, "middle")
    figure.arrow((770, 185), (850, 185))
    figure.text(808, 178, "publishes", 11, QUIET, "middle")
    figure.arrow((865, 210), (770, 258))
    figure.arrow((770, 280), (850, 280))
    figure.text(808, 294, "publishes", 11, QUIET, "middle")
    figure.arrow((890, 295), (890, 345), (770, 345))
    figure.arrow((980, 185), (990, 185), (990, 370), (770, 370))
    figure.text(830, 340, "polls", 11, QUIET, "middle")
    figure.text(880, 384, "polls", 11, QUIET, "middle")
    figure.arrow((645, 370), (515, 370))
    figure.text(580, 385, "tile prefix", 11, QUIET, "middle")
    figure.arrow((670, 210), (560, 300), (560, 345), (515, 345))
    figure.text(500, 290, "chunk prefixes", 11, QUIET, "middle")
    figure.arrow((205, 355), (130, 355))
    figure.write("scan-warp-roles.svg")


def look():
    """What the carry-in warp polls for tile 2149."""
    figure = Figure(860, 190, "The exclusive prefix of tile 2149: two super-groups, three groups, five tiles")
    figure.box(20, 60, 130, 40, MEMORY, "init")
    for i in range(2):
        figure.box(160 + 140 * i, 60, 130, 40, MEMORY, f"super-group {i}", "32 groups")
    for i in range(3):
        figure.box(460 + 72 * i, 60, 68, 40, STATUS, f"group {64 + i}")
    for i in range(5):
        figure.box(680 + 26 * i, 60, 22, 40, STATUS)
    figure.box(812, 60, 42, 40, WARP, "2149")
    figure.text(20, 46, "kept in registers by this block", 12, QUIET)
    figure.text(460, 30, "look-back window: the groups, and tiles 2144 to 2148", 12, QUIET)
    figure.bracket(460, 806, 40)
    figure.text(20, 130, "(init + tree of the super-groups)")
    figure.text(460, 130, "+ tree of the groups")
    figure.text(680, 130, "+ tree of the tiles")
    figure.text(20, 160, "2149 = 2 * 1024 + 3 * 32 + 5. Never more than 31 groups and 31 tiles, however long the range is.",
                12, QUIET)
    figure.write("scan-prefix.svg")


if __name__ == "__main__":
    units()
    warp_roles()
    look()
