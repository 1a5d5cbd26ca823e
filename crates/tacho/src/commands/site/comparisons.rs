//! The runs that compared two programs, read back from the store.

use std::time::Duration;

use tacho_experiment::compare::{FALSE_DISCOVERIES, Row, carried_over, judged};
use tacho_record::{Comparing, Limited, Metric, Purpose, Run, RunState, Sample};
use tacho_site::{ComparedRow, ComparisonRecord};
use tacho_store::Store;

use crate::commands::compare::told;
use crate::error::CliError;
use crate::output::compare::stood;

/// All of them that were not given up, oldest first.
pub fn all(store: &mut Store) -> Result<Vec<ComparisonRecord>, CliError> {
    let is_one = |run: &Run| run.purpose == Purpose::Compare && run.state != RunState::Abandoned;
    let mut runs: Vec<Run> = store.runs()?.into_iter().filter(is_one).collect();
    runs.sort_by_key(|run| run.number);
    let mut all = Vec::new();
    for run in runs {
        if let Some(terms) = store.comparing(run.number)? {
            all.push(record(store, run, &terms)?);
        }
    }
    Ok(all)
}

fn record(store: &mut Store, run: Run, terms: &Comparing) -> Result<ComparisonRecord, CliError> {
    let mut cells: Vec<Vec<Sample>> = Vec::new();
    for (id, _) in store.cells(run.number)? {
        cells.push(store.samples(id)?);
    }
    let rows = judged(store, &run, terms)?;
    let gate = stood(terms, &rows, run.state == RunState::Finished);
    let carried = carried_over(store, &run, terms)?;
    let each = cells.len() / terms.rows.len().max(1);
    let of_benchmark =
        |row: &Row| terms.rows.iter().position(|(key, _)| *key == row.benchmark).unwrap_or(0);
    let compared = |row: Row| {
        let first = of_benchmark(&row) * each;
        compared(terms, row, cells.get(first..first + each).unwrap_or_default())
    };
    Ok(ComparisonRecord {
        run: run.number,
        names: terms.sides.each_ref().map(|side| side.name.clone()),
        told: terms.sides.each_ref().map(|side| told(&side.program)),
        revisions: terms.sides.each_ref().map(|side| side.program.revision().map(str::to_owned)),
        host: run.host,
        started: run.started,
        state: run.state,
        margin: terms.margin,
        control: terms.control,
        duet: terms.duet,
        quirk: terms.quirk.clone(),
        patches: terms.patches.clone(),
        executed: [terms.executes(0), terms.executes(1)],
        earlier: terms.earlier.map(|earlier| earlier.map(|it| it.run)),
        otherwise: terms.otherwise.clone(),
        gate,
        false_discovery: FALSE_DISCOVERIES,
        carried: carried.map(|it| (it.benchmark.to_string(), it.side, it.share)),
        rows: rows.into_iter().map(compared).collect(),
    })
}

/// A row, with the executions of its cells: those of the first side, of the second, and of the
/// control.
fn compared(terms: &Comparing, row: Row, cells: &[Vec<Sample>]) -> ComparedRow {
    let [a, b] = terms.sides.each_ref().map(|side| side.program.builds());
    let builds = |from: usize, number: usize| -> Vec<Vec<f64>> {
        cells.iter().skip(from).take(number).map(|cell| values(cell, &row.metric)).collect()
    };
    let cut_off = |from: usize, number: usize| -> Vec<Vec<f64>> {
        let of = |cell: &Vec<Sample>| Limited::of(cell, &row.metric).bounds;
        cells.iter().skip(from).take(number).map(of).collect()
    };
    ComparedRow {
        builds: [builds(0, a), builds(a, b), builds(a + b, a)],
        cut_off: [cut_off(0, a), cut_off(a, b), cut_off(a + b, a)],
        comparison: row.comparison,
        verdict: row.verdict,
        round: Duration::try_from_secs_f64(row.round / 1e9).unwrap_or_default(),
        sides: row.sides,
        limited: row.limited,
        levels: row.levels,
        failure: row.failure.map(|(why, _)| why),
        benchmark: row.benchmark,
        metric: row.metric,
    }
}

fn values(cell: &[Sample], metric: &Metric) -> Vec<f64> {
    cell.iter().filter(|it| it.counts()).filter_map(|it| it.value(&metric.name)).collect()
}
