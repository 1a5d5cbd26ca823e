//! Into a merge that did it: which of the commits that it brought.

use tacho_experiment::bisect::Bisected;
use tacho_record::bisection::Found;
use tacho_subject::{Every, Selection, What, history};

use super::{Inside, once};
use crate::cli::{Bisect, Global};
use crate::error::CliError;
use crate::output;
use crate::project::Project;

/// Goes on among what the culprit brought, as long as that is a merge; what was found in the end.
pub fn follow(
    global: &Global,
    project: &Project,
    command: &Bisect,
    mut outer: Bisected,
) -> Result<Bisected, CliError> {
    while let Some(merge) = merge(project, &outer) {
        output::note("note", &format!("{merge} is a merge: going on among the commits that it brought"));
        let (good, bad) = (Some(format!("{merge}^1")), Some(format!("{merge}^2")));
        let inside = Bisect { good, bad, before: None, ..command.clone() };
        let Some(inner) = once(global, project, &inside, Inside::Merge)? else { return Ok(outer) };
        match inner.bisection.standing.found {
            Some(Found::NotReproduced) => {
                let why =
                    "none of the commits that it brought changes it on its own: the merge itself may have";
                output::note("note", why);
                return Ok(outer);
            }
            Some(Found::Undecided { .. }) => {
                let why =
                    format!("that {merge} did it is verified; which of the commits that it brought is not");
                output::note("note", &why);
                return Ok(inner);
            }
            Some(Found::Verified | Found::DependsOnMachine) | None => {}
        }
        outer = inner;
    }
    Ok(outer)
}

/// The only culprit, in short, if it is a merge and no other may have done it instead.
fn merge(project: &Project, bisected: &Bisected) -> Option<String> {
    let bisection = &bisected.bisection;
    let [culprit] = bisection.standing.culprits.as_slice() else { return None };
    let short = bisection.candidates.get(culprit.place)?.revision.short().to_owned();
    let what = What::List(vec![format!("{short}^2")]);
    let selection = Selection { what, every: Every::Commit, tags: None, all_parents: false };
    let history = history(&project.plan.subject, &project.folder).ok()?;
    let is_merge = !bisected.interrupted && history.select(&selection).is_ok();
    if let (true, Some(others)) = (is_merge, bisection.others(culprit).words()) {
        let why = format!("{short} is a merge, but {others} may have done it instead: it is not gone into");
        output::note("note", &why);
        return None;
    }
    is_merge.then_some(short)
}
