//! What can go wrong before the first byte comes out.

use std::path::PathBuf;

/// Why a file could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A folder stands where a file was expected.
    #[error("cannot read `{}`: it is a folder", path.display())]
    Folder {
        /// Where.
        path: PathBuf,
    },
    /// The file cannot be opened or read.
    #[error("cannot read `{}`: {source}", path.display())]
    Open {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}
