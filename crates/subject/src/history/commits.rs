//! A git repository as a history.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use glob::Pattern;
use tacho_record::{Commit, Revision, shown, shown_name};

use super::choose::choose;
use super::resolve;
use super::survey::{self, HistorySurvey};
use crate::SubjectError;
use crate::git_repository::Repository;
use crate::history::selection::{
    History, HistoryRelation, RevisionQuery, SelectedRevisions, Selection,
};

/// The commits of a git repository.
#[derive(Debug)]
pub(super) struct Commits {
    repository: Repository,
}

impl Commits {
    pub fn new(repository: Repository) -> Self {
        Self { repository }
    }

    fn range(
        &self,
        from: Option<&str>,
        to: &str,
        selection: &Selection,
    ) -> Result<SelectedRevisions, SubjectError> {
        if let Some(last) = to.strip_prefix('.') {
            let (from, to) = (from.unwrap_or_default().to_owned(), last.to_owned());
            return Err(SubjectError::ThreeDots { from, to });
        }
        let names: Vec<&str> = std::iter::once(to).chain(from).collect();
        let ids = resolve::commits(&self.repository, &names)?;
        let (end, start) = (&ids[0], ids.get(1));
        let common = match start {
            Some(start) => survey::common(&self.repository, &[end, start])?,
            None => Vec::new(),
        };
        if common.contains(end) {
            let (from, to) = (from.unwrap_or_default().to_owned(), to.to_owned());
            return Err(SubjectError::EmptyRange { from, to, same: start == Some(end) });
        }
        let part = self.part(std::slice::from_ref(end), &common)?;
        self.check_depth(&part)?;
        let pattern = selection.tags.as_deref().map(resolve::pattern).transpose()?;
        let wanted = |revision: &Revision| resolve::has_tag(pattern.as_ref(), revision);
        let (first, places) = part.places(end, start, selection.all_parents);
        let tags_note = pattern.as_ref().and_then(|it| part.tags_note(it, first, &places));
        let first = first.map(|first| part.id(first));
        let note = start.filter(|start| first != Some(start.as_str()));
        let note = note.and(from).map(|from| parted(from, to, first)).or(self.shallow_note());
        let notes: Vec<String> = note.into_iter().chain(tags_note).collect();
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        let candidates = places.into_iter().map(|place| part.revision(place)).collect();
        let revisions = choose(candidates, selection.every, first, wanted);
        Ok(SelectedRevisions { known: revisions.clone(), revisions, commits: part.commits(), note })
    }

    fn list(&self, names: &[String]) -> Result<SelectedRevisions, SubjectError> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let ids: BTreeSet<String> =
            resolve::commits(&self.repository, &names)?.into_iter().collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        if ids.is_empty() {
            return Err(SubjectError::EmptyList);
        }
        let tips = survey::tips(&self.repository, &ids)?;
        let part = self.part(&tips, &survey::common(&self.repository, &ids)?)?;
        let places = ids.iter().filter_map(|id| part.survey.dag.place(id));
        let mut revisions: Vec<Revision> = places.map(|place| part.revision(place)).collect();
        // Commits may have the same place if neither has the other in its history.
        revisions.sort_by(|one, two| (one.order, &one.id).cmp(&(two.order, &two.id)));
        Ok(SelectedRevisions {
            known: revisions.clone(),
            revisions,
            commits: part.commits(),
            note: self.shallow_note(),
        })
    }

    fn part(&self, tips: &[String], common: &[String]) -> Result<CommitPart, SubjectError> {
        let survey = HistorySurvey::read(&self.repository, tips, common)?;
        Ok(CommitPart { survey, tags: self.repository.tags()? })
    }

    fn shallow_note(&self) -> Option<String> {
        let note =
            "this is a shallow clone: places in history are counted from where it was cut off";
        self.repository.shallow.then(|| note.to_owned())
    }

    /// Checks that no commit between the ends lacks its parents.
    fn check_depth(&self, part: &CommitPart) -> Result<(), SubjectError> {
        let cut_off = self.repository.cut_off()?;
        let beyond = part.between().any(|place| cut_off.contains(part.id(place)));
        if beyond {
            Err(SubjectError::Shallow { path: self.repository.folder().to_owned() })
        } else {
            Ok(())
        }
    }
}

impl History for Commits {
    fn select(&self, selection: &Selection) -> Result<SelectedRevisions, SubjectError> {
        match &selection.what {
            RevisionQuery::Range { from, to } => {
                self.range(from.as_deref(), to.as_deref().unwrap_or("HEAD"), selection)
            }
            RevisionQuery::List(names) => self.list(names),
        }
    }

