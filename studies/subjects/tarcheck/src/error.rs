//! What keeps an archive from being checked.

use std::path::PathBuf;

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
    #[error("cannot read `{}` after {entries} entries: {source}", path.display())]
    Damaged {
        /// Which archive.
        path: PathBuf,
        /// How many entries were read before.
        entries: u64,
        /// Why.
        source: std::io::Error,
    },
    /// The file holds no tar entry.
    #[error("`{}` is no tar archive: it has no entry", path.display())]
    Empty {
        /// Which archive.
        path: PathBuf,
    },
    /// The file could not be opened.
    #[error(transparent)]
    Open(#[from] unpack::Error),
    /// The archive has more entries than allowed.
    #[error("`{}` has more than {limit} entries\nhint: raise the limit with `--max-entries`", path.display())]
    TooManyEntries {
        /// Which archive.
        path: PathBuf,
        /// How many are allowed.
        limit: u64,
    },
    /// A tag that no check has.
    #[error("there is no check `{tag}`\nhint: `tarcheck --list` shows all checks")]
    UnknownTag {
        /// What was asked for.
        tag: String,
    },
}
