//! Variants beside each other: times of the floor, processor time, memory, and the front of time
//! and memory.

use tacho_record::{Unit, factor, in_backticks};
use tacho_stats::compare::{Comparison, Verdict};
use tacho_stats::{BoundedValue, Summary};

use super::ValueNames;
use crate::block::{AnswerCell, AnswerTable, Block};
use crate::summary::SummaryText;
use crate::words::{cut, end};

/// How wide a command may become.
const COMMAND: usize = 34;

/// The results of a variant.
#[derive(Clone, Copy, Debug)]
pub struct VariantRow<'a> {
    /// Its time as it was measured.
    pub time: Option<&'a Summary>,
    /// Against the floor.
    pub comparison: Option<&'a Comparison>,
    /// The word for that, all variants judged together.
    pub verdict: Option<Verdict>,
    /// Processor time by wall time, in percent.
    pub cpu_percent: Option<f64>,
    /// The median of its peak memory, in bytes.
    pub peak_memory: Option<BoundedValue>,
}

/// The results of all variants.
#[derive(Clone, Debug)]
pub struct VariantFindings<'a> {
    /// The names of the variants.
    pub names: &'a ValueNames,
    /// One a variant.
    pub rows: Vec<VariantRow<'a>>,
    /// The variants that no other variant beats in both time and memory.
    pub front: &'a [usize],
    /// Among more variants than this no front is looked for.
    pub most: usize,
}

impl VariantFindings<'_> {
    /// A row a variant, and the front; empty if there are no variants.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        if !self.names.has_variants {
            return Vec::new();
        }
        vec![Block::Table(self.table()), Block::Sentence(self.front_line())]
    }

    /// A row a variant.
    #[must_use]
    pub fn table(&self) -> AnswerTable {
        let heads = ["variant", "time", "× floor", "95 %", "CPU", "memory", ""];
        let cells = |(at, row)| self.cells(at, row).map(AnswerCell::from).into();
        AnswerTable::of(&heads, &(1..6), self.rows.iter().enumerate().map(cells).collect())
    }

    fn cells(&self, at: usize, row: &VariantRow<'_>) -> [String; 7] {
        let is_floor = self.names.floor == Some(at);
        let estimate = row.comparison.and_then(|it| it.estimate);
        let estimate = estimate.filter(|_| self.names.floor.is_some());
        let ratio = estimate.and_then(|it| it.known_ratio()).and_then(BoundedValue::if_known);
        let interval = estimate.and_then(|it| it.interval);
        let below = self.names.floor.is_some() && row.verdict == Some(Verdict::Faster);
        let mark = match (is_floor, below, self.front.contains(&at)) {
            (true, ..) => "floor",
            (_, true, true) => "below the floor, front",
            (_, true, _) => "below the floor",
            (_, _, true) => "front",
            _ => "",
        };
        [
            cut(&self.names.label(at), COMMAND),
            SummaryText::of(&Unit::Nanoseconds, row.time).median,
            ratio.map_or_else(String::new, factor),
            interval.map_or_else(String::new, |(low, high)| {
                format!("{} … {}", end(low, factor), end(high, factor))
            }),
            row.cpu_percent.map_or_else(String::new, |percent| format!("{percent:.0} %")),
            row.peak_memory
                .map_or_else(String::new, |memory| memory.shown(|it| Unit::Bytes.show(it))),
            mark.to_owned(),
        ]
    }

    /// The variants that no other beats, in one line.
    #[must_use]
    pub fn front_line(&self) -> String {
        let most = self.most;
        if self.rows.len() > most {
            return format!(
                "the Pareto front of time and memory is found only for up to {most} variants"
            );
        }
        let names = self.front.iter().map(|at| cut(&self.names.label(*at), COMMAND));
        format!(
            "Pareto front of time and memory (no other variant is certainly better at both): {}",
            in_backticks(names)
        )
    }
}
