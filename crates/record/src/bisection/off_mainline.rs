//! An end beside the main line of the other one: the search begins where they part.

use serde::{Deserialize, Serialize};

use super::effect::BisectedEffect;

/// The earlier end as it was named, measured beside the first candidate, where the main line of the
/// later end and its own part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OffMainline {
    /// The result.
    pub said: OffMainlineFinding,
    /// What changed from the first candidate to it; absent where that is not known, or both are the
    /// same program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<BisectedEffect>,
    /// How many samples of it there are.
    pub samples: usize,
    /// Why it is not known, in one line; absent where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The result of measuring an end beside the main line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OffMainlineFinding {
    /// It behaves as the first candidate does.
    Alike,
    /// It differs: something changed on its own way from there.
    Otherwise,
    /// Both were built to the same artifacts.
    SameProgram,
    /// Not known yet.
    UnderWay,
    /// It cannot be reported.
    Unknown,
}
