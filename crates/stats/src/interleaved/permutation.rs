//! How likely a sum of scores is, when the programs of each round might as well have had each
//! other's places.

use std::ops::Range;

use super::fit::InterleavedExecution;
use crate::distribution::normal_below;

/// Up to this many orders are counted one by one.
const COUNTED: f64 = 5000.0;

/// The executions of each round that has several, and what makes the mean square of their distances
/// a variance.
pub(super) fn rounds(executions: &[InterleavedExecution]) -> Vec<(Range<usize>, f64)> {
    let mut rounds = Vec::new();
    let mut first = 0;
    for round in executions.chunk_by(|one, other| one.round == other.round) {
        let size = round.len();
        if size > 1 {
            rounds.push((first..first + size, size as f64 / (size as f64 - 1.0)));
        }
        first += size;
    }
    rounds
}

/// One round: what the statistic may gain in it, each as likely, and what it did gain.
#[derive(Clone, Debug)]
pub(super) struct Outcomes {
    /// Centred: their mean is 0.
    pub possible: Vec<f64>,
    pub seen: f64,
}

impl Outcomes {
    fn varies(&self) -> bool {
        self.possible.iter().any(|gain| *gain != self.possible[0])
    }
}

/// The chance that the sum over all rounds is as high as seen, or higher.
pub(super) fn chance_above(rounds: &[Outcomes]) -> f64 {
    let seen: f64 = rounds.iter().map(|round| round.seen).sum();
    // Of equal values every order has the same outcome.
    let varying = rounds.iter().filter(|round| round.varies());
    let orders: f64 = varying.map(|round| round.possible.len() as f64).product();
    if orders <= COUNTED { counted(rounds, seen) } else { saddlepoint(rounds, seen) }
}

fn counted(rounds: &[Outcomes], seen: f64) -> f64 {
    let mut sums = vec![0.0];
    for round in rounds.iter().filter(|round| round.varies()) {
        sums =
            sums.iter().flat_map(|sum| round.possible.iter().map(move |gain| sum + gain)).collect();
    }
    let size: f64 = rounds.iter().flat_map(|round| &round.possible).map(|gain| gain.abs()).sum();
    let high = sums.iter().filter(|&&sum| sum >= seen - 1e-9 * size).count();
    high as f64 / sums.len() as f64
}

/// Lugannani & Rice's approximation of the tail (Advances in Applied Probability 12, 1980); for
/// permutation tests see Robinson (JRSS B 44, 1982). Its relative error is small in the far tail
/// too.
fn saddlepoint(rounds: &[Outcomes], seen: f64) -> f64 {
    let most: f64 = rounds.iter().map(|round| highest(&round.possible)).sum();
    let size = cumulants(rounds, 0.0)[2].sqrt();
    if size == 0.0 {
        return 1.0;
    }
    if seen.abs() < 1e-6 * size {
        return 0.5;
    }
    if seen < 0.0 {
        let mirrored = |round: &Outcomes| Outcomes {
            possible: round.possible.iter().map(|gain| -gain).collect(),
            seen: -round.seen,
        };
        return 1.0 - saddlepoint(&rounds.iter().map(mirrored).collect::<Vec<_>>(), -seen);
    }
    if seen >= most * (1.0 - 1e-9) {
        return rounds.iter().map(|round| share_of_highest(&round.possible)).product();
    }
    let (tilt, [height, _, curve]) = tilt(rounds, seen, size);
    let root = (2.0 * (tilt * seen - height)).max(0.0).sqrt();
    let slope = tilt * curve.sqrt();
    if root < 1e-4 {
        return 0.5;
    }
    let density = (-root * root / 2.0).exp() / std::f64::consts::TAU.sqrt();
    (normal_below(-root) + density * (1.0 / slope - 1.0 / root)).clamp(0.0, 1.0)
}

/// The tilt at which the mean equals the observed one, and the cumulants there.
fn tilt(rounds: &[Outcomes], seen: f64, size: f64) -> (f64, [f64; 3]) {
    let (mut low, mut high) = (0.0, 1.0 / size);
    while cumulants(rounds, high)[1] < seen && high < 1e6 / size {
        (low, high) = (high, 2.0 * high);
    }
    let mut at = f64::midpoint(low, high);
    for _ in 0..40 {
        let [_, mean, curve] = cumulants(rounds, at);
        *(if mean < seen { &mut low } else { &mut high }) = at;
        let newton = at + (seen - mean) / curve;
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - at).abs() <= 1e-9 * at {
            break;
        }
        at = next;
    }
    (at, cumulants(rounds, at))
}

/// The cumulant generating function of the sum at `at`, with its first two derivatives.
fn cumulants(rounds: &[Outcomes], at: f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for round in rounds {
        let top = highest(&round.possible.iter().map(|gain| gain * at).collect::<Vec<_>>());
        let (mut weight, mut first, mut second) = (0.0, 0.0, 0.0);
        for gain in &round.possible {
            let share = (gain * at - top).exp();
            weight += share;
            first += share * gain;
            second += share * gain * gain;
        }
        let mean = first / weight;
        sum[0] += top + (weight / round.possible.len() as f64).ln();
        sum[1] += mean;
        sum[2] += second / weight - mean * mean;
    }
    sum
}

/// The share of the possible gains that are the highest: several orders have it where values are
/// equal.
fn share_of_highest(possible: &[f64]) -> f64 {
    let size: f64 = possible.iter().map(|gain| gain.abs()).sum();
    let top = highest(possible) - 1e-9 * size;
    possible.iter().filter(|&&gain| gain >= top).count() as f64 / possible.len() as f64
}

fn highest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_values_are_equal_several_orders_are_the_highest() {
        let round = |possible: &[f64], seen: f64| Outcomes { possible: possible.to_vec(), seen };
        for equal in [5, 17, 27] {
            let mut rounds = vec![round(&[0.0, 0.0], 0.0); equal];
            rounds.extend(vec![round(&[-1.0, 1.0], 1.0); 3]);
            assert!((chance_above(&rounds) - 0.125).abs() < 1e-9, "{equal}");
        }
        let rounds = vec![round(&[1.0, 1.0, -2.0], 1.0); 10];
        assert!((chance_above(&rounds) - (2.0_f64 / 3.0).powi(10)).abs() < 1e-9);
    }
}
