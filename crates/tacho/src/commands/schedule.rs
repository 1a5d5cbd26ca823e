//! `tacho track --since-last`: what has come since.

use std::collections::HashSet;
use std::time::Duration;

use tacho_record::{BuildState, Digest, Purpose, Revision};
use tacho_store::{HostId, Store, StoreError};
use tacho_subject::{History, RevisionQuery, Selection, SubjectError, fetch, history};

use super::notify::Teller;
use super::track;
use crate::cli::{GlobalArgs, ScheduleArgs, TrackArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::project::Project;

/// How many revisions are tried as a start: others may lie on branches, or be gone.
const TRIED: usize = 100;

/// Tracks as the schedule says, and reports what changed.
pub fn execute(global: &GlobalArgs, command: &TrackArgs) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let ScheduleArgs { since_last, fetch: fetched, notify, .. } = &command.schedule;
    let limit = tacho_record::duration(&command.schedule.fetch_timeout)?;
    let complete = !fetched || fetch_said(&project, limit)?;
    let teller = notify.as_deref().map(|notify| Teller::open(&project, notify)).transpose()?;
    let exit = if *since_last {
        since(global, &project, command)?
    } else {
        track::measure(global, command)?
    };
    let told = match &teller {
        Some(teller) if !command.dry_run && (exit == Exit::Success || exit == Exit::Error) => {
            let doubts = !command.schedule.no_confirm;
            if doubts
                && !teller.doubt(&project, &command.begin, global.quiet || command.shown.json)?
            {
                return Ok(Exit::Interrupted);
            }
            teller.tell(&project)?
        }
        _ => Exit::Success,
    };
    Ok(match (exit, told) {
        (Exit::Success, _) if !complete => Exit::Error,
        (Exit::Success, told) => told,
        (exit, _) => exit,
    })
}

/// Whether fetching went well; why it did not is said.
fn fetch_said(project: &Project, limit: Duration) -> Result<bool, CliError> {
    match fetch(&project.plan.subject, &project.folder, limit) {
        Err(error @ SubjectError::Git { .. }) => {
            output::note("error", &format!("{error}; what is there is measured"));
            Ok(false)
        }
        fetched => Ok(fetched.map(|()| true)?),
    }
}

fn since(global: &GlobalArgs, project: &Project, command: &TrackArgs) -> Result<Exit, CliError> {
    let mut store = project.store()?;
    let host = store.put_host(&tacho_measure::host())?;
    let end = match command.revisions.as_slice() {
        [] => "",
        [end] if !end.contains("..") => end,
        _ => return Err(CliError::EndAlone),
    };
    let history = history(&project.plan.subject, &project.folder)?;
    for start in starts(&mut store, host)?.into_iter().take(TRIED) {
        match comes_after(history.as_ref(), &start, end)? {
            Some(true) => {
                drop(store);
                let range = vec![format!("{}..{end}", start.id)];
                return track::measure(global, &TrackArgs { revisions: range, ..command.clone() });
            }
            Some(false) => return Ok(Exit::Success),
            None => {}
        }
    }
    Err(CliError::NothingTracked)
}

/// Whether there is something after that revision; nothing where the way to the end does not pass
/// it.
fn comes_after(
    history: &dyn History,
    start: &Revision,
    end: &str,
) -> Result<Option<bool>, CliError> {
    let to = Some(end.to_owned()).filter(|end| !end.is_empty());
    let selection = Selection {
        what: RevisionQuery::Range { from: Some(start.id.clone()), to },
        ..Selection::parse_range("")
    };
    match history.select(&selection) {
        Ok(selected) => {
            Ok(selected.revisions.first().filter(|first| first.id == start.id).map(|_| true))
        }
        Err(SubjectError::EmptyRange { same, .. }) => Ok(same.then_some(false)),
        // The end is the user's; it is not known whose fault it is unless the start is known to be
        // there.
        Err(
            error @ (SubjectError::UnknownRevision { .. }
            | SubjectError::UnknownPoint { .. }
            | SubjectError::UnknownRelease { .. }),
        ) => {
            let is_end = error.to_string().contains(&format!("`{end}`"));
            if is_end { Err(error.into()) } else { Ok(None) }
        }
        Err(error) => Err(error.into()),
    }
}

/// The revisions from which tracking may go on, the best first: the newest that was measured to the
/// end, or of which nothing can be measured, with nothing before it that was built and not
/// measured; then those before it.
fn starts(store: &mut Store, host: HostId) -> Result<Vec<Revision>, StoreError> {
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
