//! `tacho init`: a plan to start from, and a workflow for a CI system.

use std::path::Path;

use tacho_subject::CiSystem;

use crate::cli::InitArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, text};
use crate::project::PLAN_FILE;

pub fn execute(command: &InitArgs) -> Result<Exit, CliError> {
    if let Some(system) = command.ci {
        return workflow(command, system.into());
    }
    let folder = command.folder.canonicalize().map_err(CliError::reading(&command.folder))?;
    let plan = tacho_subject::init_plan(&folder);
    if command.print {
        output::print(&plan)?;
        return Ok(Exit::Success);
    }
    let path = command.folder.join(PLAN_FILE);
    if path.exists() && !command.force {
        return Err(CliError::PlanExists { path });
    }
    std::fs::write(&path, plan).map_err(CliError::writing(&path))?;
    let path = path.strip_prefix(".").unwrap_or(&path);
    output::print(&text::wrap(&written(path, &folder), output::terminal_width()))?;
    Ok(Exit::Success)
}

/// The note if no history is found.
const NO_REPOSITORY: &str = "this folder is not in a git repository: set `repository` in the \
     plan; without a repository, `tacho bench` compares commands\n";

/// The written file, and the next step.
fn written(path: &Path, folder: &Path) -> String {
    let mut out = format!("wrote `{}`\n", path.display());
    if let Some(what) = tacho_subject::own_benchmark(folder) {
        out += &format!(
            "the repository has a benchmark of its own, {what}: the end of the plan has a table \
             for it\n"
        );
    }
    let repository = if tacho_subject::is_without_history(folder) { NO_REPOSITORY } else { "" };
    out + &format!(
        "{repository}commit `{}`; `.tacho/`, where results are kept, has its own `.gitignore`\n\
         next: edit `command`, then `tacho track HEAD`\n",
        path.display()
    )
}

/// Writes the workflow of a CI system.
fn workflow(command: &InitArgs, system: CiSystem) -> Result<Exit, CliError> {
    if command.print {
        output::print(system.workflow())?;
        return Ok(Exit::Success);
    }
    let path = command.folder.join(system.path());
    if path.exists() && !command.force {
        return Err(CliError::FileExists { path });
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(CliError::writing(parent))?;
    }
    std::fs::write(&path, system.workflow()).map_err(CliError::writing(&path))?;
    let plan = if command.folder.join(PLAN_FILE).exists() {
        ""
    } else {
        "there is no plan yet: `tacho init` writes one\n"
    };
    let said = format!("wrote `{}`\n{plan}next: {}\n", system.path(), system.next_step());
    output::print(&text::wrap(&said, output::terminal_width()))?;
    Ok(Exit::Success)
}
