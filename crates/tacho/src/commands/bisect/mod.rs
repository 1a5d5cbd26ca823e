//! `tacho bisect`: which commit did it, and how sure.

mod change;
mod kept;
mod merges;
pub(crate) mod probe;
mod range;
mod revert;
mod same;
pub mod typed;
pub(crate) mod wish;

use std::collections::BTreeMap;

use tacho_experiment::bisect::{Bisected, Inquiry, bisect};
use tacho_record::bisection::{Asked, Found, Measured, Standing, Undecided};
use tacho_record::{Bisection, Plan, Revision};

use super::session::{Session, Wanted};
use crate::cli::{Bisect, BisectWhat, Global};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::output::answer::versioned;
use crate::output::bisect::{self as report, Expected};
use crate::project::Project;
use merges::{Brought, Followed};
use range::Range;
use revert::Reverted;

pub fn execute(global: &Global, command: &Bisect) -> Result<Exit, CliError> {
    match &command.what {
        Some(BisectWhat::List { json, repository }) => kept::list(global, repository, *json),
        Some(BisectWhat::Log { name, form, replay, repository }) => {
            kept::log(global, repository, name.as_deref(), form, *replay)
        }
        None => match &command.change {
            Some(name) => measure(global, &change::asked(global, command, name)?),
            None => measure(global, command),
        },
    }
}

/// Bisects what was typed.
fn measure(global: &Global, command: &Bisect) -> Result<Exit, CliError> {
    let project = typed::project(global, command)?;
    let Some(bisected) = once(global, &project, command, Inside::All)? else { return Ok(Exit::Success) };
    // What is reverted is reverted there, though it may be found on a branch that was merged before.
    let later_end = bisected.bisection.candidates.get(bisected.bisection.standing.ends.1);
    let later_end = later_end.map(|it| it.revision.clone());
    let found = if command.into_merges {
        merges::follow(global, &project, command, bisected)?
    } else {
        Followed { answer: bisected, inside: Vec::new() }
    };
    let base = later_end.filter(|_| command.revert && !found.answer.interrupted);
    let reverted = base.and_then(|base| {
        // What was found is told whatever comes of it.
        revert::measure(global, &project, command, (&found.answer, base)).unwrap_or_else(|error| {
            output::note("note", &format!("its revert could not be measured: {error}"));
            None
        })
    });
    print(command, &found, reverted.as_ref())?;
    if !(global.quiet || command.into_merges || command.form.json || command.form.markdown) {
        merges::hint(&project, &found.answer)?;
    }
    Ok(exit(&found))
}

/// Which commits are bisected.
#[derive(Clone, Copy)]
enum Inside<'a> {
    /// Those of the range that was asked for.
    All,
    /// Those that a merge brought.
    Merge(&'a Brought),
}

/// Bisects one range; nothing where it was only to be said what that would take.
fn once(
    global: &Global,
    project: &Project,
    command: &Bisect,
    inside: Inside<'_>,
) -> Result<Option<Bisected>, CliError> {
    let (good, bad) = range::ends(command)?;
    let (range, onto, within, spent) = match inside {
        Inside::All => {
            let range = Range::select(project, good, bad).map_err(|error| typed::mistaken(command, error))?;
            (range, BTreeMap::new(), Vec::new(), None)
        }
        Inside::Merge(Brought { range, onto, within, spent }) => {
            (range.clone(), onto.clone(), within.clone(), Some(*spent))
        }
    };
    let aside = range.aside.clone();
    let mut wish = wish::wish(&project.plan, command)?;
    wish.plan.subject.onto = onto;
    if matches!(inside, Inside::All) {
        same::tell(&wish.plan, wish.of, command, &project.folder);
    }
    let layouts = if command.probe { probe::layouts(&wish.plan) } else { Vec::new() };
    let mut inquiry = Inquiry {
        asked: Asked {
            aside: aside.as_ref().map(|aside| aside.id.clone()),
            within,
            spent,
            ..wish.asked(command, (good, bad), range.exchanged, &layouts)?
        },
        layouts,
        aside,
        candidates: range.candidates(&project.plan.subject.paths),
        again: command.again,
    };
    // What was measured of commits of a branch was not merged into what the merge had before.
    if let (Some(name), Inside::All) = (&command.change, inside) {
        inquiry.asked.prior = change::prior(project, name, &inquiry.candidates)?;
    }
    if command.probe {
        probe::tell_of_missing(&inquiry.layouts);
    }
    let expected = Expected::of(project, &inquiry)?;
    if command.dry_run {
        if command.form.json {
            output::print_json(&versioned(expected.forecast(&inquiry)))?;
        } else {
            output::print(&expected.text(&inquiry))?;
        }
        return Ok(None);
    }
    if !(global.quiet || command.form.json || command.form.markdown) {
        output::aside(expected.text(&inquiry).trim_end());
    }
    bisected(global, project, command, wish.plan, (&range, &inquiry)).map(Some)
}

