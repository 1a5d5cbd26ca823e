//! Revisions and commits: the points of history.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One state of the subject's source: a git commit or a published release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Its full name: the commit's hash, or the release as published.
    pub id: String,
    /// Its place in history, larger is later; the only thing that revisions are ordered by.
    ///
    /// For git, on the main line, the number of commits in its history, itself included, so that it does not
    /// depend on what else is measured. Commits of side branches are numbered just before the merge that brought
    /// them: which merge that is depends on the main line, and so on the end of the range. For releases the place
    /// in the list.
    pub order: u64,
    /// Who wrote it; empty for releases.
    pub author: String,
    /// When it was committed, by the committer's clock; absent for releases.
    pub date: Option<Timestamp>,
    /// The first line of its message; empty for releases.
    pub subject: String,
    /// Tags that point at it.
    pub tags: Vec<String>,
}

impl Revision {
    /// The name as people write it: ten digits of a hash, a release as it is.
    #[must_use]
    pub fn short(&self) -> &str {
        let is_hash = self.id.len() >= 40 && self.id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash { &self.id[..10] } else { &self.id }
    }
}

/// One commit of the subject's history, measured or not: what lies between two revisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its full hash.
    pub id: String,
    /// Its place in history, on the same scale as [`Revision::order`].
    pub order: u64,
    /// Who wrote it.
    pub author: String,
    /// When it was committed, by the committer's clock.
    pub date: Option<Timestamp>,
    /// The first line of its message.
    pub subject: String,
    /// The files that it changed, as paths from the root of the repository; what is not UTF-8 in them is replaced.
    pub files: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_hash_is_shortened() {
        let mut revision = Revision {
            id: "0123456789abcdef0123456789abcdef01234567".into(),
            order: 1,
            author: String::new(),
            date: None,
            subject: String::new(),
            tags: vec![],
        };
        assert_eq!(revision.short(), "0123456789");
        revision.id = "2.0.0-beta.12".into();
        assert_eq!(revision.short(), "2.0.0-beta.12");
    }
}
