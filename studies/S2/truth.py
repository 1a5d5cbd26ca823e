#!/usr/bin/env python3
"""Compares what `tacho changes --json` (standard input) found with the commits that change the speed.

Usage: truth.py HISTORY TRUTH     Prints Markdown. A change names a commit where the range after its last good
revision, up to its bad one, holds that commit.
"""

import json
import subprocess
import sys


def main():
    history, truth = sys.argv[1:]
    log = subprocess.run(["git", "-C", history, "rev-list", "--reverse", "main"], capture_output=True, text=True, check=True)
    place = {commit: at for at, commit in enumerate(log.stdout.split())}

    def at(name):
        return next(place[commit] for commit in place if commit.startswith(name))

    answer = json.load(sys.stdin)
    changes = [change for event in answer["events"] for change in event["changes"] if change["life"] != "withdrawn"]
    print("| commit | what it does | wall | cpu |\n|:---|:---|:---|:---|")
    found = {name: [it for it in changes if it["metric"] == name] for name in ["wall", "cpu"]}
    named = set()
    for line in open(truth):
        commit, day, subject = line.rstrip("\n").split(" ", 2)
        cells = []
        for of in found.values():
            hits = [it for it in of if at(it["good"]) < at(commit) <= at(it["bad"])]
            named |= {it["name"] for it in hits}
            cells.append(", ".join(words(it, at(it["bad"]) - at(it["good"])) for it in hits) or "no")
        print(f"| `{commit[:10]}` {day} | {subject} | {' | '.join(cells)} |")
    for name, of in found.items():
        others = [it for it in of if it["name"] not in named]
        print(f"\n{name}: {len(of) - len(others)} changes at these commits, {len(others)} elsewhere")


def words(change, commits):
    """The effect, and how many commits may have made it where that is not one."""
    range_ = "" if commits == 1 else f" (one of {commits} commits)"
    return f"{100 * change['effect']:+.1f} %{range_}".replace("-", "−")


main()
