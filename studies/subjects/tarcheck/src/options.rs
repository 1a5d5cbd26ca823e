//! What is checked, and within which limits.

use unpack::{Inflate, Limits};

use crate::checks::{self, Check};
use crate::{Error, Way};

/// How to check an archive.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the work is spread over threads.
    pub way: Way,
    /// Threads that check beside the one that reads, at least 1.
    pub jobs: usize,
    /// Which checks are made.
    pub selection: Selection,
    /// The most bytes of a file that are kept and checked; of longer files, the beginning is.
    pub content: usize,
    /// The most entries.
    pub entries: u64,
    /// Limits of decompression.
    pub limits: Limits,
    /// Which implementation decodes gzip.
    pub inflate: Inflate,
    /// Decode blocks of xz in parallel.
    pub parallel_xz: bool,
    /// Decode in a thread of its own.
    pub ahead: bool,
    /// The time in seconds since 1970 after which dates lie in the future.
    pub now: u64,
}

impl Default for Options {
    /// The bounded pipeline, all checks, 4 MiB of each file, a million entries.
    fn default() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Self {
            way: Way::Bounded,
            jobs: default_jobs(),
            selection: Selection::default(),
            content: 4 << 20,
            entries: 1_000_000,
            limits: Limits::default(),
            inflate: Inflate::default(),
            parallel_xz: false,
            ahead: false,
            now: now.map_or(0, |since| since.as_secs()),
        }
    }
}

/// One thread reads; the other CPUs check.
fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, |count| (count.get() - 1).max(1))
}

/// The checks that are made.
#[derive(Clone, Debug)]
pub struct Selection {
    chosen: Vec<&'static Check>,
}

impl Default for Selection {
    fn default() -> Self {
        Self { chosen: checks::ALL.iter().collect() }
    }
}

impl Selection {
    /// The checks named by `only`, or all if there are none, without those named by `skip`.
    ///
    /// # Errors
    /// If a tag is unknown, or no check is left.
    pub fn new(only: &[String], skip: &[String]) -> Result<Self, Error> {
        let unknown = only.iter().chain(skip).find(|tag| checks::by_tag(tag).is_none());
        if let Some(tag) = unknown {
            return Err(Error::UnknownTag { tag: tag.clone() });
        }
        let is_chosen = |check: &&Check| {
            let named = |tags: &[String]| tags.iter().any(|tag| tag == check.tag);
            (only.is_empty() || named(only)) && !named(skip)
        };
        let chosen: Vec<_> = checks::ALL.iter().filter(is_chosen).collect();
        if chosen.is_empty() { Err(Error::NoCheck) } else { Ok(Self { chosen }) }
    }

    /// The chosen checks, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = &'static Check> {
        self.chosen.iter().copied()
    }

    /// Whether a check is chosen.
    #[must_use]
    pub fn has(&self, tag: &str) -> bool {
        self.chosen.iter().any(|check| check.tag == tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_is_by_tag() {
        let tags = |only: &[&str], skip: &[&str]| {
            let owned = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect::<Vec<_>>();
            Selection::new(&owned(only), &owned(skip)).map(|selection| selection.iter().count())
        };
        assert_eq!(tags(&[], &[]).unwrap(), checks::ALL.len());
        assert_eq!(tags(&["device-file"], &[]).unwrap(), 1);
        assert_eq!(tags(&[], &["device-file"]).unwrap(), checks::ALL.len() - 1);
        assert!(matches!(tags(&["device-file"], &["device-file"]), Err(Error::NoCheck)));
        assert!(
            matches!(tags(&["devices"], &[]), Err(Error::UnknownTag { tag }) if tag == "devices")
        );
    }
}
