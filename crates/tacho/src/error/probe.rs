//! What is wrong with what was typed for `tacho probe`.

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum ProbeMistake {
    #[error("`{name}` is not executed, so it cannot be probed")]
    NotExecuted { name: String },
    #[error("no disturbance is left")]
    NoneLeft,
    #[error("there is no disturbance `{name}`")]
    Unknown { name: String, nearest: Option<&'static str> },
}

impl ProbeMistake {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NotExecuted { .. } => "give a revision, a build or a command".to_owned(),
            Self::NoneLeft => "take names out of `--skip`".to_owned(),
            Self::Unknown { nearest: Some(nearest), .. } => {
                format!("did you mean `{nearest}`? `tacho probe --list` lists all")
            }
            Self::Unknown { .. } => "`tacho probe --list` lists all".to_owned(),
        }
    }
}
