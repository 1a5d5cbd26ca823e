//! `tacho compare`: two programs beside one another, and the first a second time.
//!
//! The second time is the control: the difference of a program from itself is the noise of this
//! host today. The samples are kept under a run of their own with the terms of the comparison, and
//! are no part of any series.
//!
//! ```text
//! resolved_side  a side as it was named, and what it was taken for
//! report_rows    what is compared where a side is a file of another tool
//! comparability  what must be alike at both sides where one is not measured today
//! cells          what is executed for each row, side by side
//! sides          makes both sides executable
//! rounds         says when a benchmark needs no more rounds
//! sampled        the samples of each side
//! earlier_sides  sides of earlier runs and of files
//! judge          judges the rows, from samples and terms alone
//! family         which rows are judged together
//! gate           what the user wants it to fail on
//! gate_record    how that came out, as it is kept
//! ```

mod cells;
mod comparability;
#[cfg(test)]
mod duet_tests;
mod earlier_sides;
mod family;
mod gate;
mod gate_record;
mod judge;
mod quirks;
mod report_rows;
mod resolved_side;
mod rounds;
mod row;
mod sampled;
mod sides;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod unbiased_tests;

pub use crate::compare::row::COMMAND;
pub use crate::compare::row::FALSE_DISCOVERIES;
pub use cells::rows_of;
pub use comparability::{KnownSides, in_versions_of, measured_only_then};
pub use family::judged_together;
pub use gate::{Gate, RowAtGate};
pub use gate_record::{gate_record, why_open};
pub use judge::judge;
pub use quirks::quirk_effects;
pub use report_rows::{ReportMismatch, ReportRows, rows_of_report, rows_of_reports};
pub use resolved_side::{ResolvedSide, earlier_program, start_alike};
pub use sampled::{SideSamples, loads, sampled};
pub(crate) use sides::{ReadySides, SideExecutable, command_trial};

use std::time::Duration;

use rounds::Sequential;
use tacho_record::{Cell, Comparing, Digest, Purpose, Run};
use tacho_report::comparison::{CarriedOver, ComparedRow};
use tacho_report::host::HostLoad;
use tacho_store::Store;

use crate::analysis::carry_over::{CarryOver, ProgramSamples};
use crate::build::layouts::LayoutsResult;
use crate::run::elapsed::took;
use crate::run::rounds::{SessionResult, measure_until};
use crate::run::session::Session;
use crate::trial::duet::why_not_at_once;
use crate::{Context, ExperimentError, Question, preflight};

/// The result of a comparison.
#[derive(Clone, Debug)]
pub enum ComparisonResult {
    /// Both built to the same artifacts: they are the same program, and nothing was measured.
    SameProgram,
    /// A side is not available: which, and why.
    NotBuilt {
        /// Its name.
        side: String,
        /// Why not.
        why: String,
        /// Whether its own build failed, so that `tacho show` has the log.
        has_log: bool,
    },
    /// They were measured.
    Measured(Box<ComparisonData>),
    /// The user stopped it before anything was measured.
    Interrupted,
}

impl ComparisonResult {
    /// The error for a side whose layouts were not built, by the reason.
    #[must_use]
    pub fn not_laid_out(side: &str, ended: &LayoutsResult) -> Self {
        match ended.why_not_built() {
            Some(why) => Self::NotBuilt { side: side.to_owned(), why, has_log: false },
            None => Self::Interrupted,
        }
    }

    /// Whether the user stopped it.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        match self {
            Self::Interrupted => true,
            Self::Measured(all) => all.interrupted,
            Self::NotBuilt { .. } | Self::SameProgram => false,
        }
    }

    /// The run that measured both sides, if one did.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        match self {
            Self::Measured(rows) => rows.run.as_ref(),
            Self::Interrupted | Self::NotBuilt { .. } | Self::SameProgram => None,
        }
    }
}

