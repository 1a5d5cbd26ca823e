//! Which estimator decides: by whether the host's speed moves, never by A against B.

use super::Estimator;

/// Why this estimator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceReason {
    /// It was asked for.
    Asked,
    /// The host's speed moved, so that executions next to each other in time are compared.
    HostMoves,
    /// Nothing shows that the host's speed moved, so that all executions are compared.
    Steady,
    /// Samples come in levels, for which there is no other.
    Levels,
    /// A side was measured in another run, where there is no other.
    Earlier,
    /// Both were executed at the same time: a pair is a round.
    Duet,
    /// A side has two modes: the mean knows how often it is in each, a median lies between them.
    Modes,
}

/// The estimator that decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimatorChoice {
    /// The one.
    pub estimator: Estimator,
    /// Why.
    pub because: ChoiceReason,
    /// How uneven the host was: its slow speed takes this share longer than its fast one (0.78 is
    /// 78 %; the 90th percentile of its path by the 10th). Absent where the order of executions is
    /// not known.
    pub uneven: Option<f64>,
    /// How many times as many samples would be needed if neighbours were not compared; absent where
    /// they were not.
    pub gain: Option<f64>,
}

impl EstimatorChoice {
    pub(super) fn plain(estimator: Estimator, because: ChoiceReason) -> Self {
        Self { estimator, because, uneven: None, gain: None }
    }
}
