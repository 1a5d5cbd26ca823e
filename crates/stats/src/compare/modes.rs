//! Several modes: a program that is now fast, now slow. A median between two modes means nothing;
//! their shares do.

use super::Estimate;
use super::order::quantile;
use super::sample::{SampleValue, Scale, rounds};
use crate::distribution::{hypergeometric, normal_quantile};

/// Fewer samples show no modes.
const FEWEST: usize = 12;
/// A mode has at least this many of a hundred samples, and at least four of them; less are
/// outliers.
const SHARE: usize = 15;
/// The gap between two modes is at least this many times the sum of both modes' mean distances from
/// their medians …
const GAP: f64 = 1.5;
/// … and at least this by the number of samples, since among few a wide gap comes by chance.
const GAP_OF_FEW: f64 = 48.0;
/// Means are asked for one direction only: all of the error is in it.
pub(super) const DIRECTIONS: f64 = 2.0;

/// Two modes, and how they share A and B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedModes {
    /// The lower and the upper mode of A, in the metric's unit; absent where A has but one.
    pub a: Option<(f64, f64)>,
    /// Those of B.
    pub b: Option<(f64, f64)>,
    /// The share of A's samples that are in its upper mode.
    pub upper_share_a: f64,
    /// The share of B's.
    pub upper_share_b: f64,
    /// B's share less A's: where that is, with 95 %.
    pub difference: (f64, f64),
    /// The chance of so different shares when they are the same: Fisher's exact test, two-sided.
    pub p: f64,
    /// What of them is compared.
    pub judged_by: ModeComparison,
}

/// What is compared of sides that have two modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeComparison {
    /// The ratio is that of the levels: samples of the upper mode are taken down by what the modes
    /// are apart.
    Levels,
    /// The shares differ for certain, so the ratio is that of the means, which knows of shares.
    Shares,
    /// The shares differ for certain, but the means not in their direction, so the ratio is that of
    /// the levels.
    SharesOnly,
    /// The modes of both sides are different ones, or one side is in neither mode of the other, or
    /// some values are zero or below, so the ratio is that of the means.
    Means,
    /// Both are in the same mode in nearly all rounds: it is the rounds that have modes, and they
    /// are taken away with them.
    Rounds,
    /// The ratio is as it was asked for, or one of levels of repetition.
    Given,
}

/// The chance of means that point where the levels of modes do, so that it is as unlikely as those
/// of levels have to be, which have this share of the error; 1 where they point elsewhere.
///
/// A level has a direction only where the means, which know of shares, have it too: levels may fall
/// while a program is slow more often. The levels may err in either direction, the means beside
/// them only in that one, with all of the error.
pub(super) fn borne_out(levels: &Estimate, means: &Estimate, share: f64) -> f64 {
    if levels.difference * means.difference > 0.0 { means.p * share / DIRECTIONS } else { 1.0 }
}

/// How one side falls apart: this many in the lower mode, those above the cut in the upper one, and
/// the medians of both.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ModeSplit {
    below: usize,
    cut: f64,
    low: f64,
    high: f64,
}

/// Both sides, each falling apart, or all in one of the other's modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SplitSides {
    splits: [Option<ModeSplit>; 2],
    both: [ModeSplit; 2],
    /// How far the modes are apart, as values are compared; absent where those of one side are not
    /// those of the other, or where it is not known in which of them the other side is.
    gap: Option<f64>,
}

impl SplitSides {
    /// Of two sides of ascending values as they are compared; `None` when neither has two modes.
    pub fn of(a: &[f64], b: &[f64], step: f64) -> Option<Self> {
        let splits = [split(a, step), split(b, step)];
        let both = match splits {
            [None, None] => return None,
            [Some(of_a), Some(of_b)] => [of_a, of_b],
            [Some(of_a), None] => [of_a, beside(&of_a, b, step)?],
            [None, Some(of_b)] => [beside(&of_b, a, step)?, of_b],
        };
        let gaps = both.map(|split| split.high - split.low);
        let is_known = splits.iter().all(Option::is_some) || is_within_reach(&both);
        let is_shared = is_known && is_alike(gaps[0], gaps[1]);
        let gap = is_shared.then(|| f64::midpoint(gaps[0], gaps[1]));
        Some(Self { splits, both, gap })
    }

