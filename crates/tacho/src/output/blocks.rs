//! The parts of an answer in the terminal and in Markdown. `site` renders them on pages.

use tacho_report::block::{AnswerCell, AnswerColumn, AnswerTable, Block, NoteKind, Tone};

use super::{colour, table, text};

/// A space in a row of a narrow table at which no line ends.
pub const NO_BREAK: &str = "\u{a0}";

/// The blocks as a terminal shows them.
pub fn terminal(blocks: &[Block]) -> String {
    let mut is_after_lead = false;
    let shown = blocks.iter().map(|block| {
        let gap = if is_after_lead && matches!(block, Block::Table(_)) { "\n" } else { "" };
        is_after_lead = matches!(block, Block::Lead(_) | Block::Item(_));
        format!("{gap}{}", in_terminal(block))
    });
    shown.collect()
}

/// The parts of an answer as a terminal shows them, with a blank line between.
pub fn parts_in_terminal(parts: &[Vec<Block>]) -> String {
    let shown = parts.iter().filter(|part| !part.is_empty()).map(|part| terminal(part));
    shown.map(|part| part.trim_end().to_owned() + "\n").collect::<Vec<_>>().join("\n")
}

fn in_terminal(block: &Block) -> String {
    let prose = |prose: &str| text::wrap(&format!("{prose}\n"), super::terminal_width());
    match block {
        Block::Heading(heading) => prose(heading) + "\n",
        Block::Sentence(sentence) | Block::Lead(sentence) => prose(sentence),
        Block::Item(item) => prose(&format!("  {}", item.replace('\n', "\n    "))),
        Block::Note(note) => prose(&note.whole()),
        Block::Table(table) => {
            let cells = table.rows.iter().flatten().map(|cell| (cell.text.as_str(), cell.tone));
            colour::verdicts(&in_columns(table), cells) + "\n"
        }
    }
}

/// A table as wide as the terminal: without its spare columns where that is too narrow, else some
/// lines a row.
fn in_columns(answer: &AnswerTable) -> String {
    let heads: Vec<&str> = answer.columns.iter().map(|column| column.head.as_str()).collect();
    let right: Vec<usize> = (0..heads.len()).filter(|at| answer.columns[*at].is_number).collect();
    let rows = |left_out: &[usize]| {
        let mut list = table::plain(&heads, &right);
        for row in &answer.rows {
            let cell = |(at, cell): (usize, &AnswerCell)| {
                if left_out.contains(&at) { String::new() } else { cell.whole() }
            };
            list.add_row(row.iter().enumerate().map(cell));
        }
        table::hide_empty_columns(&mut list);
        table::indent(&table::render(&list))
    };
    let fits = |it: &String| table::fits(it, Some(super::table_width()));
    [&[], answer.spare.as_slice()].into_iter().map(rows).find(fits).unwrap_or_else(|| {
        if answer.narrow.is_empty() {
            return rows(&answer.spare);
        }
        let lines: String = answer.narrow.iter().map(|lines| lines.join("\n  ") + "\n").collect();
        text::wrap(&lines, Some(super::table_width())).replace(NO_BREAK, " ")
    })
}

/// The table with these drawings in place of a column, for a terminal.
pub fn drawn(
    mut table: AnswerTable,
    column: usize,
    drawings: impl IntoIterator<Item = String>,
) -> AnswerTable {
    table.columns[column] = AnswerColumn { head: String::new(), is_number: false };
    for (row, drawing) in table.rows.iter_mut().zip(drawings) {
        row[column] = drawing.into();
    }
    table
}

