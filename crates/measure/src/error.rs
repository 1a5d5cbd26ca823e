//! The errors of this crate, apart from failures of the subject.

use std::io;
use std::path::PathBuf;

use crate::Holder;

/// ` (its name)`, where it is known.
fn in_brackets(holder: Option<&Holder>) -> String {
    holder.map(|holder| format!(" ({holder})")).unwrap_or_default()
}

/// Why the host could not be measured on.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// Another measurement is under way on this host.
    #[error("another tacho{} is measuring on this host", in_brackets(.holder.as_ref()))]
    HostBusy {
        /// The holder, as far as known.
        holder: Option<Holder>,
    },
    /// The instrument could not measure itself.
    #[error("the instrument cannot measure itself: {why}")]
    Instrument {
        /// The reason, in one line.
        why: String,
    },
    /// The user interrupted it before anything was measured.
    #[error("interrupted before anything was measured")]
    Interrupted,
    /// The file that the host is locked by could not be opened, locked or written.
    #[error("cannot lock this host with `{}`: {source}", .path.display())]
    LockFile {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Ctrl-C and its kin could not be caught.
    #[error("cannot catch signals: {source}")]
    Signals {
        /// The system's error.
        source: io::Error,
    },
}

impl MeasureError {
    /// The advice, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::HostBusy { .. } => Some("`--wait` waits until it has ended"),
            Self::LockFile { .. } => Some("set `TACHO_LOCK` to a file that you may write"),
            Self::Instrument { .. } | Self::Interrupted | Self::Signals { .. } => None,
        }
    }
}
