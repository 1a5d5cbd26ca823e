//! Conditions: what surrounds an execution, and how much it may use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What an execution finds around it. They belong to what is measured: under others, values mean something else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The processors that it may use; none: those that we may use ourselves.
    pub cpus: Option<Cpus>,
    /// Its niceness, from -20 (goes first) to 19; none: ours.
    pub nice: Option<i32>,
    /// How the kernel shares processors out to it; none: as to us.
    pub scheduling: Option<Scheduling>,
    /// Variables of its environment, whatever ours says.
    pub environment: BTreeMap<String, String>,
    /// What it has of our environment.
    pub inherit: Inherit,
    /// Whether its environment is made longer by a random number of bytes.
    pub random_environment: bool,
    /// Whether the kernel puts its memory at random addresses; none: as the system does.
    pub aslr: Option<bool>,
    /// Whether the system forgets all files that it has in memory before each execution.
    pub cold: bool,
    /// Whether it is executed in a control group of its own.
    pub cgroup: Cgroup,
}

/// Processors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cpus {
    /// Those that the system was booted to leave alone (`isolcpus`).
    Isolated,
    /// Those with these numbers.
    List(BTreeSet<u32>),
}

impl fmt::Display for Cpus {
    /// As in a plan: `isolated`, `0-3,6`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cpus::Isolated => f.write_str("isolated"),
            Cpus::List(list) => f.write_str(&ranges(list)),
        }
    }
}

/// The numbers as the kernel lists them: `0-3,6`.
fn ranges(numbers: &BTreeSet<u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let shown = ranges.iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    });
    shown.collect::<Vec<_>>().join(",")
}

/// How the kernel shares processors out; sched(7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheduling {
    /// The usual way (`SCHED_OTHER`).
    Other,
    /// The same, for what never waits for people (`SCHED_BATCH`).
    Batch,
    /// Only when nobody else wants them (`SCHED_IDLE`).
    Idle,
    /// Before all others of lower priority, 1 to 99, until it waits (`SCHED_FIFO`).
    Fifo(u8),
    /// The same, in turns with those of its priority (`SCHED_RR`).
    RoundRobin(u8),
}

impl fmt::Display for Scheduling {
    /// As in a plan: `batch`, `fifo 50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scheduling::Other => f.write_str("other"),
            Scheduling::Batch => f.write_str("batch"),
            Scheduling::Idle => f.write_str("idle"),
            Scheduling::Fifo(priority) => write!(f, "fifo {priority}"),
            Scheduling::RoundRobin(priority) => write!(f, "rr {priority}"),
        }
    }
}

/// What an execution has of our environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inherit {
    /// All of it.
    All,
    /// [What is always kept](Inherit::KEPT), and variables of these names; a `*` at the end stands for any letters.
    Named(Vec<String>),
}

impl Default for Inherit {
    fn default() -> Self {
        Inherit::Named(Vec::new())
    }
}

impl Inherit {
    /// The variables that are always inherited: what programs need to find each other, their user's files, and
    /// their language.
    pub const KEPT: [&'static str; 11] =
        ["HOME", "LANG", "LANGUAGE", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

    /// Whether a variable of that name is inherited.
    #[must_use]
    pub fn takes(&self, name: &str) -> bool {
        let is = |pattern: &str| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == pattern,
        };
        match self {
            Inherit::All => true,
            Inherit::Named(more) => Self::KEPT.into_iter().chain(more.iter().map(String::as_str)).any(is),
        }
    }
}

/// Whether an execution has a control group of its own, which accounts for all its processes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cgroup {
    /// Where a metric or a limit needs it.
    #[default]
    Auto,
    /// Each one.
    Always,
    /// None.
    Never,
}

/// What an execution may use at most; to reach one of these is a result, not an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Address space of each of its processes, in bytes.
    pub address_space: Option<u64>,
    /// Processor time of all its processes together.
    pub cpu_time: Option<Duration>,
    /// Memory of all its processes together, in bytes.
    pub memory: Option<u64>,
}

/// A kind of limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Of address space, in bytes.
    AddressSpace,
    /// Of processor time, in nanoseconds.
    CpuTime,
    /// Of memory, in bytes.
    Memory,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_shown_as_the_kernel_lists_them() {
        let shown = |list: &[u32]| Cpus::List(list.iter().copied().collect()).to_string();
        assert_eq!(shown(&[6, 0, 1, 3, 2]), "0-3,6");
        assert_eq!(shown(&[5]), "5");
        assert_eq!(shown(&[u32::MAX - 1, u32::MAX]), "4294967294-4294967295");
        assert_eq!(Cpus::Isolated.to_string(), "isolated");
    }

    #[test]
    fn little_of_our_environment_is_inherited() {
        let few = Inherit::default();
        assert!(few.takes("PATH") && few.takes("LC_ALL") && !few.takes("PATHS") && !few.takes("CARGO_HOME"));
        let more = Inherit::Named(vec!["CARGO_*".to_owned(), "X".to_owned()]);
        assert!(more.takes("CARGO_HOME") && more.takes("X") && more.takes("HOME") && !more.takes("XY"));
        assert!(Inherit::All.takes("anything"));
    }
}
