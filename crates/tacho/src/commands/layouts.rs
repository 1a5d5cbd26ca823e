//! `tacho layouts`: one revision, linked in several orders.

use tacho_experiment::build::layouts::{LayoutsResult, layouts};
use tacho_experiment::build::linking::{PROCESSES, drawn_orders, fixed_orders};
use tacho_record::{RuleRequest, in_backticks, percentage};
use tacho_subject::{Linker, RevisionQuery, Selection, history};

use super::session::{CommandSession, SessionRequest};
use crate::cli::{GlobalArgs, LayoutsArgs};
use crate::commands::selection::narrowed;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::answer::print_answer;
use crate::output::layouts::LayoutsReport;
use crate::project::Project;

/// Layouts where nothing else is requested.
const LAYOUTS: u32 = 5;

pub fn execute(global: &GlobalArgs, command: &LayoutsArgs) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let levels = project.plan.measure.levels;
    let each = command.rounds.unwrap_or(levels.map_or(PROCESSES, |levels| levels.processes));
    let number = command.number.unwrap_or(levels.map_or(LAYOUTS, |levels| levels.layouts)).max(2);
    let rounds = RuleRequest { rounds: Some(each.max(2)), ..RuleRequest::default() };
    let plan = narrowed(&project.plan, &command.benchmark)?.with_rule(rounds)?;
    let precision = percentage(&command.precision)?;
    if let Some(name) = &command.metric {
        known_metric(&plan, name)?;
    }
    let mut orders = drawn_orders(&plan, command.linker.as_deref(), number)?;
    orders.extend(fixed_orders(&plan, &command.with)?);
    let linker = Linker::find(command.linker.as_deref()).map_or("no linker", |linker| linker.name);
    let history = history(&project.plan.subject, &project.folder)?;
    let what = RevisionQuery::List(vec![command.revision.clone()]);
    let selected = history.select(&Selection::commits(what))?;
    let mut session = CommandSession::open(&project, command.begin.wait)?;
    session.know(&selected)?;
    let quiet = global.quiet || command.json;
    let (seed, retry_failed) = (command.begin.seed, command.retry_failed);
    let wanted = SessionRequest {
        retry_failed,
        seed,
        quiet,
        ..SessionRequest::new(plan, &selected.revisions)
    };
    let metric = command.metric.as_deref();
    let laid = session.measure(&project, wanted, |context, question| {
        layouts(context, question, &orders, metric)
    })?;
    let report = LayoutsReport { revision: &selected.revisions[0], linker, laid: &laid, precision };
    print_answer(command.json, || report.answer(), || report.text())?;
    report.hints();
    if let LayoutsResult::Measured(rows) = &laid {
        session.warn_of_load(rows.run)?;
    }
    Ok(match &laid {
        LayoutsResult::Interrupted => Exit::Interrupted,
        LayoutsResult::Measured(rows) => {
            Exit::of(rows.interrupted, rows.rows.iter().all(|row| row.levels.is_some()))
        }
        _ => Exit::Error,
    })
}

/// Whether some benchmark has that metric.
fn known_metric(plan: &tacho_record::Plan, name: &str) -> Result<(), CliError> {
    let all =
        || plan.benchmarks.iter().flat_map(|of| &of.metrics).map(|planned| &planned.metric.name);
    if all().any(|known| known == name) {
        return Ok(());
    }
    let known = in_backticks(all().collect::<std::collections::BTreeSet<_>>());
    Err(CliError::UnknownMetric { name: name.to_owned(), known })
}
