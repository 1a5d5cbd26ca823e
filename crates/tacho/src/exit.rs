//! The exit status of each answer.

use std::process::ExitCode;

/// The exit status, which is part of the interface. Of several, the last in this order counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All well.
    Success,
    /// As the command that was executed.
    Command(u8),
    /// All well, and something got worse.
    Worse,
    /// The machine is not fit to measure on.
    Unfit,
    /// The command failed.
    Error,
    /// The user stopped it; the same command resumes.
    Interrupted,
    /// The ends of a bisection do not differ here and now.
    NotReproduced,
    /// The answer is undecided.
    Undecided,
    /// The culprit is verified, but its effect depends on the state of the machine.
    DependsOnMachine,
    /// Something is named and verified, and there may be more on a side of it.
    SideUndecided,
}

impl Exit {
    /// The status of an answer without other statuses.
    pub fn of(is_interrupted: bool, is_complete: bool) -> Self {
        match (is_interrupted, is_complete) {
            (true, _) => Self::Interrupted,
            (false, true) => Self::Success,
            (false, false) => Self::Error,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Command(status) => ExitCode::from(status),
            Exit::Success => ExitCode::SUCCESS,
            Exit::Worse | Exit::Unfit => ExitCode::from(1),
            Exit::Error => ExitCode::from(2),
            Exit::Interrupted => ExitCode::from(130),
            Exit::NotReproduced => ExitCode::from(3),
            Exit::Undecided => ExitCode::from(4),
            Exit::DependsOnMachine => ExitCode::from(5),
            Exit::SideUndecided => ExitCode::from(6),
        }
    }
}
