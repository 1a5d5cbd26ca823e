//! The error of a failed build, and whether another build has the same error.

use tacho_record::build_error::{cause, error_line};
use tacho_record::{BuildFailure, BuildState};

use crate::build::known_remedies::remedy_of;

/// The error of a failed build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    error: String,
    cause: String,
}

impl Complaint {
    /// From its log and how it ended, which counts where its command did not fail, as with a patch
    /// that does not apply.
    #[must_use]
    pub fn new(log: &str, state: &BuildState) -> Self {
        match state {
            BuildState::Failed {
                why,
                cause: Some(BuildFailure::Command | BuildFailure::Missing),
            } => Self::of(error_line(log).as_deref().unwrap_or(why)),
            BuildState::Failed { why, .. } | BuildState::Skipped { why } => Self::of(why),
            other => Self::of(&format!("its build {}", other.word())),
        }
    }

    /// From the line that says why.
    #[must_use]
    pub fn of(error: &str) -> Self {
        // One cause may name different symbols and files as a program grows; the same remedy shows
        // that the cause is the same.
        let cause = remedy_of(error).map_or_else(|| cause(error), |remedy| remedy.flags.to_owned());
        Self { error: error.to_owned(), cause }
    }

    /// The line that says what is wrong.
    #[must_use]
    pub fn error(&self) -> &str {
        &self.error
    }

    /// Whether the cause is the same: the errors are equal without their places in the source and
    /// on this machine, or have the same remedy.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.cause == other.cause
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_log_counts_where_a_command_failed() {
        let log = "# executes in /x:\n# make\na.c:1:5: error: no\n# failed: exit status 2: old \
            wording,\n";
        let said = |log, cause, why: &str| {
            let state = BuildState::Failed { why: why.to_owned(), cause };
            Complaint::new(log, &state).error().to_owned()
        };
        let command = Some(BuildFailure::Command);
        assert_eq!(said(log, command, "exit status 2: old wording"), "a.c:1:5: error: no");
        assert_eq!(said(log, Some(BuildFailure::Missing), "exit status 127"), "a.c:1:5: error: no");
        assert_eq!(said("", command, "exit status 2"), "exit status 2");
        // What only reads like the end of a command is none.
        assert_eq!(said(log, None, "exit status file is missing"), "exit status file is missing");
        let patch = "quirk `q`: patch `p` does not apply";
        assert_eq!(said(log, None, patch), patch);
        let timed_out = BuildState::TimedOut { limit: std::time::Duration::ZERO };
        assert_eq!(Complaint::new(log, &timed_out).error(), "its build timed out");
    }

    fn alike(one: &str, other: &str) -> bool {
        Complaint::of(one).is_like(&Complaint::of(other))
    }

    #[test]
    fn the_same_reason_elsewhere_is_the_same() {
        let same = [
            (
                "a.c:1:5: error: unknown type name 'u8'",
                "lib/b.c:20:1: error: unknown type name 'u8'",
            ),
            (
                "/usr/bin/ld: a.c:(.text+0x5): undefined reference to `log'",
                "/opt/ld: b.c:(.text+0x99): undefined reference to `log'",
            ),
            (
                "multiple definition of `x'; first defined here",
                "multiple definition of `y'; first defined here",
            ),
            ("error: expected 3 arguments", "error: expected 12 arguments"),
            ("cp: cannot stat '/tmp/a': No such file", "cp: cannot stat '/tmp/b': No such file"),
            (
                "git checkout failed: error: unable to read sha1 file of a.tar \
                 (31c6ad900d68ae5a1e3030fd0960deaa93316227)",
                "git checkout failed: error: unable to read sha1 file of a.tar \
                 (365234ac190acbb32f54d5654bb7c6e7c5b82d34)",
            ),
            ("prog: fault at 0x7ffe12 not found", "prog: fault at 0x12 not found"),
        ];
        for (one, other) in same {
            assert!(alike(one, other), "{one} and {other}: {} and {}", cause(one), cause(other));
        }
        let others = [
            ("a.c:1:5: error: unknown type name 'u8'", "a.c:1:5: error: unknown type name 'u16'"),
            (
                "a.c:3:10: fatal error: sys/sysctl.h: No such file",
                "a.c:3:10: fatal error: asm/page.h: No such file",
            ),
            ("undefined reference to `log2'", "undefined reference to `log10'"),
            ("cp: cannot stat 'one': No such file", "cp: cannot stat 'two': No such file"),
        ];
        for (one, other) in others {
            assert!(!alike(one, other), "{one} and {other}: {}", cause(one));
        }
    }

    proptest! {
        #[test]
        fn where_it_is_does_not_matter(
            said in "[a-z' ]{0,30}",
            one in 1..999_u32,
            other in 1..999_u32,
        ) {
            let at = |line: u32| format!("src/f{line}.c:{line}:{}: error: {said}", line + 1);
            prop_assert!(alike(&at(one), &at(other)));
            let other = at(one) + " otherwise";
            prop_assert!(!alike(&at(one), &other));
        }
    }
}
