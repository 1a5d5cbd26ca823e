//! The mistakes in the options of `tacho probe`.

use crate::nearest::near;

/// The mistakes.
#[derive(Debug, thiserror::Error)]
pub enum ProbeMistake {
    #[error("`{name}` is not executed, so it cannot be probed")]
    NotExecuted { name: String },
    #[error("no disturbance is left")]
    NoneLeft,
    #[error("`{a}` and `{b}` are the same revision: there is no difference to probe")]
    SameSides { a: String, b: String },
    #[error("unknown disturbance `{name}`")]
    Unknown { name: String, known: String },
}

impl ProbeMistake {
    /// The advice.
    pub fn hint(&self) -> String {
        match self {
            Self::NotExecuted { .. } => "give a revision, a build or a command".to_owned(),
            Self::NoneLeft => "take names out of `--skip`".to_owned(),
            Self::SameSides { a, .. } => {
                format!("`tacho probe {a}` shows how much each disturbance changes it")
            }
            Self::Unknown { name, known } => {
                format!("{}; `tacho probe --list` lists all", near(name, known))
            }
        }
    }
}
