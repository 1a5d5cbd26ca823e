//! A benchmark at a revision, as `tacho show` shows it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use tacho_experiment::analysis::at_revision::BenchmarkAtRevision;
use tacho_experiment::analysis::outlier_causes::{self, OutlierExplanation};
use tacho_record::{Metric, Outcome, Sample, Stop, short_name};
use tacho_report::block::{AnswerCell, AnswerTable, Block};
use tacho_report::series::{
    self, LOOKED_AT_MEANS, UNPLANNED, left_behind, outlier, sample_value, steadiness, stopped,
};
use tacho_report::summary::SummaryText;

use super::answer::{OutlierAnswer, SampleAnswer, SteadinessAnswer};
use super::blocks::NO_BREAK;
use super::text;
use crate::output;

/// How many lines of a failed execution's output are shown.
const OUTPUT_LINES: usize = 8;

/// The columns of a metric.
const SUMMARY: [&str; 7] = ["metric", "n", "median", "95 %", "spread", "min", "max"];
/// The columns of it that are left out where there is little room.
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

    fn uneven(&self) -> Option<f64> {
        self.of.uneven(self.watched.first()?)
    }

    /// What was measured of it, at the revision of this name.
    pub fn blocks(&self, metrics: &[Metric], revision: &str) -> Vec<Block> {
        let table = self.summary(metrics);
        let below = if table.rows.is_empty() { Vec::new() } else { self.below_table() };
        let below = below.into_iter().chain(self.usual_speed()).chain(self.warm_up());
        let below = below.chain(self.failures()).chain(self.outlier_list());
        let below = below.chain(self.left_behind()).chain(self.outputs());
        let below = below.chain(self.meanings(metrics)).chain(self.absent(metrics));
        let table = Some(table).filter(|table| !table.rows.is_empty()).map(Block::Table);
        let head = [Block::Sentence(self.head(revision))].into_iter();
        head.chain(table).chain(below.map(Block::Item)).collect()
    }

    /// Its name, with remarks that the plan has another version, or no such benchmark, and that
    /// another revision was measured, if so.
    fn head(&self, revision: &str) -> String {
        let which = match &self.superseded {
            Some(which) => format!(" ({which})"),
            None if !self.planned => format!(" ({UNPLANNED})"),
            None => String::new(),
        };
        let BenchmarkAtRevision { benchmark, revision: measured, .. } = &self.of;
        let other = short_name(measured);
        let stand_in = format!(" (measured at {other}, which built to the same artifacts)");
        let stand_in = if measured == revision { "" } else { stand_in.as_str() };
        format!("{benchmark}{which}{stand_in}")
    }

    /// A row a metric.
    fn summary(&self, metrics: &[Metric]) -> AnswerTable {
        let row = |metric: &Metric| {
            let summary = self.of.summary(metric)?;
            let SummaryText { n, median, interval, spread, min, max, .. } =
                SummaryText::of(&metric.unit, Some(&summary));
            Some(vec![metric.name.clone(), n, median, interval, spread, min, max])
        };
        let rows: Vec<Vec<String>> = metrics.iter().filter_map(row).collect();
        let narrow = rows.iter().map(|row| narrow(&row[0], &SUMMARY, row)).collect();
        AnswerTable { narrow, spare: RANGE.to_vec(), ..table(&SUMMARY, rows) }
    }

    /// What the rows are of, why measuring ended, and the consequence for the intervals.
    fn below_table(&self) -> Vec<String> {
        let of = &self.of;
        let each = of.layouts.map(|_| "each row summarises the medians of layouts".to_owned());
        let stopped = of.stopped.as_ref().map(|it| format!("stopped: {}", stopped(it)));
        let means = of.looked_at.then(|| format!("intervals are {LOOKED_AT_MEANS}"));
        [each, stopped, means].into_iter().flatten().collect()
    }

    /// The results of the search for a warmup, a line a run.
    fn warm_up(&self) -> impl Iterator<Item = String> {
        let several = self.of.measurements.len() > 1;
        self.of.steadiness().map(move |(run, found)| {
            let run = if several { format!("run {run}: ") } else { String::new() };
            format!("{run}{}", steadiness(found))
        })
    }

    /// How many executions failed or reached a limit, and how the first of each ended in the newest
    /// run that has one.
    fn failures(&self) -> Vec<String> {
        // An execution of the warmup does not count, whether it reaches a limit or ends.
        let is_disturbed = |sample: &Sample| matches!(sample.outcome, Outcome::Disturbed { .. });
        let failed = self.ended(|sample| sample.outcome.is_failure(), "failed");
        let limited = self.ended(Sample::is_limited, "reached a limit");
        let all = [failed, limited, self.ended(is_disturbed, "do not count")];
        all.into_iter().flatten().collect()
    }

    /// How many executions ended so, and the last lines that the first of them printed.
    fn ended(&self, wanted: impl Fn(&Sample) -> bool, what: &str) -> Option<String> {
        let listed = self.of.samples().filter(|(_, sample)| wanted(sample));
        let listed: Vec<_> =
            listed.filter_map(|(run, sample)| Some((run, sample.outcome.described()?))).collect();
        let newest = listed.iter().map(|(run, _)| *run).max()?;
        let (run, (why, output)) = listed.iter().find(|(run, _)| *run == newest)?;
        let of = if listed[0].0 == *run { String::new() } else { format!(" of run {run}") };
        // All of it is shown further in.
        let room = output::terminal_width().map(|width| width.saturating_sub(2));
        let lines = text::last_lines(output, OUTPUT_LINES);
        let shown: String = lines.iter().map(|line| text::quoted_line(line, room)).collect();
        let shown = shown.lines().map(|line| format!("\n{}", line.trim_start()));
        let count = text::count(listed.len(), "execution");
        Some(format!("{count} {what}; the first{of}: {why}{}", shown.collect::<String>()))
    }

    /// How many outputs are kept.
    fn outputs(&self) -> Option<String> {
        let kept = self.of.kept.len();
        let line = || format!("{} kept; `--output` prints one", text::count(kept, "output"));
        (kept > 0).then(line)
    }

    /// Says that the host's speed moved, and that the numbers are at its usual speed.
    fn usual_speed(&self) -> Option<String> {
        let line = series::uneven(self.uneven(), "medians")?;
        Some(format!("{line}; single samples are as measured"))
    }

    /// The metrics among these that could not be read, with the reasons.
    fn absent(&self, metrics: &[Metric]) -> Vec<String> {
        let is_shown = |name: &str| metrics.iter().any(|known| known.name == name);
        let absent = self.of.absent.iter().filter(|(metric, _)| is_shown(metric));
        by_clause(absent.map(|(metric, why)| (metric.as_str(), why.clone())))
    }

    /// The meanings of these metrics.
    fn meanings(&self, metrics: &[Metric]) -> Vec<String> {
        let meanings = self.of.meanings(metrics).into_iter();
        by_clause(meanings.map(|(metric, meaning)| (metric, meaning.words())))
    }

    /// How many executions left processes behind.
    fn left_behind(&self) -> Option<String> {
        let left = self.of.samples().filter_map(|(_, sample)| sample.value("left-behind"));
        let untidy = left.filter(|left| *left > 0.0).count();
        (untidy > 0).then(|| left_behind(untidy))
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
    fn outlier_list(&self) -> Vec<String> {
        let mut found = self.outliers();
        found.sort_by(|(.., one), (.., other)| other.score.abs().total_cmp(&one.score.abs()));
        let more = found.len().saturating_sub(OUTLIERS);
        let more =
            (more > 0).then(|| format!("… and {}; `--json` has all", text::count(more, "outlier")));
        let line = |(run, metric, it): &(i64, &Metric, OutlierExplanation)| {
            let what = outlier(it.place.round, it.ratio, &outlier_causes::line(&it.causes));
            format!("outlier: {} of run {run}, {what}", metric.name)
        };
        found.iter().take(OUTLIERS).map(line).chain(more).collect()
    }

    /// A row a sample.
    pub fn samples(&self, metrics: &[Metric]) -> AnswerTable {
        sampled(self.of.samples(), metrics)
    }
}

