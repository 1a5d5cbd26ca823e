//! `tacho show run:12` of a run that compares nothing: what it was, on what machine, and what
//! changed there since the run before.

use tacho_experiment::analysis::reference;
use tacho_experiment::machine::{self, MachineChanges};
use tacho_experiment::took;
use tacho_record::Run;
use tacho_report::run as report_run;
use tacho_store::Store;

use super::{log, run_words};
use crate::cli::ShowArgs;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output::{self, text};

/// Prints the run.
pub fn print(store: &mut Store, run: &Run, command: &ShowArgs) -> Result<(), CliError> {
    let mistaken = [
        ("--build-log", command.build_log),
        ("--output", command.output),
        ("--diff", command.diff),
        ("--samples", command.samples),
        ("--markdown", command.markdown),
    ];
    if let Some((option, _)) = mistaken.into_iter().find(|(_, asked)| *asked) {
        return Err(CompareMistake::OfRevision { option }.into());
    }
    if command.shown.json {
        return log::print_one(store, run);
    }
    let revisions = store.revisions()?;
    let what = run_words::of_run(store, run, &revisions)?;
    let lines = report_run::summary(run, &text::moment(run.started), took(store, run)?);
    let mut shown = format!("run {}: {what}\n{}\n", run.number, lines.join("\n"));
    shown += &machine(store, run)?;
    shown += "\nthe machine\n";
    shown += &output::doctor::named(&store.conditions(run.number)?);
    Ok(output::print(&shown)?)
}

/// What changed on the machine since the run before, and what the reference says.
pub fn machine(store: &mut Store, run: &Run) -> Result<String, CliError> {
    let mut lines = Vec::new();
    if let Some(MachineChanges { since, what }) = machine::since_last(store, run)? {
        lines.push(format!("the machine changed since run {since}: {}", what.join("; ")));
    }
    if let Some(summary) = reference::summary(store, run)? {
        lines.push(tacho_report::host::reference(&summary));
    }
    let width = output::terminal_width();
    Ok(lines.iter().map(|line| format!("\n{}", text::wrap(&format!("{line}\n"), width))).collect())
}
