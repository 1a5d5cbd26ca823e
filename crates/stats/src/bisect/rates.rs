//! The belief about a command that passes or fails, with a rate of its own on each side of the
//! change.
//!
//! Rates are unknown and integrated out: *never* or *always* with 45 % each, else any rate by
//! Jeffreys' prior (Jeffreys, "An Invariant Form for the Prior Probability in Estimation Problems",
//! 1946). The first two make a command that is not flaky cost about one execution a revision.
//! Either side may fail more often.

use std::collections::BTreeMap;

use super::information::Channel;
use super::levels::{LevelMixture, LevelPosterior};
use super::record::LevelReading;
use super::rules::NOTHING;
use crate::distribution::ln_gamma;

/// How many failed, and how many did not.
#[derive(Clone, Copy, Debug, Default)]
struct RateCounts {
    failed: f64,
    passed: f64,
}

impl RateCounts {
    fn plus(self, other: Self) -> Self {
        Self { failed: self.failed + other.failed, passed: self.passed + other.passed }
    }

    fn minus(self, other: Self) -> Self {
        Self { failed: self.failed - other.failed, passed: self.passed - other.passed }
    }

    /// The logarithm of their chance under any rate by Jeffreys' prior.
    fn ln_any(self) -> f64 {
        let (a, b) = (self.failed + 0.5, self.passed + 0.5);
        ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b) - std::f64::consts::PI.ln()
    }

    /// Whether the results may come from a command that never fails, and from one that always
    /// fails.
    fn steady(self) -> [bool; 2] {
        [self.failed == 0.0, self.passed == 0.0]
    }

    /// The logarithm of their chance before their rate is known.
    fn ln_evidence(self) -> f64 {
        let steady = self.steady().into_iter().filter(|steady| *steady).count() as f64;
        ln_sum(((1.0 - 2.0 * STEADY).ln() + self.ln_any(), (STEADY * steady).ln()))
    }

    /// The rates that may have produced the results, with their probabilities.
    fn rates(self) -> Vec<(f64, f64)> {
        let any = ((1.0 - 2.0 * STEADY).ln() + self.ln_any() - self.ln_evidence()).exp();
        let steady = self.steady().into_iter().zip([0.0, 1.0]).filter(|of| of.0);
        let steady: Vec<f64> = steady.map(|(_, rate)| rate).collect();
        let share = (1.0 - any) / steady.len().max(1) as f64;
        std::iter::once((self.rate().0, any))
            .chain(steady.into_iter().map(|rate| (rate, share)))
            .collect()
    }

    /// The rate by Jeffreys' prior, and its variance.
    fn rate(self) -> (f64, f64) {
        let (a, b) = (self.failed + 0.5, self.passed + 0.5);
        let mean = a / (a + b);
        (mean, mean * (1.0 - mean) / (a + b + 1.0))
    }
}

/// How likely a command is never to fail before anything is seen, and how likely always to.
const STEADY: f64 = 0.45;

/// The logarithm of the sum of what these are logarithms of.
fn ln_sum((a, b): (f64, f64)) -> f64 {
    let most = a.max(b);
    if most == f64::NEG_INFINITY { most } else { most + ((a - most).exp() + (b - most).exp()).ln() }
}

/// The chance of these before and after a change, which *never* or *always* on both sides is not.
fn ln_changed(before: RateCounts, after: RateCounts) -> f64 {
    let both = before.ln_evidence() + after.ln_evidence();
    let same = before.plus(after).steady().into_iter().filter(|steady| *steady).count() as f64;
    // If no constant rate is possible on both sides, `both` may be too small for its exponential.
    let excluded = if same == 0.0 { 0.0 } else { same * STEADY * STEADY * (-both).exp() };
    (-excluded).ln_1p() + both - (1.0 - 2.0 * STEADY * STEADY).ln()
}

/// The belief.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    pub(super) ends: (usize, usize),
    counts: BTreeMap<usize, RateCounts>,
}

/// The consequences of one interval.
struct RateSplit {
    from: usize,
    worth: f64,
    before: RateCounts,
    after: RateCounts,
}

impl Rates {
    pub(super) fn new(ends: (usize, usize)) -> Self {
        Self { ends, counts: BTreeMap::new() }
    }

    pub(super) fn observe(&mut self, reading: LevelReading) {
        if self.ends.0 <= reading.revision && reading.revision <= self.ends.1 {
            let counts = self.counts.entry(reading.revision).or_default();
            counts.failed += reading.value;
            counts.passed += 1.0 - reading.value;
        }
    }

    pub(super) fn tested(&self) -> Vec<usize> {
        self.counts.keys().copied().collect()
    }

    fn all(&self) -> RateCounts {
        self.counts.values().fold(RateCounts::default(), |sum, counts| sum.plus(*counts))
    }

    fn splits(&self) -> Vec<RateSplit> {
        let (all, range) = (self.all(), (self.ends.1 - self.ends.0) as f64);
        let mut before = RateCounts::default();
        let mut last: Option<usize> = None;
        let mut splits = Vec::new();
        for (&from, &counts) in &self.counts {
            if let Some(last) = last {
                let after = all.minus(before);
                let share = (1.0 - NOTHING) * (from - last) as f64 / range;
                splits.push(RateSplit {
                    from,
                    worth: share.ln() + ln_changed(before, after),
                    before,
                    after,
                });
            }
            before = before.plus(counts);
            last = Some(from);
        }
        splits
    }

