//! `tacho changes`: what changed, and only what changed.

mod confirm;
pub(super) mod found;
mod from;
mod list;
mod set;
mod show;

use super::Exit;
use crate::cli::{Changes, ChangesWhat, Global};
use crate::error::CliError;

pub fn execute(global: &Global, command: &Changes) -> Result<Exit, CliError> {
    match (&command.what, &command.from) {
        (Some(ChangesWhat::List(list)), _) => list::execute(global, list),
        (Some(ChangesWhat::Show { name, json }), _) => show::execute(global, name, *json),
        (Some(ChangesWhat::Set { name, state, note }), _) => set::execute(global, name, *state, note),
        (None, Some(path)) => from::execute(path, command),
        (None, None) => match &command.confirm {
            Some(names) => confirm::execute(global, command, names),
            None => list::execute(global, &command.list),
        },
    }
}
