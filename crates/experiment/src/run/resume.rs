//! Runs of fixed cells: resuming a question's interrupted one, and preparing its cells.

use tacho_record::{Cell, Digest, Run};
use tacho_store::MeasurementId;

use super::session::{SampleDemand, SessionCell};
use crate::trial::prepared::Trial;
use crate::{Context, Event, ExperimentError, Question};

/// A run with its cells, and what their samples are kept under.
type BegunRun = (Run, Vec<(MeasurementId, Cell)>);

/// The condition that says where programs are looked for.
const PATH: &str = "environment.PATH";

impl Context<'_> {
    /// The interrupted run of that question. One with another `PATH` is abandoned: the same command
    /// may be another program, and one answer would be of both.
    pub(crate) fn interrupted_run(
        &mut self,
        question: &Question,
        digest: Digest,
    ) -> Result<Option<Run>, ExperimentError> {
        let Some(run) = self.store.unfinished_run(digest, self.host)? else { return Ok(None) };
        let before = self.store.conditions(run.number)?.remove(PATH);
        let is_other = before.zip(question.conditions.get(PATH)).is_some_and(|(a, b)| a != *b);
        if !is_other {
            return Ok(Some(run));
        }
        self.observer.note(&Event::OtherPath { run: run.number });
        self.store.abandon_run(run.number, self.executor.now())?;
        Ok(None)
    }

    /// The interrupted run of that question, if it has these cells. One with other cells is
    /// abandoned: what it executes is another program by now.
    pub(crate) fn resumed_run(
        &mut self,
        question: &Question,
        digest: Digest,
        cells: &[Cell],
    ) -> Result<Option<BegunRun>, ExperimentError> {
        let Some(run) = self.interrupted_run(question, digest)? else { return Ok(None) };
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
