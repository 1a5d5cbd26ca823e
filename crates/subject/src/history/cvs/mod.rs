//! A module of a CVS repository as a history.
//!
//! CVS only knows revisions of files. Commits are reconstructed from its log (`rlog` reads it,
//! `file` finds the revision of a date, `commits` groups them), and a revision of the subject is a
//! point in time at which no commit was under way. Its name is the time of its last commit and a
//! digest of its content. So two times without a commit between them are the same revision, and an
//! edited history is another one.

mod commits;
mod diff;
pub(crate) mod file;
mod names;
mod past;
pub(crate) mod rlog;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tacho_record::plan::CvsModule;
use tacho_record::{Commit, CvsNumbers, Revision, shown};

use self::file::CvsLine;
use self::past::{CvsHistory, HEAD};
use super::choose::choose;
use super::resolve;
use crate::SubjectError;
use crate::cvs::Cvs;
use crate::history::selection::{History, RevisionQuery, SelectedRevisions, Selection};

/// The points in time of a module.
#[derive(Debug)]
pub(super) struct CvsPoints {
    cvs: Cvs,
    module: CvsModule,
    /// Commits that are younger than the window before this time may not be complete yet.
    now: Timestamp,
    past: OnceCell<Arc<CvsHistory>>,
}

/// The histories that were read, by repository and module: a log may be long, and a command that
/// asks twice must get the same answer.
static READ: Mutex<Vec<(String, CvsModule, Arc<CvsHistory>)>> = Mutex::new(Vec::new());

impl CvsPoints {
    /// The revisions of a module, as they are at this time.
    pub fn new(
        module: &CvsModule,
        plan_folder: &Path,
        now: Timestamp,
    ) -> Result<Self, SubjectError> {
        let cvs = Cvs::of(module, plan_folder)?;
        Ok(Self { cvs, module: module.clone(), now, past: OnceCell::new() })
    }

    fn past(&self) -> Result<&CvsHistory, SubjectError> {
        if let Some(past) = self.past.get() {
            return Ok(past);
        }
        let mut all = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |(root, module, _): &&(String, CvsModule, _)| {
            root == self.cvs.root() && *module == self.module
        };
        let known = all.iter().find(of).map(|(.., past)| past.clone());
        let past = if let Some(past) = known {
            past
        } else {
            let past = Arc::new(self.read()?);
            all.push((self.cvs.root().to_owned(), self.module.clone(), past.clone()));
            past
        };
        Ok(self.past.get_or_init(|| past))
    }

    fn read(&self) -> Result<CvsHistory, SubjectError> {
        let module = self.module.module.as_str();
        let (printed, failure) = self.cvs.read(&["rlog", "--", module])?;
        if let Some(why) = failure {
            let absent = why.starts_with("cannot find module") || why.contains("no such directory");
            return Err(if absent {
                SubjectError::NoModule {
                    module: module.to_owned(),
                    root: self.cvs.root().to_owned(),
                }
            } else {
                SubjectError::Cvs { command: "rlog".to_owned(), why }
            });
        }
        let mut files = rlog::parse(&printed).map_err(|broken| SubjectError::Cvs {
            command: "rlog".to_owned(),
            why: broken.to_string(),
        })?;
        drop(printed);
        let prefix = prefix(files.first().map_or("", |file| &file.path), self.cvs.folder(), module);
        for file in &mut files {
            file.path = within(&file.path, self.cvs.folder(), module);
        }
        let line = CvsLine { branch: self.module.branch.as_deref() };
        names::check_branch(&files, line)?;
        let commits = commits::commits(&files, line);
        let start = names::start(&files, line);
        let whole = |&at: &usize| commits[at].whole && commits[at].end >= start;
        let points: Vec<usize> = (0..commits.len()).filter(whole).collect();
        if points.is_empty() {
            return Err(SubjectError::EmptyModule { module: module.to_owned() });
        }
        let tags = names::tags(&files, line);
        let named = |file: &rlog::File| {
            let hidden = file::left_out(file, line).into_iter();
            hidden.map(|delta| format!("`{}` {}", file.path, delta.number)).collect::<Vec<_>>()
        };
        let hidden = files.iter().flat_map(named).collect();
        let doubtful = files.iter().filter(|file| file.doubtful).count();
        Ok(CvsHistory { commits, points, tags, hidden, doubtful, prefix })
    }
}

