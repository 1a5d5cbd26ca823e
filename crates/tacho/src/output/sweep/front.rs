//! Variants beside each other: times of the floor, processor time, memory, and the front of time
//! and memory.

use tacho_experiment::bench::{BEATEN_BY, CommandResult};
use tacho_record::{Unit, factor};
use tacho_stats::compare::Verdict;

use super::SweepReport;
use crate::output::{table, text};

/// How wide a command may become.
const COMMAND: usize = 34;

impl SweepReport<'_> {
    /// A row a variant, and the front; nothing where there are no variants.
    pub fn front(&self) -> String {
        if !self.names.has_variants {
            return String::new();
        }
        let head = ["", "× floor", "95 %", "CPU", "memory", ""];
        let mut list = table::plain(&head, &[1, 2, 3, 4]);
        for (at, standing) in self.standings.each.iter().enumerate() {
            list.add_row(self.variant(at, standing));
        }
        table::hide_empty_columns(&mut list);
        table::render(&list) + &text::wrap(&self.front_line(), self.width)
    }

    /// The same in Markdown.
    pub fn front_markdown(&self) -> String {
        if !self.names.has_variants {
            return String::new();
        }
        let mut out =
            "\n| Variant | × floor | 95 % | CPU | Memory | |\n|:---|---:|---:|---:|---:|:---|\n"
                .to_owned();
        for (at, standing) in self.standings.each.iter().enumerate() {
            let cells = self.variant(at, standing);
            let label = text::markdown_code_cell(&cells[0]);
            out += &format!("| {label} | {} |\n", cells[1..].join(" | "));
        }
        out + "\n" + &self.front_line()
    }

    pub(super) fn variant(&self, at: usize, standing: &CommandResult) -> [String; 6] {
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
                "no front of time and memory: among more than {BEATEN_BY} it is not looked for\n"
            );
        }
        let names: Vec<String> = self
            .front
            .iter()
            .map(|at| format!("`{}`", text::cut(&self.names.label(*at), COMMAND)))
            .collect();
        format!(
            "front of time and memory, no other is certainly better at both: {}\n",
            names.join(", ")
        )
    }
}
