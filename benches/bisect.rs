//! Which revision a bisection names: `cargo bench -p tacho-stats --bench bisect`, beside what `git bisect run` and `git_bayesect` name.
//!
//! Simulated with a fixed seed, over 256 revisions of which one is slower, or none. *One sample* and *median of five* are `git
//! bisect run` with a script that knows the threshold half-way between both levels, which nobody does, and that never
//! takes a failed build for a slow one. `git_bayesect` is that of `PyPI`, in a virtual environment made here, with the same script. A build
//! costs ten samples. Then what the choice of the next step takes. Ten trials of a step of 5 %; `TACHO_TRIALS=300` does as many, of
//! more worlds and steps.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use tacho_stats::bisect::{Bisection, Builds, Observation, Outcome, Portion, Rules, Seen, Step, Unusable};

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../crates/stats/src/bisect/world.rs"]
mod world;

use world::{Scatter, World};

/// What came of it: the shares, and what it took on average.
#[derive(Default)]
struct Tally {
    right: f64,
    wrong: f64,
    samples: f64,
    builds: f64,
    trials: f64,
}

impl Tally {
    fn add(&mut self, world: &World, named: Option<usize>) {
        let truth = |step: &(usize, f64)| step.1 != 0.0 && named == Some(world.first_usable(step.0));
        let right = world.steps.iter().any(truth);
        self.right += f64::from(u8::from(right));
        self.wrong += f64::from(u8::from(named.is_some() && !right));
        self.samples += world.samples as f64;
        self.builds += world.builds() as f64;
        self.trials += 1.0;
    }

    fn cell(&self) -> String {
        let of = |sum: f64| sum / self.trials;
        let (right, wrong) = (100.0 * of(self.right), 100.0 * of(self.wrong));
        format!("{right:.0}/{wrong:.1} · {:.0}s+{:.0}b", of(self.samples), of(self.builds))
    }
}

/// The threshold half-way between both levels.
fn threshold(world: &World) -> f64 {
    100.0 * world.steps.iter().map(|step| step.1 / 2.0).sum::<f64>().exp()
}

/// `git bisect run`: halves, each time by the median of so many samples; past an unusable one to the next.
fn halving(world: &mut World, samples: usize) -> Option<usize> {
    let threshold = threshold(world);
    let (mut good, mut bad) = (0_usize, world.candidates - 1);
    loop {
        let middle = good.midpoint(bad);
        let mut inside: Vec<usize> =
            (good + 1..bad).filter(|at| !(world.built[*at] && world.broken[*at])).collect();
        inside.sort_by_key(|at| at.abs_diff(middle));
        let Some(&at) = inside.first() else { return Some(bad) };
        if !world.build(at) {
            continue;
        }
        let mut values: Vec<f64> = (0..samples).map(|_| world.sample(at)).collect();
        values.sort_by(f64::total_cmp);
        if values[samples / 2] > threshold { bad = at } else { good = at }
    }
}

/// `git_bayesect`, by `bayesect.py` in an environment of its own.
struct Bayesect {
    child: Child,
    questions: BufReader<ChildStdout>,
    answers: ChildStdin,
}

impl Bayesect {
    /// The version that the table is of.
    const PACKAGE: &str = "git_bayesect==1.2";

    /// What the environment lacks is installed; `None` where it cannot be.
    fn start() -> Option<Self> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bayesect");
        let python = folder.join("bin/python");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/bayesect.py");
        let succeeds =
            |command: &mut Command| command.stdout(Stdio::null()).status().is_ok_and(|of| of.success());
        if !succeeds(Command::new(&python).args(["-c", "import git_bayesect, scipy"]).stderr(Stdio::null())) {
            let made = succeeds(Command::new("python3").args(["-m", "venv"]).arg(&folder))
                && succeeds(Command::new(&python).args([
                    "-m",
                    "pip",
                    "install",
                    "-q",
                    Self::PACKAGE,
                    "numpy",
                    "scipy",
                ]));
            if !made {
                return None;
            }
        }
        let mut command = Command::new(python);
        let mut child = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let (questions, answers) = (BufReader::new(child.stdout.take()?), child.stdin.take()?);
        Some(Self { child, questions, answers })
    }

    fn name(&mut self, world: &mut World) -> Option<usize> {
        let threshold = threshold(world);
        writeln!(self.answers, "bisect {} {TESTS}", world.candidates).unwrap();
        loop {
            let mut question = String::new();
            self.questions.read_line(&mut question).unwrap();
            let mut words = question.split_whitespace();
            let (kind, at) = (words.next(), words.next().map(|at| at.parse().unwrap()));
            let at: usize = match kind {
                Some("test") => at.unwrap(),
                Some("named") => return at,
                _ => return None,
            };
            let answer = match world.build(at) {
                false => "skip",
                true if world.sample(at) > threshold => "fail",
                true => "pass",
            };
            writeln!(self.answers, "{answer}").unwrap();
        }
    }
}

