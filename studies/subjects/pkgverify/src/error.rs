//! What ends a verification before its end.

use std::io;
use std::path::PathBuf;

/// Why packages could not be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The checksum program of a way cannot be started.
    #[error("cannot start `{program}`: {source}\nhint: `--way in-process` needs no other program")]
    ChecksumProgram {
        /// Its name.
        program: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// A database of FreeBSD's `pkg` cannot be read.
    #[error("cannot read the package database `{}`: {source}", path.display())]
    FreeBsd {
        /// The database.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// No database is where one should be.
    #[error(
        "no package database in `{}`: neither `var/lib/dpkg/status` nor \
         `var/db/pkg/local.sqlite`\nhint: name the folder of a system with `--root DIR`, or that \
         of the database with `--admindir DIR`",
        root.display()
    )]
    NoDatabase {
        /// The folder that was searched.
        root: PathBuf,
    },
    /// A pattern selects nothing.
    #[error("no installed package matches `{pattern}`{}", hint(nearest.as_deref()))]
    NoMatch {
        /// As it was typed.
        pattern: String,
        /// The installed package whose name is the most similar.
        nearest: Option<String>,
    },
    /// The folder that was named holds none.
    #[error("`{}` is no package database: neither `status` nor `local.sqlite` is in it", folder.display())]
    NotADatabase {
        /// As it was named.
        folder: PathBuf,
    },
    /// A pattern is malformed.
    #[error("`{pattern}` is not a valid pattern: {reason}")]
    Pattern {
        /// As it was typed.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of the database cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("\nhint: did you mean `{name}`?")).unwrap_or_default()
}
