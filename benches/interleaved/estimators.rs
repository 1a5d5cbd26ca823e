//! What each way to take the ratio of two programs is worth, on simulated hosts.

use tacho_stats::compare::{
    Comparison, ComparisonRules, Estimator, Look, SampleValue, Sides, compare,
};
use tacho_stats::interleaved::InterleavedExecution;

use crate::simulated::{MOVEMENTS, Movement, SimulatedHost};

const ROUNDS: u32 = 20;
const ERROR: f64 = 0.05;
/// What is chosen by the samples, and each by itself.
const WAYS: [(&str, Option<Estimator>); 7] = [
    ("chosen", None),
    ("neighbours", Some(Estimator::Neighbours)),
    ("all ratios", Some(Estimator::AllRatios)),
    ("rounds", Some(Estimator::RoundRatios)),
    ("medians", Some(Estimator::Median)),
    ("means", Some(Estimator::Mean)),
    ("minima", Some(Estimator::Minimum)),
];

/// How often a way was right, of comparisons of equal programs and of those 2 % apart.
#[derive(Default)]
pub struct Score {
    squares: f64,
    held: u32,
    detected: [u32; 2],
}

/// A table: for each host and way the root mean square error (in 0.0001 of a logarithm), how many
/// intervals of 95 % hold the truth, and how often equal programs and such 2 % apart are different.
pub fn table(trials: u32) {
    println!(
        "{ROUNDS} rounds of A, B and a control, {trials} comparisons of equal programs and as many \
         2 % apart: error, intervals that hold, equal different, 2 % different (percent)"
    );
    println!("| host | {} |", WAYS.map(|(name, _)| name).join(" | "));
    println!("|{}", " --- |".repeat(WAYS.len() + 1));
    for movement in MOVEMENTS {
        row(&format!("{movement:?}"), trials, movement, |_| {});
    }
    let spells = Movement::Spells { apart: 0.56, length: 30.0, share: 0.5 };
    row("as before, one slows half as much", trials, spells, |host| {
        host.responses = vec![1.0, 0.5, 1.0];
    });
    row("steady, with a mode of its own", trials, Movement::Steady, |host| {
        host.modes = vec![(0.1, 0.3); 2];
    });
}

fn row(name: &str, trials: u32, movement: Movement, set: impl Fn(&mut SimulatedHost)) {
    let mut scores: [Score; WAYS.len()] = Default::default();
    for trial in 0..2 * trials {
        let mut host = SimulatedHost::new(movement, u64::from(trial));
        set(&mut host);
        let is_apart = trial >= trials;
        let truth = if is_apart { 1.02_f64 } else { 1.0 };
        let executions = host.rounds(&[0.0, truth.ln(), 0.0], ROUNDS);
        for (score, (_, way)) in scores.iter_mut().zip(WAYS) {
            score.add(&judged(&executions, way), truth);
        }
    }
    println!("| {name} | {} |", scores.map(|score| score.cell(trials)).join(" | "));
}

impl Score {
    /// The root mean square error, of twice as many trials.
    pub fn error(&self, trials: u32) -> f64 {
        1e4 * (self.squares / f64::from(2 * trials)).sqrt()
    }

    pub fn cell(&self, trials: u32) -> String {
        let percent = |count: u32, of: u32| f64::from(100 * count) / f64::from(of);
        let (held, [equal, apart]) = (percent(self.held, 2 * trials), self.detected);
        let [equal, apart] = [equal, apart].map(|count| percent(count, trials));
        format!("{:.0}, {held:.0}, {equal:.0}, {apart:.0}", self.error(trials))
    }

    pub fn add(&mut self, compared: &Comparison, truth: f64) {
        let estimate = compared.estimate.unwrap();
        self.squares += (estimate.ratio.unwrap() / truth).ln().powi(2);
        let (low, high) = estimate.interval.unwrap_or((0.0, f64::INFINITY));
        self.held += u32::from(low <= truth && truth <= high);
        self.detected[usize::from(truth > 1.0)] += u32::from(compared.significant);
    }
}

fn judged(executions: &[InterleavedExecution], way: Option<Estimator>) -> Comparison {
    let mut sides = [const { Vec::new() }; 3];
    for (place, execution) in (0..).zip(executions) {
        let sample = SampleValue::new(execution.value.exp() * 1e8).in_round(execution.round);
        sides[execution.program].push(sample.at(place % 3));
    }
    let [a, b, control] = &sides;
    let rules = ComparisonRules { estimator: way, ..ComparisonRules::default() };
    compare(&Sides { a, b, control }, &rules, Look::only(ROUNDS as usize, ERROR))
}
