//! When a disturbance is decided: looked for at rounds that are fixed before.

use tacho_record::{Probing, Sample};

use super::answer::{looked_at, row};
use crate::run::session::Session;
use crate::run::stopping_rule::StoppingRule;

/// A probe, as far as it came.
pub(super) struct ProbeStopping<'a> {
    terms: &'a Probing,
    /// Rounds at the most.
    most: u32,
    samples: Vec<Vec<Sample>>,
    settled: Vec<bool>,
}

impl<'a> ProbeStopping<'a> {
    /// The state of a session that was begun earlier.
    pub fn of_session(terms: &'a Probing, session: &Session) -> Self {
        let cells = session.cells.len();
        let (samples, settled) = (vec![Vec::new(); cells], vec![false; cells]);
        let mut stopping = Self { terms, most: session.run.rounds, samples, settled };
        let before = || session.cells.iter().map(|cell| &cell.before);
        let last = before().flatten().map(|sample| sample.place.round).max().unwrap_or(0);
        for round in 0..=last {
            for (cell, samples) in before().enumerate() {
                let of_round = samples.iter().filter(|sample| sample.place.round == round);
                of_round.for_each(|sample| stopping.record(cell, sample));
            }
            stopping.look(round);
        }
        stopping
    }

    /// Settles what is decided of a row.
    fn settle(&mut self, number: usize) {
        let (each, sides) = (self.terms.cells_of_row(), self.terms.sides.len());
        let first = number * each;
        let row = row(self.terms, self.most, number, &self.samples[first..first + each]);
        for (state, is_decided) in row.decided().into_iter().enumerate() {
            let from = first + (1 + state) * sides;
            let is_whole = self.samples[from..from + sides].iter().all(|it| !it.is_empty());
            if is_decided && is_whole {
                self.settled[from..from + sides].fill(true);
            }
        }
        let is_done = self.settled[first + sides..first + each].iter().all(|settled| *settled);
        self.settled[first..first + sides].fill(is_done);
    }
}

impl StoppingRule for ProbeStopping<'_> {
    fn record(&mut self, cell: usize, sample: &Sample) {
        self.samples[cell].push(sample.clone());
    }

    fn look(&mut self, round: u32) -> Vec<usize> {
        if looked_at(self.most).contains(&(round as usize)) {
            (0..self.terms.rows.len()).for_each(|number| self.settle(number));
        }
        (0..self.settled.len()).filter(|cell| self.settled[*cell]).collect()
    }

    fn forget(&mut self, round: u32) {
        for (samples, settled) in self.samples.iter_mut().zip(&self.settled) {
            if !settled {
                samples.retain(|sample| sample.place.round != round);
            }
        }
    }
}
