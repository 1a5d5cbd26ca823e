//! What each way to take the ratio of two programs is worth that were executed at the same time.

use tacho_stats::compare::{
    Comparison, ComparisonRules, Duet, DuetPair, Estimator, Look, SampleValue, Sides, compare,
};

use super::estimators::Score;
use crate::simulated::{MOVEMENTS, Movement, SimulatedHost};

const ERROR: f64 = 0.05;
const PAIRS: [u32; 3] = [10, 20, 30];
const WAYS: [(&str, Option<Estimator>); 3] = [
    ("rounds", Some(Estimator::RoundRatios)),
    ("neighbours", Some(Estimator::Neighbours)),
    ("chosen", None),
];
/// By how much the one processor is slower than the other.
const PLACES: [f64; 2] = [0.0, 0.1];

/// Which part of the host moves.
#[derive(Clone, Copy)]
enum Moving {
    Both,
    Each,
}

/// The same table as of [`estimators`](super::estimators), of pairs.
pub fn table(trials: u32) {
    println!("| host | processors apart | pairs | {} |", WAYS.map(|(name, _)| name).join(" | "));
    println!("|{}", " --- |".repeat(WAYS.len() + 3));
    let mut ratios = [const { Vec::new() }; WAYS.len()];
    for (moving, name) in [(Moving::Both, "both"), (Moving::Each, "each")] {
        for movement in MOVEMENTS {
            for (apart, pairs) in PLACES.into_iter().flat_map(|it| PAIRS.map(|pairs| (it, pairs))) {
                let host = (moving, movement, apart);
                let scores = WAYS.map(|(_, way)| score(host, pairs, way, trials));
                for (all, score) in ratios.iter_mut().zip(&scores) {
                    all.push((score.error(trials) / scores[0].error(trials)).ln());
                }
                let cells = scores.map(|score| score.cell(trials)).join(" | ");
                println!("| {name}: {movement:?} | {apart} | {pairs} | {cells} |");
            }
        }
    }
    let means = ratios.map(|all| (all.iter().sum::<f64>() / all.len() as f64).exp());
    println!("errors by those of rounds, geometric mean: {means:.3?}");
}

fn score(host: (Moving, Movement, f64), pairs: u32, way: Option<Estimator>, trials: u32) -> Score {
    let mut score = Score::default();
    for trial in 0..2 * trials {
        let truth = if trial >= trials { 1.02_f64 } else { 1.0 };
        score.add(&judged(&duet(host, truth.ln(), pairs, trial), way), truth);
    }
    score
}

/// Pairs on a host whose processors move together, or each by itself.
fn duet(
    (moving, movement, apart): (Moving, Movement, f64),
    truth: f64,
    pairs: u32,
    seed: u32,
) -> Duet {
    let path = |which: u64| {
        let mut host = SimulatedHost::new(movement, 2 * u64::from(seed) + which);
        host.noise = 0.0;
        host.rounds(&[0.0], pairs)
    };
    let paths = match moving {
        Moving::Both => [path(0), path(0)],
        Moving::Each => [path(0), path(1)],
    };
    let mut noise = SimulatedHost::new(Movement::Steady, u64::from(seed) + 500_000);
    let pair = |at: usize| {
        let swapped = (at + seed as usize).is_multiple_of(2);
        let mut value = |processor: usize, level: f64| {
            let place = if processor == 0 { apart } else { 0.0 };
            let own = 0.01 * noise.gaussian();
            SampleValue::new(1e8 * (level + place + paths[processor][at].value + own).exp())
        };
        let a = value(usize::from(swapped), 0.0);
        DuetPair { a, b: value(usize::from(!swapped), truth), swapped }
    };
    Duet::of(&(0..pairs as usize).map(pair).collect::<Vec<_>>())
}

fn judged(duet: &Duet, way: Option<Estimator>) -> Comparison {
    let placed = |side: &[SampleValue], first: u32| -> Vec<SampleValue> {
        side.iter().map(|it| it.at((first + it.round.unwrap_or(0)) % 2)).collect()
    };
    let (a, b) = (placed(&duet.a, 0), placed(&duet.b, 1));
    let rules = ComparisonRules { estimator: way, ..ComparisonRules::default() };
    compare(&Sides { a: &a, b: &b, control: &[] }, &rules, Look::only(a.len(), ERROR))
}
