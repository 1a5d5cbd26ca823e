//! The steps of a bisection: a build or some executions of one revision at a time, each kept before
//! the next.

use std::sync::atomic::Ordering;

use tacho_record::bisection::{
    BisectionEnd, BisectionState, BisectionStep, LackOfValues, StepResult, UndecidedReason,
    UnusableKind, ValueSource,
};
use tacho_record::{Bisection, Build, BuildState, Digest, Disturbance, Revision, Run};
use tacho_store::Absence;
use tacho_subject::Layout;

use super::deadline::Deadline;
use super::ready::PreparedTrials;
use super::{Fold, Inquiry};
use crate::bisect::state::{BisectionResult, SkippedState};
use crate::build::builds::{UnpackResult, was_not_fetched};
use crate::run::quiet::Quiet;
use crate::run::rounds::{absence, end_facts};
use crate::trial::prepared::moment;
use crate::{Context, Event, ExperimentError, Question};

/// The result of an attempted step.
pub(super) enum StepAttempt {
    /// The step's result, with the seconds of building, and of executions.
    Seen(StepResult, Option<f64>, f64),
    /// No more may be spent.
    Spent,
    /// The user wants to stop.
    Interrupted,
}

/// Executes the steps of one session.
pub(super) struct Driver<'a, 'b> {
    pub(super) context: &'a mut Context<'b>,
    pub(super) question: &'a Question,
    pub(super) run: Run,
    pub(super) bisection: Bisection,
    pub(super) fold: Fold,
    pub(super) ready: PreparedTrials,
    pub(super) quiet: Quiet,
    pub(super) deadline: Deadline,
    /// Seconds of a build that the deadline ended.
    cut_off: f64,
    pub(super) samples: usize,
    /// The present disturbance.
    pub(super) under: Option<Disturbance>,
    pub(super) layouts: Vec<Layout>,
    /// The earlier end as it was named, where it is no candidate.
    aside: Option<Revision>,
}

impl<'a, 'b> Driver<'a, 'b> {
    /// Starts at the bisection's present state: empty, or as an earlier session left it.
    pub(super) fn new(
        context: &'a mut Context<'b>,
        question: &'a Question,
        run: Run,
        bisection: Bisection,
    ) -> Result<Self, ExperimentError> {
        let mut fold = Fold::new(&bisection.asked, &bisection.candidates);
        for observed in context.store.observed(run.number)? {
            fold.observe(&observed);
        }
        context.store.begin_session(run.number, moment(context.executor.now()))?;
        let unread: Vec<Absence> = context.executor.unread().iter().map(absence).collect();
        context.store.put_unread(run.number, &unread)?;
        let quiet = Quiet::new(run.rule.quiet_wait, &context.store.waits(run.number)?);
        let ready = PreparedTrials::of_run(context.store, &run, &bisection.asked.benchmark)?;
        let (under, layouts, aside) = (None, Vec::new(), None);
        let spent = fold.spent.0 + fold.spent.1;
        let deadline = Deadline::new(bisection.asked.own_budget(), spent, context.executor.now());
        Ok(Self {
            context,
            question,
            run,
            bisection,
            fold,
            ready,
            quiet,
            deadline,
            cut_off: 0.0,
            samples: 0,
            under,
            layouts,
            aside,
        })
    }

    /// With the orders of linking to probe with, and the end that is no candidate.
    pub(super) fn with(self, inquiry: &Inquiry) -> Self {
        Self { layouts: inquiry.layouts.clone(), aside: inquiry.aside.clone(), ..self }
    }

    /// All steps until it is decided, interrupted or no more may be spent.
    pub(super) fn all(mut self) -> Result<BisectionResult, ExperimentError> {
        let ended = self.steps();
        self.ready.clean_up(self.context.executor, self.context.observer);
        let (spent, interrupted) = match ended? {
            None => (false, false),
            Some(StepAttempt::Spent) => (true, false),
            Some(_) => (false, true),
        };
        self.update_state(spent)?;
        let BisectionState { found, sides, .. } = &self.bisection.standing;
        let is_open = |found: &BisectionEnd| {
            matches!(
                found,
                BisectionEnd::Undecided {
                    reason: UndecidedReason::Budget | UndecidedReason::Noise
                }
            )
        };
        // With more to spend, the same question goes on.
        let goes_on = interrupted
            || found.as_ref().is_some_and(is_open)
            || sides.iter().any(|side| is_open(&side.found))
            || self.fold.left_out == SkippedState::Spent;
        if !goes_on {
            let facts = end_facts(self.context, self.run.number)?;
            self.context.store.add_conditions(self.run.number, facts)?;
            self.context.store.seal(self.run.number)?;
            self.context.store.finish_run(self.run.number, self.context.executor.now())?;
        }
        Ok(BisectionResult {
            bisection: self.bisection,
            interrupted,
            samples: self.samples,
            known: false,
        })
    }