    fn related(&self, one: &str, other: &str) -> Result<bool, SubjectError> {
        let ids = resolve::commits(&self.repository, &[one, other])?;
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        Ok(!survey::common(&self.repository, &ids)?.is_empty())
    }

    fn difference(&self, from: &str, to: &str) -> Result<Option<Vec<u8>>, SubjectError> {
        let arguments =
            ["diff", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", from, to, "--"];
        self.repository.git.read(&arguments).map(Some)
    }

    fn brought(&self, name: &str) -> Result<Option<Vec<u8>>, SubjectError> {
        let id = resolve::commits(&self.repository, &[name])?.swap_remove(0);
        let arguments = [
            "show",
            "--format=",
            "-m",
            "--first-parent",
            "--binary",
            "--full-index",
            "--no-ext-diff",
            "--no-textconv",
            id.as_str(),
            "--",
        ];
        self.repository.git.read(&arguments).map(Some)
    }

    fn parents(&self, name: &str) -> Result<Vec<String>, SubjectError> {
        let id = resolve::commits(&self.repository, &[name])?.swap_remove(0);
        let lines = self.repository.git.lines(&[
            "rev-list",
            "--parents",
            "--max-count=1",
            id.as_str(),
            "--",
        ])?;
        Ok(lines.iter().flat_map(|line| line.split(' ').skip(1)).map(str::to_owned).collect())
    }

    fn line(&self, to: &str, others: &[String]) -> Result<SelectedRevisions, SubjectError> {
        let names: Vec<&str> =
            std::iter::once(to).chain(others.iter().map(String::as_str)).collect();
        let ids = resolve::commits(&self.repository, &names)?;
        let (end, others) = (&ids[0], &ids[1..]);
        let mut common = BTreeSet::new();
        for other in others {
            common.extend(survey::common(&self.repository, &[end, other])?);
        }
        let common: Vec<String> = common.into_iter().collect();
        let part = self.part(std::slice::from_ref(end), &common)?;
        self.check_depth(&part)?;
        let (_, places) = part.places(end, None, false);
        let revisions: Vec<Revision> =
            places.into_iter().map(|place| part.revision(place)).collect();
        Ok(SelectedRevisions {
            known: revisions.clone(),
            revisions,
            commits: part.commits(),
            note: self.shallow_note(),
        })
    }

    fn has(&self, id: &str, path: &str) -> Result<Option<bool>, SubjectError> {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        if path.is_empty() || path == "." {
            return Ok(Some(true));
        }
        let listed =
            self.repository.git.read(&["ls-tree", "--full-tree", "--name-only", id, "--", path])?;
        Ok(Some(!listed.is_empty()))
    }

    /// A commit that git does not know any more is in no history, unless the clone is shallow.
    fn outside(&self, name: &str, ids: &[&str]) -> Result<HashSet<String>, SubjectError> {
        let git = &self.repository.git;
        let tip = resolve::commits(&self.repository, &[name])?.swap_remove(0);
        let all: String = ids.iter().flat_map(|id| [*id, "\n"]).collect();
        let known = git.answers(&["cat-file", "--batch-check=%(objectname)"], &all)?;
        let known: HashSet<&str> = known.iter().map(String::as_str).collect();
        let arguments = ["rev-list", "--ignore-missing", "--stdin"];
        let beside = git.answers(&arguments, &format!("{all}^{tip}\n"))?;
        let beside: HashSet<&str> = beside.iter().map(String::as_str).collect();
        let is_gone = |id: &str| !self.repository.shallow && !known.contains(id);
        let is_outside = |id: &&&str| beside.contains(**id) || is_gone(id);
        Ok(ids.iter().filter(is_outside).map(|id| (*id).to_owned()).collect())
    }

    /// Uses git's ancestors, since places do not order side branches. A commit that git does not
    /// know any more has passed no other.
    fn passed(
        &self,
        name: &str,
        revisions: &[Revision],
    ) -> Result<Vec<HistoryRelation>, SubjectError> {
        let place = resolve::commits(&self.repository, &[name])?.swap_remove(0);
        let ids: String =
            revisions.iter().flat_map(|revision| [revision.id.as_str(), "\n"]).collect();
        let arguments = ["rev-list", "--ancestry-path", "--ignore-missing", "--stdin"];
        let later = self.repository.git.answers(&arguments, &format!("{ids}^{place}\n"))?;
        let later: HashSet<&str> = later.iter().map(String::as_str).collect();
        let passed = |revision: &Revision| match revision.id.as_str() {
            id if id == place => HistoryRelation::Itself,
            id if later.contains(id) => HistoryRelation::Later,
            _ => HistoryRelation::Not,
        };
        Ok(revisions.iter().map(passed).collect())
    }
}

/// The note on a range that does not start at its requested start.
fn parted(from: &str, to: &str, first: Option<&str>) -> String {
    match first {
        Some(first) => {
            let short = &first[..10];
            format!(
                "`{from}` is not on the main line of `{to}`: the range starts at {short}, the fork \
                 point"
            )
        }
        None => format!("`{from}` and `{to}` share no history: all of `{to}` is taken"),
    }
}

/// The part of history that a question is about.
struct CommitPart {
    survey: HistorySurvey,
    tags: HashMap<String, Vec<String>>,
}

impl CommitPart {
    fn id(&self, place: usize) -> &str {
        &self.survey.dag.entries[place].id
    }

