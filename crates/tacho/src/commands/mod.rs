//! One file a command: reads what is needed, has it done, prints the answer.

pub mod bench;
pub mod bisect;
mod changes;
pub mod compare;
mod defaults;
mod doctor;
mod duet;
mod edited;
mod environment;
mod fsck;
mod generate;
mod init;
mod layout_options;
mod layouts;
mod log;
mod lookup;
mod missing;
mod notify;
mod patches;
mod probe;
mod quirk;
mod run_page;
mod run_words;
mod schedule;
mod seed;
mod selection;
mod session;
mod show;
mod show_compared;
mod show_output;
mod site;
mod survey;
pub mod sweep;
pub mod track;
mod r#try;
mod tune;
mod verdicts;

use crate::exit::Exit;

use crate::cli::{Arguments, Command};
use crate::error::CliError;
use crate::output::progress;

/// Does what was typed.
pub fn execute(arguments: Arguments) -> Result<Exit, CliError> {
    let global = &arguments.global;
    if !global.quiet {
        tacho_subject::report_reading(progress::reading);
    }
    match arguments.command {
        Command::Bench(command) => bench::execute(global, &command),
        Command::Bisect(command) => bisect::execute(global, &command),
        Command::Changes(command) => changes::execute(global, &command),
        Command::Compare(command) => compare::execute(global, &command),
        Command::Doctor(command) => doctor::execute(global, &command),
        Command::Fsck(command) => fsck::execute(global, &command),
        Command::Generate(command) => generate::execute(&command),
        Command::Init(command) => init::execute(&command),
        Command::Layouts(command) => layouts::execute(global, &command),
        Command::Log(command) => log::execute(global, &command),
        Command::Probe(command) => probe::execute(global, &command),
        Command::Quirk(command) => quirk::execute(global, &command.what),
        Command::Show(command) => show::execute(global, &command),
        Command::Site(command) => site::execute(global, &command),
        Command::Sweep(command) => sweep::execute(global, &command),
        Command::Track(command) => schedule::execute(global, &command),
        Command::Try(command) => r#try::execute(global, &command),
        Command::Tune(command) => tune::execute(&command),
    }
}