/// Has it measured.
fn bisected(
    global: &Global,
    project: &Project,
    command: &Bisect,
    plan: Plan,
    (range, inquiry): (&Range, &Inquiry),
) -> Result<Bisected, CliError> {
    let mut session = Session::open(project, command.begin.wait)?;
    session.know(&range.selected)?;
    let with_left_out = inquiry.candidates.iter().flat_map(|it| it.before.iter().chain([&it.revision]));
    let revisions: Vec<Revision> = with_left_out.chain(&inquiry.aside).cloned().collect();
    let quiet = global.quiet || command.form.json;
    let (seed, retry_failed) = (command.begin.seed, command.retry_failed);
    let counted = plan.benchmarks.iter().flat_map(|it| wish::counted(it, &inquiry.asked.metric)).collect();
    let wanted = Wanted { counted, retry_failed, seed, quiet, ..Wanted::new(plan, &revisions) };
    session.measure(project, wanted, |bench, question| bisect(bench, question, inquiry))
}

fn print(command: &Bisect, found: &Followed, reverted: Option<&Reverted>) -> Result<(), CliError> {
    let Followed { answer: bisected, inside } = found;
    let bisection = &bisected.bisection;
    let revert = reverted.map(|it| it.tried.report(&it.base));
    let each: Vec<&Bisection> = inside.iter().map(|it| &it.bisection).collect();
    if command.form.json {
        let answer = report::Answer::new(bisection, is_interrupted(found), revert.as_ref());
        return Ok(output::print_json(&versioned(answer.with(each)))?);
    }
    if command.form.markdown {
        let all = [bisection].into_iter().chain(each).map(report::markdown);
        let of_revert =
            revert.map_or_else(String::new, |revert| format!("\nReverted:\n\n{}", revert.markdown()));
        return Ok(output::print(&(all.collect::<Vec<_>>().join("\n") + &of_revert))?);
    }
    if bisected.known {
        let when = crate::output::text::moment(bisection.standing.updated);
        output::note("note", &format!("this was answered on {when}; `--again` bisects anew"));
    }
    let goes_on = if command.again { "the same command without `--again`" } else { "the same command" };
    let text = |it: &Bisected| report::text(&it.bisection, it.interrupted.then_some(goes_on));
    let all: Vec<String> = [bisected].into_iter().chain(inside).map(text).collect();
    output::print(&all.join("\n"))?;
    if let Some(revert) = revert {
        output::print(&format!("\nreverted:\n{}", revert.text()))?;
    }
    Ok(())
}

fn is_interrupted(found: &Followed) -> bool {
    found.answer.interrupted || found.inside.iter().any(|it| it.interrupted)
}

/// That of the range; of what merges brought, what is undecided or depends on the machine.
fn exit(found: &Followed) -> Exit {
    if is_interrupted(found) {
        return Exit::Interrupted;
    }
    let of_inside = |wanted: Exit| {
        let mut all = found.inside.iter().map(|it| exit_of(&it.bisection.standing));
        all.find(|exit| *exit == wanted)
    };
    match exit_of(&found.answer.bisection.standing) {
        Exit::Success => {
            // The merge is named; which of its commits did it may not be.
            let is_open = of_inside(Exit::Undecided).or_else(|| of_inside(Exit::SideUndecided)).is_some();
            let whole = || of_inside(Exit::DependsOnMachine).unwrap_or(Exit::Success);
            if is_open { Exit::SideUndecided } else { whole() }
        }
        exit => exit,
    }
}

/// The exit status that says how a bisection ended.
fn exit_of(standing: &Standing) -> Exit {
    match standing.found {
        None => Exit::Interrupted,
        // All changes were asked for.
        Some(Found::Verified) if standing.has_open_sides() => Exit::SideUndecided,
        Some(Found::Verified) => Exit::Success,
        Some(Found::NotReproduced) => Exit::NotReproduced,
        Some(Found::Undecided { reason: Undecided::Command }) => Exit::Error,
        Some(Found::Undecided { .. }) => Exit::Undecided,
        Some(Found::DependsOnMachine) => Exit::DependsOnMachine,
    }
}

/// The names of what is measured of builds rather than of executions.
const OF_BUILDS: [(&str, Measured); 2] =
    [("build-time", Measured::Build), ("artifact-size", Measured::Artifacts)];
