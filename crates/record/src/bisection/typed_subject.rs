//! A subject given on the command line instead of a plan.

use serde::{Deserialize, Serialize};

/// A subject given on the command line instead of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedSubject {
    /// The command that builds a revision.
    pub build: Option<String>,
    /// The command to execute.
    pub run: Option<String>,
    /// The files that the build leaves and the command needs; if empty, the whole checkout.
    pub artifacts: Vec<String>,
    /// The regular expression of the number in the output.
    pub number: Option<String>,
    /// The repository, unless it is the folder where the command was typed.
    pub repository: Option<String>,
}
