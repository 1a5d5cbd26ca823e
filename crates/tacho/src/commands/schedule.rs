//! `tacho track --since-last`: what has come since.

use std::time::Duration;

use tacho_experiment::{NextRange, next_range};
use tacho_subject::{SubjectError, fetch, history};

use super::notify::Notifier;
use super::track;
use crate::cli::{GlobalArgs, ScheduleArgs, TrackArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::project::Project;

/// Tracks as the schedule says, and reports what changed.
pub fn execute(global: &GlobalArgs, command: &TrackArgs) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let ScheduleArgs { since_last, fetch: fetched, notify, .. } = &command.schedule;
    let limit = tacho_record::duration(&command.schedule.fetch_timeout)?;
    let complete = !fetched || fetch_said(&project, limit)?;
    let notifier = notify.as_deref().map(|notify| Notifier::open(&project, notify)).transpose()?;
    let exit = if *since_last {
        since(global, &project, command)?
    } else {
        track::measure(global, command)?
    };
    let reported = match &notifier {
        Some(notifier) if !command.dry_run && (exit == Exit::Success || exit == Exit::Error) => {
            let doubts = !command.schedule.no_confirm;
            if doubts
                && !notifier.doubt(&project, &command.begin, global.quiet || command.shown.json)?
            {
                return Ok(Exit::Interrupted);
            }
            notifier.announce(&project)?
        }
        _ => Exit::Success,
    };
    Ok(match (exit, reported) {
        (Exit::Success, _) if !complete => Exit::Error,
        (Exit::Success, reported) => reported,
        (exit, _) => exit,
    })
}

/// Fetches, and reports a failure. Returns whether it succeeded.
fn fetch_said(project: &Project, limit: Duration) -> Result<bool, CliError> {
    match fetch(&project.plan.subject, &project.folder, limit) {
        Err(error @ SubjectError::Git { .. }) => {
            output::note("error", &format!("{error}; measuring what is present"));
            Ok(false)
        }
        fetched => Ok(fetched.map(|()| true)?),
    }
}

fn since(global: &GlobalArgs, project: &Project, command: &TrackArgs) -> Result<Exit, CliError> {
    let mut store = project.store()?;
    let host = store.put_host(&tacho_machine::host())?;
    let end = match command.revisions.as_slice() {
        [] => "",
        [end] if !end.contains("..") => end,
        _ => return Err(CliError::EndAlone),
    };
    let history = history(&project.plan.subject, &project.folder)?;
    match next_range(&mut store, host, history.as_ref(), end)? {
        Some(NextRange::After(start)) => {
            drop(store);
            let range = vec![format!("{}..{end}", start.id)];
            track::measure(global, &TrackArgs { revisions: range, ..command.clone() })
        }
        Some(NextRange::UpToDate) => {
            if !(global.quiet || command.shown.json) {
                output::note("note", "nothing is new since the last tracked revision");
            }
            Ok(Exit::Success)
        }
        None => Err(CliError::NothingTracked),
    }
}
