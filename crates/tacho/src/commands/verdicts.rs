//! What is said beside the table of a history: that it is too short to be judged, or that its
//! executions are.

use std::collections::BTreeMap;

use tacho_experiment::analysis::process_start::mostly_start;
use tacho_experiment::changes::StoredChanges;
use tacho_record::{Sample, Series, Unit, first_of};
use tacho_store::Store;

use crate::error::CliError;
use crate::output;
use crate::output::changes::{not_judged, series_name};

/// How many series without a verdict are named at most.
const NAMED: usize = 3;

/// Says which of these series have no verdict yet, and what they lack. A single revision has
/// nothing to be compared with, which needs no word.
pub fn tell_of_unjudged(found: &StoredChanges, shown: &[Series]) {
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

/// What judges a history of so few revisions, as words that go on.
fn compared_instead(series: &Series) -> Option<String> {
    let measured = series.points.iter().filter(|point| !point.values.is_empty());
    let names: Vec<&str> = measured.map(|point| point.revision.short()).collect();
    match names.as_slice() {
        [first, last] | [first, _, last] => {
            Some(format!("; `tacho compare {first} {last}` compares two"))
        }
        _ => None,
    }
}

/// Warns of benchmarks whose wall time in that run was mostly the start of a process.
pub fn tell_of_short(
    store: &mut Store,
    run: Option<i64>,
    shown: &[Series],
) -> Result<(), CliError> {
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
        let (benchmark, start) = (&series.key.benchmark, Unit::Nanoseconds.show(start));
        let what = "is the start of a process";
        output::note(
            "warning",
            &format!("most of the time of `{benchmark}` {what}: `true` takes {start} here"),
        );
        is_any = true;
    }
    if is_any {
        output::note("hint", "repeat the work many times within one execution");
    }
    Ok(())
}
