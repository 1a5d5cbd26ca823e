//! `tacho log`: the runs, newest first.

use tacho_record::{Run, RunState};

use super::Exit;
use crate::cli::{Global, Log};
use crate::error::CliError;
use crate::output::{self, table, text};
use crate::project::Project;

pub fn execute(global: &Global, command: &Log) -> Result<Exit, CliError> {
    let mut store = Project::open(global)?.store()?;
    let mut runs = store.runs()?;
    runs.sort_by_key(|run| std::cmp::Reverse(run.number));
    runs.truncate(command.number.unwrap_or(usize::MAX));
    if command.json {
        output::print_json(&runs)?;
        return Ok(Exit::Success);
    }
    let head = ["run", "started", "took", "state", "host", "revisions", "cells", "rounds", "samples", "seed"];
    let mut list = table::plain(&head, &[0, 2, 5, 6, 7, 8, 9]);
    for run in &runs {
        let cells = store.cells(run.number)?;
        let samples = store.places(run.number)?.len();
        let mut revisions: Vec<&str> = cells.iter().map(|(_, cell)| cell.revision.as_str()).collect();
        revisions.sort_unstable();
        revisions.dedup();
        list.add_row(row(run, [revisions.len(), cells.len(), run.rounds as usize, samples]));
    }
    output::print(&table::render(&list))?;
    Ok(Exit::Success)
}

fn row(run: &Run, counts: [usize; 4]) -> Vec<String> {
    let took =
        run.ended.and_then(|ended| std::time::Duration::try_from(ended.duration_since(run.started)).ok());
    let state = match run.state {
        RunState::Finished => "finished",
        RunState::Unfinished => "unfinished",
    };
    let mut row = vec![
        run.number.to_string(),
        text::moment(run.started),
        took.map_or_else(String::new, text::duration),
        state.to_owned(),
        run.host.clone(),
    ];
    row.extend(counts.map(|count| count.to_string()));
    row.push(run.seed.to_string());
    row
}
