//! Runs: sessions of the tool, with what they set out to measure.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{BenchmarkKey, Digest, Rule};

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Closed before all was measured, since a build is no longer available; another run continued.
    Abandoned,
    /// All that it set out to measure is measured.
    Finished,
    /// Begun, and under way or interrupted: the same command resumes from there.
    Unfinished,
}

impl RunState {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Abandoned => "abandoned",
            Self::Finished => "finished",
            Self::Unfinished => "unfinished",
        }
    }
}

/// The purpose of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Revisions of a bisection, as it requested them: its samples are no part of any series.
    Bisect,
    /// Two programs beside one another: its samples are no part of any series.
    Compare,
    /// Both sides of changes once more: its samples are no part of any series.
    Confirm,
    /// Builds of one source with different link orders: its samples are no part of any series.
    Layouts,
    /// One or two programs under disturbances: its samples are no part of any series.
    Probe,
    /// Series.
    #[default]
    Track,
}

impl Purpose {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bisect => "bisect",
            Self::Compare => "compare",
            Self::Confirm => "confirm",
            Self::Layouts => "layouts",
            Self::Probe => "probe",
            Self::Track => "track",
        }
    }
}

/// One session of the tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its number in the store, counted from 1.
    pub number: i64,
    /// When it began.
    pub started: Timestamp,
    /// When it ended, if it did.
    pub ended: Option<Timestamp>,
    /// How far it has come.
    pub state: RunState,
    /// The purpose.
    pub purpose: Purpose,
    /// The seed of its random order.
    pub seed: u64,
    /// The digest of the request (plan, revisions, rounds): the same question resumes the same run.
    pub question: Digest,
    /// The text of the plan.
    pub plan: String,
    /// The version of the tool.
    pub version: String,
    /// The host's name.
    pub host: String,
    /// Rounds that it set out to do, at the most.
    pub rounds: u32,
    /// The warmup and the stopping rule.
    pub rule: Rule,
}

/// One unit that a run measures repeatedly: a benchmark at a build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The revision's full name.
    pub revision: String,
    /// The digest of what was built.
    pub artifact: Digest,
    /// The benchmark with its parameters.
    pub benchmark: BenchmarkKey,
    /// In how many rounds it is executed at the most, the warmup not counted.
    pub rounds: u32,
}
