//! Commands side by side: their numbers, their ranking, and what may make the numbers less
//! reliable.

mod meanings;
pub mod notes;
mod numbers;
mod ranking;
mod settle;
pub mod warning;

use std::time::Duration;

use tacho_record::{Failure, LimitedExecutions, Metric, RequestedEstimator, Stop};
use tacho_stats::compare::{Comparison, Verdict};
use tacho_stats::{BoundedValue, Summary};

use crate::words::cut;

pub use meanings::ColumnMeaning;
pub use numbers::NarrowNumbers;
pub use ranking::RANKED;
pub use warning::{AdviceGiven, BenchWarning};

/// How wide the name of a command may become in a ranking.
const NAME: usize = 60;

/// The results of one command.
#[derive(Clone, Copy, Debug)]
pub struct BenchRow<'a> {
    /// Its name.
    pub name: &'a str,
    /// The metric that its time is.
    pub metric: &'a Metric,
    /// Its time.
    pub time: Option<&'a Summary>,
    /// The mean of its processor time in the program, in nanoseconds.
    pub user: Option<BoundedValue>,
    /// The same in the kernel.
    pub sys: Option<BoundedValue>,
    /// Processor time by wall time, in percent.
    pub cpu_percent: Option<f64>,
    /// Busy time by wall time.
    pub busy_share: Option<f64>,
    /// The median of its peak memory, in bytes.
    pub peak_memory: Option<BoundedValue>,
    /// The medians of what was counted, in the order of [`BenchFindings::counters`].
    pub counters: &'a [(Metric, Option<BoundedValue>)],
    /// Against the reference.
    pub comparison: Option<&'a Comparison>,
    /// The word for that, all commands judged together.
    pub verdict: Option<Verdict>,
    /// The commands that are faster and need less memory, for certain.
    pub beaten_by: &'a [usize],
    /// The executions that reached a limit.
    pub limited: &'a LimitedExecutions,
    /// How many executions failed.
    pub failed: usize,
    /// How the first of them did, in one line.
    pub failure: Option<&'a Failure>,
    /// The reason why its measuring ended, if a precision was requested.
    pub stopped: Option<&'a Stop>,
}

/// The command that the others are compared with.
#[derive(Clone, Copy, Debug)]
pub struct BenchReference {
    /// Its place.
    pub index: usize,
    /// Whether no other command is significantly faster, and the median is the smallest.
    pub is_fastest: bool,
    /// The command of the smallest median, where that is another one although nothing says that it
    /// is faster.
    pub smaller_median: Option<usize>,
}

/// The results of all commands.
#[derive(Clone, Debug)]
pub struct BenchFindings<'a> {
    /// One a command, in their order.
    pub rows: Vec<BenchRow<'a>>,
    /// The commands that gave values, the fastest first.
    pub by_time: Vec<usize>,
    /// The command that the others are compared with.
    pub reference: Option<BenchReference>,
    /// The names of what was counted.
    pub counters: Vec<&'static str>,
    /// How ratios are taken, where that was requested.
    pub estimator: Option<RequestedEstimator>,
    /// Up to which difference two are called the same, as a share.
    pub margin: f64,
    /// Whether the number of samples was chosen by looking at them.
    pub is_looked_at: bool,
    /// Whether a shell starts any command.
    pub has_shell: bool,
    /// Whether executions are so short that the kernel only samples user and sys.
    pub is_split_by_ticks: bool,
    /// Time spent in executions, hooks included.
    pub executing: Duration,
}

impl BenchFindings<'_> {
    /// The name of a command, as short as a ranking has it.
    fn name(&self, index: usize) -> String {
        cut(self.rows[index].name, NAME)
    }

    /// The same in backticks.
    fn quoted(&self, index: usize) -> String {
        format!("`{}`", self.name(index))
    }

    /// All that are compared with the reference, the fastest first.
    fn others(&self) -> impl Iterator<Item = usize> {
        let reference = self.reference.map(|it| it.index);
        self.by_time.iter().copied().filter(move |index| Some(*index) != reference)
    }
}
