//! How often a change is measured again before its report, in simulated histories of several runs.
//!
//! Seeds are fixed; the bounds are what docs/src/method says, less what some hundred changes may be
//! off by chance.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tacho_stats::changes::{DetectedChange, Options, SeriesValue, detect};

use self::draw::gaussian;
use super::verdict::came_with_a_run;

#[path = "../../../stats/src/draw.rs"]
mod draw;

/// What evidence for a change shows of a side at the most.
const NEAR: usize = 30;
/// Two places of one change.
const SAME: usize = 2;
/// The standard deviation of a value within a run.
const NOISE: f64 = 0.005;

/// A history that grows run by run: of each value its run.
struct SimulatedHistory {
    rng: ChaCha8Rng,
    values: Vec<f64>,
    runs: Vec<i64>,
    /// Places of changes that were told.
    reported: Vec<usize>,
}

impl SimulatedHistory {
    fn new(seed: u64) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            values: vec![],
            runs: vec![],
            reported: vec![],
        }
    }

    /// Another run of so many commits, all off by the same share; the program is at that level.
    fn run(&mut self, commits: usize, off: f64, level: impl Fn(usize) -> f64) -> &mut Self {
        let run = self.runs.last().map_or(1, |last| last + 1);
        for commit in 0..commits {
            let noise = NOISE * gaussian(&mut self.rng);
            self.values.push(100.0 * level(commit) * (1.0 + off) * (1.0 + noise));
            self.runs.push(run);
        }
        self
    }

    /// What is told now and was not told before: each with its place, and whether it is measured
    /// again first.
    fn reported(&mut self) -> Vec<(usize, bool)> {
        let points: Vec<SeriesValue> = self.values.iter().copied().map(SeriesValue::of).collect();
        let found = detect(&points, &Options::default()).changes;
        let found: Vec<DetectedChange> =
            found.into_iter().filter(|change| change.p <= 0.05).collect();
        let places: Vec<usize> = found.iter().map(|change| change.index).collect();
        let is_known =
            |place: usize| self.reported.iter().any(|reported| reported.abs_diff(place) <= SAME);
        let new = found.iter().filter(|change| !is_known(change.index));
        let new: Vec<(usize, bool)> =
            new.map(|change| (change.index, self.is_asked(change, &places))).collect();
        self.reported.extend(new.iter().map(|(place, _)| place));
        new
    }

    /// Whether it came with a run, as the evidence has its sides: up to the changes beside it, and
    /// not far.
    fn is_asked(&self, change: &DetectedChange, places: &[usize]) -> bool {
        let here = change.index;
        let from = places.iter().copied().filter(|&place| place < here).max().unwrap_or(0);
        let to =
            places.iter().copied().filter(|&place| place > here).min().unwrap_or(self.values.len());
        let good = (*change.range.start()).max(from);
        let side = |mut runs: Vec<i64>| {
            runs.dedup();
            runs
        };
        let before = side(self.runs[good.saturating_sub(NEAR).max(from)..good].to_vec());
        let after = side(self.runs[here..to.min(here + NEAR)].to_vec());
        came_with_a_run(&before, &after)
    }
}

/// Of what is told, how much is measured again first.
#[derive(Default)]
struct Counted {
    reported: usize,
    asked: usize,
}

impl Counted {
    fn add(&mut self, reported: &[(usize, bool)]) {
        self.reported += reported.len();
        self.asked += reported.iter().filter(|(_, asked)| *asked).count();
    }

    fn share(&self) -> f64 {
        self.asked as f64 / self.reported.max(1) as f64
    }
}

const SAME_LEVEL: fn(usize) -> f64 = |_| 1.0;

#[test]
fn what_a_moved_host_alone_shows_in_a_new_run_is_always_measured_again() {
    let mut counted = Counted::default();
    for seed in 0..100 {
        let mut history = SimulatedHistory::new(seed);
        history.run(60, 0.0, SAME_LEVEL).reported();
        let mut reported = history.run(8, 0.05, SAME_LEVEL).reported();
        // What chance shows among the values of before is none of the new run's.
        reported.retain(|(place, _)| place.abs_diff(60) <= SAME);
        counted.add(&reported);
    }
    println!("{} told, {:.3} asked", counted.reported, counted.share());
    assert!(
        counted.reported >= 95 && counted.asked == counted.reported,
        "{} of {}",
        counted.asked,
        counted.reported
    );
}

#[test]
fn what_runs_of_few_commits_drift_by_is_mostly_measured_again() {
    for (deviation, least) in [(0.01, 0.75), (0.03, 0.93)] {
        let mut counted = Counted::default();
        for seed in 0..40 {
            let mut history = SimulatedHistory::new(1000 + seed);
            for _ in 0..20 {
                let off = deviation * gaussian(&mut history.rng);
                let reported = history.run(5, off, SAME_LEVEL).reported();
                counted.add(&reported);
            }
        }
        println!("runs {deviation} apart: {} told, {:.3} asked", counted.reported, counted.share());
        assert!(counted.share() >= least, "{deviation}: {} of {}", counted.asked, counted.reported);
    }
}

/// Of steps at that commit of a run of ten, how many are measured again before they are told.
fn steps(at: usize, seed: u64) -> Counted {
    let mut counted = Counted::default();
    for seed in seed..seed + 100 {
        let mut history = SimulatedHistory::new(seed);
        for _ in 0..4 {
            let off = 0.002 * gaussian(&mut history.rng);
            history.run(10, off, SAME_LEVEL).reported();
        }
        let off = 0.002 * gaussian(&mut history.rng);
        let reported =
            history.run(10, off, |commit| if commit < at { 1.0 } else { 1.1 }).reported();
        let step: Vec<(usize, bool)> =
            reported.into_iter().filter(|(place, _)| place.abs_diff(40 + at) <= SAME).collect();
        counted.add(&step);
    }
    counted
}

#[test]
fn a_step_within_a_run_is_told_at_once_and_one_that_begins_it_is_measured_again() {
    let first = steps(0, 5000);
    println!("at the first commit: {} told, {:.3} asked", first.reported, first.share());
    assert!(first.reported >= 95 && first.share() >= 0.98, "{} of {}", first.asked, first.reported);
    let within = steps(4, 6000);
    println!("within: {} told, {:.3} asked", within.reported, within.share());
    assert!(
        within.reported >= 95 && within.share() <= 0.05,
        "{} of {}",
        within.asked,
        within.reported
    );
}
