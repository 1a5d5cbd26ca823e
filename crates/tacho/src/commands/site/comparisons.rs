//! The runs that compared two programs, read back from the store.

use tacho_experiment::compare::{
    FALSE_DISCOVERIES, carried_over, gate_record, judged, judged_together, loads,
};
use tacho_record::{Comparing, LimitedExecutions, Metric, Purpose, Run, RunState, Sample};
use tacho_report::comparison::ComparedRow;
use tacho_site::{ComparisonRecord, RowExecutions};
use tacho_store::Store;

use crate::error::CliError;

/// All of them that were not given up, oldest first.
pub fn all(store: &mut Store) -> Result<Vec<ComparisonRecord>, CliError> {
    let is_one = |run: &Run| run.purpose == Purpose::Compare && run.state != RunState::Abandoned;
    let mut runs: Vec<Run> = store.runs()?.into_iter().filter(is_one).collect();
    runs.sort_by_key(|run| run.number);
    let mut all = Vec::new();
    for run in runs {
        if let Some(terms) = store.comparing(run.number)? {
            all.push(record(store, run, terms)?);
        }
    }
    Ok(all)
}

fn record(store: &mut Store, run: Run, terms: Comparing) -> Result<ComparisonRecord, CliError> {
    let mut cells: Vec<Vec<Sample>> = Vec::new();
    for (id, _) in store.cells(run.number)? {
        cells.push(store.samples(id)?);
    }
    let rows = judged(store, &run, &terms)?;
    let each = cells.len() / terms.rows.len().max(1);
    let of_row = |row: &ComparedRow| {
        let benchmark = terms.rows.iter().position(|(key, _)| *key == row.benchmark).unwrap_or(0);
        let first = benchmark * each;
        executions(&terms, &row.metric, cells.get(first..first + each).unwrap_or_default())
    };
    Ok(ComparisonRecord {
        gate: gate_record(&terms, &rows, run.state == RunState::Finished),
        carried: carried_over(store, &run, &terms)?,
        loads: loads(store, Some(&run), &terms)?,
        executions: rows.iter().map(of_row).collect(),
        together: judged_together(&rows),
        false_discovery: FALSE_DISCOVERIES,
        rows,
        run,
        terms,
    })
}

/// The executions of a row's cells: those of the first side, of the second, and of the control.
fn executions(terms: &Comparing, metric: &Metric, cells: &[Vec<Sample>]) -> RowExecutions {
    let [a, b] = terms.sides.each_ref().map(|side| side.program.builds());
    let builds = |from: usize, number: usize| -> Vec<Vec<f64>> {
        cells.iter().skip(from).take(number).map(|cell| values(cell, metric)).collect()
    };
    let cut_off = |from: usize, number: usize| -> Vec<Vec<f64>> {
        let of = |cell: &Vec<Sample>| LimitedExecutions::of(cell, metric).bounds;
        cells.iter().skip(from).take(number).map(of).collect()
    };
    RowExecutions {
        builds: [builds(0, a), builds(a, b), builds(a + b, a)],
        cut_off: [cut_off(0, a), cut_off(a, b), cut_off(a + b, a)],
    }
}

fn values(cell: &[Sample], metric: &Metric) -> Vec<f64> {
    cell.iter().filter(|it| it.counts()).filter_map(|it| it.value(&metric.name)).collect()
}
