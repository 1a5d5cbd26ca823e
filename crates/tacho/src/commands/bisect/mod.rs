//! `tacho bisect`: which commit did it, and how sure.

mod change;
mod exit_status;
mod kept_bisections;
mod merges;
mod range;
mod revert;
mod single;
pub(crate) mod target;
pub mod typed_subject;

use tacho_experiment::bisect::{BisectionResult, BisectionWithMerges};
use tacho_record::Bisection;
use tacho_subject::SubjectError;

use crate::cli::{BisectArgs, BisectCommand, GlobalArgs};
use crate::commands::changes::is_change;
use crate::commands::r#try;
use crate::error::CliError;
use crate::error::bisect::{BisectMistake, STEPS_OF_GIT};
use crate::exit::Exit;
use crate::output;
use crate::output::answer::versioned;
use crate::output::bisect::{self as report};
use exit_status::exit;
use revert::RevertEffect;
use single::{BisectedCommits, once};

pub fn execute(global: &GlobalArgs, command: &BisectArgs) -> Result<Exit, CliError> {
    match &command.what {
        Some(BisectCommand::List { json, repository }) => {
            kept_bisections::list(global, repository, *json)
        }
        Some(BisectCommand::Log { name, form, replay, repository }) => {
            kept_bisections::log(global, repository, name.as_deref(), form, *replay)
        }
        None => match &command.change {
            Some(name) => measure(global, &change::asked(global, command, name)?),
            None => {
                measure(global, command).or_else(|error| of_stored_name(global, command, error))
            }
        },
    }
}

/// The name of a change in place of a revision means the change; the name of a bisection is a
/// mistake.
fn of_stored_name(
    global: &GlobalArgs,
    command: &BisectArgs,
    error: CliError,
) -> Result<Exit, CliError> {
    match error {
        CliError::Subject(SubjectError::UnknownRevision { name, .. })
            if command.bad.is_none() && is_change(global, &name).unwrap_or(false) =>
        {
            measure(global, &change::asked(global, command, &name)?)
        }
        CliError::Subject(SubjectError::UnknownRevision { name, .. })
            if kept_bisections::is_there(global, &name).unwrap_or(false) =>
        {
            Err(BisectMistake::BisectionNotRevision { name }.into())
        }
        error => Err(error),
    }
}

/// Bisects what was typed.
fn measure(global: &GlobalArgs, command: &BisectArgs) -> Result<Exit, CliError> {
    let of_git = |error| step_of_git(command, error);
    let project = typed_subject::project(global, command).map_err(of_git)?;
    let bisected = once(global, &project, command, BisectedCommits::All).map_err(of_git)?;
    let Some(bisected) = bisected else {
        return Ok(Exit::Success);
    };
    // The culprit is reverted there, though it may be on a branch that was merged before.
    let later_end = bisected.bisection.candidates.get(bisected.bisection.standing.ends.1);
    let later_end = later_end.map(|it| it.revision.clone());
    let found = if command.into_merges {
        merges::follow(global, &project, command, bisected)?
    } else {
        BisectionWithMerges { answer: bisected, inside: Vec::new() }
    };
    let base = later_end.filter(|_| command.revert && !found.answer.interrupted);
    let reverted = base.and_then(|base| {
        // The finding is reported in any case.
        revert::measure(global, &project, command, (&found.answer, base)).unwrap_or_else(|error| {
            output::note("note", &format!("the revert could not be measured: {error}"));
            None
        })
    });
    print(command, &found, reverted.as_ref())?;
    if !(command.into_merges || command.form.json || command.form.markdown) {
        merges::hint(&project, &found.answer)?;
    }
    Ok(exit(&found))
}

/// The error, or that a step of `git bisect` was typed in place of a revision.
fn step_of_git(command: &BisectArgs, error: CliError) -> CliError {
    let typed = command.good.as_deref().filter(|word| STEPS_OF_GIT.contains(word));
    let is_due = match &error {
        CliError::Subject(SubjectError::UnknownRevision { name, .. }) => {
            Some(name.as_str()) == typed
        }
        CliError::Bisect(mistake) => {
            matches!(mistake, BisectMistake::NothingToMeasure | BisectMistake::PlanSetAside)
        }
        _ => false,
    };
    match typed {
        Some(word) if is_due => BisectMistake::StepOfGit { word: word.to_owned() }.into(),
        _ => error,
    }
}

fn print(
    command: &BisectArgs,
    found: &BisectionWithMerges,
    reverted: Option<&RevertEffect>,
) -> Result<(), CliError> {
    let BisectionWithMerges { answer: bisected, inside } = found;
    let bisection = &bisected.bisection;
    let revert = reverted.map(|it| r#try::report(&it.tried, &it.base));
    let each: Vec<&Bisection> = inside.iter().map(|it| &it.bisection).collect();
    if command.form.json {
        let answer = report::BisectAnswer::new(bisection, found.is_interrupted(), revert.as_ref());
        return Ok(output::print_json(&versioned(answer.with(each)))?);
    }
    if command.form.markdown {
        let all = [bisection].into_iter().chain(each).map(report::markdown);
        let of_revert = revert
            .map_or_else(String::new, |revert| format!("\nReverted:\n\n{}", revert.markdown()));
        return Ok(output::print(&(all.collect::<Vec<_>>().join("\n") + &of_revert))?);
    }
    if bisected.known {
        let when = crate::output::text::moment(bisection.standing.updated);
        output::note("note", &format!("this is the answer of {when}; `--again` bisects again"));
    }
    let goes_on =
        if command.again { "the same command without `--again`" } else { "the same command" };
    let text =
        |it: &BisectionResult| report::text(&it.bisection, it.interrupted.then_some(goes_on));
    let all: Vec<String> = [bisected].into_iter().chain(inside).map(text).collect();
    output::print(&all.join("\n"))?;
    if let Some(revert) = revert {
        let text = match revert.not_built() {
            Some(why) => format!("\nreverted: not measured: {why}\n"),
            None => format!("\nreverted:\n{}", revert.text()),
        };
        output::print(&text)?;
    }
    Ok(())
}
