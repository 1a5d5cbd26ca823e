//! A benchmark at a revision, as `tacho show` shows it.

use std::collections::BTreeMap;

use comfy_table::{Row, Table};
use jiff::Timestamp;
use serde::Serialize;
use tacho_experiment::analysis::at_revision::BenchmarkAtRevision;
use tacho_experiment::analysis::outlier_causes::{self, OutlierExplanation};
use tacho_record::{Metric, Outcome, Sample, Steadiness, Stop};
use tacho_report::series::{
    self, LOOKED_AT_MEANS, UNPLANNED, left_behind, outlier, sample_value, steadiness, stopped,
};
use tacho_report::summary::SummaryText;

use crate::output::answer::{OutlierAnswer, SampleAnswer, SteadinessAnswer};
use crate::output::{self, table, text};

/// How many lines of a failed execution's output are shown.
const OUTPUT_LINES: usize = 8;

/// The columns of a metric.
const SUMMARY: [&str; 7] = ["metric", "n", "median", "95 %", "spread", "min", "max"];
/// The columns of it that are left out first where there is little room.
const RANGE: [usize; 2] = [5, 6];

/// How many outliers of a benchmark are shown.
const OUTLIERS: usize = 5;

/// A benchmark at a revision, and what of it is shown.
pub struct MeasuredBenchmark {
    /// What was measured.
    pub of: BenchmarkAtRevision,
    /// The remark that the plan has another version, if so.
    pub superseded: Option<String>,
    /// Whether the plan has a benchmark of that name.
    pub planned: bool,
    /// The metrics whose outliers are looked for: those requested, else the plan's first.
    pub watched: Vec<Metric>,
}

/// A benchmark at a revision, in JSON.
#[derive(Serialize)]
pub struct MeasuredAnswer<'a> {
    benchmark: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    superseded: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unplanned: bool,
    executed_at: &'a str,
    absent: &'a BTreeMap<String, String>,
    notes: BTreeMap<&'static str, String>,
    looked_at: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    uneven: Option<f64>,
    stopped: Option<&'a Stop>,
    steadiness: Vec<SteadinessAnswer<'a>>,
    outliers: Vec<OutlierAnswer<'a>>,
    samples: Vec<SampleAnswer<'a>>,
}

