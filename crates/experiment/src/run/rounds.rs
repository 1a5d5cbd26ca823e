//! The rounds of a run: what happens before, in and after each, until no cell takes part any more.
//!
//! The cells of a round are determined before it begins, from the samples of earlier rounds alone.
//! So a killed run continues exactly as it would have.

mod execute;
mod keep;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tacho_measure::MissingMetric;
use tacho_record::{Purpose, Sample, Warmup};
use tacho_store::Absence;

use crate::run::budget::wall;
use crate::run::quiet::Quiet;
use crate::run::reference::{ReferenceTurn, ReferenceTurns};
use crate::run::run_state::RunProgress;
use crate::run::schedule::{Schedule, ScheduledTrial};
use crate::run::session::{References, Session, SessionCell};
use crate::run::stopping_rule::{NeverStop, StoppingRule};
use crate::run::warmup;
use crate::trial::fixtures::Fixtures;
use crate::trial::prepared::moment;
use crate::{Context, Event, ExperimentError};

/// The result of a session of measuring.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionResult {
    /// Samples that it took.
    pub samples: usize,
    /// Time spent in executions, hooks included.
    pub executing: Duration,
    /// Whether the user stopped it before the run was done.
    pub interrupted: bool,
}

/// Measures all that the run still lacks, and finishes it.
///
/// Each sample is kept before the next execution starts, unless the store ends with us; after an
/// interruption, a session of the same run resumes where this one stopped.
pub fn measure(
    context: &mut Context<'_>,
    session: &Session,
) -> Result<SessionResult, ExperimentError> {
    measure_until(context, session, &mut NeverStop)
}

/// The same, with a rule that may end a cell early. The rule also sees what was measured before.
pub fn measure_until(
    context: &mut Context<'_>,
    session: &Session,
    until: &mut dyn StoppingRule,
) -> Result<SessionResult, ExperimentError> {
    let mut rounds = Rounds::new(context, session, until)?;
    let whole = rounds.all();
    // Whatever happened.
    rounds.write()?;
    let began = Instant::now();
    rounds.beside.clean_up(rounds.context.executor, rounds.context.observer);
    let measured = SessionResult {
        executing: rounds.measured.executing + began.elapsed(),
        interrupted: !whole?,
        ..rounds.measured
    };
    report_changed_builds(context, session);
    if !measured.interrupted {
        warmup::find(context.store, &session.run, session)?;
        let facts = end_facts(context, session.run.number)?;
        context.store.add_conditions(session.run.number, facts)?;
        context.store.seal(session.run.number)?;
        context.store.finish_run(session.run.number, context.executor.now())?;
    }
    Ok(measured)
}

/// Reports each build that was changed while it was measured.
fn report_changed_builds(context: &mut Context<'_>, session: &Session) {
    for SessionCell { cell, .. } in &session.cells {
        if let Some(path) = context.builder.changed(cell.artifact) {
            context.observer.note(&Event::BuildChanged { cell, path: &path });
        }
    }
}

/// The rounds of one session.
struct Rounds<'a, 'b> {
    context: &'a mut Context<'b>,
    session: &'a Session,
    schedule: Schedule,
    progress: RunProgress<'a>,
    until: &'a mut dyn StoppingRule,
    references: References,
    beside: Fixtures<'a>,
    quiet: Quiet,
    reference: ReferenceTurns,
    /// The fixed programs of this round.
    turns: Vec<ReferenceTurn>,
    /// The time that the subject took in the run so far.
    subject: Duration,
    /// The rounds and cells of this session whose instructions callgrind has counted.
    instructions: Vec<(u32, usize)>,
    /// The cells whose instructions callgrind is still to count.
    without_instructions: HashSet<usize>,
    /// The cells among them that are counted a second time, which shows whether the count repeats.
    repeated: HashSet<usize>,
    measured: SessionResult,
    /// The cells and metrics whose absence is kept with its reason.
    absent: HashSet<(usize, String)>,
    /// The samples of each cell that are not in the store yet, where that is lost with us.
    unwritten: Vec<Vec<Sample>>,
}

