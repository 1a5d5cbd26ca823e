//! `tacho track --missing`: new benchmarks over the past.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use tacho_experiment::analysis::planned_metrics::most_samples;
use tacho_experiment::analysis::track_details::TrackedSession;
use tacho_experiment::analysis::tracked_series::TrackedSeries;
use tacho_experiment::{MissingMeasurements, Question, fill, marks, would_fill};
use tacho_measure::ProcessExecutor;
use tacho_record::{BuildGap, Counter, Plan, Revision, Rule, in_backticks};
use tacho_store::Store;

use super::changes::found;
use super::session::{CommandSession, SessionRequest};
use crate::cli::{GlobalArgs, TrackArgs};
use crate::commands::edited::report_edits;
use crate::counters::counters;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::answer::versioned;
use crate::output::track_report::TrackReport;
use crate::output::{self, table, text};
use crate::project::Project;

pub(super) fn execute(
    global: &GlobalArgs,
    command: &TrackArgs,
    project: &Project,
    plan: &Plan,
) -> Result<Exit, CliError> {
    let began = Instant::now();
    // Without a store there is no past, and the query must not create one.
    let mut store = project.store_to_read()?;
    if command.dry_run {
        return dry_run(command, project, plan, &mut store);
    }
    drop(store);
    let mut session = CommandSession::open(project, command.begin.wait)?;
    let waited = began.elapsed();
    let mut revisions = asked(project, command, &mut session.store)?;
    report_edits(&mut session.store, plan, |_| true)?;
    let marks = marks(&session.store.changes(session.host_id)?);
    let asked = SessionRequest {
        counted: counted(command)?,
        measure_equal: command.measure_equal,
        retry_failed: command.retry_failed,
        seed: command.begin.seed,
        quiet: global.quiet || command.shown.json,
        ..SessionRequest::new(plan.clone(), &revisions)
    };
    let filled = session.measure(project, asked, |context, question| {
        fill(context, question, &marks, at_most(command))
    })?;
    if filled.builds.is_empty() {
        return Err(CliError::NothingBuilt);
    }
    let unbuilt = BuildGap::of(&revisions, &filled.builds);
    // Known revisions that were never built are not requested.
    let built: HashSet<&str> = filled.builds.iter().map(|build| build.revision.as_str()).collect();
    revisions.retain(|revision| built.contains(revision.id.as_str()));
    let series = session.series(project, plan, &revisions, command)?;
    session.report_left_behind(plan, filled.run)?;
    session.report_noise(filled.run)?;
    session.report_load(filled.run, (plan, command))?;
    let shown = TrackedSession {
        tracked: &filled,
        series: TrackedSeries(&series),
        revisions: &revisions,
        unbuilt: &unbuilt,
        links: &[],
        rule: &plan.measure.rule,
        total: began.elapsed().saturating_sub(waited),
    };
    let report = TrackReport(shown.details(&mut session.store)?);
    report.print(command.shown.json)?;
    if filled.left > 0 {
        let left = text::count(filled.left, "more revision");
        let lack = if filled.left == 1 { "lacks" } else { "lack" };
        output::note("note", &format!("{left} {lack} samples: the same command measures them"));
    }
    if !filled.interrupted {
        report.print_lacking(most_samples((&mut session.store, session.host_id))?);
    }
    Ok(Exit::of(filled.interrupted, shown.series.is_whole()))
}

/// The revisions that are requested, of those that are known.
fn asked(
    project: &Project,
    command: &TrackArgs,
    store: &mut Store,
) -> Result<Vec<Revision>, CliError> {
    let range = match command.revisions.as_slice() {
        [] => None,
        [one] => Some(one.as_str()),
        _ => return Err(CliError::RangeAlone),
    };
    let mut revisions: Vec<Revision> = store.revisions()?;
    let (after, up_to) = found::range(project, &revisions, range)?;
    // A range is measured with its start, as elsewhere.
    let from = if range.is_some_and(|range| range.contains("..")) {
        after
    } else {
        after + u64::from(range.is_some())
    };
    revisions.retain(|revision| (from..=up_to).contains(&revision.order));
    Ok(revisions)
}

