//! One finding, and what rules share.

use serde::Serialize;

use crate::root::Root;
use crate::tune;

/// How much a finding harms measurements *here*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Harm {
    /// The finding may reverse a comparison.
    High,
    /// The finding widens intervals, or moves levels between runs.
    Medium,
    /// The finding matters for short programs or small differences.
    Low,
}

impl Harm {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// The remedy of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingRemedy {
    /// A sentence: nothing to set.
    Advice(String),
    /// A command that sets it; most need root.
    Command(String),
    /// Why it cannot be set here.
    Impossible(String),
    /// A setting of `tacho tune`, and the command that does the same by hand.
    Tune {
        /// Such as `turbo=off`.
        setting: String,
        /// Such as `echo 1 | sudo tee FILE`.
        by_hand: String,
    },
}

/// One disturbance of measurements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineFinding {
    /// Its name for scripts: `turbo`.
    pub name: &'static str,
    /// How much it harms here.
    pub harm: Harm,
    /// The finding, in a few words with its numbers.
    pub what: String,
    /// The effect on measurements.
    pub effect: &'static str,
    /// The documentation of the effect.
    pub source: &'static str,
    /// The remedy.
    pub remedy: FindingRemedy,
}

/// A rule: a finding, or nothing where the machine is in order or does not say.
pub(super) type FindingRule = fn(&ExaminedRoot<'_>) -> Option<MachineFinding>;

/// The input of rules.
pub(super) struct ExaminedRoot<'a> {
    pub(super) root: &'a Root,
    /// The folder in which benchmarks work.
    pub(super) folder: &'a str,
}

/// A setting of `tacho tune`, where its file can be written here; else why not.
pub(super) fn settable(root: &Root, setting: &str, path: &str, value: &str) -> FindingRemedy {
    match tune::obstacle(root, path) {
        Some(why) => FindingRemedy::Impossible(why),
        None => FindingRemedy::Tune { setting: setting.to_owned(), by_hand: by_hand(path, value) },
    }
}

/// The command that writes a value into a file, where that is possible here; else why not.
pub(super) fn writable(root: &Root, path: &str, value: &str) -> FindingRemedy {
    tune::obstacle(root, path)
        .map_or_else(|| FindingRemedy::Command(by_hand(path, value)), FindingRemedy::Impossible)
}

fn by_hand(path: &str, value: &str) -> String {
    format!("echo {value} | sudo tee {path}")
}
