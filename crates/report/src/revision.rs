//! Revisions and what they changed, in words.

use tacho_record::Commit;

use crate::words::grouped;

/// The numbers of a file of CVS before and after a commit: `1.4 to 1.5`; `None` for other systems.
#[must_use]
pub fn numbers(commit: &Commit, file: &str) -> Option<String> {
    match commit.numbers.get(file)? {
        [Some(old), Some(new)] => Some(format!("{old} to {new}")),
        [None, Some(new)] => Some(format!("new as {new}")),
        [Some(old), None] => Some(format!("removed after {old}")),
        [None, None] => None,
    }
}

/// A file of a commit; of CVS with its numbers: `prog.c 1.4 to 1.5`.
#[must_use]
pub fn numbered(commit: &Commit, file: &str) -> String {
    numbers(commit, file).map_or_else(|| file.to_owned(), |numbers| format!("{file} {numbers}"))
}

/// The rest of a list of commits: `and 12 older ones`.
#[must_use]
pub fn older_commits(more: usize) -> String {
    format!("and {} older ones", grouped(more))
}
