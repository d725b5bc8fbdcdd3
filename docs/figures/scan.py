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
    figure = Figure(900, 400, "The warps of a block of scan_in_one_pass, and what passes between them")
    figure.box(20, 20, 110, 50, MEMORY, "elements", "global memory")
    figure.box(20, 330, 110, 50, MEMORY, "results", "global memory")
    figure.box(210, 20, 110, 50, WARP, "producer", "1 warp")
    for i in reversed(range(7)):
        figure.box(390 + 5 * i, 12 + 5 * i, 150, 44, MEMORY)
    figure.box(390, 12, 150, 44, MEMORY, "stages", "shared memory, 7 tiles")
    figure.box(380, 160, 150, 50, WARP, "reducers", "8 warps: a chunk each")
    figure.box(210, 330, 320, 50, WARP, "writers", "8 warps: a chunk each, results in registers")
    figure.box(620, 160, 110, 50, WARP, "publisher", "1 warp")
    figure.box(620, 245, 110, 50, WARP, "group publisher", "1 warp")
    figure.box(620, 330, 110, 50, WARP, "carry-in", "1 warp")
    figure.box(800, 160, 85, 50, STATUS, "tile aggregates", "all blocks'")
    figure.box(800, 245, 85, 50, STATUS, "group aggregates", "all blocks'")
    figure.arrow((130, 45), (210, 45))
    figure.text(265, 85, "takes a ticket", 11, QUIET, "middle")
    figure.arrow((320, 45), (390, 45))
    figure.text(354, 38, "bulk copy", 11, QUIET, "middle")
    figure.arrow((465, 88), (465, 160))
    figure.arrow((390, 75), (300, 115), (300, 330))
    figure.arrow((530, 185), (620, 185))
    figure.text(575, 178, "chunk aggregates", 11, QUIET, "middle")
    figure.arrow((730, 185), (800, 185))
    figure.text(765, 178, "publishes", 11, QUIET, "middle")
    figure.arrow((815, 210), (730, 258))
    figure.arrow((730, 280), (800, 280))
    figure.text(762, 293, "publishes", 11, QUIET, "middle")
    figure.arrow((840, 295), (840, 345), (730, 345))
    figure.arrow((885, 185), (893, 185), (893, 370), (730, 370))
    figure.text(785, 340, "polls", 11, QUIET, "middle")
    figure.arrow((620, 365), (530, 365))
    figure.text(575, 380, "tile prefix", 11, QUIET, "middle")
    figure.arrow((640, 210), (560, 300), (560, 345), (530, 345))
    figure.text(500, 300, "chunk prefixes", 11, QUIET, "middle")
    figure.arrow((210, 355), (130, 355))
    figure.write("scan-warp-roles.svg")


def look():
    """What the carry-in warp polls for tile 2149."""
    figure = Figure(860, 190, "The exclusive prefix of tile 2149: two super-groups, three groups, five tiles")
    figure.box(20, 60, 130, 40, MEMORY, "init")
    for i in range(2):
        figure.box(160 + 140 * i, 60, 130, 40, MEMORY, f"super-group {i}", "32 groups")
    for i in range(3):
        figure.box(460 + 70 * i, 60, 62, 40, STATUS, f"group {64 + i}")
    for i in range(5):
        figure.box(680 + 26 * i, 60, 22, 40, STATUS)
    figure.box(812, 60, 34, 40, WARP, "2149")
    figure.text(20, 40, "kept in registers by this block", 12, QUIET)
    figure.text(460, 40, "look-back window: two words per lane", 12, QUIET)
    figure.text(680, 40, "tiles 2144 to 2148", 12, QUIET)
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
