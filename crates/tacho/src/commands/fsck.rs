//! `tacho fsck`: verifies the store.

use tacho_store::StoreCheck;

use crate::cli::{FsckArgs, GlobalArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, text};
use crate::project::Project;

pub fn execute(global: &GlobalArgs, command: &FsckArgs) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let mut store = project.store_to_read()?;
    let check = store.check()?;
    output::print(&report(&check))?;
    if let Some(folder) = &command.copy_whole {
        store.copy_whole(folder)?;
        let folder = folder.display();
        output::note(
            "note",
            &format!("all intact data is in `{folder}`: `tacho --store {folder} log`"),
        );
    } else if !check.damage.is_empty() {
        output::note(
            "hint",
            "`--copy-whole FOLDER` writes a new store with the rest; this one is not changed",
        );
    }
    Ok(if check.damage.is_empty() { Exit::Success } else { Exit::Error })
}

/// A line for each damaged part, then the amount that is intact.
fn report(check: &StoreCheck) -> String {
    let lost = |samples: u64| match samples {
        0 => String::new(),
        samples => {
            format!(
                "; {} lost",
                text::count(usize::try_from(samples).unwrap_or(usize::MAX), "sample")
            )
        }
    };
    let mut lines: Vec<String> = check
        .damage
        .iter()
        .map(|it| format!("{}: {}{}\n", it.what, it.why, lost(it.samples)))
        .collect();
    let [samples, logs] =
        [check.samples, check.logs].map(|it| usize::try_from(it).unwrap_or(usize::MAX));
    let whole =
        format!("{} and {} are intact", text::count(samples, "sample"), text::count(logs, "log"));
    lines.push(match check.damage.len() {
        0 => format!("{whole}; nothing is damaged\n"),
        damaged => format!("{whole}; {} damaged or missing\n", text::count(damaged, "thing")),
    });
    lines.concat()
}
