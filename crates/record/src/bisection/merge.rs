//! A merge that was named, among whose commits is bisected.

use serde::{Deserialize, Serialize};

use super::effect::{BisectedEffect, ResidualEffect, none_limited};

/// A merge that was named. The candidates are then what was before it, each of the commits that it
/// brought merged into that, and the merge itself: all that lies between what it was measured
/// against and it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    /// Its full name.
    pub revision: String,
    /// The first line of its message.
    pub subject: String,
    /// What it changed as a whole.
    pub effect: BisectedEffect,
    /// How many samples of what was before it and of it reached a limit.
    #[serde(default, skip_serializing_if = "none_limited")]
    pub limited: [u32; 2],
    /// The name of the bisection that named it.
    pub bisection: String,
    /// The good end and the bad one of that bisection, by names that mean the same tomorrow.
    pub ends: (String, String),
    /// Whether the bad one of them is the earlier.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exchanged: bool,
    /// What changed there from end to end; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<BisectedEffect>,
    /// How many samples of the earlier end and of the later one reached a limit.
    #[serde(default, skip_serializing_if = "none_limited")]
    pub change_limited: [u32; 2],
    /// What all that it named leaves of that; absent where that is nothing to speak of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<ResidualEffect>,
    /// Which of those ends is the better one; absent where it is not known, or goes without saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
}
