//! `tacho`: what was typed becomes what it means; the answer is printed; the exit code is set.
//!
//! This crate decides nothing about measuring. Its way is: [`cli`] (what was typed) → [`project`]
//! (which plan, which store) → one file a command in [`commands`] → [`output`].

mod cli;
mod commands;
mod counters;
mod error;
mod exit;
mod nearest;
mod output;
mod project;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let typed = cli::Arguments::try_parse();
    let arguments = match typed {
        Ok(arguments) => arguments,
        Err(error) => match cli::files_of_numbers(std::env::args_os().skip(1), &error) {
            Some(names) => {
                output::error(&error::CliError::FilesOfNumbers { names });
                return exit::Exit::Error.into();
            }
            None => cli::without_wrong_tip(error).exit(),
        },
    };
    match commands::execute(arguments) {
        Ok(exit) => exit.into(),
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            let exit = if error.is_interrupt() {
                crate::exit::Exit::Interrupted
            } else {
                crate::exit::Exit::Error
            };
            exit.into()
        }
    }
}
