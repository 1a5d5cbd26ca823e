//! What `tacho compare` answers: as text, in Markdown, and in JSON.

mod answer;
mod family;
mod gate;
mod headline;
mod junit;
mod notes;
pub(crate) mod report;
mod summary;
#[cfg(test)]
mod tests;

pub use self::answer::{CompareAnswer, DuetAnswer, ModesAnswer, RankTestAnswer, known_p, names};
pub use self::family::Family;
pub use self::gate::stood;
pub use self::report::{CompareReport, FailOn};

use tacho_experiment::compare::{Compared, Row, Rows};
use tacho_record::{Unit, factor, short_name, shown as in_one_line};
use tacho_site::said;
use tacho_stats::compare::{Comparison, Estimate, Verdict};
use tacho_stats::levels::{Levels, Repetition};
use tacho_stats::{Bound, Bounded, Summary};

use self::family::in_order;
use super::bench::word;
use super::levels::relinking;
use super::{colour, table, text};
use crate::output;
use crate::output::compare::report::{is_failed, lacks};

/// The head of the smallest differences that would have been told.
const LEAST: &str = "tells from";
/// How wide the name of a side may be where there is little room.
const NAME: usize = 20;

/// The columns in Markdown, in their order: a page may cut off the last ones, never the verdict.
const MARKDOWN: [usize; 12] = [0, 1, 12, 5, 6, 7, 3, 4, 8, 9, 10, 11];

