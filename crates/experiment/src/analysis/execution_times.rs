//! The times of executions that show whether they waited for a CPU.

use tacho_record::Sample;
use tacho_stats::waiting::ExecutionTimes;

/// The times of those that count, without those whose wall time or CPU time is not known.
pub(crate) fn execution_times<'a>(
    samples: impl IntoIterator<Item = &'a Sample>,
) -> Vec<ExecutionTimes> {
    let times = |sample: &Sample| {
        Some(ExecutionTimes {
            wall: sample.value("wall")?,
            cpu: sample.value("cpu")?,
            first_thread: sample.value("on-cpu"),
            waited: sample.value("cpu-wait"),
            others: sample.value("host-other-cpu").unwrap_or(0.0),
        })
    };
    samples.into_iter().filter(|sample| sample.counts()).filter_map(times).collect()
}

/// How much of its time a program is [busy](ExecutionTimes::busy_share), all samples together.
#[must_use]
pub fn busy_share<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Option<f64> {
    ExecutionTimes::busy_share(&execution_times(samples))
}
