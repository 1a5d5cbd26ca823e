//! `tacho layouts`: one revision, linked in several orders.

use tacho_experiment::layouts::{Laid, layouts};
use tacho_record::{Wishes, percentage};
use tacho_subject::{Every, Layout, Linker, Selection, What, history};

use super::Exit;
use super::session::{Session, Wanted};
use super::track::narrowed;
use crate::cli::{Global, Layouts};
use crate::error::CliError;
use crate::output;
use crate::output::answer::versioned;
use crate::output::layouts::Report;
use crate::project::Project;

/// Executions of each layout where nothing else is asked for.
const ROUNDS: u32 = 10;

pub fn execute(global: &Global, command: &Layouts) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let rounds = Wishes { rounds: Some(command.rounds.unwrap_or(ROUNDS)), ..Wishes::default() };
    let plan = narrowed(&project.plan, &command.benchmark)?.wishing(rounds)?;
    let precision = percentage(&command.precision)?;
    if let Some(name) = &command.metric {
        known_metric(&plan, name)?;
    }
    if plan.subject.build.is_none() {
        return Err(CliError::NothingLinked);
    }
    let linker = Linker::find(command.linker.as_deref());
    let linker = linker.ok_or_else(|| CliError::NoLinker { name: command.linker.clone() })?;
    let orders: Vec<Layout> = (1..=command.number).map(|number| linker.layout(number)).collect();
    let history = history(&project.plan.subject, &project.folder)?;
    let what = What::List(vec![command.revision.clone()]);
    let selected =
        history.select(&Selection { what, every: Every::Commit, tags: None, all_parents: false })?;
    let mut session = Session::open(&project, command.begin.wait)?;
    session.know(&selected)?;
    let quiet = global.quiet || command.json;
    let (seed, retry_failed) = (command.begin.seed, command.retry_failed);
    let wanted = Wanted { retry_failed, seed, quiet, ..Wanted::new(plan, &selected.revisions) };
    let metric = command.metric.as_deref();
    let laid =
        session.measure(&project, wanted, |bench, question| layouts(bench, question, &orders, metric))?;
    let report = Report { revision: &selected.revisions[0], linker: linker.name, laid: &laid, precision };
    if command.json {
        output::print_json(&versioned(report.answer()))?;
    } else {
        output::print(&report.text())?;
    }
    report.hints();
    Ok(match &laid {
        Laid::Interrupted => Exit::Interrupted,
        Laid::Measured(rows) if rows.interrupted => Exit::Interrupted,
        Laid::Measured(rows) if rows.rows.iter().all(|row| row.levels.is_some()) => Exit::Success,
        _ => Exit::Error,
    })
}

/// Whether some benchmark has that metric.
fn known_metric(plan: &tacho_record::Plan, name: &str) -> Result<(), CliError> {
    let all = || plan.benchmarks.iter().flat_map(|of| &of.metrics).map(|planned| &planned.metric.name);
    if all().any(|known| known == name) {
        return Ok(());
    }
    let known: std::collections::BTreeSet<String> = all().map(|known| format!("`{known}`")).collect();
    let known = known.into_iter().collect::<Vec<_>>().join(", ");
    Err(CliError::UnknownMetric { name: name.to_owned(), known })
}
