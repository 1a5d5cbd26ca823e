//! Which revision a bisection names: `cargo bench -p tacho-stats --bench bisect`, beside what `git bisect run` names.
//!
//! Simulated with a fixed seed, over 256 revisions of which one is slower, or none. *One sample* and *median of five* are `git
//! bisect run` with a script that knows the threshold half-way between both levels, which nobody does, and that never
//! takes a failed build for a slow one. A build costs ten samples. Then what the choice of the next step takes.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

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

/// `git bisect run`: halves, each time by the median of so many samples; past an unusable one to the next.
fn halving(world: &mut World, samples: usize) -> Option<usize> {
    let threshold = 100.0 * world.steps.iter().map(|step| step.1 / 2.0).sum::<f64>().exp();
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

type Named = fn(&mut World, f64) -> Option<usize>;

fn ours(world: &mut World, step: f64, builds: Builds) -> Option<usize> {
    let least = if step == 0.0 { 0.02 } else { step };
    let outcome = world::bisect(world, Rules { least, builds, ..Rules::default() });
    outcome.culprits.first().map(|culprit| culprit.revision)
}

const COLUMNS: [(&str, Named); 5] = [
    ("ours, layout unknown", |world, step| ours(world, step, Builds::Unknown)),
    ("ours, builds alike", |world, step| ours(world, step, Builds::Alike)),
    ("ours, layout known: 1 %", |world, step| ours(world, step, Builds::Vary(0.01))),
    ("one sample", |world, _| halving(world, 1)),
    ("median of five", |world, _| halving(world, 5)),
];

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let trials: u64 = std::env::var("TACHO_TRIALS").map_or(50, |trials| trials.parse().unwrap());
    println!("right/wrong % · samples + builds on average, of {trials} trials");
    let names: Vec<&str> = COLUMNS.iter().map(|column| column.0).collect();
    println!("| world | step | {} |\n|{}", names.join(" | "), "---|".repeat(names.len() + 2));
    for (name, scatter, steps) in [
        ("no noise", Scatter::None, [0.0, 0.02, 0.05]),
        ("Gaussian 1 %", Scatter::Gaussian(0.01), [0.0, 0.02, 0.05]),
        ("Gaussian 3 %", Scatter::Gaussian(0.03), [0.0, 0.05, 0.2]),
        ("lognormal", Scatter::Lognormal, [0.0, 0.05, 0.2]),
        ("bimodal", Scatter::Bimodal, [0.0, 0.05, 0.2]),
        ("drifting", Scatter::Drifting(0.03), [0.0, 0.05, 0.2]),
    ] {
        for (kind, broken, layout) in
            [("", 0.0, 0.0), (", 10 % broken", 0.1, 0.0), (", layout 1 %", 0.0, 0.01)]
        {
            for step in steps {
                let make =
                    |seed| World::new(256, step, scatter, seed).with_broken(broken).with_layout(layout);
                let cells: Vec<String> =
                    COLUMNS.iter().map(|column| tally(trials, step, make, column.1)).collect();
                println!("| {name}{kind} | {:.0} % | {} |", 100.0 * step, cells.join(" | "));
            }
        }
    }
    println!("next step of 10,000 candidates: {:.1?} at most", slowest());
}

fn tally(trials: u64, step: f64, make: impl Fn(u64) -> World, named: Named) -> String {
    let mut tally = Tally::default();
    for seed in 0..trials {
        let mut world = make(seed);
        let named = named(&mut world, step);
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
