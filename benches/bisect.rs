//! Which revision a bisection names: `cargo bench -p tacho-stats --bench bisect`, beside what `git
//! bisect run` and `git_bayesect` name.
//!
//! Simulated with a fixed seed, over 256 revisions of which one is slower, or several, or none.
//! *One sample* and *median of five* are `git bisect run` with a script that knows the threshold
//! half-way between both levels, which nobody does, and that never takes a failed build for a slow
//! one. `git_bayesect` is that of `PyPI`, in a virtual environment made here, with the same script.
//! A build costs ten samples. Then what the choice of the next step takes. Ten trials of each
//! world; `TACHO_TRIALS=300` does as many, and `TACHO_WORLD=drifting` only the worlds of which that
//! is part of the name.
//!
//! `TACHO_CELLS='steps N=256 b=10 q=0'` bisects the cells that have all these words in their names
//! instead (`-gaussian-10%`: not this one), and nobody else does: `steps`, `scenarios` and
//! `layouts`. Ten trials of each, or `TACHO_TRIALS`, of which those that stand in `TACHO_RESULTS`
//! already are not repeated; what is new is appended to that file. `TACHO_MINUTES=20` begins none
//! after that time.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use tacho_stats::bisect::{
    BisectionRules, Bisector, BisectorOutcome, BuildVariation, NextStep, Observation,
    ObservedValues, Portion, UnusableReason,
};

#[path = "../crates/stats/src/draw.rs"]
mod draw;
#[allow(dead_code, reason = "shared with the tests")]
#[path = "../crates/stats/src/bisect/world.rs"]
mod world;

#[path = "bisect/bound.rs"]
mod bound;
#[path = "bisect/cells.rs"]
mod cells;
#[path = "bisect/tables.rs"]
mod tables;