impl<'a, 'b> Rounds<'a, 'b> {
    /// Starts at the run's present state: empty, or as an earlier session left it.
    fn new(
        context: &'a mut Context<'b>,
        session: &'a Session,
        until: &'a mut dyn StoppingRule,
    ) -> Result<Self, ExperimentError> {
        let run = &session.run;
        let schedule =
            Schedule::new(run.seed, session.cells.len(), run.rule.warmup == Warmup::Found);
        let schedule = schedule.in_groups(session.groups());
        let schedule = if session.duet.is_some() { schedule.in_pairs() } else { schedule };
        context.store.begin_session(run.number, moment(context.executor.now()))?;
        let unread: Vec<Absence> = context.executor.unread().iter().map(absence).collect();
        context.store.put_unread(run.number, &unread)?;
        let mut progress = RunProgress::new(session, context.store.sessions(run.number)?);
        progress.settle(&until.look(0));
        let done = session.done();
        context.observer.note(&Event::MeasuringBegins {
            run,
            cells: &session.plain_cells(),
            total: done + progress.left(),
            done,
        });
        let reference =
            ReferenceTurns::new(context, run, (session.reference, session.common_cpus()))?;
        let subject = session.cells.iter().flat_map(|cell| &cell.before).map(wall).sum();
        let quiet = Quiet::new(run.rule.quiet_wait, &context.store.waits(run.number)?);
        let references = References::read(context.store, &session.cells)?;
        let uncounted = |cell: &usize| session.cells[*cell].lacks_instructions();
        let without_instructions: HashSet<usize> =
            (0..session.cells.len()).filter(uncounted).collect();
        let repeated = first_of_each(session, &without_instructions);
        Ok(Self {
            context,
            session,
            schedule,
            progress,
            until,
            references,
            beside: Fixtures::new(session),
            quiet,
            reference,
            turns: Vec::new(),
            subject,
            instructions: Vec::new(),
            without_instructions,
            repeated,
            measured: SessionResult::default(),
            absent: HashSet::new(),
            unwritten: vec![Vec::new(); session.cells.len()],
        })
    }

    /// Everything, with what must be done before it; `false` when interrupted.
    fn all(&mut self) -> Result<bool, ExperimentError> {
        let began = Instant::now();
        let cells: BTreeSet<usize> =
            (0..self.session.cells.len()).filter(|cell| self.progress.is_lacking(*cell)).collect();
        let ready = self.beside.set_up(cells, self.context.executor, self.context.observer);
        self.measured.executing += began.elapsed();
        if !ready {
            return Ok(false);
        }
        Ok(self.warm_up()? && self.rounds()?)
    }

