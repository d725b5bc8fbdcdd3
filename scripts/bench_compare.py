#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the benchmark results of two commits.

    scripts/bench_compare.py --old OLD.json... --new NEW.json... [--threshold 2]

Each file is an output of tilewise_bench (--out of a GPU suite, --benchmark_out of a CPU suite) or a result in
docs/benchmarks. Pass several runs of each commit, alternating on one machine, as `scripts/gpu versus` produces them: the
interval of a ratio is then Student's 95 % confidence interval over the pairs of runs, on a logarithmic scale. With one
file each, it is computed from the repetitions within the runs; it is then too narrow, because it does not include the
variation between runs.

A setting has changed if its whole interval is farther from 1 than the threshold (2 %). One in twenty intervals does not
contain the true ratio, so among hundreds of settings a few appear to have changed by chance. The baselines show how
many: their code is the same in both commits, so a change in them is a change of the machine.

Exit status: 1 if a setting of tilewise became slower, 2 if there is nothing to compare, otherwise 0.
"""

import argparse
import json
import math
import random
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

# Student's t for 95 %, two-sided, by degrees of freedom
STUDENT = (math.nan, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
           2.131, 2.120, 2.110, 2.101, 2.093, 2.086)


@dataclass(frozen=True)
class Time:
    """A median in microseconds, and its 95 % confidence interval."""
    median: float
    low: float
    high: float


def of_repetitions(times):
    """The median of single times. Its interval has ranks from the binomial distribution."""
    times = sorted(times)
    chances = [math.comb(len(times), heads) / 2 ** len(times) for heads in range(len(times) + 1)]
    left_out = 0
    while 2 * sum(chances[:left_out + 2]) <= 0.05:
        left_out += 1
    return Time(statistics.median(times), times[left_out], times[-1 - left_out])


def of_gpu(rows):
    """Rows of a GPU suite: its output, or a result in docs/benchmarks."""
    for row in rows:
        setting = (row["part"], row["what"], f"2^{row['n'].bit_length() - 1} + {row['offset']}", row["who"])
        yield setting, Time(row["median_us"], row.get("low_us", row["quartile1_us"]),
                            row.get("high_us", row["quartile3_us"]))


def of_processor(rows):
    """Rows of Google Benchmark: one for each repetition."""
    times = defaultdict(list)
    for row in rows:
        if row.get("run_type", "iteration") == "iteration":
            algorithm, what, who, count = row["name"].split("/")[:4]
            scale = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[row["time_unit"]]
            times[algorithm, what, f"2^{int(count).bit_length() - 1}", who].append(scale * row["real_time"])
    for setting, repetitions in times.items():
        yield setting, of_repetitions(repetitions)


def of_result(rows):
    """Rows of a CPU result in docs/benchmarks, in GB/s. Returns the times of 1 MB."""
    for row in rows:
        setting = ("", row["type"], f"2^{row['n'].bit_length() - 1}", row["who"])
        yield setting, Time(1e3 / row["median"], 1e3 / row["most"], 1e3 / row["least"])


def load(path):
    """The times of a file by setting: part, input, size, competitor."""
    text = path.read_text(encoding="utf-8")
    if text.startswith(('{"kind"', '{"record"')): # as older commits write
        lines = map(json.loads, filter(None, text.splitlines()))
        return dict(of_gpu(line | {"n": int(line["n"]), "offset": int(line["offset"])}
                           for line in lines if line.get("kind", line.get("record")) == "measurement"))
    content = json.loads(text)
    if "benchmarks" in content:
        return dict(of_processor(content["benchmarks"]))
    rows = content["rows"]
    return dict((of_gpu if rows and "part" in rows[0] else of_result)(rows))


def speedup(old, new):
    """The speedup of `new` and its interval, from lists of Times, one for each run."""
    ratios = [math.log(before.median / after.median) for before, after in zip(old, new)]
    if len(ratios) == 1:
        return math.exp(ratios[0]), old[0].low / new[0].high, old[0].high / new[0].low
    mean = statistics.fmean(ratios)
    reach = STUDENT[min(len(ratios), len(STUDENT)) - 1] * statistics.stdev(ratios) / math.sqrt(len(ratios))
    return math.exp(mean), math.exp(mean - reach), math.exp(mean + reach)


def changed(interval, threshold):
    """Whether the whole interval is slower (-1) or faster (1) by more than the threshold; otherwise 0."""
    _, low, high = interval
    return (low > 1 + threshold) - (high < 1 / (1 + threshold))


def name(setting):
    return " ".join(filter(None, setting))


def line(setting, interval):
    return f"  {interval[0]:.3f}  ({interval[1]:.3f} to {interval[2]:.3f})  {name(setting)}"


def summary(intervals, threshold):
    """A one-line summary of many settings."""
    verdicts = [changed(interval, threshold) for interval in intervals]
    mean = math.exp(statistics.fmean(math.log(interval[0]) for interval in intervals))
    return (f"{len(verdicts)} settings: {verdicts.count(1)} faster, {verdicts.count(-1)} slower, "
            f"geometric mean {mean:.3f}")


def compare(old, new, threshold):
    """Returns the report on two lists of runs, and the exit status."""
    runs = (*old, *new)
    measured = list(dict.fromkeys(setting for run in runs for setting in run))
    settings = [setting for setting in measured if all(setting in run for run in runs)]
    if not settings:
        return "the files have no setting in common", 2
    left_out = [setting for setting in measured if setting not in settings]
    intervals = {setting: speedup([run[setting] for run in old], [run[setting] for run in new]) for setting in settings}
    ours = {setting: interval for setting, interval in intervals.items() if setting[3].startswith("tilewise")}
    baselines = [interval for setting, interval in intervals.items() if setting not in ours]
    text = [f"old time / new time, {len(old)} run(s) of each commit; ratios above 1: the new commit is faster"]
    for verdict, title in ((-1, "slower"), (1, "faster")):
        found = {setting: interval for setting, interval in ours.items() if changed(interval, threshold) == verdict}
        if found:
            text += ["", title] + [line(*one) for one in sorted(found.items(), key=lambda one: one[1][0] ** -verdict)]
    if left_out:
        text += ["", "not compared, because not all runs have it"] + [f"  {name(setting)}" for setting in left_out]
    text += ["", f"tilewise, {summary(ours.values(), threshold)}"] if ours else []
    text += [f"baselines, {summary(baselines, threshold)}"] if baselines else []
    return "\n".join(text), int(any(changed(interval, threshold) < 0 for interval in ours.values()))


def self_test():
    """Compares runs that differ only by noise, and runs with one slower setting, which must be reported."""
    noise = random.Random(1)
    settings = [("types", f"type {i}", "2^20 + 0", who) for i in range(100) for who in ("tilewise", "cub")]

    def run(slower):
        def time(setting):
            median = 100 * math.exp(noise.gauss(0, 0.003)) * (slower if setting == settings[0] else 1)
            return Time(median, median * 0.999, median * 1.001)
        return {setting: time(setting) for setting in settings}

    def same(text, status):
        return status == 0 and "slower\n" not in text

    def without(setting, runs):
        return [{key: time for key, time in run.items() if key != setting} for run in runs]

    five = [run(1) for _ in range(5)]
    lacking = "have it\n  " + name(settings[7]) + "\n\n"

    checks = {
        "noise": same(*compare([run(1) for _ in range(5)], [run(1) for _ in range(5)], 0.02)),
        "planted": "slower\n  0.9" in compare([run(1) for _ in range(5)], [run(1.05) for _ in range(5)], 0.02)[0],
        "status": compare([run(1) for _ in range(5)], [run(1.05) for _ in range(5)], 0.02)[1] == 1,
        "in one run": compare([run(1)], [run(1.05)], 0.02)[1] == 1,
        "faster": compare([run(1.05) for _ in range(5)], [run(1) for _ in range(5)], 0.02)[0].count("\nfaster\n") == 1,
        "nothing": compare([{}], [run(1)], 0.02)[1] == 2,
        "only in the old": lacking in compare(five, without(settings[7], five), 0.02)[0],
        "only in the new": lacking in compare(without(settings[7], five), five, 0.02)[0],
        "in all": "have it" not in compare(five, five, 0.02)[0],
        "interval of 61": of_repetitions(range(61)) == Time(30, 22, 38),
        "interval of 6": of_repetitions(range(6)) == Time(2.5, 0, 5),
        "interval of 5": of_repetitions(range(5)) == Time(2, 0, 4),
    }
    for check in (check for check, passed in checks.items() if not passed):
        print(f"self-test {check}: failed")
    print(f"self-test: {sum(checks.values())} of {len(checks)}")
    return int(not all(checks.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", metavar="OLD.json", nargs="+", type=Path, default=[])
    parser.add_argument("--new", metavar="NEW.json", nargs="+", type=Path, default=[])
    parser.add_argument("--threshold", metavar="PERCENT", type=float, default=2)
    parser.add_argument("--self-test", action="store_true", help="test this script")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if not arguments.old or len(arguments.old) != len(arguments.new):
        parser.error("--old and --new need the same number of files, because runs are compared in pairs")
    text, status = compare([load(path) for path in arguments.old], [load(path) for path in arguments.new],
                           arguments.threshold / 100)
    print(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
