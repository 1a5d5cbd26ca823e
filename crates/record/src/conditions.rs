//! Conditions: what surrounds an execution, and how much it may use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use bytesize::ByteSize;
use serde::{Deserialize, Serialize};

use crate::Unit;

/// The surroundings of an execution. They belong to the benchmark: under other conditions, values
/// mean something else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The processors that it may use; `None`: those of this process.
    pub cpus: Option<Cpus>,
    /// Its niceness, from -20 (goes first) to 19; `None`: that of this process.
    pub nice: Option<i32>,
    /// How the kernel shares processors out to it; `None`: as for this process.
    pub scheduling: Option<Scheduling>,
    /// Variables of its environment, whatever ours says.
    pub environment: BTreeMap<String, String>,
    /// What it has of our environment.
    pub inherit: Inherit,
    /// Whether its environment is made longer by a random number of bytes.
    pub random_environment: bool,
    /// Whether the kernel puts its memory at random addresses; `None` is the system's setting.
    pub aslr: Option<bool>,
    /// Whether the system forgets all files that it has in memory before each execution.
    pub cold: bool,
    /// Whether it is executed in a control group of its own.
    pub cgroup: Cgroup,
    /// Whether the kernel may give it transparent huge pages; `None` is the system's setting. Only
    /// probes set this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub huge_pages: Option<bool>,
}

/// Processors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cpus {
    /// The CPUs that the kernel's `isolcpus` option isolates.
    Isolated,
    /// The CPUs with these numbers.
    List(BTreeSet<u32>),
}

impl Cpus {
    /// The highest number of a processor: Linux can be built for this many.
    pub const LAST: u32 = 8191;

    /// Processors as the kernel lists them: `0-3,6`; `None` if the text is not such a list.
    #[must_use]
    pub fn list(text: &str) -> Option<BTreeSet<u32>> {
        let mut all = BTreeSet::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number =
                |text: &str| text.trim().parse::<u32>().ok().filter(|number| *number <= Self::LAST);
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return None;
            }
            all.extend(first..=last);
        }
        Some(all)
    }
}

impl fmt::Display for Cpus {
    /// As in a plan: `isolated`, `0-3,6`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cpus::Isolated => f.write_str("isolated"),
            Cpus::List(list) => f.write_str(&cpu_ranges(list)),
        }
    }
}

/// Numbers of processors as the kernel lists them: `0-3,6`.
#[must_use]
pub fn cpu_ranges(numbers: &BTreeSet<u32>) -> String {
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
    /// Only when no one else wants them (`SCHED_IDLE`).
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
    /// [What is always kept](Inherit::KEPT), and variables of these names; a `*` at the end matches
    /// any letters.
    Named(Vec<String>),
}

impl Default for Inherit {
    fn default() -> Self {
        Inherit::Named(Vec::new())
    }
}

impl Inherit {
    /// The variables that are always inherited: what programs need to find each other, their user's
    /// files, and their language.
    pub const KEPT: [&'static str; 11] = [
        "HOME", "LANG", "LANGUAGE", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ",
        "USER",
    ];

    /// Whether a variable of that name is inherited.
    #[must_use]
    pub fn takes(&self, name: &str) -> bool {
        let is = |pattern: &str| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == pattern,
        };
        match self {
            Inherit::All => true,
            Inherit::Named(more) => {
                Self::KEPT.into_iter().chain(more.iter().map(String::as_str)).any(is)
            }
        }
    }
}

/// Whether an execution has a control group of its own, which accounts for all its processes
/// together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cgroup {
    /// If a metric or a limit needs one.
    #[default]
    Auto,
    /// Each one.
    Always,
    /// Without a control group.
    Never,
}

/// A size in bytes, as people write it: `512MiB`, `2GB`. `None` if the text is not a size, or the
/// size exceeds any disk.
#[must_use]
pub fn size(text: &str) -> Option<u64> {
    // A larger size is cut off at the largest number, and no disk is half as large.
    let bytes = text.parse::<ByteSize>().ok()?.as_u64();
    i64::try_from(bytes).is_ok().then_some(bytes)
}

/// The resources that an execution may use at most. Reaching a limit is a result, not an error.
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
    /// Address space, in bytes.
    AddressSpace,
    /// Processor time, in nanoseconds.
    CpuTime,
    /// Memory, in bytes.
    Memory,
}

