//! Counters: metrics that cost something to read, and so are read only when they are requested.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Direction, Metric, Unit};

/// A metric that is counted where a plan, or a command, asks for it.
///
/// All but [`Energy`](Self::Energy) and [`EnergyDram`](Self::EnergyDram) are of the process that
/// was started and *all* its descendants, including those that no process waited for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Counter {
    /// Jumps that the processor did not foresee, in the program.
    BranchMisses,
    /// Jumps, in the program.
    Branches,
    /// The [`CacheReferences`](Self::CacheReferences) that had to go to memory.
    CacheMisses,
    /// Accesses to the last cache before memory, in the program. The meaning depends on the
    /// processor.
    CacheReferences,
    /// Instructions of the program, as callgrind executes it once: nearly the same each time, and
    /// on any processor.
    CallgrindInstructions,
    /// How often a thread was moved to another CPU.
    CpuMigrations,
    /// Cycles of the processor's clock, in the program.
    Cycles,
    /// The energy that the processors used, for all work on this host.
    Energy,
    /// The energy that the memory used, for all work on this host; no other counter includes it.
    EnergyDram,
    /// Instructions, in the program.
    Instructions,
    /// Processor time, in the program and in the kernel; exact.
    TaskClock,
}

impl Counter {
    /// All counters, the most telling first.
    pub const ALL: [Self; 11] = [
        Self::Instructions,
        Self::Cycles,
        Self::Branches,
        Self::BranchMisses,
        Self::CacheReferences,
        Self::CacheMisses,
        Self::TaskClock,
        Self::CpuMigrations,
        Self::Energy,
        Self::EnergyDram,
        Self::CallgrindInstructions,
    ];

    /// The name of its metric, and of the counter.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BranchMisses => "branch-misses",
            Self::Branches => "branches",
            Self::CacheMisses => "cache-misses",
            Self::CacheReferences => "cache-references",
            Self::CallgrindInstructions => "callgrind-instructions",
            Self::CpuMigrations => "cpu-migrations",
            Self::Cycles => "cycles",
            Self::Energy => "energy",
            Self::EnergyDram => "energy-dram",
            Self::Instructions => "instructions",
            Self::TaskClock => "task-clock",
        }
    }

    /// The counter of that name, if there is one; `instructions=callgrind` is another name of
    /// `callgrind-instructions`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "instructions=callgrind" { "callgrind-instructions" } else { name };
        Self::ALL.into_iter().find(|counter| counter.name() == name)
    }

    /// Its metric. Less is better of each.
    #[must_use]
    pub fn metric(self) -> Metric {
        let unit = match self {
            Self::Energy | Self::EnergyDram => Unit::Other("J".to_owned()),
            Self::TaskClock => Unit::Nanoseconds,
            _ => Unit::Other(String::new()),
        };
        Metric { name: self.name().to_owned(), unit, better: Direction::Lower }
    }

    /// Whether the processor itself counts, which can count few things at a time.
    #[must_use]
    pub fn is_of_processor(self) -> bool {
        use Counter as C;
        matches!(
            self,
            C::BranchMisses
                | C::Branches
                | C::CacheMisses
                | C::CacheReferences
                | C::Cycles
                | C::Instructions
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_has_a_name_and_a_metric_of_that_name() {
        for counter in Counter::ALL {
            assert_eq!(Counter::named(counter.name()), Some(counter));
            assert_eq!(counter.metric().name, counter.name());
            assert_eq!(serde_json::to_value(counter).unwrap(), counter.name());
            assert_eq!(Metric::built_in(counter.name()), None);
        }
        assert_eq!(Counter::named("wall"), None);
    }
}
