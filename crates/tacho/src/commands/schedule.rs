//! `tacho track --since-last`: what has come since.

use std::time::Duration;

use tacho_experiment::resume_points;
use tacho_record::Revision;
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
    for start in resume_points(&mut store, host)?.into_iter().take(TRIED) {
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
            SubjectError::UnknownRevision { name, .. }
            | SubjectError::UnknownPoint { name, .. }
            | SubjectError::UnknownRelease { name, .. },
        ) if name != end => Ok(None),
        Err(error) => Err(error.into()),
    }
}
