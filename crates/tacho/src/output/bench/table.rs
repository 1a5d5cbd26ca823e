//! A row a command, with bold medians, as wide as the terminal.

use tacho_report::bench::{BenchFindings, NarrowNumbers};
use tacho_report::block::{AnswerCell, AnswerTable};

use super::BenchReport;
use crate::output::{colour, table, text};

/// The column of medians.
const MEDIAN: usize = 2;

impl BenchReport<'_> {
    /// Median, interval, spread and range of each, and what it used.
    pub fn table(&self) -> String {
        let found = self.findings();
        let numbers = found.table();
        let shown = in_columns(&numbers);
        let rows = match self.width {
            Some(width) if !table::fits(&shown, Some(width)) => listed(&found, &numbers, width),
            _ => with_bold_medians(&shown, &numbers),
        };
        let lines = found.about_intervals().into_iter();
        let lines = lines.map(|line| text::wrap(&(line + "\n"), self.width));
        rows + &lines.collect::<String>()
    }
}

fn in_columns(numbers: &AnswerTable) -> String {
    let heads: Vec<&str> = numbers.columns.iter().map(|column| column.head.as_str()).collect();
    let right: Vec<usize> = (1..heads.len() - 1).collect();
    let mut list = table::plain(&heads, &right);
    for row in &numbers.rows {
        list.add_row(row.iter().map(|cell| &cell.text));
    }
    table::hide_empty_columns(&mut list);
    table::render(&list)
}

/// The table with its medians standing out, where there is colour.
fn with_bold_medians(shown: &str, numbers: &AnswerTable) -> String {
    let (head, rows) = shown.split_once('\n').unwrap_or((shown, ""));
    let row = |(line, cells): (&str, &Vec<AnswerCell>)| {
        let [name, median] = [0, MEDIAN].map(|at| text_of(cells, at));
        let (name, rest) = line.split_at_checked(name.len()).unwrap_or(("", line));
        format!("{name}{}\n", colour::first_strong(rest, median))
    };
    let rows: String = rows.lines().zip(&numbers.rows).map(row).collect();
    format!("{head}\n{rows}")
}

/// The rows where the table has no room: some lines each.
fn listed(found: &BenchFindings<'_>, numbers: &AnswerTable, width: usize) -> String {
    let mut out = String::new();
    let rows = found.rows.iter().zip(found.narrow()).zip(&numbers.rows);
    for ((row, NarrowNumbers { state, first, used }), cells) in rows {
        let strong = |line: String| colour::first_strong(&line, text_of(cells, MEDIAN));
        let first = packed(first, width).into_iter().map(strong);
        out += &format!("{}\n", text::cut(row.name, width));
        let lines = state.into_iter().chain(first).chain(packed(used, width));
        lines.for_each(|line| out += &format!("  {line}\n"));
    }
    out
}

fn text_of(cells: &[AnswerCell], at: usize) -> &str {
    cells.get(at).map_or("", |cell| cell.text.as_str())
}

/// The parts in lines of that width, indented by two.
fn packed(parts: Vec<String>, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() + 4 <= width => {
                *line += "  ";
                *line += &part;
            }
            _ => lines.push(part),
        }
    }
    lines
}