impl MeasuredBenchmark {
    pub fn answer(&self) -> MeasuredAnswer<'_> {
        let of = &self.of;
        let kept = |run, place| of.kept.iter().find(|kept| (kept.run, kept.place) == (run, place));
        let samples = of.samples().map(|(run, sample)| {
            SampleAnswer::of(run, sample, kept(run, sample.place).map(|kept| kept.digest))
        });
        let outliers = self.outliers().into_iter();
        let known: Vec<Metric> = Metric::BUILT_IN.into_iter().filter_map(Metric::known).collect();
        let meanings = of.meanings(&known).into_iter();
        MeasuredAnswer {
            benchmark: of.benchmark.to_string(),
            superseded: self.superseded.is_some(),
            unplanned: !self.planned,
            executed_at: &of.revision,
            absent: &of.absent,
            notes: meanings.map(|(name, meaning)| (name, meaning.words())).collect(),
            looked_at: of.looked_at,
            uneven: self.uneven(),
            stopped: of.stopped.as_ref(),
            steadiness: of
                .steadiness()
                .map(|(run, found)| SteadinessAnswer { run, found })
                .collect(),
            outliers: outliers
                .map(|(run, metric, it)| OutlierAnswer::of(run, metric, &it))
                .collect(),
            samples: samples.collect(),
        }
    }

    /// The remark that the plan has another version, or no such benchmark, if so.
    pub fn superseded(&self) -> String {
        match &self.superseded {
            Some(which) => format!(" ({which})"),
            None if !self.planned => format!(" ({UNPLANNED})"),
            None => String::new(),
        }
    }

    fn uneven(&self) -> Option<f64> {
        self.of.uneven(self.watched.first()?)
    }

    /// A row a metric.
    pub fn summary(&self, metrics: &[Metric]) -> String {
        let mut list = table::plain(&SUMMARY, &[1, 2, 3, 4, 5, 6]);
        for metric in metrics {
            let Some(summary) = self.of.summary(metric) else { continue };
            let SummaryText { n, median, interval, spread, min, max, .. } =
                SummaryText::of(&metric.unit, Some(&summary));
            list.add_row([metric.name.clone(), n, median, interval, spread, min, max]);
        }
        let each = self
            .of
            .layouts
            .map(|_| "each row summarises the medians of layouts\n")
            .unwrap_or_default();
        if list.is_empty() {
            return String::new();
        }
        if !table::fits(&table::indent(&table::render(&list)), Some(output::table_width())) {
            table::hide(&mut list, &RANGE);
        }
        fitted(&list, &SUMMARY) + each + &self.end()
    }

    /// The results of the search for a warmup, a line a run.
    pub fn warm_up(&self) -> String {
        let line = |(run, found): (i64, &Steadiness)| {
            let run =
                if self.of.measurements.len() > 1 { format!("run {run}: ") } else { String::new() };
            format!("{run}{}\n", steadiness(found))
        };
        self.of.steadiness().map(line).collect()
    }

    /// The reason why measuring ended, and the consequence for the intervals.
    fn end(&self) -> String {
        let stopped = self.of.stopped.as_ref().map(|it| format!("stopped: {}\n", stopped(it)));
        let means = self.of.looked_at.then(|| format!("intervals are {LOOKED_AT_MEANS}\n"));
        stopped.unwrap_or_default() + &means.unwrap_or_default()
    }

    /// How many executions failed or reached a limit, and how the first of each ended in the newest
    /// run that has one.
    pub fn failures(&self) -> String {
        let listed = |wanted: fn(&Sample) -> bool, what: &str| {
            let listed = self.of.samples().filter(|(_, sample)| wanted(sample));
            let listed: Vec<_> = listed
                .filter_map(|(run, sample)| Some((run, sample.outcome.described()?)))
                .collect();
            let newest = listed.iter().map(|(run, _)| *run).max();
            let Some((run, (why, output))) = listed.iter().find(|(run, _)| Some(*run) == newest)
            else {
                return String::new();
            };
            let of = if listed[0].0 == *run { String::new() } else { format!(" of run {run}") };
            // All of it is shown further in.
            let room = output::terminal_width().map(|width| width.saturating_sub(2));
            let lines = text::last_lines(output, OUTPUT_LINES);
            let shown: String = lines.iter().map(|line| text::quoted_line(line, room)).collect();
            format!(
                "{} {what}; the first{of}: {why}\n{shown}",
                text::count(listed.len(), "execution")
            )
        };
        // An execution of the warmup does not count, whether it reaches a limit or ends.
        let limited = listed(Sample::is_limited, "reached a limit");
        let is_disturbed = |sample: &Sample| matches!(sample.outcome, Outcome::Disturbed { .. });
        let disturbed = listed(is_disturbed, "do not count");
        format!("{}{limited}{disturbed}", listed(|sample| sample.outcome.is_failure(), "failed"))
    }

    /// How many outputs are kept.
    pub fn outputs(&self) -> String {
        match self.of.kept.len() {
            0 => String::new(),
            kept => format!("{} kept; `--output` prints one\n", text::count(kept, "output")),
        }
    }

    /// Says that the host's speed moved, and that the numbers are at its usual speed.
    pub fn usual_speed(&self) -> String {
        let line = series::uneven(self.uneven(), "medians");
        line.map_or_else(String::new, |line| {
            format!("{line}; samples, min and max are as measured\n")
        })
    }

    /// The metrics among these that could not be read, with the reasons; several with one reason
    /// together.
    pub fn absent(&self, metrics: &[Metric]) -> String {
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (metric, why) in &self.of.absent {
            if metrics.iter().any(|known| known.name == *metric) {
                reasons.entry(why).or_default().push(metric);
            }
        }
        reasons.iter().map(|(why, metrics)| format!("{}: {why}\n", metrics.join(", "))).collect()
    }

    /// The notes in lines; several metrics with one note together.
    pub fn note_lines(&self, metrics: &[Metric]) -> String {
        let mut lines: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (metric, meaning) in self.of.meanings(metrics) {
            lines.entry(meaning.words()).or_default().push(metric);
        }
        lines.iter().map(|(note, metrics)| format!("{}: {note}\n", metrics.join(", "))).collect()
    }

    /// How many executions left processes behind.
    pub fn left_behind(&self) -> String {
        let left = self.of.samples().filter_map(|(_, sample)| sample.value("left-behind"));
        match left.filter(|left| *left > 0.0).count() {
            0 => String::new(),
            untidy => left_behind(untidy) + "\n",
        }
    }

    /// The outliers of each run, with what may have brought them about.
    fn outliers(&self) -> Vec<(i64, &Metric, OutlierExplanation)> {
        let mut all = Vec::new();
        for metric in &self.watched {
            for measurement in &self.of.measurements {
                let found = outlier_causes::explain(&measurement.samples, metric);
                all.extend(found.into_iter().map(|found| (measurement.run, metric, found)));
            }
        }
        all
    }

    /// A line an outlier, the farthest first.
    pub fn outlier_list(&self) -> String {
        let mut found = self.outliers();
        found.sort_by(|(.., one), (.., other)| other.score.abs().total_cmp(&one.score.abs()));
        let mut out = String::new();
        for (run, metric, OutlierExplanation { place, ratio, causes, .. }) in
            found.iter().take(OUTLIERS)
        {
            out += &format!(
                "outlier: {} of run {run}, {}\n",
                metric.name,
                outlier(place.round, *ratio, &outlier_causes::line(causes))
            );
        }
        match found.len().saturating_sub(OUTLIERS) {
            0 => out,
            more => out + &format!("… and {}; `--json` has all\n", text::count(more, "outlier")),
        }
    }

    /// A row a sample.
    pub fn samples(&self, metrics: &[Metric]) -> String {
        sampled(self.of.samples(), metrics)
    }
}

