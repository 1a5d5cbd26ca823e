//! The errors of making and restoring settings.

use std::io;

/// Why settings cannot be made or put back.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// Another process makes settings now.
    #[error("another `tacho tune` is at work on this machine")]
    Busy,
    /// The command cannot be started.
    #[error("cannot execute `{command}`: {source}")]
    Command {
        /// Its first word.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// Two values for one setting.
    #[error("`{one}` and `{other}` contradict each other")]
    Contradiction {
        /// A value.
        one: String,
        /// Another value of the same setting.
        other: String,
    },
    /// Settings were made until they are put back, and are still there.
    #[error(
        "settings made by an earlier `tacho tune` are still in place: {changes} {}",
        if *changes == 1 { "change" } else { "changes" }
    )]
    InPlace {
        /// How many changes.
        changes: usize,
    },
    /// The journal cannot be read or written.
    #[error("cannot keep the journal in `/var/lib/tacho`: {source}")]
    Journal {
        /// Why.
        source: io::Error,
    },
    /// Settings that only a command can have.
    #[error("`{setting}` is for a command, and none is given")]
    NeedsCommand {
        /// The setting.
        setting: String,
    },
    /// A setting that this machine does not have.
    #[error("cannot set `{setting}`: {why}")]
    NotAvailable {
        /// The setting.
        setting: String,
        /// Why.
        why: String,
    },
    /// The kernel or a service refused.
    #[error("cannot set `{what}`: {source}")]
    Refused {
        /// The file, group or service.
        what: String,
        /// Why.
        source: io::Error,
    },
    /// Signals cannot be handled.
    #[error("cannot handle signals: {source}")]
    Signals {
        /// Why.
        source: io::Error,
    },
    /// The kernel took the value and shows another.
    #[error("`{path}` does not keep `{value}`: it shows `{shown}`")]
    Unkept {
        /// The file.
        path: String,
        /// The written value.
        value: String,
        /// The value that the file shows.
        shown: String,
    },
}

impl TuneError {
    /// The advice, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::InPlace { .. } => Some("`tacho tune --restore` puts them back"),
            Self::Journal { source } if source.kind() == io::ErrorKind::InvalidData => Some(
                "the journal is damaged: set back what it lists by hand or restart the machine, \
                 then delete `/var/lib/tacho/tune.json`",
            ),
            Self::Journal { source } | Self::Refused { source, .. }
                if source.kind() == io::ErrorKind::PermissionDenied
                    && !rustix::process::geteuid().is_root() =>
            {
                Some("only root may do this: `sudo tacho tune …`")
            }
            Self::NeedsCommand { .. } => Some("write the command after `--`"),
            Self::NotAvailable { .. } => Some("`tacho tune` lists the settings of this machine"),
            _ => None,
        }
    }
}
