//! The work of a checkout, and what stops it.

use std::process::Command;

use tacho_record::BuildFailure;
use tacho_record::plan::Quirk;

use crate::SubjectError;
use crate::build::{BuildEnd, BuildLimits, BuildLog, Cut, execute};

/// Why a step towards a build was not completed.
#[derive(Debug)]
pub(crate) enum WorkStop {
    /// The work was cut short.
    Cut(Cut),
    /// The work failed because of the revision, for this reason.
    Failed(String, Option<BuildFailure>),
    /// No revision can be built any more.
    Fatal(SubjectError),
}

impl WorkStop {
    /// A failure whose reason decides nothing.
    pub fn failed(why: impl Into<String>) -> Self {
        Self::Failed(why.into(), None)
    }

    /// Says which quirk's patch it was.
    pub fn of_patch(self, quirk: &Quirk) -> Self {
        match self {
            Self::Failed(why, _) if quirk.is_tried => {
                Self::Failed(why, Some(BuildFailure::TriedPatch))
            }
            Self::Failed(why, cause) => {
                Self::Failed(format!("quirk `{}`: {why}", quirk.name), cause)
            }
            stop => stop,
        }
    }
}

impl From<SubjectError> for WorkStop {
    /// A failure of git or cvs with one revision need not occur with another.
    fn from(error: SubjectError) -> Self {
        match error {
            SubjectError::Git { .. } | SubjectError::Cvs { .. } => Self::failed(error.to_string()),
            error => Self::Fatal(error),
        }
    }
}

/// The log of the work, and its time limit.
#[derive(Debug)]
pub(crate) struct CheckoutWork<'a> {
    pub log: &'a mut BuildLog,
    pub limits: BuildLimits<'a>,
}

impl CheckoutWork<'_> {
    /// Executes a command that must succeed. `what` names the command in the reason of a failure,
    /// unless it is the build itself.
    pub fn step(&mut self, what: &str, command: Command) -> Result<(), WorkStop> {
        match execute(command, self.log, self.limits)? {
            BuildEnd::Exited(status) if status.success() => Ok(()),
            BuildEnd::Exited(status) => {
                let code = status.code();
                let status = status.to_string().replace("exit status: ", "exit status ");
                let said =
                    self.log.error_line().map(|line| format!(": {line}")).unwrap_or_default();
                let (failed, cause) = match (what, code) {
                    (BUILD, Some(NOT_EXECUTABLE | NOT_FOUND)) => {
                        (String::new(), Some(BuildFailure::Missing))
                    }
                    (BUILD, _) => (String::new(), Some(BuildFailure::Command)),
                    _ => (format!("{what} failed with "), None),
                };
                Err(WorkStop::Failed(format!("{failed}{status}{said}"), cause))
            }
            BuildEnd::Cut(cut) => Err(WorkStop::Cut(cut)),
        }
    }

    /// The same with a command that fetches something.
    pub fn fetch(&mut self, what: &str, command: Command) -> Result<(), WorkStop> {
        self.step(what, command).map_err(|stop| match stop {
            WorkStop::Failed(why, _) => WorkStop::Failed(why, Some(BuildFailure::Fetch)),
            stop => stop,
        })
    }
}

/// A shell exits so when what it is to execute cannot be executed.
const NOT_EXECUTABLE: i32 = 126;
/// A shell exits so when what it is to execute is not there.
const NOT_FOUND: i32 = 127;

/// The name of the plan's build command among the steps.
pub(crate) const BUILD: &str = "build";
