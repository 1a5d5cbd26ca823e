//! The runs that probed programs under disturbances, read back from the store.

use tacho_experiment::probe::kept_probe;
use tacho_record::{Purpose, Run, RunState, shown};
use tacho_site::ProbeRecord;
use tacho_store::Store;

use crate::error::CliError;
use crate::output::probe::reported;

/// All of them that were not given up, oldest first.
pub fn all(store: &mut Store) -> Result<Vec<ProbeRecord>, CliError> {
    let is_one = |run: &Run| run.purpose == Purpose::Probe && run.state != RunState::Abandoned;
    let mut runs: Vec<Run> = store.runs()?.into_iter().filter(is_one).collect();
    runs.sort_by_key(|run| run.number);
    let mut all = Vec::new();
    for run in runs {
        all.extend(record(store, run)?);
    }
    Ok(all)
}

fn record(store: &mut Store, run: Run) -> Result<Option<ProbeRecord>, CliError> {
    let Some(answer) = kept_probe(store, run)? else { return Ok(None) };
    let terms = &answer.terms;
    let revision = |it: &tacho_record::ProbeSide| it.side.program.revision().map(str::to_owned);
    Ok(Some(ProbeRecord {
        run: answer.run.number,
        names: terms.sides.iter().map(|it| shown(&it.side.name)).collect(),
        revisions: terms.sides.iter().map(revision).collect(),
        left_out: terms.left_out.clone(),
        rows: answer.rows.iter().map(|row| reported(&answer, row)).collect(),
    }))
}
