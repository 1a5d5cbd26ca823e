//! The reference: fixed programs that are executed beside the subject, so that the machine's
//! changes are known as the machine's.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Digest;

/// How much of the time goes to the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReferenceMode {
    /// No reference.
    #[default]
    Off,
    /// At most 5 %: one program after the other, as time allows.
    Cheap,
    /// All programs in each round.
    Full,
}

impl FromStr for ReferenceMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "cheap" => Ok(Self::Cheap),
            "full" => Ok(Self::Full),
            _ => Err("valid values: `off`, `cheap`, `full`".to_owned()),
        }
    }
}

/// One of the fixed programs. Their order is that of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReferenceProgram {
    /// Arithmetic, each step of which needs the one before.
    Integers,
    /// 32 MiB read in order, again and again.
    Bandwidth,
    /// The same memory read out of order, each address known only from the one before.
    Latency,
    /// Branches that nothing predicts.
    Branches,
    /// System calls, and processes that end at once.
    System,
    /// A file read from the system's cache.
    Files,
}

impl ReferenceProgram {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Integers, Self::Bandwidth, Self::Latency, Self::Branches, Self::System, Self::Files];

    /// The name, as written in plans.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integers => "integers",
            Self::Bandwidth => "bandwidth",
            Self::Latency => "latency",
            Self::Branches => "branches",
            Self::System => "system",
            Self::Files => "files",
        }
    }

    /// The program of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.name() == name)
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// What it does, in a few words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Integers => "integer arithmetic",
            Self::Bandwidth => "memory bandwidth",
            Self::Latency => "memory latency",
            Self::Branches => "unpredictable branches",
            Self::System => "system calls and process starts",
            Self::Files => "reads of a cached file",
        }
    }
}

impl fmt::Display for ReferenceProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One execution of a fixed program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceSample {
    /// The digest of the programs: only those of the same digest are compared.
    pub digest: Digest,
    /// The program.
    pub program: ReferenceProgram,
    /// The round that it belongs to.
    pub round: u32,
    /// When it began.
    pub at: Timestamp,
    /// How long it took.
    pub wall: Duration,
    /// The processor time that it used.
    pub cpu: Duration,
}

/// The reference's summary of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceSummary {
    /// How often fixed programs were executed.
    pub executions: usize,
    /// Their share of the time of all executions.
    pub share: f64,
    /// The program whose times vary most within the run, and their spread, as a share.
    pub varies: Option<(ReferenceProgram, f64)>,
    /// The last run before on the host that executed fixed programs,
    pub since: Option<i64>,
    /// how many programs were executed often enough in both runs to be compared,
    pub compared: usize,
    /// and by what share programs are clearly slower since then, or faster if negative.
    pub moved: Vec<(ReferenceProgram, f64)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_their_names_and_numbered_in_order() {
        for (number, program) in (0..).zip(ReferenceProgram::ALL) {
            assert_eq!(ReferenceProgram::named(program.name()), Some(program));
            assert_eq!(program.number(), number);
        }
        assert_eq!(ReferenceProgram::named("memory"), None);
        assert_eq!("full".parse(), Ok(ReferenceMode::Full));
        assert!("Full".parse::<ReferenceMode>().is_err());
    }
}
