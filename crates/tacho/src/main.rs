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
            return match mistyped::in_our_words(&words, &error) {
                Some(mistake) => end(Err(mistake)),
                None if error.use_stderr() => mistyped::without_wrong_tip(error).exit(),
                // Help or the version.
                None => end(output::print_help(&error).map(|()| exit::Exit::Success)),
            };
        }
    };
    end(commands::execute(arguments))
}

/// The status of an answer; prints why there is none.
fn end(answer: Result<exit::Exit, error::CliError>) -> ExitCode {
    match answer {
        Ok(exit) => exit.into(),
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            crate::exit::Exit::of(error.is_interrupt(), false).into()
        }
    }
}