impl CompareReport<'_> {
    /// The answer as people read it.
    pub fn text(&self) -> String {
        let [a, b] = self.told.each_ref().map(|told| in_one_line(told));
        let wrap = |prose: &str| text::wrap(prose, output::terminal_width());
        let told = match self.compared {
            Compared::Interrupted => "interrupted before anything was measured\n".to_owned(),
            Compared::SameProgram => {
                format!("{a} and {b} built to the same artifacts: they are the same program\n")
            }
            Compared::NotBuilt { side, why } => format!("{side} cannot be compared: {why}\n"),
            Compared::Measured(all) => {
                let head = wrap(&format!("{b} against {a}\n"));
                let table = colour::verdicts(&self.table(all));
                return format!("{head}\n{table}\n{}", wrap(&self.prose(all)));
            }
        };
        wrap(&told)
    }

    /// All that is said below the table.
    fn prose(&self, all: &Rows) -> String {
        let interrupted = match (all.interrupted, self.is_kept) {
            (true, true) => {
                "interrupted: this is what was measured so far, the same command goes on\n"
            }
            (true, false) => "interrupted: this is what was measured so far, and it is not kept\n",
            (false, _) => "",
        };
        self.notes(all) + &self.levels(all) + interrupted + &self.summary(all)
    }

    fn table(&self, all: &Rows) -> String {
        let fits = |table: &String| {
            let widest = table.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            output::terminal_width().is_none_or(|width| widest <= width)
        };
        let tables = [true, false].into_iter().map(|has_least| self.rows(all, has_least));
        tables.into_iter().find(fits).unwrap_or_else(|| self.listed(all))
    }

    /// A row each; with the smallest differences that would have been told, or without.
    fn rows(&self, all: &Rows, has_least: bool) -> String {
        let mut list =
            table::plain(&self.head().each_ref().map(String::as_str), &[2, 3, 4, 5, 6, 7, 10, 11]);
        for row in in_order(&all.rows) {
            let mut cells = self.cells(row);
            if !has_least {
                cells[11].clear();
            }
            list.add_row(cells);
        }
        table::hide_empty_columns(&mut list);
        table::indent(&table::render(&list))
    }

    /// What stands above the cells of rows.
    fn head(&self) -> [String; 13] {
        let [a, b] = self.names();
        [
            "benchmark",
            "metric",
            "n",
            &a,
            &b,
            "ratio",
            "difference",
            "95 %",
            "of",
            "also",
            "control",
            LEAST,
            "verdict",
        ]
        .map(str::to_owned)
    }

    /// The rows where the table has no room: some lines each.
    fn listed(&self, all: &Rows) -> String {
        let names = self.names().map(|name| text::cut(&name, NAME));
        let mut out = String::new();
        for row in in_order(&all.rows) {
            let [
                benchmark,
                metric,
                rounds,
                a,
                b,
                ratio,
                difference,
                interval,
                of,
                also,
                control,
                least,
                verdict,
            ] = <[String; 13]>::try_from(self.cells(row)).unwrap_or_default();
            out += &format!("{benchmark} {metric}: {verdict}\n");
            let told = [ratio, difference, interval, of]
                .into_iter()
                .filter(|it| !it.is_empty())
                .collect::<Vec<_>>();
            let also = if also.is_empty() { also } else { format!("also {also}") };
            let control = if control.is_empty() { control } else { format!("control {control}") };
            let least = if least.is_empty() { least } else { format!("{LEAST} {least}") };
            let sides = format!("{}: {a}, {}: {b}, n {rounds}", names[0], names[1]);
            for line in [told.join("  "), sides, also, control, least] {
                out += &if line.is_empty() { line } else { format!("  {line}\n") };
            }
        }
        text::wrap(&out, output::terminal_width())
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let Comparison { estimate, second, control, counts, .. } = &row.comparison;
        let median = |side: &Option<Summary>| {
            side.as_ref()
                .map_or_else(String::new, |summary| text::median(&row.metric.unit, summary))
        };
        let ratio = |estimate: &Option<Estimate>| {
            let ratio = estimate.and_then(|it| it.known_ratio());
            ratio.map(|it| it.shown(times)).filter(|it| !it.is_empty())
        };
        let [first, between] =
            estimate.map_or_else(Default::default, |it| shown(&it, &row.metric.unit));
        let is_ratio = estimate.is_none_or(|it| it.ratio.is_some());
        let [ratio_of_all, difference] =
            if is_ratio { [first, String::new()] } else { [String::new(), first] };
        vec![
            row.benchmark.to_string(),
            row.metric.name.clone(),
            counts.rounds.to_string(),
            median(&row.sides[0]),
            median(&row.sides[1]),
            ratio_of_all,
            difference,
            between,
            estimate.map_or_else(String::new, |it| said::of(it.estimator).to_owned()),
            ratio(second)
                .zip(said::of_second(&row.comparison))
                .map_or_else(String::new, |(ratio, of)| format!("{ratio} of {of}")),
            ratio(control).unwrap_or_default(),
            summary::least(row).map_or_else(String::new, text::percent),
            self.verdict(row),
        ]
    }

    /// The word, and what would settle one that is unclear.
    fn verdict(&self, row: &Row) -> String {
        if let Some((why, side)) = row.failure.as_ref().filter(|_| is_failed(row)) {
            return format!("failed at {} ({why})", self.names()[*side]);
        }
        if let Some(why) = self.unmeasured(row) {
            return why;
        }
        match row.verdict {
            // Only what differs nowhere is the same without a ratio, as nothing but zeros.
            Verdict::Same if row.comparison.estimate.is_some_and(|it| it.ratio.is_none()) => {
                "same, no difference".to_owned()
            }
            Verdict::Same => format!("same, within {}", text::precision(self.terms.margin)),
            Verdict::Unclear => {
                let parts =
                    [self.told_alone(row).or_else(|| self.why_unclear(row)), self.missing(row)];
                let why = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
                if why.is_empty() { "unclear".to_owned() } else { format!("unclear: {why}") }
            }
            verdict => word(verdict).to_owned(),
        }
    }

    /// Which side a row has nothing of, though nothing failed.
    fn unmeasured(&self, row: &Row) -> Option<String> {
        said::unmeasured(
            &row.benchmark,
            self.names().each_ref().map(String::as_str),
            [0, 1].map(|side| lacks(row, side)),
        )
        .filter(|_| !is_failed(row))
    }

    /// What would settle a row that is unclear, or why nothing does.
    fn missing(&self, row: &Row) -> Option<String> {
        let time = |rounds: usize| gate::rounds_take(row, rounds);
        let names = self.names().map(|name| text::cut(&name, NAME));
        let layouts = row.levels[0].map(|levels| levels.layouts);
        let names = names.each_ref().map(String::as_str);
        said::missing(&row.comparison, names, &row.metric.unit, layouts, time)
    }

    /// The verdict of a row by itself, where it is not believed among all the others.
    fn told_alone(&self, row: &Row) -> Option<String> {
        let Compared::Measured(all) = self.compared else { return None };
        let alone = row.comparison.verdict;
        let alone = (alone != Verdict::Unclear).then(|| word(alone))?;
        Some(format!(
            "{alone} on its own, not certain among {}",
            text::count(all.together.max(2), "row")
        ))
    }

    /// Why a row is unclear although the interval that is shown does not hold 1.
    fn why_unclear(&self, row: &Row) -> Option<String> {
        let estimate = row.comparison.estimate?;
        let holds_one = |(low, high): (f64, f64)| low <= 1.0 && high >= 1.0;
        estimate.interval.filter(|shown| !holds_one(*shown))?;
        match estimate.repeated {
            Some(of_all) if holds_one(of_all) => {
                Some(format!("with all looks counted it is {}", interval(of_all)))
            }
            Some(_) if row.comparison.notes.is_empty() => {
                Some(format!("it may be within {}", text::precision(self.terms.margin)))
            }
            _ => None,
        }
    }

    /// What each level adds, and how often to repeat.
    fn levels(&self, all: &Rows) -> String {
        let mut out = String::new();
        for row in in_order(&all.rows) {
            let [Some(a), Some(b)] = row.levels else { continue };
            let of = |levels: Levels| {
                format!("relink {}, restart {}", relinking(&levels), text::percent(levels.restart))
            };
            let [first, second] = self.names();
            out += &format!(
                "{} {}, by {} layouts: {first}: {}; {second}: {}\n",
                row.benchmark,
                row.metric.name,
                a.layouts.min(b.layouts),
                of(a),
                of(b)
            );
            if let Some(repetition) = self.repetition(row) {
                out += &format!(
                    "  each mean would be known to {} by {}, {} each\n",
                    text::precision(self.terms.margin),
                    text::count(repetition.layouts as usize, "layout"),
                    text::executions(repetition),
                );
            }
        }
        out
    }

    /// How often to repeat at each level so that the mean of the side that varies more is known to
    /// the margin.
    fn repetition(&self, row: &Row) -> Option<Repetition> {
        let [Some(a), Some(b)] = row.levels else { return None };
        let execution = row.round / (2 * a.layouts + b.layouts) as f64 / 1e9;
        let cost = self.build?.as_secs_f64() / execution.max(f64::MIN_POSITIVE);
        let worst = if a.means >= b.means { a } else { b };
        worst.repetition(self.terms.margin, cost)
    }

    /// What both are called, each on one line: a command may have several. A CI system types
    /// whole hashes.
    fn names(&self) -> [String; 2] {
        self.terms.sides.each_ref().map(|side| in_one_line(short_name(&side.name)))
    }

    /// A table for a pull request, and below it all that limits what it says.
    pub fn markdown(&self) -> String {
        let Compared::Measured(all) = self.compared else {
            return text::markdown_with(&self.text(), &self.names());
        };
        let rows: Vec<Vec<String>> =
            in_order(&all.rows).into_iter().map(|row| self.cells(row)).collect();
        // How many rounds there were is left out, and so are differences where all have a ratio.
        let has_difference = rows.iter().any(|cells| !cells[6].is_empty());
        let kept: Vec<usize> =
            MARKDOWN.into_iter().filter(|at| *at != 6 || has_difference).collect();
        let line = |cells: &[String]| {
            let kept = kept.iter().map(|at| text::markdown(&cells[*at]));
            format!("| {} |\n", kept.collect::<Vec<_>>().join(" | "))
        };
        let aligned = [
            ":---", ":---", "", "---:", "---:", "---:", "---:", "---:", ":---", ":---", "---:",
            "---:", ":---",
        ];
        let mut out = line(&self.head()) + &line(&aligned.map(str::to_owned)).replace(' ', "");
        for cells in rows {
            out += &line(&cells);
        }
        let mut names = self.names().to_vec();
        names.extend(all.rows.iter().map(|row| row.benchmark.to_string()));
        names.extend(self.lone.iter().flatten().cloned());
        let below = list(&self.prose(all)) + &self.told_in_markdown();
        let headline = text::markdown_with(&self.headline(all), &names);
        headline + "\n" + &out + "\n" + &text::markdown_with(&below, &names)
    }
}

