//! What two errors of one cause have in common.

use super::line::missing_program;

/// How many digits a digest in hexadecimal has at least.
const DIGEST: usize = 12;

/// A line without what differs although the cause does not: absolute paths, positions in files,
/// addresses, digests and numbers. Shells report a missing program in different words, so its name
/// is the cause.
#[must_use]
pub fn cause(line: &str) -> String {
    if let Some(program) = missing_program(line) {
        return format!("{program}: not found");
    }
    let words = line.split_whitespace().filter_map(|word| {
        let bare = word.trim_matches(|c: char| "'`\"‘’“”()[]<>,;".contains(c));
        let is_dropped = bare.starts_with('/') || bare.contains("0x") || is_position(bare);
        (!is_dropped).then(|| numberless(word))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether two reasons of failed builds have one cause: they differ only in what [`cause`] leaves
/// out.
#[must_use]
pub fn has_same_cause(one: &str, other: &str) -> bool {
    one == other || cause(one) == cause(other)
}

/// Whether the word is `file:12:`, `file:12:5:` or `file:(section`.
fn is_position(word: &str) -> bool {
    let mut parts = word.split(':');
    let is_file = parts.next().is_some_and(|file| !file.is_empty());
    let second = parts.next().unwrap_or_default();
    is_file
        && !second.is_empty()
        && (second.starts_with('(') || second.bytes().all(|b| b.is_ascii_digit()))
}

/// The word with `#` for each number in it that is no part of a name.
fn numberless(word: &str) -> String {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let pieces = word.split_inclusive(|c| !is_of_name(c)).map(|piece| {
        let name = piece.trim_end_matches(|c| !is_of_name(c));
        let is_number = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
        let is_digest = name.len() >= DIGEST && name.bytes().all(|b| b.is_ascii_hexdigit());
        if is_number || is_digest { format!("#{}", &piece[name.len()..]) } else { piece.to_owned() }
    });
    pieces.collect()
}
