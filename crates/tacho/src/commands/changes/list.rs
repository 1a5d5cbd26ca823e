//! `tacho changes list`: all changes, event by event.

use std::collections::HashSet;

use tacho_experiment::changes::{
    ChangeFilter, FalseAlarms, JudgedSeries, StoredChanges, events, is_new_regression,
};
use tacho_record::{Bisection, Change, ChangeVerdict, Metric, Series, SeriesKey};
use tacho_report::bisection::{beside_changes, subject};
use tacho_report::detection;
use tacho_report::run::NOTHING_MEASURED;
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
    let orders = found::range(&project, &found.revisions, command.range.as_deref())?;
    let filter = filter::of(command, orders);
    let listing = listing(&project, &mut store, &found, &filter, |_| true)?;
    let is_empty = listing.unbuilt.is_empty() && store.runs()?.is_empty();
    if command.form.json {
        output::print_json(&versioned(listing.answer()))?;
    } else if is_empty {
        output::print(&format!("{NOTHING_MEASURED}\n"))?;
    } else if command.form.markdown {
        output::print(&listing.markdown())?;
    } else {
        output::print(&listing.text(Some(output::table_width())))?;
    }
    Ok(if listing.regressions > 0 { Exit::Worse } else { Exit::Success })
}

/// These changes and nothing else, for a reader who is notified of them.
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
    let shown = |change: &&Change| among(change) && filter.shows_kept(change, found.place(change));
    let (mut shown, unplanned): (Vec<&Change>, Vec<&Change>) =
        found.changes().filter(shown).partition(|change| found.is_planned(change));
    let regressions = shown.iter().filter(|change| is_new_regression(change)).count();
    if filter.all {
        shown.extend(&unplanned);
    }
    let (other_work, shown): (Vec<&Change>, Vec<&Change>) =
        shown.into_iter().partition(|change| change.stands() && change.is_of_other_work());
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
    not_judged.extend(not_planned(project, store, found, filter)?);
    let mut edited = found::edited(project, store)?;
    edited.retain(|(key, _)| filter.shows_series(key));
    not_judged.extend(edited);
    let bisections = bisections(store, (project, found, filter), judged > 0)?;
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
    })
}

/// The bisections, newest first: where series are judged, those that found what no change shows,
/// each commit once.
fn bisections(
    store: &mut Store,
    (project, found, filter): (&Project, &StoredChanges, &ChangeFilter),
    is_judged: bool,
) -> Result<Vec<Bisection>, CliError> {
    let all = store.bisections()?.into_iter().rev().map(|(bisection, _)| bisection);
    if !is_judged {
        return Ok(all.collect());
    }
    let planned: HashSet<String> =
        project.plan.keyed_benchmarks().into_iter().map(|(_, key)| key.identity()).collect();
    let is_shown = |it: &Bisection| {
        let key = &it.asked.benchmark;
        let is_known = it.asked.test.is_some() || planned.contains(&key.identity());
        is_known && filter.shows_benchmark(&key.to_string(), &key.name)
    };
    let order = |id: &str| found.orders.get(id).copied();
    let mut said = HashSet::new();
    let mut is_new = |it: &Bisection| {
        let named = it.standing.culprits.iter().map(|culprit| culprit.revision.clone());
        let named: Vec<String> = named.collect();
        let finds = !beside_changes(it, &found.changes(), order).is_empty();
        finds && (named.is_empty() || said.insert((subject(&it.asked), named)))
    };
    Ok(all.filter(|it| is_shown(it) && is_new(it)).collect())
}

/// How many series were judged, and which were not.
fn judged(found: &StoredChanges, filter: &ChangeFilter) -> (usize, Vec<(SeriesKey, String)>) {
    let (mut judged, mut not_judged) = (0, Vec::new());
    for series in found.series().filter(|series| filter.shows_series(&series.material.series.key)) {
        match changes::not_judged(series) {
            None => judged += 1,
            Some(why) => not_judged.push((series.material.series.key.clone(), why)),
        }
    }
    (judged, not_judged)
}

/// Series of metrics that are asked for by name, and were measured, but of which the plan does not
/// say that they are judged.
fn not_planned(
    project: &Project,
    store: &mut Store,
    found: &StoredChanges,
    filter: &ChangeFilter,
) -> Result<Vec<(SeriesKey, String)>, CliError> {
    let judged = |key: &SeriesKey| found.series().any(|series| series.material.series.key == *key);
    let asked: Vec<Metric> =
        store.metrics()?.into_iter().filter(|metric| filter.names_metric(&metric.name)).collect();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for (host, known) in store.named_hosts()? {
        for (_, benchmark) in project.plan.keyed_benchmarks() {
            for metric in &asked {
                let key = SeriesKey {
                    benchmark: benchmark.clone(),
                    host: known.name.clone(),
                    metric: metric.clone(),
                };
                let shown = filter.shows_series(&key) && !judged(&key);
                if shown && !store.values(host, &key.benchmark, &metric.name)?.is_empty() {
                    all.push((key, "the plan's `metrics` do not name it".to_owned()));
                }
            }
        }
    }
    Ok(all)
}

/// What the runs of series know, with the full names of the revisions of each.
fn histories(
    found: &StoredChanges,
    filter: &ChangeFilter,
) -> Vec<(SeriesKey, HistoryVerdict, Vec<String>)> {
    let shown = found.series().filter(|series| filter.shows_series(&series.material.series.key));
    let of = |series: &JudgedSeries| {
        let verdict = series.judgement.history.clone()?;
        let Series { key, points, .. } = &series.material.series;
        Some((key.clone(), verdict, points.iter().map(|point| point.revision.id.clone()).collect()))
    };
    shown.filter_map(of).collect()
}

/// What else is to be said of series.
fn remarks(found: &StoredChanges, filter: &ChangeFilter) -> Vec<(SeriesKey, String)> {
    let mut remarks = Vec::new();
    for series in found.series().filter(|series| filter.shows_series(&series.material.series.key)) {
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
    let shown = found.series().filter(|series| filter.shows_series(&series.material.series.key));
    remarks.extend(changes::failing(shown));
    remarks
}
