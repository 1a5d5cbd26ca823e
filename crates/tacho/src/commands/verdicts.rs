//! The notes beside the table of a history: that the history, or its executions, are too short.

use std::collections::BTreeMap;

use tacho_experiment::analysis::process_start::short_benchmarks;
use tacho_experiment::changes::{StoredChanges, ends_of_few};
use tacho_record::{Revision, Series, first_of, in_backticks};
use tacho_report::bench::warning;
use tacho_report::series::series_name;
use tacho_store::Store;

use crate::error::CliError;
use crate::output;
use crate::output::changes::not_judged;

/// How many series without a verdict are named at most.
const NAMED: usize = 3;

/// Says which of these series have no verdict yet, and what they lack.
pub fn report_unjudged(found: &StoredChanges, shown: &[Series]) {
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for series in found.unjudged(shown) {
        let Some(why) = not_judged(series) else { continue };
        reasons.entry(why).or_default().push(series_name(&series.material.series.key, false));
    }
    let instead = shown.iter().find_map(ends_of_few).map_or_else(String::new, |ends| {
        let [first, last] = ends.map(Revision::short);
        format!("; `tacho compare {first} {last}` compares two")
    });
    for (why, series) in reasons {
        let series = first_of(series, NAMED);
        output::note("note", &format!("no verdict yet for {series}: {why}{instead}"));
    }
}

/// Names the metrics that changed at the revisions of these tables, and have no table.
pub fn report_other_metrics(found: &StoredChanges, shown: &[Series]) {
    let metrics = found.other_metrics(shown);
    if !metrics.is_empty() {
        let changed = format!(
            "also changed at these revisions: {}; `tacho changes` shows where",
            in_backticks(metrics)
        );
        output::note("note", &changed);
    }
}

/// Warns of benchmarks whose wall time in that run was mostly the start of a process.
pub fn report_short(store: &mut Store, run: Option<i64>, shown: &[Series]) -> Result<(), CliError> {
    let Some(run) = run else { return Ok(()) };
    let short = short_benchmarks(store, run, shown)?;
    for (benchmark, start) in &short {
        output::note("warning", &format!("`{benchmark}`: {}", warning::mostly_start(*start)));
    }
    if !short.is_empty() {
        output::note("hint", warning::REPEAT_WORK);
    }
    Ok(())
}
