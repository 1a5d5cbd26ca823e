//! A merge that was named, among whose commits is bisected.

use serde::{Deserialize, Serialize};

use super::effect::{BisectedEffect, ResidualEffect, none_limited};

/// A merge that was named. The candidates are then the revision before the merge, each of the
/// merge's commits merged into that revision, and the merge itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    /// Its full name.
    pub revision: String,
    /// The first line of its message.
    pub subject: String,
    /// The effect of the whole merge.
    pub effect: BisectedEffect,
    /// How many samples of what was before it and of it reached a limit.
    #[serde(default, skip_serializing_if = "none_limited")]
    pub limited: [u32; 2],
    /// The name of the bisection that named it.
    pub bisection: String,
    /// The good end and the bad one of that bisection, by names that mean the same tomorrow.
    pub ends: (String, String),
    /// Whether the bad end is the earlier one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exchanged: bool,
    /// The change from end to end; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<BisectedEffect>,
    /// How many samples of the earlier end and of the later one reached a limit.
    #[serde(default, skip_serializing_if = "none_limited")]
    pub change_limited: [u32; 2],
    /// The part of that change that the named commits do not explain; absent if negligible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<ResidualEffect>,
    /// Which end is the better one; absent if unknown or obvious.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
}
