//! `tacho`: what was typed becomes what it means; the answer is printed; the exit code is set.
//!
//! This crate decides nothing about measuring. Its way is: [`cli`] (the options) → [`project`] (the
//! plan and the store) → one file a command in [`commands`] → [`output`].

mod cli;
mod commands;
mod counters;
mod error;
mod exit;
mod mistyped;
mod nearest;
mod output;
mod project;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let typed = cli::Arguments::try_parse();
    let arguments = match typed {
        Ok(arguments) => arguments,
        Err(error) => {
            let words: Vec<_> = std::env::args_os().skip(1).collect();
            let Some(mistake) = mistyped::in_our_words(&words, &error) else {
                mistyped::without_wrong_tip(error).exit()
            };
            output::error(&mistake);
            return exit::Exit::Error.into();
        }
    };
    match commands::execute(arguments) {
        Ok(exit) => exit.into(),
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            crate::exit::Exit::of(error.is_interrupt(), false).into()
        }
    }
}
