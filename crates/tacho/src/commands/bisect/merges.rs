//! `tacho bisect --into-merges`: continues among the commits of a guilty merge.

use tacho_experiment::bisect::{
    BisectionResult, BisectionWithMerges, MergeRange, into_merges, unsearched_merges,
};
use tacho_record::Revision;
use tacho_subject::history;

use crate::cli::{BisectArgs, GlobalArgs};
use crate::commands::bisect::single::{BisectedCommits, once};
use crate::error::CliError;
use crate::output;
use crate::output::bisect::merge_note;
use crate::project::Project;

/// Says how to go on where a merge is named.
pub fn hint(project: &Project, found: &BisectionResult) -> Result<(), CliError> {
    if found.bisection.standing.culprits.is_empty() {
        return Ok(());
    }
    let history = history(&project.plan.subject, &project.folder)?;
    for merge in unsearched_merges(&*history, found)? {
        let how = "with `--into-merges` the same command searches its commits";
        output::note("hint", &format!("{} is a merge: {how}", merge.short()));
    }
    Ok(())
}

/// Goes on among what guilty merges brought, as long as there are any; what was found in the end.
pub fn follow(
    global: &GlobalArgs,
    project: &Project,
    command: &BisectArgs,
    outer: BisectionResult,
) -> Result<BisectionWithMerges, CliError> {
    let history = history(&project.plan.subject, &project.folder)?;
    let mut bisect = |merge: &Revision, brought: &MergeRange| {
        let short = merge.short();
        let ends = (Some(format!("{short}^1")), Some(short.to_owned()));
        let inside = BisectArgs { good: ends.0, bad: ends.1, before: None, ..command.clone() };
        once(global, project, &inside, BisectedCommits::Merge(brought))
    };
    into_merges(&*history, outer, &mut bisect, &mut |merge, note| {
        output::note("note", &merge_note(merge, note));
    })
}
