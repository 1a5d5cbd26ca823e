//! The answers of a subject: of a short one its text beside its digest, so that a wrong answer can
//! be reported by what differs.

use std::sync::Arc;

use tacho_measure::CapturedOutput;
use tacho_record::{Digest, short_name};

/// The text of a longer answer is not kept, in bytes: the length of an output's end that is always
/// kept.
pub const LONGEST_TEXT: usize = 4096;

/// How much of a line is quoted, in characters.
const QUOTED: usize = 48;

/// How much of what is equal is quoted before the first difference, in characters.
const BEFORE: usize = 16;

/// An answer: its digest, and its text if that is short and known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerText {
    /// The digest of all of it.
    pub digest: Digest,
    /// All of it, if it is short and text.
    pub text: Option<Arc<str>>,
    /// The revision that gave the answer, for the report of wrong ones.
    pub giver: Option<String>,
}

impl AnswerText {
    /// The answer with this content.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Self { digest: Digest::of(content), text: text(content), giver: None }
    }

    /// The answer with this digest, and this content if it is known.
    #[must_use]
    pub fn with(digest: Digest, content: Option<&[u8]>) -> Self {
        Self { digest, text: content.and_then(text), giver: None }
    }

    /// The answer, with the revision that gave it.
    #[must_use]
    pub fn of_revision(self, revision: &str) -> Self {
        Self { giver: Some(short_name(revision).to_owned()), ..self }
    }

    /// The output of an execution, if its digest was requested.
    #[must_use]
    pub fn captured(stdout: &CapturedOutput) -> Option<Self> {
        let is_whole = stdout.bytes == stdout.tail.len() as u64;
        Some(Self::with(stdout.digest?, is_whole.then_some(&*stdout.tail)))
    }

    /// The difference of the given answer, in one line: the first line that differs. `None` if one
    /// of the texts is unknown.
    #[must_use]
    pub fn difference(&self, given: &Self) -> Option<String> {
        let (expected, given) = (self.text.as_deref()?, given.text.as_deref()?);
        let [one, other] = [expected, given].map(|text| text.split_inclusive('\n'));
        let place = one.zip(other).take_while(|(one, other)| one == other).count();
        let line = |text: &str| text.split_inclusive('\n').nth(place).map(str::to_owned);
        let (expected, given) = (line(expected), line(given));
        let same = match (&expected, &given) {
            (Some(one), Some(other)) => {
                one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
            }
            _ => 0,
        };
        // The end of a line is quoted only where nothing else differs.
        let is_end = |line: &Option<String>| {
            line.as_ref().is_some_and(|line| line.trim_end_matches('\n').chars().count() == same)
        };
        let ends = is_end(&expected) && is_end(&given);
        let quoted = |line: Option<String>| match line {
            None => "nothing".to_owned(),
            Some(line) => quoted(if ends { &line } else { line.trim_end_matches('\n') }, same),
        };
        let at = if place == 0 { String::new() } else { format!("line {}: ", place + 1) };
        Some(format!("{at}expected {}, got {}", quoted(expected), quoted(given)))
    }
}

/// The content as text, if it is short and nothing else.
fn text(content: &[u8]) -> Option<Arc<str>> {
    let text = std::str::from_utf8(content).ok().filter(|text| text.len() <= LONGEST_TEXT)?;
    (!text.contains('\0')).then(|| text.into())
}

/// A line in quotation marks, around its character number `same`, where it begins to differ.
fn quoted(line: &str, same: usize) -> String {
    let length = line.chars().count();
    let skipped = if length <= QUOTED { 0 } else { same.saturating_sub(BEFORE) };
    let shown: String = line.chars().skip(skipped).take(QUOTED).collect();
    let before = if skipped > 0 { "…" } else { "" };
    let after = if skipped + shown.chars().count() < length { "…" } else { "" };
    let shown = format!("{shown:?}");
    format!("\"{before}{}{after}\"", &shown[1..shown.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(expected: &str, given: &str) -> String {
        let [one, other] = [expected, given].map(|text| AnswerText::of(text.as_bytes()));
        one.difference(&other).unwrap()
    }

    #[test]
    fn a_wrong_answer_is_reported_by_its_first_line_that_differs() {
        assert_eq!(difference("answer\n", "wrong\n"), r#"expected "answer", got "wrong""#);
        assert_eq!(
            difference("a\nbeta 2\nc\n", "a\nbeta 3\nc\n"),
            r#"line 2: expected "beta 2", got "beta 3""#
        );
        assert_eq!(difference("a\n", "a\nb\n"), r#"line 2: expected nothing, got "b""#);
        assert_eq!(difference("a\nb\n", "a\n"), r#"line 2: expected "b", got nothing"#);
        assert_eq!(difference("a\n", ""), r#"expected "a", got nothing"#);
        assert_eq!(difference("a\tb", "a b"), r#"expected "a\tb", got "a b""#);
    }

    #[test]
    fn the_end_of_a_line_is_quoted_where_nothing_else_differs() {
        assert_eq!(difference("a\n", "a"), r#"expected "a\n", got "a""#);
        assert_eq!(difference("a\nb\r\n", "a\nb\n"), r#"line 2: expected "b\r", got "b""#);
    }

    #[test]
    fn of_a_long_line_what_differs_is_quoted() {
        let long = |what: &str| format!("{}{what}{}", "x".repeat(100), "y".repeat(100));
        assert_eq!(
            difference(&long("1"), &long("2")),
            format!(
                "expected \"…{0}1{1}…\", got \"…{0}2{1}…\"",
                "x".repeat(BEFORE),
                "y".repeat(QUOTED - BEFORE - 1)
            )
        );
    }

    #[test]
    fn what_is_long_or_no_text_is_known_by_its_digest_alone() {
        let known = AnswerText::of(b"a");
        for other in [&b"\xff"[..], b"\0", &[b'x'; LONGEST_TEXT + 1]] {
            let other = AnswerText::of(other);
            assert_eq!((known.difference(&other), other.difference(&known)), (None, None));
        }
        let long = CapturedOutput::of(vec![b'x'; LONGEST_TEXT + 1]);
        assert_eq!(AnswerText::captured(&long).unwrap().text, None, "its end is not all of it");
        let short = CapturedOutput::of("answer\n");
        assert_eq!(AnswerText::captured(&short).unwrap(), AnswerText::of(b"answer\n"));
    }
}
