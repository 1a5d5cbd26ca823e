#!/usr/bin/env python3
"""How often the intervals of levels hold on this machine, and how wide they are.

    benches/planted_levels.py [--times 8] [--commits 12] [--size 40] [--load]

A history is a git repository of a C program that loops; every commit makes another binary of the
same speed. Each time `tacho track` measures all of it. The truth is the geometric mean of the
levels of a run: what is not known of its usual speed, all levels share. Beside the interval that is
shown stands the one by ranks of the values at that speed.
"""
import argparse, json, math, multiprocessing, os, shutil, statistics, subprocess, tempfile

from planted import come_and_go
from planted_bisect import history, turns_for


def by_ranks(values):
    """From the k-th smallest to the k-th largest, for the largest k that holds 95 %."""
    values, missed, k = sorted(values), 0.0, 0
    while missed + math.comb(len(values), k) / 2 ** len(values) <= 0.025:
        missed += math.comb(len(values), k) / 2 ** len(values)
        k += 1
    return values[k - 1], values[-k]


def levels(tacho, folder):
    """Of each revision: its level, and both intervals, as logarithms."""
    shutil.rmtree(os.path.join(folder, ".tacho"), ignore_errors=True)
    subprocess.run([tacho, "track", "--yes"], cwd=folder, check=True, capture_output=True)
    answer = json.loads(subprocess.check_output([tacho, "show", "--json"], cwd=folder))
    [series] = [one for one in answer["series"] if one["metric"] == "wall"]
    ends = lambda pair: tuple(math.log(end) for end in pair)
    points = [
        (math.log(it["median"]), ends(it["interval"]), ends(by_ranks(it["values"])))
        for it in series["points"]
    ]
    return points, sum(it["slower"] for it in series.get("uneven", []))


def main():
    raw = argparse.RawDescriptionHelpFormatter
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    arguments.add_argument("--times", type=int, default=8)
    arguments.add_argument("--commits", type=int, default=12)
    arguments.add_argument("--size", type=float, default=40, help="milliseconds")
    arguments.add_argument("--load", action="store_true", help="beside a load that comes and goes")
    wanted = arguments.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    tacho = os.environ.get("TACHO", os.path.join(root, "target/release/tacho"))
    turns = turns_for(wanted.size)
    load = [
        multiprocessing.Process(target=come_and_go, args=(seed,), daemon=True)
        for seed in range(os.cpu_count() if wanted.load else 0)
    ]
    with tempfile.TemporaryDirectory() as folder:
        history(folder, wanted.commits, turns, 0, 1)
        for one in load:
            one.start()
        total, held, widths, scatter = 0, [0, 0], [[], []], []
        for _ in range(wanted.times):
            points, uneven = levels(tacho, folder)
            mean = statistics.fmean(level for level, *_ in points)
            scatter.append(statistics.pstdev([level for level, *_ in points]))
            total += len(points)
            for _, *intervals in points:
                for kind, (low, high) in enumerate(intervals):
                    held[kind] += low <= mean <= high
                    widths[kind].append((high - low) / 2)
            print(f"speed moved by {uneven:.0%}, load {os.getloadavg()[0]:.1f}:"
                  f" levels scatter by {scatter[-1]:.2%}", flush=True)
        for kind, name in enumerate(["shown", "by ranks"]):
            reach = statistics.fmean(widths[kind])
            print(f"{name}: {held[kind]} of {total} hold, ± {reach:.2%} (mean)")
        print(f"levels scatter by {statistics.median(scatter):.2%} (median of {wanted.times})")


if __name__ == "__main__":
    main()
