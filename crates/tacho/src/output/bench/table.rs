//! A row a command.

use tacho_experiment::bench::{BenchCommand, CommandResult};
use tacho_record::Unit;
use tacho_report::series::{self, stopped};
use tacho_report::summary::SummaryText;
use tacho_stats::BoundedValue;

use super::BenchReport;
use crate::output::{colour, table, text};

/// How wide a command may become.
const COMMAND: usize = 44;
/// Of fewer values the median has no interval (docs/src/method).
const FEWEST: usize = 6;

impl BenchReport<'_> {
    /// Median, interval, spread and range of each, and what it used.
    pub fn table(&self) -> String {
        let usual = [
            "command", "n", "median", "95 %", "spread", "min", "max", "user", "sys", "CPU",
            "memory",
        ];
        let counters = self.question.counters.iter().map(|asked| asked.counter.name());
        let head: Vec<&str> = usual.into_iter().chain(counters).chain([""]).collect();
        let mut list = table::plain(&head, &(1..head.len() - 1).collect::<Vec<_>>());
        for (command, standing) in self.question.commands.iter().zip(&self.standings.each) {
            list.add_row(row(&command.name, standing, self.is_looked_at()));
        }
        table::hide_empty_columns(&mut list);
        let table = table::render(&list);
        let widest = table.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let rows = match self.width {
            Some(width) if widest > width => self.listed(&head, width),
            _ => self.with_bold_medians(&table),
        };
        rows + self.means() + &self.without_interval()
    }

    /// The table with its medians standing out, where there is colour.
    fn with_bold_medians(&self, table: &str) -> String {
        let (head, rows) = table.split_once('\n').unwrap_or((table, ""));
        let rows = rows.lines().zip(self.question.commands.iter().zip(&self.standings.each));
        let row = |(line, (command, standing)): (&str, (&BenchCommand, &CommandResult))| {
            let cells = row(&command.name, standing, self.is_looked_at());
            let name = cells[0].len().min(line.len());
            let (name, rest) = line.split_at_checked(name).unwrap_or(("", line));
            format!("{name}{}\n", colour::first_strong(rest, &cells[2]))
        };
        format!("{head}\n{}", rows.map(row).collect::<String>())
    }

    /// The rows where the table has no room: some lines each.
    fn listed(&self, head: &[&str], width: usize) -> String {
        let mut out = String::new();
        for (command, standing) in self.question.commands.iter().zip(&self.standings.each) {
            let cells = row(&command.name, standing, self.is_looked_at());
            let named = |column: usize| {
                Some(format!("{} {}", head[column], cells[column]))
                    .filter(|_| !cells[column].is_empty())
            };
            let state = cells.last().filter(|state| !state.is_empty()).cloned();
            let range =
                (!cells[5].is_empty()).then(|| format!("range {} … {}", cells[5], cells[6]));
            let median = (!cells[2].is_empty())
                .then(|| format!("median {} {}", cells[2], cells[3]).trim_end().to_owned());
            let first = packed([median, range, named(1)].into_iter().flatten(), width);
            let used = [4, 9, 10, 7, 8].into_iter().chain(11..cells.len() - 1);
            let others = packed(used.filter_map(named), width);
            let first = first.into_iter().map(|line| colour::first_strong(&line, &cells[2]));
            out += &format!("{}\n", text::cut(&command.name, width));
            let lines = state.into_iter().chain(first).chain(others);
            lines.for_each(|line| out += &format!("  {line}\n"));
        }
        out
    }

    /// Why there is no interval, where there are values.
    fn without_interval(&self) -> String {
        let times = || self.standings.each.iter().filter_map(|standing| standing.time);
        if times().all(|time| time.interval.is_some() || time.n >= FEWEST) {
            return String::new();
        }
        format!("no 95 % interval of fewer than {FEWEST} executions: `-r {FEWEST}` has one\n")
    }

    /// Whether the number of samples was chosen by looking at them.
    fn is_looked_at(&self) -> bool {
        self.question.rule.precision.is_some()
    }

    /// What an interval means whose number of samples was chosen by looking.
    fn means(&self) -> &'static str {
        let has_interval =
            |standing: &CommandResult| standing.time.is_some_and(|time| time.interval.is_some());
        let looked_at =
            self.question.rule.precision.is_some() && self.standings.each.iter().any(has_interval);
        if looked_at { table::LOOKED_AT_MEANS.trim_start() } else { "" }
    }
}

/// The parts in lines of that width, indented by two.
fn packed(parts: impl Iterator<Item = String>, width: usize) -> Vec<String> {
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

fn row(name: &str, standing: &CommandResult, looked_at: bool) -> Vec<String> {
    let shown = |value: Option<BoundedValue>, unit: &Unit| {
        value.map_or_else(String::new, |value| value.shown(|it| unit.show(it)))
    };
    let time = |value: Option<BoundedValue>| shown(value, &Unit::Nanoseconds);
    let numbers = SummaryText::of(&standing.metric.unit, standing.time.as_ref());
    let mark = if looked_at && !numbers.margin.is_empty() { table::LOOKED_AT } else { "" };
    let mut cells = vec![
        text::cut(name, COMMAND),
        numbers.n,
        numbers.median,
        numbers.margin + mark,
        numbers.spread,
        numbers.min,
        numbers.max,
        time(standing.user),
        time(standing.sys),
        standing.cpu_percent.map_or_else(String::new, |percent| format!("{percent:.0} %")),
        shown(standing.peak_memory, &Unit::Bytes),
    ];
    cells.extend(standing.counters.iter().map(|(metric, value)| shown(*value, &metric.unit)));
    cells.push(state(standing));
    cells
}

/// How often it failed, and how the first time; after a setup that failed it is not executed.
pub(super) fn failed(standing: &CommandResult, why: &str) -> String {
    if why.starts_with("`setup`") {
        return format!("not executed ({why})");
    }
    series::failed(standing.failed, why)
}

/// What is to be said of a command besides its numbers.
fn state(standing: &CommandResult) -> String {
    match &standing.failure {
        Some((why, _)) => failed(standing, why),
        None if standing.limited.count > 0 => text::limited(&standing.limited),
        None if standing.time.is_none() => "not measured".to_owned(),
        None => standing.stopped.as_ref().map_or_else(String::new, stopped),
    }
}
