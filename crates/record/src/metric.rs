//! A metric: a quantity with its unit and the direction in which it is better.

use std::borrow::Cow;
use std::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Unit;

/// The name of a metric in a sample. A sample has about thirty; the names known at compile time
/// need no allocation.
pub type MetricName = Cow<'static, str>;

/// Whether larger values are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// As for throughput.
    Higher,
    /// As for time and memory.
    Lower,
}

impl Direction {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Higher => "higher",
            Self::Lower => "lower",
        }
    }
}

/// A quantity that is read from an execution.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Metric {
    /// Its name in plans, tables and pages: `wall`, `peak-memory`.
    pub name: String,
    /// What its numbers count.
    pub unit: Unit,
    /// Which way is better.
    pub better: Direction,
}

impl Metric {
    /// The names of the metrics that are read from every execution, the usual one first.
    pub const BUILT_IN: [&'static str; 16] = [
        "wall",
        "cpu",
        "user",
        "sys",
        "peak-memory",
        "on-cpu",
        "cpu-wait",
        "blocked",
        "cpu-percent",
        "minor-faults",
        "major-faults",
        "voluntary-switches",
        "involuntary-switches",
        "left-behind",
        "block-input",
        "block-output",
    ];

    /// The display name of a series: `parse · wall`.
    #[must_use]
    pub fn series_of(&self, benchmark: &impl Display) -> String {
        format!("{benchmark} · {}", self.name)
    }

    /// The name of the time that an empty shell takes.
    pub const SHELL: &'static str = "shell";
    /// The name of the wall time without that of an empty shell.
    pub const NET_WALL: &'static str = "net-wall";

    /// The name of the most memory that all processes of an execution had together.
    pub const PEAK_MEMORY_TREE: &'static str = "peak-memory-tree";

