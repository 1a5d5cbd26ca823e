#!/usr/bin/env python3
"""What each rule of the detectors is worth: turns it off by itself, and scores.

    benches/ablation.py --values FILE... --histories FILE      a row a rule
    benches/ablation.py ... --only trend,dips                  these rules, each by itself
    benches/ablation.py ... --together trend,dips              these rules at once
    benches/ablation.py --limits --only trend                  tests that fail without it

The files are labelled: the first of --values as `changes/labelled.rs` has them, others likewise;
--histories as `history/labelled.rs` has them. Simulated series and histories are scored beside
them, and depend on --seed. The tree is copied to target/ablation, and each rule there gets a
switch that the variable TACHO_OFF turns (RULES: its file, what stands there, and what stands there
when it is off). So all is built once. A rule of which a text is not found any more is an error.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "target/ablation"

SWITCH = """
/// Whether a rule is off.
pub(crate) fn is_off(rule: &str) -> bool {
    static OFF: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    let read = || {
        let all = std::env::var("TACHO_OFF").unwrap_or_default();
        all.split(',').map(str::to_owned).collect()
    };
    OFF.get_or_init(read).iter().any(|off| off == rule)
}
"""

# Name, file below crates/stats/src, what stands there, and in its place, where OFF is the switch.
RULES = [
    # -- values alone
    ("turns", "changes/mod.rs", "Ok(series) => alternating::without(series),",
     "Ok(series) => if OFF { series } else { alternating::without(series) },"),
    ("curve", "changes/mod.rs", "trend::beside(&judge, &choice, &proposed.candidates) else {",
     "trend::beside(&judge, &choice, &proposed.candidates).filter(|_| !OFF) else {"),
    ("curve-degrees", "changes/trend.rs", "let most = if n <= LONG {",
     "let most = if n <= LONG && !OFF {"),
    ("curve-largest", "changes/trend.rs", "[places, largest.clone()]",
     "[places.clone(), if OFF { places } else { largest.clone() }]"),
    ("dips", "changes/mod.rs",
     "dips::add(&series, &levels, &modes.places, options.outlier, price);",
     "if OFF { modes.places.clone() } else "
     "{ dips::add(&series, &levels, &modes.places, options.outlier, price) };"),
    ("dips-rare", "changes/dips.rs", "if usual > self.price\n",
     "if OFF || usual > self.price\n"),
    ("ends", "changes/mod.rs", "without_ends(&mut candidates, series.len());",
     "if !OFF { without_ends(&mut candidates, series.len()); }"),
    ("modes", "changes/mod.rs", "modes = modes::find(series, &levels, outlier);",
     "modes = if OFF { Vec::new() } else { modes::find(series, &levels, outlier) };"),
    ("modes-between", "changes/modes.rs",
     "Some(offset) if bound[1] - bound[0] <= LONGEST",
     "Some(offset) if bound[1] - bound[0] <= LONGEST && !OFF"),
    ("share", "changes/mod.rs", "mode_swap::divide(",
     "if !OFF { mode_swap::divide("),
    ("place", "changes/mod.rs", "let choice = locate::locate(judge, choice);",
     "let choice = if OFF { choice } else { locate::locate(judge, choice) };"),
    ("place-within-two", "changes/locate.rs",
     "(first..end).map(|other| likely[other] * WORTH[place.abs_diff(other)]).sum()",
     "if OFF { likely[place] } else "
     "{ (first..end).map(|other| likely[other] * WORTH[place.abs_diff(other)]).sum() }"),
    ("place-tails", "changes/locate.rs", "filtered - most + tails)",
     "filtered - most + if OFF { 0.0 } else { tails })"),
    ("many", "changes/choose.rs", "let rebate = if shape == filter::WHITE {",
     "let rebate = if shape == filter::WHITE && !OFF {"),
    ("first", "changes/choose.rs", "let first = if places.is_empty() {",
     "let first = if places.is_empty() || OFF {"),
    ("few", "changes/choose.rs", "clarity / clear.sqrt() / (1.0 + few / fewest as f64)",
     "clarity / clear.sqrt() / (1.0 + if OFF { 0.0 } else { few / fewest as f64 })"),
    ("few-short", "changes/choose.rs", "if stage.noise.shape == filter::WHITE { (n",
     "if stage.noise.shape == filter::WHITE && !OFF { (n"),
    ("student", "changes/choose.rs",
     "(freedom * (step.z().powi(2) / freedom).ln_1p()).sqrt()",
     "if OFF { step.z() } else { (freedom * (step.z().powi(2) / freedom).ln_1p()).sqrt() }"),
    ("lengths", "changes/choose.rs", "+ shares.sum::<f64>() + first",
     "+ if OFF { 0.0 } else { shares.sum::<f64>() } + first"),
    ("lengths-clear", "changes/choose.rs", "+ (left * right / (left + right) / n).ln();",
     "+ if OFF { 0.0 } else { (left * right / (left + right) / n).ln() };"),
    ("slow", "changes/noise.rs", "for (memory, shares) in SHAPES {",
     "for (memory, shares) in SHAPES.into_iter().filter(|_| !OFF) {"),
    ("slow-price", "changes/noise.rs",
     "let noise = likelihood(residuals, FilterShape { memory, slow });",
     "let mut noise = likelihood(residuals, FilterShape { memory, slow });\n"
     "noise.cost -= if OFF { SHAPE_PRICE } else { 0.0 };"),
    ("slow-half", "changes/noise.rs", "for &slow in shares {",
     "for &slow in shares.iter().step_by(if OFF { 2 } else { 1 }) {"),
    ("p-without", "changes/judge.rs", "if choice.places.len() * judge.series.len() > KNOWN {",
     "if OFF || choice.places.len() * judge.series.len() > KNOWN {"),
    ("twice", "changes/mod.rs", "for _ in 0..REFINEMENTS {",
     "for _ in 0..if OFF { 1 } else { REFINEMENTS } {"),
    ("far-values", "changes/mod.rs", "r.abs() > MASKED * sd)", "!OFF && r.abs() > MASKED * sd)"),
    ("wild", "changes/scale.rs", "    widen(&mut series.sd, &differences, &series.grain);",
     "    if !OFF { widen(&mut series.sd, &differences, &series.grain); }"),
    ("wild-scale", "changes/scale.rs", "let rough = wild(here).unwrap_or_else",
     "let rough = wild(here).filter(|_| !OFF).unwrap_or_else"),
    ("sharpen", "changes/scale.rs", "    for _ in 0..2 {",
     "    for _ in 0..if OFF { 0 } else { 2 } {"),
    ("stretches", "changes/scale.rs", "if bounds.len() == 2 {", "if OFF || bounds.len() == 2 {"),
    ("stretches-small", "changes/scale.rs", "filter(|_| here.len() >= LONG)",
     "filter(|_| !OFF && here.len() >= LONG)"),
    ("parts", "changes/parts.rs", "if most > WIDER * least {", "if !OFF && most > WIDER * least {"),
    ("two-sizes", "robust.rs", "of_small(values).unwrap_or_else",
     "of_small(values).filter(|_| !OFF).unwrap_or_else"),
    ("trimmed", "changes/scale.rs", "robust::trimmed_deviation(residuals, typical)",
     "if OFF { robust::deviation(residuals) } else "
     "{ robust::trimmed_deviation(residuals, typical) }"),
    ("grain-still", "changes/series.rs", "if values.windows(2).filter(|pair| apart(pair)).count()",
     "if !OFF && values.windows(2).filter(|pair| apart(pair)).count()"),
    ("spread-excess", "changes/scatter.rs", "split.gain /= excess;",
     "split.gain /= if OFF { 1.0 } else { excess };"),
    ("spread-usual", "changes/scatter.rs", "let known = excess(&distances, &[]).max(1.0);",
     "let known = if OFF { 0.0 } else { excess(&distances, &[]).max(1.0) };"),
    ("spread-slow", "changes/scatter.rs", "if choice.noise.shape.memory > 0.8",
     "if !OFF && choice.noise.shape.memory > 0.8"),
    # -- histories
    ("h-back", "history/filter.rs", "if one.since == 0 {", "if OFF || one.since == 0 {"),
    ("h-walk", "history/prior.rs", "let wanders = if walk == 0",
     "let wanders = if OFF && walk > 0 { 1e-30 } else if walk == 0"),
    ("h-luck-tails", "history/prior.rs",
     "let chances = Chances { luck: mixture.to_vec(),",
     "let one: f64 = mixture.iter().map(|(share, variance)| share * variance).sum();\n"
     "let chances = Chances { luck: if OFF { vec![(1.0, one)] } else { mixture.to_vec() },"),
    ("h-plain", "history/prior.rs", "if variance > WIDE * widest {",
     "if !OFF && variance > WIDE * widest {"),
    ("h-far-jumps", "history/filter.rs", "for (share, size) in JUMPS {",
     "for (share, size) in JUMPS.into_iter().take(if OFF { 2 } else { 3 }) {"),
    ("h-calibrated", "history/choice.rs", "probability: calibrated(probability) }",
     "probability: if OFF { probability } else { calibrated(probability) } }"),
    ("h-range", "history/choice.rs", "(is_other && new", "(!OFF && is_other && new"),
    ("h-cautious", "history/prior.rs",
     "(likely(self.luck, CAUTIOUS) + self.luck.ln() - likely(self.luck, LIKELY.0)).exp()",
     "if OFF { 1.0 } else "
     "{ (likely(self.luck, CAUTIOUS) + self.luck.ln() - likely(self.luck, LIKELY.0)).exp() }"),
    ("h-ends", "history/posterior.rs", "all.truncate(count.clamp(1, MOST));",
     "all.truncate(if OFF { 1 } else { count.clamp(1, MOST) });"),
    ("h-modes", "history/readings.rs", "noise + modes.variance(program.cells.len());",
     "noise + if OFF { 0.0 } else { modes.variance(program.cells.len()) };"),
    ("h-polish", "history/readings.rs", "if fit.programs.len() > 1 {",
     "if !OFF && fit.programs.len() > 1 {"),
    ("h-round-shrunk", "history/readings.rs", "moved.max(0.0) / (moved.max(0.0) + noise) * huber",
     "(if OFF { 1.0 } else { moved.max(0.0) / (moved.max(0.0) + noise) }) * huber"),
    ("h-huber", "history/readings.rs", "let reach = HUBER * scale;",
     "let reach = if OFF { 1e9 } else { HUBER * scale };"),
    ("h-grain", "history/readings.rs", "fit.estimate(grain(executions));",
     "fit.estimate(if OFF { 0.0 } else { grain(executions) });"),
    ("h-pooled-wider", "history/course.rs", "(wider * (own(one)",
     "((if OFF { 1.0 } else { wider }) * (own(one)"),
    ("h-pooled", "history/course.rs", "/ ((POOLED + n) * n)).max(floor)",
     "/ ((POOLED + n) * n)).max(floor) * if OFF { 0.0 } else { 1.0 } "
     "+ if OFF { own(one) / n } else { 0.0 }"),
    ("h-several", "history/judge.rs", "if longest > 1 && alone < COMMON {",
     "if longest > 1 && (OFF || alone < COMMON) {"),
    ("h-builds", "history/judge.rs", "let is_builds = change.effect.abs() < LUCKY",
     "let is_builds = !OFF && change.effect.abs() < LUCKY"),
    ("h-comes-back", "history/judge.rs", "let comes_back = which == 0 ||",
     "let comes_back = OFF || which == 0 ||"),
    ("h-runs-need-more", "history/judge.rs",
     "if self.course.open > 0 { IN_SEVERAL_RUNS }",
     "if self.course.open > 0 && !OFF { IN_SEVERAL_RUNS }"),
    ("h-newest", "history/judge.rs", "            1 => newest,",
     "            1 if !OFF => newest,"),
    ("h-unseen", "history/prior.rs", "let most = UNSEEN * least.sqrt();",
     "let most = if OFF { 0.0 } else { UNSEEN } * least.sqrt();"),
    ("h-prior-search", "history/posterior.rs", "(prior - setting.prior).min(0.0) - most > FRONTIER",
     "if OFF { 0.0 } else { (prior - setting.prior).min(0.0) } - most > FRONTIER"),
]
# Closing braces that a replacement above opened.
CLOSE = {"share": ("&choice, raw, &mut changes, &mut scatter);",
                   "&choice, raw, &mut changes, &mut scatter); }")}


def copied():
    """The tree with all switches."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "Cargo.*", "crates", "benches", "studies/subjects",
         "docs/src/method"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    texts = {path: (ROOT / path).read_bytes() for path in filter(None, listed)}
    for name, file, old, new in RULES:
        path = "crates/stats/src/" + file
        text = texts[path].decode()
        pairs = [(old, new.replace("OFF", f'crate::is_off("{name}")'))]
        pairs += [CLOSE[name]] if name in CLOSE else []
        for old, new in pairs:
            if text.count(old) != 1:
                sys.exit(f"error: {name}: `{old}` stands {text.count(old)} times in {path}")
            text = text.replace(old, new)
        texts[path] = text.encode()
    texts["crates/stats/src/lib.rs"] += SWITCH.encode()
    for path, text in texts.items():
        target = COPY / path
        # What is as it was is not compiled again.
        if not target.exists() or target.read_bytes() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)


