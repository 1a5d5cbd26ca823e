//! What is believed of a command that passes or fails, each side of the change with a rate of its own.
//!
//! Rates are unknown and integrated out, with Jeffreys' prior on either (Jeffreys, "An Invariant Form for the Prior Probability in
//! Estimation Problems", 1946). Which side fails more is open.

use std::collections::BTreeMap;

use super::levels::{Mixture, Posterior};
use super::record::Reading;
use super::rules::NOTHING;
use crate::distribution::ln_gamma;

/// How many failed, and how many did not.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    failed: f64,
    passed: f64,
}

impl Counts {
    fn plus(self, other: Self) -> Self {
        Self { failed: self.failed + other.failed, passed: self.passed + other.passed }
    }

    fn minus(self, other: Self) -> Self {
        Self { failed: self.failed - other.failed, passed: self.passed - other.passed }
    }

    /// The logarithm of their chance under any rate.
    fn ln_evidence(self) -> f64 {
        let (a, b) = (self.failed + 0.5, self.passed + 0.5);
        ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b) - std::f64::consts::PI.ln()
    }

    /// The rate and its variance.
    fn rate(self) -> (f64, f64) {
        let (a, b) = (self.failed + 0.5, self.passed + 0.5);
        let mean = a / (a + b);
        (mean, mean * (1.0 - mean) / (a + b + 1.0))
    }
}

/// What is believed.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    pub(super) ends: (usize, usize),
    counts: BTreeMap<usize, Counts>,
}

/// What follows from one interval.
struct Split {
    from: usize,
    worth: f64,
    before: (f64, f64),
    after: (f64, f64),
}

impl Rates {
    pub(super) fn new(ends: (usize, usize)) -> Self {
        Self { ends, counts: BTreeMap::new() }
    }

    pub(super) fn observe(&mut self, reading: Reading) {
        if self.ends.0 <= reading.revision && reading.revision <= self.ends.1 {
            let counts = self.counts.entry(reading.revision).or_default();
            counts.failed += reading.value;
            counts.passed += 1.0 - reading.value;
        }
    }

    pub(super) fn tested(&self) -> Vec<usize> {
        self.counts.keys().copied().collect()
    }

    fn all(&self) -> Counts {
        self.counts.values().fold(Counts::default(), |sum, counts| sum.plus(*counts))
    }

    fn splits(&self) -> Vec<Split> {
        let (all, range) = (self.all(), (self.ends.1 - self.ends.0) as f64);
        let mut before = Counts::default();
        let mut last: Option<usize> = None;
        let mut splits = Vec::new();
        for (&from, &counts) in &self.counts {
            if let Some(last) = last {
                let after = all.minus(before);
                let share = (1.0 - NOTHING) * (from - last) as f64 / range;
                splits.push(Split {
                    from,
                    worth: share.ln() + before.ln_evidence() + after.ln_evidence(),
                    before: before.rate(),
                    after: after.rate(),
                });
            }
            before = before.plus(counts);
            last = Some(from);
        }
        splits
    }

    pub(super) fn posterior(&self) -> Posterior {
        let splits = self.splits();
        let nothing = NOTHING.ln() + self.all().ln_evidence();
        let most = splits.iter().map(|split| split.worth).fold(nothing, f64::max);
        let sum: f64 =
            splits.iter().map(|split| (split.worth - most).exp()).sum::<f64>() + (nothing - most).exp();
        let intervals = splits.iter().map(|split| (split.from, (split.worth - most).exp() / sum));
        let (mut before, mut after) = self.rates(None);
        // No side is as sure of its rate as a rate of 0 or 1 would be.
        before.1 = before.1.max(1e-9);
        after.1 = after.1.max(1e-9);
        let spread = |rate: f64| rate * (1.0 - rate);
        Posterior {
            nothing: (nothing - most).exp() / sum,
            intervals: intervals.collect(),
            step: (after.0 - before.0, after.1 + before.1),
            sd: (f64::midpoint(spread(before.0), spread(after.0))).sqrt(),
            middle: (before.1 + after.1) / 4.0,
            drift: 0.0,
        }
    }

    /// The rates before and after the change, with their variances: from one interval, or from all.
    fn rates(&self, from: Option<usize>) -> ((f64, f64), (f64, f64)) {
        let splits = self.splits();
        let chosen = || splits.iter().filter(|split| from.is_none_or(|from| from == split.from));
        let most = chosen().map(|split| split.worth).fold(f64::NEG_INFINITY, f64::max);
        let (mut before, mut after) = (Mixture::default(), Mixture::default());
        for split in chosen() {
            before.add(split.before, (split.worth - most).exp());
            after.add(split.after, (split.worth - most).exp());
        }
        if most == f64::NEG_INFINITY {
            ((0.5, 0.25), (0.5, 0.25))
        } else {
            (before.moments(), after.moments())
        }
    }

    pub(super) fn step_given(&self, from: Option<usize>) -> (f64, f64) {
        let (before, after) = self.rates(from);
        (after.0 - before.0, after.1 + before.1)
    }

    /// How much both rates explain fresh pairs of parent and culprit better than either alone does.
    pub(super) fn odds(&self, pairs: &[(f64, f64)]) -> f64 {
        let ((before, _), (after, _)) = self.rates(None);
        let chance = |failed: f64, rate: f64| (failed * rate + (1.0 - failed) * (1.0 - rate)).ln();
        let worth = |parent: f64, culprit: f64| -> f64 {
            pairs.iter().map(|(p, c)| chance(*p, parent) + chance(*c, culprit)).sum()
        };
        worth(before, after) - worth(before, before).max(worth(after, after))
    }
}
