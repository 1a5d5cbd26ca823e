//! From which revisions tracking may go on.

use std::collections::HashSet;

use tacho_record::{BuildState, Digest, Purpose, Revision};
use tacho_store::{HostId, Store};

use crate::ExperimentError;

/// The revisions from which tracking may go on, the best first: the newest that was measured to the
/// end, or of which nothing can be measured, with nothing before it that was built and not
/// measured; then those before it.
pub fn resume_points(store: &mut Store, host: HostId) -> Result<Vec<Revision>, ExperimentError> {
    let (mut cells, mut artifacts): (HashSet<String>, HashSet<Digest>) =
        (HashSet::new(), HashSet::new());
    for run in store.finished_runs(host)?.into_iter().filter(|run| run.purpose == Purpose::Track) {
        for (_, cell) in store.cells(run.number)? {
            cells.insert(cell.revision);
            artifacts.insert(cell.artifact);
        }
    }
    let builds = store.builds(host)?;
    let is_done =
        |state: &BuildState| state.artifact().is_none_or(|artifact| artifacts.contains(&artifact));
    let done: HashSet<&str> = builds
        .iter()
        .filter(|build| is_done(&build.state))
        .map(|build| build.revision.as_str())
        .collect();
    let tried: HashSet<&str> = builds.iter().map(|build| build.revision.as_str()).collect();
    let mut revisions = store.revisions()?;
    revisions.retain(|revision| tried.contains(revision.id.as_str()));
    let Some(measured) = revisions.iter().rposition(|revision| cells.contains(&revision.id)) else {
        return Ok(Vec::new());
    };
    let after =
        revisions[measured + 1..].iter().take_while(|revision| done.contains(revision.id.as_str()));
    let last = measured + after.count();
    revisions.truncate(last + 1);
    revisions.reverse();
    Ok(revisions)
}
