//! `tacho probe`: one program or two, as usual and under one disturbance of the machine at a time.
//!
//! In each round both programs are executed next to each other in each state: as usual, and under
//! each disturbance. States are in a fresh random order each round. Once a disturbance is decided,
//! it is left out of later rounds. Bisections use the same disturbances for verified culprits.
//!
//! ```text
//! topology    which processors are threads of which cores
//! available   which disturbances can be had here
//! of_culprit  which of them a bisection takes
//! apply       what a disturbance changes of an execution
//! frequency   the clock fixed                 storage     builds on another file system
//! sides       what is executed in each state  stopping    when a disturbance is decided
//! answer      rows, from samples and terms    sentence    what they mean, in one sentence
//! ```

mod answer;
mod apply;
mod available;
pub(crate) mod frequency;
mod of_culprit;
mod request;
mod sentence;
mod sides;
mod stopping;
mod storage;
#[cfg(test)]
mod tests;
mod topology;

use std::time::{Duration, Instant};

use tacho_machine::Root;
use tacho_record::{Digest, Probing, Purpose, ReferenceMode, Run, RunState, Sample};
use tacho_store::Store;

use crate::compare::{ReadySides, SideExecutable};
use crate::run::rounds::{SessionResult, measure_until};
use crate::run::session::Session;
use crate::{Context, ExperimentError, Question, preflight};

pub(crate) use answer::probed_rows;
pub use answer::{ProbeFinding, ProbeRow, ProbeVerdict};
pub(crate) use apply::{disturber, under};
pub use available::{Availability, ProbeSubject, availability};
pub use of_culprit::{NO_OTHER_ORDERS, disturbances_of_culprit, other_orders};
pub use request::ProbeRequest;
pub use sentence::sentence;

/// The result of a probe.
#[derive(Clone, Debug)]
pub enum ProbeEnd {
    /// A side is not available: which, and why.
    NotBuilt {
        /// Its name.
        side: String,
        /// Why not.
        why: String,
    },
    /// No disturbance is left.
    NothingToDo(Probing),
    /// They were measured.
    Measured(Box<ProbeAnswer>),
    /// The user stopped it before anything was measured.
    Interrupted,
}

/// The measurements of a probe.
#[derive(Clone, Debug)]
pub struct ProbeAnswer {
    /// The run.
    pub run: Run,
    /// The terms.
    pub terms: Probing,
    /// Whether it was stopped before it was done: the samples are then those so far.
    pub interrupted: bool,
    /// Time spent in executions, hooks included, if they were done just now.
    pub executing: Option<Duration>,
    /// One a benchmark.
    pub rows: Vec<ProbeRow>,
}

/// Probes programs on the machine whose files are at that root. After an interruption the same
/// question resumes where it stopped.
pub fn probe(
    context: &mut Context<'_>,
    question: &Question,
    request: &ProbeRequest,
    root: &Root,
) -> Result<ProbeEnd, ExperimentError> {
    // A wait for a quiet host would wait for the probe's own disturbances to end.
    let mut question = question.clone();
    question.plan.measure.rule.quiet_wait = None;
    preflight::check(context, &question)?;
    context.put_metrics(&question.plan)?;
    context.store.put_revisions(&question.revisions)?;
    let programs: Vec<_> = sides::programs(&request.sides);
    let ready = match context.make_ready(&question, &programs.iter().collect::<Vec<_>>())? {
        ReadySides::Interrupted => return Ok(ProbeEnd::Interrupted),
        ReadySides::Not { side, why, .. } => return Ok(ProbeEnd::NotBuilt { side, why }),
        ReadySides::Sides(ready) => ready,
    };
    let Some(terms) = sides::terms(context, &question, request, (&ready, root))? else {
        return Ok(ProbeEnd::Interrupted);
    };
    if terms.under.is_empty() {
        return Ok(ProbeEnd::NothingToDo(terms));
    }
    // Builds that were moved are removed with this, and settings of the clock put back.
    let mut held = sides::HeldStates::default();
    let session = context.session_of_probe(&question, &terms, (&ready, root), &mut held)?;
    let terms = context.store.probing(session.run.number)?.unwrap_or(terms);
    let began = Instant::now();
    let mut until = stopping::ProbeStopping::of_session(&terms, &session);
    let SessionResult { interrupted, .. } = measure_until(context, &session, &mut until)?;
    let run = context.store.run(session.run.number)?.unwrap_or(session.run);
    let rows = kept_rows(context.store, &run, &terms)?;
    let executing = Some(began.elapsed());
    Ok(ProbeEnd::Measured(Box::new(ProbeAnswer { run, terms, interrupted, executing, rows })))
}

/// The probe of a run, judged again from its samples; `None` if the run was no probe.
pub fn kept_probe(store: &mut Store, run: Run) -> Result<Option<ProbeAnswer>, ExperimentError> {
    let Some(terms) = store.probing(run.number)? else { return Ok(None) };
    let rows = kept_rows(store, &run, &terms)?;
    let interrupted = run.state != RunState::Finished;
    Ok(Some(ProbeAnswer { run, terms, interrupted, executing: None, rows }))
}

fn kept_rows(
    store: &mut Store,
    run: &Run,
    terms: &Probing,
) -> Result<Vec<ProbeRow>, ExperimentError> {
    let mut samples: Vec<Vec<Sample>> = Vec::new();
    for (id, _) in store.cells(run.number)? {
        samples.push(store.samples(id)?);
    }
    Ok(probed_rows(terms, run.rounds, &samples))
}

/// The digest of all that identifies the question, without the amount of little memory, which may
/// vary.
fn digest(question: &Question, terms: &Probing) -> Digest {
    let revisions = terms.sides.iter().filter_map(|it| it.side.program.revision());
    let names: Vec<(&str, Option<u32>)> =
        terms.under.iter().map(|it| (it.name(), it.number())).collect();
    let recipes = question.recipes.together(revisions);
    let what = (&terms.sides, &terms.rows, terms.margin, names);
    let how = ("probe", &question.plan.benchmarks, question.rule(), recipes, what);
    Digest::of_json(&how)
}

impl Context<'_> {
    /// The interrupted run of the same question, else a new one, ready to measure.
    fn session_of_probe(
        &mut self,
        question: &Question,
        terms: &Probing,
        (ready, root): (&[SideExecutable], &Root),
        held: &mut sides::HeldStates,
    ) -> Result<Session, ExperimentError> {
        let digest = digest(question, terms);
        let cells = sides::cells(question, terms, ready);
        let (run, cells) = if let Some(begun) = self.resumed_run(question, digest, &cells)? {
            begun
        } else {
            let begun = self.begin_run(Purpose::Probe, digest, question, cells)?;
            self.store.put_probing(begun.0.number, terms)?;
            begun
        };
        // As it began.
        let terms = self.store.probing(run.number)?.unwrap_or_else(|| terms.clone());
        held.clocks = frequency::clocks(root, &terms)
            .map_err(|error| ExperimentError::Setting { why: error.to_string() })?;
        let all = self.ready_cells(cells, |at, cell| {
            sides::trial(question, &terms, (ready, root), (at, cell, run.seed), held)
        })?;
        let groups = (0..all.len()).map(|at| at / terms.sides.len()).collect();
        let reference = ReferenceMode::Off;
        Ok(Session { run, cells: all, duet: None, reference, groups: Some(groups) })
    }
}
