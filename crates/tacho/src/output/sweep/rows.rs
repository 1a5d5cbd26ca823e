//! A row a value: its median and interval, times of the best, and a bar.

use tacho_experiment::sweep::{MissingCurve, SweepQuestion, SweepRow};
use tacho_record::{Direction, Metric};
use tacho_report::way_out::{CALLGRIND, WaysOut};
use tacho_site::SweepMark;
use tacho_stats::sweep::{ExtraCost, SweepCurve};

use super::names::ValueNames;
use super::words::NamedCurve;
use crate::output::{COLUMNS, table, text};

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

/// The rows of a sweep or a search.
pub struct SweepRows<'a> {
    pub names: &'a ValueNames,
    pub question: &'a SweepQuestion,
    pub rows: &'a [SweepRow],
    pub curve: &'a Result<SweepCurve, MissingCurve>,
    pub places: &'a [usize],
    pub width: Option<usize>,
}

/// What a row is shown as.
struct RowCells {
    label: String,
    n: String,
    median: String,
    margin: String,
    times: String,
    mark: String,
    /// The ends of the bar's certain and uncertain part, as shares of the longest.
    bar: Option<(f64, f64)>,
}

impl SweepRows<'_> {
    /// The table, with bars where there is room.
    pub fn table(&self) -> String {
        let cells = self.cells();
        let head = ["", "n", "median", "95 %", "× best"].map(str::to_owned);
        let columns = |it: &RowCells| {
            [it.label.clone(), it.n.clone(), it.median.clone(), it.margin.clone(), it.times.clone()]
        };
        let length = |text: &String| text.chars().count();
        let wide = |at: usize| {
            cells
                .iter()
                .map(|it| length(&columns(it)[at]))
                .chain([length(&head[at])])
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..head.len()).map(wide).collect();
        let marks = cells.iter().map(|it| length(&it.mark)).max().unwrap_or(0);
        let used: usize = widths.iter().map(|width| width + 2).sum::<usize>() + marks;
        let room = self.width.unwrap_or(COLUMNS).saturating_sub(used + 2).min(*BARS.end());
        let bars = if room < *BARS.start() { 0 } else { room };
        let line = |columns: [String; 5], bar: String, mark: &str| {
            let padded = columns.iter().zip(&widths).enumerate().map(|(at, (text, width))| {
                if at == 0 { format!("{text:<width$}") } else { format!("{text:>width$}") }
            });
            let bar = if bars == 0 { String::new() } else { format!("  {bar:<bars$}") };
            format!("{}{bar}  {mark}", padded.collect::<Vec<_>>().join("  ")).trim_end().to_owned()
                + "\n"
        };
        let mut out = line(head.clone(), String::new(), "");
        for row in &cells {
            let bar = row.bar.filter(|_| bars > 0).map_or_else(String::new, |bar| drawn(bar, bars));
            out += &line(columns(row), bar, &row.mark);
        }
        out
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let mut out = "| Value | n | Median | 95 % | × best | |\n|:---|---:|---:|---:|---:|:---|\n"
            .to_owned();
        for row in self.cells() {
            let label = text::markdown_code_cell(&row.label);
            let [mark, times] = [&row.mark, &row.times].map(|text| text::markdown(text));
            out += &format!(
                "| {label} | {} | {} | {} | {times} | {mark} |\n",
                row.n, row.median, row.margin
            );
        }
        out
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
        let metric = self.question.metric(self.places.first().copied().unwrap_or(0));
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
            let note = "× best compares values at the host's usual speed, which differs here from \
                        the ratio of medians";
            lines.push(note.to_owned());
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

    fn cells(&self) -> Vec<RowCells> {
        let high =
            |row: &SweepRow| row.summary.map(|it| it.interval.map_or(it.median, |(_, high)| high));
        let highest = self.rows.iter().filter_map(high).fold(0.0, f64::max);
        // One wide interval must not hide the other values.
        let medians =
            self.rows.iter().filter_map(|row| Some(row.summary?.median)).fold(0.0, f64::max);
        let longest = highest.min(BEYOND * medians);
        let executed = |(at, row): (usize, &SweepRow)| {
            (row.summary.is_some() || row.failed.0 > 0).then(|| self.row(at, row, longest))
        };
        self.rows.iter().enumerate().filter_map(executed).collect()
    }

    fn row(&self, at: usize, row: &SweepRow, longest: f64) -> RowCells {
        let metric = self.question.metric(at);
        let summary = row.summary;
        let bar = summary.filter(|_| longest > 0.0).map(|it| {
            let (low, high) = it.interval.unwrap_or((it.median, it.median));
            (low / longest, high / longest)
        });
        RowCells {
            label: text::cut(&self.names.label(at), LABEL),
            n: summary.map_or_else(String::new, |it| it.n.to_string()),
            median: summary.map_or_else(String::new, |it| text::median(&metric.unit, &it)),
            margin: summary.and_then(|it| table::margin(&it, &metric.unit)).unwrap_or_default(),
            times: self.times(row, metric.better).unwrap_or_default(),
            mark: self.mark(at, row),
            bar,
        }
    }

    /// Times of the best: above 1 for a time, below 1 for a throughput.
    fn times(&self, row: &SweepRow, better: Direction) -> Option<String> {
        let cost = self.curve.as_ref().ok()?.costs[row.place?].estimate;
        let times = if better == Direction::Lower { cost.exp() } else { (-cost).exp() };
        Some(format!("{times:.2}"))
    }

    fn mark(&self, at: usize, row: &SweepRow) -> String {
        let is_failed = row.failed.0 > 0;
        let marks = self.marks(at, row).into_iter().map(|mark| mark.word().to_owned());
        let mut words: Vec<String> = self.notes(row);
        words.extend(marks.filter(|_| !is_failed));
        words.join(", ")
    }

    /// What is to be said of a value that failed, or does not certainly keep a limit.
    pub fn notes(&self, row: &SweepRow) -> Vec<String> {
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
