//! The ranking in the terminal: a line a command where names have room, else two.

use tacho_report::bench::RANKED;
use tacho_report::block::{AnswerCell, AnswerTable, Block, Tone};

use super::BenchReport;
use crate::output::{blocks, colour, table, text};

/// A shorter name says too little: two lines are better.
const LEAST: usize = 20;

impl BenchReport<'_> {
    /// Each command against the reference, by time; then the commands that others beat in time and
    /// memory.
    pub fn ranking(&self) -> String {
        let shown = |block: Block| match block {
            Block::Table(table) => coloured(&self.rows(&table), &table),
            Block::Sentence(line) => text::wrap(&format!("{line}\n"), self.width),
            other => blocks::terminal(&[other]),
        };
        self.findings().ranking().into_iter().map(shown).collect()
    }

    /// A row for each command; two lines where names would have too little room.
    fn rows(&self, ranking: &AnswerTable) -> String {
        let whole = in_columns(ranking, usize::MAX);
        let widest = whole.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let Some(excess) = self.width.and_then(|width| widest.checked_sub(width)) else {
            return whole;
        };
        let names = ranking.rows.iter().map(|row| texts(row)[2].chars().count());
        let room = names.max().unwrap_or(0).saturating_sub(excess);
        if room < LEAST { self.listed(ranking) } else { in_columns(ranking, room) }
    }

    /// Two lines each, where there is no room for one.
    fn listed(&self, ranking: &AnswerTable) -> String {
        let lines = ranking.rows.iter().map(|row| {
            let [ratio, interval, name, verdict] = texts(row);
            let found: Vec<&str> =
                [ratio, interval, verdict].into_iter().filter(|it| !it.is_empty()).collect();
            let width = self.width.map_or(usize::MAX, |width| width.saturating_sub(2));
            format!("  {}\n    {}\n", text::cut(name, width), found.join("  "))
        });
        text::wrap(&lines.collect::<String>(), self.width)
    }
}

/// The rows, with names as short as that.
fn in_columns(ranking: &AnswerTable, name: usize) -> String {
    let mut list = table::plain(&RANKED, &[0]);
    for row in &ranking.rows {
        let [ratio, interval, command, verdict] = texts(row);
        list.add_row([ratio, interval, &text::cut(command, name), verdict]);
    }
    // The empty head of the table.
    let rows = table::render(&list);
    table::indent(rows.split_once('\n').map_or("", |(_, rows)| rows))
}

fn texts(row: &[AnswerCell]) -> [&str; 4] {
    std::array::from_fn(|at| row.get(at).map_or("", |cell| cell.text.as_str()))
}

/// Ratios and verdicts in colour, where there is colour.
fn coloured(rows: &str, ranking: &AnswerTable) -> String {
    let mut out = String::new();
    let mut rest = rows;
    for cells in &ranking.rows {
        let [ratio, .., word] = texts(cells);
        let Some(at) = rest.find(ratio) else { continue };
        let (before, from) = rest.split_at(at);
        // A verdict of several lines has no colour.
        let Some((row, after)) = from.split_once(word) else { continue };
        out += before;
        out += &colour::first_strong(row, ratio);
        out += &colour::toned(word, cells.last().map_or(Tone::Plain, |cell| cell.tone));
        rest = after;
    }
    out + rest
}
