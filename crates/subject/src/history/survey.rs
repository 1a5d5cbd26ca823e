//! Surveys a part of a repository's history: its commits, and the place of each.

use super::dag::{Dag, DagStanding};
use super::log;
use crate::SubjectError;
use crate::git_repository::Repository;

/// A part of history with the standing of each of its commits.
///
/// The part has all commits in the history of its tips that are not in the common history of the
/// question's revisions, and below them at least the commits from which the first places are
/// counted.
#[derive(Debug)]
pub(super) struct HistorySurvey {
    pub dag: Dag,
    /// Each commit's standing in the history of that tip where it comes first. So no commit comes
    /// before its parents, but commits of which neither has the other in its history may have the
    /// same order.
    pub standings: Vec<DagStanding>,
    /// For each commit whether all of the question's revisions have it.
    pub common: Vec<bool>,
}

impl HistorySurvey {
    /// Reads the part above `common`: the best common ancestors of the question's revisions, empty
    /// for all.
    pub fn read(
        repository: &Repository,
        tips: &[String],
        common: &[String],
    ) -> Result<Self, SubjectError> {
        let below = match root(repository, tips, common)? {
            Some(root) => first_parent(repository, &root)?,
            None => None,
        };
        let count = match &below {
            Some(below) => count(repository, below)?,
            None => 0,
        };
        let dag = Dag::new(log::read(&repository.git, tips, below.as_ref())?);
        let mut standings = vec![None; dag.entries.len()];
        for tip in tips.iter().filter_map(|tip| dag.place(tip)) {
            for (known, new) in standings.iter_mut().zip(dag.standings(tip, count)) {
                *known = [*known, new].into_iter().flatten().min_by_key(|standing| standing.order);
            }
        }
        // Whatever the log printed is in the history of a tip; in case of doubt it comes first.
        let nowhere = |place| DagStanding { order: 0, brought_by: place };
        let standings = standings
            .into_iter()
            .enumerate()
            .map(|(place, known)| known.unwrap_or(nowhere(place)))
            .collect();
        let common = dag.reached(common);
        Ok(Self { dag, standings, common })
    }
}

/// The newest commit in the common history through which the main lines of all tips go.
fn root(
    repository: &Repository,
    tips: &[String],
    common: &[String],
) -> Result<Option<String>, SubjectError> {
    if common.is_empty() {
        return Ok(None);
    }
    let mut entries = Vec::new();
    for tip in tips {
        let Some(entry) = entry(repository, tip, common)? else { return Ok(None) };
        entries.push(entry);
    }
    entries.sort_unstable();
    entries.dedup();
    match entries.as_slice() {
        [one] => Ok(Some(one.clone())),
        _ => meeting(repository, &entries),
    }
}

/// The commit at which the main line of the tip enters the common history.
fn entry(
    repository: &Repository,
    tip: &str,
    common: &[String],
) -> Result<Option<String>, SubjectError> {
    let common: Vec<String> = common.iter().map(|id| format!("^{id}")).collect();
    let mut arguments = vec!["rev-list", "--first-parent", "--parents", tip];
    arguments.extend(common.iter().map(String::as_str));
    arguments.push("--");
    let lines = repository.git.lines(&arguments)?;
    let Some(oldest) = lines.last() else { return Ok(Some(tip.to_owned())) };
    Ok(oldest.split(' ').nth(1).map(str::to_owned))
}

/// The commit at which the main lines of these commits meet.
fn meeting(repository: &Repository, commits: &[String]) -> Result<Option<String>, SubjectError> {
    let mut lines = Vec::new();
    for commit in commits {
        lines.push(repository.git.lines(&["rev-list", "--first-parent", commit, "--"])?);
    }
    let Some((first, others)) = lines.split_first() else { return Ok(None) };
    let others: Vec<std::collections::HashSet<&String>> =
        others.iter().map(|line| line.iter().collect()).collect();
    Ok(first.iter().find(|id| others.iter().all(|line| line.contains(id))).cloned())
}

fn first_parent(repository: &Repository, id: &str) -> Result<Option<String>, SubjectError> {
    let lines = repository.git.lines(&["rev-list", "--parents", "--max-count=1", id, "--"])?;
    Ok(lines.first().and_then(|line| line.split(' ').nth(1)).map(str::to_owned))
}

/// How many commits a history has.
fn count(repository: &Repository, id: &str) -> Result<u64, SubjectError> {
    let lines = repository.git.lines(&["rev-list", "--count", id, "--"])?;
    lines.first().and_then(|line| line.parse().ok()).ok_or_else(|| SubjectError::Git {
        command: "rev-list".to_owned(),
        why: "it printed no number".to_owned(),
    })
}

/// The best commits that the histories of all of these have in common; empty if they share nothing.
pub(super) fn common(repository: &Repository, ids: &[&str]) -> Result<Vec<String>, SubjectError> {
    match ids {
        [one] => Ok(vec![(*one).to_owned()]),
        [_, _] => repository.git.lines_if_any(&[&["merge-base", "--all"], ids].concat()),
        _ => repository.git.lines_if_any(&[&["merge-base", "--octopus", "--all"], ids].concat()),
    }
}

/// The commits that none of the others has in its history.
pub(super) fn tips(repository: &Repository, ids: &[&str]) -> Result<Vec<String>, SubjectError> {
    repository.git.lines_if_any(&[&["merge-base", "--independent"], ids].concat())
}
