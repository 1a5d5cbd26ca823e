//! `tacho init`: a plan to start from, and a workflow for a CI system.

use std::path::{Path, PathBuf};

use tacho_subject::{CiSystem, FirstPlan, FolderHistory};

use crate::cli::InitArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, text};
use crate::project::{PLAN_FILE, find_plan};

pub fn execute(command: &InitArgs) -> Result<Exit, CliError> {
    if let Some(system) = command.ci {
        return workflow(command, system.into());
    }
    let folder = command.folder.canonicalize().map_err(CliError::reading(&command.folder))?;
    let plan = tacho_subject::init_plan(&folder);
    if command.print {
        output::print(&plan.text)?;
        return Ok(Exit::Success);
    }
    let path = command.folder.join(PLAN_FILE);
    if path.exists() && !command.force {
        return Err(CliError::PlanExists { path });
    }
    std::fs::write(&path, &plan.text).map_err(CliError::writing(&path))?;
    let path = path.strip_prefix(".").unwrap_or(&path);
    output::print(&text::wrap(&written(path, &folder, &plan), output::terminal_width()))?;
    Ok(Exit::Success)
}

/// The written file, and the next step.
fn written(path: &Path, folder: &Path, plan: &FirstPlan) -> String {
    let mut out = format!("wrote `{}`\n", path.display());
    if let Some(above) = folder.parent().and_then(|parent| find_plan(parent).ok()) {
        let above = above.display();
        out += &format!("commands in this folder now use this plan, and no longer `{above}`\n");
    }
    if let Some(what) = &plan.own_benchmark {
        out += &format!(
            "the repository has a benchmark of its own, {what}: the end of the plan has a table \
             for it\n"
        );
    }
    if !plan.has_program {
        out += "no program was recognised\n";
    }
    out + &steps(&path.display().to_string(), FolderHistory::of(folder), plan.has_program)
}

/// What is to be done before the first measurement, as far as it is possible here.
fn steps(path: &str, history: FolderHistory, has_program: bool) -> String {
    let before = match history {
        FolderHistory::Absent => NO_REPOSITORY.to_owned(),
        FolderHistory::Bare => String::new(),
        FolderHistory::NoCommits => {
            format!("the repository has no commits yet: commit the program and `{path}`; {STORE}")
        }
        FolderHistory::Present => format!("commit `{path}`; {STORE}"),
    };
    let edit = match (has_program, history == FolderHistory::Absent) {
        (true, false) => "edit `command`",
        (true, true) => "edit `repository` and `command`",
        (false, false) => "fill in `build`, `artifacts` and `command`",
        (false, true) => "fill in `repository`, `build`, `artifacts` and `command`",
    };
    format!("{before}next: {edit}, then `tacho track HEAD`\n")
}

/// The note if no history is found.
const NO_REPOSITORY: &str = "this folder is not in a git repository: set `repository` in the \
     plan; without a repository, `tacho bench` compares commands\n";

/// What is not committed.
const STORE: &str = "`.tacho/`, where results are kept, has its own `.gitignore`\n";

/// Writes the workflow of a CI system.
fn workflow(command: &InitArgs, system: CiSystem) -> Result<Exit, CliError> {
    let folder = tacho_subject::folder_in_repository(&command.folder);
    let workflow = system.workflow(&folder);
    if command.print {
        output::print(&workflow)?;
        return Ok(Exit::Success);
    }
    // CI systems look at the root of the repository alone.
    let up: PathBuf = folder.components().map(|_| "..").collect();
    let path = command.folder.join(up).join(system.path());
    if path.exists() && !command.force {
        return Err(CliError::FileExists { path });
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(CliError::writing(parent))?;
    }
    std::fs::write(&path, workflow).map_err(CliError::writing(&path))?;
    let plan = if command.folder.join(PLAN_FILE).exists() {
        ""
    } else {
        "there is no plan yet: `tacho init` writes one\n"
    };
    let path = path.strip_prefix(".").unwrap_or(&path).display();
    let said = format!("wrote `{path}`\n{plan}next: {}\n", system.next_step());
    output::print(&text::wrap(&said, output::terminal_width()))?;
    Ok(Exit::Success)
}