    /// Executes steps until there are no more. Returns the attempt that stopped it earlier, if any.
    fn steps(&mut self) -> Result<Option<StepAttempt>, ExperimentError> {
        self.update_state(false)?;
        self.take_up_known_builds()?;
        while let Some((place, samples)) = self.fold.next() {
            if self.context.interrupt.load(Ordering::Relaxed) {
                return Ok(Some(StepAttempt::Interrupted));
            }
            match self.step_in_time(place, samples)? {
                StepAttempt::Seen(seen, build, executing) => {
                    self.keep(place, seen, build, executing)?;
                }
                StepAttempt::Spent if place == self.fold.aside_place() => {
                    self.fold.give_up_aside();
                    self.update_state(false)?;
                }
                // The culprits named before the additional questions remain.
                StepAttempt::Spent if self.fold.leave_out(SkippedState::Spent) => {
                    self.update_state(false)?;
                }
                stopped => return Ok(Some(stopped)),
            }
        }
        while let Some((place, under)) = self.fold.next_probe() {
            if self.context.interrupt.load(Ordering::Relaxed) {
                return Ok(Some(StepAttempt::Interrupted));
            }
            if self.is_late() {
                return Ok(Some(StepAttempt::Spent));
            }
            match self.disturbed(place, under)? {
                StepAttempt::Seen(seen, build, executing) => {
                    self.under = Some(under);
                    let kept = self.keep(place, seen, build, executing);
                    self.under = None;
                    kept?;
                }
                stopped => return Ok(Some(stopped)),
            }
        }
        Ok(None)
    }

    /// Includes the store's builds of candidates that are the same program as the one before: such
    /// a commit is no suspect. If all changes are requested, it includes those where the program
    /// changes too: then candidates between two of the same program do not count as that program.
    fn take_up_known_builds(&mut self) -> Result<(), ExperimentError> {
        let asked = &self.bisection.asked;
        if asked.of == ValueSource::Build || !asked.within.is_empty() {
            return Ok(());
        }
        let is_all = asked.all;
        let (mut known, mut last) = (Vec::new(), None);
        for place in 0..self.fold.candidates().len() {
            let revision = self.fold.name(place).to_owned();
            let recipe = self.question.recipes.of(&revision);
            let build = self.context.store.build(self.context.host, &revision, recipe)?;
            known.push(build.and_then(|build| build.state.artifact()));
        }
        // Equal ends need no suspects.
        if !is_all && known.first() == known.last() {
            return Ok(());
        }
        for (place, artifact) in known.iter().enumerate() {
            let Some(artifact) = *artifact else { continue };
            let is_change = last.replace(artifact) != Some(artifact);
            let beside = [place.checked_sub(1), Some(place + 1)].into_iter().flatten();
            let is_equal = beside.filter_map(|at| *known.get(at)?).any(|it| it == artifact);
            if (is_equal || is_all && is_change) && self.fold.artifact(place).is_none() {
                self.keep(place, StepResult::Built { artifact }, None, 0.0)?;
            }
        }
        Ok(())
    }

    /// Keeps a step before anything else happens, and what is believed now.
    fn keep(
        &mut self,
        place: usize,
        seen: StepResult,
        build: Option<f64>,
        executing: f64,
    ) -> Result<(), ExperimentError> {
        let observed = BisectionStep {
            number: self.fold.next_number(),
            at: moment(self.context.executor.now()),
            revision: self.fold.name(place).to_owned(),
            build,
            executing,
            under: self.under,
            seen,
        };
        self.context.store.put_observed(self.run.number, &observed)?;
        self.fold.observe(&observed);
        self.update_state(false)
    }

    /// Keeps and reports how far it has come; `spent`: it ends here.
    fn update_state(&mut self, spent: bool) -> Result<(), ExperimentError> {
        let now = moment(self.context.executor.now());
        self.bisection.standing =
            if spent { self.fold.spent(now) } else { self.fold.standing(now) };
        self.bisection.standing.building += self.cut_off;
        if self.bisection.candidates == self.fold.candidates() {
            self.context.store.put_standing(self.run.number, &self.bisection.standing)?;
        } else {
            self.bisection.candidates = self.fold.candidates().to_vec();
            self.context.store.put_bisection(&self.bisection)?;
        }
        self.context.observer.note(&Event::Believed { bisection: &self.bisection });
        Ok(())
    }

    /// Whether the time limit is reached, counted from the beginning of this session.
    pub(super) fn is_late(&mut self) -> bool {
        self.deadline.is_over(moment(self.context.executor.now()))
    }

    /// The step, unless the time is over.
    fn step_in_time(
        &mut self,
        place: usize,
        samples: usize,
    ) -> Result<StepAttempt, ExperimentError> {
        if self.is_late() { Ok(StepAttempt::Spent) } else { self.step(place, samples) }
    }

    /// Builds a candidate if it is not built, else takes this number of samples of it.
    fn step(&mut self, place: usize, samples: usize) -> Result<StepAttempt, ExperimentError> {
        let of = self.bisection.asked.of;
        if of == ValueSource::Build {
            return self.time_build(place);
        }
        let Some(artifact) = self.fold.artifact(place) else { return self.build(place) };
        if of == ValueSource::Artifacts {
            return self.size(place, samples);
        }
        match self.unpack(place, artifact)? {
            UnpackResult::Folder(folder) => self.portion(place, samples, artifact, &folder),
            UnpackResult::Interrupted => Ok(StepAttempt::Interrupted),
            // Samples from here on are of another program.
            UnpackResult::Otherwise(state) => Ok(StepAttempt::Seen(built(&state), None, 0.0)),
        }
    }

