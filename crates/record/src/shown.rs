//! Text from others, made safe to show: it cannot move the cursor, end a line, or turn the
//! direction of the text beside it.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use serde::{Deserialize, Deserializer};

/// Characters that have no width or turn the direction of writing, which can make one text look
/// like another.
const HIDDEN: [RangeInclusive<char>; 10] = [
    '\u{ad}'..='\u{ad}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{180e}'..='\u{180e}',
    '\u{200b}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{feff}'..='\u{feff}',
    '\u{e0000}'..='\u{e007f}',
];
/// Characters that join signs, or separate them, in scripts and pictures beyond ASCII.
const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];
/// Characters that end a line or a paragraph, but are not control characters.
const ENDS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// Whether a character may be shown as it is.
#[must_use]
pub fn is_shown(c: char) -> bool {
    !(c.is_control() || ENDS.contains(&c) || is_hidden(c))
}

fn is_hidden(c: char) -> bool {
    !c.is_ascii() && HIDDEN.iter().any(|range| range.contains(&c))
}

/// The text with each hidden character replaced. A joiner between two signs beyond ASCII is not
/// hidden: it makes one sign of both.
pub fn reveal(text: &str, replacement: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let (mut before, mut all) = (None::<char>, text.chars().peekable());
    while let Some(c) = all.next() {
        let is_beyond = |other: Option<&char>| other.is_some_and(|other| !other.is_ascii());
        let joins = JOINERS.contains(&c) && is_beyond(before.as_ref()) && is_beyond(all.peek());
        if is_hidden(c) && !joins {
            out += &replacement(c);
        } else {
            out.push(c);
        }
        before = Some(c);
    }
    Cow::Owned(out)
}

/// A text in one line, of what may be shown.
#[must_use]
pub fn shown(text: &str) -> String {
    let blank =
        |c: char| if ENDS.contains(&c) || (c.is_control() && c.is_whitespace()) { ' ' } else { c };
    let seen = |c: &char| !(c.is_control() || ENDS.contains(c));
    reveal(text, |_| String::new()).chars().map(blank).filter(seen).collect()
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
    fn a_joiner_joins_signs_and_is_hidden_in_a_word() {
        let text = "ma\u{200d}in \u{feff}x\u{200b}y 👩\u{200d}🚀";
        assert_eq!(shown(text), "main xy 👩\u{200d}🚀");
        assert!(!is_shown('\u{200d}') && is_shown('é'));
        let code = |c: char| c.escape_unicode().to_string();
        assert_eq!(reveal("a\u{202e}b", code), "a\\u{202e}b");
        assert!(matches!(reveal("plain\n", code), Cow::Borrowed(_)));
    }

    #[test]
    fn what_would_move_a_cursor_or_turn_the_writing_is_left_out() {
        assert_eq!(shown("plain, ça va: 日本 שלום 👩‍🚀"), "plain, ça va: 日本 שלום 👩‍🚀");
        assert_eq!(shown("a\u{202e}b\u{2066}c\u{1b}[31md\te\u{2028}f\u{9b}g"), "abc[31md e fg");
    }
}
