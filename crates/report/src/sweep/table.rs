//! A row a value: its median and interval, and times of the best.

use tacho_record::{Direction, ReachedLimit, factor};
use tacho_stats::sweep::ExtraCost;

use super::{SweepFindings, SweepRow};
use crate::block::{AnswerCell, AnswerTable};
use crate::summary::SummaryText;
use crate::words::cut;

/// How wide a value may become.
const LABEL: usize = 36;
/// The column of intervals, of which a terminal shows margins.
pub const INTERVAL: usize = 3;
/// The column of the intervals of multiples, which a terminal replaces with bars.
pub const TIMES_INTERVAL: usize = 5;

impl SweepFindings<'_> {
    /// The values that were executed, a row each.
    #[must_use]
    pub fn table(&self) -> AnswerTable {
        let heads = ["value", "n", "median", "95 %", "× best", "95 %", ""];
        let row = |(at, row): (usize, &SweepRow)| {
            let (numbers, times) = (self.numbers(row), self.times(row));
            let [times, interval] = times.unwrap_or_default();
            [
                cut(&self.names.label(at), LABEL),
                numbers.n,
                numbers.median,
                numbers.interval,
                times,
                interval,
                self.mark(at, row),
            ]
            .map(AnswerCell::from)
            .into()
        };
        AnswerTable::of(&heads, &(1..6), self.executed().map(row).collect())
    }

    /// The numbers of a value.
    #[must_use]
    pub fn numbers(&self, row: &SweepRow) -> SummaryText {
        SummaryText::of(&self.metric.unit, row.summary.as_ref())
    }

    /// Times of the best, with its interval: above 1 for a time, below 1 for a throughput.
    fn times(&self, row: &SweepRow) -> Option<[String; 2]> {
        let ExtraCost { estimate, interval: (low, high), .. } =
            self.curve.as_ref().ok()?.costs[row.place?];
        let (times, low, high) = match self.metric.better {
            Direction::Lower => (estimate, low, high),
            Direction::Higher => (-estimate, -high, -low),
        };
        let [times, low, high] = [times, low, high].map(|it| factor(it.exp()));
        Some([times, format!("{low} … {high}")])
    }

    fn mark(&self, at: usize, row: &SweepRow) -> String {
        let is_failed = row.failed.0 > 0;
        let marks = self.marks(at, row).into_iter().map(|mark| mark.word().to_owned());
        let mut words: Vec<String> = self.notes(row);
        words.extend(marks.filter(|_| !is_failed));
        words.join(", ")
    }

    /// The notes on a value that failed, or does not certainly keep a limit.
    fn notes(&self, row: &SweepRow) -> Vec<String> {
        if row.failed.0 > 0 {
            let why = row.failed.1.clone().unwrap_or_default();
            return vec![cut(&format!("{} failed ({why})", row.failed.0), LABEL)];
        }
        if row.limited.0 > 0 {
            let which = row.limited.1.as_ref().map(ReachedLimit::amount).unwrap_or_default();
            return vec![cut(&format!("{} reached {which}", row.limited.0), LABEL)];
        }
        let limits = self.limits.iter().zip(&row.limits);
        let broken = limits.filter_map(|(limit, kept)| match kept {
            Some((true, true)) => None,
            Some((true, false)) => Some(format!("probably keeps {}", limit.text)),
            Some((false, true)) => Some(format!("breaks {}", limit.text)),
            Some((false, false)) => Some(format!("probably breaks {}", limit.text)),
            None => Some(format!("no {}", limit.metric)),
        });
        broken.collect()
    }
}
