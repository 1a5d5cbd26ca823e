//! Where a run stands: what has its samples, what is given up.

use std::collections::HashSet;

use tacho_record::{Outcome, Place, Sample};

use crate::schedule::Schedule;
use crate::session::{Session, SessionCell};

/// A cell that fails in its first executions, this many in a row, is executed no more (docs/method.md).
pub const GIVE_UP_AFTER: usize = 2;

/// Whether a cell with these samples, in the order in which they were taken, is given up.
pub fn is_given_up<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> bool {
    let first = samples.into_iter().take(GIVE_UP_AFTER);
    first.filter(|sample| sample.outcome.is_failure()).count() == GIVE_UP_AFTER
}

/// Where a run stands.
pub struct Progress {
    /// For each cell, how far it is.
    cells: Vec<CellProgress>,
    /// What has a sample.
    done: HashSet<Place>,
}

/// How far a cell is.
struct CellProgress {
    /// Executions that are still to come, as planned.
    left: usize,
    /// How many samples that were not the warm-up are enough, other runs' counted.
    enough: u32,
    counted: u32,
    failed: usize,
    succeeded: bool,
}

impl CellProgress {
    fn is_hopeless(&self) -> bool {
        !self.succeeded && self.failed >= GIVE_UP_AFTER
    }
}

impl Progress {
    /// Where the run stands after what earlier sessions of it have left.
    pub fn new(session: &Session, schedule: &Schedule) -> Self {
        let beginning = |SessionCell { cell, enough, .. }: &SessionCell| {
            let left = schedule.executions(cell.rounds);
            CellProgress { left, enough: *enough, counted: 0, failed: 0, succeeded: false }
        };
        let cells = session.cells.iter().map(beginning).collect();
        let mut progress = Self { cells, done: HashSet::new() };
        for (index, cell) in session.cells.iter().enumerate() {
            for sample in &cell.before {
                progress.record(index, sample);
            }
        }
        progress
    }

    /// Whether this execution is needed: it has no sample yet, and its cell needs more, and was not given up.
    pub fn is_needed(&self, place: Place, cell: usize) -> bool {
        let cell = &self.cells[cell];
        let wants_more = place.round == 0 || cell.counted < cell.enough;
        wants_more && !cell.is_hopeless() && !self.done.contains(&place)
    }

    /// Takes note of a sample; says how many executions are left out if the cell is given up with it.
    pub fn record(&mut self, cell: usize, sample: &Sample) -> Option<usize> {
        self.done.insert(sample.place);
        let cell = &mut self.cells[cell];
        cell.left = cell.left.saturating_sub(1);
        cell.counted += u32::from(sample.place.round > 0);
        let was_hopeless = cell.is_hopeless();
        match sample.outcome {
            Outcome::Valid | Outcome::LimitReached { .. } => cell.succeeded = true,
            Outcome::Failed { .. } => cell.failed += 1,
        }
        (cell.is_hopeless() && !was_hopeless).then_some(cell.left)
    }
}
