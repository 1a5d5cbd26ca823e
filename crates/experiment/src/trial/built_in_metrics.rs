//! The metrics that are measured of every execution: what they are called and how they are rounded.

use std::time::Duration;

use tacho_measure::{Execution, ExecutionEnd};
use tacho_record::{Limit, Metric, MetricName, ReachedLimit, derived};

use crate::trial::counters;

/// The values of an execution's readings, and of the host's, in order of their names. Values that
/// could not be read are absent.
pub(super) fn values(execution: &Execution) -> Vec<(MetricName, f64)> {
    let nanoseconds = |time: Duration| time.as_nanos() as f64;
    let usage = &execution.usage;
    // A program without memory even to start was not executed.
    let never_started =
        matches!(execution.ended, ExecutionEnd::LimitReached(_)) && execution.wall.is_zero();
    if never_started || matches!(execution.ended, ExecutionEnd::NotStarted(_)) {
        return Vec::new();
    }
    // To the microsecond, as user and sys are, wall time from 10 ms on: no more digits than mean
    // something, they are kept for ever.
    let microseconds = |time: Duration| ((time.as_nanos() + 500) / 1000 * 1000) as f64;
    let short = execution.wall < Duration::from_millis(10);
    let wall = if short { nanoseconds(execution.wall) } else { microseconds(execution.wall) };
    let on_cpu = usage.scheduled.map(|scheduled| microseconds(scheduled.on_cpu));
    let waiting = usage.scheduled.map(|scheduled| microseconds(scheduled.waiting));
    // A reading without some descendants is smaller than the true value, which is unknown.
    let waited_for = |value: f64| (!usage.forgotten).then_some(value);
    let values = [
        ("block-input", waited_for(usage.block_input as f64)),
        (Metric::TREE_BLOCKS[0], usage.tree_blocks.map(|blocks| blocks.read as f64)),
        ("block-output", waited_for(usage.block_output as f64)),
        (Metric::TREE_BLOCKS[1], usage.tree_blocks.map(|blocks| blocks.written as f64)),
        // A value that follows from user and sys is not kept.
        ("cpu", usage.tree_cpu.map(microseconds)),
        ("cpu-wait", waiting),
        ("involuntary-switches", waited_for(usage.involuntary_switches as f64)),
        ("left-behind", Some(execution.left_behind.into())),
        ("major-faults", waited_for(usage.major_faults as f64)),
        ("minor-faults", waited_for(usage.minor_faults as f64)),
        ("on-cpu", on_cpu),
        ("peak-memory", usage.peak_memory.map(|bytes| bytes as f64)),
        (Metric::PEAK_MEMORY_TREE, usage.tree_memory.map(|bytes| bytes as f64)),
        ("sys", waited_for(nanoseconds(usage.sys))),
        ("user", waited_for(nanoseconds(usage.user))),
        ("voluntary-switches", waited_for(usage.voluntary_switches as f64)),
        ("output-bytes", execution.stdout.as_ref().map(|stdout| stdout.bytes as f64)),
        ("wall", Some(wall)),
    ];
    let own = values.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let others = execution.readings.values().into_iter().chain(counters::values(execution));
    let mut all: Vec<(MetricName, f64)> =
        own.chain(others).map(|(name, value)| (name.into(), value)).collect();
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    derived::complete(&mut all);
    all
}

/// Raises the value of what was limited to the limit: it would have been more.
pub(super) fn raise(values: &mut Vec<(MetricName, f64)>, reached: &ReachedLimit) {
    let (name, at) = match reached.limit {
        Limit::AddressSpace => return,
        Limit::CpuTime => ("cpu", reached.at as f64),
        Limit::Memory => (Metric::PEAK_MEMORY_TREE, reached.at as f64),
    };
    match values.binary_search_by(|(other, _)| (**other).cmp(name)) {
        Ok(place) => values[place].1 = values[place].1.max(at),
        Err(place) => values.insert(place, (name.into(), at)),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tacho_measure::{SchedulerTimes, Usage};

    use super::*;

    fn execution(usage: Usage) -> Execution {
        let wall = Duration::from_millis(3);
        Execution { usage, ..Execution::of(ExecutionEnd::Exited(0), Timestamp::UNIX_EPOCH, wall) }
    }

    #[test]
    fn each_reading_is_a_metric_and_each_metric_a_reading() {
        let scheduled = Some(SchedulerTimes::default());
        let all = values(&execution(Usage { peak_memory: Some(1), scheduled, ..Usage::default() }));
        assert!(all.is_sorted_by(|a, b| a.0 < b.0));
        let mut names = Metric::BUILT_IN;
        names.sort_unstable();
        assert_eq!(all.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), names);

        let usage = Usage::default();
        let some: Vec<MetricName> =
            values(&execution(usage)).into_iter().map(|(name, _)| name).collect();
        let absent: Vec<_> = usage.absent().into_iter().map(|absent| absent.metric).collect();
        assert_eq!(some.len() + absent.len(), names.len());
        assert!(absent.iter().all(|metric| !some.iter().any(|name| name == metric)));
    }

    #[test]
    fn what_lacks_descendants_has_at_most_the_time_that_its_group_has() {
        let usage = Usage { user: Duration::from_millis(2), forgotten: true, ..Usage::default() };
        let of = |usage: Usage| {
            values(&execution(usage)).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(of(usage), ["left-behind", "wall"]);
        let grouped = Usage { tree_cpu: Some(Duration::from_millis(6)), ..usage };
        assert_eq!(of(grouped), ["cpu", "cpu-percent", "left-behind", "wall"]);
        assert_eq!(
            values(&execution(grouped))[..2],
            [("cpu".into(), 6e6), ("cpu-percent".into(), 200.0)]
        );
    }

    #[test]
    fn what_is_made_of_readings_is_reckoned_right() {
        let time = Duration::from_micros;
        let scheduled = Some(SchedulerTimes { on_cpu: time(1900), waiting: time(100) });
        let usage = Usage { user: time(1500), sys: time(500), scheduled, ..Usage::default() };
        let values = values(&execution(usage));
        let value =
            |metric: &str| values.iter().find(|(name, _)| name == metric).map(|(_, value)| *value);
        assert_eq!(value("blocked"), Some(1_000_000.0));
        assert_eq!(value("cpu-percent"), Some(66.67));
        assert_eq!((value("on-cpu"), value("cpu-wait")), (Some(1_900_000.0), Some(100_000.0)));
    }
}
