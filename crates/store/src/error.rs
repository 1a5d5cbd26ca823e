//! The errors of keeping and reading.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use tacho_record::Digest;

use crate::database::SERVER;

/// The cause, as the database's driver gave it.
pub type DriverError = Box<dyn Error + Send + Sync>;

/// Why something was not kept, or not read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The same item would be stored twice.
    #[error("{what} is stored already")]
    AlreadyStored {
        /// The item.
        what: String,
    },
    /// The database holds something that this program never writes.
    #[error("`{place}` is damaged: {why}")]
    Corrupt {
        /// The database.
        place: String,
        /// The fault.
        why: String,
    },
    /// The database refused for a reason that has no variant of its own.
    #[error("cannot use `{place}`: {source}")]
    Database {
        /// The database.
        place: String,
        /// The driver's words.
        source: DriverError,
    },
    /// No room is left, on the disk or in a quota.
    #[error("no space is left for `{place}`: {source}")]
    DiskFull {
        /// The database or file that was written.
        place: String,
        /// The system's words.
        source: DriverError,
    },
    /// The database lost all that was in it.
    #[error("`{place}` is damaged: it is empty, and its logs are still here")]
    Emptied {
        /// The file.
        place: String,
    },
    /// A file of the store cannot be read or written.
    #[error("cannot use `{}`: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Another process holds the database for longer than we wait.
    #[error("`{place}` is locked by another process")]
    Locked {
        /// The database.
        place: String,
        /// The driver's words.
        source: DriverError,
    },
    /// A log's content is not what its name says.
    #[error("the log `{}` is damaged: {why}", path.display())]
    LogDamaged {
        /// Its file.
        path: PathBuf,
        /// The fault.
        why: String,
    },
    /// A log is gone.
    #[error("the log {} is missing: there is no `{}`", digest.short(), path.display())]
    LogMissing {
        /// Its digest.
        digest: Digest,
        /// Its expected path.
        path: PathBuf,
    },
    /// The database was written by a later version of this program.
    #[error("`{place}` has schema {found}, and this `tacho` knows schemas up to {known}")]
    Newer {
        /// The database.
        place: String,
        /// Its schema.
        found: i64,
        /// The last schema that this program knows.
        known: i64,
    },
    /// There is no store where one was expected.
    #[error("nothing is measured yet: there is no `{place}`")]
    NoStore {
        /// The place where it was expected.
        place: String,
    },
    /// The file is no database, or so damaged that it cannot be opened.
    #[error("`{place}` is not a database: nothing in it can be read")]
    NotADatabase {
        /// The file.
        place: String,
    },
    /// The database or its folder may not be written.
    #[error("`{place}` cannot be written: {source}")]
    NotWritable {
        /// The database or folder.
        place: String,
        /// The system's words.
        source: DriverError,
    },
    /// The store is that of another subject.
    #[error("`{place}` holds measurements of `{found}`, not of `{asked}`")]
    OtherSubject {
        /// The database.
        place: String,
        /// The subject of the store.
        found: String,
        /// The subject for which it was opened.
        asked: String,
    },
    /// The database was deleted or replaced while it was open: what is written goes nowhere.
    #[error(
        "`{place}` was deleted or replaced while it was in use: the samples since then are lost"
    )]
    Replaced {
        /// The database.
        place: String,
    },
    /// The data cannot be written in a way that reads back the same.
    #[error("{what} cannot be kept: {why}")]
    Unkeepable {
        /// The data.
        what: String,
        /// The fault.
        why: String,
    },
    /// Something was named that the store does not have.
    #[error("there is no {what} in `{place}`")]
    Unknown {
        /// The item, by its number or name.
        what: String,
        /// The database.
        place: String,
    },
    /// The database server does not answer.
    #[error("cannot reach `{place}`: {source}")]
    Unreachable {
        /// The database, without its password.
        place: String,
        /// The driver's words.
        source: DriverError,
    },
}

impl StoreError {
    /// The advice, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::AlreadyStored { .. } => Some(
                "another `tacho` measures the same into this store: let one finish, or give each \
                 a store with `--store`",
            ),
            Self::Corrupt { place, .. } if is_server(place) => Some(
                "the server's log may say more; a backup may have what cannot be read any more",
            ),
            Self::Corrupt { .. } => Some(
                "copy it before anything else; `tacho fsck` says what is lost, and `tacho fsck \
                 --copy-whole FOLDER` saves the rest",
            ),
            Self::DiskFull { .. } => Some(
                "make room and execute the same command again: everything measured before is kept",
            ),
            Self::Locked { .. } => {
                Some("another `tacho` is writing to it; wait until it is done, or stop it")
            }
            Self::Newer { .. } => Some("a newer `tacho` wrote it; use that one, or another store"),
            Self::NoStore { .. } => Some("`tacho track` measures and creates the store"),
            Self::Emptied { .. } | Self::NotADatabase { .. } => {
                Some("move it away and restore a backup, or measure again with `tacho track`")
            }
            Self::NotWritable { place, .. } if is_server(place) => {
                Some("check the rights of the database user, and that the server is not a replica")
            }
            Self::NotWritable { .. } => {
                Some("check the owner of the file, and that its disk is writable")
            }
            Self::OtherSubject { .. } => Some(
                "if both are the same subject, write the first name into `[subject]` as \
                 `name`; else use another store with `--store`",
            ),
            Self::Replaced { .. } => {
                Some("the same command measures what is missing in the new store")
            }
            Self::Unreachable { .. } => Some("check that the server runs, and the URL"),
            _ => None,
        }
    }

    /// The variant that suits what the system said of a file.
    pub(crate) fn of_file(path: &Path, source: io::Error) -> Self {
        let place = || path.display().to_string();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::DiskFull { place: place(), source: source.into() }
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotWritable { place: place(), source: source.into() }
            }
            _ => Self::File { path: path.to_owned(), source },
        }
    }
}

/// Whether the database is a server's, which needs other advice than a file.
fn is_server(place: &str) -> bool {
    place.starts_with(SERVER)
}