    /// The commits that not all of the question's revisions have, in no order.
    fn between(&self) -> impl Iterator<Item = usize> {
        (0..self.survey.common.len()).filter(|&place| !self.survey.common[place])
    }

    /// The start of the range, if it has one, and all its places, including start and end, in
    /// order.
    fn places(
        &self,
        end: &str,
        start: Option<&String>,
        all_parents: bool,
    ) -> (Option<usize>, Vec<usize>) {
        let HistorySurvey { dag, common, standings } = &self.survey;
        let line = dag.place(end).map(|end| dag.line(end)).unwrap_or_default();
        let (before, mut places): (Vec<usize>, Vec<usize>) =
            line.into_iter().partition(|&place| common[place]);
        let mut first = before.last().copied().filter(|_| start.is_some());
        if all_parents {
            places = self.between().collect();
            first =
                start.and_then(|start| dag.place(start)).filter(|&start| common[start]).or(first);
        }
        places.extend(first);
        places.sort_by_key(|&place| standings[place].order);
        (first, places)
    }

    /// The note on matching tags outside of these places, or on a pattern that no tag matches.
    fn tags_note(
        &self,
        pattern: &Pattern,
        first: Option<usize>,
        places: &[usize],
    ) -> Option<String> {
        let matching = |tags: &Vec<String>| tags.iter().filter(|tag| pattern.matches(tag)).count();
        if self.tags.values().all(|tags| matching(tags) == 0) {
            return Some(resolve::no_tag_matches(pattern, first.is_some()));
        }
        let taken: HashSet<usize> = places.iter().copied().collect();
        let aside = self.between().filter(|place| !taken.contains(place));
        match aside.filter_map(|place| self.tags.get(self.id(place))).map(matching).sum::<usize>() {
            0 => None,
            1 => Some(
                "1 more tag matches but is on a side branch: `--all-parents` takes it".to_owned(),
            ),
            more => Some(format!(
                "{more} more tags match but are on side branches: `--all-parents` takes them"
            )),
        }
    }

    fn revision(&self, place: usize) -> Revision {
        let entry = &self.survey.dag.entries[place];
        Revision {
            id: entry.id.clone(),
            order: self.survey.standings[place].order,
            author: shown(&entry.author),
            date: entry.date,
            subject: shown(&entry.subject),
            tags: self
                .tags
                .get(&entry.id)
                .into_iter()
                .flatten()
                .map(|tag| shown_name(tag))
                .collect(),
        }
    }

    /// All commits between the ends.
    fn commits(&self) -> Vec<Commit> {
        let mut brought: HashMap<usize, BTreeSet<&String>> = HashMap::new();
        for place in self.between() {
            let by = self.survey.standings[place].brought_by;
            if by != place {
                brought.entry(by).or_default().extend(&self.survey.dag.entries[place].files);
            }
        }
        let mut commits: Vec<Commit> =
            self.between().map(|place| self.commit(place, brought.get(&place))).collect();
        commits.sort_by(|one, two| (one.order, &one.id).cmp(&(two.order, &two.id)));
        commits
    }

    fn commit(&self, place: usize, brought: Option<&BTreeSet<&String>>) -> Commit {
        let entry = &self.survey.dag.entries[place];
        let files = match brought {
            Some(files) => files.iter().map(|file| (*file).clone()).collect(),
            None => entry.files.clone(),
        };
        Commit {
            id: entry.id.clone(),
            order: self.survey.standings[place].order,
            author: shown(&entry.author),
            date: entry.date,
            subject: shown(&entry.subject),
            numbers: BTreeMap::new(),
            files,
        }
    }
}

#[cfg(test)]
mod tests;
