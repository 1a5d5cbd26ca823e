//! Puts commits together from the revisions of files, and finds the points in time that hold whole
//! commits.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use tacho_record::CvsNumbers;

use super::file::{CvsLine, ShownFile};
use super::rlog::{Delta, File};

/// How far apart in time two files of one commit may be, in seconds, with others of it in between
/// or not: what cvs takes to commit the next file, and what the clocks of two machines may differ.
/// The same that cvs2svn and cvsps allow.
pub(super) const WINDOW: i64 = 300;

/// Files that were committed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CvsCommit {
    /// The end, and what a checkout holds then.
    pub id: String,
    pub begin: i64,
    pub end: i64,
    pub author: String,
    pub message: String,
    /// The name in `cvs` itself, if there is one.
    pub name: Option<String>,
    pub files: Vec<String>,
    /// By file, its number before and after, where it was there.
    pub numbers: BTreeMap<String, CvsNumbers>,
    /// Whether no other commit was under way when it ended, so that a checkout by its date holds
    /// whole commits only.
    pub whole: bool,
}

/// The effect of a commit on one file.
struct CommitStep<'a> {
    path: &'a str,
    shown: ShownFile<'a>,
}

/// The commits of a line, in their order.
pub(super) fn commits(files: &[File], line: CvsLine<'_>) -> Vec<CvsCommit> {
    let mut steps: Vec<CommitStep> = Vec::new();
    for file in files {
        steps.extend(
            line.history(file).into_iter().map(|shown| CommitStep { path: &file.path, shown }),
        );
    }
    steps.sort_by_key(|step| (step.shown.time, step.path));
    let mut groups = group(&steps);
    groups.sort_by_key(|group| (group.end, group.begin, steps[group.steps[0]].path));
    let mut held = HeldFiles::default();
    let mut commits: Vec<CvsCommit> =
        groups.iter().map(|group| commit(group, &steps, &mut held)).collect();
    let mut begin = i64::MAX;
    for commit in commits.iter_mut().rev() {
        commit.whole = begin > commit.end;
        begin = begin.min(commit.begin);
    }
    commits
}

struct CommitGroup {
    begin: i64,
    end: i64,
    steps: Vec<usize>,
}

/// Steps that belong together: of one commit by its id, or by author and message, none farther than
/// the window from the one before, no file twice.
fn group(steps: &[CommitStep]) -> Vec<CommitGroup> {
    let mut groups: Vec<CommitGroup> = Vec::new();
    let mut open: HashMap<(&str, &str), (usize, BTreeSet<&str>)> = HashMap::new();
    for (at, CommitStep { path, shown }) in steps.iter().enumerate() {
        let Delta { author, message, commit, .. } = shown.delta;
        let key =
            commit.as_deref().map_or((author.as_str(), message.as_str()), |commit| ("\0", commit));
        if let Some((group, files)) = open.get_mut(&key)
            && shown.time - groups[*group].end <= WINDOW
            && files.insert(path)
        {
            groups[*group].end = shown.time;
            groups[*group].steps.push(at);
        } else {
            open.insert(key, (groups.len(), BTreeSet::from([*path])));
            groups.push(CommitGroup { begin: shown.time, end: shown.time, steps: vec![at] });
        }
    }
    groups
}

/// The content of a checkout: a sum over its files and their revisions, in any order.
#[derive(Default)]
struct HeldFiles(u128);

impl HeldFiles {
    fn turn(&mut self, path: &str, before: Option<&Delta>, after: Option<&Delta>) {
        let value = |delta: &Delta| {
            let hash = blake3::hash(format!("{path}\0{}", delta.number).as_bytes());
            hash.as_bytes().iter().take(16).fold(0_u128, |sum, &byte| sum << 8 | u128::from(byte))
        };
        self.0 = self.0.wrapping_sub(before.map_or(0, value)).wrapping_add(after.map_or(0, value));
    }

    fn digest(&self) -> String {
        blake3::hash(&self.0.to_be_bytes()).to_hex()[..10].to_owned()
    }
}

fn commit(group: &CommitGroup, steps: &[CommitStep], held: &mut HeldFiles) -> CvsCommit {
    let first = steps[group.steps[0]].shown.delta;
    let mut files = Vec::with_capacity(group.steps.len());
    let mut numbers = BTreeMap::new();
    for CommitStep { path, shown } in group.steps.iter().map(|&at| &steps[at]) {
        let after = Some(shown.delta).filter(|delta| !delta.dead);
        held.turn(path, shown.before, after);
        files.push((*path).to_owned());
        numbers.insert(
            (*path).to_owned(),
            [shown.before, after].map(|it| it.map(|it| it.number.to_string())),
        );
    }
    files.sort_unstable();
    CvsCommit {
        id: format!("{}-{}", written(group.end), held.digest()),
        begin: group.begin,
        end: group.end,
        author: first.author.clone(),
        message: first.message.clone(),
        name: first.commit.clone(),
        files,
        numbers,
        whole: false,
    }
}

/// The time as in names: `2016-07-13T12:30:42Z`.
pub(super) fn written(time: i64) -> String {
    Timestamp::from_second(time).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests;
