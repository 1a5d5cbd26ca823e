//! A long history looked through with few builds: what is built next follows from all that is known
//! so far.
//!
//! Batch after batch: what the store knows becomes [surveys](tacho_stats::survey), one a benchmark;
//! what they ask for is built, then measured in one run, together with both sides of each place, so
//! that they meet the same machine. Nothing is kept but builds, runs and samples: interrupted or
//! killed, the same question goes on with the batch that was under way.

mod edges;
mod findings;
mod known;
pub(crate) mod outcome;
mod reported;
#[cfg(test)]
mod tests;

pub use outcome::{SurveyOutcome, SurveyRequest, SurveyedBenchmark, least_of_survey};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::Instant;

use tacho_record::{Cell, Digest, Purpose, Rule, Run};
use tacho_report::survey::SurveyEnd;
use tacho_stats::survey::{Batch, Survey, SurveyRules, batch};
use tacho_store::MeasurementId;

use crate::pending::converged::ConvergedCells;
use crate::run::prepare::{Preparation, ResumedRun, first_metric, prepare_trial};
use crate::run::rounds::measure;
use crate::run::session::{SampleDemand, SessionCell};
use crate::track::check;
use crate::{Context, Event, ExperimentError, Question};
pub(crate) use edges::EnvironmentEdge;
use known::SurveyFacts;
pub use reported::{ReportedPlace, reported};

/// The digest of all that identifies the question: the way of measuring, the subject, and the size
/// of changes to find. The budget is no part of it.
fn digest(question: &Question, goal: &SurveyRequest) -> Digest {
    let revisions: Vec<&str> =
        question.revisions.iter().map(|revision| revision.id.as_str()).collect();
    let rule = Rule { budget: None, ..question.rule().clone() };
    let recipes = question.recipes.together(revisions.iter().copied());
    let how = (
        &question.plan.benchmarks,
        rule,
        recipes,
        revisions,
        (goal.least, goal.zoom, &goal.metric),
    );
    // Only a number that JSON cannot write has no text, and plans refuse those.
    Digest::of(format!(
        "survey\n{}",
        serde_json::to_string(&how).unwrap_or_else(|_| format!("{how:?}"))
    ))
}

/// Looks for the changes among the question's revisions, until each is pinned to one of them, or
/// builds or time are spent.
pub fn place(
    context: &mut Context<'_>,
    question: &Question,
    goal: &SurveyRequest,
) -> Result<SurveyOutcome, ExperimentError> {
    check(context, question)?;
    let digest = digest(question, goal);
    let mut placed = SurveyOutcome::nothing();
    let mut before = None;
    loop {
        let known = SurveyFacts::read(context, question, (digest, goal), &placed)?;
        placed.surveyed = known.surveyed(question, &rules(question, goal, &known));
        (placed.made, placed.tracked.builds) = (known.made, known.builds());
        context.observer.note(&Event::Surveyed { surveyed: &placed.surveyed, builds: placed.made });
        let asked = (digest, question.plan.measure.link);
        let next = context.next(&placed.surveyed, asked, left(goal, &known), &known)?;
        let so_far = Some((placed.tried, placed.tracked.samples));
        let ended = if next.is_empty() {
            Some(why(goal, &known, &placed))
        } else if so_far == before {
            Some(SurveyEnd::Unsettled)
        } else {
            let done = context.batch(question, &next, digest, (goal, &known), &mut placed)?;
            (!done).then_some(SurveyEnd::Interrupted)
        };
        if let Some(ended) = ended {
            placed.ended = ended;
            placed.tracked.interrupted = ended == SurveyEnd::Interrupted;
            placed.tracked.unsettled = ended == SurveyEnd::Unsettled;
            known.describe_edges(context.store, question, &mut placed.surveyed)?;
            return Ok(placed);
        }
        before = so_far;
    }
}

/// How densely is looked at first: as many builds as there may be decide, or as many as there is
/// time for.
fn rules(question: &Question, goal: &SurveyRequest, known: &SurveyFacts) -> SurveyRules {
    let in_time = goal.budget.map(|budget| {
        let each = known.spent.checked_div(u32::try_from(known.made).unwrap_or(u32::MAX));
        each.filter(|each| !each.is_zero())
            .map_or(2, |each| whole(budget.as_secs_f64() / each.as_secs_f64()))
    });
    let most = [goal.builds, in_time].into_iter().flatten().min();
    let rules = SurveyRules::new(goal.least, question.revisions.len(), most)
        .in_rounds(question.plan.measure.rule.min_rounds as usize);
    goal.zoom.map_or(rules, |(first, last)| SurveyRules { grid: 2, ..rules }.zoomed(first, last))
}

