//! What ends a verification before its end.

use std::io;
use std::path::{Path, PathBuf};

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
    /// The database names no installed package: it is empty, or not what its name says.
    #[error(
        "`{}` names no installed package, so nothing can be verified{}",
        path.display(),
        hint_of_old(path)
    )]
    NoPackages {
        /// The file that should name them.
        path: PathBuf,
    },
    /// A pattern selects nothing.
    #[error("no installed package matches `{pattern}`{}", hint(pattern, nearest.as_deref()))]
    NoMatch {
        /// As it was typed.
        pattern: String,
        /// The installed package whose name is the most similar.
        nearest: Option<String>,
    },
    /// The folder that was named holds none.
    #[error(
        "`{}` is no package database: neither `status` nor `local.sqlite` is in it\n\
         hint: `--admindir` names a folder like `/var/lib/dpkg` or `/var/db/pkg`",
        folder.display()
    )]
    NotADatabase {
        /// As it was named.
        folder: PathBuf,
    },
    /// A pattern is malformed.
    #[error("`{pattern}` is not a valid pattern: {reason}\nhint: {hint}")]
    Pattern {
        /// As it was typed.
        pattern: String,
        /// What is wrong with it.
        reason: String,
        /// How to write what may be meant.
        hint: &'static str,
    },
    /// Findings cannot be written.
    #[error("cannot write the findings: {0}")]
    Write(io::Error),
    /// A file of the database cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// dpkg keeps the state before its last change beside `status`.
fn hint_of_old(path: &Path) -> String {
    let old = path.with_file_name("status-old");
    let has_old = path.ends_with("status") && old.metadata().is_ok_and(|old| old.len() > 0);
    if has_old {
        format!("\nhint: dpkg keeps the state before in `{}`", old.display())
    } else {
        "\nhint: name the folder of another system with `--root DIR`".to_owned()
    }
}

fn hint(pattern: &str, nearest: Option<&str>) -> String {
    if pattern.starts_with('/') {
        return format!("\nhint: `dpkg -S {pattern}` or `pkg which {pattern}` names its package");
    }
    nearest.map(|name| format!("\nhint: did you mean `{name}`?")).unwrap_or_default()
}
