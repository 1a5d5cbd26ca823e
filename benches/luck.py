#!/usr/bin/env python3
"""How much builds of one source differ by their layout alone.

    benches/luck.py [--layouts 10] [--rounds 10] [--tacho tacho] [--answers FOLDER] FOLDER ...

Each folder has a `tacho.toml`. `tacho layouts HEAD` links its newest commit in several orders and executes all of them in
the same rounds. The table has a row a benchmark. Below it is what the prior of the detector takes from it
(`crates/stats/src/history/prior.rs`): the scale of luck over all rows, and how heavy its tails are. With --answers, the
JSON of each folder is kept there, and read again if it is there.
"""
import argparse, json, math, os, statistics, subprocess, sys

# Luck of a build beside its scale: Student's t of 4 degrees of freedom, as four Gaussians (shares,
# variances).
LUCK = [(0.75, 0.55), (0.2, 1.6), (0.04, 5.0), (0.01, 15.0)]
GAUSSIAN = [(1.0, 1.0)]
# The detector's scales of luck, and priors of them to choose from: up to this one all are as
# likely, larger ones are not.
SCALES = [3e-6 * 1.7 ** i for i in range(21)]
PRIORS = [1e-3 * 1.15 ** i for i in range(33)]


def measured(folder, wanted):
    name = os.path.basename(os.path.normpath(folder))
    kept = wanted.answers and os.path.join(wanted.answers, name + ".json")
    if kept and os.path.exists(kept):
        return name, json.load(open(kept))
    words = [wanted.tacho, "layouts", "HEAD", "-n", str(wanted.layouts), "-r", str(wanted.rounds), "--wait", "--json"]
    answer = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if not answer.stdout:
        sys.exit(f"{folder}: {answer.stderr}")
    if kept:
        open(kept, "w").write(answer.stdout)
    return name, json.loads(answer.stdout)


def rows_of(wanted):
    rows = []
    for folder in wanted.folders:
        name, answer = measured(folder, wanted)
        if answer["ignored"] or answer["not_built"]:
            print(f"{name}: left out: {answer['not_built'] or 'the build ignores the order'}", file=sys.stderr)
            continue
        rows += [dict(row, project=name) for row in answer["rows"] if row["relink"] is not None]
    return rows


def deviations(row):
    """How far each layout is from the middle one, and the error of such a median, as logarithms."""
    logs = [math.log(layout["median"]) for layout in row["layouts"] if layout["median"]]
    middle = statistics.median(logs)
    error = row["restart"] * math.sqrt(math.pi / 2 / statistics.median(one["samples"] for one in row["layouts"]))
    return [one - middle for one in logs], error


def density(value, scale, error, shape):
    total = 0.0
    for share, variance in shape:
        sd = math.sqrt(variance * scale * scale + error * error)
        total += share * math.exp(-0.5 * (value / sd) ** 2) / sd
    return total


def likelihood(rows, prior, shape):
    """The logarithm of how likely all rows are, each with a scale of its own."""
    total = 0.0
    for deviations, error in rows:
        terms = []
        for scale in SCALES:
            logs = sum(math.log(density(one, scale, error, shape)) for one in deviations)
            terms.append(logs + math.log(weight(scale, prior)))
        top = max(terms)
        total += top + math.log(sum(math.exp(term - top) for term in terms))
    return total


def weight(scale, prior):
    return (1 + (scale / prior) ** 2 / 4) ** -2.5


def normalised(prior):
    return math.log(sum(weight(scale, prior) for scale in SCALES))


def fitted(rows, shape):
    score = {prior: likelihood(rows, prior, shape) - len(rows) * normalised(prior) for prior in PRIORS}
    best = max(score, key=score.get)
    near = [prior for prior in PRIORS if score[prior] > score[best] - 1.92]
    return best, min(near), max(near), score[best]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--layouts", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--tacho", default="tacho")
    parser.add_argument("--answers")
    wanted = parser.parse_args()
    rows = rows_of(wanted)
    percent = lambda share: f"{100 * share:.2f} %"
    print("| project | benchmark | median | layouts | restart | luck | 95 % | slowest over fastest layout |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for row in sorted(rows, key=lambda row: row["relink"]):
        medians = [layout["median"] for layout in row["layouts"] if layout["median"]]
        bounds = f"{percent(row['relink_at_least'])} to {percent(row['relink_at_most'])}"
        print(f"| {row['project']} | {row['benchmark']} | {statistics.median(medians) / 1e6:.1f} ms | {len(medians)}"
              f" | {percent(row['restart'])} | {percent(row['relink'])} | {bounds} | {percent(max(medians) / min(medians) - 1)} |")
    fit = [deviations(row) for row in rows]
    print()
    for name, shape in (("Student's t of 4", LUCK), ("Gaussian", GAUSSIAN)):
        best, low, high, score = fitted(fit, shape)
        print(f"scale of the prior, luck {name}: {percent(best)} ({percent(low)} to {percent(high)}), log-likelihood {score:.1f}")
    for limit in (0.02, 0.04, 0.10):
        far = sum(abs(one) > limit + 2 * error for deviations, error in fit for one in deviations)
        print(f"layouts farther than {percent(limit)} from the middle one: {far} of {sum(len(one) for one, _ in fit)}")


if __name__ == "__main__":
    main()
