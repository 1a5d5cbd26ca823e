//! What is said beside the table of a history: that it is too short to be judged, or that its
//! executions are.

use std::collections::{BTreeMap, BTreeSet};

use tacho_experiment::analysis::process_start::mostly_start;
use tacho_experiment::changes::StoredChanges;
use tacho_record::{Change, Point, Sample, Series, first_of, in_backticks};
use tacho_report::bench::warning;
use tacho_report::series::series_name;
use tacho_store::Store;

use crate::error::CliError;
use crate::output;
use crate::output::changes::not_judged;

/// How many series without a verdict are named at most.
const NAMED: usize = 3;

/// Says which of these series have no verdict yet, and what they lack. A single revision has
/// nothing to be compared with, which needs no word.
pub fn report_unjudged(found: &StoredChanges, shown: &[Series]) {
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for series in shown {
        let measured = series.points.iter().filter(|point| !point.values.is_empty()).count();
        let judged = found.series().find(|judged| judged.material.series.key == series.key);
        let Some(why) = judged.filter(|_| measured > 1).and_then(not_judged) else { continue };
        reasons.entry(why).or_default().push(series_name(&series.key, false));
    }
    let instead = shown.iter().find_map(compared_instead).unwrap_or_default();
    for (why, series) in reasons {
        let series = first_of(series, NAMED);
        output::note("note", &format!("no verdict yet for {series}: {why}{instead}"));
    }
}

/// Names the metrics that changed at the revisions of these tables, and have no table.
pub fn report_other_metrics(found: &StoredChanges, shown: &[Series]) {
    let is_beside = |one: &Series, change: &Change| {
        let key = &change.series;
        let at = &change.finding.revision;
        (&one.key.benchmark, &one.key.host) == (&key.benchmark, &key.host)
            && one.points.iter().any(|point| point.revision.id == *at)
    };
    let is_other = |change: &&Change| {
        change.is_seen()
            && found.is_planned(change)
            && shown.iter().any(|one| is_beside(one, change))
            && shown.iter().all(|one| one.key != change.series)
    };
    let other = found.changes().filter(is_other);
    let metrics: BTreeSet<&String> = other.map(|change| &change.series.metric.name).collect();
    if !metrics.is_empty() {
        let changed =
            format!("also changed: {}; `tacho changes` shows more", in_backticks(metrics));
        output::note("note", &changed);
    }
}

/// What judges a history of so few revisions, as words that go on.
fn compared_instead(series: &Series) -> Option<String> {
    let is_measured = |point: &&Point| !point.values.is_empty() && point.equal_to.is_none();
    let measured = series.points.iter().filter(is_measured);
    let names: Vec<&str> = measured.map(|point| point.revision.short()).collect();
    match names.as_slice() {
        [first, last] | [first, _, last] => {
            Some(format!("; `tacho compare {first} {last}` compares two"))
        }
        _ => None,
    }
}

/// Warns of benchmarks whose wall time in that run was mostly the start of a process.
pub fn report_short(store: &mut Store, run: Option<i64>, shown: &[Series]) -> Result<(), CliError> {
    let Some(run) = run else { return Ok(()) };
    let conditions = store.conditions(run)?;
    let mut samples: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
    for (measurement, cell) in store.cells(run)? {
        let of_benchmark = samples.entry(cell.benchmark.identity()).or_default();
        of_benchmark.extend(store.samples(measurement)?);
    }
    let mut is_any = false;
    for series in shown.iter().filter(|series| series.key.metric.name == "wall") {
        let of_benchmark = samples.get(&series.key.benchmark.identity());
        let start = of_benchmark.and_then(|all| mostly_start(&conditions, all.iter()));
        let Some(start) = start else { continue };
        let benchmark = &series.key.benchmark;
        output::note("warning", &format!("`{benchmark}`: {}", warning::mostly_start(start)));
        is_any = true;
    }
    if is_any {
        output::note("hint", warning::REPEAT_WORK);
    }
    Ok(())
}
