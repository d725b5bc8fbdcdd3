#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models the time that a scan of floats over ranks takes in addition to the local passes.

    distributed_cost.py [--figure FILE]   prints tables in Markdown; draws docs/figures/distributed-cost.svg

A model, not a measurement: it compares the ways in which ranks join fragments. Every number that it assumes is below.
"""

import argparse
from dataclasses import dataclass
from math import ceil, log2, sqrt
from pathlib import Path

# A fragment. On both sides of a cut together: the elements of a lane vector, the other lane vectors of a row, rows of a
# chunk and chunks of a tile, and pairs of tiles up to the size of a part (docs/how-distributed-works.md).
ELEMENTS_PER_LANE_VECTOR = 4  # float
ELEMENTS_PER_TILE = 2048 * ELEMENTS_PER_LANE_VECTOR
STATUS, HEADER, VALUE = 8, 40, 4  # bytes
# Joining on one core, per value: `distributed_messages 1024`, AMD EPYC, g++ 12.2 -O3: 4 to 8 ns, on a busy
# machine.
JOIN = 5e-3

# The library's choice: tilewise::engine::standard_joining
MOST_PACKETS = 32


@dataclass
class Network:
    """Latencies in microseconds, bandwidths in bytes per microsecond."""
    start: float = 6.6  # of a collective. NCCL, src/graph/tuning.cc at 01afd20: base latency of the LL protocol
    node_hop: float = 0.6  # the same file: NVLink, a step of a ring
    hop: float = 5.0  # the same file: network, a step of a tree
    message: float = 0.5  # each further message of a round: an estimate
    node_bandwidth: float = 75e3  # a sixth of NVLink 4's 450 GB/s: an estimate for small messages
    bandwidth: float = 20e3  # two fifths of 400 Gbit/s: an estimate for small messages


GPUS_PER_NODE = 8


def values_of_fragment(elements):
    """Of a part of so many elements with cuts anywhere, on average."""
    return 45 + ELEMENTS_PER_LANE_VECTOR + max(0, log2(elements / ELEMENTS_PER_TILE))


def packet(elements):
    return STATUS + VALUE * values_of_fragment(elements)


def gather(net, ranks, size):
    """A collective that brings so many bytes of each rank to all: a ring in a node, doubling between nodes."""
    if ranks <= GPUS_PER_NODE:
        return net.start + (ranks - 1) * net.node_hop + ranks * size / net.node_bandwidth
    return net.start + ceil(log2(ranks)) * net.hop + ranks * size / net.bandwidth


def round_of_messages(net, messages, size, in_node=False):
    hop, bandwidth = (net.node_hop, net.node_bandwidth) if in_node else (net.hop, net.bandwidth)
    return net.start + hop + (messages - 1) * net.message + messages * size / bandwidth


def join(packets, elements):
    return packets * values_of_fragment(elements) * JOIN


def flat(net, ranks, elements):
    return gather(net, ranks, packet(elements)) + join(ranks, elements)


def at_once(net, units, elements, in_node=False):
    return round_of_messages(net, units - 1, packet(elements), in_node) + join(units, elements)


def doubling(net, units, elements):
    rounds = ceil(log2(units))
    return rounds * (round_of_messages(net, 1, packet(elements)) + join(2, elements))


def groups(net, ranks, elements):
    """Groups of as many ranks as there are groups."""
    size = ceil(sqrt(ranks))
    return at_once(net, size, elements) + at_once(net, ceil(ranks / size), elements * size)


def nodes_first(net, ranks, elements):
    """Groups of whole nodes; beyond the square of MOST_PACKETS one node, and doubling between those."""
    if ranks <= GPUS_PER_NODE:
        return flat(net, ranks, elements)
    if ranks <= MOST_PACKETS**2:
        size = ceil(ceil(sqrt(ranks)) / GPUS_PER_NODE) * GPUS_PER_NODE
        return (at_once(net, size, elements, in_node=size == GPUS_PER_NODE)
                + at_once(net, ceil(ranks / size), elements * size))
    return (at_once(net, GPUS_PER_NODE, elements, in_node=True)
            + doubling(net, ceil(ranks / GPUS_PER_NODE), elements * GPUS_PER_NODE))


def chosen(net, ranks, elements, knows_nodes):
    if ranks <= MOST_PACKETS:
        return flat(net, ranks, elements)
    if knows_nodes:
        return nodes_first(net, ranks, elements)
    return (groups if ranks <= MOST_PACKETS**2 else doubling)(net, ranks, elements)


def local_scan(elements):
    """Two reads and a write on an H200 at 4.2 TB/s (docs/benchmarks/scan-h200.md)."""
    return 3 * VALUE * elements / 4.2e6


WAYS = {"flat": flat, "groups": groups, "doubling": doubling, "in whole nodes": nodes_first}


def table(net, elements):
    print(f"Microseconds for parts of 2^{log2(elements):.0f} floats, whose local scan takes {local_scan(elements):.0f} "
          "us\n")
    print("| ranks | header | " + " | ".join(WAYS) + " | chosen |\n|--:|" + "--:|" * (len(WAYS) + 2))
    for ranks in (8, 16, 32, 64, 256, 1024, 4096, 65536):
        times = [way(net, ranks, elements) for way in WAYS.values()]
        print(f"| {ranks} | {gather(net, ranks, HEADER):.0f} | " + " | ".join(f"{time:.0f}" for time in times)
              + f" | {chosen(net, ranks, elements, False):.0f} |")
    print()


def crossings(elements):
    print("From how many ranks on the next way is quicker, by what a round of one message takes; (late) where one more "
          "gather follows the groups\n")
    print("| a round, us | groups, not flat | (late) | doubling, not groups |\n|--:|--:|--:|--:|")
    for time in (2, 5, 11.6, 16):
        net = Network(start=time * 0.57, hop=time * 0.43)
        beyond_node = range(GPUS_PER_NODE + 1, 1 << 17)
        ahead = {
            late: next(ranks for ranks in beyond_node if all(
                groups(net, more, elements) + late * gather(net, more, STATUS) < flat(net, more, elements)
                for more in range(ranks, ranks + 100)))
            for late in (False, True)}
        to_doubling = next(ranks for ranks in beyond_node if ranks > MOST_PACKETS
                           and doubling(net, ranks, elements) < groups(net, ranks, elements))
        print(f"| {time} | {ahead[False]} | {ahead[True]} | {to_doubling} |")


def draw(net, path):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tilewise"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    elements = 1 << 28
    ranks = [1 << k for k in range(3, 17)]
    for (name, way), colour in zip(WAYS.items(), ("tab:gray", "tab:green", "tab:blue", "tab:purple")):
        axes.plot(ranks, [way(net, p, elements) for p in ranks], color=colour, linewidth=1.5, label=name)
    axes.plot(ranks, [chosen(net, p, elements, False) for p in ranks], color="tab:orange", linewidth=5, alpha=0.5,
              label="chosen, nodes unknown")
    axes.plot(ranks, [gather(net, p, HEADER) for p in ranks], color="black", linewidth=1, linestyle=":",
              label="the header, in addition")
    for exponent in (20, 28):
        axes.axhline(local_scan(1 << exponent), color="black", linewidth=0.6, linestyle="--")
        axes.text(ranks[-1], local_scan(1 << exponent) * 1.15, f"local scan of 2^{exponent} floats", fontsize=8,
                  horizontalalignment="right")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(ranks, [str(p) for p in ranks], fontsize=8)
    axes.set_xlabel("ranks")
    axes.set_ylabel("microseconds, modelled")
    axes.legend(fontsize=8)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", type=Path, help="draw the figure to this file; needs matplotlib")
    arguments = parser.parse_args()
    net = Network()
    for elements in (1 << 20, 1 << 28):
        table(net, elements)
    crossings(1 << 20)
    if arguments.figure:
        draw(net, arguments.figure)


if __name__ == "__main__":
    main()
