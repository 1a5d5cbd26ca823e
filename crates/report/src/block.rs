//! The parts of an answer, which each medium renders in its own way.

use std::ops::Range;

use tacho_record::ChangeVerdict;

/// What a cell or a note means for the subject; a medium may show it as a colour, beside the word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// The metric got better.
    Better,
    /// The metric got worse.
    Worse,
    /// Neither.
    #[default]
    Plain,
}

impl From<ChangeVerdict> for Tone {
    fn from(verdict: ChangeVerdict) -> Self {
        match verdict {
            ChangeVerdict::Better => Self::Better,
            ChangeVerdict::Worse => Self::Worse,
        }
    }
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerCell {
    /// The word or the number.
    pub text: String,
    /// Why, where there is something to say: a medium with little room shows it elsewhere.
    pub detail: String,
    /// The meaning for the subject.
    pub tone: Tone,
}

impl AnswerCell {
    /// All of it: `unclear: 2 more rounds (1.20 s) would decide`.
    #[must_use]
    pub fn whole(&self) -> String {
        match (self.text.as_str(), self.detail.as_str()) {
            (text, "") => text.to_owned(),
            (text, detail) => format!("{text}: {detail}"),
        }
    }
}

impl From<String> for AnswerCell {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerColumn {
    /// The head of the column.
    pub head: String,
    /// Whether its cells are numbers, which are aligned to the right.
    pub is_number: bool,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerTable {
    /// The columns, as a terminal has them: the verdict last.
    pub columns: Vec<AnswerColumn>,
    /// The rows, a cell a column.
    pub rows: Vec<Vec<AnswerCell>>,
    /// The columns that a page and Markdown have, the most important first: a narrow window cuts
    /// off the last ones.
    pub page_order: Vec<usize>,
    /// The columns that a terminal leaves out, all of them, where it is too narrow.
    pub spare: Vec<usize>,
    /// The lines of each row for a terminal that is too narrow for any table.
    pub narrow: Vec<Vec<String>>,
}

impl AnswerTable {
    /// A table with these heads, whose columns at `numbers` are of numbers. Pages and Markdown have
    /// the columns in the same order, without those that are empty in all rows.
    #[must_use]
    pub fn of(heads: &[&str], numbers: &Range<usize>, rows: Vec<Vec<AnswerCell>>) -> Self {
        let column = |(place, head): (usize, &&str)| AnswerColumn {
            head: (*head).to_owned(),
            is_number: numbers.contains(&place),
        };
        let is_used = |at: &usize| rows.iter().any(|row| !row[*at].whole().is_empty());
        Self {
            columns: heads.iter().enumerate().map(column).collect(),
            page_order: (0..heads.len()).filter(is_used).collect(),
            rows,
            ..Self::default()
        }
    }
}

/// The kind of a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoteKind {
    /// An explanation.
    #[default]
    Plain,
    /// A reason why the result may be less reliable.
    Warning,
    /// Advice about the note before it.
    Hint,
}

/// Something beside the numbers: a clause without a capital or a full stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerNote {
    /// The kind.
    pub kind: NoteKind,
    /// The row (`sort · wall`) or the topic (`plateau`), if the note is about one.
    pub subject: Option<String>,
    /// The clause.
    pub text: String,
}

impl AnswerNote {
    /// A clause of all rows.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A clause about something, which a page shows in bold: `plateau: 8 … 64`.
    #[must_use]
    pub fn about(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self { subject: Some(subject.into()), ..Self::plain(text) }
    }

    /// A warning.
    #[must_use]
    pub fn warning(text: String) -> Self {
        Self { kind: NoteKind::Warning, ..Self::plain(text) }
    }

    /// Advice about the note before it.
    #[must_use]
    pub fn hint(text: String) -> Self {
        Self { kind: NoteKind::Hint, ..Self::plain(text) }
    }

    /// The clause with its kind and what it is of: `sort · wall: counted once`, `warning: …`.
    #[must_use]
    pub fn whole(&self) -> String {
        let kind = match self.kind {
            NoteKind::Plain => "",
            NoteKind::Warning => "warning: ",
            NoteKind::Hint => "hint: ",
        };
        match &self.subject {
            Some(subject) => format!("{kind}{subject}: {}", self.text),
            None => format!("{kind}{}", self.text),
        }
    }
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// The heading of the next blocks.
    Heading(String),
    /// A sentence about all of it.
    Sentence(String),
    /// The first sentence of an answer without numbers; the items below it give details.
    Lead(String),
    /// A line about the lead or the sentence above it.
    Item(String),
    /// A note beside the numbers.
    Note(AnswerNote),
    /// A table.
    Table(AnswerTable),
}
