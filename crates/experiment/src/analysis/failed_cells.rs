//! The failed executions of a run.

use tacho_record::{Cell, Purpose, Run, Sample};
use tacho_store::{Store, StoreError};

/// A cell of a run with executions that failed.
#[derive(Clone, Debug)]
pub struct FailedCell {
    /// The cell.
    pub cell: Cell,
    /// How many of its executions failed.
    pub failed: usize,
    /// How the first of them did, in one line.
    pub why: String,
}

/// The failed cells of a run, in order; empty for a bisection, which reports them itself.
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
