//! Several modes: a program that is now fast, now slow. A median between two modes means nothing;
//! their shares do.

use super::order::quantile;
use super::sample::Scale;
use crate::distribution::{hypergeometric, normal_quantile};

/// Fewer samples show no modes.
const FEWEST: usize = 12;
/// A mode has at least this many of a hundred samples, and at least four of them; less are
/// outliers.
const SHARE: usize = 15;
/// Up to this many samples, a gap shows nothing.
const LONE: usize = 4;
/// The gap between two modes is at least this many times the sum of both modes' mean distances from
/// their medians …
const GAP: f64 = 1.5;
/// … and at least this by the number of samples, since among few a wide gap comes by chance.
const GAP_OF_FEW: f64 = 48.0;

/// Two modes, and how they share A and B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedModes {
    /// The lower and the upper mode of A, in the metric's unit; absent where A has but one.
    pub a: Option<(f64, f64)>,
    /// The levels of B.
    pub b: Option<(f64, f64)>,
    /// The share of A's samples that are in its upper mode.
    pub upper_share_a: f64,
    /// The share of B's.
    pub upper_share_b: f64,
    /// B's share less A's: where that is, with 95 %.
    pub difference: (f64, f64),
    /// The chance of so different shares when they are the same: Fisher's exact test, two-sided.
    pub p: f64,
}

/// How one side falls apart: this many in the lower mode, the others in the upper one, and the
/// medians of both.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ModeSplit {
    below: usize,
    /// The middle of the gap.
    cut: f64,
    low: f64,
    high: f64,
}

impl SharedModes {
    /// The modes of two sides of ascending values, as compared; `None` if neither has two modes.
    pub(super) fn of(scale: Scale, a: &[f64], b: &[f64], step: f64) -> Option<Self> {
        let splits = [split(a, step), split(b, step)];
        let below = match splits {
            [None, None] => return None,
            [Some(of_a), Some(of_b)] => [of_a.below, of_b.below],
            [Some(of_a), None] => [of_a.below, beside(&of_a, b)],
            [None, Some(of_b)] => [beside(&of_b, a), of_b.below],
        };
        let levels = |split: ModeSplit| (scale.value_of(split.low), scale.value_of(split.high));
        let (of_a, of_b) = ((a.len() - below[0], a.len()), (b.len() - below[1], b.len()));
        Some(Self {
            a: splits[0].map(levels),
            b: splits[1].map(levels),
            upper_share_a: of_a.0 as f64 / a.len() as f64,
            upper_share_b: of_b.0 as f64 / b.len() as f64,
            difference: share_difference(of_a, of_b),
            p: shares_differ(of_a, of_b),
        })
    }
}

/// Two modes of one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoModes {
    /// The median of the lower mode, in the unit of the values.
    pub low: f64,
    /// The level of the upper mode.
    pub high: f64,
    /// The share of values in the upper mode.
    pub upper_share: f64,
}

impl TwoModes {
    /// The modes of positive values in any order; `None` with one mode, or fewer than 12 values.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        logs.sort_by(f64::total_cmp);
        let found = split(&logs, 0.0)?;
        let upper_share = 1.0 - found.below as f64 / logs.len() as f64;
        Some(Self { low: found.low.exp(), high: found.high.exp(), upper_share })
    }
}

/// The widest split of ascending values, if there is one.
fn split(sorted: &[f64], step: f64) -> Option<ModeSplit> {
    let n = sorted.len();
    if n < FEWEST {
        return None;
    }
    at(sorted, parted(sorted, step, (n * SHARE).div_ceil(100).max(4))?)
}

/// How many are below the widest gap that has `least` or more on each side, if it is wide enough
/// for two modes.
fn parted(sorted: &[f64], step: f64, least: usize) -> Option<usize> {
    let n = sorted.len();
    if !sorted.first()?.is_finite() || !sorted[n - 1].is_finite() {
        return None;
    }
    let parts = Splits::of(sorted, step);
    let best = (least..=n.checked_sub(least)?)
        .max_by(|&one, &other| parts.apart(one).total_cmp(&parts.apart(other)))?;
    (parts.apart(best) >= GAP.max(GAP_OF_FEW / n as f64)).then_some(best)
}

/// Whether these few ascending values may be of two modes that matter: a share as large as a mode's
/// is beyond a gap of at least this width, but the values are too few to distinguish a mode from
/// outliers.
pub(super) fn may_be_two(sorted: &[f64], step: f64, matters: f64) -> bool {
    let least = (sorted.len() * SHARE / 100).max(1);
    if sorted.len() <= LONE || least >= 4 || split(sorted, step).is_some() {
        return false;
    }
    parted(sorted, step, least).is_some_and(|at| sorted[at] - sorted[at - 1] >= matters)
}

