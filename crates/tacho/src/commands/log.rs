//! `tacho log`: the runs, newest first.

use std::collections::HashSet;

use serde::Serialize;
use tacho_experiment::analysis::failed_cells::{FailedCell, failed_cells};
use tacho_experiment::analysis::reference;
use tacho_experiment::machine::{self, MachineChanges};
use tacho_experiment::took;
use tacho_record::bisection::Bisection;
use tacho_record::{Purpose, Revision, Run, RunState};
use tacho_report::bisection::found;
use tacho_report::host::machine_changed;
use tacho_store::Store;

use super::run_words;
use crate::cli::{GlobalArgs, LogArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::answer::{self, RunAnswer, Surroundings};
use crate::output::{self, table, text};
use crate::project::Project;

pub fn execute(global: &GlobalArgs, command: &LogArgs) -> Result<Exit, CliError> {
    let mut store = Project::open(global)?.store_to_read()?;
    let mut runs = store.runs()?;
    if runs.is_empty() {
        return Err(CliError::NothingMeasured);
    }
    runs.sort_by_key(|run| std::cmp::Reverse(run.number));
    runs.truncate(command.number.map_or(usize::MAX, |number| number as usize));
    let counts = runs.iter().map(|run| counts(&mut store, run)).collect::<Result<Vec<_>, _>>()?;
    if command.json {
        let revisions = store.revisions()?;
        let answer = |(run, counts): (_, &_)| answer(&mut store, (run, &revisions), *counts);
        let runs = runs.iter().zip(&counts).map(answer).collect::<Result<Vec<_>, _>>()?;
        output::print_json(&answer::versioned(RunsAnswer { runs }))?;
        return Ok(Exit::Success);
    }
    let revisions = store.revisions()?;
    let mut rows = Vec::new();
    for (run, [_, _, samples]) in runs.iter().zip(counts) {
        let took = took(&mut store, run)?.map_or_else(String::new, text::duration);
        let what = described(&mut store, run, &revisions)?;
        rows.push(([took, samples.to_string()], what));
    }
    output::print(&listed(&runs, &rows))?;
    output::print(&changed(&mut store, &runs)?)?;
    if runs.iter().any(|run| matches!(run.purpose, Purpose::Compare | Purpose::Probe)) {
        output::print("\n`tacho show run:N` shows what run N compared or probed\n")?;
    }
    Ok(Exit::Success)
}

/// The runs as a table in which what each was takes the rest of the width.
fn listed(runs: &[Run], rows: &[([String; 2], String)]) -> String {
    let several = runs.iter().any(|run| run.host != runs[0].host);
    let render = |room: usize| {
        let mut list =
            table::plain(&["run", "started", "measuring", "samples", "host", "what"], &[0, 2, 3]);
        for (run, ([took, samples], what)) in runs.iter().zip(rows) {
            let host = if several { run.host.clone() } else { String::new() };
            let cells = [
                run.number.to_string(),
                text::moment(run.started),
                took.clone(),
                samples.clone(),
                host,
            ];
            let what = text::wrap(what, Some(room)).trim_end().to_owned();
            list.add_row(cells.into_iter().chain([what]));
        }
        if !list.is_empty() {
            table::hide_empty_columns(&mut list);
        }
        table::render(&list)
    };
    let widest = render(LEAST).lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let width = output::terminal_width().unwrap_or(output::COLUMNS);
    render(LEAST + width.saturating_sub(widest))
}

/// The changes of the machine since the run before, one a line.
fn changed(store: &mut Store, runs: &[Run]) -> Result<String, CliError> {
    let width = Some(output::terminal_width().unwrap_or(output::COLUMNS));
    let mut lines = String::new();
    for run in runs {
        let Some(MachineChanges { since, what }) = machine::since_last(store, run)? else {
            continue;
        };
        let line = format!("run {}: {}\n", run.number, machine_changed(since, &what));
        lines += &text::wrap(&line, width);
    }
    Ok(if lines.is_empty() { lines } else { format!("\n{lines}") })
}

/// The run in words: its state first, if unusual, and the end of a bisection last.
fn described(store: &mut Store, run: &Run, revisions: &[Revision]) -> Result<String, CliError> {
    let what = run_words::of_run(store, run, revisions)?;
    if let Some(bisection) = bisection_of(store, run)?.filter(|it| it.standing.found.is_some()) {
        return Ok(format!("{what}: {}", found(&bisection)));
    }
    let state = (run.state != RunState::Finished).then(|| run.state.word());
    Ok(state.map_or_else(|| what.clone(), |state| format!("{state}: {what}")))
}

/// The bisection of the run; `None` for other runs.
pub(super) fn bisection_of(store: &mut Store, run: &Run) -> Result<Option<Bisection>, CliError> {
    if run.purpose != Purpose::Bisect {
        return Ok(None);
    }
    Ok(store.bisection_of(run.number)?)
}

/// The least width of a run's description.
const LEAST: usize = 20;

/// The answer in JSON.
#[derive(Serialize)]
struct RunsAnswer<T> {
    runs: Vec<T>,
}

/// A run by itself, with its failures.
#[derive(Serialize)]
struct OneRunAnswer<'a> {
    #[serde(flatten)]
    run: RunAnswer<'a>,
    failures: Vec<FailedCellAnswer>,
}

/// Executions of a benchmark at a revision that failed.
#[derive(Serialize)]
struct FailedCellAnswer {
    benchmark: String,
    revision: String,
    failed: usize,
    failure: String,
}

impl From<FailedCell> for FailedCellAnswer {
    fn from(FailedCell { cell, failed, why }: FailedCell) -> Self {
        let (benchmark, revision) = (cell.benchmark.to_string(), cell.revision);
        Self { benchmark, revision, failed, failure: why }
    }
}

/// Prints one run as JSON.
pub(super) fn print_one(store: &mut Store, run: &Run) -> Result<(), CliError> {
    let (counts, revisions) = (counts(store, run)?, store.revisions()?);
    let failures = failed_cells(store, run)?.into_iter().map(FailedCellAnswer::from).collect();
    let run = OneRunAnswer { run: answer(store, (run, &revisions), counts)?, failures };
    Ok(output::print_json(&answer::versioned(RunsAnswer { runs: vec![run] }))?)
}

/// A run in the answer.
fn answer<'a>(
    store: &mut Store,
    (run, revisions): (&'a Run, &[Revision]),
    counts: [usize; 3],
) -> Result<RunAnswer<'a>, CliError> {
    let surroundings = Surroundings {
        conditions: store.conditions(run.number)?,
        waits: store.waits(run.number)?,
        disturbed: store.disturbed(run.number)?,
        took: took(store, run)?,
        changed: machine::since_last(store, run)?.map(|changes| changes.what).unwrap_or_default(),
        reference: reference::summary(store, run)?,
    };
    let what = run_words::of_run(store, run, revisions)?;
    Ok(RunAnswer::of(run, what, surroundings, counts))
}

/// How many revisions, cells and samples a run has. The samples of a bisection are those that its
/// answer counts: without warmups and without executions that were of no use.
pub(super) fn counts(store: &mut Store, run: &Run) -> Result<[usize; 3], CliError> {
    let cells = store.cells(run.number)?;
    let revisions: HashSet<&str> = cells.iter().map(|(_, cell)| cell.revision.as_str()).collect();
    let samples = match bisection_of(store, run)? {
        Some(bisection) => bisection.standing.samples,
        None => store.places(run.number)?.len(),
    };
    Ok([revisions.len(), cells.len(), samples])
}
