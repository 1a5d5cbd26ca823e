//! Where a run stands: what is executed, what is given up, which answers are the reference.

use std::collections::{HashMap, HashSet};

use tacho_record::{BenchmarkKey, Digest, Outcome, Place, Sample};

use crate::trial::Trial;

/// A cell that fails in its first executions, this many in a row, is executed no more (docs/method.md).
pub const GIVE_UP_AFTER: usize = 2;

/// Whether a cell with these samples, in the order in which they were taken, is given up.
pub fn is_given_up<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> bool {
    let first = samples.into_iter().take(GIVE_UP_AFTER);
    first.filter(|sample| sample.outcome != Outcome::Valid).count() == GIVE_UP_AFTER
}

/// Where a run stands.
pub struct Progress {
    /// For each cell, what is executed.
    pub trials: Vec<Trial>,
    /// For each cell, how far it is.
    pub cells: Vec<CellProgress>,
    /// For each benchmark, by identity, the reference answer.
    pub references: HashMap<String, Digest>,
    /// What has a sample.
    pub done: HashSet<Place>,
}

/// How far a cell is.
pub struct CellProgress {
    /// Executions that are still to come, as planned.
    left: usize,
    /// How many samples that were not the warm-up are enough, other runs' counted.
    enough: u32,
    counted: u32,
    failed: usize,
    succeeded: bool,
}

impl CellProgress {
    /// A cell at its beginning.
    pub fn new(executions: usize, enough: u32) -> Self {
        Self { left: executions, enough, counted: 0, failed: 0, succeeded: false }
    }

    fn is_hopeless(&self) -> bool {
        !self.succeeded && self.failed >= GIVE_UP_AFTER
    }
}

impl Progress {
    /// Whether this execution is not needed: it has its sample, or its cell needs no more, or was given up.
    pub fn is_needless(&self, place: Place, cell: usize) -> bool {
        let cell = &self.cells[cell];
        self.done.contains(&place) || cell.is_hopeless() || (place.round > 0 && cell.counted >= cell.enough)
    }

    /// The reference answer of a benchmark, if there is one.
    pub fn reference(&self, key: &BenchmarkKey) -> Option<Digest> {
        self.references.get(&key.identity()).copied()
    }

    /// Takes note of a sample; says how many executions are left out if the cell is given up with it.
    pub fn record(&mut self, cell: usize, place: Place, outcome: &Outcome) -> Option<usize> {
        self.done.insert(place);
        let cell = &mut self.cells[cell];
        cell.left = cell.left.saturating_sub(1);
        cell.counted += u32::from(place.round > 0);
        let was_hopeless = cell.is_hopeless();
        match outcome {
            Outcome::Valid => cell.succeeded = true,
            Outcome::Failed { .. } => cell.failed += 1,
        }
        (cell.is_hopeless() && !was_hopeless).then_some(cell.left)
    }
}
