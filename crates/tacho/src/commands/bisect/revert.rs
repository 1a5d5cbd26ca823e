//! The culprit's revert on top of the later end, measured against that end as it is.

use std::fs;

use tacho_experiment::bisect::{BisectionResult, RevertedRange};
use tacho_experiment::patches::{PatchFile, TryOutcome};
use tacho_record::Revision;
use tacho_record::bisection::ValueSource;
use tacho_subject::history;

use super::super::r#try::{TryRequest, ask};
use super::target;
use crate::cli::{BisectArgs, GlobalArgs};
use crate::error::CliError;
use crate::output;
use crate::project::Project;

/// The effect of reverting the first culprit, and the revision.
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
    let Some(reverted) = RevertedRange::of(bisection) else { return Ok(None) };
    if bisection.asked.of != ValueSource::Execution {
        output::note("note", "`--revert` works only for metrics of executions, not of builds");
        return Ok(None);
    }
    let RevertedRange { revision, before, what, culprit } = reverted;
    let history = history(&project.plan.subject, &project.folder)?;
    let undoing = history.difference(&revision, &before)?;
    let Some(diff) = undoing else {
        output::note("note", "only a commit of git can be reverted");
        return Ok(None);
    };
    let folder = project.cache();
    let path = folder.join(format!("revert-{culprit}.patch"));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, diff))
        .map_err(CliError::reading(&path))?;
    let asked = TryRequest {
        plan: target::requested(&project.plan, command)?.plan,
        row: (bisection.asked.benchmark.clone(), bisection.asked.metric.clone()),
        base: base.clone(),
        patch: PatchFile {
            name: format!("the revert of {what}"),
            path: path.to_string_lossy().into_owned(),
        },
        wait: command.begin.wait,
        seed: command.begin.seed,
        quiet: global.quiet || command.form.json,
    };
    Ok(ask(project, asked)?.map(|tried| RevertEffect { base, tried }))
}