/// How many more builds there may be; 0 when the time is spent.
fn left(goal: &SurveyRequest, known: &SurveyFacts) -> usize {
    let builds = goal.builds.map(|most| most.saturating_sub(known.made));
    let in_time = goal.budget.map(|budget| {
        let time = budget.saturating_sub(known.spent);
        match known.spent.checked_div(u32::try_from(known.made).unwrap_or(u32::MAX)) {
            _ if time.is_zero() => 0,
            // A step that began is completed: one that will take longer than the remaining time
            // still begins.
            Some(each) if !each.is_zero() => whole(time.as_secs_f64() / each.as_secs_f64()).max(1),
            // Both ends, which say how long one takes.
            _ => 2,
        }
    });
    [builds, in_time].into_iter().flatten().min().unwrap_or(usize::MAX)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small positive number
fn whole(number: f64) -> usize {
    number.clamp(0.0, 1e6) as usize
}

fn why(goal: &SurveyRequest, known: &SurveyFacts, placed: &SurveyOutcome) -> SurveyEnd {
    let asks = placed.surveyed.iter().any(|one| !one.survey.asks.is_empty());
    let is_unseen = placed.surveyed.iter().any(|one| one.survey.unseen.is_some());
    match (asks, goal.budget) {
        (false, _) if is_unseen => SurveyEnd::Noise,
        (false, _) => SurveyEnd::Known,
        (true, Some(budget)) if known.spent >= budget => SurveyEnd::Budget,
        (true, _) => SurveyEnd::Builds,
    }
}

impl Context<'_> {
    /// The next batch: the one under way, otherwise the requested one, as far as the budget has
    /// builds left.
    fn next(
        &mut self,
        surveyed: &[SurveyedBenchmark],
        (digest, link): (Digest, u32),
        left: usize,
        known: &SurveyFacts,
    ) -> Result<Batch, ExperimentError> {
        if let Some(run) = self.store.unfinished_run(digest, self.host)? {
            let cells = self.store.cells(run.number)?;
            return Ok(Batch {
                build: known.places(cells.iter().map(|(_, cell)| cell)),
                again: vec![],
            });
        }
        let surveys: Vec<Survey> = surveyed.iter().map(|one| one.survey.clone()).collect();
        if left == 0 {
            return Ok(Batch::default());
        }
        let mut next = batch(&surveys, left);
        next.again.extend(known.links(&next, link));
        Ok(next)
    }

    /// Builds and measures what is next; false when interrupted.
    fn batch(
        &mut self,
        question: &Question,
        next: &Batch,
        digest: Digest,
        (goal, known): (&SurveyRequest, &SurveyFacts),
        placed: &mut SurveyOutcome,
    ) -> Result<bool, ExperimentError> {
        let batch: BTreeSet<usize> = next.build.iter().chain(&next.again).copied().collect();
        let revisions = batch.iter().map(|&place| question.revisions[place].clone()).collect();
        let mut question = Question { revisions, ..question.clone() };
        let time = goal.budget.map(|budget| budget.saturating_sub(known.spent));
        let rule = &mut question.plan.measure.rule;
        rule.budget = [time, rule.budget].into_iter().flatten().min();
        let began = Instant::now();
        placed.tried += next.build.iter().filter(|place| !known.is_built(**place)).count();
        let builds = self.builds(&question).all(&question.revisions, false)?;
        placed.tracked.building += began.elapsed();
        let Some(builds) = builds else { return Ok(false) };
        let again: Vec<&str> =
            next.again.iter().map(|&place| known.revisions[place].id.as_str()).collect();
        let cells = known.cells(&question, &builds, &again);
        let began = Instant::now();
        let prepared = self.prepare_batch(&question, digest, cells)?;
        placed.tracked.building += began.elapsed();
        match prepared {
            Preparation::Interrupted => Ok(false),
            Preparation::NothingToDo | Preparation::Changed => Ok(true),
            Preparation::Ready(session) => {
                let measured = measure(self, &session)?;
                placed.tracked.run = Some(session.run.number);
                placed.tracked.samples += measured.samples;
                placed.tracked.executing += measured.executing;
                Ok(!measured.interrupted)
            }
        }
    }

    /// The run that was under way, else one of these cells.
    fn prepare_batch(
        &mut self,
        question: &Question,
        digest: Digest,
        cells: Vec<Cell>,
    ) -> Result<Preparation, ExperimentError> {
        match self.take_up(question, digest)? {
            ResumedRun::Interrupted => return Ok(Preparation::Interrupted),
            ResumedRun::Run { run, cells, folders } => {
                return self.session_of_batch(question, *run, cells, &folders);
            }
            ResumedRun::None => {}
        }
        if cells.is_empty() {
            return Ok(Preparation::NothingToDo);
        }
        let Some(folders) = self.unpack(question, cells.iter())? else {
            return Ok(Preparation::Interrupted);
        };
        let cells: Vec<Cell> =
            cells.into_iter().filter(|cell| folders.contains_key(&cell.artifact)).collect();
        if cells.is_empty() {
            return Ok(Preparation::Changed);
        }
        let (run, cells) = self.begin_run(Purpose::Track, digest, question, cells)?;
        self.session_of_batch(question, run, cells, &folders)
    }

    fn session_of_batch(
        &mut self,
        question: &Question,
        run: Run,
        cells: Vec<(MeasurementId, Cell)>,
        folders: &HashMap<Digest, PathBuf>,
    ) -> Result<Preparation, ExperimentError> {
        let settled = ConvergedCells::read(self.store, self.host, question)?;
        let mut ready = Vec::with_capacity(cells.len());
        for (id, cell) in cells {
            let before = self.store.samples(id)?;
            let layouts = self.layouts_of(question, &cell)?;
            let trial =
                prepare_trial(question, run.seed, &cell, (&folders[&cell.artifact], layouts))?;
            let (metric, elsewhere) = settled.elsewhere(&cell, run.number);
            // Repeated cells get the same rounds as new ones, however precisely they are known.
            let metric = metric.filter(|_| elsewhere.values.is_empty());
            let steady = first_metric(question, &cell);
            let wanted = SampleDemand { enough: cell.rounds, needed: 0, metric, elsewhere, steady };
            ready.push(SessionCell { id, cell, trial, wanted, before });
        }
        Ok(Preparation::ready(run, ready, question))
    }
}
