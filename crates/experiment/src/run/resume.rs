//! Runs of fixed cells: resuming a question's interrupted one, and preparing its cells.

use tacho_record::{Cell, Digest, Run};
use tacho_store::MeasurementId;

use super::session::{SampleDemand, SessionCell};
use crate::trial::prepared::Trial;
use crate::{Context, ExperimentError};

/// A run with its cells, and what their samples are kept under.
type BegunRun = (Run, Vec<(MeasurementId, Cell)>);

impl Context<'_> {
    /// The interrupted run of that question, if it has these cells. One with other cells is
    /// abandoned: what it executes is another program by now.
    pub(crate) fn resumed_run(
        &mut self,
        digest: Digest,
        cells: &[Cell],
    ) -> Result<Option<BegunRun>, ExperimentError> {
        let Some(run) = self.store.unfinished_run(digest, self.host)? else { return Ok(None) };
        let begun = self.store.cells(run.number)?;
        if begun.iter().map(|(_, cell)| cell).eq(cells) {
            return Ok(Some((run, begun)));
        }
        self.store.abandon_run(run.number, self.executor.now())?;
        Ok(None)
    }

    /// These cells with the trial of each, by its place, repeated as the cell requests.
    pub(crate) fn ready_cells(
        &mut self,
        cells: Vec<(MeasurementId, Cell)>,
        mut trial: impl FnMut(usize, &Cell) -> Result<Trial, ExperimentError>,
    ) -> Result<Vec<SessionCell>, ExperimentError> {
        let mut ready = Vec::with_capacity(cells.len());
        for (at, (id, cell)) in cells.into_iter().enumerate() {
            let (before, trial) = (self.store.samples(id)?, trial(at, &cell)?);
            let wanted = SampleDemand { enough: cell.rounds, ..SampleDemand::default() };
            ready.push(SessionCell { id, cell, trial, wanted, before });
        }
        Ok(ready)
    }
}
