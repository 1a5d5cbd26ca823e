//! Over layouts: what `compare` and `try` do where each program is linked in several orders.

use std::time::Duration;

use tacho_experiment::build::layouts::build;
use tacho_experiment::build::linking::{
    FixedOrderEffect, LinkingRequest, check_tracked, drawn_orders, several_layouts, without_order,
};
use tacho_experiment::compare::ComparisonResult;
use tacho_record::{Plan, Program, RequestedEstimator, Revision};
use tacho_subject::Layout;

use super::session::{CommandSession, SessionRequest};
use crate::cli::ComparisonArgs;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output;
use crate::project::Project;

/// The layouts that are requested; none: as it is built.
pub fn layouts(typed: &ComparisonArgs, plan: &Plan) -> Result<Vec<Layout>, CliError> {
    let request = request(typed);
    // Layouts are drawn again for an interval, and the smallest of those drawn says little of the
    // smallest that there is.
    if request.number(plan) > 1 && typed.estimator() == Some(RequestedEstimator::Minimum) {
        return Err(CompareMistake::MinimumOfLayouts.into());
    }
    Ok(request.orders(plan)?)
}

fn request(typed: &ComparisonArgs) -> LinkingRequest<'_> {
    let ComparisonArgs { order, layouts, linker, .. } = typed;
    LinkingRequest { order: order.as_deref(), layouts: *layouts, linker: linker.as_deref() }
}

/// Those that the plan asks for; none: as it is built.
pub fn of_plan(plan: &Plan) -> Result<Vec<Layout>, CliError> {
    Ok(match several_layouts(plan) {
        Some(levels) => drawn_orders(plan, None, levels.layouts)?,
        None => Vec::new(),
    })
}

/// The plan as revisions are tracked by it: over layouts, where it says so, each executed this many
/// times.
pub fn tracked(plan: &Plan, processes: Option<u32>) -> Result<Plan, CliError> {
    let plan = plan.over_layouts(processes)?;
    check_tracked(&plan)?;
    Ok(plan)
}

/// How often each build is executed at the most, where there are several of a program.
pub fn rounds(typed: &ComparisonArgs, plan: &Plan) -> Option<u32> {
    let each = request(typed).executions(plan).filter(|_| typed.budget.is_none());
    typed.rounds.or(each)
}

/// Whether the one order of these has any effect on that revision; nothing where there are several,
/// or was interrupted.
pub fn ordered(
    session: &mut CommandSession,
    project: &Project,
    (plan, quiet): (&Plan, bool),
    (revision, program): (&Revision, &Program),
) -> Result<Option<FixedOrderEffect>, CliError> {
    let Program::Layouts { artifacts, .. } = program else { return Ok(None) };
    let [ordered] = artifacts.as_slice() else { return Ok(None) };
    let revisions = std::slice::from_ref(revision);
    let wanted = SessionRequest { quiet, ..SessionRequest::new(without_order(plan), revisions) };
    let unordered =
        session.measure(project, wanted, |bench, question| bench.build_of(question, revision))?;
    Ok(unordered.map(|build| FixedOrderEffect::of(*ordered, &build.state)))
}

/// Says of an order that it had no effect, or that this is unknown.
pub fn report_order(order: &str, name: &str, found: Option<&FixedOrderEffect>) {
    match found {
        None | Some(FixedOrderEffect::Differs) => {}
        Some(FixedOrderEffect::Ignored) => {
            let said = format!(
                "`--order {order}` had no effect: without the option, {name} builds to the \
                         same program"
            );
            output::note("warning", &said);
            output::note(
                "hint",
                "the build must use CC, CXX and LDFLAGS, or RUSTFLAGS, unless the program has that \
                 order anyway",
            );
        }
        Some(FixedOrderEffect::Unknown) => {
            let said = format!(
                "whether `--order {order}` had an effect is unknown: {name} does not build without \
                 the option"
            );
            output::note("note", &said);
        }
    }
}

/// The builds of a revision in these layouts, as one program, and how long one took on average;
/// what came of the comparison where there are none.
pub fn program(
    session: &mut CommandSession,
    project: &Project,
    (plan, quiet): (Plan, bool),
    (revision, side): (&Revision, &str),
    layouts: &[Layout],
) -> Result<Result<(Program, Duration), ComparisonResult>, CliError> {
    let wanted = SessionRequest {
        quiet,
        retry_failed: true,
        ..SessionRequest::new(plan, std::slice::from_ref(revision))
    };
    let built =
        session.measure(project, wanted, |bench, question| build(bench, question, layouts))?;
    let laid_out = |artifacts| Program::Layouts { artifacts, revision: revision.id.clone() };
    let built = built.map(|(artifacts, took)| (laid_out(artifacts), took));
    Ok(built.map_err(|ended| ComparisonResult::not_laid_out(side, &ended)))
}