impl Limit {
    /// The amount in words: `512.0 MiB of memory`, `30.00 ms of processor time`.
    #[must_use]
    pub fn amount(self, at: u64) -> String {
        let (unit, of) = match self {
            Limit::AddressSpace => (Unit::Bytes, "address space"),
            Limit::CpuTime => (Unit::Nanoseconds, "processor time"),
            Limit::Memory => (Unit::Bytes, "memory"),
        };
        format!("{} of {of}", unit.show(at as f64))
    }
}

/// The limit that an execution reached: a result, not a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReachedLimit {
    /// The limited resource.
    pub limit: Limit,
    /// The limit, in bytes or nanoseconds.
    pub at: u64,
    /// How it ended, where the kernel leaves that to the program: `exit 1`.
    pub how: Option<String>,
}

impl ReachedLimit {
    /// In one line, for tables: `limit reached: 512.0 MiB of memory`.
    #[must_use]
    pub fn line(&self) -> String {
        format!("limit reached: {}", self.amount())
    }

    /// How much it used, and how it ended: `512.0 MiB of memory (exit 1)`.
    #[must_use]
    pub fn amount(&self) -> String {
        let how = self.how.as_ref().map_or_else(String::new, |how| format!(" ({how})"));
        self.limit.amount(self.at) + &how
    }
}

impl Limits {
    /// Describes one of these limits, which was reached.
    #[must_use]
    pub fn reached(&self, limit: Limit, how: Option<String>) -> ReachedLimit {
        ReachedLimit { limit, at: self.at(limit).unwrap_or_default(), how }
    }

    /// The limits that are set, each with its resource as in [`ReachedLimit::line`].
    #[must_use]
    pub fn amounts(&self) -> Vec<String> {
        let all = [Limit::Memory, Limit::CpuTime, Limit::AddressSpace];
        all.into_iter().filter_map(|limit| Some(limit.amount(self.at(limit)?))).collect()
    }

    /// The amount of a limit, in bytes or nanoseconds.
    fn at(&self, limit: Limit) -> Option<u64> {
        let time = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        match limit {
            Limit::AddressSpace => self.address_space,
            Limit::CpuTime => self.cpu_time.map(time),
            Limit::Memory => self.memory,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
    fn a_list_is_read_as_it_is_shown() {
        let read = |text: &str| Cpus::list(text).map(|list| Cpus::List(list).to_string());
        assert_eq!(read("0-3, 6,2").as_deref(), Some("0-3,6"));
        for text in ["", "3-1", "a", "1-", "8192", "0-4000000000", "1;2", "-1"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_set_of_processors_comes_back(
            list in prop::collection::btree_set(0..=Cpus::LAST, 1..40),
        ) {
            prop_assert_eq!(Cpus::list(&Cpus::List(list.clone()).to_string()), Some(list));
        }
    }

    #[test]
    fn a_limit_is_shown_with_what_it_is_of() {
        let limits = Limits {
            address_space: Some(1 << 30),
            cpu_time: Some(Duration::from_millis(1500)),
            memory: Some(512 << 20),
        };
        let line = |limit, how: Option<&str>| limits.reached(limit, how.map(str::to_owned)).line();
        assert_eq!(line(Limit::Memory, None), "limit reached: 512.0 MiB of memory");
        assert_eq!(line(Limit::CpuTime, None), "limit reached: 1.500 s of processor time");
        let shown = "limit reached: 1.000 GiB of address space (exit 1)";
        assert_eq!(line(Limit::AddressSpace, Some("exit 1")), shown);
        let few = Limits {
            cpu_time: Some(Duration::from_millis(30)),
            memory: Some(1 << 20),
            ..Limits::default()
        };
        assert_eq!(few.amounts(), ["1.000 MiB of memory", "30.00 ms of processor time"]);
    }

    #[test]
    fn little_of_our_environment_is_inherited() {
        let few = Inherit::default();
        assert!(
            few.takes("PATH")
                && few.takes("LC_ALL")
                && !few.takes("PATHS")
                && !few.takes("CARGO_HOME")
        );
        let more = Inherit::Named(vec!["CARGO_*".to_owned(), "X".to_owned()]);
        assert!(
            more.takes("CARGO_HOME") && more.takes("X") && more.takes("HOME") && !more.takes("XY")
        );
        assert!(Inherit::All.takes("anything"));
    }
}