/// A line a clause, with all the metrics that have it.
fn by_clause<'a>(all: impl Iterator<Item = (&'a str, String)>) -> Vec<String> {
    let mut clauses: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (metric, clause) in all {
        clauses.entry(clause).or_default().push(metric);
    }
    clauses.iter().map(|(clause, metrics)| format!("{}: {clause}", metrics.join(", "))).collect()
}

/// A row a sample, with its run; without metrics that none of them has.
pub fn sampled<'a>(
    all: impl Iterator<Item = (i64, &'a Sample)>,
    metrics: &[Metric],
) -> AnswerTable {
    let all: Vec<(i64, &Sample)> = all.collect();
    let has = |metric: &&Metric| all.iter().any(|(_, it)| sample_value(it, metric).is_some());
    let metrics: Vec<&Metric> = metrics.iter().filter(has).collect();
    let names = metrics.iter().map(|metric| metric.name.as_str());
    let head: Vec<&str> =
        ["run", "round", "position", "at"].into_iter().chain(names).chain([""]).collect();
    let row = |(run, sample): &(i64, &Sample)| {
        let round = match (sample.place.round, &sample.outcome) {
            (0, _) => "warmup".to_owned(),
            (round, Outcome::WarmUp) => format!("{round} (warmup)"),
            (round, _) => round.to_string(),
        };
        let place = [run.to_string(), round, sample.place.position.to_string(), begun(sample.at)];
        let shown = |m: &&Metric| sample_value(sample, m).unwrap_or_else(|| NONE.to_owned());
        let how = sample.outcome.described().map_or_else(String::new, |(line, _)| line);
        place.into_iter().chain(metrics.iter().map(shown)).chain([how]).collect()
    };
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    let narrow = rows.iter().map(|row| narrow(&format!("run {}", row[0]), &head, row)).collect();
    let mut table = AnswerTable { narrow, ..table(&head, rows) };
    for word in [3, head.len() - 1] {
        table.columns[word].is_number = false;
    }
    table
}

/// A table of numbers below these heads, but for the first column.
fn table(head: &[&str], rows: Vec<Vec<String>>) -> AnswerTable {
    let cells = |row: Vec<String>| row.into_iter().map(AnswerCell::from).collect();
    AnswerTable::of(head, &(1..head.len()), rows.into_iter().map(cells).collect())
}

/// A row where the table has no room: its values with the heads of their columns.
fn narrow(first: &str, head: &[&str], row: &[String]) -> Vec<String> {
    let is_value = |cell: &str| !cell.is_empty() && cell != NONE;
    let named = head.iter().zip(row).skip(1).filter(|(_, cell)| is_value(cell));
    let named =
        named.map(|(name, cell)| format!("{name} {cell}").trim_start().replace(' ', NO_BREAK));
    vec![format!("  {first}"), format!("  {}", named.collect::<Vec<_>>().join(", "))]
}

/// The mark of a sample without a value.
const NONE: &str = "–";

/// To the millisecond, in UTC.
fn begun(at: Timestamp) -> String {
    at.strftime("%F %T%.3f").to_string()
}