/// A row a sample, with its run; without metrics that none of them has.
pub fn sampled<'a>(all: impl Iterator<Item = (i64, &'a Sample)>, metrics: &[Metric]) -> String {
    let all: Vec<(i64, &Sample)> = all.collect();
    let has = |metric: &&Metric| all.iter().any(|(_, it)| sample_value(it, metric).is_some());
    let metrics: Vec<&Metric> = metrics.iter().filter(has).collect();
    let mut head = vec!["run", "round", "position", "at"];
    head.extend(metrics.iter().map(|metric| metric.name.as_str()));
    head.push("");
    let numbers: Vec<usize> = (0..head.len() - 1).filter(|&index| index != 3).collect();
    let mut list = table::plain(&head, &numbers);
    for (run, sample) in all {
        let round = match (sample.place.round, &sample.outcome) {
            (0, _) => "warmup".to_owned(),
            (round, Outcome::WarmUp) => format!("{round} (warmup)"),
            (round, _) => round.to_string(),
        };
        let mut row =
            vec![run.to_string(), round, sample.place.position.to_string(), begun(sample.at)];
        let shown = |m: &&Metric| sample_value(sample, m).unwrap_or_else(|| NONE.to_owned());
        row.extend(metrics.iter().map(shown));
        row.push(sample.outcome.described().map_or_else(String::new, |(line, _)| line));
        list.add_row(row);
    }
    fitted(&list, &head)
}

/// By how much the caller indents a table.
const INDENT: usize = 2;
/// A space at which no line ends.
const NO_BREAK: &str = "\u{a0}";
/// The mark of a sample without a value.
const NONE: &str = "–";

/// To the millisecond, in UTC.
fn begun(at: Timestamp) -> String {
    at.strftime("%F %T%.3f").to_string()
}

/// The table, two blanks in; where it has no room so, a paragraph a row, with the names of the
/// columns.
fn fitted(list: &Table, head: &[&str]) -> String {
    let room = Some(output::table_width());
    let whole = table::render(list);
    if table::fits(&table::indent(&whole), room) {
        return whole;
    }
    let within = room.map(|room| room.saturating_sub(INDENT));
    let together = |cell: &str| cell.replace(' ', NO_BREAK);
    let paragraph = |row: &Row| {
        let cells: Vec<String> = row.cell_iter().map(comfy_table::Cell::content).collect();
        let is_value = |cell: &str| !cell.is_empty() && cell != NONE;
        let named = cells.iter().zip(head).skip(1).filter(|(cell, _)| is_value(cell));
        let named: Vec<String> =
            named.map(|(cell, name)| together(format!("{name} {cell}").trim_start())).collect();
        let first = if head[0] == SUMMARY[0] {
            cells[0].clone()
        } else {
            format!("{} {}", head[0], cells[0])
        };
        let wrapped = text::wrap(&format!("{first}\n  {}\n", named.join(", ")), within);
        wrapped.replace(NO_BREAK, " ")
    };
    list.row_iter().map(paragraph).collect()
}
