//! What can go wrong.

use std::path::{Path, PathBuf};

/// Why an answer cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The cache is damaged, of another version, or was not written to its end.
    #[error("the cache is damaged: {what}\nhint: `pkgindex build` writes it again")]
    Corrupt {
        /// What is wrong.
        what: &'static str,
    },
    /// A file cannot be read or written.
    #[error("cannot {action} `{}`: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder that the user named for the cache is not there.
    #[error(
        "cannot keep the cache `{}`: there is no folder `{}`\nhint: make the folder with \
         `mkdir -p`, or leave out `--cache` and `PKGINDEX_CACHE` for the usual place",
        path.display(),
        crate::cache::folder_of(path).display()
    )]
    NoCacheFolder {
        /// The cache.
        path: PathBuf,
    },
    /// There is no index to build a cache from.
    #[error("no package index in `{}`\nhint: name indices with `--index`", path.display())]
    NoIndex {
        /// Where indices were looked for.
        path: PathBuf,
    },
    /// A file has no package: it is something else.
    #[error("`{}` is no package index: it has no field `Package`", path.display())]
    NotAnIndex {
        /// Which file.
        path: PathBuf,
    },
    /// The indices are empty, so that no question has an answer.
    #[error(
        "no package in {}\nhint: fetch the index again, or name another with `--index`",
        paths.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ")
    )]
    NoPackage {
        /// The indices.
        paths: Vec<PathBuf>,
    },
    /// An index cannot be opened.
    #[error(transparent)]
    Open(#[from] unpack::Error),
    /// A patch is no ed script of the kind that `diff --ed` writes, or does not fit the file.
    #[error("cannot apply `{}`: {what}", path.display())]
    Patch {
        /// Which patch.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A file is shorter than the one that a patch was made for.
    #[error(
        "cannot patch `{}`: {what}\nhint: is it the file that the patch was made for?",
        path.display()
    )]
    TooShort {
        /// Which file.
        path: PathBuf,
        /// Which line is missing.
        what: String,
    },
    /// A search pattern is no regular expression.
    #[error(
        "`{pattern}` is no regular expression: {}\nhint: to find this text itself, write '{}'",
        last_line(source),
        regex::escape(pattern)
    )]
    Pattern {
        /// What was typed.
        pattern: String,
        /// Why.
        source: Box<regex::Error>,
    },
    /// All indices together are too large for 32-bit places.
    #[error("the indices have more than 4 GiB together")]
    TooLarge,
    /// No package has this name.
    #[error("there is no package `{name}`{hint}")]
    UnknownPackage {
        /// What was requested.
        name: String,
        /// Who provides it, or nothing.
        hint: String,
    },
}

/// What a regular expression lacks, without the lines that draw it.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

impl Error {
    /// An error of a file, with what was tried.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::File { action, path: path.to_owned(), source }
    }

    /// Whether another cache, built again, may give the answer.
    #[must_use]
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }
}
