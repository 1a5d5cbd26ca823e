//! The revisions and benchmarks of a command.

use std::collections::HashSet;

use tacho_record::{Plan, Revision, in_backticks};
use tacho_subject::{RevisionQuery, RevisionStep, SelectedRevisions, Selection, history};

use super::edited;
use crate::cli::TrackArgs;
use crate::error::CliError;
use crate::output;
use crate::project::Project;

/// The revisions that are requested.
pub(super) fn select(
    project: &Project,
    command: &TrackArgs,
) -> Result<SelectedRevisions, CliError> {
    let history = history(&project.plan.subject, &project.folder)?;
    let mut selected = history.select(&selection(command)?)?;
    if command.quirk_edges {
        let every = Selection { every: RevisionStep::Commit, tags: None, ..selection(command)? };
        take_edges(project, &mut selected, history.select(&every)?.revisions)?;
    }
    if let Some(note) = &selected.note {
        output::note("note", note);
    }
    edited::announce(project, &selected.revisions);
    if command.dry_run {
        // The faults of quirks that a session would find are found here too.
        tacho_subject::recipes(&project.plan.subject, &project.folder, &selected.revisions)?;
    }
    crate::commands::quirk::lookup::report_stray(project, &selected.revisions)?;
    if command.revisions.is_empty() && command.every.is_none() && command.tags.is_none() {
        crate::commands::quirk::lookup::report_idle(project, &selected.revisions)?;
    }
    Ok(selected)
}

/// Adds the revision that the plan names as the reference, and gives the plan its full name.
pub(super) fn with_reference(
    project: &Project,
    mut plan: Plan,
    selected: &mut SelectedRevisions,
) -> Result<Plan, CliError> {
    let Some(name) = &mut plan.measure.reference.revision else { return Ok(plan) };
    let reference = history(&project.plan.subject, &project.folder)?.find(name)?;
    name.clone_from(&reference.id);
    selected.add(reference);
    Ok(plan)
}

/// Adds the revisions on both sides of each edge of a quirk.
pub(super) fn take_edges(
    project: &Project,
    selected: &mut SelectedRevisions,
    all: Vec<Revision>,
) -> Result<(), CliError> {
    let recipes = tacho_subject::recipes(&project.plan.subject, &project.folder, &all)?;
    let mut taken: HashSet<String> = selected.revisions.iter().map(|it| it.id.clone()).collect();
    for pair in
        all.windows(2).filter(|pair| recipes.quirks(&pair[0].id) != recipes.quirks(&pair[1].id))
    {
        taken.extend(pair.iter().map(|revision| revision.id.clone()));
    }
    selected.revisions = all.into_iter().filter(|revision| taken.contains(&revision.id)).collect();
    let known: HashSet<String> = selected.known.iter().map(|it| it.id.clone()).collect();
    selected.known.extend(selected.revisions.iter().filter(|it| !known.contains(&it.id)).cloned());
    Ok(())
}

/// The request, as a query of the history.
pub(super) fn selection(command: &TrackArgs) -> Result<Selection, CliError> {
    let what = match command.revisions.as_slice() {
        [] => RevisionQuery::Range { from: None, to: None },
        [one] => RevisionQuery::parse(one),
        many => RevisionQuery::List(many.to_vec()),
    };
    let every = command.every.as_deref().unwrap_or("commit").parse::<RevisionStep>()?;
    Ok(Selection { what, every, tags: command.tags.clone(), all_parents: command.all_parents })
}

/// The plan with only the benchmarks that were named.
pub(crate) fn narrowed(plan: &Plan, names: &[String]) -> Result<Plan, CliError> {
    plan.only(names).map_err(|unknown| {
        let known = in_backticks(plan.benchmarks.iter().map(|benchmark| &benchmark.name));
        CliError::UnknownBenchmark { name: unknown.to_owned(), known }
    })
}
