//! The parts of an answer as HTML. `tacho` renders the same ones in the terminal and in Markdown.

use maud::{Markup, html};
use tacho_record::BenchmarkKey;
use tacho_report::block::{AnswerNote, AnswerTable, Block, NoteKind, Tone};
use tacho_report::comparison::{SideNames, sentence};

use super::scrolling;
use crate::view::View;

/// The blocks one after the other. A clause begins with a capital, unless it begins with a name.
pub(super) fn html(blocks: &[Block], names: SideNames<'_>) -> Markup {
    html! { @for block in blocks { (of_block(block, names)) } }
}

fn of_block(block: &Block, names: SideNames<'_>) -> Markup {
    html! {
        @match block {
            Block::Heading(heading) => h2 { (with_code(heading)) },
            Block::Lead(clause) => p.lead { (with_code(&sentence(clause, names))) },
            Block::Sentence(clause) | Block::Item(clause) => {
                p { (with_code(&sentence(clause, names))) }
            },
            Block::Note(of) => (note(of, names)),
            Block::Table(of) => (table(of)),
        }
    }
}

/// A note without the name of its row, which is that of its section.
pub(crate) fn note(note: &AnswerNote, names: SideNames<'_>) -> Markup {
    let clause = match note.kind {
        NoteKind::Hint => format!("hint: {}", note.text),
        NoteKind::Plain | NoteKind::Warning => note.text.clone(),
    };
    let text = with_code(&sentence(&clause, names));
    html! {
        @match note.kind {
            NoteKind::Warning => p.callout { (text) },
            NoteKind::Plain | NoteKind::Hint => p.note { (text) },
        }
    }
}

/// A table whose last columns a narrow window cuts off; of a cell only the word is shown.
pub(crate) fn table(table: &AnswerTable) -> Markup {
    let columns = || table.page_order.iter().enumerate();
    scrolling(
        "results",
        &html! {
            table.answer {
                thead { tr { @for (_, at) in columns() {
                    th class=[kind(table, *at)] scope="col" { (table.columns[*at].head) }
                } } }
                tbody { @for row in &table.rows { tr { @for (place, at) in columns() {
                    @if place == 0 {
                        th scope="row" { (row[*at].text) }
                    } @else {
                        td class=[kind(table, *at)] {
                            @match colour(row[*at].tone) {
                                Some(class) => b class=(class) { (row[*at].text) },
                                None => (row[*at].text),
                            }
                        }
                    }
                } } } }
            }
        },
    )
}

/// The class of a column of numbers.
fn kind(table: &AnswerTable, column: usize) -> Option<&'static str> {
    table.columns[column].is_number.then_some("num")
}

/// The class of a tone; the word says the same.
fn colour(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Better => Some("better"),
        Tone::Worse => Some("worse"),
        Tone::Plain => None,
    }
}

/// Text whose parts between backticks are code.
pub(crate) fn with_code(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    html! {
        @if parts.len().is_multiple_of(2) { (text) } @else {
            @for (place, part) in parts.into_iter().enumerate() {
                @if place % 2 == 1 { code { (part) } } @else { (part) }
            }
        }
    }
}

/// Says that the plan has another version of the benchmark, or does not have it any more, if so.
pub(super) fn superseded(view: &View, key: &BenchmarkKey) -> Markup {
    let by = view.lab.superseded.iter().find(|(superseded, _)| superseded == key).map(|(_, by)| by);
    html! {
        @if let Some(by) = by {
            span.note { " " (with_code(&tacho_report::series::superseded(key, *by))) }
        } @else if view.lab.unplanned.contains(key) {
            span.note { " " (tacho_report::series::UNPLANNED) }
        }
    }
}
