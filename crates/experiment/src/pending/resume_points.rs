//! From which revision tracking goes on.

use std::collections::HashSet;

use tacho_record::{BuildState, Digest, Purpose, Revision};
use tacho_store::{HostId, Store};
use tacho_subject::{History, RevisionQuery, Selection, SubjectError};

use crate::ExperimentError;

/// The number of revisions that are tried as a start: others may be on branches, or not exist any
/// more.
const TRIED: usize = 100;

/// The range with which tracking continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextRange {
    /// After this revision.
    After(Revision),
    /// There are no newer revisions.
    UpToDate,
}

/// The range with which tracking continues up to the revision named `end` (the newest, if empty);
/// `None` if no tracked revision of this host can be the start.
pub fn next_range(
    store: &mut Store,
    host: HostId,
    history: &dyn History,
    end: &str,
) -> Result<Option<NextRange>, ExperimentError> {
    for start in resume_points(store, host)?.into_iter().take(TRIED) {
        match comes_after(history, &start, end)? {
            Some(true) => return Ok(Some(NextRange::After(start))),
            Some(false) => return Ok(Some(NextRange::UpToDate)),
            None => {}
        }
    }
    Ok(None)
}

/// Whether there are newer revisions than this one; `None` if the history of the end does not
/// contain it.
fn comes_after(
    history: &dyn History,
    start: &Revision,
    end: &str,
) -> Result<Option<bool>, ExperimentError> {
    let to = Some(end.to_owned()).filter(|end| !end.is_empty());
    let what = RevisionQuery::Range { from: Some(start.id.clone()), to };
    match history.select(&Selection::commits(what)) {
        Ok(selected) => {
            Ok(selected.revisions.first().filter(|first| first.id == start.id).map(|_| true))
        }
        Err(SubjectError::EmptyRange { same, .. }) => Ok(same.then_some(false)),
        // The end is the user's; it is not known whose fault it is unless the start is known to be
        // there.
        Err(
            SubjectError::UnknownRevision { name, .. }
            | SubjectError::UnknownPoint { name, .. }
            | SubjectError::UnknownRelease { name, .. },
        ) if name != end => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The revisions from which tracking may go on, the best first: the newest that was measured to the
/// end, or of which nothing can be measured, with nothing before it that was built and not
/// measured; then those before it.
fn resume_points(store: &mut Store, host: HostId) -> Result<Vec<Revision>, ExperimentError> {
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
