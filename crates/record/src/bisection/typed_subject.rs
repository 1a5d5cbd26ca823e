//! What was typed instead of a plan.

use serde::{Deserialize, Serialize};

/// What was typed instead of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypedSubject {
    /// What builds a revision.
    pub build: Option<String>,
    /// What is executed.
    pub run: Option<String>,
    /// What the build leaves that is needed; nothing: all of the checkout.
    pub artifacts: Vec<String>,
    /// The regular expression of the number in the output.
    pub number: Option<String>,
    /// The repository, unless it is the folder where the command was typed.
    pub repository: Option<String>,
}
