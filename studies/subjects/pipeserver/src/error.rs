//! What can go wrong with a pipe.

use std::io;
use std::path::PathBuf;

/// Why a pipe cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PipeError {
    /// The helper of a test case did not end well.
    #[error("the helper failed: {0}")]
    Helper(String),
    /// Another helper reads the pipe: each would get a part of the lines.
    #[error(
        "another helper reads `{path}`\nhint: name another pipe, or end that helper first: \
         pipeserver send {path} quit",
        path = path.display()
    )]
    InUse {
        /// The pipe.
        path: PathBuf,
    },
    /// Something fails while reading or writing.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was tried: `read`, for instance.
        action: &'static str,
        /// The pipe.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nobody reads the pipe.
    #[error(
        "no helper reads `{path}`\nhint: start one first: pipeserver serve {path}",
        path = path.display()
    )]
    NoHelper {
        /// The pipe.
        path: PathBuf,
    },
    /// Something else is where the pipe should be.
    #[error(
        "`{}` exists and is no named pipe\nhint: name another path, or remove it",
        path.display()
    )]
    NotAPipe {
        /// The path.
        path: PathBuf,
    },
    /// A line is longer than what the system writes to a pipe in one piece.
    #[error("a line of {length} bytes is too long: at most {most} are written in one piece")]
    TooLong {
        /// Its length, with the line end.
        length: usize,
        /// The most that is possible.
        most: usize,
    },
}
