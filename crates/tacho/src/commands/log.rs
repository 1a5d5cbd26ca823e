//! `tacho log`: the runs, newest first.

use std::collections::HashSet;
use std::time::Duration;

use serde::Serialize;
use tacho_experiment::took;
use tacho_record::{Purpose, Run, RunState};
use tacho_store::Store;

use super::Exit;
use crate::cli::{Global, Log};
use crate::error::CliError;
use crate::output::answer::{self, RunAnswer, Surroundings};
use crate::output::{self, table, text};
use crate::project::Project;

pub fn execute(global: &Global, command: &Log) -> Result<Exit, CliError> {
    let mut store = Project::open(global)?.store_to_read()?;
    let mut runs = store.runs()?;
    runs.sort_by_key(|run| std::cmp::Reverse(run.number));
    runs.truncate(command.number.unwrap_or(usize::MAX));
    let counts = runs.iter().map(|run| counts(&mut store, run)).collect::<Result<Vec<_>, _>>()?;
    if command.json {
        let answer = |(run, counts): (_, &_)| answer(&mut store, run, *counts);
        let runs = runs.iter().zip(&counts).map(answer).collect::<Result<_, _>>()?;
        output::print_json(&answer::versioned(Runs { runs }))?;
        return Ok(Exit::Success);
    }
    let head =
        ["run", "started", "took", "state", "host", "revisions", "cells", "rounds", "samples", "seed", ""];
    let mut list = table::plain(&head, &[0, 2, 5, 6, 7, 8, 9]);
    for (run, [revisions, cells, samples]) in runs.iter().zip(counts) {
        let took = took(&mut store, run)?;
        list.add_row(row(run, took, [revisions, cells, run.rounds as usize, samples]));
    }
    if !list.is_empty() {
        table::hide_empty_columns(&mut list);
    }
    output::print(&table::render(&list))?;
    Ok(Exit::Success)
}

/// The answer in JSON.
#[derive(Serialize)]
struct Runs<'a> {
    runs: Vec<RunAnswer<'a>>,
}

/// A run in the answer.
fn answer<'a>(store: &mut Store, run: &'a Run, counts: [usize; 3]) -> Result<RunAnswer<'a>, CliError> {
    let surroundings = Surroundings {
        conditions: store.conditions(run.number)?,
        waits: store.waits(run.number)?,
        disturbed: store.disturbed(run.number)?,
        took: took(store, run)?,
    };
    Ok(RunAnswer::of(run, surroundings, counts))
}

/// How many revisions, cells and samples a run has.
fn counts(store: &mut Store, run: &Run) -> Result<[usize; 3], CliError> {
    let cells = store.cells(run.number)?;
    let revisions: HashSet<&str> = cells.iter().map(|(_, cell)| cell.revision.as_str()).collect();
    Ok([revisions.len(), cells.len(), store.places(run.number)?.len()])
}

fn row(run: &Run, took: Option<Duration>, counts: [usize; 4]) -> Vec<String> {
    let state = match run.state {
        RunState::Abandoned => "abandoned",
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
    row.push(match run.purpose {
        Purpose::Bisect => "to bisect".to_owned(),
        Purpose::Compare => "to compare two programs".to_owned(),
        Purpose::Confirm => "to confirm changes".to_owned(),
        Purpose::Layouts => "to compare layouts".to_owned(),
        Purpose::Track => String::new(),
    });
    row
}
