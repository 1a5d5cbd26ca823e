//! An end beside the main line of the other one: the search begins where they part.

use serde::{Deserialize, Serialize};

use super::effect::BisectedEffect;

/// The earlier end as it was named, measured beside the first candidate, where the main line of the
/// later end and its own part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OffMainline {
    /// The result.
    pub said: OffMainlineFinding,
    /// The change from the first candidate to this revision; absent if unknown or for the same
    /// program.
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
    /// The revision behaves as the first candidate does.
    Alike,
    /// The revision differs: something changed on its own branch.
    Otherwise,
    /// Both were built to the same artifacts.
    SameProgram,
    /// Not known yet.
    UnderWay,
    /// The comparison has no result.
    Unknown,
}
