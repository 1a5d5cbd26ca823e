//! A row a value: its median and interval, times of the best, and a bar.

use tacho_experiment::sweep::{MissingCurve, SweepQuestion, SweepRow};
use tacho_record::{Direction, Metric, Unit, factor};
use tacho_report::block::{AnswerCell, AnswerTable, Block};
use tacho_report::summary::SummaryText;
use tacho_report::way_out::{CALLGRIND, WaysOut};
use tacho_site::SweepMark;
use tacho_stats::sweep::{ExtraCost, SweepCurve};

use super::names::ValueNames;
use super::words::NamedCurve;
use crate::output::{blocks, table_width, text};

/// How wide a bar may be, and has to be.
const BARS: std::ops::RangeInclusive<usize> = 8..=32;
/// The scale goes this many times as far as the largest median at most.
const BEYOND: f64 = 1.25;
/// Rounds that take longer, in nanoseconds, are not the cheapest way.
const LONG: f64 = 60e9;
/// More rounds than this are not worth it.
const MOST_ROUNDS: f64 = 1000.0;
/// Times of the best and of its median may differ by this share without a word.
const ALIKE: f64 = 0.02;
/// How wide a value may become.
const LABEL: usize = 36;

/// The column of intervals, of which a terminal shows margins.
const INTERVAL: usize = 3;
/// That of the intervals of multiples, in place of which it has bars.
const TIMES_INTERVAL: usize = 5;

/// The rows of a sweep or a search.
pub struct SweepRows<'a> {
    pub names: &'a ValueNames,
    pub question: &'a SweepQuestion,
    pub rows: &'a [SweepRow],
    pub curve: &'a Result<SweepCurve, MissingCurve>,
    pub places: &'a [usize],
}

