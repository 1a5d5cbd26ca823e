//! The errors of writing pages.

use std::io;
use std::path::PathBuf;

use crate::SourceError;

/// Pages could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A file could not be put into a form for others; that is a defect of this program.
    #[error("cannot encode `{path}`: {source}")]
    Encode {
        /// The file, from the folder of the pages.
        path: String,
        /// The encoder's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file that this program did not write is in the way.
    #[error("`{path}` exists and was not written by tacho")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The folder's list of pages is not one.
    #[error("`{path}` is not a list of pages: {source}")]
    Manifest {
        /// The list.
        path: PathBuf,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// The folder holds something, and no list of pages says that it is ours.
    #[error("`{path}` is not empty and has no pages of tacho")]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// Samples or logs could not be read.
    #[error("cannot read measurements {what}: {source}")]
    Read {
        /// At which revision, or in which run.
        what: String,
        /// The source's error.
        source: SourceError,
    },
    /// A file could not be written, read back or removed.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl SiteError {
    /// The advice, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Foreign { .. } => Some("name an empty folder, or one that holds pages already"),
            Self::Manifest { .. } => {
                Some("name an empty folder, or remove the pages and this list")
            }
            Self::NotEmpty { .. } => Some("name an empty folder, or a new one"),
            Self::Encode { .. } | Self::Read { .. } | Self::Write { .. } => None,
        }
    }
}
