//! What can go wrong with a pipe.

use std::io;
use std::path::{Path, PathBuf};

use crate::{PipeCommandError, Tally};

/// Why a pipe cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PipeError {
    /// The pipe stays full: its helper is stopped or far too slow.
    #[error(
        "the pipe `{}` is full, and its helper has read nothing for {seconds} s\nhint: is the \
         helper stopped? `kill -CONT` lets it go on; `--timeout` waits longer",
        path.display()
    )]
    Full {
        /// The pipe.
        path: PathBuf,
        /// How long room was waited for, in seconds.
        seconds: u64,
    },
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
    /// A line that no helper would understand.
    #[error("{source}{hint}")]
    Line {
        /// What is wrong.
        source: PipeCommandError,
        /// What may have been meant, or nothing.
        hint: String,
    },
    /// The user has no right to use the pipe.
    #[error(
        "cannot open `{path}`: Permission denied\n\
         hint: its owner lets others write with: chmod go+w {path}",
        path = path.display()
    )]
    NoAccess {
        /// The pipe.
        path: PathBuf,
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
    /// The totals cannot be written, so that the error shows them.
    #[error(
        "cannot write the totals: {source}\nnote: the totals are:\n{}",
        tally.to_string().trim_end()
    )]
    Totals {
        /// What was counted.
        tally: Tally,
        /// What the system says.
        source: io::Error,
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

impl PipeError {
    /// Why a pipe that is there cannot be opened.
    pub(crate) fn of_open(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match path.metadata() {
            // Where its folder may not be entered, the pipe itself may be open to all.
            Ok(_) if source.kind() == io::ErrorKind::PermissionDenied => Self::NoAccess { path },
            _ => Self::Io { action: "open", path, source },
        }
    }
}