/// All ways to part ascending values in two, each known in constant time.
struct Splits<'a> {
    sorted: &'a [f64],
    step: f64,
    /// The sum of the distances from their median, of the lowest 0, 1, 2 … values.
    below: Vec<f64>,
    /// The same of the highest.
    above: Vec<f64>,
}

impl<'a> Splits<'a> {
    fn of(sorted: &'a [f64], step: f64) -> Self {
        let highest_first: Vec<f64> = sorted.iter().rev().copied().collect();
        Self { sorted, step, below: distances(sorted), above: distances(&highest_first) }
    }

    /// How far both parts are apart, by how far their values are.
    fn apart(&self, below: usize) -> f64 {
        let above = self.sorted.len() - below;
        let gap = self.sorted[below] - self.sorted[below - 1];
        let mean = |sums: &[f64], n: usize| sums[n] / n as f64;
        gap / (mean(&self.below, below) + mean(&self.above, above)).max(self.step)
    }
}

/// The sums of the distances from their median, of the first 0, 1, 2 … of monotonic values.
///
/// One more value at the end moves the median by at most half a place: it adds its distance from
/// the value in the middle of those before and itself. No term is negative, so nothing cancels out.
fn distances(monotonic: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; monotonic.len() + 1];
    for (n, value) in monotonic.iter().enumerate() {
        sums[n + 1] = sums[n] + (value - monotonic[n / 2]).abs();
    }
    sums
}

/// The split with this many values in the lower mode.
fn at(sorted: &[f64], below: usize) -> Option<ModeSplit> {
    Some(ModeSplit {
        below,
        cut: f64::midpoint(sorted[below - 1], sorted[below]),
        low: quantile(&sorted[..below], 0.5)?,
        high: quantile(&sorted[below..], 0.5)?,
    })
}

/// How many values of a side that shows no modes by itself are in the lower mode of one that does:
/// those below the middle of that one's gap.
///
/// Another rule would turn the chance that one side shows its modes and the other does not into a
/// difference of shares.
fn beside(split: &ModeSplit, sorted: &[f64]) -> usize {
    sorted.partition_point(|value| *value < split.cut)
}

/// The chance of so different shares, each of this many in all: of all tables that are no likelier
/// than this one.
///
/// Fisher, "Statistical Methods for Research Workers" (1934), 21.02.
fn shares_differ(a: (usize, usize), b: (usize, usize)) -> f64 {
    let (all, marked) = (a.1 + b.1, a.0 + b.0);
    let chance = |k: usize| hypergeometric(k, a.1, marked, all);
    let seen = chance(a.0) * (1.0 + 1e-9);
    (0..=a.1.min(marked)).map(chance).filter(|&chance| chance <= seen).sum::<f64>().min(1.0)
}

