//! Metrics of a benchmark, and where in its output the ones that are not built in are.
//!
//! Only what a plan means; how it is written is in `file`, the rules are in `check::metric`. The
//! text itself is read on a floor above, by parsers that know the tools' formats.

use serde::{Deserialize, Serialize};

use crate::{Counter, Metric, RateHint, Unit};

/// A metric of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedMetric {
    /// The metric.
    pub metric: Metric,
    /// The place of its values in the output; `None` for built-in metrics.
    pub reading: Option<Reading>,
    /// The counter of the metric, if it needs one.
    pub counting: Option<Counting>,
    /// The hint of its name and unit that gave the better direction, if the plan gives none.
    #[serde(skip)]
    pub guessed: Option<RateHint>,
}

impl PlannedMetric {
    /// A metric that every execution has.
    #[must_use]
    pub fn plain(metric: Metric) -> Self {
        Self { metric, reading: None, counting: None, guessed: None }
    }

    /// A metric that is counted.
    #[must_use]
    pub fn counted(counter: Counter, optional: bool) -> Self {
        Self { counting: Some(Counting { counter, optional }), ..Self::plain(counter.metric()) }
    }
}

/// The counter of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counting {
    /// The counter.
    pub counter: Counter,
    /// Whether it may be absent on hosts that do not have it.
    pub optional: bool,
}

/// The place of a metric's values, and their unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The place to read.
    pub place: OutputPlace,
    /// How the values are found there.
    pub pattern: Pattern,
    /// The factor that converts a number without a unit to the metric's base unit. Tools that print
    /// their unit do not need it.
    pub scale: f64,
}

/// The outputs of an execution that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutputPlace {
    /// A file that it writes, by path from the plan's folder.
    File(String),
    /// Its standard error.
    Stderr,
    /// Its standard output.
    Stdout,
}

/// How values are found in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// The cells below the head of that name.
    Csv(String),
    /// The value at this pointer in a JSON document; `*` matches all elements of an array.
    Json(String),
    /// Lines `NAME=VALUE` or `NAME: VALUE`.
    Key(String),
    /// The first group of each match; `^` and `$` are the ends of a line.
    Regex(String),
    /// The report of a tool.
    Tool {
        /// The tool.
        tool: Tool,
        /// The name of the tool's benchmark; empty if the tool reports only one.
        name: String,
        /// The quantity of that benchmark.
        quantity: String,
    },
}

/// The tools whose reports can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tool {
    /// criterion.rs, as printed, also with `--output-format bencher`.
    Criterion,
    /// `go test -bench`.
    GoBench,
    /// Google Benchmark, `--benchmark_format=json`.
    GoogleBenchmark,
    /// hyperfine, `--export-json`.
    Hyperfine,
    /// iperf3, `--json`.
    Iperf3,
    /// JMH, `-rf json`.
    Jmh,
    /// Any command that prints one JSON object from metrics to numbers.
    Metrics,
    /// pyperf, `-o`.
    Pyperf,
    /// pytest-benchmark, `--benchmark-json`.
    PytestBenchmark,
    /// tcpbench of OpenBSD.
    Tcpbench,
    /// `time` of GNU, of POSIX and of bash.
    Time,
}

impl Tool {
    /// All tools by the names that plans use, in order of these.
    pub const ALL: [(&'static str, Self); 11] = [
        ("criterion", Self::Criterion),
        ("go-bench", Self::GoBench),
        ("google-benchmark", Self::GoogleBenchmark),
        ("hyperfine", Self::Hyperfine),
        ("iperf3", Self::Iperf3),
        ("jmh", Self::Jmh),
        ("metrics", Self::Metrics),
        ("pyperf", Self::Pyperf),
        ("pytest-benchmark", Self::PytestBenchmark),
        ("tcpbench", Self::Tcpbench),
        ("time", Self::Time),
    ];

    /// The quantities that it reports, the usual one first; empty if they have no names.
    ///
    /// Go's benchmarks may report others, in units of their own.
    pub(super) fn quantities(self) -> &'static [&'static str] {
        match self {
            Self::GoBench => &["ns/op", "B/op", "allocs/op", "MB/s"],
            Self::GoogleBenchmark => {
                &["real_time", "cpu_time", "bytes_per_second", "items_per_second"]
            }
            Self::Iperf3 => &["received", "sent", "retransmits"],
            Self::Tcpbench => &["mbps", "avg", "peak"],
            Self::Time => &["real", "user", "sys", "max-rss"],
            Self::Criterion
            | Self::Hyperfine
            | Self::Jmh
            | Self::Metrics
            | Self::Pyperf
            | Self::PytestBenchmark => &[],
        }
    }

    /// Whether the tool reports on one benchmark only, so that the quantity alone is named.
    pub(super) fn is_of_one_thing(self) -> bool {
        matches!(self, Self::Iperf3 | Self::Tcpbench | Self::Time)
    }

    /// The place of the tool's report.
    pub(super) fn place(self) -> OutputPlace {
        if self == Self::Time { OutputPlace::Stderr } else { OutputPlace::Stdout }
    }

    /// The unit of a quantity, where that does not depend on how the tool is used.
    pub(super) fn unit(self, quantity: &str) -> Option<Unit> {
        let other = |name: &str| Unit::Other(name.to_owned());
        Some(match (self, quantity) {
            (Self::Jmh | Self::Metrics | Self::Pyperf, _) => return None,
            (Self::GoBench, "B/op") | (Self::Time, "max-rss") => Unit::Bytes,
            (Self::GoBench, quantity) if quantity != "ns/op" => other(quantity),
            (Self::GoogleBenchmark, "bytes_per_second") => other("MB/s"),
            (Self::GoogleBenchmark, "items_per_second") => other("items/s"),
            (Self::Iperf3, "retransmits") => other(""),
            (Self::Iperf3 | Self::Tcpbench, _) => other("Mbit/s"),
            _ => Unit::Nanoseconds,
        })
    }

    /// The unit where the plan gives none.
    pub(super) fn usual_unit(self, quantity: &str) -> Unit {
        match self {
            Self::Jmh | Self::Pyperf => Unit::Nanoseconds,
            _ => self.unit(quantity).unwrap_or(Unit::Other(String::new())),
        }
    }
}
