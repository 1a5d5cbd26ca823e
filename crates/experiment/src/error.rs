//! What stops an experiment.

use std::path::PathBuf;

use tacho_store::StoreError;
use tacho_subject::SubjectError;

/// What stops an experiment; a failing build or execution does not, it is a result.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The file that holds the right answer cannot be read.
    #[error("cannot read the expected output `{path}`: {source}")]
    ExpectedOutput {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// What was measured cannot be kept or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The subject cannot be had.
    #[error(transparent)]
    Subject(#[from] SubjectError),
}

impl ExperimentError {
    /// What to do about it, if there is something.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            ExperimentError::ExpectedOutput { .. } => {
                Some("`expect.stdout.file` is a path from the plan's folder".to_owned())
            }
            ExperimentError::Store(error) => error.hint().map(str::to_owned),
            ExperimentError::Subject(error) => error.hint(),
        }
    }
}
