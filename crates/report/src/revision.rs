//! Revisions and what they changed, in words.

use tacho_record::Commit;

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
