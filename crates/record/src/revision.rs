//! Revisions and commits: the points of history.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One state of the subject's source: a git commit, a point in time of a CVS module, or a published
/// release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Its full name: the commit's hash, the release as published, or for CVS the time and what it
    /// holds: `2016-07-13T12:30:42Z-0123456789`.
    pub id: String,
    /// Its place in history, larger is later; revisions are ordered by nothing else.
    ///
    /// For git, on the main line, the number of commits in its history, itself included, so that it
    /// does not depend on what else is measured. Commits of side branches are numbered just before
    /// the merge that brought them: which merge that is depends on the main line, and so on the end
    /// of the range. For CVS the number of commits up to that time. For releases the place in the
    /// list.
    pub order: u64,
    /// Who wrote it; empty for releases.
    #[serde(deserialize_with = "crate::shown::read")]
    pub author: String,
    /// When it was committed, by the committer's clock; absent for releases.
    pub date: Option<Timestamp>,
    /// The first line of its message; empty for releases.
    #[serde(deserialize_with = "crate::shown::read")]
    pub subject: String,
    /// Tags that point at it.
    pub tags: Vec<String>,
}

impl Revision {
    /// A revision with only its full name known: history does not have it any more.
    #[must_use]
    pub fn bare(id: &str) -> Self {
        let (author, subject) = (String::new(), String::new());
        Self { id: id.to_owned(), order: 0, author, date: None, subject, tags: Vec::new() }
    }

    /// The name as people write it: ten digits of a hash, the time of a state of CVS, a release as
    /// it is.
    #[must_use]
    pub fn short(&self) -> &str {
        short_name(&self.id)
    }
}

/// The full name as people write it.
#[must_use]
pub fn short_name(id: &str) -> &str {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match id.split_once("Z-") {
        _ if id.len() >= 40 && is_hex(id) => &id[..10],
        Some((time, held)) if held.len() == 10 && is_hex(held) && is_time(time) => {
            &id[..=time.len()]
        }
        _ => id,
    }
}

/// Whether this is like `2016-07-13T12:30:42`.
fn is_time(text: &str) -> bool {
    let like =
        |(byte, mark): (u8, u8)| if mark == b'0' { byte.is_ascii_digit() } else { byte == mark };
    text.len() == 19 && text.bytes().zip(*b"0000-00-00T00:00:00").all(like)
}

/// One commit of the subject's history, measured or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its full hash; for CVS named as the revision that ends with it would be.
    pub id: String,
    /// Its place in history, on the same scale as [`Revision::order`].
    pub order: u64,
    /// Who wrote it.
    #[serde(deserialize_with = "crate::shown::read")]
    pub author: String,
    /// When it was committed, by the committer's clock.
    pub date: Option<Timestamp>,
    /// The first line of its message.
    #[serde(deserialize_with = "crate::shown::read")]
    pub subject: String,
    /// The files that it changed, as paths from the root of the repository; what is not UTF-8 in
    /// them is replaced.
    pub files: Vec<String>,
    /// For CVS, by file, its number before and after; empty if it was not there. Empty for others.
    #[serde(default)]
    pub numbers: BTreeMap<String, CvsNumbers>,
}

/// The numbers of a file of CVS before and after a commit: `1.4`, `1.5`.
pub type CvsNumbers = [Option<String>; 2];

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
        revision.id = "2016-07-13T12:30:42Z-0123456789".into();
        assert_eq!(revision.short(), "2016-07-13T12:30:42Z");
        for release in
            ["2016-07-13Z-0123456789", "é016-07-13T12:30:4Z-0123456789", "Z-", "1Z-0123456789"]
        {
            assert_eq!(short_name(release), release);
        }
    }
}