    /// What is said of it, for this many values of either side.
    pub fn modes(
        &self,
        scale: Scale,
        [a, b]: [usize; 2],
        judged_by: ModeComparison,
    ) -> SharedModes {
        let levels = |split: ModeSplit| (scale.value_of(split.low), scale.value_of(split.high));
        let upper = |split: &ModeSplit, n: usize| (n - split.below, n);
        let [of_a, of_b] = [upper(&self.both[0], a), upper(&self.both[1], b)];
        SharedModes {
            a: self.splits[0].map(levels),
            b: self.splits[1].map(levels),
            upper_share_a: of_a.0 as f64 / a as f64,
            upper_share_b: of_b.0 as f64 / b as f64,
            difference: share_difference(of_a, of_b),
            p: shares_differ(of_a, of_b),
            judged_by,
        }
    }

    /// Whether both are in the same mode in nine of ten rounds or more, as where something disturbs
    /// both.
    pub fn is_of_rounds(&self, scale: Scale, a: &[SampleValue], b: &[SampleValue]) -> bool {
        let is_upper = |side: usize, samples: &[&SampleValue]| {
            samples.iter().any(|sample| scale.of_value(sample.value) > self.both[side].cut)
        };
        let rounds = rounds(a, b);
        let apart = rounds.iter().filter(|(a, b)| is_upper(0, a) != is_upper(1, b)).count();
        rounds.len() >= FEWEST && 10 * apart <= rounds.len()
    }

    /// Both sides and the control of the first, all in their lower mode, so that levels are
    /// compared and no shares; `None` where the modes are different ones.
    pub fn levelled(
        &self,
        scale: Scale,
        sides: [&[SampleValue]; 3],
    ) -> Option<[Vec<SampleValue>; 3]> {
        let gap = self.gap?;
        let cuts = [0, 1, 0].map(|side: usize| self.both[side].cut);
        let down = |(samples, cut): (&[SampleValue], f64)| {
            let one = |sample: &SampleValue| match scale.of_value(sample.value) {
                value if value > cut => {
                    SampleValue { value: scale.value_of(value - gap), ..*sample }
                }
                _ => *sample,
            };
            samples.iter().map(one).collect()
        };
        let [a, b, control] = sides;
        Some([(a, cuts[0]), (b, cuts[1]), (control, cuts[2])].map(down))
    }
}

/// Two modes of one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoModes {
    /// The median of the lower mode, in the unit of the values.
    pub low: f64,
    /// That of the upper one.
    pub high: f64,
    /// The share of values in the upper mode.
    pub upper_share: f64,
}

impl TwoModes {
    /// Of positive values in any order; `None` where they have one mode, or are fewer than 12.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        logs.sort_by(f64::total_cmp);
        let found = split(&logs, 0.0)?;
        let upper_share = 1.0 - found.below as f64 / logs.len() as f64;
        Some(Self { low: found.low.exp(), high: found.high.exp(), upper_share })
    }
}

