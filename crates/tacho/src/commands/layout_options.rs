//! Over layouts: what `compare` and `try` do where each program is linked in several orders.

use std::time::Duration;

use tacho_experiment::build::layouts::{LayoutsResult, build};
use tacho_experiment::compare::ComparisonResult;
use tacho_record::plan::{Benchmark, Subject};
use tacho_record::{Plan, Program, RequestedEstimator, Revision};
use tacho_subject::{FixedOrder, Layout, Linker};

use super::session::{CommandSession, SessionRequest};
use crate::cli::ComparisonArgs;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output;
use crate::project::Project;

/// Executions of each layout where nothing else is asked for.
pub const PROCESSES: u32 = 10;

/// How many layouts are asked for, by what was typed or by the plan.
pub fn number(typed: &ComparisonArgs, plan: &Plan) -> u32 {
    if typed.order.is_some() {
        return 1;
    }
    typed.layouts.or(plan.measure.levels.map(|levels| levels.layouts)).unwrap_or(1)
}

/// The layouts that are asked for; none: as it is built.
pub fn layouts(typed: &ComparisonArgs, plan: &Plan) -> Result<Vec<Layout>, CliError> {
    if let Some(order) = &typed.order {
        return fixed(plan, std::slice::from_ref(order));
    }
    let number = number(typed, plan);
    if number < 2 {
        return Ok(Vec::new());
    }
    // Layouts are drawn anew for an interval, and of what is drawn the smallest says little of the
    // smallest that there is.
    if typed.estimator() == Some(RequestedEstimator::Minimum) {
        return Err(CompareMistake::MinimumOfLayouts.into());
    }
    orders(plan, typed.linker.as_deref(), number)
}

/// Those that the plan asks for; none: as it is built.
pub fn of_plan(plan: &Plan) -> Result<Vec<Layout>, CliError> {
    let levels = plan.measure.levels.filter(|levels| levels.layouts > 1);
    levels.map_or(Ok(Vec::new()), |levels| orders(plan, None, levels.layouts))
}

/// The fixed orders of these names.
pub fn fixed(plan: &Plan, names: &[String]) -> Result<Vec<Layout>, CliError> {
    if plan.subject.build.is_none() && !names.is_empty() {
        return Err(CliError::NothingLinked);
    }
    let lacks = |name: &str| CliError::NoOrder { name: name.to_owned() };
    names
        .iter()
        .map(|name| FixedOrder::named(name).and_then(FixedOrder::layout).ok_or_else(|| lacks(name)))
        .collect()
}

/// This many orders, of the linker that is there.
pub fn orders(plan: &Plan, linker: Option<&str>, number: u32) -> Result<Vec<Layout>, CliError> {
    if plan.subject.build.is_none() {
        return Err(CliError::NothingLinked);
    }
    let found = Linker::find(linker)
        .ok_or_else(|| CliError::NoLinker { name: linker.map(str::to_owned) })?;
    Ok((1..=number).map(|number| found.layout(number)).collect())
}

/// The plan as revisions are tracked by it: over layouts, where it says so, each executed this many
/// times. That it can be had is looked at before anything is built.
pub fn tracked(plan: &Plan, processes: Option<u32>) -> Result<Plan, CliError> {
    let plan = plan.over_layouts(processes)?;
    fixed(&plan, plan.subject.order.as_slice())?;
    if let Some(number) = plan.subject.layouts {
        orders(&plan, None, number)?;
        // Of a companion there is one for all layouts.
        let of_build = |word: &String| word.contains("{build}");
        let built = |it: &&Benchmark| {
            it.companion.as_ref().is_some_and(|it| it.command.iter().any(of_build))
        };
        if let Some(benchmark) = plan.benchmarks.iter().find(built) {
            return Err(CliError::CompanionOfLayouts { benchmark: benchmark.name.clone() });
        }
    }
    Ok(plan)
}

/// How often each build is executed at the most, where there are several of a program.
pub fn rounds(typed: &ComparisonArgs, plan: &Plan) -> Option<u32> {
    let each = plan.measure.levels.map_or(PROCESSES, |levels| levels.processes);
    typed.rounds.or((number(typed, plan) > 1 && typed.budget.is_none()).then_some(each))
}

/// Whether linking in one order that is the same each time made any difference.
pub enum FixedOrderEffect {
    /// It did.
    Differs,
    /// The same came out without: the build does not do as it is asked.
    Ignored,
    /// Without the order it does not build.
    Unknown,
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
    let subject = Subject { order: None, ..plan.subject.clone() };
    let plan = Plan { subject, ..plan.clone() };
    let wanted =
        SessionRequest { quiet, ..SessionRequest::new(plan, std::slice::from_ref(revision)) };
    let unordered =
        session.measure(project, wanted, |bench, question| bench.build_of(question, revision))?;
    Ok(unordered.map(|build| match build.state.artifact() {
        Some(without) if without == *ordered => FixedOrderEffect::Ignored,
        Some(_) => FixedOrderEffect::Differs,
        None => FixedOrderEffect::Unknown,
    }))
}

/// Says of an order that it had no effect, or that this is unknown.
pub fn tell_of_order(order: &str, name: &str, found: Option<&FixedOrderEffect>) {
    match found {
        None | Some(FixedOrderEffect::Differs) => {}
        Some(FixedOrderEffect::Ignored) => {
            let said =
                format!("`--order {order}` had no effect: {name} builds to the same without it");
            output::note("warning", &said);
            output::note(
                "hint",
                "the build must compile with CC and CXX and link with LDFLAGS, or hand RUSTFLAGS \
                 on; or all stands in that order anyway",
            );
        }
        Some(FixedOrderEffect::Unknown) => {
            let said = format!(
                "whether `--order {order}` had an effect is unknown: {name} does not build \
                 without it"
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
    let not_built = |why: String| ComparisonResult::NotBuilt { side: side.to_owned(), why };
    Ok(match built {
        Ok((artifacts, took)) => {
            Ok((Program::Layouts { artifacts, revision: revision.id.clone() }, took))
        }
        Err(LayoutsResult::NotBuilt { layout, why }) => Err(not_built(format!(
            "layout {layout} does not \
            build: {why}"
        ))),
        Err(LayoutsResult::Ignored) => Err(not_built(
            "all its layouts came out the same: the build must hand LDFLAGS (or RUSTFLAGS) to the \
             linker, or link in the order of TACHO_LAYOUT"
                .to_owned(),
        )),
        Err(LayoutsResult::Interrupted | LayoutsResult::Measured(_)) => {
            Err(ComparisonResult::Interrupted)
        }
    })
}
