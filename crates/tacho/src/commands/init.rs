//! `tacho init`: a plan to start from.

use super::Exit;
use crate::cli::Init;
use crate::error::CliError;
use crate::output;
use crate::project::PLAN_FILE;

pub fn execute(command: &Init) -> Result<Exit, CliError> {
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
    output::print(&format!(
        "wrote `{}`: look at its `command`; `tacho track HEAD` then measures the newest commit\n",
        path.display()
    ))?;
    Ok(Exit::Success)
}
