//! What keeps an archive from being checked.

use std::io::ErrorKind;
use std::path::PathBuf;

use crate::hint::printable;
use crate::report::plural;

/// Why an archive could not be checked to its end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The archive unpacks to more than a limit allows.
    #[error(
        "decompression bomb: `{}` has {bomb}\nhint: raise the limit with `--max-size` or \
         `--max-ratio`",
        path.display()
    )]
    Bomb {
        /// Which archive.
        path: PathBuf,
        /// Which limit.
        bomb: unpack::Bomb,
    },
    /// The compressed data or the tar format is damaged.
    #[error(
        "cannot read `{}` after {}: {}",
        path.display(),
        plural(usize::try_from(*entries).unwrap_or(usize::MAX), "entry", "entries"),
        damage(source)
    )]
    Damaged {
        /// Which archive.
        path: PathBuf,
        /// How many entries were read before.
        entries: u64,
        /// Why.
        source: std::io::Error,
    },
    /// The archive has no entry.
    #[error("`{}` has no entry: nothing was checked", path.display())]
    Empty {
        /// Which archive.
        path: PathBuf,
    },
    /// No check is left to be made.
    #[error(
        "no check is left: `--skip` leaves out all others\nhint: `tarcheck --list` shows all checks"
    )]
    NoCheck,
    /// The file is something else.
    #[error(
        "`{}` is not a tar archive: it is {kind}\n\
         hint: tar archives are read as they are, or in gz, xz, lzma, zst, bz2 or lz4",
        path.display()
    )]
    NotTar {
        /// Which file.
        path: PathBuf,
        /// What it is.
        kind: String,
    },
    /// The file could not be opened.
    #[error(transparent)]
    Open(#[from] unpack::Error),
    /// The archive has more entries than allowed.
    #[error(
        "`{}` has more than {limit} entries\nhint: raise the limit with `--max-entries`",
        path.display()
    )]
    TooManyEntries {
        /// Which archive.
        path: PathBuf,
        /// How many are allowed.
        limit: u64,
    },
    /// A tag that no check has.
    #[error("there is no check `{tag}`\nhint: `tarcheck --list` shows all checks")]
    UnknownTag {
        /// What was requested.
        tag: String,
    },
}

/// What is damaged. The words of the tar library repeat the header, which may be anything.
fn damage(source: &std::io::Error) -> String {
    let text = source.to_string();
    if text == "failed to read entire block" {
        return "the file is cut off".to_owned();
    }
    if source.kind() == ErrorKind::UnexpectedEof {
        return "the file is cut off, or a few bytes follow its end".to_owned();
    }
    if text.starts_with("numeric field") || text == "archive header checksum mismatch" {
        return "the next header is damaged".to_owned();
    }
    printable(text.as_bytes())
}
