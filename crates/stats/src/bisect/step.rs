//! The next step, and its result.

use super::outcome::{BisectorOutcome, UnusableReason};

/// Several samples of one revision in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// The revision's place among the candidates; 0 is the good end.
    pub revision: usize,
    /// How many samples; at least 1.
    pub samples: usize,
}

/// The next step.
#[derive(Clone, Debug, PartialEq)]
pub enum NextStep {
    /// Measure these, in this order, each followed by [`observe`](super::Bisector::observe).
    /// Asking again before all are observed gives those that are left.
    Measure(Vec<Portion>),
    /// The bisection has ended.
    Finished(Box<BisectorOutcome>),
}

/// The observed values of a revision.
#[derive(Clone, Debug, PartialEq)]
pub enum ObservedValues {
    /// One value for each execution; with [`Values::Failures`](super::ValueKind::Failures) 1 where
    /// it failed, else 0.
    Samples(Vec<f64>),
    /// The revision has no values.
    Unusable(UnusableReason),
}

/// An observation of one revision.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The revision's place among the candidates.
    pub revision: usize,
    /// The observed values.
    pub seen: ObservedValues,
    /// Seconds that building took now; `None` where there was a build already.
    pub build: Option<f64>,
    /// Seconds that all executions of it took together.
    pub executing: f64,
}
