//! What a check found: a tag, how bad it is, the file, the line.

use std::fmt;

use serde::Serialize;

/// How bad a hint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Probably a mistake.
    Warning,
    /// Certainly a mistake, or dangerous to unpack or build.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// One result of one check at one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hint {
    /// The file in the archive; empty if the hint is about the archive.
    pub file: String,
    /// The first line that it is about, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The check's name.
    pub tag: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found there; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl Hint {
    /// Hints are shown in this order, whatever thread found them first.
    #[must_use]
    pub fn order(&self) -> (&str, Option<usize>, &str, &str) {
        (&self.file, self.line, self.tag, &self.note)
    }
}

impl fmt::Display for Hint {
    /// `file:line: severity: tag: note`, which editors can jump to.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = if self.file.is_empty() { "." } else { &self.file };
        write!(f, "{file}:")?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}: {}", self.severity, self.tag)?;
        if self.note.is_empty() { Ok(()) } else { write!(f, ": {}", self.note) }
    }
}

/// Bytes as text that cannot move a terminal's cursor: control characters and broken encodings are
/// escaped.
#[must_use]
pub fn printable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() || is_invisible(character) {
                text.extend(character.escape_default());
            } else {
                text.push(character);
            }
        }
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// Characters that reorder or hide what stands around them.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_text_cannot_move_the_cursor() {
        assert_eq!(printable(b"a\x1b[2Jb\n"), "a\\u{1b}[2Jb\\n");
        assert_eq!(printable("größe".as_bytes()), "größe");
        assert_eq!(printable(b"gr\xf6\xdfe"), "gr\\xf6\\xdfe");
        assert_eq!(printable("a\u{202e}b".as_bytes()), "a\\u{202e}b");
    }

    #[test]
    fn a_hint_is_a_line_that_editors_understand() {
        let hint = Hint {
            file: "a/b.sh".to_owned(),
            line: Some(1),
            tag: "relative-interpreter",
            severity: Severity::Warning,
            note: "`perl`".to_owned(),
        };
        assert_eq!(hint.to_string(), "a/b.sh:1: warning: relative-interpreter: `perl`");
        let hint = Hint { file: String::new(), line: None, note: String::new(), ..hint };
        assert_eq!(hint.to_string(), ".: warning: relative-interpreter");
    }
}
