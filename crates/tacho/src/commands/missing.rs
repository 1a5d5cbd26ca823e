//! `tacho track --missing`: new benchmarks over the past.

use std::collections::HashSet;
use std::time::Instant;

use tacho_experiment::{fill, unbuilt};
use tacho_record::{Change, Plan, Revision};

use super::Exit;
use super::changes::found;
use super::session::{Session, Wanted};
use super::track::counters;
use crate::cli::{Global, Track};
use crate::error::CliError;
use crate::output::tracked::Report;
use crate::project::Project;

pub(super) fn execute(
    global: &Global,
    command: &Track,
    project: &Project,
    plan: &Plan,
) -> Result<Exit, CliError> {
    let began = Instant::now();
    let range = match command.revisions.as_slice() {
        [] => None,
        [one] => Some(one.as_str()),
        _ => return Err(CliError::RangeAlone),
    };
    // Without a store there is no past; nothing is to come of asking.
    drop(project.store()?);
    let mut session = Session::open(project, command.begin.wait)?;
    let waited = began.elapsed();
    let mut revisions: Vec<Revision> = session.store.revisions()?;
    let (after, up_to) = found::range(project, &revisions, range)?;
    // A range is measured with its start, as elsewhere.
    let from = if range.is_some_and(|range| range.contains("..")) {
        after
    } else {
        after + u64::from(range.is_some())
    };
    revisions.retain(|revision| (from..=up_to).contains(&revision.order));
    session.tell_of_edits(plan)?;
    let marks = marks(&session.store.changes(session.host_id)?);
    let asked = Wanted {
        counted: counters(&command.counter)?.into_iter().map(|it| it.counter).collect(),
        measure_equal: command.measure_equal,
        retry_failed: command.retry_failed,
        seed: command.begin.seed,
        quiet: global.quiet || command.shown.json,
        ..Wanted::new(plan.clone(), &revisions)
    };
    let at_most = command.schedule.at_most.map(|most| most as usize);
    let filled = session.measure(project, asked, |bench, question| fill(bench, question, &marks, at_most))?;
    if filled.builds.is_empty() {
        return Err(CliError::NothingBuilt);
    }
    let unbuilt = unbuilt(&revisions, &filled.builds);
    // What is known and was never built is not asked for.
    let built: HashSet<&str> = filled.builds.iter().map(|build| build.revision.as_str()).collect();
    revisions.retain(|revision| built.contains(revision.id.as_str()));
    let series = session.series(project, plan, &revisions, command)?;
    session.tell_of_left_behind(plan, filled.run)?;
    session.tell_of_noise(filled.run)?;
    let report = Report { tracked: &filled, series: &series, revisions: &revisions, unbuilt: &unbuilt };
    report.print(&mut session.store, command.shown.json, began.elapsed().saturating_sub(waited))?;
    Ok(match filled.interrupted {
        true => Exit::Interrupted,
        false if report.is_whole() => Exit::Success,
        false => Exit::Error,
    })
}

/// Both sides of the changes that stand, the largest first.
fn marks(changes: &[Change]) -> Vec<(String, String)> {
    let mut standing: Vec<&Change> = changes.iter().filter(|change| change.stands()).collect();
    let size = |change: &Change| change.finding.effect.map_or(0.0, f64::abs);
    standing.sort_by(|one, two| size(two).total_cmp(&size(one)));
    standing.iter().map(|change| (change.finding.good.clone(), change.finding.revision.clone())).collect()
}
