//! What to do next, and what came of it.

use super::outcome::{Outcome, Unusable};

/// This many samples of one revision in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// The revision's place among the candidates; 0 is the good end.
    pub revision: usize,
    /// How many samples; at least 1.
    pub samples: usize,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Measure these, in this order, each followed by [`observe`](super::Bisection::observe).
    /// Asking again before all are observed gives those that are left.
    Measure(Vec<Portion>),
    /// Nothing is left to do.
    Finished(Box<Outcome>),
}

/// What was seen of a revision.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// One value for each execution; with [`Values::Failures`](super::Values::Failures) 1 where it
    /// failed, else 0.
    Samples(Vec<f64>),
    /// No values can be had.
    Unusable(Unusable),
}

/// What was observed of one revision.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The revision's place among the candidates.
    pub revision: usize,
    /// What was seen.
    pub seen: Seen,
    /// Seconds that building took now; `None` where there was a build already.
    pub build: Option<f64>,
    /// Seconds that all executions of it took together.
    pub executing: f64,
}
