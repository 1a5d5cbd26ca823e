//! `tacho changes set`: the user's word.

use jiff::Timestamp;
use tacho_record::{Change, ChangeState};
use tacho_report::change::word;

use super::found;
use crate::cli::{GlobalArgs, StateName};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::project::Project;

pub fn execute(
    global: &GlobalArgs,
    name: &str,
    state: StateName,
    note: &str,
) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let mut store = project.store()?;
    let found = found::look(&project, &mut store)?;
    let said = match state {
        StateName::Acknowledged => ChangeState::Acknowledged,
        StateName::Expected => ChangeState::Expected,
        StateName::FalseAlarm => ChangeState::FalseAlarm,
        StateName::Fixed => ChangeState::Fixed,
        StateName::New => ChangeState::New,
    };
    let mut lines = String::new();
    for change in found::named(&project, &found, name)? {
        store.say(&change.name, said, note, Timestamp::now())?;
        let was = if change.word == ChangeState::New { String::new() } else { was(change) };
        lines += &format!("{}  {}: {}{was}\n", change.name, change.series.name(), word(said));
    }
    output::print(&lines)?;
    Ok(Exit::Success)
}

/// The user's earlier judgement.
fn was(change: &Change) -> String {
    let note = if change.note.is_empty() { String::new() } else { format!(": {}", change.note) };
    format!(" (was {}{note})", word(change.word))
}
