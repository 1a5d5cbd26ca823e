//! The work of a checkout, and what stops it.

use std::process::Command;

use crate::SubjectError;
use crate::build::{BuildEnd, BuildLimits, BuildLog, Cut, execute};

/// Why a step towards a build was not completed.
#[derive(Debug)]
pub(crate) enum WorkStop {
    /// It was cut short.
    Cut(Cut),
    /// The revision is such that it cannot be, for this reason.
    Failed(String),
    /// Nothing can be built any more.
    Fatal(SubjectError),
}

impl WorkStop {
    /// Says which quirk's doing it was.
    pub fn of_quirk(self, quirk: &str) -> Self {
        match self {
            Self::Failed(why) => Self::Failed(format!("quirk `{quirk}`: {why}")),
            stop => stop,
        }
    }
}

impl From<SubjectError> for WorkStop {
    /// What git or cvs cannot do with one revision it may well do with another.
    fn from(error: SubjectError) -> Self {
        match error {
            SubjectError::Git { .. } | SubjectError::Cvs { .. } => Self::Failed(error.to_string()),
            error => Self::Fatal(error),
        }
    }
}

/// What is written down about the work: the log, and when it must end.
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
                let status = status.to_string().replace("exit status: ", "exit status ");
                let said =
                    self.log.error_line().map(|line| format!(": {line}")).unwrap_or_default();
                let failed =
                    if what == BUILD { String::new() } else { format!("{what} failed with ") };
                Err(WorkStop::Failed(format!("{failed}{status}{said}")))
            }
            BuildEnd::Cut(cut) => Err(WorkStop::Cut(cut)),
        }
    }
}

/// What the plan's build command is called among the steps.
pub(crate) const BUILD: &str = "build";
