//! A row a command: median, interval, spread and range, and what it used.

use tacho_record::{Failure, Unit};
use tacho_stats::BoundedValue;

use super::{BenchFindings, BenchRow};
use crate::block::{AnswerCell, AnswerTable};
use crate::series::{LOOKED_AT, LOOKED_AT_MEANS, failed, stopped};
use crate::summary::SummaryText;
use crate::words::{cut, limited};

/// How wide the name of a command may become.
const COMMAND: usize = 44;
/// The median of fewer values has no interval (docs/src/method).
const FEWEST: usize = 6;
/// The heads before the counters.
const HEADS: [&str; 11] =
    ["command", "n", "median", "95 %", "spread", "min", "max", "user", "sys", "CPU", "memory"];
/// The place of the first counter.
pub const COUNTERS: usize = HEADS.len();
/// The columns of resources, the most important first; counters follow.
const USED: [usize; 5] = [4, 9, 10, 7, 8];

/// The numbers of a command where a table has no room.
#[derive(Clone, Debug)]
pub struct NarrowNumbers {
    /// The remark beside the numbers.
    pub state: Option<String>,
    /// Median, range and number of samples, each of which may have its own line.
    pub first: Vec<String>,
    /// The resources used.
    pub used: Vec<String>,
}

impl BenchFindings<'_> {
    /// The rows, a command each.
    #[must_use]
    pub fn table(&self) -> AnswerTable {
        let heads: Vec<&str> =
            HEADS.into_iter().chain(self.counters.iter().copied()).chain([""]).collect();
        let rows = self.rows.iter().map(|row| self.cells(row)).collect();
        AnswerTable::of(&heads, &(1..heads.len() - 1), rows)
    }

    /// The numbers of each command in few columns.
    #[must_use]
    pub fn narrow(&self) -> Vec<NarrowNumbers> {
        let table = self.table();
        let narrow = |(row, cells): (&BenchRow<'_>, &Vec<AnswerCell>)| {
            let text = |at: usize| cells[at].text.as_str();
            let headed = |at: usize| {
                (!text(at).is_empty()).then(|| format!("{} {}", table.columns[at].head, text(at)))
            };
            let median = (!text(2).is_empty()).then(|| {
                // Of a bound, the interval is a bound too.
                let interval = row.time.as_ref().and_then(|time| time.interval);
                let is_bound = interval.is_some_and(|(_, high)| high.is_infinite());
                let of = if is_bound { "(95 %) " } else { "" };
                format!("median {} {of}{}", text(2), text(3)).trim_end().to_owned()
            });
            let range = (!text(5).is_empty()).then(|| format!("range {} … {}", text(5), text(6)));
            let state = cells.len() - 1;
            NarrowNumbers {
                state: Some(text(state).to_owned()).filter(|state| !state.is_empty()),
                first: [median, range, headed(1)].into_iter().flatten().collect(),
                used: USED.into_iter().chain(COUNTERS..state).filter_map(headed).collect(),
            }
        };
        self.rows.iter().zip(&table.rows).map(narrow).collect()
    }

    /// The notes on the intervals, one a line.
    #[must_use]
    pub fn about_intervals(&self) -> Vec<String> {
        let times = || self.rows.iter().filter_map(|row| row.time);
        let has_interval = times().any(|time| time.interval.is_some());
        let is_known = times().all(|time| time.interval.is_some() || time.n >= FEWEST);
        let looked_at = (self.is_looked_at && has_interval)
            .then(|| format!("* this interval is {LOOKED_AT_MEANS}"));
        let few = (!is_known)
            .then(|| format!("a median's 95 % interval needs {FEWEST} samples: use `-r {FEWEST}`"));
        looked_at.into_iter().chain(few).collect()
    }

    fn cells(&self, row: &BenchRow<'_>) -> Vec<AnswerCell> {
        let shown = |value: Option<BoundedValue>, unit: &Unit| {
            value.map_or_else(String::new, |value| value.shown(|it| unit.show(it)))
        };
        let numbers = SummaryText::of(&row.metric.unit, row.time);
        let is_marked = self.is_looked_at && !numbers.margin.is_empty();
        let mark = if is_marked { LOOKED_AT } else { "" };
        let usual = [
            cut(row.name, COMMAND),
            numbers.n,
            numbers.median,
            numbers.margin + mark,
            numbers.spread,
            numbers.min,
            numbers.max,
            shown(row.user, &Unit::Nanoseconds),
            shown(row.sys, &Unit::Nanoseconds),
            row.cpu_percent.map_or_else(String::new, |percent| format!("{percent:.0} %")),
            shown(row.peak_memory, &Unit::Bytes),
        ];
        let counters = row.counters.iter().map(|(metric, value)| shown(*value, &metric.unit));
        let all = usual.into_iter().chain(counters).chain([state(row)]);
        all.map(AnswerCell::from).collect()
    }
}

/// The remark on a command beside its numbers.
fn state(row: &BenchRow<'_>) -> String {
    match row.failure {
        // After a setup that failed nothing is executed.
        Some(Failure::Setup { why }) => format!("not executed ({why})"),
        Some(failure) => failed(row.failed, &failure.line()),
        None if row.limited.count > 0 => limited(row.limited),
        None if row.time.is_none() => "not measured".to_owned(),
        None => row.stopped.map_or_else(String::new, stopped),
    }
}
