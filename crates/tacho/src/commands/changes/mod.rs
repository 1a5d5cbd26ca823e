//! `tacho changes`: what changed, and only what changed.

mod from;

use super::Exit;
use crate::cli::Changes;
use crate::error::CliError;

pub fn execute(command: &Changes) -> Result<Exit, CliError> {
    match &command.from {
        Some(path) => from::execute(path, command),
        None => Ok(Exit::Success),
    }
}
