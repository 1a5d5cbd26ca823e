//! The range that is bisected.

use tacho_experiment::bisect::left_out;
use tacho_record::bisection::Candidate;
use tacho_subject::{Every, Selected, Selection, SubjectError, What, history};

use super::wish::Mistake;
use crate::error::CliError;
use crate::output;
use crate::project::Project;

/// The revisions from one end to the other.
pub struct Range {
    pub selected: Selected,
    /// Whether the good end is the later one.
    pub exchanged: bool,
}

impl Range {
    /// The main line between both, whichever is the earlier.
    pub fn select(project: &Project, good: &str, bad: &str) -> Result<Self, CliError> {
        let history = history(&project.plan.subject, &project.folder)?;
        let select = |from: &str, to: &str| {
            let what = What::Range { from: Some(from.to_owned()), to: Some(to.to_owned()) };
            history.select(&Selection { what, every: Every::Commit, tags: None, all_parents: false })
        };
        let (selected, exchanged) = match select(good, bad) {
            Err(SubjectError::EmptyRange { same: true, .. }) => {
                let (good, bad) = (good.to_owned(), bad.to_owned());
                return Err(Mistake::SameEnds { good, bad }.into());
            }
            Err(SubjectError::EmptyRange { same: false, .. }) => (select(bad, good)?, true),
            other => (other?, false),
        };
        if exchanged {
            output::note(
                "note",
                &format!("`{good}` is later than `{bad}`: looking for the first revision that is good again"),
            );
        }
        if let Some(note) = &selected.note {
            output::note("note", note);
        }
        Ok(Self { selected, exchanged })
    }

    /// The revisions that may be the cause, and both ends.
    pub fn candidates(&self, paths: &[String]) -> Vec<Candidate> {
        left_out(&self.selected.revisions, &self.selected.commits, paths)
    }
}