/// Counters that are to be there besides what the plan says.
fn counted(command: &TrackArgs) -> Result<Vec<Counter>, CliError> {
    Ok(counters(&command.counter)?.into_iter().map(|it| it.counter).collect())
}

/// The largest number of revisions, if limited.
fn at_most(command: &TrackArgs) -> Option<usize> {
    command.schedule.at_most.map(|most| most as usize)
}

/// The missing measurements, in JSON.
#[derive(Serialize)]
struct MissingDryAnswer<'a> {
    /// In the order in which they would be measured.
    revisions: Vec<&'a str>,
    /// How many benchmarks lack something.
    benchmarks: usize,
    executions: u64,
    warm_up_besides: bool,
    /// In seconds, of benchmarks that were executed before.
    takes: f64,
    /// The benchmarks of which it is not known how long they take.
    unknown: Vec<String>,
}

/// Says what would be filled in, and about how long that takes.
fn dry_run(
    command: &TrackArgs,
    project: &Project,
    plan: &Plan,
    store: &mut Store,
) -> Result<Exit, CliError> {
    let revisions = asked(project, command, store)?;
    let recipes = tacho_subject::recipes(&plan.subject, &project.folder, &revisions)?;
    let host = store.put_host(&tacho_machine::host())?;
    let marks = marks(&store.changes(host)?);
    let question = Question {
        counted: counted(command)?,
        plan: plan.clone(),
        plan_text: project.text.clone(),
        plan_folder: project.folder.clone(),
        revisions,
        recipes,
        measure_equal: command.measure_equal,
        retry_failed: command.retry_failed,
        seed: 0,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        conditions: BTreeMap::new(),
    };
    let mut executor = ProcessExecutor::new(Arc::default());
    let lacking = would_fill((store, host), &mut executor, &question, &marks, at_most(command))?;
    if lacking.built == 0 {
        return Err(CliError::NothingBuilt);
    }
    let rule = &plan.measure.rule;
    if command.shown.json {
        output::print_json(&versioned(MissingDryAnswer {
            revisions: lacking.revisions.iter().map(|revision| revision.id.as_str()).collect(),
            benchmarks: benchmarks(&lacking),
            executions: lacking.executions,
            warm_up_besides: rule.warmup.executions().is_none(),
            takes: lacking.takes.as_secs_f64(),
            unknown: lacking.unknown.iter().map(ToString::to_string).collect(),
        }))?;
        return Ok(Exit::Success);
    }
    output::print(&would(&lacking, rule))?;
    Ok(Exit::Success)
}

/// How many benchmarks lack something.
fn benchmarks(lacking: &MissingMeasurements) -> usize {
    lacking.cells.iter().map(|cell| cell.benchmark.identity()).collect::<HashSet<_>>().len()
}

/// The revisions in the order in which they would be measured, and how long that takes.
fn would(lacking: &MissingMeasurements, rule: &Rule) -> String {
    if lacking.cells.is_empty() {
        return "nothing is missing: all rounds are executed\n".to_owned();
    }
    let besides = if rule.warmup.executions().is_none() { " besides the warmup" } else { "" };
    let would = format!(
        "would execute {} {} at {}, in the order above; at most {}{besides}; {}\n",
        text::count(benchmarks(lacking), "benchmark"),
        text::rule(rule),
        text::count(lacking.revisions.len(), "revision"),
        text::count(usize::try_from(lacking.executions).unwrap_or(usize::MAX), "execution"),
        takes(lacking),
    );
    let would = text::wrap(&would, Some(output::table_width()));
    format!("{}\n{would}", table::revisions(&lacking.revisions))
}

/// The approximate duration, as far as known.
fn takes(lacking: &MissingMeasurements) -> String {
    let names = in_backticks(&lacking.unknown);
    let about = format!("about {} without hooks", text::duration(lacking.takes));
    match (lacking.takes.is_zero(), names.is_empty()) {
        (_, true) => about,
        (true, false) => {
            format!("the time is unknown: never executed here: {names}")
        }
        (false, false) => {
            format!("{about}; the time of {names} is unknown: never executed here")
        }
    }
}