/// The measurements.
#[derive(Clone, Debug)]
pub struct ComparisonData {
    /// The run, if there is one.
    pub run: Option<Run>,
    /// On which terms.
    pub terms: Comparing,
    /// Whether it was stopped before it was done: the samples are then those so far.
    pub interrupted: bool,
    /// Time spent in executions, hooks included, if they were done just now.
    pub executing: Option<Duration>,
    /// One a benchmark and metric.
    pub rows: Vec<ComparedRow>,
    /// How many rows were judged together: more than these where only some are to be shown.
    pub together: usize,
    /// After which program what is executed differs, if that is seen.
    pub carried: Option<CarriedOver>,
    /// How busy the host was with other things, by run, where that is to be reported.
    pub loads: Vec<(i64, HostLoad)>,
}

impl ComparisonData {
    /// The data of sides without executions: there is no run.
    fn of(terms: &Comparing, rows: Vec<ComparedRow>, loads: Vec<(i64, HostLoad)>) -> Self {
        let (together, terms) = (judged_together(&rows), terms.clone());
        Self {
            run: None,
            terms,
            interrupted: false,
            executing: None,
            rows,
            together,
            carried: None,
            loads,
        }
    }
}

/// Builds what has to be built and measures both sides, interleaved.
///
/// The question's revisions are those that the sides name; its plan says what is executed, unless
/// the sides are commands, which are executed in the plan's folder. After an interruption the same
/// question on the same terms resumes where it stopped.
pub fn compare(
    context: &mut Context<'_>,
    question: &Question,
    terms: &Comparing,
) -> Result<ComparisonResult, ExperimentError> {
    let several = question.revisions.len() > 1 || !terms.patches.is_empty();
    preflight::check_for(context, question, several)?;
    check_at_once(question, terms)?;
    context.put_metrics(&question.plan)?;
    context.store.put_revisions(&question.revisions)?;
    if !terms.executes(0) && !terms.executes(1) {
        return unexecuted(context.store, terms);
    }
    let sides = match context.sides(question, terms)? {
        ReadySides::Interrupted => return Ok(ComparisonResult::Interrupted),
        ReadySides::Not { side, why, has_log } => {
            return Ok(ComparisonResult::NotBuilt { side, why, has_log });
        }
        ReadySides::Sides(sides) => sides,
    };
    let (a, b) = sides.split_at(sides.iter().take_while(|executable| executable.of == 0).count());
    if a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same_program(b)) {
        return Ok(ComparisonResult::SameProgram);
    }
    let session = context.session_of_sides(question, terms, &sides)?;
    let mut until = Sequential::of_session(terms, &session);
    let SessionResult { interrupted, .. } = measure_until(context, &session, &mut until)?;
    let run = context.store.run(session.run.number)?.unwrap_or(session.run);
    // With the time of sessions before this one.
    let executing = took(context.store, &run)?;
    let rows = judged(context.store, &run, terms)?;
    let carried = carried_over(context.store, &run, terms)?;
    let loads = loads(context.store, Some(&run), terms)?;
    let (run, terms, together) = (Some(run), terms.clone(), judged_together(&rows));
    let rows =
        ComparisonData { run, terms, interrupted, executing, rows, together, carried, loads };
    Ok(ComparisonResult::Measured(Box::new(rows)))
}

/// Compares sides of which none is executed, by the samples in the store and in files. The store is
/// only read.
pub fn unexecuted(
    store: &mut Store,
    terms: &Comparing,
) -> Result<ComparisonResult, ExperimentError> {
    let rows = earlier_sides::judged(store, None, terms)?;
    let loads = loads(store, None, terms)?;
    Ok(ComparisonResult::Measured(Box::new(ComparisonData::of(terms, rows, loads))))
}

