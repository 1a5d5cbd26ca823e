//! What a verified culprit is asked besides: whether its effect is there under other circumstances
//! too.

use serde::{Deserialize, Serialize};

use super::effect::{BisectedEffect, none_limited};
use crate::Disturbance;

/// Whether the effect of a culprit is there under a disturbance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Which of the culprits.
    pub culprit: usize,
    /// What was otherwise.
    pub under: Disturbance,
    /// How many pairs of the culprit and its parent were measured so.
    pub pairs: usize,
    /// What changed from the parent to the culprit then; absent where that is not known.
    pub effect: Option<BisectedEffect>,
    /// How many samples of the parent and of it reached a limit then: of what is compared they are
    /// the least that it would have been.
    #[serde(default, skip_serializing_if = "none_limited")]
    pub limited: [u32; 2],
    /// What that says.
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
    /// It cannot be had here.
    NotAvailable,
    /// An effect the other way.
    Turned,
    /// Noise hides it, or what may be spent is.
    Unclear,
    /// Not known yet.
    UnderWay,
}

impl ProbeOutcome {
    /// Whether the effect depends on what was otherwise.
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
