//! Text that others wrote, as it may be shown: nothing in it moves a cursor, ends a line or turns
//! the direction of what stands beside it.

use serde::{Deserialize, Deserializer};

/// What turns the direction of writing, or marks it.
const DIRECTIONS: [char; 12] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}',
    '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];
/// What ends a line, or a paragraph, and is no control character.
const ENDS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// Whether a character may be shown as it is.
#[must_use]
pub fn is_shown(c: char) -> bool {
    !(c.is_control() || DIRECTIONS.contains(&c) || ENDS.contains(&c))
}

/// A text in one line, of what may be shown.
#[must_use]
pub fn shown(text: &str) -> String {
    let blank =
        |c: char| if ENDS.contains(&c) || (c.is_control() && c.is_whitespace()) { ' ' } else { c };
    text.chars().map(blank).filter(|c| is_shown(*c)).collect()
}

/// A name, with what may not be shown written as `\u{202e}`: other names stay other names.
#[must_use]
pub fn shown_name(name: &str) -> String {
    let one = |c: char| if is_shown(c) { c.to_string() } else { c.escape_default().to_string() };
    name.chars().map(one).collect()
}

/// Reads a text as it may be shown: what was kept before it was cleaned is cleaned now.
pub(crate) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(|text| shown(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_shows_what_is_hidden_in_it() {
        assert_eq!(shown_name("ça va \u{202e}b\n"), "ça va \\u{202e}b\\n");
    }

    #[test]
    fn what_would_move_a_cursor_or_turn_the_writing_is_left_out() {
        assert_eq!(shown("plain, ça va: 日本 שלום 👩‍🚀"), "plain, ça va: 日本 שלום 👩‍🚀");
        assert_eq!(shown("a\u{202e}b\u{2066}c\u{1b}[31md\te\u{2028}f\u{9b}g"), "abc[31md e fg");
    }
}
