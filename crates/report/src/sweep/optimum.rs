//! A search for the best value, in words.

use tacho_stats::sweep::ValueSpan;

use super::{SweepFindings, SweepRow};
use crate::block::{AnswerNote, Block};
use crate::words::count;

/// The result of a search for the best value.
#[derive(Clone, Debug)]
pub struct OptimumFindings<'a> {
    /// The values of the grid.
    pub grid: SweepFindings<'a>,
    /// The ranges of the best value; the ends are places in the grid.
    pub spans: &'a [ValueSpan],
    /// How many executions there were.
    pub taken: usize,
    /// How many the whole grid would have taken.
    pub whole: usize,
    /// Whether the search ended because no more values were allowed.
    pub is_cut_short: bool,
}

impl OptimumFindings<'_> {
    /// The rows and what was found.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        let lines = self.lines().into_iter().map(Block::Note);
        [Block::Table(self.grid.table())].into_iter().chain(lines).collect()
    }

    /// The results, one a line.
    #[must_use]
    pub fn lines(&self) -> Vec<AnswerNote> {
        let mut lines = self.grid.lines();
        if self.grid.curve.is_ok() {
            lines.push(AnswerNote::plain(self.interval()));
            if !self.grid.is_interrupted {
                lines.push(self.one_dip());
            }
        }
        lines.push(AnswerNote::plain(self.spent()));
        lines
    }

    /// The range of the best value.
    fn interval(&self) -> String {
        let value = |place: usize| format!("`{}`", self.grid.names.label(place));
        let between = |ends: (usize, usize)| format!("{} … {}", value(ends.0), value(ends.1));
        let spans: Vec<String> = self.spans.iter().map(|span| between(span.ends)).collect();
        let all =
            if self.is_every_value_executed() { "" } else { ", of all, also those not executed" };
        format!("the best value is in {} (95 % confidence{all})", spans.join(" or in "))
    }

    fn one_dip(&self) -> AnswerNote {
        let minima = self.grid.curve.as_ref().map_or(0, |curve| curve.minima.len());
        let (topic, text) = match (minima, self.spans.len()) {
            (0 | 1, 0 | 1) if self.is_every_value_executed() => ("checked", "there is one optimum"),
            (0 | 1, 0 | 1) => (
                "checked",
                "there is one optimum; a narrow second one between the first values would not be \
                 seen",
            ),
            (0 | 1, _) => ("unclear", "more than one place may hold the best value"),
            _ => {
                ("note", "the curve has more than one dip; the interval is that of the lowest dip")
            }
        };
        AnswerNote::about(topic, text)
    }

    fn is_every_value_executed(&self) -> bool {
        let is_executed =
            |row: &SweepRow| row.summary.is_some() || row.failed.0 + row.limited.0 > 0;
        self.grid.rows.iter().all(is_executed)
    }

    fn spent(&self) -> String {
        let (taken, whole) = (self.taken, self.whole);
        let values = self.grid.rows.len();
        let why = if self.is_cut_short {
            "; the search may take no more, unless `-r` is larger"
        } else {
            ""
        };
        let taken = count(taken, "sample");
        let rounds = count(whole / values.max(1), "round");
        format!("{taken}; {rounds} of all {values} values would have taken {whole}{why}")
    }
}
