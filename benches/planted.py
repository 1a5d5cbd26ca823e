#!/usr/bin/env python3
"""How often `tacho compare` sees a known difference on this machine.

    benches/planted.py [--times 20] [--size 50] [--rounds 30] [--memory] [--load]
                       [--peers] [--same-samples] [--keep FILE]

A C program loops for a known number of turns (with --memory it walks through 64 MiB instead).
Each cell compares it with itself or with one that does 1, 2, 5 or 8 % more. The cells take turns,
so that all meet the same host. With --peers
hyperfine measures the same pair next; a rank test, Welch's test and minima judge its times.
With --same-samples `tacho bench` executes all rounds, and its ratio, the tests and the minima
judge the same samples.
With --load each processor is by turns busy and idle meanwhile, for 0.1 to 1.5 s.
With --keep the table is of all answers in the file, those of earlier calls included.
"""
import argparse, json, math, multiprocessing, os, random, shutil
import statistics, subprocess, sys, tempfile, time

SOURCE = r"""
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    long turns = atol(argv[1]);
    if (argc > 2) {
        size_t n = 64ul << 20, at = 0;
        unsigned char *room = malloc(n);
        memset(room, 1, n);
        volatile unsigned char sum = 0;
        for (long i = 0; i < turns; i++) { sum += room[at]; at = (at + 4160 * 7 + 64) % n; }
        return 0;
    }
    volatile long x = 0;
    for (long i = 0; i < turns; i++) x += i;
    return 0;
}
"""
STEPS = [0.0, 0.01, 0.02, 0.05, 0.08]


def shortest(command):
    times = []
    for _ in range(9):
        begin = time.perf_counter()
        subprocess.run(command, check=True)
        times.append(time.perf_counter() - begin)
    return min(times)


def turns_for(size, command):
    """The turns of a program of `size` milliseconds, and those that make it twice as long.

    They differ by the program's start, which takes most of a millisecond and has no turns.
    """
    low = shortest(command(1000))
    turns = 2_000_000 if len(command(1)) > 2 else 20_000_000
    took = shortest(command(turns)) - low
    return int(turns * (size / 1000 - low) / took), turns * size / 1000 / took


def normal_above(z):
    return 0.5 * math.erfc(z / math.sqrt(2))


def rank_test(a, b):
    merged = sorted([(x, 0) for x in a] + [(x, 1) for x in b])
    ranks = sum(i + 1 for i, (_, side) in enumerate(merged) if side == 1)
    n, m = len(a), len(b)
    z = (ranks - m * (n + m + 1) / 2) / math.sqrt(n * m * (n + m + 1) / 12)
    return 2 * normal_above(abs(z))


def welch(a, b):
    if len(a) < 2 or len(b) < 2:
        return 1.0
    error = math.sqrt(statistics.variance(a) / len(a) + statistics.variance(b) / len(b))
    return 2 * normal_above(abs(statistics.mean(b) - statistics.mean(a)) / max(error, 1e-12))


def ours(tacho, a, b, rounds):
    words = [tacho, "compare", "--command", a, b, "-r", str(rounds), "--json"]
    begin = time.perf_counter()
    answer = subprocess.run(words, capture_output=True, text=True)
    took = time.perf_counter() - begin
    if not answer.stdout:
        sys.exit(answer.stderr)
    return json.loads(answer.stdout), took


def hyperfine(a, b, runs):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        words = ["hyperfine", "-N", "--warmup", "2", "--runs", str(runs), "--export-json", out.name, a, b]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        one, other = json.load(open(out.name))["results"]
    ratio = other["mean"] / one["mean"]
    spread = ratio * math.hypot(one["stddev"] / one["mean"], other["stddev"] / other["mean"])
    a, b = one["times"], other["times"]
    return {"ratio": ratio, "spread": spread, "rank": rank_test(a, b), "welch": welch(a, b),
            "minima": min(b) / min(a), "medians": statistics.median(b) / statistics.median(a)}


def come_and_go(seed):
    draw = random.Random(seed)
    while True:
        until = time.monotonic() + draw.uniform(0.1, 1.5)
        while time.monotonic() < until:
            pass
        time.sleep(draw.uniform(0.1, 1.5))


def beside(tacho, a, b, rounds):
    """The answers of several methods to the same samples, which `tacho bench` measured."""
    words = [tacho, "bench", "--json", "-r", str(rounds), "--reference", a, a, b]
    answer = subprocess.run(words, capture_output=True, text=True)
    if not answer.stdout:
        sys.exit(answer.stderr)
    one, other = json.loads(answer.stdout)["commands"]
    a, b = [[sample["values"]["wall"] for sample in side["samples"]] for side in (one, other)]
    kept = ("verdict", "ratio", "interval", "p", "estimator")
    return {"ours": {key: other["compared"][key] for key in kept},
            "rank": rank_test(a, b), "welch": welch(a, b), "minima": min(b) / min(a),
            "medians": statistics.median(b) / statistics.median(a),
            "means": statistics.mean(b) / statistics.mean(a)}


