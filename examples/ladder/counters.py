#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a table of what a profiler counted in the ladders' kernels.

    ncu --csv --page raw --metrics METRICS build/gpu/bin/example_ladder reductions --log2-size 25 --runs 1 > FILE
    examples/ladder/counters.py FILE... --about "machine, driver, date, commit" > docs/benchmarks/ladders/counters.md

`examples/ladder/counters.py --metrics` prints METRICS. Of a kernel's launches the longest counts.
"""

import argparse
import csv
import re
from pathlib import Path

COLUMNS = { # metric: head, how a number is written
    "gpu__time_duration.sum": ("time, us", lambda ns: f"{ns / 1e3:.1f}"),
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": ("DRAM, % of peak", lambda percent: f"{percent:.0f}"),
    "dram__bytes_read.sum": ("MB read", lambda size: f"{size / 1e6:.1f}"),
    "dram__bytes_write.sum": ("MB written", lambda size: f"{size / 1e6:.1f}"),
    "smsp__inst_executed.sum": ("warp instructions, millions", lambda count: f"{count / 1e6:.2f}"),
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio":
        ("active threads per warp", lambda threads: f"{threads:.1f}"),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": ("bank conflicts, thousands", lambda n: f"{n / 1e3:.0f}"),
    "lts__t_sectors_op_red.sum": ("atomics at L2, thousands", lambda count: f"{count / 1e3:.0f}"),
    "smsp__warps_active.avg.pct_of_peak_sustained_active": ("occupancy, %", lambda percent: f"{percent:.0f}"),
}


def kernels(path):
    """The ladders' kernels in the order of their first launch: name and the row of the longest one."""
    lines = path.read_text().splitlines()
    head, _, *rows = csv.reader(lines[next(i for i, line in enumerate(lines) if line.startswith('"ID"')):])
    found = {}
    for row in rows:
        if len(row) != len(head):
            continue
        launch = dict(zip(head, row))
        name = re.sub(r"^void |\(.*", "", launch["Kernel Name"])
        if name.startswith(("ladder::", "count_", "add_up")) and "counted" not in name:
            launch = {metric: float(launch[metric].replace(",", "")) for metric in COLUMNS}
            time = "gpu__time_duration.sum"
            if name not in found or found[name][time] < launch[time]:
                found[name] = launch
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--about", default="")
    parser.add_argument("--metrics", action="store_true")
    arguments = parser.parse_args()
    if arguments.metrics:
        print(",".join(COLUMNS))
        return
    print("# What a profiler counts in the ladders' kernels\n")
    print(f"{arguments.about}. The longest launch of each kernel; times are longer than without the profiler. "
          "Active threads per warp: the average of an instruction, of 32, without predicated-off threads. "
          "Occupancy: resident warps, of the maximum. "
          "Atomics at L2: 32-byte sectors of reductions that reach the L2 cache.\n")
    print("| kernel | " + " | ".join(head for head, _ in COLUMNS.values()) + " |")
    print("|---|" + "--:|" * len(COLUMNS))
    for path in arguments.files:
        for name, launch in kernels(path).items():
            numbers = (written(launch[metric]) for metric, (_, written) in COLUMNS.items())
            print(f"| `{re.sub(r'ladder::', '', name)}` | " + " | ".join(numbers) + " |")


if __name__ == "__main__":
    main()
