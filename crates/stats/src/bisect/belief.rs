//! The belief about a metric, or about a command that passes or fails.

use super::levels::{BisectLevels, LevelPosterior};
use super::rates::Rates;
use super::record::{LevelReading, Record};
use super::rules::{BisectionRules, BuildVariation, ValueKind};

/// The belief about the range between two ends.
#[derive(Clone, Debug)]
pub(super) enum RangeBelief {
    /// The belief about a metric.
    Levels(BisectLevels),
    /// The belief about a command that passes or fails.
    Rates(Rates),
}

impl RangeBelief {
    /// The belief about this range, from all observations of it.
    pub(super) fn of(ends: (usize, usize), record: &Record, rules: &BisectionRules) -> Self {
        let builds = if let BuildVariation::Vary(sd) = rules.builds { sd } else { 0.0 };
        let mut belief = match rules.values {
            ValueKind::Failures => Self::Rates(Rates::new(ends)),
            ValueKind::Ratios | ValueKind::Differences => {
                Self::Levels(BisectLevels::new(ends, rules.least, builds, record.prior.clone()))
            }
        };
        let placed = record.readings.iter().map(|reading| record.placed(*reading, ends));
        placed.for_each(|reading| belief.observe(reading));
        belief
    }

    pub(super) fn observe(&mut self, reading: LevelReading) {
        match self {
            Self::Levels(levels) => levels.observe(reading),
            Self::Rates(rates) => rates.observe(reading),
        }
    }

    pub(super) fn ends(&self) -> (usize, usize) {
        match self {
            Self::Levels(levels) => levels.ends,
            Self::Rates(rates) => rates.ends,
        }
    }

    pub(super) fn posterior(&self) -> LevelPosterior {
        match self {
            Self::Levels(levels) => levels.posterior(),
            Self::Rates(rates) => rates.posterior(),
        }
    }

    /// The tested revisions, in order.
    pub(super) fn tested(&self) -> Vec<usize> {
        match self {
            Self::Levels(levels) => levels.tested.clone(),
            Self::Rates(rates) => rates.tested(),
        }
    }

    /// How many readings of an end make its start.
    pub(super) fn wanted(&self, end: usize) -> usize {
        match self {
            Self::Levels(levels) => levels.wanted(end),
            Self::Rates(_) => 1,
        }
    }

    /// The tested revision before a tested one.
    pub(super) fn before(&self, from: usize) -> usize {
        let tested = self.tested();
        let place = tested.partition_point(|tested| *tested < from);
        tested.get(place.max(1) - 1).copied().unwrap_or(from)
    }

    /// The step if there is one, and its variance; given that the step is in the interval that ends
    /// here, or in any interval.
    pub(super) fn step(&self, from: Option<usize>) -> Option<(f64, f64)> {
        match self {
            Self::Levels(levels) => levels.step_given(from),
            Self::Rates(rates) => Some(rates.step_given(from)),
        }
    }

    /// The logarithm of the odds of this step at this culprit to none, from fresh pairs of parent
    /// and culprit.
    pub(super) fn odds(&self, pairs: &[(f64, f64)], culprit: usize, step: f64) -> f64 {
        match self {
            Self::Levels(levels) => levels.odds(pairs, step),
            Self::Rates(rates) => rates.odds(pairs, culprit),
        }
    }
}
