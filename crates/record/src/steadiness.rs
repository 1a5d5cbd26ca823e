//! The result of a search for a warmup: the phases of a cell's executions within a run.

use serde::{Deserialize, Serialize};

/// How the executions of a cell went, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Course {
    /// They began at the level that they ended at.
    Flat,
    /// The level changed too near to the end to say that it stays.
    NoSteadyState,
    /// They began at a better level than the one that they ended at.
    Slowdown,
    /// They began at a worse level than the one that they ended at.
    WarmUp,
}

impl Course {
    /// In words: `no steady state`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Course::Flat => "none found",
            Course::NoSteadyState => "no steady state",
            Course::Slowdown => "slowdown",
            Course::WarmUp => "warmup",
        }
    }
}

/// Executions one after the other at one level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// The first round.
    pub first: u32,
    /// The last round.
    pub last: u32,
    /// The median of the metric, in its base unit.
    pub level: f64,
}

/// How the executions of a cell went within a run, and which of them count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steadiness {
    /// How they went.
    pub course: Course,
    /// By which metric that was judged.
    pub metric: String,
    /// Their phases, in order.
    pub phases: Vec<Phase>,
    /// The first round whose samples count; those before are warmup. It is the same for all cells
    /// of a benchmark in a run, so that compared samples are of the same rounds.
    pub counts_from: u32,
}

impl Steadiness {
    /// How many rounds are warmup.
    #[must_use]
    pub fn warm_up(&self) -> u32 {
        self.counts_from.saturating_sub(1)
    }
}
