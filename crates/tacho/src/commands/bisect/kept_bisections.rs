//! Bisections that are kept, shown again: those of the plan, and those that were made without one
//! in the same folder.

use std::path::Path;

use tacho_experiment::bisect::Fold;
use tacho_record::bisection::BisectionStep;
use tacho_record::{Bisection, in_backticks};
use tacho_store::{Store, StoreError};

use super::{Exit, typed_subject};
use crate::cli::{FormatArgs, GlobalArgs};
use crate::commands::bisect::exit_status::exit_of;
use crate::error::CliError;
use crate::error::bisect::BisectMistake;
use crate::output::answer::{print_answer, versioned};
use crate::output::{self, bisect as report, text};
use crate::project::Project;

/// Lists them, newest first.
pub fn list(global: &GlobalArgs, repository: &Path, json: bool) -> Result<Exit, CliError> {
    let mut all: Vec<Bisection> = Vec::new();
    for mut store in stores(global, repository)? {
        all.extend(store.bisections()?.into_iter().map(|(bisection, _)| bisection));
    }
    all.sort_by_key(|bisection| std::cmp::Reverse((bisection.started, bisection.run)));
    let answer = || report::BisectionListAnswer::new(&all);
    print_answer(json, answer, || report::list(&all))?;
    Ok(Exit::Success)
}

/// Shows one with each of its steps; exits as it did.
pub fn log(
    global: &GlobalArgs,
    repository: &Path,
    name: Option<&str>,
    form: &FormatArgs,
    replay: bool,
) -> Result<Exit, CliError> {
    let (mut store, bisection) = wanted(stores(global, repository)?, name)?;
    let steps = store.observed(bisection.run)?;
    if form.json {
        output::print_json(&versioned(report::BisectionLogAnswer {
            bisection: &bisection,
            steps: &steps,
        }))?;
    } else if form.markdown {
        output::print(&report::markdown(&bisection))?;
    } else if replay {
        print_wrapped(&replayed(&bisection, &steps))?;
    } else {
        print_wrapped(&report::log(&bisection, &steps))?;
    }
    Ok(exit_of(&bisection.standing))
}

fn print_wrapped(steps: &str) -> Result<(), CliError> {
    Ok(output::print(&text::wrap(steps, output::terminal_width()))?)
}

/// The one of that name, else the newest; with the store that keeps it.
fn wanted(stores: Vec<Store>, name: Option<&str>) -> Result<(Store, Bisection), CliError> {
    let (mut found, mut known): (Option<(Store, Bisection)>, Vec<String>) = (None, Vec::new());
    for mut store in stores {
        let one = match name {
            Some(name) => store.bisection(name)?,
            None => store.bisections()?.pop().map(|(bisection, _)| bisection),
        };
        if one.is_none() {
            known.extend(store.bisections()?.into_iter().rev().map(|(it, _)| it.name));
        }
        let newer = |one: &Bisection| {
            found.as_ref().is_none_or(|(_, earlier)| earlier.started < one.started)
        };
        if let Some(one) = one.filter(newer) {
            found = Some((store, one));
        }
    }
    let missing = || match name {
        Some(name) if !known.is_empty() => {
            BisectMistake::NoBisection { name: name.to_owned(), known: in_backticks(known) }
        }
        _ => BisectMistake::NoneYet,
    };
    Ok(found.ok_or_else(missing)?)
}

/// Whether the plan's store has a bisection of that name.
pub fn is_there(global: &GlobalArgs, name: &str) -> Result<bool, CliError> {
    Ok(Project::open(global)?.store_to_read()?.bisection(name)?.is_some())
}

/// The plan's store, and that of what was typed for the repository without a plan, as far as they
/// are there: at least one.
fn stores(global: &GlobalArgs, repository: &Path) -> Result<Vec<Store>, CliError> {
    let planned = Project::open(global).and_then(|project| project.store_to_read());
    if global.store.is_some() && planned.is_ok() {
        // Both are kept in the same place.
        return Ok(vec![planned?]);
    }
    let none = |error: &CliError| matches!(error, CliError::Store(StoreError::NoStore { .. }));
    match (planned, typed_subject::store(global, repository)) {
        (Ok(planned), typed) => Ok([planned].into_iter().chain(typed.ok()).collect()),
        (Err(CliError::NoPlan { .. }), Err(error)) if none(&error) => {
            Err(BisectMistake::NoneYet.into())
        }
        (Err(CliError::NoPlan { .. }), typed) => Ok(vec![typed?]),
        (Err(error), Ok(typed)) if none(&error) => Ok(vec![typed]),
        (Err(error), Err(other)) if none(&error) && none(&other) => {
            Err(BisectMistake::NoneYet.into())
        }
        (Err(error), _) => Err(error),
    }
}

/// The beliefs after each step.
fn replayed(bisection: &Bisection, steps: &[BisectionStep]) -> String {
    let mut fold = Fold::new(&bisection.asked, &bisection.candidates);
    let mut text = String::new();
    for step in steps {
        fold.observe(step);
        let standing = fold.standing(step.at);
        let candidates = fold.candidates().to_vec();
        let now = Bisection { standing, candidates, ..bisection.clone() };
        text.push_str(&report::step(&now, step));
        text += &format!("  {}\n", report::belief(&now));
    }
    text
}