def report_beside(cells, wanted):
    what = "memory-bound" if wanted.memory else "loop"
    print(f"{what}, {wanted.size:g} ms, {wanted.rounds} rounds;"
          " detected at 5 %, and root mean square errors")
    print("step     of   ours  rank  Welch   covered   rms: ours  medians  means  minima")
    for step, rows in cells.items():
        chances = [[row["ours"]["p"], row["rank"], row["welch"]] for row in rows]
        found = [sum(chance < 0.05 for chance in way) for way in zip(*chances)]
        intervals = [row["ours"]["interval"] for row in rows]
        covered = sum(low <= 1 + step <= high for low, high in intervals)
        squares = lambda ratios: [math.log(ratio / (1 + step)) ** 2 for ratio in ratios]
        off = lambda ratios: math.sqrt(statistics.mean(squares(ratios)))
        errors = [off(row["ours"]["ratio"] for row in rows)]
        errors += [off(row[way] for row in rows) for way in ("medians", "means", "minima")]
        print(f"{100 * step:+5.1f} % {len(rows):4d}",
              f"{found[0]:6d} {found[1]:5d} {found[2]:6d} {covered:9d}   ",
              " ".join(f"{error:8.4f}" for error in errors))


def report(cells, wanted):
    what = "memory-bound" if wanted.memory else "loop"
    print(f"{what}, {wanted.size:g} ms, at most {wanted.rounds} rounds")
    print("step    slower faster  same  unclear  rounds  seconds  covered   rank  rms: ours  medians"
          " | hyperfine: apart  rank  Welch  rms: means  minima")
    for step, rows in cells.items():
        count = {"slower": 0, "faster": 0, "same": 0, "unclear": 0}
        rounds, covered, ranked, ours_off, medians_off, peers = [], 0, 0, [], [], []
        for row in rows:
            judged = row["answer"]["rows"][0]
            count[judged["verdict"]] = count.get(judged["verdict"], 0) + 1
            rounds.append(judged["rounds"])
            low, high = judged["interval"]
            covered += low <= 1 + step <= high
            ranked += judged["rank_test"]["p"] < 0.05
            ours_off.append(math.log(judged["ratio"] / (1 + step)))
            medians_off.append(math.log(judged["b"] / judged["a"] / (1 + step)))
            if "hyperfine" in row:
                peer = row["hyperfine"]
                apart = abs(peer["ratio"] - 1) > peer["spread"]
                wrong = step > 0 and peer["ratio"] < 1
                peers.append((apart and not wrong, peer["rank"] < 0.05 and not wrong,
                              peer["welch"] < 0.05 and not wrong, math.log(peer["ratio"] / (1 + step)),
                              math.log(peer["minima"] / (1 + step))))
        rms = lambda off: math.sqrt(statistics.mean(x * x for x in off))
        seconds = statistics.median(row["took"] for row in rows)
        print(f"{100 * step:+5.1f} %  {count['slower']:5d} {count['faster']:6d} {count['same']:6d} {count['unclear']:7d}"
              f" {statistics.median(rounds):8.0f} {seconds:8.1f} {covered:6d}/{len(rows)} {ranked:6d}"
              f" {rms(ours_off):10.4f} {rms(medians_off):8.4f}", end="")
        if peers:
            apart, rank, welched, means, minima = zip(*peers)
            print(f" | {sum(apart):16d} {sum(rank):5d} {sum(welched):6d} {rms(means):11.4f} {rms(minima):7.4f}", end="")
        print()
    loads = [row["load"] for rows in cells.values() for row in rows]
    print(f"load average {min(loads):.1f} to {max(loads):.1f}; rank: a rank test of the same samples at 0.05;"
          " of hyperfine: 1 outside of its ratio ± its spread, then tests"
          " of its times at 0.05")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--times", type=int, default=20)
    arguments.add_argument("--size", type=float, default=50, help="milliseconds")
    arguments.add_argument("--rounds", type=int, default=30)
    arguments.add_argument("--steps", default=",".join(f"{step:g}" for step in STEPS))
    arguments.add_argument("--memory", action="store_true")
    arguments.add_argument("--load", action="store_true")
    arguments.add_argument("--peers", action="store_true")
    arguments.add_argument("--same-samples", action="store_true")
    arguments.add_argument("--keep", type=os.path.abspath, help="append each answer to this file")
    wanted = arguments.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    tacho = os.environ.get("TACHO", os.path.join(root, "target/release/tacho"))
    steps = [float(step) for step in wanted.steps.split(",")]
    folder = tempfile.mkdtemp(prefix="planted-")
    os.chdir(folder)
    open("loop.c", "w").write(SOURCE)
    subprocess.run(["cc", "-O1", "-o", "loop", "loop.c"], check=True)
    loop = os.path.join(folder, "loop")
    more = ["memory"] if wanted.memory else []
    turns, whole = turns_for(wanted.size, lambda n: [loop, str(n), *more])
    line = lambda n: " ".join([loop, str(n), *more])
    cells = {step: [] for step in steps}
    for seed in range(os.cpu_count() if wanted.load else 0):
        multiprocessing.Process(target=come_and_go, args=(seed,), daemon=True).start()
    for _ in range(wanted.times):
        for step in steps:
            a, b = line(turns), line(int(turns + step * whole))
            row = {"step": step, "load": os.getloadavg()[0]}
            if wanted.same_samples:
                # A text of its own, also where both are the same program.
                row |= beside(tacho, a, b.replace(" ", " 0", 1), wanted.rounds)
            else:
                row["answer"], row["took"] = ours(tacho, a, b, wanted.rounds)
            if wanted.peers and shutil.which("hyperfine"):
                row["hyperfine"] = hyperfine(a, b, 2 * wanted.rounds)
            cells[step].append(row)
            if wanted.keep:
                with open(wanted.keep, "a") as kept:
                    kept.write(json.dumps(row) + "\n")
    shutil.rmtree(folder)
    if wanted.keep:
        cells = {step: [] for step in steps}
        for row in map(json.loads, open(wanted.keep)):
            cells.setdefault(row["step"], []).append(row)
    (report_beside if wanted.same_samples else report)(cells, wanted)


if __name__ == "__main__":
    main()
