//! The meaning of metrics whose names do not show it.

use tacho_record::Sample;

/// The meaning of the peak of memory.
pub(crate) const PEAK_MEMORY: &str = "the peak of the largest process, not of all together";

/// The meaning of `user` and `sys` if [`is_split_by_ticks`].
pub(crate) const SPLIT: &str = "sampled at timer ticks (such as every 4 ms): only the sum is exact";

/// What a metric is of, where its name does not show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetricMeaning {
    /// Read from and written to devices, of all processes.
    BlocksOfGroup,
    /// Split by the kernel's timer.
    ByTicks,
    /// Of the first thread alone, which has this share of the processor time.
    FirstThread {
        /// The share.
        share: f64,
    },
    /// The peak of memory of one process.
    LargestProcess,
    /// Processor time of all processes.
    OfGroup,
    /// The peak of memory of all processes.
    PeakOfGroup,
    /// Read from and written to devices, of some processes.
    WaitedFor,
}

impl MetricMeaning {
    /// In words.
    #[must_use]
    pub fn words(self) -> String {
        let words = match self {
            Self::BlocksOfGroup => {
                "of all processes together until the end, counted by the control group"
            }
            Self::ByTicks => SPLIT,
            Self::FirstThread { share } => {
                let share = share * 100.0;
                return format!(
                    "of the first thread, which used {share:.0} % of all processor time"
                );
            }
            Self::LargestProcess => PEAK_MEMORY,
            Self::OfGroup => {
                "of all processes together, counted by the control group: some were not waited for"
            }
            Self::PeakOfGroup => {
                "the most memory of all processes together, counted by the control group, file \
                 caches and kernel memory included"
            }
            Self::WaitedFor => {
                "of the processes that were waited for (`wait4`); output counts what the kernel \
                 accepted for writing"
            }
        };
        words.to_owned()
    }
}

/// From this much processor time on, in nanoseconds, it means something how the kernel splits user
/// from sys.
const EXACT: f64 = 1e9;

/// Whether any execution used so little that it matters how the kernel splits user from sys.
#[must_use]
pub fn is_split_by_ticks<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> bool {
    let is_short = |sample: &Sample| {
        sample.value("user").is_some() && sample.value("cpu").is_some_and(|cpu| cpu < EXACT)
    };
    let mut shown = samples.into_iter().filter(|sample| sample.counts() || sample.is_limited());
    shown.any(is_short)
}