    /// The names of what all processes of an execution together read from devices and wrote to
    /// them.
    pub const TREE_BLOCKS: [&'static str; 2] = ["block-input-tree", "block-output-tree"];

    /// The names of the metrics that are read where there is something beside an execution: a
    /// shell, an output that is read, a companion, a control group.
    pub const BESIDE: [&'static str; 8] = [
        Self::NET_WALL,
        Self::SHELL,
        "output-bytes",
        "companion-cpu",
        "companion-peak-memory",
        Self::PEAK_MEMORY_TREE,
        Self::TREE_BLOCKS[0],
        Self::TREE_BLOCKS[1],
    ];
    /// The name of the share of the time in which the processor's counters counted.
    pub const COUNTED_SHARE: &'static str = "counted-share";

    /// What is kept beside the processor's counters: the smallest of their shares.
    pub(crate) fn counted_share(name: &str) -> Option<Self> {
        let unit = Unit::Other("%".to_owned());
        (name == Self::COUNTED_SHARE).then(|| Self {
            name: name.to_owned(),
            unit,
            better: Direction::Higher,
        })
    }

    /// The metric of [`Metric::BESIDE`] of that name, if there is one.
    ///
    /// `shell` is the wall time of an empty shell, executed beside a benchmark that has one, and
    /// `net-wall` the wall time without it, which noise may make negative. `output-bytes` is the
    /// length of an output that is read or goes to a file. `companion-cpu` and
    /// `companion-peak-memory` are what a benchmark's companion used during the execution: the
    /// processor time of all its processes, and the largest resident set of any one of them.
    /// `peak-memory-tree` is the most memory that all processes of the execution had together at
    /// any time, what the system kept of files for them included; it is read where a plan asks for
    /// it, or limits it. `block-input-tree` and `block-output-tree` are what they read from devices
    /// and wrote to them until the end, where a plan asks for it.
    #[must_use]
    pub fn beside(name: &str) -> Option<Self> {
        let unit = match name {
            Self::NET_WALL | Self::SHELL | "companion-cpu" => Unit::Nanoseconds,
            _ if Self::TREE_BLOCKS.contains(&name) => Unit::Bytes,
            Self::PEAK_MEMORY_TREE | "companion-peak-memory" | "output-bytes" => Unit::Bytes,
            _ => return None,
        };
        Some(Self { name: name.to_owned(), unit, better: Direction::Lower })
    }

    /// The names of the readings of the host that are kept beside an execution's own metrics.
    ///
    /// They explain why a sample is what it is, and are shown where they are requested by name.
    pub const HOST: [&'static str; 17] = [
        "host-frequency",
        "host-interrupts",
        "host-memory",
        "host-migrations",
        "host-node",
        "host-other-cpu",
        "host-pressure-cpu",
        "host-pressure-io",
        "host-pressure-memory",
        "host-running",
        "host-socket",
        "host-softirqs",
        "host-steal",
        "host-swapped",
        "host-switches",
        "host-temperature",
        "host-throttled",
    ];

    /// The name as samples have it: names known at compile time need no allocation.
    #[must_use]
    pub fn shared_name(name: &str) -> MetricName {
        let mut known = Self::names().chain([Self::COUNTED_SHARE]).chain(Self::HOST);
        known
            .find(|known| *known == name)
            .map_or_else(|| MetricName::Owned(name.to_owned()), MetricName::Borrowed)
    }

    /// Whether the host's speed can move it: times, rates, and units that are not known. Sizes and
    /// the counts of the kernel and the processor do not depend on the speed, and neither do
    /// waiting times and shares.
    #[must_use]
    pub fn is_of_speed(&self) -> bool {
        match &self.unit {
            _ if ["blocked", "cpu-wait"].contains(&&*self.name) => false,
            Unit::Nanoseconds => true,
            Unit::Bytes => false,
            Unit::Other(name) if name == "%" => false,
            Unit::Other(name) => !name.is_empty() || Self::names().all(|known| known != self.name),
        }
    }

    /// Whether the metric is the wall time, with or without the shell's.
    #[must_use]
    pub fn is_wall(&self) -> bool {
        self.name == "wall" || self.name == Self::NET_WALL
    }

    /// Whether the name is a reading of the host.
    #[must_use]
    pub fn is_host(name: &str) -> bool {
        Self::HOST.contains(&name)
    }

    /// The reading of the host of that name, if there is one.
    ///
    /// Times and counts cover the period from just before the execution to just after it.
    /// `host-other-cpu` is the CPU time of all processes except the subject and Tachograph.
    /// `host-steal` is the time that a hypervisor withheld from this host. `host-pressure-…` is the
    /// time that some task waited for a CPU, a device or memory. `host-switches` counts the context
    /// switches of all processes, `host-migrations` the moves of the subject's first thread to
    /// another CPU. The others are read at the end: the frequency of the last CPU, its memory node
    /// and socket, the temperature of the hottest processor, the available memory (the smaller of
    /// both moments) and the tasks that were running or ready (the larger of both, without the
    /// reader).
    #[must_use]
    pub fn host(name: &str) -> Option<Self> {
        let other = |name: &str| Unit::Other(name.to_owned());
        let unit = match name {
            "host-other-cpu"
            | "host-pressure-cpu"
            | "host-pressure-io"
            | "host-pressure-memory"
            | "host-steal" => Unit::Nanoseconds,
            "host-memory" | "host-swapped" => Unit::Bytes,
            "host-frequency" => other("Hz"),
            "host-temperature" => other("°C"),
            _ if Self::is_host(name) => other(""),
            _ => return None,
        };
        let higher = matches!(name, "host-frequency" | "host-memory");
        let better = if higher { Direction::Higher } else { Direction::Lower };
        Some(Self { name: name.to_owned(), unit, better })
    }

    /// The built-in metric of that name, if there is one.
    ///
    /// `wall` is the time from start to end, `user` and `sys` the processor time of the program and
    /// of the kernel on its behalf, `cpu` their sum (exact, where the kernel only samples the
    /// split), and `peak-memory` the largest resident set of any one process of the execution.
    /// `on-cpu`, `cpu-wait` and `blocked` are what `wall` is made of, for the first thread of the
    /// process that was started: using a CPU, waiting for one that others used, and waiting for
    /// anything else. `cpu-percent` is `cpu` by `wall`. The rest are counts of the kernel's, and
    /// bytes to and from devices.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        let unit = match name {
            "blocked" | "cpu" | "cpu-wait" | "on-cpu" | "sys" | "user" | "wall" => {
                Unit::Nanoseconds
            }
            "block-input" | "block-output" | "peak-memory" => Unit::Bytes,
            "cpu-percent" => Unit::Other("%".to_owned()),
            "involuntary-switches"
            | "left-behind"
            | "major-faults"
            | "minor-faults"
            | "voluntary-switches" => Unit::Other(String::new()),
            _ => return None,
        };
        let better = if name == "cpu-percent" { Direction::Higher } else { Direction::Lower };
        Some(Self { name: name.to_owned(), unit, better })
    }
}
