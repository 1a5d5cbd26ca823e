//! `tacho compare`: two programs beside one another.

mod files;
mod kept;
mod meant;
mod measure;
pub mod mistake;
pub mod shown;
mod sides;

use tacho_experiment::compare::{Compared, Row, reaches, rows_of, slower_by};
use tacho_record::{BenchmarkKey, Comparing, Metric, Plan, RuleError, Until, Wishes, percentage};
use tacho_stats::compare::Verdict;

use self::mistake::Mistake;
pub use self::sides::told;
use self::sides::{Given, Taken};
use super::track::narrowed;
use super::{Exit, lookup, over};
use crate::cli::{Compare, Global, Shown, Terms};
use crate::error::CliError;
use crate::output;
use crate::output::answer::versioned;
use crate::output::compare::Report;

/// Rounds where nothing else is asked for: as many as an answer takes at the most, since it stops as soon as it has one.
const ROUNDS: u32 = 30;

pub fn execute(global: &Global, command: &Compare) -> Result<Exit, CliError> {
    let margin = share("--margin", &command.terms.margin)?;
    let limit = limit(&command.terms)?;
    let until = until(command, limit)?;
    let given = Given::open(global, command)?;
    let taken = given.sides(command)?;
    if let Some(name) = &command.save_as {
        given.check_free(name, command.force)?;
    }
    let earlier = kept::earlier(command, &taken)?;
    let Compare { no_control, .. } = command;
    let (plan, rows, exported) = files::rows(&given, command, &taken)?;
    let otherwise = kept::check_alike(&given, command, &taken, &rows)?;
    let mut terms = Comparing {
        sides: taken.each_ref().map(|taken| taken.side.clone()),
        earlier,
        exported,
        control: false,
        duet: None,
        estimator: command.terms.estimator(),
        margin,
        rows,
        until,
        quirk: None,
        patches: Vec::new(),
        otherwise,
    };
    if terms.estimator.is_some() && !(terms.executes(0) && terms.executes(1)) {
        return Err(Mistake::EstimatorOfRuns.into());
    }
    terms.duet = processors(command, &terms, plan.as_ref())?;
    // What is not measured today has no noise of today; beside both at the same time a third would be none of the pair.
    terms.control = !no_control && terms.duet.is_none() && terms.executes(0) && terms.executes(1);
    let (compared, build) = measure::measure(&given, (global, command), plan, &terms)?;
    if let Some(name) = &command.save_as {
        given.save(name, &compared)?;
    }
    kept::tell_of_kept(&compared, &taken);
    let told = taken.each_ref().map(Taken::told);
    let report =
        Report { terms: &terms, told, compared: &compared, build, is_kept: given.project().is_some() };
    if command.form.json {
        output::print_json(&versioned(report.answer()))?;
    } else if command.form.markdown {
        output::print(&report.markdown())?;
    } else {
        output::print(&report.text())?;
    }
    Ok(exit(&compared, limit))
}

/// The two processors for both at the same time, if that is wanted.
fn processors(
    command: &Compare,
    terms: &Comparing,
    plan: Option<&Plan>,
) -> Result<Option<[u32; 2]>, CliError> {
    if !command.duet {
        return Ok(None);
    }
    if !(terms.executes(0) && terms.executes(1)) {
        return Err(Mistake::DuetOfOne.into());
    }
    let is_compared = |name: &String| terms.rows.iter().any(|(key, _)| key.name == *name);
    let benchmarks = plan.into_iter().flat_map(|plan| &plan.benchmarks).filter(|it| is_compared(&it.name));
    let mut wished: Vec<_> = benchmarks.map(|benchmark| benchmark.conditions.cpus.as_ref()).collect();
    wished.dedup();
    match wished[..] {
        [] => super::duet::processors(None).map(Some),
        [one] => super::duet::processors(one).map(Some),
        _ => Err(Mistake::DuetOfMany.into()),
    }
}