def built():
    """The benches: name to path."""
    command = ["cargo", "bench", "--offline", "-p", "tacho-stats", "--no-run",
               "--bench", "changes", "--bench", "history", "--target-dir", str(COPY / "target")]
    run = subprocess.run(command, cwd=COPY, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    found = re.findall(r"\((\S+/(changes|history)-[0-9a-f]+)\)", run.stderr)
    return {name: COPY / path for path, name in found}


def failed(off):
    """The tests of the detectors that fail, most of which are limits of error rates."""
    command = ["cargo", "test", "--offline", "-p", "tacho-stats", "--lib", "--target-dir",
               str(COPY / "target"), "--", "changes::", "history::"]
    run = subprocess.run(command, cwd=COPY, capture_output=True, text=True,
                         env={**os.environ, "TACHO_OFF": off})
    return sorted(set(re.findall(r"(?m)^    ((?:changes|history)::\S+)$", run.stdout)))


def said(bench, off, **environment):
    """What a bench prints."""
    environment = {f"TACHO_{key.upper()}": str(value) for key, value in environment.items()}
    run = subprocess.run([bench, "--bench"], capture_output=True, text=True, cwd=COPY, check=True,
                         env={**os.environ, "TACHO_OFF": off, **environment})
    return run.stdout


def number(pattern, text):
    found = re.search(pattern, text)
    return float(found[1]) if found else float("nan")


F1, ALARMED = r"counted: ([\d.]+)", r"alarmed: ([\d.]+)"


def scored_values(bench, off, options):
    """Figures of values alone, by name."""
    scores = {}
    for path in options.values:
        text = said(bench, off, labelled=path, replay=0)
        name = pathlib.Path(path).stem
        scores[name] = number(F1, text)
        scores[name + " exact"] = number(r"exactly: (\d+)", text)
        scores[name + " alarmed"] = number(ALARMED, text)
    text = said(bench, off, simulated=1, seed=options.seed)
    for part in re.split(r"\n(?=\w+:\n)", text):
        name = part.split(":")[0]
        scores[name] = number(F1, part)
        scores[name + " exact"] = number(r"exactly: (\d+)", part)
        scores[name + " alarmed"] = number(ALARMED, part)
    return scores


def scored_histories(bench, off, options):
    """Figures of histories, by name."""
    scores = {}
    if options.histories:
        text = said(bench, off, labelled=options.histories)
        for family in ["A", "A short", "B", "C"]:
            scores[family] = number(rf"(?m)^{family}: .*F1 ([\d.]+)", text)
        scores["quiet alarmed"] = 100 * number(r"(?m)^all: .*change ([\d.]+) alarmed", text)
        scores["covered"] = 100 * number(r"interval all: ([\d.]+)", text)
        scores["luck 3 %"] = 100 * number(r"interval tau 0.03: ([\d.]+)", text)
    count = options.count
    text = said(bench, off, simulated=count, seed=options.seed, only="changes")
    scores["simulated"] = number(r"F1 ([\d.]+)", text)
    scores["simulated covered"] = 100 * number(r"intervals, all: ([\d.]+)", text)
    scores["of 90 %"] = 100 * number(r"of all, said from 0.90: ([\d.]+)", text)
    text = said(bench, off, simulated=max(100, count // 2), seed=options.seed, only="alarms")
    blamed = re.findall(r"of (\d+) alarmed .* (\d+) as the commit's", text)
    shares = [100 * float(part) / float(whole) for whole, part in blamed]
    scores["blamed"] = sum(shares) / max(1, len(shares))
    scores["blamed most"] = max(shares, default=0.0)
    text = said(bench, off, simulated=2 * count, seed=options.seed, only="nights")
    scores["false alerts"] = number(r"own \| \| \| \d+ \| \d+ \| ([\d.]+) %", text)
    scores["found soon"] = number(r"own(?: \|[^|]*){7} \| (\d+)", text)
    return scores


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--values", nargs="*", default=[], help="labelled series of values")
    parser.add_argument("--histories", help="labelled histories")
    parser.add_argument("--seed", type=int, default=0, help="of all that is simulated")
    parser.add_argument("--count", type=int, default=200, help="simulated histories of each kind")
    parser.add_argument("--only", help="these rules, each by itself")
    parser.add_argument("--together", help="these rules at once")
    parser.add_argument("--limits", action="store_true", help="run the unit tests, do not score")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="benches at once")
    options = parser.parse_args()
    names = [rule[0] for rule in RULES]
    asked = [options.together] if options.together else (options.only or ",".join(names)).split(",")
    if unknown := set(",".join(asked).split(",")) - set(names):
        sys.exit(f"error: no rule `{min(unknown)}`: {', '.join(names)}")
    COPY.mkdir(parents=True, exist_ok=True)
    copied()
    if options.limits:
        for off in asked:
            print(f"{off}: {', '.join(failed(off)) or 'none fails'}")
        return
    benches = built()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for bench, score in [("changes", scored_values), ("history", scored_histories)]:
            of_it = [one for one in asked if one.startswith("h-") == (bench == "history")]
            if not of_it:
                continue
            rows = [pool.submit(score, benches[bench], off, options) for off in ["", *of_it]]
            whole = rows[0].result()
            print("| off | " + " | ".join(whole) + " |\n|---|" + "---:|" * len(whole))
            print("| nothing | " + " | ".join(f"{value:g}" for value in whole.values()) + " |")
            for off, row in zip(of_it, rows[1:]):
                moved = [round(row.result()[key] - whole[key], 4) for key in whole]
                print(f"| {off} | " + " | ".join(f"{value:+g}" for value in moved) + " |")


main()
