//! Variants beside each other: times of the floor, processor time, memory, and the front of time
//! and memory.

use tacho_experiment::bench::{BEATEN_BY, CommandResult};
use tacho_record::{Unit, factor};
use tacho_report::block::{AnswerCell, AnswerTable, Block};
use tacho_report::summary::SummaryText;
use tacho_stats::compare::Verdict;

use super::SweepReport;
use crate::output::text;

/// How wide a command may become.
const COMMAND: usize = 34;

impl SweepReport<'_> {
    /// A row a variant, and the front; nothing where there are no variants.
    pub fn front(&self) -> Vec<Block> {
        if !self.names.has_variants {
            return Vec::new();
        }
        vec![Block::Table(self.variants()), Block::Sentence(self.front_line())]
    }

    /// A row a variant.
    pub fn variants(&self) -> AnswerTable {
        let heads = ["variant", "time", "× floor", "95 %", "CPU", "memory", ""];
        let row = |(at, standing)| self.variant(at, standing).map(AnswerCell::from).into();
        AnswerTable::of(&heads, &(1..6), self.standings.each.iter().enumerate().map(row).collect())
    }

    fn variant(&self, at: usize, standing: &CommandResult) -> [String; 7] {
        let is_floor = self.names.floor == Some(at);
        let estimate = standing.compared.as_ref().and_then(|row| row.estimate);
        let estimate = estimate.filter(|_| self.names.floor.is_some());
        let ratio =
            estimate.and_then(|it| it.known_ratio()).and_then(tacho_stats::BoundedValue::if_known);
        let interval = estimate.and_then(|it| it.interval);
        let below = self.names.floor.is_some() && standing.verdict == Some(Verdict::Faster);
        let mark = match (is_floor, below, self.front.contains(&at)) {
            (true, ..) => "floor",
            (_, true, true) => "below the floor, front",
            (_, true, _) => "below the floor",
            (_, _, true) => "front",
            _ => "",
        };
        [
            text::cut(&self.names.label(at), COMMAND),
            SummaryText::of(&Unit::Nanoseconds, standing.raw.as_ref()).median,
            ratio.map_or_else(String::new, factor),
            interval.map_or_else(String::new, |(low, high)| {
                format!("{} … {}", text::end(low, factor), text::end(high, factor))
            }),
            standing.cpu_percent.map_or_else(String::new, |percent| format!("{percent:.0} %")),
            standing
                .peak_memory
                .map_or_else(String::new, |memory| memory.shown(|it| Unit::Bytes.show(it))),
            mark.to_owned(),
        ]
    }

    pub(super) fn front_line(&self) -> String {
        let number = self.standings.each.len();
        if number > BEATEN_BY {
            return format!(
                "no front of time and memory: among more than {BEATEN_BY} it is not looked for"
            );
        }
        let names: Vec<String> = self
            .front
            .iter()
            .map(|at| format!("`{}`", text::cut(&self.names.label(*at), COMMAND)))
            .collect();
        format!(
            "front of time and memory, no other is certainly better at both: {}",
            names.join(", ")
        )
    }
}