/// The plan as it is wanted, and what is compared.
#[allow(clippy::type_complexity, reason = "the terms have them like this")]
fn rows(
    given: &Given,
    command: &Compare,
    taken: [&Taken; 2],
) -> Result<(Option<Plan>, Vec<(BenchmarkKey, Vec<Metric>)>), CliError> {
    let programs = taken.map(|taken| &taken.side.program);
    let is_command = programs[0].kind() == "command";
    let empty = measure::empty_plan()?;
    let plan = match given.project() {
        Some(project) if !is_command => {
            let wishes = wishes(command, Some(&project.plan))?;
            Some(narrowed(&project.plan, &command.terms.benchmark)?.wishing(wishes)?)
        }
        _ => None,
    };
    let keys = rows_of(plan.as_ref().unwrap_or(&empty), programs).map_err(|why| Mistake::NotComparable {
        a: taken[0].told(),
        b: taken[1].told(),
        why,
    })?;
    let mut rows = Vec::new();
    for key in keys {
        let metrics = match (given.project(), is_command) {
            (Some(project), false) => {
                let shown = Shown { metric: command.terms.metric.clone(), json: command.form.json };
                lookup::metrics(project, &[], &key, &shown)?
            }
            _ => measure::metrics_of_commands(programs, &command.terms.metric)?,
        };
        rows.push((key, metrics));
    }
    Ok((plan, rows))
}

/// What is typed of when to stop, and what the plan says of layouts.
fn wishes(command: &Compare, plan: Option<&Plan>) -> Result<Wishes, RuleError> {
    let rounds = plan.map_or(command.terms.rounds, |plan| over::rounds(&command.terms, plan));
    wished(rounds, command.terms.budget.as_deref())
}

/// At most so many rounds, and so long.
pub fn wished(rounds: Option<u32>, budget: Option<&str>) -> Result<Wishes, RuleError> {
    let budget = budget.map(tacho_record::duration).transpose()?;
    // The plan's own number is for tracking: it must not end what has time left.
    let usual = if budget.is_some() { tacho_record::MOST_IN_BUDGET } else { ROUNDS };
    Ok(Wishes { rounds: rounds.or(Some(usual)), budget, ..Wishes::default() })
}

/// When a benchmark is executed no more.
fn until(command: &Compare, limit: Option<f64>) -> Result<Until, Mistake> {
    Ok(match &command.precision {
        _ if command.all_rounds => Until::AllRounds,
        Some(precision) => Until::Precise(share("--precision", precision)?),
        None => Until::Settled(limit.filter(|limit| *limit > 0.0)),
    })
}

/// From which share on slower is a failure, if that is asked for; within the margin nothing is slower, and could never be one.
pub fn limit(terms: &Terms) -> Result<Option<f64>, Mistake> {
    let Some(typed) = terms.fail_on.as_deref() else { return Ok(None) };
    if typed == "slower" {
        return Ok(Some(0.0));
    }
    let limit = percentage(typed.strip_prefix("slower:").unwrap_or(typed))
        .map_err(|_| Mistake::NoLimit { text: typed.to_owned() })?;
    if limit > 0.0 && limit < share("--margin", &terms.margin)? {
        return Err(Mistake::LimitWithinMargin { text: typed.to_owned(), margin: terms.margin.clone() });
    }
    Ok(Some(limit))
}

/// What is typed after an option that takes a share.
pub fn share(option: &'static str, text: &str) -> Result<f64, Mistake> {
    percentage(text).map_err(|_| Mistake::NoShare { option, text: text.to_owned() })
}

/// Slower for certain, by more than the limit; nothing measured is an error.
pub fn exit(compared: &Compared, limit: Option<f64>) -> Exit {
    let all = match compared {
        Compared::Measured(all) => all,
        Compared::Interrupted => return Exit::Interrupted,
        Compared::NotBuilt { .. } => return Exit::Error,
        Compared::SameProgram => return Exit::Success,
    };
    if all.interrupted {
        return Exit::Interrupted;
    }
    if all.rows.iter().any(|row| row.sides.iter().any(Option::is_none)) {
        return Exit::Error;
    }
    let is_beyond = |row: &Row| {
        let (at_least, _) = slower_by(row.comparison.estimate.and_then(|estimate| estimate.interval));
        row.verdict == Verdict::Slower && limit.is_some_and(|limit| reaches(at_least, limit))
    };
    if all.rows.iter().any(is_beyond) { Exit::Worse } else { Exit::Success }
}
