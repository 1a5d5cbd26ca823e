//! `tacho quirk`: which quirks there are, whether they do what they are for, and which one is
//! lacking.

mod check;
mod cure;
mod effect;
mod list;
pub(crate) mod lookup;
mod suggest;

use crate::cli::{Global, QuirkWhat};
use crate::error::CliError;
use crate::exit::Exit;
use crate::project::Project;

pub fn execute(global: &Global, what: &QuirkWhat) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    match what {
        QuirkWhat::List { json } => list::execute(&project, *json),
        QuirkWhat::Check(command) => check::execute(global, &project, command),
        QuirkWhat::Effect(command) => effect::execute(global, &project, command),
        QuirkWhat::Suggest { revision, retry_failed, json, wait } => {
            suggest::execute(global, &project, revision, (*retry_failed, *json, *wait))
        }
    }
}
