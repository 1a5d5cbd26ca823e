//! `tacho show run:12` of a run that compares nothing: what it was, on what machine, and what
//! changed there since the run before.

use tacho_experiment::analysis::failed_cells::{FailedCell, failed_cells};
use tacho_experiment::analysis::reference;
use tacho_experiment::machine::{self, MachineChanges};
use tacho_experiment::took;
use tacho_record::{Run, short_name};
use tacho_report::{bisection as report_bisection, run as report_run, series as report_series};
use tacho_store::Store;

use super::{log, run_words};
use crate::cli::ShowArgs;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output::{self, text};

/// The largest number of cells whose failures the page describes.
const FAILED: usize = 5;

/// Prints the run.
pub fn print(store: &mut Store, run: &Run, command: &ShowArgs) -> Result<(), CliError> {
    let mistaken = [
        ("--build-log", command.build_log),
        ("--output", command.output),
        ("--diff", command.diff),
        ("--samples", command.samples),
        ("--markdown", command.markdown),
    ];
    if let Some((option, _)) = mistaken.into_iter().find(|(_, asked)| *asked) {
        return Err(CompareMistake::OfRevision { option }.into());
    }
    if command.shown.json {
        return log::print_one(store, run);
    }
    let revisions = store.revisions()?;
    let what = run_words::of_run(store, run, &revisions)?;
    let bisection = log::bisection_of(store, run)?;
    let lines =
        report_run::summary(run, bisection.as_ref(), &text::moment(run.started), took(store, run)?);
    let mut shown = format!("run {}: {what}\n{}\n", run.number, lines.join("\n"));
    let result = match &bisection {
        Some(bisection) => report_bisection::found(bisection),
        None => report_run::measured(log::counts(store, run)?),
    };
    shown += &text::wrap(&format!("{result}\n"), output::terminal_width());
    shown += &failures(store, run)?;
    shown += &machine(store, run)?;
    shown += "\nthe machine\n";
    shown += &output::doctor::named(&store.conditions(run.number)?);
    Ok(output::print(&shown)?)
}

/// The failed executions, and how the first of each cell failed.
fn failures(store: &mut Store, run: &Run) -> Result<String, CliError> {
    let line = |FailedCell { cell, failed, why }: FailedCell| {
        let of = format!("`{}` at {}", cell.benchmark, short_name(&cell.revision));
        format!("{of}: {}", report_series::failed(failed, &why))
    };
    let mut all: Vec<String> = failed_cells(store, run)?.into_iter().map(line).collect();
    let more = all.len().saturating_sub(FAILED);
    all.truncate(FAILED);
    all.extend((more > 0).then(|| format!("… and {more} more")));
    let width = output::terminal_width();
    let lines: String = all.iter().map(|line| text::wrap(&format!("{line}\n"), width)).collect();
    Ok(if lines.is_empty() { lines } else { format!("\n{lines}") })
}

/// The changes of the machine since the run before, and the reference's result.
pub fn machine(store: &mut Store, run: &Run) -> Result<String, CliError> {
    let mut lines = Vec::new();
    if let Some(MachineChanges { since, what }) = machine::since_last(store, run)? {
        lines.push(tacho_report::host::machine_changed(since, &what));
    }
    if let Some(summary) = reference::summary(store, run)? {
        lines.push(tacho_report::host::reference(&summary));
    }
    let width = output::terminal_width();
    Ok(lines.iter().map(|line| format!("\n{}", text::wrap(&format!("{line}\n"), width))).collect())
}
