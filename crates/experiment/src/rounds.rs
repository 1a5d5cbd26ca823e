//! The rounds of a run: what happens before, in and after each, until nobody takes part any more.
//!
//! Who takes part in a round is known before it begins, from the samples of the rounds before it alone. So a
//! killed run goes on exactly as it would have.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tacho_measure::Absent;
use tacho_store::Absence;

use crate::progress::Progress;
use crate::schedule::{Schedule, Trial};
use crate::session::{References, Session, SessionCell};
use crate::trial::Tried;
use crate::{Bench, Event, ExperimentError};

/// What a session of measuring came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Samples that it took.
    pub samples: usize,
    /// Time spent in executions, hooks included.
    pub executing: Duration,
    /// Whether the user stopped it before the run was done.
    pub interrupted: bool,
}

/// Measures all that the run still lacks, and finishes it.
///
/// Each sample is kept before the next execution starts; interrupted or killed, a session of the same run goes
/// on where this one stopped.
pub fn measure(bench: &mut Bench<'_>, session: &Session) -> Result<Measured, ExperimentError> {
    let mut rounds = Rounds::new(bench, session)?;
    for round in rounds.schedule.rounds() {
        if !rounds.round(round)? {
            rounds.measured.interrupted = true;
            return Ok(rounds.measured);
        }
    }
    let measured = rounds.measured;
    bench.store.seal(session.run.number)?;
    bench.store.finish_run(session.run.number, bench.executor.now())?;
    Ok(measured)
}

/// The rounds of one session.
struct Rounds<'a, 'b> {
    bench: &'a mut Bench<'b>,
    session: &'a Session,
    schedule: Schedule,
    progress: Progress,
    references: References,
    measured: Measured,
    /// Of which cells it is kept why they lack which metric.
    absent: HashSet<(usize, String)>,
}

impl<'a, 'b> Rounds<'a, 'b> {
    /// Stands where the run stands: at nothing, or at what an earlier session of it left.
    fn new(bench: &'a mut Bench<'b>, session: &'a Session) -> Result<Self, ExperimentError> {
        let rounds = session.cells.iter().map(|cell| cell.cell.rounds).collect();
        let schedule = Schedule::new(session.run.seed, rounds, session.warmup);
        bench.observer.note(&Event::MeasuringBegins {
            run: &session.run,
            cells: &session.plain_cells(),
            total: schedule.total(),
            done: session.done(),
        });
        let references = References::read(bench.store, &session.cells)?;
        let progress = Progress::new(session, &schedule);
        Ok(Self {
            bench,
            session,
            schedule,
            progress,
            references,
            measured: Measured::default(),
            absent: HashSet::new(),
        })
    }

    /// One round, as far as it is not done yet; `false` when interrupted.
    fn round(&mut self, round: u32) -> Result<bool, ExperimentError> {
        let trials = self.before(round);
        let whole = self.trials(&trials)?;
        self.after(round)?;
        Ok(whole)
    }

    /// The trials of the round: of those who take part, what has no sample yet.
    fn before(&self, round: u32) -> Vec<Trial> {
        let mut trials = self.schedule.round(round);
        trials.retain(|trial| self.progress.is_needed(trial.place, trial.cell));
        trials
    }

    /// Executes the trials of a round; `false` when interrupted.
    fn trials(&mut self, trials: &[Trial]) -> Result<bool, ExperimentError> {
        for &trial in trials {
            if self.bench.interrupt.load(Ordering::Relaxed) || !self.trial(trial)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// One execution, kept before anything else happens; `false` when interrupted.
    fn trial(&mut self, trial: Trial) -> Result<bool, ExperimentError> {
        let SessionCell { id, cell, trial: executed, .. } = &self.session.cells[trial.cell];
        let began = Instant::now();
        let reference = self.references.of(&cell.benchmark);
        let tried = executed.execute(self.bench.executor, trial.place, reference)?;
        self.measured.executing += began.elapsed();
        let Tried::Sampled { sample, answer, absent } = tried else { return Ok(false) };
        if let (Some(answer), None) = (answer, reference) {
            // Before the sample: a kill between the two must not let a later answer become the reference.
            self.references.keep(self.bench.store, &cell.benchmark, answer)?;
        }
        self.bench.store.put_sample(*id, &sample)?;
        for Absent { metric, why } in absent {
            if self.absent.insert((trial.cell, metric.to_string())) {
                let absence = Absence { metric: metric.into_owned(), why: why.into_owned() };
                self.bench.store.put_absence(self.session.run.number, &cell.benchmark, &absence)?;
            }
        }
        self.measured.samples += 1;
        self.bench.observer.note(&Event::Sampled { cell, sample: &sample });
        if let Some(saved) = self.progress.record(trial.cell, &sample) {
            self.bench.observer.note(&Event::GivenUp { cell, saved });
        }
        Ok(true)
    }

    /// What is measured so far is safe, whether the round is whole or not.
    fn after(&mut self, round: u32) -> Result<(), ExperimentError> {
        Ok(self.bench.store.end_round(self.session.run.number, round)?)
    }
}