/// The blocks in Markdown, whose prose is made so by `prose`. Prose after a table or a lead is a
/// list.
pub fn markdown(blocks: &[Block], prose: impl Fn(&str) -> String) -> String {
    let (mut out, mut is_below) = (String::new(), false);
    for block in blocks {
        let is_apart = matches!(block, Block::Lead(_) | Block::Table(_));
        let gap = is_apart && !out.is_empty() && !out.ends_with("\n\n");
        out += if gap { "\n" } else { "" };
        out += &match block {
            Block::Heading(heading) => format!("{}\n\n", prose(heading)),
            Block::Lead(lead) => format!("**{}**\n\n", prose(lead)),
            Block::Item(item) if is_below => format!("  - {}\n", prose(item)),
            Block::Item(line) | Block::Sentence(line) => format!("- {}\n", prose(line)),
            Block::Note(note) if note.kind == NoteKind::Hint => {
                format!("  {}\n", prose(&note.whole()))
            }
            Block::Note(note) => format!("- {}\n", prose(&note.whole())),
            Block::Table(table) => table_in_markdown(table) + "\n",
        };
        is_below = match block {
            Block::Sentence(_) | Block::Note(_) => true,
            Block::Item(_) => is_below,
            Block::Heading(_) | Block::Lead(_) | Block::Table(_) => false,
        };
    }
    out
}

fn table_in_markdown(table: &AnswerTable) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let columns = || table.page_order.iter().map(|at| &table.columns[*at]);
    let aligned = columns().map(|column| if column.is_number { "---:" } else { ":---" });
    let mut out = line(columns().map(|column| text::markdown(&column.head)).collect());
    out += &format!("|{}|\n", aligned.collect::<Vec<_>>().join("|"));
    for row in &table.rows {
        out += &line(table.page_order.iter().map(|at| cell_in_markdown(&row[*at])).collect());
    }
    out
}

/// A cell, whose word is bold if the metric got worse.
fn cell_in_markdown(cell: &AnswerCell) -> String {
    let text = text::markdown(&cell.text);
    let text = if cell.tone == Tone::Worse { format!("**{text}**") } else { text };
    AnswerCell { text, detail: text::markdown(&cell.detail), tone: cell.tone }.whole()
}

#[cfg(test)]
mod tests {
    use tacho_report::block::AnswerNote;

    use super::*;

    #[test]
    fn notes_are_a_list_in_markdown() {
        let notes = [
            AnswerNote::about("sort · wall", "± 1 %"),
            AnswerNote::warning("after <old>".into()),
            AnswerNote::hint("a `prepare`".into()),
        ];
        let mut blocks: Vec<Block> = notes.into_iter().map(Block::Note).collect();
        blocks.push(Block::Sentence("1 same".into()));
        assert_eq!(
            markdown(&blocks, |prose| text::markdown_with(prose, &["<old>".to_owned()])),
            "- sort · wall: ± 1 %\n- warning: after \\<old>\n  hint: a `prepare`\n- 1 same\n"
        );
        assert_eq!(
            terminal(&blocks),
            "sort · wall: ± 1 %\nwarning: after <old>\nhint: a `prepare`\n1 same\n"
        );
    }

    #[test]
    fn items_belong_to_what_is_above_them() {
        let item = || Block::Item("by A. Author".into());
        let lead = |text: &str| Block::Lead(text.to_owned());
        let blocks = [lead("one"), item(), lead("two"), Block::Sentence("sides".into()), item()];
        assert_eq!(terminal(&blocks), "one\n  by A. Author\ntwo\nsides\n  by A. Author\n");
        assert_eq!(
            markdown(&blocks, text::markdown),
            "**one**\n\n- by A. Author\n\n**two**\n\n- sides\n  - by A. Author\n"
        );
        let worse = AnswerCell { tone: Tone::Worse, ..AnswerCell::from("worse".to_owned()) };
        let table = Block::Table(AnswerTable::of(&["is"], &(0..0), vec![vec![worse]]));
        let parts = [vec![lead("one"), item(), table.clone()], vec![], vec![lead("two")]];
        assert_eq!(parts_in_terminal(&parts), "one\n  by A. Author\n\n  is\n  worse\n\ntwo\n");
        assert_eq!(
            markdown(&[item(), table], text::markdown),
            "- by A. Author\n\n| is |\n|:---|\n| **worse** |\n\n"
        );
    }
}