    /// The warmup, pass after pass, until all are warm; `false` when interrupted.
    fn warm_up(&mut self) -> Result<bool, ExperimentError> {
        for pass in 0.. {
            let all = self.schedule.warm_up(pass);
            let trials = self
                .progress
                .chosen(&all, |trial| self.progress.warms_up(trial) && self.is_possible(trial));
            if trials.is_empty() {
                break;
            }
            if !self.round(0, &trials)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Round after round, until no cell takes part or there is no time for another; `false` when
    /// interrupted.
    fn rounds(&mut self) -> Result<bool, ExperimentError> {
        for round in 1.. {
            let trials = self.before(round);
            if trials.is_empty() {
                break;
            }
            if !self.round(round, &trials)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The trials of the round; empty if there is no time for it.
    fn before(&mut self, round: u32) -> Vec<ScheduledTrial> {
        let all = self.schedule.round(round);
        let mut trials = self
            .progress
            .chosen(&all, |trial| self.progress.takes_part(trial) && self.is_possible(trial));
        if !self.progress.has_time_for(round, &trials) {
            self.context.observer.note(&Event::OutOfTime { rounds: round - 1 });
            trials.clear();
        }
        trials
    }

    /// Whether the trial has its sample, or can have one since its companion and setup are ready.
    fn is_possible(&self, trial: ScheduledTrial) -> bool {
        self.progress.is_done(trial) || !self.beside.is_left_out(trial.cell)
    }

    /// Executes what has no sample yet of a round; `false` when interrupted.
    fn round(&mut self, round: u32, trials: &[ScheduledTrial]) -> Result<bool, ExperimentError> {
        let (done, left): (Vec<ScheduledTrial>, _) =
            trials.iter().partition(|trial| self.progress.is_done(**trial));
        self.turns.clear();
        if !left.is_empty() {
            self.quiet.wait(self.context, self.session.run.number, round)?;
            let executions = left.len().div_ceil(self.progress.at_once());
            if round > 0 {
                self.turns = self.reference.planned(round, self.subject, executions);
            }
        }
        let whole = self.trials(&left)?;
        if whole && round > 0 && self.quiet.is_wanted() {
            self.settle(round)?;
        }
        if done.len() < trials.len() {
            self.after(round)?;
        }
        Ok(whole)
    }

    /// Executes these, one after the other; `false` when interrupted.
    fn trials(&mut self, trials: &[ScheduledTrial]) -> Result<bool, ExperimentError> {
        let at_once = self.progress.at_once();
        for (place, together) in trials.chunks(at_once).enumerate() {
            let done = self.execute_reference(trials[0].place.round, place)?
                && !self.context.interrupt.load(Ordering::Relaxed)
                && match (self.session.duet, together) {
                    (Some(cpus), &[one, other]) => self.pair([one, other], cpus)?,
                    (_, &[trial, ..]) => self.trial(trial, &trials[place + 1..])?,
                    (_, []) => true,
                };
            if !done {
                return Ok(false);
            }
        }
        let last = trials.len().div_ceil(at_once);
        trials.first().map_or(Ok(true), |first| self.execute_reference(first.place.round, last))
    }

    /// Executes the fixed programs whose turn is before that execution of the round; `false` when
    /// interrupted.
    fn execute_reference(&mut self, round: u32, place: usize) -> Result<bool, ExperimentError> {
        let due: Vec<ReferenceTurn> =
            self.turns.extract_if(.., |(before, _)| *before == place).collect();
        for (_, program) in due {
            let run = self.session.run.number;
            if self.context.interrupt.load(Ordering::Relaxed)
                || !self.reference.execute(self.context, run, (round, program))?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Marks the round if it was disturbed, unless it was repeated often enough: its cells lack a
    /// sample again.
    fn settle(&mut self, round: u32) -> Result<(), ExperimentError> {
        let Some(noise) = self.progress.disturbed(round) else { return Ok(()) };
        let marked =
            self.context.store.disturb(self.session.run.number, round, &noise.to_string())?;
        let taken = self.progress.taken(round);
        if marked != taken {
            return Err(ExperimentError::RoundNotKept { round, taken, kept: marked });
        }
        self.progress.forget(round);
        self.until.forget(round);
        let again = self.instructions.iter().filter(|(counted, _)| *counted == round);
        self.without_instructions.extend(again.map(|(_, cell)| cell));
        self.context.observer.note(&Event::Disturbed { round, noise });
        Ok(())
    }

    /// Syncs the samples so far, whether the round is complete or not, and reports the cells that
    /// need no more samples.
    fn after(&mut self, round: u32) -> Result<(), ExperimentError> {
        if self.context.store.outlives_us() {
            self.context.store.end_round(self.session.run.number, round)?;
        }
        let settled = self.until.look(round);
        for (cell, saved) in self.progress.look().into_iter().chain(self.progress.settle(&settled))
        {
            let cell = &self.session.cells[cell].cell;
            self.context.observer.note(&Event::Precise { cell, saved });
        }
        Ok(())
    }
}

/// The first of these cells of each benchmark in a series that has several.
fn first_of_each(session: &Session, cells: &HashSet<usize>) -> HashSet<usize> {
    if session.run.purpose != Purpose::Track {
        return HashSet::new();
    }
    let mut of_benchmark: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for &cell in cells {
        let key = session.cells[cell].cell.benchmark.identity();
        of_benchmark.entry(key).or_default().insert(cell);
    }
    let several = of_benchmark.into_values().filter(|cells| cells.len() > 1);
    several.filter_map(|cells| cells.first().copied()).collect()
}

/// The changes of the host since the run began, as `end.load` for `now.load`.
pub(crate) fn end_facts(
    context: &mut Context<'_>,
    run: i64,
) -> Result<BTreeMap<String, String>, ExperimentError> {
    let before = context.store.conditions(run)?;
    let changed =
        context.executor.facts().into_iter().filter(|(name, now)| before.get(name) != Some(now));
    Ok(changed
        .filter_map(|(name, now)| Some((format!("end.{}", name.strip_prefix("now.")?), now)))
        .collect())
}

pub(crate) fn absence(absent: &MissingMetric) -> Absence {
    Absence { metric: absent.metric.to_string(), why: absent.why.to_string() }
}