impl Drop for Bayesect {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// So many tests `git_bayesect` may make, which itself would go on for ever.
const TESTS: usize = 500;

fn ours(world: &mut World, step: f64, builds: Builds) -> Option<usize> {
    let least = if step == 0.0 { 0.02 } else { step };
    let outcome = world::bisect(world, Rules { least, builds, ..Rules::default() });
    outcome.culprits.first().map(|culprit| culprit.revision)
}

const COLUMNS: [&str; 6] = [
    "ours, layout unknown",
    "ours, builds alike",
    "ours, layout known: 1 %",
    "one sample",
    "median of five",
    "git_bayesect",
];

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let wanted: Option<u64> = std::env::var("TACHO_TRIALS").ok().map(|trials| trials.parse().unwrap());
    let trials = wanted.unwrap_or(10);
    let mut bayesect = Bayesect::start();
    if bayesect.is_none() {
        println!("git_bayesect: not available here, because python3 could not install it");
    }
    println!("right/wrong % · samples + builds on average, of {trials} trials");
    println!("| world | step | {} |\n|{}", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len() + 2));
    let kinds = [("", 0.0, 0.0), (", 10 % broken", 0.1, 0.0), (", layout 1 %", 0.0, 0.01)];
    for (name, scatter, steps) in [
        ("Gaussian 1 %", Scatter::Gaussian(0.01), [0.05, 0.02, 0.0]),
        ("Gaussian 3 %", Scatter::Gaussian(0.03), [0.05, 0.2, 0.0]),
        ("bimodal", Scatter::Bimodal, [0.05, 0.2, 0.0]),
        ("drifting", Scatter::Drifting(0.03), [0.05, 0.2, 0.0]),
        ("lognormal", Scatter::Lognormal, [0.05, 0.2, 0.0]),
        ("no noise", Scatter::None, [0.05, 0.02, 0.0]),
    ] {
        for (kind, broken, layout) in &kinds[..if wanted.is_some() { 3 } else { 1 }] {
            for &step in &steps[..if wanted.is_some() { 3 } else { 1 }] {
                let make =
                    |seed| World::new(256, step, scatter, seed).with_broken(*broken).with_layout(*layout);
                let cells: Vec<String> = (0..COLUMNS.len())
                    .map(|column| tally(trials, step, make, column, &mut bayesect))
                    .collect();
                println!("| {name}{kind} | {:.0} % | {} |", 100.0 * step, cells.join(" | "));
            }
        }
    }
    println!("next step of 10,000 candidates: {:.1?} at most", slowest());
}

fn tally(
    trials: u64,
    step: f64,
    make: impl Fn(u64) -> World,
    column: usize,
    bayesect: &mut Option<Bayesect>,
) -> String {
    let mut tally = Tally::default();
    for seed in 0..trials {
        let mut world = make(seed);
        let named = match (column, bayesect.as_mut()) {
            (0, _) => ours(&mut world, step, Builds::Unknown),
            (1, _) => ours(&mut world, step, Builds::Alike),
            (2, _) => ours(&mut world, step, Builds::Vary(0.01)),
            (3, _) => halving(&mut world, 1),
            (4, _) => halving(&mut world, 5),
            (_, Some(bayesect)) => bayesect.name(&mut world),
            (_, None) => return "–".to_owned(),
        };
        tally.add(&world, named);
    }
    tally.cell()
}

/// The longest that one observation and the choice after it took.
fn slowest() -> Duration {
    let mut world = World::new(10_000, 0.05, Scatter::Gaussian(0.03), 1).with_broken(0.1);
    let rules = Rules { least: 0.05, ..Rules::default() };
    let mut bisection = Bisection::new(rules, world.candidates).unwrap();
    let mut slowest = Duration::ZERO;
    while let Step::Measure(portions) = bisection.next() {
        let observation = world::observe(&mut world, portions[0]);
        let start = Instant::now();
        bisection.observe(&observation);
        slowest = slowest.max(start.elapsed());
    }
    slowest
}
