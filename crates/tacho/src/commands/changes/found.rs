//! The meaning of names on the command line among changes.

use tacho_experiment::changes::{StoredChanges, UnknownChange};
use tacho_experiment::versions;
use tacho_record::{BenchmarkKey, Change, Revision, SeriesKey, in_backticks};
use tacho_report::detection;
use tacho_store::Store;
use tacho_subject::SubjectError;

use crate::commands::lookup;
use crate::error::CliError;
use crate::project::Project;

/// Judges all series of all hosts.
pub fn look(project: &Project, store: &mut Store) -> Result<StoredChanges, CliError> {
    let recipes = |revisions: &[Revision]| project.recipes(revisions);
    Ok(StoredChanges::look(store, &project.plan, &project.folder, recipes)?)
}

/// Checks that each requested benchmark is in the plan or in the store.
pub fn check_benchmarks(
    project: &Project,
    found: &StoredChanges,
    asked: &[String],
) -> Result<(), CliError> {
    let Some((name, known)) = found.unknown_benchmark(&project.plan, asked) else { return Ok(()) };
    Err(CliError::UnknownBenchmark { name: name.to_owned(), known: in_backticks(known) })
}

/// The series of the plan that are not judged since nothing was measured by the present command,
/// with the reason: only the version before was measured, or nothing at all.
pub fn edited(project: &Project, store: &mut Store) -> Result<Vec<(SeriesKey, String)>, CliError> {
    let host = store.named_hosts()?.pop().map(|(_, host)| host.name).unwrap_or_default();
    let planned = project.plan.keyed_benchmarks();
    let edited = versions::unmeasured(store, &project.plan)?.into_iter();
    let edited = edited.map(|(key, measured)| (detection::edited(&key, measured), key));
    let new = versions::never_executed(store, &project.plan)?.into_iter();
    let new = new.map(|key| (detection::not_executed(&key), key));
    let of = |(why, benchmark): (String, BenchmarkKey)| {
        let (entry, _) = planned.iter().find(|(_, key)| *key == benchmark)?;
        let metric = entry.metrics.first()?.metric.clone();
        Some((SeriesKey { benchmark, host: host.clone(), metric }, why))
    };
    Ok(edited.chain(new).filter_map(of).collect())
}

/// The changes that a name means: the change of that name, or all that are not withdrawn at a
/// revision.
pub fn named<'a>(
    project: &Project,
    found: &'a StoredChanges,
    name: &str,
) -> Result<Vec<&'a Change>, CliError> {
    let place = |name: &str| order(project, &found.revisions, name).ok();
    found.named(name, place).map_err(|why| match why {
        UnknownChange::Name { nearest } => {
            CliError::UnknownChange { name: name.to_owned(), nearest }
        }
        UnknownChange::NothingThere { was_there } => {
            CliError::NoChangeAt { name: name.to_owned(), was_there }
        }
    })
}

/// The same for several names, each change once.
pub fn all_named<'a>(
    project: &Project,
    found: &'a StoredChanges,
    names: &[String],
) -> Result<Vec<&'a Change>, CliError> {
    let mut all: Vec<&Change> = Vec::new();
    for name in names {
        for change in named(project, found, name)? {
            if !all.iter().any(|other| other.name == change.name) {
                all.push(change);
            }
        }
    }
    Ok(all)
}

/// After which and up to which place in history `A..B` is, or a revision alone.
pub fn range(
    project: &Project,
    revisions: &[Revision],
    range: Option<&str>,
) -> Result<(u64, u64), CliError> {
    let Some(range) = range else { return Ok((0, u64::MAX)) };
    let Some((from, to)) = range.split_once("..") else {
        let at = order(project, revisions, range)?;
        return Ok((at.saturating_sub(1), at));
    };
    if let Some(to) = to.strip_prefix('.') {
        let (from, to) = (from.to_owned(), to.to_owned());
        return Err(SubjectError::ThreeDots { from, to }.into());
    }
    let end =
        |name: &str, open| if name.is_empty() { Ok(open) } else { order(project, revisions, name) };
    let (first, last) = (end(from, 0)?, end(to, u64::MAX)?);
    if first >= last {
        let (from, to) = (from.to_owned(), to.to_owned());
        return Err(CliError::NoRange { from, to, is_same: first == last });
    }
    Ok((first, last))
}

/// A revision's place in history, measured or not.
fn order(project: &Project, revisions: &[Revision], name: &str) -> Result<u64, CliError> {
    lookup::known(project, revisions, name)
        .or_else(|error| lookup::in_history(project, name).ok_or(error))
        .map(|revision| revision.order)
}
