//! The counters of a benchmark: during each execution, and by callgrind in one of its own.

use tacho_measure::{Execution, Unavailable};
use tacho_record::plan::{Counting, PlannedMetric};
use tacho_record::{Counter, Metric, Plan};

use crate::{Context, Event, ExperimentError};

/// The counters that these metrics ask for.
pub fn asked(metrics: &[PlannedMetric]) -> impl Iterator<Item = Counter> {
    metrics.iter().filter_map(|planned| Some(planned.counting?.counter))
}

/// The counters that count during an ordinary execution.
pub fn beside(metrics: &[PlannedMetric]) -> Vec<Counter> {
    asked(metrics).filter(|counter| *counter != Counter::CallgrindInstructions).collect()
}

/// The counts of an execution, by the names of the metrics; with counters of the processor, the
/// smallest share of the time in which one of them counted.
pub fn values(execution: &Execution) -> Vec<(&'static str, f64)> {
    let counts = execution.counts.iter();
    let mut values: Vec<_> =
        counts.clone().map(|(it, count)| (it.name(), count.value_of(*it))).collect();
    let shares =
        counts.filter(|(counter, _)| counter.is_of_processor()).map(|(_, count)| count.share());
    values.extend(shares.reduce(f64::min).map(|share| (Metric::COUNTED_SHARE, share)));
    values
}

/// Checks that this host has the plan's counters: a missing optional one is reported, any other is
/// an error.
pub fn check(context: &mut Context<'_>, plan: &Plan) -> Result<(), ExperimentError> {
    for benchmark in &plan.benchmarks {
        let asked = benchmark.metrics.iter().filter_map(|planned| planned.counting);
        check_counters(context, &benchmark.name, asked)?;
    }
    Ok(())
}

/// The same of one benchmark; what it does without, with the reasons.
pub fn check_counters(
    context: &mut Context<'_>,
    benchmark: &str,
    asked: impl Iterator<Item = Counting>,
) -> Result<Vec<(&'static str, String)>, ExperimentError> {
    let mut absent = Vec::new();
    for Counting { counter, optional } in asked {
        let Some(Unavailable { why, hint }) = context.executor.lacks(counter) else { continue };
        let metric = counter.name();
        if !optional {
            let (benchmark, metric) = (benchmark.to_owned(), metric.to_owned());
            return Err(ExperimentError::CounterUnavailable { benchmark, metric, why, hint });
        }
        context.observer.note(&Event::Absent { benchmark, metric, why: &why });
        absent.push((metric, why));
    }
    Ok(absent)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;
    use tacho_measure::{CounterValue, ExecutionEnd};

    use super::*;

    #[test]
    fn the_smallest_share_is_kept_beside_what_was_scaled() {
        let count = |value, share| {
            let (enabled, running) = (Duration::from_millis(1), Duration::from_micros(share));
            CounterValue { value, enabled, running }
        };
        let execution = |counts: &[(Counter, CounterValue)]| Execution {
            counts: counts.to_vec(),
            ..Execution::of(ExecutionEnd::Exited(0), Timestamp::UNIX_EPOCH, Duration::ZERO)
        };
        let three = [
            (Counter::Instructions, count(5, 700)),
            (Counter::Branches, count(6, 430)),
            (Counter::Energy, count(1_500_000, 1000)),
        ];
        let expected =
            [("instructions", 5.0), ("branches", 6.0), ("energy", 1.5), ("counted-share", 43.0)];
        assert_eq!(values(&execution(&three)), expected);
        let clock = (Counter::TaskClock, count(9, 1000));
        assert_eq!(values(&execution(&[clock])), [("task-clock", 9.0)], "a clock needs no counter");
    }
}