/// Checks that the sides can be executed at the same time, if requested.
fn check_at_once(question: &Question, terms: &Comparing) -> Result<(), ExperimentError> {
    let is_compared = |name: &str| terms.rows.iter().any(|(key, _)| key.name == name);
    let compared =
        question.plan.benchmarks.iter().filter(|it| terms.duet.is_some() && is_compared(&it.name));
    let refused = compared.into_iter().find_map(|it| Some((it.name.clone(), why_not_at_once(it)?)));
    refused.map_or(Ok(()), |(benchmark, why)| Err(ExperimentError::NotAtOnce { benchmark, why }))
}

/// The rows of a run that compares, from its samples.
pub fn judged(
    store: &mut Store,
    run: &Run,
    terms: &Comparing,
) -> Result<Vec<ComparedRow>, ExperimentError> {
    if !(terms.executes(0) && terms.executes(1)) {
        return earlier_sides::judged(store, Some(run), terms);
    }
    let mut samples = Vec::new();
    for (id, _) in store.cells(run.number)? {
        samples.push(store.samples(id)?);
    }
    Ok(judge(terms, run, samples))
}

/// The carry-over in a run's wall times, if times or rates are compared. Programs at the same time,
/// and sides in several layouts, have no constant predecessor.
pub fn carried_over(
    store: &mut Store,
    run: &Run,
    terms: &Comparing,
) -> Result<Option<CarriedOver>, ExperimentError> {
    let is_asked = terms.duet.is_none()
        && terms.sides.iter().all(|side| side.program.builds() == 1)
        && terms
            .rows
            .iter()
            .flat_map(|(_, metrics)| metrics)
            .any(|metric| metric.unit.is_of_time())
        && (terms.executes(0) && terms.executes(1));
    let mut samples = Vec::new();
    for (id, _) in store.cells(run.number)?.into_iter().filter(|_| is_asked) {
        samples.push(store.samples(id)?);
    }
    let each = (samples.len() / terms.rows.len().max(1)).max(1);
    // The third of a row is the first once more.
    let programs =
        (0_u32..).flat_map(|row| (0..each).map(move |place| 2 * row + u32::from(place == 1)));
    let executed = |(program, samples)| ProgramSamples { program, metric: "wall", samples };
    let all: Vec<ProgramSamples> =
        programs.zip(samples.iter().map(Vec::as_slice)).map(executed).collect();
    Ok(CarryOver::of(&all, run.seed).and_then(|carried| {
        let (row, side) = (carried.after as usize / 2, carried.after as usize % 2);
        let (benchmark, _) = terms.rows.get(row)?;
        Some(CarriedOver { benchmark: benchmark.clone(), side, share: carried.share })
    }))
}

/// The digest of all that identifies the question.
fn digest(question: &Question, terms: &Comparing) -> Digest {
    let revisions = terms.sides.iter().filter_map(|side| side.program.revision());
    // Other differences and the state of a gate are added later; neither needs a measurement.
    let terms = Comparing { otherwise: Vec::new(), fail_on: None, ..terms.clone() };
    let how =
        (&question.plan.benchmarks, question.rule(), question.recipes.together(revisions), terms);
    Digest::of_json(&how)
}

impl Context<'_> {
    /// The interrupted run of the same question, else a new one, ready to measure.
    fn session_of_sides(
        &mut self,
        question: &Question,
        terms: &Comparing,
        sides: &[sides::SideExecutable],
    ) -> Result<Session, ExperimentError> {
        let cells = cells::cells(question, terms, sides);
        let (cells, of_side): (Vec<Cell>, Vec<usize>) = cells.into_iter().unzip();
        let digest = digest(question, terms);
        let (run, cells) = match self.resumed_run(question, digest, &cells)? {
            Some(begun) => begun,
            None => self.begin_run(Purpose::Compare, digest, question, cells)?,
        };
        // The kept terms get the present additional requests.
        self.store.put_comparing(run.number, terms)?;
        let ready =
            self.ready_cells(cells, |at, cell| sides[of_side[at]].trial(question, run.seed, cell))?;
        let reference = question.plan.measure.reference.mode();
        Ok(Session { run, cells: ready, duet: terms.duet, reference, groups: None })
    }
}
