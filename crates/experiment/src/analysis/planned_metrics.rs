//! What the store has of the plan's metrics.

use tacho_record::plan::PlannedMetric;
use tacho_record::{BenchmarkKey, Plan};
use tacho_store::{HostId, Store, StoreError};

/// Metrics of the plan that have no values, though a run measured their benchmarks.
#[derive(Debug)]
pub struct UnreadMetrics {
    /// Their names.
    pub names: Vec<String>,
    /// Whether all of them are counters.
    pub are_counted: bool,
}

impl UnreadMetrics {
    /// Those that are read from output or counted; `None` if there are none.
    pub fn of(
        (store, host): (&mut Store, HostId),
        plan: &Plan,
    ) -> Result<Option<Self>, StoreError> {
        let is_counted =
            |it: &PlannedMetric| it.counting.is_some_and(|counting| !counting.optional);
        let is_new = |it: &&PlannedMetric| it.reading.is_some() || is_counted(it);
        let mut unread = Self { names: Vec::new(), are_counted: true };
        for (benchmark, key) in plan.keyed_benchmarks() {
            for planned in benchmark.metrics.iter().filter(is_new) {
                let name = &planned.metric.name;
                let values = store.values(host, &key, name)?;
                let is_read = values.iter().any(|it| !it.values.is_empty());
                if !is_read && !unread.names.contains(name) {
                    unread.names.push(name.clone());
                    unread.are_counted &= planned.counting.is_some();
                }
            }
        }
        Ok((!unread.names.is_empty()).then_some(unread))
    }
}

/// The benchmarks with executions in this run that left processes behind, and how many did.
pub fn untidy_benchmarks(
    (store, host): (&mut Store, HostId),
    plan: &Plan,
    run: Option<i64>,
) -> Result<Vec<(BenchmarkKey, usize)>, StoreError> {
    let mut all = Vec::new();
    for (_, key) in plan.keyed_benchmarks() {
        let values = store.values(host, &key, "left-behind")?;
        let of_run = values.iter().filter(|values| Some(values.run) == run);
        let untidy = of_run.flat_map(|values| &values.values).filter(|left| **left > 0.0).count();
        if untidy > 0 {
            all.push((key, untidy));
        }
    }
    Ok(all)
}

/// The largest number of samples that a build has.
pub fn most_samples((store, host): (&mut Store, HostId)) -> Result<u32, StoreError> {
    Ok(store.counts(host)?.iter().map(|it| it.valid).max().unwrap_or_default())
}
