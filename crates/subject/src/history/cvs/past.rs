//! The history of a module that was read.

use std::collections::HashMap;

use super::commits::CvsCommit;

/// The newest point.
pub(super) const HEAD: &str = "HEAD";

/// All that the log has.
#[derive(Debug)]
pub(super) struct CvsHistory {
    pub(super) commits: Vec<CvsCommit>,
    /// The commits that end at a point in time with complete commits only.
    pub(super) points: Vec<usize>,
    pub(super) tags: HashMap<String, Tag>,
    /// Revisions of files that no checkout by date shows, since one that follows is dated earlier.
    pub(super) hidden: Vec<String>,
    /// The number of files with a doubtful log.
    pub(super) doubtful: usize,
    /// The prefix of paths of files from the root of the repository: the module, unless it is an
    /// alias.
    pub(super) prefix: String,
}

/// A tag that names a revision of each file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tag {
    /// When the newest of them was committed, in seconds since 1970.
    pub time: i64,
    /// How many of them are not on the line.
    pub aside: usize,
}