impl SweepRows<'_> {
    /// The table for the terminal, with bars where there is room.
    pub fn text(&self) -> String {
        let mut table = self.table();
        for ((_, row), cells) in self.executed().zip(&mut table.rows) {
            cells[INTERVAL] = self.numbers(row).margin.into();
        }
        let none = table.rows.iter().map(|_| String::new()).collect::<Vec<_>>();
        let table = blocks::drawn(table, TIMES_INTERVAL, none);
        let shown = |table| blocks::terminal(&[Block::Table(table)]);
        let whole = shown(table.clone());
        let used = whole.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let room = table_width().saturating_sub(used + 2).min(*BARS.end());
        let Some(longest) = self.longest().filter(|_| room >= *BARS.start()) else { return whole };
        let bar = |(_, row): (usize, &SweepRow)| {
            let (low, high) =
                row.summary.map(|it| it.interval.unwrap_or((it.median, it.median)))?;
            Some(format!("{:<room$}", drawn((low / longest, high / longest), room)))
        };
        let bars = self.executed().map(|row| bar(row).unwrap_or_default());
        shown(blocks::drawn(table, TIMES_INTERVAL, bars))
    }

    /// The values that were executed, a row each.
    pub fn table(&self) -> AnswerTable {
        let heads = ["value", "n", "median", "95 %", "× best", "95 %", ""];
        let row = |(at, row): (usize, &SweepRow)| {
            let (numbers, times) = (self.numbers(row), self.times(row));
            let [times, interval] = times.unwrap_or_default();
            [
                text::cut(&self.names.label(at), LABEL),
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

    fn executed(&self) -> impl Iterator<Item = (usize, &SweepRow)> {
        let all = self.rows.iter().enumerate();
        all.filter(|(_, row)| row.summary.is_some() || row.failed.0 > 0)
    }

    fn numbers(&self, row: &SweepRow) -> SummaryText {
        SummaryText::of(&self.metric().unit, row.summary.as_ref())
    }

    fn metric(&self) -> Metric {
        self.question.metric(self.places.first().copied().unwrap_or(0))
    }

    /// What the curve says, a line each; or why there is none.
    pub fn lines(&self) -> Vec<String> {
        let curve = match self.curve {
            Ok(curve) => curve,
            Err(missing) => return vec![format!("no curve: {missing}")],
        };
        let medians: Vec<f64> = self
            .places
            .iter()
            .map(|at| self.rows[*at].summary.map_or(f64::NAN, |summary| summary.median))
            .collect();
        let metric = self.metric();
        let (places, way_out) = (self.places, self.way_out(curve, &metric));
        let named = NamedCurve {
            names: self.names,
            metric: &metric,
            curve,
            places,
            medians: &medians,
            way_out,
        };
        let mut lines = named.lines();
        if differ(curve, &medians, metric.better) {
            let of = match &metric.unit {
                Unit::Nanoseconds => "values at the host's usual speed, which differs",
                _ => "levels that are fitted to all executions, which differ",
            };
            lines.push(format!("× best compares {of} here from the ratio of medians"));
        }
        lines
    }

    /// The number of rounds after which each value would be known to the margin; where they take
    /// long, what other work disturbs less.
    fn way_out(&self, curve: &SweepCurve, metric: &Metric) -> String {
        let most = curve.costs.iter().map(|cost| cost.interval.1).fold(0.0, f64::max);
        let rounds = self.rows.iter().filter_map(|row| Some(row.summary?.n)).max().unwrap_or(1);
        let wanted = two_digits(rounds as f64 * (most / self.question.margin.ln_1p()).powi(2));
        let round: f64 = self.rows.iter().filter_map(|row| Some(row.summary?.median)).sum();
        let runs = if wanted > MOST_ROUNDS {
            format!("more rounds are not worth it, as over {MOST_ROUNDS:.0} would be needed")
        } else {
            format!("`-r {wanted:.0}` would settle it")
        };
        if metric.name != "wall" || wanted * round <= LONG {
            return runs;
        }
        let counted = format!("`--counter instructions=callgrind --minimise {CALLGRIND}`");
        let shares = self.rows.iter().filter_map(|row| row.busy_share);
        let ways = WaysOut {
            cpu: Some("`--minimise cpu` goes by"),
            busy_share: shares.min_by(f64::total_cmp),
            callgrind: text::has_callgrind().then_some(&counted),
            ..WaysOut::default()
        };
        format!("{}; {runs}", ways.line())
    }

    /// Where bars end.
    fn longest(&self) -> Option<f64> {
        let all = || self.rows.iter().filter_map(|row| row.summary);
        let high = all().map(|it| it.interval.map_or(it.median, |(_, high)| high));
        // One wide interval must not hide the other values.
        let medians = all().map(|it| it.median).fold(0.0, f64::max);
        Some(high.fold(0.0, f64::max).min(BEYOND * medians)).filter(|longest| *longest > 0.0)
    }

    /// Times of the best, with its interval: above 1 for a time, below 1 for a throughput.
    fn times(&self, row: &SweepRow) -> Option<[String; 2]> {
        let ExtraCost { estimate, interval: (low, high), .. } =
            self.curve.as_ref().ok()?.costs[row.place?];
        let (times, low, high) = match self.metric().better {
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

    /// What is to be said of a value that failed, or does not certainly keep a limit.
    fn notes(&self, row: &SweepRow) -> Vec<String> {
        if row.failed.0 > 0 {
            let why = row.failed.1.clone().unwrap_or_default();
            return vec![text::cut(&format!("{} failed ({why})", row.failed.0), LABEL)];
        }
        let limits = self.question.limits.iter().zip(&row.limits);
        let broken = limits.filter_map(|(limit, kept)| match kept {
            Some((true, true)) => None,
            Some((true, false)) => Some(format!("{limit} is not certain")),
            Some((false, is_certain)) => {
                Some(format!("not {limit}{}", if *is_certain { "" } else { ", not certain" }))
            }
            None => Some(format!("no {}", limit.metric.name)),
        });
        broken.collect()
    }

    /// What a value is in the curve.
    pub fn marks(&self, at: usize, row: &SweepRow) -> Vec<SweepMark> {
        let mut marks = Vec::new();
        if let (Ok(curve), Some(place)) = (self.curve, row.place) {
            let is_varied = curve.plateau.len() < self.places.len();
            let is_alike = is_varied && curve.plateau.contains(&place);
            let shape = if place == curve.best {
                Some(SweepMark::Best)
            } else {
                is_alike.then_some(SweepMark::Plateau)
            };
            marks.extend(shape);
            marks.extend((curve.knee == Some(place)).then_some(SweepMark::Knee));
        }
        marks.extend((self.names.default == Some(at)).then_some(SweepMark::Default));
        marks
    }
}

/// Whether some value is another multiple of the best one by medians than by levels.
fn differ(curve: &SweepCurve, medians: &[f64], better: Direction) -> bool {
    let sign = if better == Direction::Lower { 1.0 } else { -1.0 };
    let best = medians[curve.best];
    let apart = |(cost, median): (&ExtraCost, &f64)| {
        (cost.estimate - sign * (median / best).ln()).abs() > ALIKE
    };
    curve.costs.iter().zip(medians).any(apart)
}

/// Rounded up to two significant digits: it is a guess.
fn two_digits(number: f64) -> f64 {
    let unit = 10_f64.powf(number.max(1.0).log10().floor() - 1.0).max(1.0);
    (number / unit).ceil() * unit
}

/// A bar whose end is drawn lighter as far as its interval reaches.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // shares of a width
fn drawn((low, high): (f64, f64), width: usize) -> String {
    let at = |share: f64| (share.clamp(0.0, 1.0) * width as f64).round() as usize;
    let (low, high) = (at(low), at(high).max(1));
    "█".repeat(low.min(high)) + &"▒".repeat(high - low.min(high))
}