/// Where ascending values fall apart most, if they do.
fn split(sorted: &[f64], step: f64) -> Option<ModeSplit> {
    let n = sorted.len();
    if n < FEWEST || !sorted[n - 1].is_finite() || !sorted[0].is_finite() {
        return None;
    }
    let least = (n * SHARE).div_ceil(100).max(4);
    let parts = Splits::of(sorted, step);
    let best = (least..=n - least)
        .max_by(|&one, &other| parts.apart(one).total_cmp(&parts.apart(other)))?;
    if parts.apart(best) >= GAP.max(GAP_OF_FEW / n as f64) { at(sorted, best) } else { None }
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

/// This many in the lower mode.
fn at(sorted: &[f64], below: usize) -> Option<ModeSplit> {
    Some(ModeSplit {
        below,
        cut: f64::midpoint(sorted[below - 1], sorted[below]),
        low: quantile(&sorted[..below], 0.5)?,
        high: quantile(&sorted[below..], 0.5)?,
    })
}

/// A side that shows no modes by itself, beside one that does: two parts as far apart as those,
/// however few are in one; else all are in the mode that they are nearer to.
///
/// Without the first, who by chance shows its modes and who does not would make a difference of
/// shares.
fn beside(split: &ModeSplit, sorted: &[f64], step: f64) -> Option<ModeSplit> {
    let gap = split.high - split.low;
    let parts = Splits::of(sorted, step);
    let far = (1..sorted.len()).filter(|&below| parts.apart(below) >= GAP);
    let far = far.filter_map(|below| Some((parts.apart(below), at(sorted, below)?)));
    let alike = far.filter(|(_, found)| is_alike(found.high - found.low, gap));
    if let Some((_, found)) = alike.max_by(|one, other| one.0.total_cmp(&other.0)) {
        return Some(found);
    }
    let median = quantile(sorted, 0.5)?;
    let is_upper = (median - split.high).abs() < (median - split.low).abs();
    Some(if is_upper {
        ModeSplit { below: 0, cut: f64::NEG_INFINITY, low: median - gap, high: median }
    } else {
        ModeSplit { below: sorted.len(), cut: f64::INFINITY, low: median, high: median + gap }
    })
}

/// Whether a side that shows no modes by itself is at one of those of the other, so that it is
/// known which one that is: within half of what these are apart.
///
/// Further away either may be its mode, and which one decides by how much the levels differ.
fn is_within_reach([a, b]: &[ModeSplit; 2]) -> bool {
    (a.low - b.low).abs() <= (a.high - a.low).max(b.high - b.low) / 2.0
}

/// Whether two modes are about as far apart as two others.
fn is_alike(one: f64, other: f64) -> bool {
    (one - other).abs() <= one.min(other) / 2.0
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
    use super::super::{ComparisonRules, Look, Sides, compare};
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
        let mut modes = |a: f64, b: f64| {
            let apart = SplitSides::of(&logs(&side(a)), &logs(&side(b)), 0.0)?;
            Some(apart.modes(Scale::Ratio, [30, 30], ModeComparison::Levels))
        };
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
        let apart = SplitSides::of(&logs(&side(8)), &logs(&side(2)), 0.0).unwrap();
        let modes = apart.modes(Scale::Ratio, [20, 20], ModeComparison::Levels);
        assert_eq!((modes.b, modes.upper_share_a, modes.upper_share_b), (None, 0.4, 0.1));
        let samples = |side: &[f64]| side.iter().copied().map(SampleValue::new).collect::<Vec<_>>();
        let (a, b) = (samples(&side(8)), samples(&side(2)));
        let levelled = apart.levelled(Scale::Ratio, [&a, &b, &a]).unwrap();
        assert!(
            levelled.iter().flatten().all(|sample| (99.0..102.0).contains(&sample.value)),
            "{levelled:?}"
        );
        let far: Vec<f64> =
            side(8).iter().map(|value| if *value > 110.0 { value * 2.0 } else { *value }).collect();
        let other = SplitSides::of(&logs(&side(8)), &logs(&far), 0.0).unwrap();
        assert_eq!(other.levelled(Scale::Ratio, [&a, &b, &a]), None, "modes of their own");
    }

    #[test]
    fn a_side_far_from_the_modes_of_the_other_is_in_neither() {
        let noise = |n: u32| 1.0 + 0.001 * f64::from(n * 7 % 13);
        let side = |low: f64, high: f64, upper: u32| -> Vec<f64> {
            (0..20).map(|n| if n < upper { high } else { low } * noise(n)).collect()
        };
        let samples = |side: &[f64]| side.iter().copied().map(SampleValue::new).collect::<Vec<_>>();
        let gap_of = |a: &[f64], b: &[f64]| SplitSides::of(&logs(a), &logs(b), 0.0).unwrap().gap;
        let b = side(25.4, 38.9, 12);
        // One outlier is as far away from the others of A as both modes of B are apart.
        let few = side(100.0, 153.0, 1);
        assert_eq!(gap_of(&few, &b), None, "its lower mode is not that of B");
        assert_eq!(gap_of(&side(100.0, 100.0, 0), &b), None);
        assert!(gap_of(&side(39.5, 39.5, 0), &b).is_some(), "at the upper one");
        assert!(gap_of(&side(26.0, 40.0, 1), &b).is_some(), "at both");
        assert!(gap_of(&side(100.0, 153.0, 8), &b).is_some(), "both have two modes");
        let sides = Sides { a: &samples(&few), b: &samples(&b), control: &[] };
        let compared = compare(&sides, &ComparisonRules::default(), Look::only(20, 0.05));
        assert_eq!(compared.modes.unwrap().judged_by, ModeComparison::Means);
        let ratio = compared.estimate.unwrap().ratio.unwrap();
        assert!((ratio / 0.325 - 1.0).abs() < 0.02, "the means: {ratio}");
    }

    #[test]
    fn two_neighbouring_ticks_are_no_modes() {
        let ticks = [[10.0_f64.ln(); 10], [11.0_f64.ln(); 10]].concat();
        assert_eq!(split(&ticks, 1.1_f64.ln()), None);
        assert!(split(&ticks, 0.0).is_some(), "unless values are exact");
    }
}