    pub(super) fn revision(&self, place: usize) -> Revision {
        match (self.bisection.candidates.get(place), &self.aside) {
            (Some(candidate), _) => candidate.revision.clone(),
            (None, Some(aside)) => aside.clone(),
            (None, None) => Revision::bare(self.fold.name(place)),
        }
    }

    /// Whether another build may be made.
    pub(super) fn may_build(&self) -> bool {
        self.bisection.asked.own_builds().is_none_or(|most| self.fold.builds < most)
    }

    /// The build of a candidate, made now unless it exists.
    fn build(&mut self, place: usize) -> Result<StepAttempt, ExperimentError> {
        let revision = self.revision(place);
        let before = self.context.store.build(
            self.context.host,
            &revision.id,
            self.question.recipes.of(&revision.id),
        )?;
        let stays = |build: &Build| match &build.state {
            state if was_not_fetched(state) => false,
            state => state.artifact().is_some() || !self.question.retry_failed,
        };
        if let Some(build) = before.filter(stays) {
            return Ok(StepAttempt::Seen(built(&build.state), None, 0.0));
        }
        Ok(match self.make(&revision)? {
            Ok(build) => StepAttempt::Seen(built(&build.state), seconds_of(&build), 0.0),
            Err(stopped) => stopped,
        })
    }

    /// Builds a revision, whether it was built before or not.
    fn make(&mut self, revision: &Revision) -> Result<Result<Build, StepAttempt>, ExperimentError> {
        if !self.may_build() {
            return Ok(Err(StepAttempt::Spent));
        }
        self.context.builder.keep(&self.fold.needed());
        let number = self.fold.builds;
        let (now, interrupt) = (self.context.executor.now(), self.context.interrupt);
        let (build, was_late) = self.deadline.interrupts(now, interrupt, || {
            self.context.builds(self.question).one(revision, number, number + 1)
        });
        let build = build?;
        if was_late && build.is_none() {
            self.cut_off = self.context.executor.now().duration_since(now).as_secs_f64();
        }
        Ok(build.ok_or(if was_late { StepAttempt::Spent } else { StepAttempt::Interrupted }))
    }

    pub(super) fn unpack(
        &mut self,
        place: usize,
        artifact: Digest,
    ) -> Result<UnpackResult, ExperimentError> {
        self.context.builder.keep(&self.fold.needed());
        let (revision, number) = (self.revision(place), self.fold.builds);
        self.context.builds(self.question).unpack_one((&revision, artifact), number, number + 1)
    }

    /// One sample of how long a build takes: one build.
    fn time_build(&mut self, place: usize) -> Result<StepAttempt, ExperimentError> {
        let revision = self.revision(place);
        Ok(match self.make(&revision)? {
            Err(stopped) => stopped,
            Ok(build) => {
                let seconds = build.took.as_secs_f64();
                match built(&build.state) {
                    StepResult::Built { .. } => {
                        self.samples += 1;
                        let values = vec![build.took.as_nanos() as f64];
                        StepAttempt::Seen(StepResult::of_values(values), None, seconds)
                    }
                    seen => StepAttempt::Seen(seen, seconds_of(&build), 0.0),
                }
            }
        })
    }

    /// The size of a candidate's artifacts, which is the same however often it is read.
    fn size(&mut self, place: usize, samples: usize) -> Result<StepAttempt, ExperimentError> {
        let revision = self.revision(place);
        let build = self.context.store.build(
            self.context.host,
            &revision.id,
            self.question.recipes.of(&revision.id),
        )?;
        let Some(BuildState::Built { size, .. }) = build.map(|build| build.state) else {
            let why = "its build is not kept any more";
            return Ok(StepAttempt::Seen(
                StepResult::Unusable(LackOfValues::of_build(None, why)),
                None,
                0.0,
            ));
        };
        self.samples += samples;
        let values = vec![size as f64; samples];
        Ok(StepAttempt::Seen(StepResult::of_values(values), None, 0.0))
    }
}

/// The seconds of a build; `None` if a quirk skipped it, since then nothing was built.
fn seconds_of(build: &Build) -> Option<f64> {
    let is_made = !matches!(build.state, BuildState::Skipped { .. });
    is_made.then_some(build.took.as_secs_f64())
}

/// The step's result for a build.
pub(super) fn built(state: &BuildState) -> StepResult {
    StepResult::Unusable(match state {
        BuildState::Built { artifact, .. } => return StepResult::Built { artifact: *artifact },
        BuildState::Failed { why, cause } => LackOfValues::of_build(*cause, why),
        BuildState::Skipped { why } => LackOfValues::new(UnusableKind::Skipped, why),
        BuildState::TimedOut { limit } => {
            let why = format!("its build took longer than {} s", limit.as_secs_f64());
            LackOfValues::of_build(None, &why)
        }
    })
}
