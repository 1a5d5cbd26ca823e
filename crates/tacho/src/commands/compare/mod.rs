//! `tacho compare`: two programs beside one another.

pub mod exit_status;
pub mod fail_on;
mod kept_sides;
pub mod measure;
pub mod rows;
pub mod show_run;
pub mod sides;
mod suggest;

use crate::commands::defaults::share;
use crate::commands::edited;
use tacho_experiment::compare::{ReportRows, ResolvedSide};
use tacho_record::{Comparing, Plan, StopCondition};

use crate::cli::{CompareArgs, GlobalArgs};
use crate::commands::bench::exports::check_writable;
use crate::commands::compare::exit_status::exit;
use crate::commands::compare::fail_on::fail_on;
use crate::commands::compare::rows::ComparisonRows;
use crate::commands::compare::sides::SideLookup;
use crate::error::CliError;
use crate::error::compare::CompareMistake;
use crate::exit::Exit;
use crate::output;
use crate::output::answer::versioned;
use crate::output::compare::FailOnGate;
use crate::output::compare::report::CompareReport;

pub fn execute(global: &GlobalArgs, command: &CompareArgs) -> Result<Exit, CliError> {
    let margin = share("--margin", &command.terms.margin)?;
    let fail_on = fail_on(&command.terms)?;
    let until = until(command, fail_on.as_ref())?;
    command.junit.as_deref().map_or(Ok(()), check_writable)?;
    let given = SideLookup::open(global, command)?;
    let taken = given.sides(command)?;
    if let Some(name) = &command.save_as {
        given.check_free(name, command.force)?;
    }
    let earlier = kept_sides::earlier(command, &taken)?;
    let CompareArgs { no_control, .. } = command;
    let ComparisonRows { plan, mut of } = rows::rows(&given, command, &taken)?;
    let lost = kept_sides::lost(&given, command, earlier, &of)?;
    for (lone, lost) in of.lone.iter_mut().zip(lost) {
        lone.extend(lost);
    }
    let otherwise = kept_sides::check_alike(&given, command, (&taken, earlier), &of)?;
    let ReportRows { rows, exported, lone, .. } = of;
    let sides = taken.each_ref().map(|taken| taken.side.clone());
    let mut terms = Comparing {
        earlier,
        exported,
        estimator: command.terms.estimator(),
        otherwise,
        fail_on: fail_on.as_ref().map(|it| it.kept(&lone[0])),
        ..Comparing::between(sides, rows, margin, until)
    };
    if terms.estimator.is_some() && !(terms.executes(0) && terms.executes(1)) {
        return Err(CompareMistake::EstimatorOfRuns.into());
    }
    if !terms.executes(0) && !terms.executes(1) {
        check_unexecuted(command)?;
    }
    terms.duet = processors(command, &terms, plan.as_ref())?;
    // A side that is not measured today has no noise of today; a third execution would not be part
    // of a pair at the same time.
    terms.control = !no_control && terms.duet.is_none() && terms.executes(0) && terms.executes(1);
    let (compared, build) = measure::measure(&given, (global, command), plan, &terms)?;
    if let Some(name) = &command.save_as {
        given.save(name, &compared)?;
    }
    kept_sides::report_kept(&given, &compared, &taken);
    kept_sides::report_same_file(&taken);
    let described = taken.each_ref().map(ResolvedSide::described);
    let is_missing = !lone[0].is_empty();
    let report = CompareReport {
        terms: &terms,
        described,
        compared: &compared,
        build,
        is_kept: given.project().is_some(),
        fail_on: fail_on.as_ref(),
        lone,
    };
    if command.form.json {
        output::print_json(&versioned(report.answer()))?;
    } else if command.form.markdown {
        let selected = given.select(&terms.sides);
        let edited = given.project().map_or_else(String::new, |project| {
            edited::markdown(project, &sides::revisions(selected.as_ref()))
        });
        output::print(&(report.markdown() + &edited))?;
    } else {
        output::print(&report.text())?;
    }
    if let Some(path) = &command.junit {
        std::fs::write(path, report.junit()).map_err(CliError::writing(path))?;
    }
    report.announce();
    Ok(exit(&compared, fail_on.as_ref(), is_missing))
}

/// Checks that no option of execution is given if nothing is executed: the user would expect a
/// measurement.
fn check_unexecuted(command: &CompareArgs) -> Result<(), CompareMistake> {
    let typed = [
        ("--rounds", command.terms.rounds.is_some()),
        ("--budget", command.terms.budget.is_some()),
        ("--all-rounds", command.all_rounds),
        ("--precision", command.precision.is_some()),
        ("--no-control", command.no_control),
        ("--seed", command.begin.seed.is_some()),
        ("--wait", command.begin.wait),
    ];
    let options: Vec<&str> =
        typed.into_iter().filter(|(_, typed)| *typed).map(|(name, _)| name).collect();
    if options.is_empty() { Ok(()) } else { Err(CompareMistake::NothingExecuted { options }) }
}

/// The two processors for both at the same time, if that is wanted.
fn processors(
    command: &CompareArgs,
    terms: &Comparing,
    plan: Option<&Plan>,
) -> Result<Option<[u32; 2]>, CliError> {
    if !command.duet {
        return Ok(None);
    }
    if !(terms.executes(0) && terms.executes(1)) {
        return Err(CompareMistake::DuetOfOne.into());
    }
    let is_compared = |name: &String| terms.rows.iter().any(|(key, _)| key.name == *name);
    let benchmarks =
        plan.into_iter().flat_map(|plan| &plan.benchmarks).filter(|it| is_compared(&it.name));
    let mut requested: Vec<_> =
        benchmarks.map(|benchmark| benchmark.conditions.cpus.as_ref()).collect();
    requested.dedup();
    match requested[..] {
        [] => super::duet::processors(None).map(Some),
        [one] => super::duet::processors(one).map(Some),
        _ => Err(CompareMistake::DuetOfMany.into()),
    }
}

/// When a benchmark is executed no more.
fn until(
    command: &CompareArgs,
    fail_on: Option<&FailOnGate>,
) -> Result<StopCondition, CompareMistake> {
    Ok(match &command.precision {
        _ if command.all_rounds => StopCondition::AllRounds,
        Some(precision) => StopCondition::Precise(share("--precision", precision)?),
        None => StopCondition::Settled(fail_on.and_then(FailOnGate::limit)),
    })
}