/// The share of the second less that of the first, with 95 %; each this many of this many.
///
/// Newcombe, "Interval Estimation for the Difference between Independent Proportions", Statistics
/// in Medicine 17 (1998), method 10: from the score interval of either (Wilson, JASA 22, 1927).
fn share_difference(first: (usize, usize), second: (usize, usize)) -> (f64, f64) {
    let score = |(count, n): (usize, usize)| {
        let (n, z) = (n as f64, normal_quantile(0.975));
        let share = count as f64 / n;
        let middle = share + z * z / (2.0 * n);
        let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        let by = 1.0 + z * z / n;
        (share, (middle - half) / by, (middle + half) / by)
    };
    let ((one, one_low, one_high), (other, other_low, other_high)) = (score(first), score(second));
    let difference = other - one;
    (
        difference - (other - other_low).hypot(one_high - one),
        difference + (other_high - other).hypot(one - one_low),
    )
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::noise::RatioNoise;
    use super::super::order::sorted;
    use super::*;
    use crate::draw::gaussian;

    #[test]
    fn two_modes_of_one_sample_are_found_with_their_share() {
        let mut rng = ChaCha8Rng::seed_from_u64(12);
        let mut of = |high: f64| -> Vec<f64> {
            let level = |at: u32| if at.is_multiple_of(4) { high } else { 100.0 };
            (0..80).map(|at| level(at) * (0.01 * gaussian(&mut rng)).exp()).collect()
        };
        let found = TwoModes::of(&of(130.0)).unwrap();
        assert!((found.low - 100.0).abs() < 0.5 && (found.high - 130.0).abs() < 1.0, "{found:?}");
        assert!((found.upper_share - 0.25).abs() < 1e-9);
        assert_eq!(TwoModes::of(&of(100.0)), None);
        assert_eq!(TwoModes::of(&of(130.0)[..11]), None);
    }

    #[test]
    fn sums_of_distances_are_those_from_the_median() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let values = sorted(&(0..40).map(|_| rng.random_range(-3.0..3.0)).collect::<Vec<f64>>());
        for values in [values.clone(), values.into_iter().rev().collect()] {
            for (n, sum) in distances(&values).into_iter().enumerate() {
                let median = quantile(&sorted(&values[..n]), 0.5).unwrap_or(0.0);
                let wanted: f64 = values[..n].iter().map(|value| (value - median).abs()).sum();
                assert!((sum - wanted).abs() < 1e-12, "{n}: {sum} {wanted}");
            }
        }
        assert_eq!(distances(&[0.1; 9]), [0.0; 10], "and exactly nothing of equal values");
    }

    fn logs(values: &[f64]) -> Vec<f64> {
        sorted(&values.iter().map(|value| value.ln()).collect::<Vec<_>>())
    }

    #[test]
    fn one_mode_is_seldom_taken_for_two_and_two_are_found() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let trials = 1000;
        for noise in RatioNoise::ALL {
            for n in [15, 30] {
                // Values come in steps here: the rule knows the step from them.
                let step = if noise == RatioNoise::Quantised { 0.02 } else { 0.0 };
                let found = (0..trials).filter(|_| {
                    split(&logs(&noise.session(n, &mut rng, |_| 100.0)), step).is_some()
                });
                let rate = found.count() as f64 / f64::from(trials);
                match (noise, n) {
                    (RatioNoise::Bimodal, 30) => assert!(rate >= 0.9, "{rate}"),
                    (RatioNoise::Bimodal, _) => assert!(rate >= 0.6, "{rate}"),
                    _ => assert!(rate <= 0.01 + 0.006, "{noise:?}, {n}: {rate}"),
                }
            }
        }
    }

    #[test]
    fn shares_are_compared_by_fishers_test() {
        // The lady tasting tea: three of four right; and a table of Agresti's, 2 of 17 against 8 of
        // 13.
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
        let mut modes =
            |a: f64, b: f64| SharedModes::of(Scale::Ratio, &logs(&side(a)), &logs(&side(b)), 0.0);
        let found = modes(0.25, 0.75).unwrap();
        assert!(found.p < 0.01 && found.difference.0 > 0.1, "{found:?}");
        assert!(
            (found.a.unwrap().0 - 100.0).abs() < 1.0 && (found.b.unwrap().1 - 122.1).abs() < 1.0
        );
        let one_sided = modes(0.5, 1.0).unwrap();
        assert_eq!((one_sided.b, one_sided.upper_share_b), (None, 1.0));
        assert_eq!(modes(0.0, 1.0), None, "one mode each");
    }

    #[test]
    fn the_difference_of_shares_has_an_interval() {
        // Newcombe's example: 56 of 70 less 48 of 80.
        let (low, high) = share_difference((48, 80), (56, 70));
        assert!((low - 0.0524).abs() < 5e-5 && (high - 0.3339).abs() < 5e-5, "{low} {high}");
        let (low, high) = share_difference((0, 12), (0, 12));
        assert!((low + high).abs() < 1e-12 && high < 0.25, "{low} {high}");
    }

    #[test]
    fn a_side_with_few_in_the_other_mode_is_seen_beside_one_that_has_both() {
        let noise = |n: u32| 0.1 * f64::from(n * 7 % 13);
        let side = |upper: u32| -> Vec<f64> {
            (0..20).map(|n| if n < upper { 120.0 } else { 100.0 } + noise(n)).collect()
        };
        let modes = SharedModes::of(Scale::Ratio, &logs(&side(8)), &logs(&side(2)), 0.0).unwrap();
        assert_eq!((modes.b, modes.upper_share_a, modes.upper_share_b), (None, 0.4, 0.1));
    }

    #[test]
    fn two_neighbouring_ticks_are_no_modes() {
        let ticks = [[10.0_f64.ln(); 10], [11.0_f64.ln(); 10]].concat();
        assert_eq!(split(&ticks, 1.1_f64.ln()), None);
        assert!(split(&ticks, 0.0).is_some(), "unless values are exact");
    }
}
