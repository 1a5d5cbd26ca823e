//! A further question about a verified culprit: whether its effect persists under other
//! circumstances.

use serde::{Deserialize, Serialize};

use super::effect::{BisectedEffect, none_limited};
use crate::Disturbance;

/// Whether the effect of a culprit persists under a disturbance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The culprit's index.
    pub culprit: usize,
    /// The disturbance.
    pub under: Disturbance,
    /// How many pairs of the culprit and its parent were measured so.
    pub pairs: usize,
    /// The change from the parent to the culprit under the disturbance; absent if unknown.
    pub effect: Option<BisectedEffect>,
    /// How many samples of the parent and of it reached a limit then: of what is compared they are
    /// the least that it would have been.
    #[serde(default, skip_serializing_if = "none_limited")]
    pub limited: [u32; 2],
    /// The conclusion.
    pub probed: ProbeOutcome,
    /// Why it could not be asked, in one line; absent where it could.
    pub why: Option<String>,
}

/// The result of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeOutcome {
    /// No effect, or one much smaller.
    Gone,
    /// The same effect, or one of about its size.
    Holds,
    /// The disturbance is not available on this host.
    NotAvailable,
    /// An effect the other way.
    Turned,
    /// Noise hides it, or what may be spent is.
    Unclear,
    /// Not known yet.
    UnderWay,
}

impl ProbeOutcome {
    /// Whether the effect depends on the disturbance.
    #[must_use]
    pub fn depends(self) -> bool {
        matches!(self, Self::Gone | Self::Turned)
    }

    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Holds => "holds",
            Self::NotAvailable => "not available here",
            Self::Turned => "reversed",
            Self::Unclear => "not known here",
            Self::UnderWay => "not known yet",
        }
    }
}