    pub(super) fn posterior(&self) -> LevelPosterior {
        let splits = self.splits();
        let nothing = NOTHING.ln() + self.all().ln_evidence();
        let most = splits.iter().map(|split| split.worth).fold(nothing, f64::max);
        let sum: f64 = splits.iter().map(|split| (split.worth - most).exp()).sum::<f64>()
            + (nothing - most).exp();
        let intervals = splits.iter().map(|split| (split.from, (split.worth - most).exp() / sum));
        let (mut before, mut after) = self.rates(None);
        // No side is as sure of its rate as a rate of 0 or 1 would be.
        before.1 = before.1.max(1e-9);
        after.1 = after.1.max(1e-9);
        let spread = |rate: f64| rate * (1.0 - rate);
        LevelPosterior {
            nothing: (nothing - most).exp() / sum,
            intervals: intervals.collect(),
            step: (after.0 - before.0, after.1 + before.1),
            sd: (f64::midpoint(spread(before.0), spread(after.0))).sqrt(),
            middle: (before.1 + after.1) / 4.0,
            builds: 0.0,
            channels: channels(&splits),
        }
    }

    /// The rates before and after the change, with their variances: from one interval, or from all.
    fn rates(&self, from: Option<usize>) -> ((f64, f64), (f64, f64)) {
        let splits = self.splits();
        let chosen = || splits.iter().filter(|split| from.is_none_or(|from| from == split.from));
        let most = chosen().map(|split| split.worth).fold(f64::NEG_INFINITY, f64::max);
        let (mut before, mut after) = (LevelMixture::default(), LevelMixture::default());
        for split in chosen() {
            before.add(split.before.rate(), (split.worth - most).exp());
            after.add(split.after.rate(), (split.worth - most).exp());
        }
        if most == f64::NEG_INFINITY {
            ((0.5, 0.25), (0.5, 0.25))
        } else {
            (before.moments(), after.moments())
        }
    }

    /// The rate of one revision, and its variance.
    pub(super) fn rate_of(failed: f64, passed: f64) -> (f64, f64) {
        RateCounts { failed, passed }.rate()
    }

    pub(super) fn step_given(&self, from: Option<usize>) -> (f64, f64) {
        let (before, after) = self.rates(from);
        (after.0 - before.0, after.1 + before.1)
    }

    /// The logarithm of the odds that fresh pairs come from both rates, against the better of the
    /// two rates alone. Each rate is a distribution, from all other results.
    pub(super) fn odds(&self, pairs: &[(f64, f64)], culprit: usize) -> f64 {
        let fresh = |of: fn(&(f64, f64)) -> f64| {
            let failed = pairs.iter().map(of).sum::<f64>();
            RateCounts { failed, passed: pairs.len() as f64 - failed }
        };
        let (parents, culprits) = (fresh(|pair| pair.0), fresh(|pair| pair.1));
        let sum = |sum: RateCounts, of: &RateCounts| sum.plus(*of);
        let before = self
            .counts
            .range(..culprit)
            .map(|of| of.1)
            .fold(RateCounts::default(), sum)
            .minus(parents);
        let after = self
            .counts
            .range(culprit..)
            .map(|of| of.1)
            .fold(RateCounts::default(), sum)
            .minus(culprits);
        let chance =
            |known: RateCounts, seen: RateCounts| known.plus(seen).ln_any() - known.ln_any();
        let all = parents.plus(culprits);
        chance(before, parents) + chance(after, culprits)
            - chance(before, all).max(chance(after, all))
    }
}

/// The rates on either side if the change is where it is likeliest, and how likely each pair of
/// them is.
fn channels(splits: &[RateSplit]) -> Vec<Channel> {
    let Some(best) = splits.iter().max_by(|a, b| a.worth.total_cmp(&b.worth)) else {
        return Vec::new();
    };
    let after = best.after.rates();
    let pair = |(before, chance): (f64, f64)| {
        after.iter().map(move |&(after, other)| Channel { before, after, weight: chance * other })
    };
    best.before.rates().into_iter().flat_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_passes_and_two_failures_are_most_likely_a_change() {
        let (good, bad) =
            (RateCounts { failed: 0.0, passed: 2.0 }, RateCounts { failed: 2.0, passed: 0.0 });
        // By hand: any rate gives two passes with 3/8, two of each with 3/128.
        assert!((good.ln_evidence() - 0.4875f64.ln()).abs() < 1e-9);
        assert!((good.plus(bad).ln_evidence() - (0.3f64 / 128.0).ln()).abs() < 1e-9);
        let changed = 0.4875f64.powi(2) / 0.595;
        assert!((ln_changed(good, bad) - changed.ln()).abs() < 1e-9);
    }

    #[test]
    fn chances_of_all_outcomes_sum_to_one() {
        let mut sums = [0.0; 2];
        for failed in 0..=3 {
            for later in 0..=3 {
                let of = |failed: i32| RateCounts {
                    failed: f64::from(failed),
                    passed: f64::from(3 - failed),
                };
                let ways = |failed: i32| if failed == 0 || failed == 3 { 1.0 } else { 3.0 };
                let ways = ways(failed) * ways(later);
                sums[0] += ways * ln_changed(of(failed), of(later)).exp();
                sums[1] += ways * of(failed).plus(of(later)).ln_evidence().exp();
            }
        }
        assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-9), "{sums:?}");
    }
}
