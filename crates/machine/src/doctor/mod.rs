//! Findings: what of this machine disturbs measurements, how much, and what to do about it.
//!
//! A rule reads the machine and returns a finding or `None`, without changing anything. Rules of
//! one subject are in one file and do not know each other.

mod company;
mod finding_types;
mod frequency;
mod kernel;
mod memory;

use serde::Serialize;

use crate::root::Root;
use finding_types::ExaminedRoot;

pub use finding_types::{FindingRemedy, Harm, MachineFinding};

/// All findings, the most harmful first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// The findings.
    pub findings: Vec<MachineFinding>,
}

impl Diagnosis {
    /// Examines a machine. `folder` is the folder in which benchmarks work.
    #[must_use]
    pub fn of(root: &Root, folder: &str) -> Self {
        let examined = ExaminedRoot { root, folder };
        let rules = [kernel::RULES, frequency::RULES, company::RULES, memory::RULES].concat();
        let mut findings: Vec<MachineFinding> =
            rules.iter().filter_map(|rule| rule(&examined)).collect();
        findings.sort_by_key(|finding| finding.harm);
        Self { findings }
    }

    /// How many findings have that harm.
    #[must_use]
    pub fn count(&self, harm: Harm) -> usize {
        self.findings.iter().filter(|finding| finding.harm == harm).count()
    }

    /// Whether there is no finding of high harm.
    #[must_use]
    pub fn is_fit(&self) -> bool {
        self.count(Harm::High) == 0
    }
}
