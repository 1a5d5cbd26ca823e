//! Findings: what of this machine disturbs measurements, how much, and what to do about it.
//!
//! A rule reads the machine and answers with a finding or nothing; it changes nothing. Rules stand in one file a
//! subject and do not know each other.

mod company;
mod memory;
mod speed;
mod system;

use serde::Serialize;

use crate::root::Root;
use crate::tune;

/// How much a finding harms measurements *here*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Harm {
    /// It may turn a comparison around.
    High,
    /// It widens intervals, or moves levels between runs.
    Medium,
    /// It matters for short programs or small differences.
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

/// What to do about a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
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

/// One thing that disturbs measurements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its name for scripts: `turbo`.
    pub name: &'static str,
    /// How much it harms here.
    pub harm: Harm,
    /// What it is, in a few words with its numbers.
    pub what: String,
    /// What it does to measurements.
    pub effect: &'static str,
    /// Where that is documented.
    pub source: &'static str,
    /// What to do about it.
    pub remedy: Remedy,
}

/// All findings, the most harmful first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// The findings.
    pub findings: Vec<Finding>,
}

/// A rule: a finding, or nothing where the machine is in order or does not say.
type Rule = fn(&Examined<'_>) -> Option<Finding>;

/// What rules look at.
struct Examined<'a> {
    root: &'a Root,
    /// The folder in which benchmarks work.
    folder: &'a str,
}

impl Diagnosis {
    /// Examines a machine. `folder` is the folder in which benchmarks work.
    #[must_use]
    pub fn of(root: &Root, folder: &str) -> Self {
        let examined = Examined { root, folder };
        let rules = [system::RULES, speed::RULES, company::RULES, memory::RULES].concat();
        let mut findings: Vec<Finding> = rules.iter().filter_map(|rule| rule(&examined)).collect();
        findings.sort_by_key(|finding| finding.harm);
        Self { findings }
    }

    /// How many findings have that harm.
    #[must_use]
    pub fn count(&self, harm: Harm) -> usize {
        self.findings.iter().filter(|finding| finding.harm == harm).count()
    }

    /// Whether nothing of high harm was found.
    #[must_use]
    pub fn is_fit(&self) -> bool {
        self.count(Harm::High) == 0
    }
}

/// A setting of `tacho tune`, where its file can be written here; else why not.
fn settable(root: &Root, setting: &str, path: &str, value: &str) -> Remedy {
    match tune::obstacle(root, path) {
        Some(why) => Remedy::Impossible(why),
        None => Remedy::Tune { setting: setting.to_owned(), by_hand: by_hand(path, value) },
    }
}

/// The command that writes a value into a file, where that is possible here; else why not.
fn writable(root: &Root, path: &str, value: &str) -> Remedy {
    tune::obstacle(root, path).map_or_else(|| Remedy::Command(by_hand(path, value)), Remedy::Impossible)
}

fn by_hand(path: &str, value: &str) -> String {
    format!("echo {value} | sudo tee {path}")
}
