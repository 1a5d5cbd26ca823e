//! Bisections that are kept, shown again.

use tacho_experiment::bisect::Fold;
use tacho_record::Bisection;
use tacho_record::bisection::Observed;

use super::wish::Mistake;
use super::{Exit, exit_of};
use crate::cli::Global;
use crate::error::CliError;
use crate::output;
use crate::output::answer::versioned;
use crate::output::bisect as report;
use crate::project::Project;

/// Lists them, newest first.
pub fn list(global: &Global, json: bool) -> Result<Exit, CliError> {
    let mut store = Project::open(global)?.store()?;
    let mut all: Vec<Bisection> = store.bisections()?.into_iter().map(|(bisection, _)| bisection).collect();
    all.reverse();
    if json {
        output::print_json(&versioned(report::List::new(&all)))?;
    } else {
        output::print(&report::list(&all))?;
    }
    Ok(Exit::Success)
}

/// Shows one with each of its steps; exits as it did.
pub fn log(
    global: &Global,
    name: Option<&str>,
    (json, markdown, replay): (bool, bool, bool),
) -> Result<Exit, CliError> {
    let mut store = Project::open(global)?.store()?;
    let bisection = match name {
        Some(name) => {
            let missing = || Mistake::NoBisection { name: name.to_owned() };
            store.bisection(name)?.ok_or_else(missing)?
        }
        None => store.bisections()?.pop().ok_or(Mistake::NoneYet)?.0,
    };
    let steps = store.observed(bisection.run)?;
    if json {
        output::print_json(&versioned(report::Log { bisection: &bisection, steps: &steps }))?;
    } else if markdown {
        output::print(&report::markdown(&bisection))?;
    } else if replay {
        output::print(&replayed(&bisection, &steps))?;
    } else {
        output::print(&report::log(&bisection, &steps))?;
    }
    Ok(exit_of(bisection.standing.found))
}

/// What was believed after each step.
fn replayed(bisection: &Bisection, steps: &[Observed]) -> String {
    let mut fold = Fold::new(&bisection.asked, &bisection.candidates);
    let mut text = String::new();
    for step in steps {
        fold.observe(step);
        let standing = fold.standing(step.at);
        let now = Bisection { standing, ..bisection.clone() };
        text.push_str(&report::step(bisection, step));
        text.push_str(&report::belief(&now));
    }
    text
}
