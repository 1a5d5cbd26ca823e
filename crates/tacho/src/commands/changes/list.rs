//! `tacho changes list`: all changes, event by event.

use std::collections::HashSet;

use tacho_experiment::changes::{
    ChangeFilter, FalseAlarms, JudgedSeries, ListedChanges, StoredChanges, events,
};
use tacho_record::{Change, ChangeVerdict, Series, SeriesKey};
use tacho_report::detection;
use tacho_stats::history::HistoryVerdict;
use tacho_store::Store;

use super::{filter, found};
use crate::cli::{GlobalArgs, ListChangesArgs};
use crate::commands::lookup;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::output::answer::versioned;
use crate::output::changes::{self, ChangeListing, ListedEvent};
use crate::project::Project;

pub fn execute(global: &GlobalArgs, command: &ListChangesArgs) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let mut store = project.store_to_read()?;
    lookup::named_metrics(store.metrics()?, &command.metric)?;
    let found = found::look(&project, &mut store)?;
    found::check_benchmarks(&project, &found, &command.benchmark)?;
    let orders = found::range(&project, &found.revisions, command.range.as_deref())
        .map_err(|error| nearest_change(&project, &found, error))?;
    let filter = filter::of(command, orders);
    let listing = listing(&project, &mut store, &found, &filter, |_| true)?;
    if listing.unbuilt.is_empty() && store.runs()?.is_empty() {
        return Err(CliError::NothingMeasured);
    }
    if command.form.json {
        output::print_json(&versioned(listing.answer()))?;
    } else if command.form.markdown {
        output::print(&listing.markdown())?;
    } else {
        output::print(&listing.text())?;
    }
    Ok(if listing.regressions > 0 { Exit::Worse } else { Exit::Success })
}

/// The error for a name of no revision, which may be meant for a change.
fn nearest_change(project: &Project, found: &StoredChanges, error: CliError) -> CliError {
    let CliError::Unknown { name, nearest: None } = &error else { return error };
    match found::named(project, found, name) {
        Ok(changes) => {
            let nearest = changes.first().map(|change| change.name.clone());
            CliError::UnknownChange { name: name.clone(), nearest }
        }
        Err(change @ CliError::UnknownChange { nearest: Some(_), .. }) => change,
        Err(_) => error,
    }
}

/// These changes alone, for a notification.
pub fn of(
    project: &Project,
    store: &mut Store,
    found: &StoredChanges,
    changes: &[&Change],
) -> Result<ChangeListing, CliError> {
    let filter = ChangeFilter::default();
    let among = |change: &Change| changes.iter().any(|other| other.name == change.name);
    listing(project, store, found, &filter, among)
}

fn listing(
    project: &Project,
    store: &mut Store,
    found: &StoredChanges,
    filter: &ChangeFilter,
    among: impl Fn(&Change) -> bool,
) -> Result<ChangeListing, CliError> {
    let ListedChanges { shown, other_work, unplanned, regressions, hidden } =
        found.listed(filter, among);
    let (doubtful, off_medians) = (found.doubtful(&shown), found.off_medians(&shown));
    let mut listed = Vec::new();
    for event in events(shown, &found.orders).into_iter().rev() {
        let (good, bad) = (found.revision(&event.good), found.revision(&event.bad));
        let mut commits = store.commits(good.order, bad.order)?;
        let all = commits.len();
        let changes_at = event.changes.iter();
        let same: HashSet<&String> = changes_at.flat_map(|it| &it.same_program).collect();
        commits.retain(|commit| !same.contains(&commit.id));
        let mut changes: Vec<Change> = event.changes.into_iter().cloned().collect();
        changes.sort_by_key(|change| change.verdict() == ChangeVerdict::Better);
        listed.push(ListedEvent {
            revision: found.revision(&event.revision),
            good,
            bad,
            commits: commits.len(),
            same_program: all - commits.len(),
            changes,
        });
    }
    let (judged, mut not_judged) = judged(found, filter);
    let not_planned = found.not_planned(store, &project.plan, filter)?.into_iter();
    not_judged
        .extend(not_planned.map(|key| (key, "the plan's `metrics` do not name it".to_owned())));
    let mut edited = found::edited(project, store)?;
    edited.retain(|(key, _)| filter.shows_series(key));
    not_judged.extend(edited);
    let (bisections, unplanned_bisections) =
        found.listed_bisections(store, (&project.plan, filter), judged > 0)?;
    Ok(ChangeListing {
        link: project.plan.subject.link.clone(),
        events: listed,
        judged,
        not_judged,
        unbuilt: found.unbuilt.iter().filter(|(_, it)| filter.shows_gap(it)).cloned().collect(),
        remarks: remarks(found, filter),
        doubtful,
        off_medians,
        histories: histories(found, filter),
        false_alarms: FalseAlarms::of(found.changes()),
        regressions,
        unplanned: unplanned.into_iter().map(|change| change.name.clone()).collect(),
        hosts: found.hosts.len() > 1,
        other_work: other_work.into_iter().cloned().collect(),
        bisections,
        unplanned_bisections,
        hidden,
    })
}

/// How many series were judged, and which were not.
fn judged(found: &StoredChanges, filter: &ChangeFilter) -> (usize, Vec<(SeriesKey, String)>) {
    let why =
        |one: &JudgedSeries| Some((one.material.series.key.clone(), changes::not_judged(one)?));
    let not_judged: Vec<_> = found.series_shown(filter).filter_map(why).collect();
    (found.series_shown(filter).count() - not_judged.len(), not_judged)
}

/// The verdicts from the runs of series, with the full names of the revisions of each.
fn histories(
    found: &StoredChanges,
    filter: &ChangeFilter,
) -> Vec<(SeriesKey, HistoryVerdict, Vec<String>)> {
    let of = |series: &JudgedSeries| {
        let verdict = series.judgement.history.clone()?;
        let Series { key, points, .. } = &series.material.series;
        Some((key.clone(), verdict, points.iter().map(|point| point.revision.id.clone()).collect()))
    };
    found.series_shown(filter).filter_map(of).collect()
}

/// The remarks on series.
fn remarks(found: &StoredChanges, filter: &ChangeFilter) -> Vec<(SeriesKey, String)> {
    let mut remarks = Vec::new();
    for series in found.series_shown(filter) {
        let detection = &series.judgement.detection;
        let mut say = |what: String| remarks.push((series.material.series.key.clone(), what));
        changes::remarks(series, |drift| filter.shows_drift(drift)).into_iter().for_each(&mut say);
        if filter.all {
            detection.modes.iter().map(detection::modes).for_each(&mut say);
            let at = |place| found.revision(series.material.revision(place)).short().to_owned();
            for refused in &detection.refused {
                say(format!(
                    "no change at {}: {}",
                    at(refused.index),
                    detection::refusal(refused.why)
                ));
            }
            for change in &series.judgement.chance {
                say(format!("no change at {}: {}", at(change.index), detection::BY_CHANCE));
            }
        }
    }
    remarks.extend(changes::failing(found.series_shown(filter)));
    remarks
}
