//! `tacho bench`: measure commands side by side, without a plan.

pub mod exports;
mod names;
pub mod parameters;
pub mod request;
pub(crate) mod start;

use std::collections::BTreeMap;
use std::path::Path;

use tacho_experiment::bench::{BenchQuestion, BenchResult, CommandResult, Standings, measure};
use tacho_experiment::{ExperimentError, Instrument};
use tacho_measure::ProcessExecutor;
use tacho_record::Limit;

use super::environment::inherited;
use super::session::{CommandSession, TURNS, conditions};
use crate::cli::{BenchArgs, EstimatorName, GlobalArgs};
use crate::commands::bench::request::BenchCommands;
use crate::commands::defaults::share;
use crate::commands::seed::random_seed;
use crate::counters::counters;
use crate::error::CliError;
use crate::error::bench::BenchMistake;
use crate::exit::Exit;
use crate::output;
use crate::output::bench::{BenchProgress, BenchReport, Detail};
use crate::project::current_folder;

pub fn execute(global: &GlobalArgs, command: &BenchArgs) -> Result<Exit, CliError> {
    if let Some((option, instead)) = command.elsewhere.typed() {
        return Err(BenchMistake::Elsewhere { option, instead }.into());
    }
    let folder = current_folder()?;
    let typed = BenchCommands::new(command, &folder)?;
    if command.json && typed.is_loud() {
        return Err(BenchMistake::Mixed.into());
    }
    let margin = share("--margin", &command.execution.margin)?;
    let mut question = question(command, &typed, &folder)?;
    if command.duet {
        typed.check_duet()?;
        question.duet = Some(super::duet::processors(None)?);
    }
    exports::check(command, typed.is_loud())?;
    let mut session = CommandSession::locked("tacho bench", command.execution.wait, None)?;
    let is_quiet = global.quiet || command.json || typed.is_loud();
    question.conditions = record(&session, &question);
    let mut progress = BenchProgress::new(&question, is_quiet);
    let answer = session.execute(&mut progress, |context| measure(context, &question));
    progress.clear();
    let (answer, is_troubled, host) =
        (answer.map_err(cannot_be_had)?, progress.is_troubled(), session.end());
    let standings = Standings::of(&question, &answer.samples, typed.reference, margin);
    let is_exported = exports::to_stdout(command).is_some();
    let width =
        if is_exported { output::terminal_width_beside() } else { output::terminal_width() };
    let report = BenchReport {
        question: &question,
        host: &host,
        answer: &answer,
        standings: &standings,
        margin,
        width: Some(width.unwrap_or(output::COLUMNS)),
        detail: Detail { is_verbose: command.verbose, has_bars: command.bars, has_range: true },
    };
    if command.json {
        output::print_json(&output::answer::versioned(report.answer()))?;
    } else {
        let print = if is_exported { output::print_beside } else { output::print };
        report.print_warnings();
        print(&report.numbers())?;
        report.print_interruption();
        report.print_notes();
        report.print_way_out();
        // The verdict comes last, nearest to the prompt.
        let ranking = report.ranking();
        if !ranking.is_empty() {
            print(&format!("\n{ranking}"))?;
        }
    }
    exports::write(command, &report)?;
    Ok(exit(&answer, &standings, is_troubled))
}

fn question(
    command: &BenchArgs,
    typed: &BenchCommands,
    folder: &Path,
) -> Result<BenchQuestion, CliError> {
    Ok(BenchQuestion {
        commands: typed.commands.clone(),
        rule: request::rule(command)?,
        exits: request::exits(command)?,
        counters: counters(&command.execution.counter)?,
        metrics: Vec::new(),
        duet: None,
        reference: command.machine_reference,
        estimator: command.estimator.and_then(EstimatorName::asked),
        folder: folder.to_owned(),
        seed: command.execution.seed.unwrap_or_else(random_seed),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        conditions: BTreeMap::new(),
    })
}

/// The facts that may differ from one day to the next: facts of the host, the instrument's readings
/// of itself, and the environment.
pub(super) fn record(
    session: &CommandSession,
    question: &BenchQuestion,
) -> BTreeMap<String, String> {
    // If it cannot be read, as without `true`, commands are measured nevertheless.
    let mut executor = ProcessExecutor::new(session.interrupt.clone());
    let instrument = Instrument::measure(&mut executor, TURNS).ok();
    let mut record = conditions(&session.host, instrument.as_ref());
    record.extend(inherited(question.commands.iter().map(|command| &command.conditions)));
    let added = question.commands.iter().filter_map(tacho_experiment::bench::BenchCommand::padding);
    record.extend(added.map(|(name, what)| (format!("environment.{name}"), what)));
    record
}

/// Conditions that are not available are a mistake of what was typed: there is no plan.
pub(super) fn cannot_be_had(error: ExperimentError) -> CliError {
    match error {
        ExperimentError::Unavailable { source, .. } => {
            BenchMistake::Conditions { why: source.why, hint: source.hint }.into()
        }
        other => other.into(),
    }
}

fn has_failed(standing: &CommandResult) -> bool {
    standing.failed > 0 || standing.time.is_none() || standing.refused == Some(Limit::AddressSpace)
}

/// A command that failed is an error, also where others gave values; so is one that was never seen
/// to work below its limit on address space, and a cleanup, as with hyperfine.
fn exit(answer: &BenchResult, standings: &Standings, is_troubled: bool) -> Exit {
    Exit::of(answer.interrupted, !is_troubled && !standings.each.iter().any(has_failed))
}
