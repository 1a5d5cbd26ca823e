//! Hooks: what is done beside executions, and not timed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A shell command beside executions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    /// The command; the same names as in the benchmark's command are filled in, but by
    /// [`fill_shell`](super::fill_shell): all other braces are the shell's.
    pub script: String,
    /// How long it may take.
    pub timeout: Duration,
}

/// The hooks of a benchmark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hooks {
    /// Once in a session for the benchmark at each build, before all executions.
    pub setup: Option<Hook>,
    /// Before each execution.
    pub prepare: Option<Hook>,
    /// After each execution, whatever its result.
    pub conclude: Option<Hook>,
    /// Once in a session for the benchmark at each build, after all executions, whatever their
    /// results.
    pub cleanup: Option<Hook>,
}

impl Hooks {
    /// The hooks of the plan with their names, in the order of their execution.
    pub fn each(&self) -> impl Iterator<Item = (&'static str, &Hook)> {
        let all = [
            ("setup", &self.setup),
            ("prepare", &self.prepare),
            ("conclude", &self.conclude),
            ("cleanup", &self.cleanup),
        ];
        all.into_iter().filter_map(|(name, hook)| Some((name, hook.as_ref()?)))
    }
}
