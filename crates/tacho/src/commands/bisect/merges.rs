//! Into a merge that did it: which of the commits that it brought.
//!
//! What a merge changed is what lies between its first parent and itself, and so that is what its commits are asked for: each is
//! built merged into the first parent. What the main line has already, a branch that took it up cannot have brought; what a commit
//! does only where the branch began is not asked.

use std::collections::BTreeMap;

use tacho_experiment::bisect::Bisected;
use tacho_record::Revision;
use tacho_record::bisection::{Found, Merge};
use tacho_subject::{History, Selected, history};

use super::range::Range;
use super::{Inside, once};
use crate::cli::{Bisect, Global};
use crate::error::CliError;
use crate::output;
use crate::project::Project;

/// What a merge brought, as a range: what was before it, its commits, and the merge itself.
pub struct Brought {
    pub range: Range,
    /// Into which others each of the commits is merged, by full name.
    pub onto: BTreeMap<String, Vec<String>>,
    /// This merge, after those in whose commits it was found.
    pub within: Vec<Merge>,
}

/// Goes on among what the culprit brought, as long as that is a merge; what was found in the end.
pub fn follow(
    global: &Global,
    project: &Project,
    command: &Bisect,
    mut outer: Bisected,
) -> Result<Bisected, CliError> {
    let history = history(&project.plan.subject, &project.folder)?;
    let mut onto = BTreeMap::new();
    while let Some(merge) = merge(&*history, command, &outer)? {
        let brought = brought(&*history, &outer, &merge, &onto)?;
        let short = merge.short().to_owned();
        if brought.onto.is_empty() {
            output::note("note", &format!("{short} is a merge that brought no commits"));
            return Ok(outer);
        }
        output::note("note", &format!("{short} is a merge: going on among the commits that it brought"));
        let Some(inner) = among(global, project, command, (&short, &brought))? else { return Ok(outer) };
        let effect = brought.within.last().map_or(0.0, |merge| merge.effect.estimate);
        match inner.bisection.standing.found {
            Some(Found::NotReproduced) => {
                output::note("note", &format!("what {short} changed was not seen again among them"));
                return Ok(outer);
            }
            Some(Found::Undecided { .. }) => {
                let why =
                    format!("that {short} did it is verified; which of the commits that it brought is not");
                output::note("note", &why);
                return Ok(inner);
            }
            Some(Found::Verified | Found::DependsOnMachine) if !goes_the_same_way(&inner, effect) => {
                let why = format!("all that was found among them goes the other way than {short}");
                output::note("note", &why);
                return Ok(outer);
            }
            Some(Found::Verified | Found::DependsOnMachine) | None => {}
        }
        onto = brought.onto;
        outer = inner;
    }
    Ok(outer)
}

/// Bisects what a merge brought. Where only what goes the other way is found, more than one of its commits changed it: then all changes
/// are looked for.
fn among(
    global: &Global,
    project: &Project,
    command: &Bisect,
    (short, brought): (&str, &Brought),
) -> Result<Option<Bisected>, CliError> {
    let ends = (Some(format!("{short}^1")), Some(short.to_owned()));
    let inside = Bisect { good: ends.0, bad: ends.1, before: None, ..command.clone() };
    let Some(first) = once(global, project, &inside, Inside::Merge(brought))? else { return Ok(None) };
    let effect = brought.within.last().map_or(0.0, |merge| merge.effect.estimate);
    if command.all || first.interrupted || goes_the_same_way(&first, effect) {
        return Ok(Some(first));
    }
    output::note(
        "note",
        &format!("what was found goes the other way than {short}: looking for all that changed it"),
    );
    once(global, project, &Bisect { all: true, ..inside }, Inside::Merge(brought))
}

/// Whether nothing is named, or something that changes it in the same direction as this effect.
fn goes_the_same_way(bisected: &Bisected, effect: f64) -> bool {
    let culprits = &bisected.bisection.standing.culprits;
    culprits.is_empty() || culprits.iter().any(|it| (it.effect.estimate < 0.0) == (effect < 0.0))
}

/// The only culprit, if it is a merge that is to be gone into, and no other may have done it instead.
fn merge(history: &dyn History, command: &Bisect, bisected: &Bisected) -> Result<Option<Revision>, CliError> {
    let bisection = &bisected.bisection;
    let culprits = &bisection.standing.culprits;
    if bisected.interrupted {
        return Ok(None);
    }
    let mut merges = Vec::new();
    for culprit in culprits {
        let Some(candidate) = bisection.candidates.get(culprit.place) else { continue };
        if history.parents(&candidate.revision.id)?.len() > 1 {
            merges.push((culprit, candidate.revision.clone()));
        }
    }
    let Some((culprit, merge)) = merges.first().cloned() else { return Ok(None) };
    let short = merge.short();
    if culprits.len() > 1 {
        let names: Vec<&str> = merges.iter().map(|(_, merge)| merge.short()).collect();
        let why = match names.as_slice() {
            [one] => format!("{one} is a merge, and others are named too: it is not gone into"),
            all => format!("{} are merges: none of them is gone into", all.join(", ")),
        };
        let all = if command.all { " without `--all`" } else { "" };
        output::note(
            "note",
            &format!("{why}; the same command with `{short}^..{short}`{all} goes into {short}"),
        );
        return Ok(None);
    }
    if bisection.is_merge_itself(culprit.place) {
        let why = match bisection.others(culprit).words() {
            Some(others) => format!("it is {short} itself, or {others}"),
            None => format!(
                "none of the commits that {short} brought changes it on its own: it is the merge itself"
            ),
        };
        output::note("note", &why);
        return Ok(None);
    }
    if let Some(others) = bisection.others(culprit).words() {
        let why = format!("{short} is a merge, but {others} may have done it instead: it is not gone into");
        output::note("note", &why);
        return Ok(None);
    }
    Ok(Some(merge))
}

/// What this merge brought, which was named among revisions that are themselves merged into those others.
fn brought(
    history: &dyn History,
    outer: &Bisected,
    merge: &Revision,
    onto: &BTreeMap<String, Vec<String>>,
) -> Result<Brought, CliError> {
    let bisection = &outer.bisection;
    let before = bisection.standing.culprits.first().and_then(|it| bisection.candidates.get(it.parent_place));
    let mut selected = Selected::default();
    selected.revisions.extend(before.map(|before| before.revision.clone()));
    // What the merge itself and the one before it are merged into.
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in selected.revisions.iter().map(|it| &it.id).chain([&merge.id]) {
        all.extend(onto.get(id).map(|others| (id.clone(), others.clone())));
    }
    let mut there = all.get(&merge.id).cloned().unwrap_or_default();
    let mut brought = 0;
    let parents = history.parents(&merge.id)?;
    for (number, parent) in parents.iter().enumerate() {
        // Those of the first parent are what is built upon.
        if number > 0 {
            let line = history.line(parent, &there)?;
            selected.commits.extend(line.commits);
            for revision in line.revisions {
                brought += 1;
                all.insert(revision.id.clone(), there.clone());
                selected.revisions.push(revision);
            }
        }
        there.push(parent.clone());
    }
    selected.revisions.push(merge.clone());
    selected.known.clone_from(&selected.revisions);
    let all = if brought == 0 { BTreeMap::new() } else { all };
    let within = bisection.asked.within.iter().cloned().chain(Merge::named(bisection)).collect();
    Ok(Brought { range: Range { selected, exchanged: false, aside: None }, onto: all, within })
}
