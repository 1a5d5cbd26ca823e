//! The fixtures of a session: `setup` before them, companions during them, `cleanup` after them.
//!
//! All setups are done before the first round, since the rounds go through all cells again and
//! again. A session that takes up a run does them again: nothing is known of what a kill or a power
//! cut has left.

use tacho_measure::Executor;
use tacho_record::Outcome;

use crate::run::session::{Session, SessionCell};
use crate::trial::companions::{Company, Member};
use crate::trial::execute::trouble;
use crate::trial::hooks::HookEnd;
use crate::{Event, GIVE_UP_AFTER, Observer};

/// The fixtures of a session, beside its rounds.
pub struct Fixtures<'a> {
    session: &'a Session,
    company: Company,
    /// Cells whose setup was begun: in this order.
    begun: Vec<usize>,
    /// For each cell, how its setup failed, and how many samples have said so.
    broken: Vec<Option<(Outcome, usize)>>,
}

impl<'a> Fixtures<'a> {
    /// The fixtures before any setup.
    pub fn new(session: &'a Session) -> Self {
        let company = Company::new(session.cells.iter().map(|cell| cell.trial.companion.as_ref()));
        Self { session, company, begun: Vec::new(), broken: vec![None; session.cells.len()] }
    }

    /// Does the setups of these cells; `false` when interrupted.
    pub fn set_up(
        &mut self,
        cells: impl IntoIterator<Item = usize>,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> bool {
        for index in cells {
            let SessionCell { cell, trial, .. } = &self.session.cells[index];
            self.begun.push(index);
            let Some(setup) = &trial.hooks.setup else { continue };
            observer.note(&Event::HookBegins { cell, hook: "setup" });
            match setup.execute(executor, None, None) {
                Ok(()) => {}
                Err(HookEnd::Interrupted) => return false,
                Err(HookEnd::Failed(trouble)) => self.broken[index] = Some((trouble.of_setup(), 0)),
            }
        }
        true
    }

    /// Whether the setup of that cell failed.
    pub fn is_broken(&self, cell: usize) -> bool {
        self.broken[cell].is_some()
    }

    /// How an execution of that cell fails because its setup did; the first few say so.
    pub fn failed_setup(&mut self, cell: usize) -> Option<Outcome> {
        let (outcome, said) = self.broken[cell].as_mut()?;
        *said += 1;
        Some(outcome.clone())
    }

    /// Whether the cell is left out, since its setup failed and samples show it.
    pub fn is_left_out(&self, cell: usize) -> bool {
        self.broken[cell].as_ref().is_some_and(|(_, said)| *said >= GIVE_UP_AFTER)
    }

    /// The companion of that cell, if it has one.
    pub fn companion(&mut self, cell: usize) -> Option<&mut Member> {
        self.company.of(cell)
    }

    /// Ends the companions, and does the cleanups of all cells whose setups were begun, the last
    /// first, whatever happened.
    pub fn clean_up(mut self, executor: &mut dyn Executor, observer: &mut dyn Observer) {
        self.company.end();
        let cells = self.begun.iter().rev().map(|index| &self.session.cells[*index]);
        for SessionCell { cell, trial, .. } in cells {
            let Some(cleanup) = &trial.hooks.cleanup else { continue };
            observer.note(&Event::HookBegins { cell, hook: "cleanup" });
            if let Some(trouble) = trouble(cleanup, cleanup.finish(executor, None, None)) {
                observer.note(&Event::Trouble { cell, trouble: &trouble });
            }
        }
    }
}