impl CvsHistory {
    fn revisions(&self, points: std::ops::RangeInclusive<usize>) -> Vec<Revision> {
        let mut tags: HashMap<usize, Vec<String>> = HashMap::new();
        for (name, tag) in self.tags.iter().filter(|(_, tag)| tag.aside == 0) {
            if let Some(point) = self.holding(tag.time) {
                tags.entry(point).or_default().push(name.clone());
            }
        }
        points.map(|point| self.revision(point, tags.remove(&point).unwrap_or_default())).collect()
    }

    fn revision(&self, point: usize, mut tags: Vec<String>) -> Revision {
        let commit = self.commit(self.points[point]);
        tags.sort_unstable();
        let Commit { id, order, author, date, subject, .. } = commit;
        Revision { id, order, author, date, subject, tags }
    }

    fn commit(&self, at: usize) -> Commit {
        let commit = &self.commits[at];
        let numbers = self.numbers(at);
        Commit {
            id: commit.id.clone(),
            order: at as u64 + 1,
            author: shown(&commit.author),
            date: Timestamp::from_second(commit.end).ok(),
            subject: shown(commit.message.lines().next().unwrap_or_default().trim()),
            files: numbers.keys().cloned().collect(),
            numbers,
        }
    }

    /// The files of a commit, with their numbers before and after; of one that ends at a point,
    /// those of all that came with that point, as with a merge of git.
    fn numbers(&self, at: usize) -> BTreeMap<String, CvsNumbers> {
        let cut = self.commits[..at].iter().rev();
        let cut = cut.take_while(|before| self.commits[at].whole && !before.whole).count();
        let mut numbers = BTreeMap::new();
        for (file, [before, after]) in
            self.commits[at - cut..=at].iter().flat_map(|commit| &commit.numbers)
        {
            let [_, last] = numbers.entry(file.clone()).or_insert([before.clone(), None]);
            last.clone_from(after);
        }
        numbers
    }

    /// The commits of these points but that of the first, unless the range has no start.
    fn between(&self, first: Option<usize>, last: usize) -> Vec<Commit> {
        let from = first.map_or(0, |first| self.points[first] + 1);
        (from..=self.points[last]).map(|at| self.commit(at)).collect()
    }

    /// The number of points to which no file can be added any more, since their commits ended
    /// before the window; all of them without a window.
    fn settled(&self, now: Timestamp) -> usize {
        let is_over = |at: &usize| self.commits[*at].end < now.as_second() - commits::WINDOW;
        let settled = self.points.partition_point(is_over);
        if settled > 0 { settled } else { self.points.len() }
    }

    fn range(
        &self,
        (from, to): (Option<&str>, Option<&str>),
        now: Timestamp,
        selection: &Selection,
    ) -> Result<SelectedRevisions, SubjectError> {
        let to = to.unwrap_or(HEAD);
        let last = self.point(to, now)?;
        let first = from.map(|from| self.point(from, now)).transpose()?;
        if let Some(first) = first.filter(|&first| first >= last) {
            let (from, to) = (from.unwrap_or_default().to_owned(), to.to_owned());
            return Err(SubjectError::EmptyRange { from, to, same: first == last });
        }
        let pattern = selection.tags.as_deref().map(resolve::pattern).transpose()?;
        let wanted = |revision: &Revision| resolve::has_tag(pattern.as_ref(), revision);
        let candidates = self.revisions(first.unwrap_or(0)..=last);
        let unmatched = pattern.as_ref().filter(|_| !candidates.iter().any(&wanted));
        let unmatched = unmatched.map(|pattern| resolve::no_tag_matches(pattern, first.is_some()));
        let held_back = Some(self.points.len() - 1 - last).filter(|held| *held > 0 && to == HEAD);
        let held_back = held_back.map(|held| {
            format!(
                "{} left out: younger than {} minutes or in the future, so files may be missing; a \
                 revision named by its time is measured anyway",
                counted(held, "point", "s are", " is"),
                commits::WINDOW / 60
            )
        });
        let notes = unmatched.into_iter().chain(held_back);
        let start = first.map(|first| self.commits[self.points[first]].id.as_str());
        let revisions = choose(candidates, selection.every, start, wanted);
        Ok(self.selected(revisions, self.between(first, last), notes))
    }

