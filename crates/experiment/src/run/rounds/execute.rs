//! One execution of a round, or two at the same time.

use std::borrow::Cow;
use std::time::Instant;

use tacho_measure::Request;

use super::Rounds;
use crate::run::schedule::ScheduledTrial;
use crate::run::session::SessionCell;
use crate::trial::duet::TrialPair;
use crate::trial::execute::{Attempt, Turn};
use crate::{Event, ExperimentError};

impl Rounds<'_, '_> {
    /// One execution, which is kept before the next step; `false` if interrupted. `rest` is the
    /// rest of its round.
    pub(super) fn trial(
        &mut self,
        trial: ScheduledTrial,
        rest: &[ScheduledTrial],
    ) -> Result<bool, ExperimentError> {
        let SessionCell { cell, .. } = &self.session.cells[trial.cell];
        let began = Instant::now();
        let next = self.next(trial, rest);
        let tried = self.tried(trial, next)?;
        self.measured.executing += began.elapsed();
        let (going_on, trouble) = match tried {
            Attempt::Interrupted(trouble) => (false, trouble),
            Attempt::Sampled(mut sampled) => {
                let trouble = sampled.trouble.take();
                self.keep(trial, &sampled)?;
                (true, trouble)
            }
        };
        if let Some(trouble) = &trouble {
            self.context.observer.note(&Event::Trouble { cell, trouble });
        }
        Ok(going_on)
    }

    /// The request that surely follows a trial that succeeds: it may begin before the trial's
    /// sample is kept.
    ///
    /// Only where samples are lost with us anyway: elsewhere each is kept before the next execution
    /// begins.
    fn next(&self, trial: ScheduledTrial, rest: &[ScheduledTrial]) -> Option<Request> {
        let is_ordered = self.reference.is_off() && !self.context.store.outlives_us();
        if !is_ordered || self.without_instructions.contains(&trial.cell) {
            return None;
        }
        self.alone(trial)?;
        let next = match rest.first() {
            Some(next) => *next,
            None if trial.place.round == 0 || !self.until.never_does() => return None,
            None => self.progress.next(&self.schedule.round(trial.place.round + 1), trial.cell)?,
        };
        self.alone(next).map(Cow::into_owned)
    }

    /// The request of a trial, where nothing but that is executed for it.
    fn alone(&self, trial: ScheduledTrial) -> Option<Cow<'_, Request>> {
        let SessionCell { trial: executed, .. } = &self.session.cells[trial.cell];
        let executed = executed.at(trial.place, self.session.cells.len());
        if self.beside.is_broken(trial.cell) { None } else { executed.alone(trial.place) }
    }

    /// The result of a trial: of its execution, unless it fails without one; with the request that
    /// surely follows.
    fn tried(
        &mut self,
        trial: ScheduledTrial,
        next: Option<Request>,
    ) -> Result<Attempt, ExperimentError> {
        if let Some(outcome) = self.beside.failed_setup(trial.cell) {
            let at = self.context.executor.now();
            return Ok(Attempt::without_execution(trial.place, at, outcome));
        }
        let SessionCell { cell, trial: executed, .. } = &self.session.cells[trial.cell];
        let executed = executed.at(trial.place, self.session.cells.len());
        let mut turn = Turn {
            place: trial.place,
            shell_first: self.schedule.is_turned(trial.place),
            reference: self.references.of(&cell.benchmark),
            companion: self.beside.companion(trial.cell),
            next,
        };
        let tried = executed.execute(self.context.executor, &mut turn)?;
        // Once for each cell and run, with the first sample that counts; of one cell of a benchmark
        // twice (docs/src/method).
        if !tried.counts() || !self.without_instructions.remove(&trial.cell) {
            return Ok(tried);
        }
        if self.repeated.remove(&trial.cell) {
            self.without_instructions.insert(trial.cell);
        }
        self.instructions.push((trial.place.round, trial.cell));
        self.context.observer.note(&Event::CountingBegins { cell });
        Ok(executed.with_instructions(self.context.executor, &mut turn, tried))
    }

    /// Two executions at the same time, both kept before anything else happens; `false` when
    /// interrupted.
    pub(super) fn pair(
        &mut self,
        two: [ScheduledTrial; 2],
        cpus: [u32; 2],
    ) -> Result<bool, ExperimentError> {
        let began = Instant::now();
        let tried = self.tried_pair(two, cpus)?;
        self.measured.executing += began.elapsed();
        let mut troubles = Vec::new();
        let mut sampled = Vec::with_capacity(2);
        for (trial, tried) in two.into_iter().zip(tried) {
            let trouble = match tried {
                Attempt::Interrupted(trouble) => trouble,
                Attempt::Sampled(mut one) => {
                    let trouble = one.trouble.take();
                    sampled.push((trial, one));
                    trouble
                }
            };
            troubles.extend(trouble.map(|trouble| (trial.cell, trouble)));
        }
        let going_on = sampled.len() == 2;
        if going_on {
            self.keep_pair(&sampled)?;
        }
        for (cell, trouble) in &troubles {
            let cell = &self.session.cells[*cell].cell;
            self.context.observer.note(&Event::Trouble { cell, trouble });
        }
        Ok(going_on)
    }

    /// The results of two trials at the same time, unless one fails without an execution.
    fn tried_pair(
        &mut self,
        two: [ScheduledTrial; 2],
        cpus: [u32; 2],
    ) -> Result<[Attempt; 2], ExperimentError> {
        let broken = two.map(|trial| self.beside.failed_setup(trial.cell));
        if let Some(outcome) = broken.iter().flatten().next() {
            let at = self.context.executor.now();
            return Ok(
                two.map(|trial| Attempt::without_execution(trial.place, at, outcome.clone()))
            );
        }
        let shell_first = self.schedule.is_turned(two[0].place);
        let turn = |trial: ScheduledTrial| Turn {
            place: trial.place,
            shell_first,
            reference: self.references.of(&self.session.cells[trial.cell].cell.benchmark),
            companion: None,
            next: None,
        };
        let trials = two.map(|trial| &self.session.cells[trial.cell].trial);
        let mut pair = TrialPair { trials, turns: two.map(turn), cpus };
        let mut tried = pair.execute(self.context.executor)?;
        for (which, trial) in two.into_iter().enumerate() {
            if tried[which].counts() && self.without_instructions.remove(&trial.cell) {
                self.instructions.push((trial.place.round, trial.cell));
                let SessionCell { cell, trial, .. } = &self.session.cells[trial.cell];
                self.context.observer.note(&Event::CountingBegins { cell });
                let gone = Attempt::Interrupted(None);
                let one = std::mem::replace(&mut tried[which], gone);
                tried[which] =
                    trial.with_instructions(self.context.executor, &mut pair.turns[which], one);
            }
        }
        Ok(tried)
    }
}
