//! `tacho tune`: the machine is set for measurements, and everything is put back.

use tacho_machine::Root;
use tacho_machine::tune::{self, Audience, CommandEnd, Journal, Notice, Restoration, TuneSetting};

use crate::cli::TuneArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::output::{text, tune as words};

pub fn execute(command: &TuneArgs) -> Result<Exit, CliError> {
    let root = command.sysroot.as_deref().map_or_else(Root::this_machine, Root::of_folder);
    if command.restore {
        let restoration = tune::put_back(&root)?;
        output::print(&restoration.as_ref().map_or_else(words::nothing, words::restoration))?;
        return Ok(exit_of(restoration.as_ref()));
    }
    if command.dry_run || (command.settings.is_empty() && command.command.is_empty()) {
        report_left_behind(&root);
    }
    if command.settings.is_empty() && command.command.is_empty() {
        output::print(&words::settings(&tune::list(&root)))?;
        return Ok(Exit::Success);
    }
    let settings: Vec<TuneSetting> = command
        .settings
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, tune::SettingError>>()?;
    if command.dry_run {
        output::print(&words::plan(&tune::planned(&root, &settings, &command.command)?))?;
        return Ok(Exit::Success);
    }
    let mut left = None;
    let mut notice = |notice: Notice| {
        output::aside(words::notice(&notice).trim_end());
        if let Notice::PutBack(restoration) = notice {
            left = Some(restoration);
        }
    };
    let mut audience = Audience { notice: &mut notice, watch: &mut |_| {} };
    let ended = tune::tuned(&root, &settings, &command.command, &mut audience)?;
    Ok(match (exit_of(left.as_ref()), ended) {
        (Exit::Error, _) => Exit::Error,
        (_, Some(CommandEnd::Exit(status))) => Exit::Command(status),
        (_, Some(CommandEnd::NotStarted)) => Exit::Interrupted,
        (_, None) => Exit::Success,
    })
}

/// Reports that the present values are those of a killed `tacho tune`: the next one restores them
/// before it changes anything.
fn report_left_behind(root: &Root) {
    if let Some(journal) = Journal::left_behind(root) {
        let changes = text::count(journal.len(), "change");
        output::note("warning", &format!("a `tacho tune` that was killed left {changes} in place"));
        output::note("hint", "the next `tacho tune` puts them back first, as does `--restore`");
    }
}

/// An error where something could not be put back.
fn exit_of(restoration: Option<&Restoration>) -> Exit {
    if restoration.is_some_and(|it| !it.failed.is_empty()) { Exit::Error } else { Exit::Success }
}
