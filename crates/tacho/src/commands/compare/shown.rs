//! `tacho show run:12`: what a run compared, judged again from its samples.

use serde::Serialize;
use tacho_experiment::compare::{Compared, Row, Rows, carried_over, judged};
use tacho_record::{Cell, Metric, Run, RunState, Sample, short_name};
use tacho_store::Store;

use super::mistake::Mistake;
use super::sides::told;
use crate::cli::Show;
use crate::commands::measured::sampled;
use crate::error::CliError;
use crate::output::answer::{SampleAnswer, versioned};
use crate::output::compare::{CompareAnswer, Report};
use crate::output::{self, table};

/// Prints what the run of that number compared.
pub fn print(store: &mut Store, number: &str, command: &Show) -> Result<(), CliError> {
    let unknown = || CliError::Unknown { name: format!("run:{number}"), nearest: None };
    let mistaken = [("--build-log", command.build_log), ("--output", command.output)];
    if let Some((option, _)) = mistaken.into_iter().find(|(_, asked)| *asked) {
        return Err(Mistake::OfRevision { option }.into());
    }
    let run = store.run(number.parse().map_err(|_| unknown())?)?.ok_or_else(unknown)?;
    let terms = store.comparing(run.number)?.ok_or(Mistake::NoComparison { run: run.number })?;
    let rows = chosen(judged(store, &run, &terms)?, command)?;
    let samples = if command.samples { samples_of(store, &run, &rows)? } else { Vec::new() };
    let metrics = metrics_of(&rows);
    let carried = carried_over(store, &run, &terms)?;
    let interrupted = run.state != RunState::Finished;
    let told = terms.sides.each_ref().map(|side| format!("{} ({})", side.name, told(&side.program)));
    let all = Rows { run: Some(run), terms: terms.clone(), interrupted, executing: None, rows, carried };
    let compared = Compared::Measured(Box::new(all));
    let report = Report {
        terms: &terms,
        told,
        compared: &compared,
        build: None,
        is_kept: true,
        fail_on: None,
        lone: Default::default(),
    };
    if command.shown.json {
        let samples = command.samples.then(|| samples.iter().map(CellAnswer::of).collect());
        Ok(output::print_json(&versioned(ShownAnswer { compared: report.answer(), samples }))?)
    } else if command.markdown {
        Ok(output::print(&report.markdown())?)
    } else {
        let samples: String = samples.iter().map(|cell| told_samples(cell, &metrics)).collect();
        Ok(output::print(&(report.text() + &samples))?)
    }
}

/// The rows of the benchmark and the metrics that are asked for. They are judged with all others of the run.
fn chosen(rows: Vec<Row>, command: &Show) -> Result<Vec<Row>, CliError> {
    let metrics = &command.shown.metric;
    let is_asked = |row: &Row, name: &String| name == "all" || *name == row.metric.name;
    if let Some(unknown) = metrics.iter().find(|name| !rows.iter().any(|row| is_asked(row, name))) {
        let known =
            metrics_of(&rows).into_iter().map(|metric| format!("`{}`", metric.name)).collect::<Vec<_>>();
        return Err(Mistake::NotCompared { metric: unknown.clone(), known: known.join(", ") }.into());
    }
    let by_metric = |row: &Row| metrics.is_empty() || metrics.iter().any(|name| is_asked(row, name));
    Ok(rows.into_iter().filter(|row| command.names(&row.benchmark) && by_metric(row)).collect())
}

/// The metrics of these rows, each once.
fn metrics_of(rows: &[Row]) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = Vec::new();
    for row in rows {
        if !metrics.iter().any(|metric| metric.name == row.metric.name) {
            metrics.push(row.metric.clone());
        }
    }
    metrics
}

/// What a run measured of a program by a benchmark.
struct Sampled {
    run: i64,
    cell: Cell,
    samples: Vec<Sample>,
}

/// All samples of the benchmarks of these rows, of both sides and of their control.
fn samples_of(store: &mut Store, run: &Run, rows: &[Row]) -> Result<Vec<Sampled>, CliError> {
    let mut all = Vec::new();
    for (id, cell) in store.cells(run.number)? {
        if rows.iter().any(|row| row.benchmark.name == cell.benchmark.name) {
            all.push(Sampled { run: run.number, cell, samples: store.samples(id)? });
        }
    }
    Ok(all)
}

fn told_samples(Sampled { run, cell, samples }: &Sampled, metrics: &[Metric]) -> String {
    let rows = sampled(samples.iter().map(|sample| (*run, sample)), metrics);
    format!("\n{} at {}\n{}", cell.benchmark, short_name(&cell.revision), table::indent(&rows))
}

/// What was compared, and what of it was measured, if that is asked for.
#[derive(Serialize)]
struct ShownAnswer<'a> {
    #[serde(flatten)]
    compared: CompareAnswer<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<Vec<CellAnswer<'a>>>,
}

#[derive(Serialize)]
struct CellAnswer<'a> {
    benchmark: String,
    revision: &'a str,
    samples: Vec<SampleAnswer<'a>>,
}

impl<'a> CellAnswer<'a> {
    fn of(cell: &'a Sampled) -> Self {
        let samples = cell.samples.iter().map(|sample| SampleAnswer::of(cell.run, sample, None)).collect();
        Self { benchmark: cell.cell.benchmark.to_string(), revision: &cell.cell.revision, samples }
    }
}
