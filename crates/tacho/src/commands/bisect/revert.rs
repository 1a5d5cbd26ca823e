//! The culprit's revert on top of the later end, measured against that end as it is.

use std::fs;

use tacho_experiment::bisect::BisectionResult;
use tacho_record::bisection::{BisectionEnd, ValueSource};
use tacho_record::{Revision, short_name};
use tacho_subject::history;

use super::super::r#try::{self as trying, TryOutcome};
use super::target;
use crate::cli::{BisectArgs, GlobalArgs};
use crate::error::CliError;
use crate::output;
use crate::project::Project;

/// What the revert of the first culprit does, and to which revision.
pub struct RevertEffect {
    pub base: Revision,
    pub tried: TryOutcome,
}

/// Measures it on top of that revision, where a culprit is verified that can be reverted.
pub fn measure(
    global: &GlobalArgs,
    project: &Project,
    command: &BisectArgs,
    (bisected, base): (&BisectionResult, Revision),
) -> Result<Option<RevertEffect>, CliError> {
    let bisection = &bisected.bisection;
    let verified = matches!(
        bisection.standing.found,
        Some(BisectionEnd::Verified | BisectionEnd::DependsOnMachine)
    );
    let Some(culprit) = bisection.standing.culprits.first().filter(|_| verified) else {
        return Ok(None);
    };
    if bisection.asked.of != ValueSource::Execution {
        output::note("note", "`--revert` works only for metrics of executions, not of builds");
        return Ok(None);
    }
    let of = &bisection.candidates[culprit.place].revision;
    // Where commits in between could not be measured, or were left out, any of them may be the
    // cause: all are undone.
    let is_set = bisection.others(culprit).number() > 0;
    // Of a branch the one before may be of the main line: then the whole merge is undone.
    let merge = bisection.asked.within.last().filter(|_| is_set);
    let (revision, before) = match merge {
        Some(merge) => (&merge.revision, format!("{}^", merge.revision)),
        None if is_set => (&culprit.revision, culprit.parent.clone()),
        None => (&culprit.revision, format!("{}^", culprit.revision)),
    };
    let what = match bisection.candidates.get(culprit.parent_place) {
        _ if merge.is_some() => format!("all of the merge {}", short_name(revision)),
        Some(parent) if is_set => format!("{}..{}", parent.revision.short(), of.short()),
        _ => of.short().to_owned(),
    };
    let undoing = history(&project.plan.subject, &project.folder)?.difference(revision, &before)?;
    let Some(diff) = undoing else {
        output::note("note", "only a commit of git can be reverted");
        return Ok(None);
    };
    let folder = project.cache();
    let path = folder.join(format!("revert-{}.patch", of.short()));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, diff))
        .map_err(CliError::reading(&path))?;
    let asked = trying::TryRequest {
        plan: target::wish(&project.plan, command)?.plan,
        row: (bisection.asked.benchmark.clone(), bisection.asked.metric.clone()),
        base: base.clone(),
        patch: (format!("the revert of {what}"), path),
        wait: command.begin.wait,
        seed: command.begin.seed,
        quiet: global.quiet || command.form.json,
    };
    Ok(trying::ask(project, asked)?.map(|tried| RevertEffect { base, tried }))
}
