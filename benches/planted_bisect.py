#!/usr/bin/env python3
"""How often `tacho bisect` names a planted commit on this machine, and what it costs.

    benches/planted_bisect.py [--times 5] [--commits 96] [--size 40] [--steps 8,3,0]

Each history is a git repository of a C program that loops; every commit makes another binary of the same speed, but for
one, drawn at random, from which on the program does more turns. The steps take turns.
"""
import argparse, json, os, random, shutil, statistics, subprocess, tempfile, time

SOURCE = """#include <stdio.h>
static const char commit[] = "commit {commit}, {padding}";
int main(void) {{
    volatile long x = 0;
    for (long i = 0; i < {turns}L; i++) x += i;
    return fputs(commit, stderr) < 0;
}}
"""
PLAN = """[subject]
artifacts = ["loop"]
build = "cc -O1 -o loop loop.c"

[[benchmark]]
name = "loop"
command = "{build}/loop"
"""


def git(folder, *words):
    subprocess.run(["git", "-C", folder, *words], check=True, stdout=subprocess.DEVNULL)


def turns_for(size):
    """How many turns take this many milliseconds on this machine at its faster speed."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "loop.c"), os.path.join(folder, "loop")
        turns = 50_000_000
        open(source, "w").write(SOURCE.format(commit=0, padding="", turns=turns))
        subprocess.run(["cc", "-O1", "-o", program, source], check=True)
        times = []
        for _ in range(7):
            begin = time.perf_counter()
            subprocess.run([program], stderr=subprocess.DEVNULL, check=True)
            times.append(time.perf_counter() - begin)
        return int(turns * size / 1000 / min(times))


def history(folder, commits, turns, step, seed):
    draw = random.Random(seed)
    culprit = draw.randrange(1, commits) if step else None
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.email", "bench@localhost")
    git(folder, "config", "user.name", "bench")
    ids = []
    for commit in range(commits):
        slower = culprit is not None and commit >= culprit
        padding = "x" * draw.randrange(1, 400)
        text = SOURCE.format(commit=commit, padding=padding, turns=int(turns * (1 + step / 100 * slower)))
        open(os.path.join(folder, "loop.c"), "w").write(text)
        git(folder, "add", "loop.c")
        git(folder, "commit", "-qm", f"commit {commit}")
        head = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True)
        ids.append(head.stdout.strip())
    open(os.path.join(folder, "tacho.toml"), "w").write(PLAN)
    return ids, culprit


def one(tacho, commits, turns, step, seed):
    folder = tempfile.mkdtemp(prefix="planted-")
    try:
        ids, culprit = history(folder, commits, turns, step, seed)
        begin = time.perf_counter()
        words = [tacho, "bisect", ids[0], ids[-1], "--json"]
        answer = subprocess.run(words, capture_output=True, text=True, cwd=folder)
        took = time.perf_counter() - begin
        try:
            found = json.loads(answer.stdout)
        except json.JSONDecodeError:
            found = {"error": answer.stderr[-500:]}
        return {"step": step, "seed": seed, "status": answer.returncode, "took": took, "answer": found,
                "culprit": None if culprit is None else ids[culprit], "load": os.getloadavg()[0]}
    finally:
        shutil.rmtree(folder)


def judged(row):
    """Right, wrong, none (nothing changed) or undecided, and how many samples it took."""
    standing = row["answer"].get("standing") or {}
    outcome = standing.get("outcome", standing)
    culprits = outcome.get("culprits") or []
    samples = outcome.get("samples") or 0
    if culprits:
        return ("right" if culprits[0]["revision"] == row["culprit"] else "wrong"), samples
    return ("none" if row["status"] == 3 else "undecided"), samples


def report(rows):
    print("step    right wrong  none undecided  seconds  samples (medians)")
    for step in dict.fromkeys(row["step"] for row in rows):
        own = [(judged(row), row["took"]) for row in rows if row["step"] == step]
        count = lambda word: sum(found == word for (found, _), _ in own)
        seconds = statistics.median(took for _, took in own)
        samples = statistics.median(samples for (_, samples), _ in own)
        print(f"{step:+5.1f} % {count('right'):6} {count('wrong'):5} {count('none'):5} {count('undecided'):9}"
              f" {seconds:8.1f} {samples:8.0f}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--times", type=int, default=5)
    arguments.add_argument("--commits", type=int, default=96)
    arguments.add_argument("--size", type=float, default=40, help="milliseconds")
    arguments.add_argument("--steps", default="8,3,0", help="percent")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--keep", help="append each answer to this file")
    wanted = arguments.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    tacho = os.environ.get("TACHO", os.path.join(root, "target/release/tacho"))
    turns = turns_for(wanted.size)
    rows = []
    for time_ in range(wanted.times):
        for step in wanted.steps.split(","):
            row = one(tacho, wanted.commits, turns, float(step), 1000 * wanted.seed + time_)
            rows.append(row)
            if wanted.keep:
                open(wanted.keep, "a").write(json.dumps(row) + "\n")
    report(rows)


if __name__ == "__main__":
    main()
