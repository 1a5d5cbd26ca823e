//! `tacho quirk`: lists quirks, checks them, and suggests missing ones.

mod check;
mod effect;
mod list;
pub(crate) mod lookup;
mod remedy;
mod suggest;

use crate::cli::{GlobalArgs, QuirkCommand};
use crate::error::CliError;
use crate::exit::Exit;
use crate::project::Project;

pub fn execute(global: &GlobalArgs, what: &QuirkCommand) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    match what {
        QuirkCommand::List { json } => list::execute(&project, *json),
        QuirkCommand::Check(command) => check::execute(global, &project, command),
        QuirkCommand::Effect(command) => effect::execute(global, &project, command),
        QuirkCommand::Suggest { revision, retry_failed, json, wait } => {
            suggest::execute(global, &project, revision, (*retry_failed, *json, *wait))
        }
    }
}
