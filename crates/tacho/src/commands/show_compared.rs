//! The comparisons that measured a revision, for `tacho show REV`.

use tacho_experiment::compare::judged;
use tacho_record::{Purpose, Revision, Run, RunState};
use tacho_report::comparison::counts;
use tacho_store::Store;

use super::run_words;
use crate::error::CliError;
use crate::output::revision_details::ComparisonOfRevision;

/// All of them, oldest first; a gate and a try are comparisons, too.
pub fn of(
    store: &mut Store,
    revision: &Revision,
    revisions: &[Revision],
) -> Result<Vec<ComparisonOfRevision>, CliError> {
    let is_one = |run: &Run| run.purpose == Purpose::Compare && run.state != RunState::Abandoned;
    let mut runs: Vec<Run> = store.runs()?.into_iter().filter(is_one).collect();
    runs.sort_by_key(|run| run.number);
    let mut all = Vec::new();
    for run in runs {
        let Some(terms) = store.comparing(run.number)? else { continue };
        let is_side =
            terms.sides.iter().any(|it| it.program.revision() == Some(revision.id.as_str()));
        if is_side {
            let words = run_words::of_run(store, &run, revisions)?;
            let verdicts = counts(&judged(store, &run, &terms)?);
            all.push(ComparisonOfRevision { run: run.number, words, verdicts });
        }
    }
    Ok(all)
}
