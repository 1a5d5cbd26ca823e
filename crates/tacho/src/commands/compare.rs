//! `tacho compare`: two revisions beside one another.

use std::collections::HashMap;

use tacho_experiment::compare::{Compared, Rows, Terms, compare};
use tacho_record::{Metric, Plan, Revision, RuleError, Wishes, percentage};
use tacho_stats::compare::Verdict;
use tacho_subject::{Every, Selected, Selection, What, history};

use super::session::{Session, Wanted};
use super::track::narrowed;
use super::{Exit, lookup};
use crate::cli::{Compare, Global, Shown};
use crate::error::CliError;
use crate::output;
use crate::output::answer::versioned;
use crate::output::compare::Report;
use crate::project::Project;

/// Rounds where nothing else is asked for.
const ROUNDS: u32 = 20;

pub fn execute(global: &Global, command: &Compare) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let plan = narrowed(&project.plan, &command.benchmark)?.wishing(wishes(command)?)?;
    let (margin, limit) = (percentage(&command.margin)?, limit(command)?);
    let (selected, sides) = sides(&project, command)?;
    let mut session = Session::open(&project, command.wait)?;
    let terms = Terms { control: !command.no_control, margin, metrics: metrics(&project, &plan, command)? };
    session.know(&selected)?;
    let quiet = global.quiet || command.json;
    let wanted = Wanted { seed: command.seed, quiet, ..Wanted::new(plan, &sides) };
    let compared = session.measure(&project, wanted, |bench, question| compare(bench, question, &terms))?;
    let report = Report { names: [&command.a, &command.b], sides: &sides, compared: &compared, margin };
    if command.json {
        output::print_json(&versioned(report.answer()))?;
    } else if command.markdown {
        output::print(&report.markdown())?;
    } else {
        output::print(&report.text())?;
    }
    Ok(exit(&compared, limit))
}

/// What is typed of when to stop.
fn wishes(command: &Compare) -> Result<Wishes, RuleError> {
    let budget = command.budget.as_deref().map(tacho_record::duration).transpose()?;
    // The plan's own number is for tracking: it must not end what has time left.
    let usual = if budget.is_some() { tacho_record::MOST_IN_BUDGET } else { ROUNDS };
    let rounds = command.rounds.or(Some(usual));
    Ok(Wishes { rounds, budget, ..Wishes::default() })
}

/// From which share on slower is a failure, if that is asked for.
fn limit(command: &Compare) -> Result<Option<f64>, RuleError> {
    match command.fail_on.as_deref() {
        None => Ok(None),
        Some("slower") => Ok(Some(0.0)),
        Some(typed) => percentage(typed.strip_prefix("slower:").unwrap_or(typed)).map(Some),
    }
}

/// Both revisions, as they were typed.
fn sides(project: &Project, command: &Compare) -> Result<(Selected, [Revision; 2]), CliError> {
    let history = history(&project.plan.subject, &project.folder)?;
    let select = |names: Vec<String>| {
        let what = What::List(names);
        history.select(&Selection { what, every: Every::Commit, tags: None, all_parents: false })
    };
    let one = |name: &String| -> Result<Revision, CliError> {
        let selected = select(vec![name.clone()])?;
        let unknown = || CliError::Unknown { name: name.clone(), nearest: None };
        selected.revisions.into_iter().next().ok_or_else(unknown)
    };
    let sides = [one(&command.a)?, one(&command.b)?];
    let selected = select(vec![command.a.clone(), command.b.clone()])?;
    // Their order is that of both together.
    let placed =
        sides.map(|side| selected.revisions.iter().find(|it| it.id == side.id).cloned().unwrap_or(side));
    Ok((selected, placed))
}

/// The metrics of each benchmark that are compared.
fn metrics(
    project: &Project,
    plan: &Plan,
    command: &Compare,
) -> Result<HashMap<String, Vec<Metric>>, CliError> {
    let shown = Shown { metric: command.metric.clone(), json: command.json };
    let mut all = HashMap::new();
    for (_, key) in tacho_experiment::benchmarks(plan) {
        all.insert(key.identity(), lookup::metrics(project, &[], &key, &shown)?);
    }
    Ok(all)
}

/// Slower for certain, by more than the limit; nothing measured is an error.
fn exit(compared: &Compared, limit: Option<f64>) -> Exit {
    let Compared::Measured(all) = compared else {
        return match compared {
            Compared::Interrupted => Exit::Interrupted,
            Compared::NotBuilt { .. } => Exit::Error,
            _ => Exit::Success,
        };
    };
    let Rows { interrupted, rows, .. } = &**all;
    if *interrupted {
        return Exit::Interrupted;
    }
    if rows.iter().any(|row| row.sides.iter().any(Option::is_none)) {
        return Exit::Error;
    }
    let is_beyond = |row: &tacho_experiment::compare::Row| {
        let interval = row.comparison.estimate.and_then(|estimate| estimate.interval);
        let worse = interval.map_or(0.0, |(low, high)| (low - 1.0).max(1.0 / high - 1.0));
        row.verdict == Verdict::Slower && limit.is_some_and(|limit| worse >= limit)
    };
    if rows.iter().any(is_beyond) { Exit::Worse } else { Exit::Success }
}
