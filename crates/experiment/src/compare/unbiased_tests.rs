//! A against A: the time of day, the round and the place in it carry nothing into the estimate.

use std::time::Duration;

use tacho_measure::{Execution, ExecutionEnd, Request};
use tacho_record::{Comparing, StopCondition};
use tacho_stats::compare::{Influence, PlacedSample};

use super::tests::{ONE, compared_by_seed, lab, rows, terms};

/// What is planted, by the number of the execution and whether it is the first of its round.
#[derive(Clone, Copy, Debug)]
struct Planted {
    /// The last execution of the run takes so much more than the first, as a share.
    drift: f64,
    /// The first of a round takes so much more.
    first: f64,
    /// In every other round all take so much more.
    round: f64,
}

const ROUNDS: u64 = 12;
/// Both sides and the control.
const CELLS: u64 = 3;

/// The logarithm of B by A, both the same program, and the chance that the place in the round
/// carries nothing.
fn estimated(planted: Planted, seed: u64) -> (f64, f64) {
    let lab = lab(ONE, 12);
    let terms = Comparing { until: StopCondition::AllRounds, ..terms(&lab) };
    let (mut number, mut noise) = (0_u64, seed);
    let mut placed: Vec<PlacedSample> = Vec::new();
    let all = rows(compared_by_seed(&lab, seed, &terms, |request: &Request, at| {
        noise =
            noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (noise >> 33) as f64 / (1_u64 << 31) as f64;
        let (round, place) = (number / CELLS, number % CELLS);
        let drift = planted.drift * number as f64 / (CELLS * (ROUNDS + 1)) as f64;
        let first = if place == 0 { planted.first } else { 0.0 };
        let odd = if round % 2 == 1 { planted.round } else { 0.0 };
        let takes = 0.1 * (1.0 + drift) * (1.0 + first) * (1.0 + odd) * (1.0 + 0.02 * share);
        if round > 0 {
            let subject = u32::from(request.command.join(" ").ends_with("r2"));
            placed.push(PlacedSample { subject, beside: u32::from(place == 0), value: takes });
        }
        number += 1;
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_secs_f64(takes))
    }));
    let ratio = all.rows[0].comparison.estimate.unwrap().ratio.unwrap();
    (ratio.ln(), Influence::of(&placed, seed).unwrap().p)
}

/// Over this many runs, each with an order of its own: how far the mean of estimates is from none,
/// in standard errors; that error; and in how many runs the place in the round is seen.
fn over_runs(planted: Planted) -> (f64, f64, usize) {
    const RUNS: u64 = 24;
    let all: Vec<(f64, f64)> = (0..RUNS).map(|seed| estimated(planted, seed)).collect();
    let mean = all.iter().map(|(shift, _)| shift).sum::<f64>() / RUNS as f64;
    let squares = all.iter().map(|(shift, _)| (shift - mean).powi(2)).sum::<f64>();
    let error = (squares / (RUNS - 1) as f64 / RUNS as f64).sqrt();
    (mean / error, error, all.iter().filter(|(_, p)| *p <= 0.05).count())
}

#[test]
fn what_is_planted_in_the_order_of_executions_is_in_no_estimate() {
    let none = Planted { drift: 0.0, first: 0.0, round: 0.0 };
    let planted =
        [none, Planted { first: 0.05, ..none }, Planted { drift: 0.3, first: 0.05, round: 0.1 }];
    for planted in planted {
        let (off, error, seen) = over_runs(planted);
        // Three standard errors; each is a fraction of what is planted.
        assert!(off.abs() <= 3.0 && error < 0.01, "{planted:?}: {off} errors of {error}");
        // The effect is there, and is seen where nothing hides it; at 5 %, 1 of 24 sees it where it
        // is not.
        match (planted.first > 0.0, planted.drift + planted.round > 0.0) {
            (true, false) => assert!(seen >= 21, "{seen}"),
            (false, false) => assert!(seen <= 5, "{seen}"),
            _ => {}
        }
    }
}
