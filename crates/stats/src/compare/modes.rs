//! Several modes: a program that is now fast, now slow. A median between two modes means nothing; their shares do.

use super::order::quantile;
use super::sample::Scale;
use crate::distribution::hypergeometric;

/// Fewer samples show no modes.
const FEWEST: usize = 12;
/// A mode has at least this many of a hundred samples, and at least four of them; less are outliers.
const SHARE: usize = 15;
/// The gap between two modes is at least so many times the sum of both modes' mean distances from their medians …
const GAP: f64 = 1.5;
/// … and at least this by the number of samples, since among few a wide gap comes by chance.
const GAP_OF_FEW: f64 = 48.0;

/// Two modes, and how they share A and B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// The lower and the upper mode of A, in the metric's unit; absent where A has but one.
    pub a: Option<(f64, f64)>,
    /// Those of B.
    pub b: Option<(f64, f64)>,
    /// The share of A's samples that are in its upper mode.
    pub upper_share_a: f64,
    /// The share of B's.
    pub upper_share_b: f64,
    /// The chance of so different shares when they are the same: Fisher's exact test, two-sided.
    pub p: f64,
}

/// How one side falls apart: so many in the lower mode, and the medians of both.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Split {
    below: usize,
    low: f64,
    high: f64,
}

impl Modes {
    /// Those of two sides of ascending values as they are compared; `None` when neither has two.
    pub(super) fn of(scale: Scale, a: &[f64], b: &[f64], step: f64) -> Option<Self> {
        let splits = (split(a, step), split(b, step));
        let (of_a, of_b) = match splits {
            (None, None) => return None,
            (Some(of_a), Some(of_b)) => (of_a, of_b),
            (Some(of_a), None) => (of_a, one_of(&of_a, b)?),
            (None, Some(of_b)) => (one_of(&of_b, a)?, of_b),
        };
        let upper = |split: &Split, n: usize| (n - split.below) as f64 / n as f64;
        let told = |split: &Split| (scale.value_of(split.low), scale.value_of(split.high));
        Some(Self {
            a: splits.0.as_ref().map(told),
            b: splits.1.as_ref().map(told),
            upper_share_a: upper(&of_a, a.len()),
            upper_share_b: upper(&of_b, b.len()),
            p: shares_differ((of_a.below, a.len()), (of_b.below, b.len())),
        })
    }
}

/// Where ascending values fall apart most, if they do.
fn split(sorted: &[f64], step: f64) -> Option<Split> {
    let n = sorted.len();
    if n < FEWEST || !sorted[n - 1].is_finite() || !sorted[0].is_finite() {
        return None;
    }
    let least = (n * SHARE).div_ceil(100).max(4);
    let apart = |cut: usize| {
        let gap = sorted[cut] - sorted[cut - 1];
        gap / (distance(&sorted[..cut]) + distance(&sorted[cut..])).max(step)
    };
    let best = (least..=n - least).max_by(|&one, &other| apart(one).total_cmp(&apart(other)))?;
    let median = |part: &[f64]| quantile(part, 0.5);
    let enough = apart(best) >= GAP.max(GAP_OF_FEW / n as f64);
    enough.then_some(Split { below: best, low: median(&sorted[..best])?, high: median(&sorted[best..])? })
}

/// The mode of another side that these values, which have but one, are nearer to.
fn one_of(split: &Split, values: &[f64]) -> Option<Split> {
    let median = quantile(values, 0.5)?;
    let upper = (median - split.high).abs() < (median - split.low).abs();
    Some(Split { below: if upper { 0 } else { values.len() }, ..*split })
}

/// The mean distance from the median.
fn distance(sorted: &[f64]) -> f64 {
    let median = quantile(sorted, 0.5).unwrap_or(0.0);
    sorted.iter().map(|value| (value - median).abs()).sum::<f64>() / sorted.len() as f64
}

/// The chance of so different shares, each of so many in all: of all tables that are no likelier than this one.
///
/// Fisher, "Statistical Methods for Research Workers" (1934), 21.02.
fn shares_differ(a: (usize, usize), b: (usize, usize)) -> f64 {
    let (all, marked) = (a.1 + b.1, a.0 + b.0);
    let chance = |k: usize| hypergeometric(k, a.1, marked, all);
    let seen = chance(a.0) * (1.0 + 1e-9);
    (0..=a.1.min(marked)).map(chance).filter(|&chance| chance <= seen).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::noise::{Noise, gaussian};
    use super::super::order::sorted;
    use super::*;

    fn logs(values: &[f64]) -> Vec<f64> {
        sorted(&values.iter().map(|value| value.ln()).collect::<Vec<_>>())
    }

    #[test]
    fn one_mode_is_seldom_taken_for_two_and_two_are_found() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let trials = 1000;
        for noise in Noise::ALL {
            for n in [15, 30] {
                // Values come in steps here: the rule knows the step from them.
                let step = if noise == Noise::Quantised { 0.02 } else { 0.0 };
                let found = (0..trials)
                    .filter(|_| split(&logs(&noise.session(n, &mut rng, |_| 100.0)), step).is_some());
                let rate = found.count() as f64 / f64::from(trials);
                match (noise, n) {
                    (Noise::Bimodal, 30) => assert!(rate >= 0.9, "{rate}"),
                    (Noise::Bimodal, _) => assert!(rate >= 0.6, "{rate}"),
                    _ => assert!(rate <= 0.01 + 0.006, "{noise:?}, {n}: {rate}"),
                }
            }
        }
    }

    #[test]
    fn shares_are_compared_by_fishers_test() {
        // The lady tasting tea: three of four right; and a table of Agresti's, 2 of 17 against 8 of 13.
        assert!((shares_differ((3, 4), (1, 4)) - 34.0 / 70.0).abs() < 1e-9);
        assert!((shares_differ((0, 5), (5, 5)) - 2.0 / 252.0).abs() < 1e-9);
        assert_eq!(shares_differ((3, 6), (3, 6)), 1.0);
    }

    #[test]
    fn a_change_of_shares_is_seen_where_the_medians_cannot_tell() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut side = |share: f64| -> Vec<f64> {
            let noise = |rng: &mut ChaCha8Rng| 0.005 * gaussian(rng);
            let value = |rng: &mut ChaCha8Rng| {
                let slow = if rng.random::<f64>() < share { 0.2 } else { 0.0 };
                100.0 * (slow + noise(rng)).exp()
            };
            (0..30).map(|_| value(&mut rng)).collect()
        };
        let modes = Modes::of(Scale::Ratio, &logs(&side(0.25)), &logs(&side(0.75)), 0.0).unwrap();
        assert!(modes.p < 0.01 && modes.upper_share_b > modes.upper_share_a + 0.3, "{modes:?}");
        assert!((modes.a.unwrap().0 - 100.0).abs() < 1.0 && (modes.b.unwrap().1 - 122.1).abs() < 1.0);
        let one_sided = Modes::of(Scale::Ratio, &logs(&side(0.5)), &logs(&side(1.0)), 0.0).unwrap();
        assert_eq!((one_sided.b, one_sided.upper_share_b), (None, 1.0));
        assert_eq!(Modes::of(Scale::Ratio, &logs(&side(0.0)), &logs(&side(1.0)), 0.0), None, "one mode each");
    }

    #[test]
    fn two_neighbouring_ticks_are_no_modes() {
        let ticks = [[10.0_f64.ln(); 10], [11.0_f64.ln(); 10]].concat();
        assert_eq!(split(&ticks, 1.1_f64.ln()), None);
        assert!(split(&ticks, 0.0).is_some(), "unless values are exact");
    }
}
