//! What can go wrong when pages are written.

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
        /// What the encoder said.
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
        /// What the parser said.
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
        /// What the source said.
        source: SourceError,
    },
    /// A file could not be written, read back or removed.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SiteError {
    /// What to do about it, if there is something to do.
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
