//! The range that is bisected.

use tacho_experiment::bisect::{left_out, touch_none};
use tacho_record::bisection::Candidate;
use tacho_record::{Revision, in_backticks};
use tacho_subject::{RevisionQuery, SelectedRevisions, Selection, SubjectError, history};

use crate::cli::BisectArgs;
use crate::error::CliError;
use crate::error::bisect::BisectMistake;
use crate::output;
use crate::project::Project;

/// The separator of a range's ends.
const BETWEEN: &str = "..";
/// The default of the later end.
const NEWEST: &str = "HEAD";

/// The good end and the bad one, as two words or as one range.
pub fn ends(command: &BisectArgs) -> Result<(&str, &str), CliError> {
    let (good, bad) = (command.good.as_deref().unwrap_or_default(), command.bad.as_deref());
    match (good.split_once(BETWEEN), bad) {
        (None, bad) => Ok((good, bad.unwrap_or(NEWEST))),
        (Some((good, "")), None) if !good.is_empty() => Ok((good, NEWEST)),
        (Some((good, bad)), None) if !good.is_empty() && !bad.starts_with('.') => Ok((good, bad)),
        _ => Err(BisectMistake::BadRange {
            text: [good, bad.unwrap_or_default()].join(" ").trim().to_owned(),
        }
        .into()),
    }
}

/// The revisions from one end to the other.
#[derive(Clone)]
pub struct Range {
    pub selected: SelectedRevisions,
    /// Whether the good end is the later one.
    pub exchanged: bool,
    /// The earlier end, where the main line of the later one does not pass through it.
    pub aside: Option<Revision>,
}

impl Range {
    /// The main line between both, whichever is the earlier.
    pub fn select(project: &Project, good: &str, bad: &str) -> Result<Self, CliError> {
        let history = history(&project.plan.subject, &project.folder)?;
        let select = |from: &str, to: &str| {
            let what =
                RevisionQuery::Range { from: Some(from.to_owned()), to: Some(to.to_owned()) };
            history.select(&Selection::commits(what))
        };
        if !history.related(good, bad)? {
            let (good, bad) = (good.to_owned(), bad.to_owned());
            return Err(BisectMistake::NothingShared { good, bad }.into());
        }
        let (selected, exchanged) = match select(good, bad) {
            Err(SubjectError::EmptyRange { same: true, .. }) => {
                let (good, bad) = (good.to_owned(), bad.to_owned());
                return Err(BisectMistake::SameEnds { good, bad }.into());
            }
            Err(SubjectError::EmptyRange { same: false, .. }) => (select(bad, good)?, true),
            other => (other?, false),
        };
        if exchanged {
            output::note(
                "note",
                &format!(
                    "GOOD (`{good}`) is later than BAD (`{bad}`): the ends are swapped; \
                     which end is better is measured"
                ),
            );
        }
        if let Some(note) = &selected.note {
            output::note("note", note);
        }
        let named = history.find(if exchanged { bad } else { good })?;
        let aside =
            selected.revisions.first().is_some_and(|first| first.id != named.id).then_some(named);
        Ok(Self { selected, exchanged, aside })
    }

    /// The revisions that may be the cause, and both ends.
    pub fn candidates(&self, paths: &[String]) -> Vec<Candidate> {
        let SelectedRevisions { revisions, commits, .. } = &self.selected;
        if touch_none(revisions, commits, paths) {
            let paths = in_backticks(paths);
            let why = format!(
                "no commit of the range touches the plan's `paths` ({paths}): they may be mistyped"
            );
            output::note("warning", &why);
        }
        left_out(revisions, commits, paths)
    }
}