use world::{BisectWorld, WorldScatter};

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
    fn add(&mut self, world: &BisectWorld, named: Option<usize>) {
        let truth =
            |step: &(usize, f64)| step.1 != 0.0 && named == Some(world.first_usable(step.0));
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

/// The threshold half-way between both levels, as those who ask believe them to be.
fn threshold(asked: f64) -> f64 {
    100.0 * (asked / 2.0).exp()
}

/// `git bisect run`: halves, each time by the median of so many samples; past an unusable one to
/// the next.
fn halving(world: &mut BisectWorld, asked: f64, samples: usize) -> Option<usize> {
    let threshold = threshold(asked);
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
        let succeeds = |command: &mut Command| {
            command.stdout(Stdio::null()).status().is_ok_and(|of| of.success())
        };
        if !succeeds(
            Command::new(&python).args(["-c", "import git_bayesect, scipy"]).stderr(Stdio::null()),
        ) {
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
        let mut child =
            command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let (questions, answers) = (BufReader::new(child.stdout.take()?), child.stdin.take()?);
        Some(Self { child, questions, answers })
    }

    fn name(&mut self, world: &mut BisectWorld, asked: f64) -> Option<usize> {
        let threshold = threshold(asked);
        writeln!(self.answers, "bisect {} {TESTS}", world.candidates).unwrap();
        loop {
            let mut question = String::new();
            self.questions.read_line(&mut question).unwrap();
            let mut words = question.split_whitespace();
            let (kind, at) = (words.next(), words.next().map(|at| at.parse().unwrap()));
            let at: usize = match kind {
                Some("test") => at.unwrap(),
                Some("named") => return at.map(|at| world.first_usable(at)),
                _ => return None,
            };
            // It would ask again for one that it was told to skip: the next that builds is tested
            // in its stead.
            let at = (at..world.candidates).find(|at| world.build(*at))?;
            let answer = if world.sample(at) > threshold { "fail" } else { "pass" };
            writeln!(self.answers, "{answer} {at}").unwrap();
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

fn ours(world: &mut BisectWorld, least: f64, builds: BuildVariation) -> Option<usize> {
    let outcome =
        world::bisect(world, BisectionRules { least, builds, ..BisectionRules::default() });
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

/// What is bisected, and what those who ask for it know.
struct Row {
    name: &'static str,
    /// The largest step; 0: nothing changed.
    step: f64,
    /// The least effect that is requested.
    least: f64,
    /// By how much the ends are believed to differ (logarithm), from which a script has its
    /// threshold.
    asked: f64,
    make: Box<dyn Fn(u64) -> BisectWorld>,
}

impl Row {
    const CANDIDATES: usize = 256;

    /// One step.
    fn new(name: &'static str, step: f64, scatter: WorldScatter) -> Self {
        let make = Box::new(move |seed| BisectWorld::new(Self::CANDIDATES, step, scatter, seed));
        let least = if step == 0.0 { 0.02 } else { step };
        Self { name, step, least, asked: step.ln_1p(), make }
    }

    /// The same, made into something else; what is believed of it changes by so much.
    fn with(self, asked: f64, more: impl Fn(BisectWorld) -> BisectWorld + 'static) -> Self {
        let make = self.make;
        Self { asked: self.asked + asked, make: Box::new(move |seed| more(make(seed))), ..self }
    }
}

/// From this sample on the host is slower, by so much.
fn slower(after: usize, by: f64) -> impl Fn(BisectWorld) -> BisectWorld + 'static {
    move |mut world| {
        world.slower = Some((after, by.ln_1p()));
        world
    }
}

/// Every noise, and what else makes bisections err.
fn rows() -> Vec<Row> {
    let drifting = WorldScatter::Drifting(0.03);
    let (one, three) = (WorldScatter::Gaussian(0.01), WorldScatter::Gaussian(0.03));
    let half = 0.025_f64;
    vec![
        Row::new("no noise", 0.02, WorldScatter::None),
        Row::new("Gaussian 1 %", 0.02, one),
        Row::new("Gaussian 3 %", 0.05, three),
        Row::new("Gaussian 10 %", 0.2, WorldScatter::Gaussian(0.1)),
        Row::new("lognormal", 0.05, WorldScatter::Lognormal),
        Row::new("bimodal", 0.05, WorldScatter::Bimodal),
        Row::new("drifting", 0.05, drifting),
        Row::new("Gaussian 3 %, 10 % broken", 0.05, three)
            .with(0.0, |world| world.with_broken(0.1)),
        Row::new("Gaussian 1 %, layout 1 %", 0.05, one).with(0.0, |world| world.with_layout(0.01)),
        Row::new("Gaussian 3 %, and half a step more", 0.05, three)
            .with(half.ln_1p(), move |world| world.with_step(half)),
        Row::new("Gaussian 3 %, half of it back", 0.05, three)
            .with((-half).ln_1p(), move |world| world.with_step(-half)),
        Row::new("Gaussian 1 %, host slower on the way", 0.05, one).with(0.0, slower(25, 0.1)),
        Row::new("Gaussian 1 %, nothing", 0.0, one),
        Row::new("drifting, nothing", 0.0, drifting),
        Row::new("Gaussian 1 %, nothing, host slower since", 0.0, one)
            .with(0.2_f64.ln_1p(), slower(0, 0.2)),
    ]
}

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is
    // nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let trials = std::env::var("TACHO_TRIALS").map_or(10, |trials| trials.parse().unwrap());
    if let Ok(words) = std::env::var("TACHO_CELLS") {
        return tables::print(&words, trials);
    }
    let part = std::env::var("TACHO_WORLD").unwrap_or_default();
    let mut bayesect = Bayesect::start();
    if bayesect.is_none() {
        println!("git_bayesect: not available here, because python3 could not install it");
    }
    println!("right/wrong % · samples + builds on average, of {trials} trials");
    println!("| world | step | {} |\n|{}", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len() + 2));
    for row in rows().iter().filter(|row| row.name.contains(&part)) {
        let cells: Vec<String> =
            (0..COLUMNS.len()).map(|column| tally(trials, row, column, &mut bayesect)).collect();
        println!("| {} | {:.0} % | {} |", row.name, 100.0 * row.step, cells.join(" | "));
    }
    println!("next step of 10,000 candidates: {:.1?} at most", slowest());
}

fn tally(trials: u64, row: &Row, column: usize, bayesect: &mut Option<Bayesect>) -> String {
    let mut tally = Tally::default();
    for seed in 0..trials {
        let mut world = (row.make)(seed);
        let named = match (column, bayesect.as_mut()) {
            (0, _) => ours(&mut world, row.least, BuildVariation::Unknown),
            (1, _) => ours(&mut world, row.least, BuildVariation::Alike),
            (2, _) => ours(&mut world, row.least, BuildVariation::Vary(0.01)),
            (3, _) => halving(&mut world, row.asked, 1),
            (4, _) => halving(&mut world, row.asked, 5),
            (_, Some(bayesect)) => bayesect.name(&mut world, row.asked),
            (_, None) => return "–".to_owned(),
        };
        tally.add(&world, named);
    }
    tally.cell()
}

/// The longest that one observation and the choice after it took.
fn slowest() -> Duration {
    let mut world =
        BisectWorld::new(10_000, 0.05, WorldScatter::Gaussian(0.03), 1).with_broken(0.1);
    let rules = BisectionRules { least: 0.05, ..BisectionRules::default() };
    let mut bisection = Bisector::new(rules, world.candidates).unwrap();
    let mut slowest = Duration::ZERO;
    while let NextStep::Measure(portions) = bisection.next() {
        let observation = world::observe(&mut world, portions[0]);
        let start = Instant::now();
        bisection.observe(&observation);
        slowest = slowest.max(start.elapsed());
    }
    slowest
}