/// Lines as a list in Markdown: what goes on in the next line belongs to the item, and so does a
/// hint, on a line of its own.
fn list(prose: &str) -> String {
    let mut out = String::new();
    for line in prose.lines() {
        let rest = line.trim_start();
        if rest.len() < line.len() {
            out.push(' ');
        } else {
            let begin = if rest.starts_with("hint: ") { "  " } else { "- " };
            out += if out.is_empty() { "" } else { "\n" };
            out += begin;
        }
        out += rest;
    }
    out + "\n"
}

/// The ratio with its interval; the difference where there is none, since values are at zero or
/// below.
pub fn shown(estimate: &Estimate, unit: &Unit) -> [String; 2] {
    let between = |of: Option<(f64, f64)>, show: &dyn Fn((f64, f64)) -> String| {
        of.map_or_else(String::new, show)
    };
    let difference = estimate.known_difference();
    match (estimate.known_ratio(), estimate.difference_interval) {
        (Some(Bounded { bound: Bound::Unknown, .. }), _) => Default::default(),
        (Some(ratio), _) => [ratio.shown(times), between(estimate.interval, &interval)],
        (None, Some((low, high)))
            if (low, high) != (0.0, 0.0) && difference.bound != Bound::Unknown =>
        {
            [difference.shown(|it| signed(unit, it)), text::interval(unit, (low, high))]
        }
        _ => Default::default(),
    }
}

/// A difference, which no ratio has the sign of.
fn signed(unit: &Unit, value: f64) -> String {
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", unit.show(value))
}

fn times(ratio: f64) -> String {
    format!("× {}", factor(ratio))
}

fn interval((low, high): (f64, f64)) -> String {
    format!("{} … {}", factor(low), factor(high))
}
