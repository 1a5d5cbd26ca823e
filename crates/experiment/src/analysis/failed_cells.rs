//! Which executions failed, of a run and in series.

use std::collections::HashSet;

use tacho_record::{Cell, Point, Purpose, Run, Sample, Series, SeriesKey};
use tacho_store::{Store, StoreError};

/// A cell of a run with executions that failed.
#[derive(Clone, Debug)]
pub struct FailedCell {
    /// What was executed.
    pub cell: Cell,
    /// How many of its executions failed.
    pub failed: usize,
    /// How the first of them did, in one line.
    pub why: String,
}

/// All of a run, in order of its cells; none of a bisection, which reports them itself.
pub fn failed_cells(store: &mut Store, run: &Run) -> Result<Vec<FailedCell>, StoreError> {
    let mut all = Vec::new();
    if run.purpose == Purpose::Bisect {
        return Ok(all);
    }
    for (measurement, cell) in store.cells(run.number)? {
        let samples = store.samples(measurement)?;
        let failed: Vec<&Sample> =
            samples.iter().filter(|sample| sample.outcome.is_failure()).collect();
        if let Some((why, _)) = failed.first().and_then(|sample| sample.outcome.described()) {
            all.push(FailedCell { cell, failed: failed.len(), why });
        }
    }
    Ok(all)
}

/// How many executions failed, and where the first did. Those of several metrics count once.
#[must_use]
pub fn failed_executions(series: &[Series]) -> Option<(usize, &SeriesKey, &Point)> {
    let (mut seen, mut count, mut first) = (HashSet::new(), 0, None);
    for (key, point) in failed_points(series) {
        if seen.insert((key.benchmark.identity(), &point.revision.id)) {
            count += point.failed as usize;
            first.get_or_insert((key, point));
        }
    }
    first.map(|(key, point)| (count, key, point))
}

/// Where executions failed and left no value: benchmark and revision, each once.
#[must_use]
pub fn failed_without_values(series: &[Series]) -> Vec<(String, &str)> {
    let mut lacking = Vec::new();
    for (key, point) in failed_points(series) {
        let cell = (key.benchmark.to_string(), point.revision.short());
        let is_empty = point.values.is_empty() && point.limited.count == 0;
        if is_empty && !lacking.contains(&cell) {
            lacking.push(cell);
        }
    }
    lacking
}

fn failed_points(series: &[Series]) -> impl Iterator<Item = (&SeriesKey, &Point)> {
    let all = series.iter().flat_map(|one| one.points.iter().map(|point| (&one.key, point)));
    all.filter(|(_, point)| point.failed > 0 && point.equal_to.is_none())
}
