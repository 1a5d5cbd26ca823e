//! The programs of a revision by a plan: the plan's build, or several layouts.

use std::time::Duration;

use tacho_record::{Plan, Program, Revision};
use tacho_report::build::why_not;
use tacho_subject::Layout;

use super::layouts::{LayoutsResult, build};
use super::linking::{FixedOrderEffect, without_order};
use crate::Question;
use crate::context::PlanSessions;

/// The program of a revision, or the reason why it does not build; `None` if interrupted.
pub(crate) fn program<S: PlanSessions>(
    sessions: &mut S,
    plan: &Plan,
    revision: &Revision,
) -> Result<Option<Result<Program, String>>, S::Error> {
    let build = sessions.measure(plan, revision, |context, question| {
        context.build_at_hand(&Question { retry_failed: true, ..question.clone() }, revision)
    });
    let Some(build) = build? else { return Ok(None) };
    let (state, revision) = (&build.state, revision.id.clone());
    let program = state.artifact().map(|artifact| Program::Build { artifact, revision });
    Ok(Some(program.ok_or_else(|| why_not(state))))
}

/// The builds of a revision in these layouts, as one program, and their mean duration; the reason
/// if there are none.
pub fn laid_out<S: PlanSessions>(
    sessions: &mut S,
    plan: &Plan,
    revision: &Revision,
    layouts: &[Layout],
) -> Result<Result<(Program, Duration), LayoutsResult>, S::Error> {
    let built = sessions.measure(plan, revision, |context, question| {
        build(context, &Question { retry_failed: true, ..question.clone() }, layouts)
    })?;
    let program = |artifacts| Program::Layouts { artifacts, revision: revision.id.clone() };
    Ok(built.map(|(artifacts, took)| (program(artifacts), took)))
}

/// Whether the one order of a program has any effect on its revision; `None` if there are several
/// orders, or if interrupted.
pub fn order_effect<S: PlanSessions>(
    sessions: &mut S,
    plan: &Plan,
    (revision, program): (&Revision, &Program),
) -> Result<Option<FixedOrderEffect>, S::Error> {
    let Program::Layouts { artifacts, .. } = program else { return Ok(None) };
    let [ordered] = artifacts.as_slice() else { return Ok(None) };
    let plan = without_order(plan);
    let unordered = sessions
        .measure(&plan, revision, |context, question| context.build_of(question, revision))?;
    Ok(unordered.map(|build| FixedOrderEffect::of(*ordered, &build.state)))
}
