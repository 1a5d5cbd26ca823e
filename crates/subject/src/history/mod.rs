//! The subject's history: its revisions, their order, and the commits between them.
//!
//! [`History`] answers a [`Selection`](crate::Selection), for git, CVS and releases alike. `survey`
//! and `log` query git; `dag` computes the place of each commit; `cvs` has all of CVS; `choose`
//! selects the revisions of a range, for all kinds. Nothing here checks out or builds anything.

mod choose;
mod commits;
pub(crate) mod cvs;
mod dag;
mod edited;
mod every;
pub(crate) mod log;
mod releases;
mod resolve;
pub(crate) mod selection;
mod survey;

use crate::history::selection::History;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use jiff::Timestamp;
use tacho_record::plan::{Source, Subject};

use crate::SubjectError;
use crate::build::{self, BuildEnd, BuildLimits, BuildLog};
use crate::git_repository::Repository;

pub use edited::edited_files;
pub use every::RevisionStep;

/// The history of this subject, whose plan is in that folder.
pub fn history(subject: &Subject, plan_folder: &Path) -> Result<Box<dyn History>, SubjectError> {
    Ok(match &subject.source {
        Source::Git(path) => Box::new(commits::Commits::new(repository_of(path, plan_folder)?)),
        Source::Cvs(module) => {
            Box::new(cvs::CvsPoints::new(module, plan_folder, Timestamp::now())?)
        }
        Source::Releases(names) => Box::new(releases::Releases::listed(names.clone())),
        Source::ReleasesFrom(command) => {
            Box::new(releases::Releases::printed(command, plan_folder))
        }
    })
}

/// The repository that a plan in that folder names by this path.
fn repository_of(path: &str, plan_folder: &Path) -> Result<Repository, SubjectError> {
    Repository::open(&plan_folder.join(path).components().collect::<PathBuf>())
}

/// Has the subject's repository fetch from its remote, if it is one of git, for no longer than
/// that: the only time that something of the user's is written, and only when requested.
pub fn fetch(subject: &Subject, plan_folder: &Path, limit: Duration) -> Result<(), SubjectError> {
    let Source::Git(path) = &subject.source else { return Ok(()) };
    let repository = repository_of(path, plan_folder)?;
    // A remote that says nothing for a minute is given up.
    let fetch = ["-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60", "fetch", "--quiet"];
    let said = tempfile::NamedTempFile::new()
        .map_err(SubjectError::cache("write", &std::env::temp_dir()))?;
    let mut log = BuildLog::create(said.path().to_owned())?;
    let never = AtomicBool::new(false);
    let ended = build::execute(
        repository.git.command(fetch),
        &mut log,
        BuildLimits { time: limit, interrupt: &never },
    )?;
    let why = match ended {
        BuildEnd::Exited(status) if status.success() => return Ok(()),
        BuildEnd::Exited(status) => log
            .find_line(|line| line.starts_with("fatal: ") || line.starts_with("error: "))
            .map_or_else(
                || status.to_string(),
                |line| line.split_once(": ").map_or("", |it| it.1).to_owned(),
            ),
        BuildEnd::Cut(_) => format!("it took more than {} s", limit.as_secs()),
    };
    Err(SubjectError::Git { command: "fetch".to_owned(), why })
}

#[cfg(test)]
mod tests {
    use crate::history::selection::RevisionQuery;

    #[test]
    fn a_range_has_two_dots_and_each_end_may_be_left_out() {
        let range = |from: &str, to: &str| {
            let name = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
            RevisionQuery::Range { from: name(from), to: name(to) }
        };
        assert_eq!(RevisionQuery::parse("v1.0..main"), range("v1.0", "main"));
        assert_eq!(RevisionQuery::parse("HEAD~3.."), range("HEAD~3", ""));
        assert_eq!(RevisionQuery::parse("..v1.0^{}"), range("", "v1.0^{}"));
        assert_eq!(RevisionQuery::parse(".."), range("", ""));
        assert_eq!(RevisionQuery::parse("v1.0"), RevisionQuery::List(vec!["v1.0".to_owned()]));
    }
}
