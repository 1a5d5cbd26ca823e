//! Who is faster than whom, and how surely.

use tacho_experiment::bench::CommandResult;
use tacho_record::RequestedEstimator;
use tacho_report::comparison::{clauses, shown};
use tacho_stats::compare::Verdict;

use super::BenchReport;
use crate::output::{colour, table, text};

/// How wide a command may become.
const COMMAND: usize = 60;
/// A shorter name says too little: two lines are better.
const LEAST: usize = 20;

impl BenchReport<'_> {
    /// Each command against the reference, by time; then who is beaten on time and memory.
    pub fn ranking(&self) -> String {
        let Some(reference) = self.standings.reference else { return String::new() };
        let rows = self.rows(reference);
        let name = text::cut(&self.question.commands[reference].name, COMMAND);
        let wrap = |prose: &str| text::wrap(prose, self.width);
        let word = if self.standings.is_reference_fastest() { ", the fastest" } else { "" };
        let by = match self.question.estimator {
            None => "",
            Some(RequestedEstimator::Mean) => " by means,",
            Some(RequestedEstimator::Median) => " by medians,",
            Some(RequestedEstimator::Minimum) => " by minima,",
        };
        let head = match self.quantities() {
            (false, false) => format!("against `{name}`{word}\n"),
            (true, false) => format!("times that of `{name}`{word},{by} with 95 % intervals\n"),
            (false, true) => format!("differences from `{name}`{word},{by} with 95 % intervals\n"),
            (true, true) => {
                format!(
                    "times that of `{name}`{word}, or differences from it,{by} with 95 % \
                     intervals\n"
                )
            }
        };
        let rows = self.coloured(&rows, reference);
        wrap(&(self.modes(reference) + &self.beaten() + &head)) + &rows
    }

    /// A row for each command; two lines where names would have too little room.
    fn rows(&self, reference: usize) -> String {
        let table = |name: usize| {
            let mut list = table::plain(&["", "", "", ""], &[0]);
            for index in self.standings.by_time().into_iter().filter(|index| *index != reference) {
                let mut row = self.row(index);
                row[2] = text::cut(&row[2], name);
                list.add_row(row);
            }
            // The empty head of the table.
            let rows = table::render(&list);
            table::indent(rows.split_once('\n').map_or("", |(_, rows)| rows))
        };
        let widest = |rows: &str| rows.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let whole = table(COMMAND);
        let Some(excess) = self.width.and_then(|width| widest(&whole).checked_sub(width)) else {
            return whole;
        };
        let names = self.standings.by_time().into_iter().filter(|index| *index != reference);
        let shown = |index: usize| text::cut(&self.question.commands[index].name, COMMAND);
        let longest = names.map(|index| shown(index).chars().count()).max().unwrap_or(0);
        let room = longest.saturating_sub(excess);
        if room < LEAST { self.listed_ranking(reference) } else { table(room) }
    }

    /// Ratios and verdicts in colour, where there is colour.
    fn coloured(&self, rows: &str, reference: usize) -> String {
        let mut out = String::new();
        let mut rest = rows;
        for index in self.standings.by_time().into_iter().filter(|index| *index != reference) {
            let [ratio, .., word] = <[String; 4]>::try_from(self.row(index)).unwrap_or_default();
            let Some(at) = rest.find(&ratio) else { continue };
            let (before, from) = rest.split_at(at);
            // A verdict of several lines has no colour.
            let Some((row, after)) = from.split_once(&word) else { continue };
            out += before;
            out += &colour::first_strong(row, &ratio);
            out += &colour::verdicts(&word);
            rest = after;
        }
        out + rest
    }

    /// Whether rows have ratios, and whether they have differences: where a time may be 0 there is
    /// no ratio.
    fn quantities(&self) -> (bool, bool) {
        let estimates = self.standings.each.iter().filter_map(|it| {
            let estimate = it.compared.as_ref()?.estimate?;
            let [number, _] = shown(&estimate, &it.metric.unit);
            Some(estimate.ratio.is_some()).filter(|_| !number.is_empty())
        });
        estimates.fold((false, false), |(ratios, differences), is_ratio| {
            (ratios || is_ratio, differences || !is_ratio)
        })
    }

    /// What is compared where a command or the reference is now fast, now slow.
    fn modes(&self, reference: usize) -> String {
        let name = |index: usize| text::cut(&self.question.commands[index].name, COMMAND);
        let line = |index: usize| {
            let CommandResult { compared, metric, .. } = &self.standings.each[index];
            let modes = compared.as_ref()?.modes?;
            let names = [name(reference), name(index)].map(|name| format!("`{name}`"));
            Some(format!(
                "{}: {}\n",
                names[1],
                clauses::two_modes(
                    &modes,
                    names.each_ref().map(String::as_str),
                    &metric.unit,
                    true
                )
            ))
        };
        self.standings.by_time().into_iter().filter_map(line).collect()
    }

    /// Two lines each, where there is no room for one.
    fn listed_ranking(&self, reference: usize) -> String {
        let others = self.standings.by_time().into_iter().filter(|index| *index != reference);
        let lines = others.map(|index| {
            let [ratio, interval, name, verdict] =
                <[String; 4]>::try_from(self.row(index)).unwrap_or_default();
            let told = [ratio, interval, verdict].into_iter().filter(|it| !it.is_empty());
            let name =
                self.width.map_or(name.clone(), |width| text::cut(&name, width.saturating_sub(2)));
            format!("  {name}\n    {}\n", told.collect::<Vec<_>>().join("  "))
        });
        text::wrap(&lines.collect::<String>(), self.width)
    }

    fn row(&self, index: usize) -> Vec<String> {
        let CommandResult { compared, verdict, .. } = &self.standings.each[index];
        let estimate = compared.as_ref().and_then(|row| row.estimate);
        let unit = &self.standings.each[index].metric.unit;
        let [ratio, interval] = estimate.map_or_else(Default::default, |it| shown(&it, unit));
        vec![
            ratio,
            interval,
            text::cut(&self.question.commands[index].name, COMMAND),
            verdict.map_or_else(String::new, |verdict| self.word(index, verdict)),
        ]
    }

    /// The verdict, and what would settle one that is unclear.
    fn word(&self, index: usize, verdict: Verdict) -> String {
        let CommandResult { compared, metric, .. } = &self.standings.each[index];
        let compared = compared.as_ref();
        let name = text::cut(&self.question.commands[index].name, COMMAND);
        let names = ["the reference", name.as_str()];
        let why = || match (compared?.more, clauses::refuted(compared?, names)) {
            (_, Some(refuted)) => Some(refuted),
            (Some(more), None) => Some(self.more_rounds(more.rounds)),
            (None, None) => clauses::beyond_rounds(compared?, names, &metric.unit),
        };
        match verdict {
            Verdict::Faster => "faster".to_owned(),
            Verdict::Slower => "slower".to_owned(),
            Verdict::Same => {
                clauses::same(compared.and_then(|it| it.estimate.as_ref()), self.margin)
            }
            Verdict::Unclear => {
                why().map_or_else(|| "unclear".to_owned(), |why| format!("unclear: {why}"))
            }
        }
    }

    /// A line for each command that another beats on time and memory.
    fn beaten(&self) -> String {
        let name =
            |index: usize| format!("`{}`", text::cut(&self.question.commands[index].name, COMMAND));
        let line = |(index, standing): (usize, &CommandResult)| {
            let by: Vec<String> = standing.beaten_by.iter().map(|index| name(*index)).collect();
            let line =
                format!("{} is beaten on time and memory by {}\n", name(index), by.join(", "));
            (!by.is_empty()).then_some(line)
        };
        self.standings.each.iter().enumerate().filter_map(line).collect()
    }
}
