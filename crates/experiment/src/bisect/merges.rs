//! The commits of a merge, as a range that can be bisected.
//!
//! The effect of a merge is the difference between its first parent and itself. So each of its
//! commits is built merged into the first parent. A branch cannot bring a change that the main line
//! has already. The effect of a commit at the branch's own start is not asked.

use std::collections::{BTreeMap, HashMap};

use tacho_record::Revision;
use tacho_record::bisection::{BisectionCost, Culprit, Merge};
use tacho_subject::{History, RevisionQuery, SelectedRevisions, Selection};

use super::state::BisectionResult;
use crate::ExperimentError;

/// The commits of a merge as a range: the revision before it, its commits, and the merge itself.
#[derive(Clone, Debug)]
pub struct MergeRange {
    /// The revisions of the range.
    pub selected: SelectedRevisions,
    /// Into which others each of the commits is merged, by full name; empty where the merge brought
    /// none.
    pub onto: BTreeMap<String, Vec<String>>,
    /// This merge, after those in whose commits it was found.
    pub within: Vec<Merge>,
    /// The cost of the bisections of this call so far.
    pub spent: BisectionCost,
}

impl MergeRange {
    /// The commits of this merge, which was named among revisions that are themselves merged into
    /// `onto`.
    pub fn brought(
        history: &dyn History,
        outer: &BisectionResult,
        (culprit, merge): (&Culprit, &Revision),
        onto: &BTreeMap<String, Vec<String>>,
        spent: BisectionCost,
    ) -> Result<Self, ExperimentError> {
        let bisection = &outer.bisection;
        let before = bisection.candidates.get(culprit.parent_place);
        let mut selected = SelectedRevisions::default();
        selected.revisions.extend(before.map(|before| before.revision.clone()));
        // The revisions into which the merge itself and the one before it are merged.
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for id in selected.revisions.iter().map(|it| &it.id).chain([&merge.id]) {
            all.extend(onto.get(id).map(|others| (id.clone(), others.clone())));
        }
        let mut there = all.get(&merge.id).cloned().unwrap_or_default();
        let mut brought = 0;
        let parents = history.parents(&merge.id)?;
        let outermost = bisection.asked.within.first().map_or(&merge.id, |it| &it.revision);
        let orders = orders_of_brought(history, outermost)?;
        for (number, parent) in parents.iter().enumerate() {
            // The revisions of the first parent are the base.
            if number > 0 {
                let line = history.line(parent, &there)?;
                let commits = line.commits.into_iter();
                selected.commits.extend(commits.map(|mut commit| {
                    commit.order = orders.get(&commit.id).copied().unwrap_or(commit.order);
                    commit
                }));
                for mut revision in line.revisions {
                    revision.order = orders.get(&revision.id).copied().unwrap_or(revision.order);
                    brought += 1;
                    all.insert(revision.id.clone(), there.clone());
                    selected.revisions.push(revision);
                }
            }
            there.push(parent.clone());
        }
        selected.revisions.push(merge.clone());
        selected.known.clone_from(&selected.revisions);
        let onto = if brought == 0 { BTreeMap::new() } else { all };
        let within = bisection.asked.within.iter().cloned();
        let within = within.chain(Merge::named(bisection, culprit)).collect();
        Ok(Self { selected, onto, within, spent })
    }
}

/// The places in history of all commits that a merge brought, as the main line counts them: a
/// branch by itself counts from where it began, and its places would be those of other commits.
fn orders_of_brought(
    history: &dyn History,
    merge: &str,
) -> Result<HashMap<String, u64>, ExperimentError> {
    let before = history.parents(merge)?.into_iter().next();
    let what = RevisionQuery::Range { from: before, to: Some(merge.to_owned()) };
    let brought = history.select(&Selection::commits(what))?.commits;
    Ok(brought.into_iter().map(|commit| (commit.id, commit.order)).collect())
}
