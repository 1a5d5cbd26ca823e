//! The rows of a comparison: the requested plan, and the benchmarks of both sides.

use tacho_experiment::compare::{
    ReportMismatch, ReportRows, ResolvedSide, in_versions_of, rows_of, rows_of_report,
    rows_of_reports,
};
use tacho_record::{BenchmarkKey, Direction, Metric, Plan, Program, RateHint};

use super::measure::{metrics_of_commands, request};
use super::sides::SideLookup;
use crate::cli::CompareArgs;
use crate::commands::selection::narrowed;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::output::directions;

/// The rows of a comparison.
pub struct ComparisonRows {
    /// The plan with the requested options.
    pub plan: Option<Plan>,
    /// The benchmarks of both sides, and those of one side only.
    pub of: ReportRows,
}

/// The benchmarks of both sides, and those of one side only.
pub fn rows(
    given: &SideLookup,
    command: &CompareArgs,
    taken: &[ResolvedSide; 2],
) -> Result<ComparisonRows, CliError> {
    let [a, b] = taken;
    let benchmarks = &command.terms.benchmark;
    let files = [a.is_file(), b.is_file()];
    if command.better.is_some() && files != [true, true] {
        return Err(CompareMistake::DirectionOfFiles.into());
    }
    let (file, live) = match files {
        [false, false] => {
            let is_command = matches!(a.side.program, Program::Command { .. });
            if is_command && !benchmarks.is_empty() {
                return Err(CompareMistake::BenchmarkOfCommands.into());
            }
            let (plan, rows) = live_rows(given, command, [a, b])?;
            let is_compared = |name: &str| {
                rows.iter().any(|(_, metrics)| metrics.iter().any(|it| it.name == name))
            };
            if let Some(plan) = &plan {
                directions::announce_plan(plan, is_compared);
            }
            return Ok(ComparisonRows { plan, of: ReportRows { rows, ..ReportRows::default() } });
        }
        [true, true] => {
            let mut of = rows_of_reports(taken, benchmarks, &command.terms.metric)
                .map_err(|why| mismatch(taken, why))?;
            match command.better {
                Some(better) => turn(&mut of, better.into()),
                None => note_directions(&of),
            }
            return Ok(ComparisonRows { plan: None, of });
        }
        [true, false] => (0, b),
        [false, true] => (1, a),
    };
    let (plan, mut rows) = live_rows(given, command, [live, live])?;
    if matches!(live.side.program, Program::Command { .. }) {
        // Files have times of whole commands, so only these are compared with a command.
        let metrics = metrics_of_commands([&live.side.program; 2], &[])?;
        for (_, of) in &mut rows {
            of.clone_from(&metrics);
        }
    }
    let of = rows_of_report(taken, file, plan.as_ref(), rows, benchmarks)
        .map_err(|why| mismatch(taken, why))?;
    Ok(ComparisonRows { plan, of })
}

/// Has that direction be the better one of all metrics.
fn turn(of: &mut ReportRows, better: Direction) {
    let compared = of.rows.iter_mut().flat_map(|(_, metrics)| metrics);
    let exported = of.exported.iter_mut().flatten().map(|one| &mut one.metric);
    compared.chain(exported).for_each(|metric| metric.better = better);
}

/// Notes the better direction that only a name suggests.
fn note_directions(of: &ReportRows) {
    let metrics = of.rows.iter().flat_map(|(_, metrics)| metrics);
    let guessed = metrics.filter_map(|metric| {
        // A rate by its unit is what tools mean by one.
        let is_said = metric.unit.is_of_time();
        let hint = RateHint::of(&metric.name, &metric.unit).filter(|_| !is_said)?;
        Some((metric.name.clone(), hint))
    });
    directions::announce(guessed, directions::DirectionSetting::Option);
}

fn mismatch(taken: &[ResolvedSide; 2], why: ReportMismatch) -> CliError {
    match why {
        ReportMismatch::UnknownBenchmark { name, known } => {
            CliError::UnknownBenchmark { name, known }
        }
        ReportMismatch::UnknownMetric { name, known } => CliError::UnknownMetric { name, known },
        ReportMismatch::NothingInCommon => {
            let why = "no benchmark with the same metric is in both".to_owned();
            let [a, b] = taken.each_ref().map(ResolvedSide::described);
            CompareMistake::NothingInCommon { a, b, why }.into()
        }
        ReportMismatch::SeveralBenchmarks { file, number, first } => {
            CompareMistake::SeveralBenchmarks { file, number, first }.into()
        }
    }
}

/// The plan with the requested options, and the rows.
#[allow(clippy::type_complexity, reason = "the terms have them like this")]
fn live_rows(
    given: &SideLookup,
    command: &CompareArgs,
    taken: [&ResolvedSide; 2],
) -> Result<(Option<Plan>, Vec<(BenchmarkKey, Vec<Metric>)>), CliError> {
    let programs = taken.map(|taken| &taken.side.program);
    let is_command = matches!(programs[0], Program::Command { .. });
    let empty = super::measure::empty_plan()?;
    let plan = match given.project() {
        Some(project) if !is_command => {
            let request = request(command, Some(&project.plan))?;
            let plan = narrowed(&project.plan, &command.terms.benchmark)?.with_rule(request)?;
            Some(in_kept_versions(given, command, taken, plan)?)
        }
        _ => None,
    };
    let is_other_kind = matches!(programs[1], Program::Command { .. }) != is_command;
    let keys = rows_of(plan.as_ref().unwrap_or(&empty), programs).map_err(|why| {
        let [a, b] = taken.map(ResolvedSide::described);
        if is_other_kind {
            CompareMistake::NotComparable { a, b, why }
        } else {
            CompareMistake::NothingInCommon { a, b, why }
        }
    })?;
    let mut rows = Vec::new();
    for key in keys {
        let metrics = match (given.project(), is_command) {
            (Some(project), false) => super::fail_on::metrics(project, &key, &command.terms)?,
            _ => metrics_of_commands(programs, &command.terms.metric)?,
        };
        rows.push((key, metrics));
    }
    Ok((plan, rows))
}

/// The plan with its benchmarks in the versions that kept sides have.
fn in_kept_versions(
    given: &SideLookup,
    command: &CompareArgs,
    taken: [&ResolvedSide; 2],
    mut plan: Plan,
) -> Result<Plan, CliError> {
    let kept = taken.into_iter().filter_map(|taken| taken.earlier.filter(|_| command.kept));
    for (earlier, store) in kept.filter_map(|earlier| Some((earlier, given.store()?))) {
        in_versions_of(&mut store.borrow_mut(), earlier, &mut plan)?;
    }
    Ok(plan)
}
