//! The line of history that a store shows: that of the revisions which were tracked last.
//!
//! Revisions of two branches have places that mean nothing beside one another, so that one branch's
//! level would be a change of the other. The same holds for commits that an amend or a rebase
//! replaced.

use std::collections::{HashMap, HashSet};

use tacho_record::{Commit, Revision};
use tacho_store::Store;
use tacho_subject::{History, HistoryRelation, SelectedRevisions};

use crate::ExperimentError;

/// Takes revisions out of the store's history that are neither before nor after the newest of the
/// selected ones, and gives the others the places that they have in its history; how many measured
/// ones were taken out.
///
/// What was measured of them stays, and is shown again when they are tracked again.
pub fn keep_to_line(
    store: &mut Store,
    history: &dyn History,
    selected: &SelectedRevisions,
) -> Result<usize, ExperimentError> {
    let Some(newest) = selected.revisions.iter().max_by_key(|it| it.order) else { return Ok(0) };
    let requested: HashSet<&str> = selected.revisions.iter().map(|it| it.id.as_str()).collect();
    let mut stored = store.revisions()?;
    stored.retain(|it| !requested.contains(it.id.as_str()));
    let relations = history.passed(&newest.id, &stored)?;
    let others = stored.iter().zip(relations);
    let others = others.filter(|(_, relation)| *relation != HistoryRelation::Later);
    let others: Vec<&str> = others.map(|(it, _)| it.id.as_str()).collect();
    let mut outside = history.outside(&newest.id, &others)?;
    let (measured, taken_out) = (measured(store)?, outside.clone());
    replace(store, &stored, &selected.commits)?;
    if let Some(first) =
        stored.iter().filter(|it| outside.contains(&it.id)).map(|it| it.order).min()
    {
        // Commits between the branches' fork and the first of these were not measured.
        let fork = stored.iter().filter(|it| it.order < first).map(|it| it.order).max();
        let commits = store.commits(fork.unwrap_or(0), u64::MAX)?;
        let ids: Vec<&str> = commits.iter().map(|it| it.id.as_str()).collect();
        let later = later(history, newest, &commits)?;
        let beside = history.outside(&newest.id, &ids)?;
        outside.extend(beside.into_iter().filter(|id| !later.contains(id)));
        store.take_out(&outside)?;
    }
    Ok(taken_out.iter().filter(|id| measured.contains(*id)).count())
}

/// Those of these commits that have the revision in their history.
fn later(
    history: &dyn History,
    newest: &Revision,
    commits: &[Commit],
) -> Result<HashSet<String>, ExperimentError> {
    let bare: Vec<Revision> = commits.iter().map(|it| Revision::bare(&it.id)).collect();
    let relations = history.passed(&newest.id, &bare)?;
    let later = bare.into_iter().zip(relations);
    let later = later.filter(|(_, relation)| *relation == HistoryRelation::Later);
    Ok(later.map(|(it, _)| it.id).collect())
}

/// Gives stored revisions the places that these commits have: a commit of a side branch that was
/// measured as the end of a range is before the merge that brought it.
fn replace(
    store: &mut Store,
    stored: &[Revision],
    commits: &[Commit],
) -> Result<(), ExperimentError> {
    let places: HashMap<&str, u64> = commits.iter().map(|it| (it.id.as_str(), it.order)).collect();
    let moved = stored.iter().filter_map(|it| {
        let order = *places.get(it.id.as_str())?;
        (order != it.order).then(|| Revision { order, ..it.clone() })
    });
    let moved: Vec<Revision> = moved.collect();
    Ok(store.put_revisions(&moved)?)
}

/// The revisions with samples, on any host.
fn measured(store: &mut Store) -> Result<HashSet<String>, ExperimentError> {
    let mut measured = HashSet::new();
    for (host, _) in store.named_hosts()? {
        let counts = store.counts(host)?.into_iter().filter(|count| count.valid > 0);
        measured.extend(counts.map(|count| count.revision));
    }
    Ok(measured)
}
