//! Tables for the terminal.

use comfy_table::{CellAlignment, ColumnConstraint, Table, presets};
use tacho_record::Revision;

use super::text;

/// How wide a subject line may become where only the name and the date are beside it …
const SUBJECT: usize = 60;
/// … and how wide it is at the least.
const LEAST_SUBJECT: usize = 12;

/// A table without lines, columns apart by two blanks; `right` names the columns of numbers.
pub fn plain(head: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(head.iter().copied());
    for index in 0..head.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_padding((0, 2));
            if right.contains(&index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    table
}

/// The table as text, without blanks at the ends of lines.
pub fn render(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Revisions, a row each: name, date, and as much of the subject as there is room for.
pub fn revisions<'a>(all: impl IntoIterator<Item = &'a Revision>) -> String {
    let cells: Vec<[String; 3]> = all
        .into_iter()
        .map(|it| [it.short().to_owned(), text::day(it.date), it.subject.clone()])
        .collect();
    let beside = |[name, date, _]: &[String; 3]| {
        name.chars().count().max("revision".len()) + date.chars().count().max("date".len()) + 4
    };
    let taken = cells.iter().map(beside).max().unwrap_or(0);
    let room = super::table_width().saturating_sub(taken).max(LEAST_SUBJECT);
    let mut list = plain(&["revision", "date", "subject"], &[]);
    for [name, date, subject] in cells {
        list.add_row([name, date, text::cut(&subject, room.min(SUBJECT))]);
    }
    render(&list)
}

/// Leaves these columns out.
pub fn hide(table: &mut Table, columns: &[usize]) {
    for column in columns {
        if let Some(column) = table.column_mut(*column) {
            column.set_constraint(ColumnConstraint::Hidden);
        }
    }
}

/// Releases have no dates and no subject lines: what is empty in every row takes no room.
pub fn hide_empty_columns(table: &mut Table) {
    let used = |table: &Table, index| {
        table
            .row_iter()
            .any(|row| row.cell_iter().nth(index).is_some_and(|cell| !cell.content().is_empty()))
    };
    let empty: Vec<usize> =
        (0..table.column_count()).filter(|&index| !used(table, index)).collect();
    for index in empty {
        if let Some(column) = table.column_mut(index) {
            column.set_constraint(ColumnConstraint::Hidden);
        }
    }
}

/// Whether all lines of a text fit on a terminal of that width; without a terminal there is room
/// for all.
pub fn fits(text: &str, width: Option<usize>) -> bool {
    width.is_none_or(|width| text.lines().all(|line| line.chars().count() <= width))
}

/// The text, two blanks in.
pub fn indent(text: &str) -> String {
    text.lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") })
        .collect()
}
