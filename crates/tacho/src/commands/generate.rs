//! `tacho generate`: what distributions and editors want, made from the code.

use std::path::Path;

use clap::CommandFactory;

use crate::cli::{Arguments, GenerateArgs, GenerateTarget};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;

pub fn execute(command: &GenerateArgs) -> Result<Exit, CliError> {
    match &command.what {
        GenerateTarget::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "tacho", &mut text);
            output::print(&String::from_utf8_lossy(&text))?;
        }
        GenerateTarget::Man { folder } => man(folder)?,
        GenerateTarget::Schema => output::print(&tacho_record::plan::schema())?,
    }
    Ok(Exit::Success)
}

fn man(folder: &Path) -> Result<(), CliError> {
    std::fs::create_dir_all(folder).map_err(CliError::writing(folder))?;
    clap_mangen::generate_to(Arguments::command(), folder).map_err(CliError::writing(folder))
}