    fn list(&self, names: &[String], now: Timestamp) -> Result<SelectedRevisions, SubjectError> {
        let mut points =
            names.iter().map(|name| self.point(name, now)).collect::<Result<Vec<_>, _>>()?;
        points.sort_unstable();
        points.dedup();
        let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
            return Err(SubjectError::EmptyList);
        };
        let mut revisions = self.revisions(first..=last);
        revisions.retain(|revision| {
            points.iter().any(|&at| self.commits[self.points[at]].id == revision.id)
        });
        Ok(self.selected(revisions, self.between(Some(first), last), []))
    }

    fn selected(
        &self,
        revisions: Vec<Revision>,
        commits: Vec<Commit>,
        notes: impl IntoIterator<Item = String>,
    ) -> SelectedRevisions {
        let notes: Vec<String> = notes.into_iter().chain(self.notes()).collect();
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        SelectedRevisions { known: revisions.clone(), revisions, commits, note }
    }

    /// The notes on unexpected properties of this history.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(first) = self.hidden.first() {
            let (which, one) = match self.hidden.len() - 1 {
                0 => (format!("{first} is"), "it"),
                more => (
                    format!(
                        "{first} and {} of files are",
                        counted(more, "other revision", "s", "")
                    ),
                    "them",
                ),
            };
            notes.push(format!(
                "{which} dated later than the next revision: a checkout by date leaves {one} out, \
                 and commits are ordered as checkouts show them"
            ));
        }
        if self.doubtful > 0 {
            let files = counted(self.doubtful, "file", "s", "");
            notes.push(format!("the log of {files} does not have the revisions that it announces"));
        }
        notes
    }
}

impl History for CvsPoints {
    fn select(&self, selection: &Selection) -> Result<SelectedRevisions, SubjectError> {
        let past = self.past()?;
        match &selection.what {
            RevisionQuery::Range { from, to } => {
                past.range((from.as_deref(), to.as_deref()), self.now, selection)
            }
            RevisionQuery::List(names) => past.list(names, self.now),
        }
    }

    fn difference(&self, from: &str, to: &str) -> Result<Option<Vec<u8>>, SubjectError> {
        let past = self.past()?;
        let (from, to) = (past.point(from, self.now)?, past.point(to, self.now)?);
        // cvs gives none backwards.
        if from > to { Ok(None) } else { self.between(past, Some(from), to).map(Some) }
    }

    fn brought(&self, name: &str) -> Result<Option<Vec<u8>>, SubjectError> {
        let past = self.past()?;
        let point = past.point(name, self.now)?;
        self.between(past, point.checked_sub(1), point).map(Some)
    }
}

/// The prefix of the paths that [`within`] gives, from the root of the repository.
fn prefix(path: &str, root: &str, module: &str) -> String {
    let path =
        path.strip_prefix(root.trim_end_matches('/')).unwrap_or(path).trim_start_matches('/');
    let module = module.trim_matches('/');
    let is_below = path.strip_prefix(module).is_some_and(|below| below.starts_with('/'));
    if is_below { format!("{module}/") } else { String::new() }
}

fn counted(number: usize, what: &str, many: &str, one: &str) -> String {
    format!("{number} {what}{}", if number == 1 { one } else { many })
}

/// The path of a file from the root of the module: removed files are in folders called `Attic`.
fn within(path: &str, root: &str, module: &str) -> String {
    let path = path.strip_suffix(",v").unwrap_or(path);
    let path =
        path.strip_prefix(root.trim_end_matches('/')).unwrap_or(path).trim_start_matches('/');
    let below =
        path.strip_prefix(module.trim_matches('/')).and_then(|below| below.strip_prefix('/'));
    let path = below.unwrap_or(path);
    match path.rsplit_once('/') {
        Some(("Attic", name)) => name.to_owned(),
        Some((folder, name)) => match folder.strip_suffix("/Attic") {
            Some(folder) => format!("{folder}/{name}"),
            None => path.to_owned(),
        },
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests;
