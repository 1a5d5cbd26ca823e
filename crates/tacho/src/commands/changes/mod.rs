//! `tacho changes`: what changed, and only what changed.

pub(super) mod confirm;
mod filter;
pub(super) mod found;
mod from;
mod gathered;
pub(super) mod list;
mod set;
pub(super) mod show;

use std::path::Path;

use crate::cli::{ChangeQueryArgs, ChangesArgs, ChangesCommand, GlobalArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::project::Project;

pub fn execute(global: &GlobalArgs, command: &ChangesArgs) -> Result<Exit, CliError> {
    match &command.what {
        Some(ChangesCommand::List(listed)) => asked(global, listed),
        Some(ChangesCommand::Show { name, json }) => show::execute(global, name, *json),
        Some(ChangesCommand::Set { name, state, note }) => set::execute(global, name, *state, note),
        None => asked(global, &command.asked),
    }
}

fn asked(global: &GlobalArgs, asked: &ChangeQueryArgs) -> Result<Exit, CliError> {
    match (&asked.from, &asked.confirm) {
        (Some(paths), _) => from::execute(paths, asked),
        (None, Some(names)) => confirm::execute(global, asked, names),
        (None, None) => match list::execute(global, &asked.list) {
            Err(CliError::Unknown { name, .. }) if is_change(global, &name)? => {
                show::execute(global, &name, asked.list.form.json)
            }
            listed => listed.map_err(|error| of_file(error, asked.list.range.as_deref())),
        },
    }
}

/// Whether a change has that name.
pub fn is_change(global: &GlobalArgs, name: &str) -> Result<bool, CliError> {
    let mut store = Project::open(global)?.store_to_read()?;
    Ok(store.change(name)?.is_some())
}

/// A file's name where a range of revisions belongs: its numbers were meant, whether there is a
/// plan or not.
fn of_file(error: CliError, range: Option<&str>) -> CliError {
    match (error, range) {
        (CliError::NoPlan { .. } | CliError::Unknown { .. }, Some(name))
            if Path::new(name).is_file() =>
        {
            CliError::FileOfNumbers { name: name.to_owned() }
        }
        (error, _) => of_name(error),
    }
}

fn of_name(error: CliError) -> CliError {
    match error {
        CliError::Unknown { name, .. } if Path::new(&name).is_file() => {
            CliError::FileOfNumbers { name }
        }
        error => error,
    }
}
