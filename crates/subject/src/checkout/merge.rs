//! A revision merged into others, in our own checkout: what a commit of a branch does where that
//! branch was merged.

use std::fs;
use std::process::Command;

use tacho_record::{BuildFailure, Revision};

use super::{Checkout, CheckoutOrigin};
use crate::SubjectError;
use crate::build::{BuildEnd, execute};
use crate::checkout::work::{CheckoutWork, WorkStop};

/// The author and the time of a merge are always the same, so that the same merge is the same
/// commit.
const WHO: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "tacho"),
    ("GIT_AUTHOR_EMAIL", "tacho@localhost"),
    ("GIT_AUTHOR_DATE", "@0 +0000"),
    ("GIT_COMMITTER_NAME", "tacho"),
    ("GIT_COMMITTER_EMAIL", "tacho@localhost"),
    ("GIT_COMMITTER_DATE", "@0 +0000"),
];

/// The user's settings neither change the merge nor make git ask the user.
const MERGE: [&str; 11] = [
    "merge",
    "--quiet",
    "--no-ff",
    "--no-edit",
    "--no-verify",
    "--no-gpg-sign",
    "--no-verify-signatures",
    "--no-autostash",
    "--no-rerere-autoupdate",
    "--no-stat",
    "--allow-unrelated-histories",
];

impl Checkout {
    /// Fills the folder with this revision's source merged into the first of the others, into which
    /// the rest was merged before. A merge with conflicts fails.
    pub fn merge(
        &mut self,
        revision: &Revision,
        onto: &[String],
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        let (CheckoutOrigin::Git(repository), Some((first, rest))) =
            (self.origin.clone(), onto.split_first())
        else {
            return Err(WorkStop::failed("only a commit of git is merged into another"));
        };
        self.take_from_git(&repository, &Revision::bare(first), work)?;
        let busy = self.busy();
        fs::write(&busy, "").map_err(SubjectError::cache("write", &busy))?;
        for other in rest.iter().chain([&revision.id]) {
            self.fetch_missing(&repository, &Revision::bare(other), work)?;
            self.merge_one(other, work)?;
        }
        self.update_submodules(&repository, work)?;
        fs::remove_file(&busy).map_err(SubjectError::cache("remove", &busy))?;
        Ok(())
    }

    fn merge_one(&self, other: &str, work: &mut CheckoutWork) -> Result<(), WorkStop> {
        work.log.note(&format!("merges {other}"))?;
        match execute(self.merging(other), work.log, work.limits)? {
            BuildEnd::Exited(status) if status.success() => Ok(()),
            BuildEnd::Exited(status) => {
                let conflict = !self.git().lines(&["ls-files", "--unmerged"])?.is_empty();
                self.end_merge()?;
                if conflict {
                    let why = "it does not merge without conflicts".to_owned();
                    return Err(WorkStop::Failed(why, Some(BuildFailure::Conflict)));
                }
                let said = work.log.error_line().unwrap_or_default();
                Err(WorkStop::failed(format!("git merge failed with {status}: {said}")))
            }
            BuildEnd::Cut(cut) => Err(WorkStop::Cut(cut)),
        }
    }

    /// Forgets the merge that is under way, so that the clone can go on to be used.
    fn end_merge(&self) -> Result<(), SubjectError> {
        self.git().read(&["reset", "--quiet", "--hard"])?;
        let busy = self.busy();
        fs::remove_file(&busy).map_err(SubjectError::cache("remove", &busy))
    }

    fn merging(&self, other: &str) -> Command {
        let mut command = self.git().command(MERGE);
        command.arg(other).envs(WHO);
        command
    }
}
