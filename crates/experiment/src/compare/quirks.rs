//! The effects of quirks on the numbers, read back from the runs that compared a revision with and
//! without one.

use tacho_record::{Purpose, RunState};
use tacho_report::quirk::QuirkEffect;
use tacho_store::Store;

use super::judged;
use crate::ExperimentError;

/// All that is known, the last of each: an earlier one of the same quirk, edge, host, benchmark and
/// metric is left out.
pub fn quirk_effects(store: &mut Store) -> Result<Vec<QuirkEffect>, ExperimentError> {
    let mut runs = store.runs()?;
    runs.retain(|run| run.purpose == Purpose::Compare && run.state != RunState::Abandoned);
    runs.sort_by_key(|run| run.number);
    let mut all: Vec<QuirkEffect> = Vec::new();
    for run in runs {
        let Some(terms) = store.comparing(run.number)? else { continue };
        let Some(edge) = &terms.quirk else { continue };
        let at = terms.sides[1].program.revision().unwrap_or(&edge.revision).to_owned();
        for row in judged(store, &run, &terms)? {
            let (edge, at, host) = (edge.clone(), at.clone(), run.host.clone());
            let new = QuirkEffect { edge, at, run: run.number, host, row };
            all.retain(|old| !is_of_the_same(old, &new));
            all.push(new);
        }
    }
    Ok(all)
}

fn is_of_the_same(one: &QuirkEffect, other: &QuirkEffect) -> bool {
    let of = |it: &QuirkEffect| (it.edge.clone(), it.host.clone(), it.row.metric.name.clone());
    of(one) == of(other) && one.row.benchmark == other.row.benchmark
}
