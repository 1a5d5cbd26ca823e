//! The query of revisions, and its result.

use std::cmp::Ordering;
use std::collections::HashSet;

use tacho_record::{Commit, Revision};

use crate::SubjectError;
use crate::history::every::RevisionStep;

/// The requested revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RevisionQuery {
    /// From the first to the second, both included.
    ///
    /// The first is included since without it a change made by the next commit could not be seen.
    /// If the main line of the second does not contain the first, the commit where the two parted
    /// replaces it.
    Range {
        /// The start; `None` is the beginning of history.
        from: Option<String>,
        /// The end; `None` is `HEAD`, or the last release.
        to: Option<String>,
    },
    /// These revisions, in any order and with repetitions.
    List(Vec<String>),
}

impl RevisionQuery {
    /// Parses `A..B`, `A..`, `..B`, or `A`, which is a list of one.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let name = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
        match text.split_once("..") {
            Some((from, to)) => Self::Range { from: name(from), to: name(to) },
            None => Self::List(vec![text.to_owned()]),
        }
    }
}

/// A question to a history.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The revisions.
    pub what: RevisionQuery,
    /// The density of a range, which always includes both ends. A list is not thinned.
    pub every: RevisionStep,
    /// Takes only revisions of a range with a tag (or releases with a name) that this pattern
    /// matches, and the ends.
    pub tags: Option<String>,
    /// Take the commits of side branches of a range too; else only its main line: the first parents
    /// of its end.
    pub all_parents: bool,
}

impl Selection {
    /// Each commit of the main line of what [`RevisionQuery::parse`] understands.
    #[must_use]
    pub fn parse_range(text: &str) -> Self {
        Self::commits(RevisionQuery::parse(text))
    }

    /// Each commit of the main line of these.
    #[must_use]
    pub fn commits(what: RevisionQuery) -> Self {
        Self { what, every: RevisionStep::Commit, tags: None, all_parents: false }
    }
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectedRevisions {
    /// The requested revisions, in order of history, each once.
    pub revisions: Vec<Revision>,
    /// The revisions whose places in history are known now, in its order: for releases the whole
    /// list, since the places of those that were stored before may have changed with it; for git
    /// those requested.
    pub known: Vec<Revision>,
    /// All commits between the first and the last of them, side branches included, in order of
    /// history: those that the end of a range has and its start does not, or that some revisions of
    /// a list have and others do not. A merge on the main line has the files of all commits that it
    /// brought. Empty for releases.
    pub commits: Vec<Commit>,
    /// A note if the result may differ from the intention, in one line.
    pub note: Option<String>,
}

impl SelectedRevisions {
    /// Adds a revision at its place in history, unless it is in the list.
    pub fn add(&mut self, revision: Revision) {
        if !self.known.iter().any(|known| known.id == revision.id) {
            self.known.push(revision.clone());
        }
        if !self.revisions.iter().any(|selected| selected.id == revision.id) {
            self.revisions.push(revision);
            self.revisions.sort_by_key(|revision| revision.order);
        }
    }
}

/// The relation of a revision to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryRelation {
    /// The revision has the other one in its history.
    Later,
    /// The revision is the other one.
    Itself,
    /// Neither.
    Not,
}

/// A subject's history.
pub trait History {
    /// The revisions that were requested, with the commits between them.
    fn select(&self, selection: &Selection) -> Result<SelectedRevisions, SubjectError>;

    /// Whether two revisions, both by name, have any history in common: they do in a linear
    /// history.
    fn related(&self, _one: &str, _other: &str) -> Result<bool, SubjectError> {
        Ok(true)
    }

    /// The revision of that name.
    fn find(&self, name: &str) -> Result<Revision, SubjectError> {
        let what = RevisionQuery::List(vec![name.to_owned()]);
        let selected = self.select(&Selection::commits(what))?;
        selected.revisions.into_iter().next().ok_or(SubjectError::EmptyList)
    }

    /// The diff from a revision to another, both by name; `None` if history has none.
    fn difference(&self, _from: &str, _to: &str) -> Result<Option<Vec<u8>>, SubjectError> {
        Ok(None)
    }

    /// The diff that the revision of that name brought, against the one before it on its line;
    /// `None` if history has none.
    fn brought(&self, _name: &str) -> Result<Option<Vec<u8>>, SubjectError> {
        Ok(None)
    }

    /// The parents of the revision of that name, by their full names, in order; empty if history
    /// has no merges.
    fn parents(&self, _name: &str) -> Result<Vec<String>, SubjectError> {
        Ok(Vec::new())
    }

    /// The main line that leads to a revision, as far as none of those others has it in its
    /// history, with all commits that it brought to them; empty if history has no merges.
    fn line(&self, _to: &str, _others: &[String]) -> Result<SelectedRevisions, SubjectError> {
        Ok(SelectedRevisions::default())
    }

    /// Whether a revision, by its full name, has a file or folder of that path; `None` if this is
    /// unknown before a checkout.
    fn has(&self, _id: &str, _path: &str) -> Result<Option<bool>, SubjectError> {
        Ok(None)
    }

    /// Those of these revisions, by their full names, that are not in the history of the one of
    /// that name: on another branch, or replaced by an amend or a rebase. None in a linear
    /// history.
    fn outside(&self, _name: &str, _ids: &[&str]) -> Result<HashSet<String>, SubjectError> {
        Ok(HashSet::new())
    }

    /// The relation of each of these revisions to the one of that name; in a linear history, by
    /// their places.
    fn passed(
        &self,
        name: &str,
        revisions: &[Revision],
    ) -> Result<Vec<HistoryRelation>, SubjectError> {
        let place = self.find(name)?.order;
        let passed = |revision: &Revision| match revision.order.cmp(&place) {
            Ordering::Less => HistoryRelation::Not,
            Ordering::Equal => HistoryRelation::Itself,
            Ordering::Greater => HistoryRelation::Later,
        };
        Ok(revisions.iter().map(passed).collect())
    }
}
