//! Every sample of every series, kept small while revisions are read, written as CSV when all are.
//!
//! The metrics of a benchmark come from the same executions, so those are kept once and the values
//! beside them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use tacho_record::{BenchmarkKey, Outcome, Place, SeriesKey, Unit};

use crate::view::{SeriesView, View};
use crate::{HostMeasurement, SiteError};

const HEAD: [&str; 11] = [
    "series", "revision", "date", "run", "round", "position", "at", "outcome", "value", "unit",
    "better",
];

/// All executions of all benchmarks.
#[derive(Default)]
pub(crate) struct Ledger {
    benchmarks: HashMap<String, LedgerExecutions>,
    outcomes: HashMap<String, Arc<str>>,
}

#[derive(Default)]
struct LedgerExecutions {
    all: Vec<LedgerExecution>,
    /// By metric; `NaN` where it was not read, and shorter than `all` where it was not read any
    /// more.
    values: BTreeMap<String, Vec<f64>>,
}

struct LedgerExecution {
    revision: usize,
    run: i64,
    place: Place,
    at: Timestamp,
    /// How it ended in one line; `None` if it was valid.
    why: Option<Arc<str>>,
    /// Whether it failed.
    failed: bool,
}

impl Ledger {
    /// Adds what was measured at the revision of that place in history.
    pub(crate) fn add(&mut self, revision: usize, measured: &HostMeasurement) {
        let executions =
            self.benchmarks.entry(identity(&measured.benchmark, &measured.host)).or_default();
        for sample in &measured.measurement.samples {
            let warm_up = || (sample.outcome == Outcome::WarmUp).then(|| "warmup".to_owned());
            let why =
                sample.outcome.described().map(|(line, _)| line).or_else(warm_up).map(|line| {
                    let shared =
                        self.outcomes.entry(line).or_insert_with_key(|line| line.as_str().into());
                    Arc::clone(shared)
                });
            let failed = sample.outcome.is_failure();
            let row = executions.all.len();
            let (place, at) = (sample.place, sample.at);
            let run = measured.measurement.run;
            executions.all.push(LedgerExecution { revision, run, place, at, why, failed });
            let mut before = None;
            for (metric, _) in &sample.values {
                // Replicates are next to each other, and form one value.
                if before.replace(metric) == Some(metric) {
                    continue;
                }
                let value = sample.value(metric).unwrap_or(f64::NAN);
                if let Some(values) = executions.values.get_mut(&**metric) {
                    values.resize(row, f64::NAN);
                    values.push(value);
                } else {
                    let mut values = vec![f64::NAN; row];
                    values.push(value);
                    executions.values.insert(metric.to_string(), values);
                }
            }
        }
    }

    /// How many executions of the plan's benchmarks there are.
    pub(crate) fn executions(&self, view: &View) -> usize {
        self.of_plan(view).count()
    }

    /// How many of the plan's benchmarks failed, or gave an answer that was not the right one.
    pub(crate) fn failed(&self, view: &View) -> usize {
        self.of_plan(view).filter(|execution| execution.failed).count()
    }

    /// The first revision at which one failed, by place in history.
    pub(crate) fn first_failed(&self, view: &View) -> Option<usize> {
        let failed = self.of_plan(view).filter(|execution| execution.failed);
        failed.map(|execution| execution.revision).min()
    }

    fn of_plan(&self, view: &View) -> impl Iterator<Item = &LedgerExecution> {
        let of_hosts = |key| view.lab.hosts.iter().map(move |host| identity(key, &host.name));
        let removed: HashSet<String> = view.lab.unplanned.iter().flat_map(of_hosts).collect();
        let of_plan = self.benchmarks.iter().filter(move |(name, _)| !removed.contains(*name));
        of_plan.flat_map(|(_, executions)| &executions.all)
    }

    /// Every execution of the series, in order of history, as CSV.
    pub(crate) fn csv(&self, view: &View, series: &SeriesView) -> Result<Vec<u8>, SiteError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        self.write(view, series, &mut writer)
            .and_then(|()| writer.into_inner().map_err(|error| error.into_error().into()))
            .map_err(|source| SiteError::Encode {
                path: format!("data/{}.csv", series.slug),
                source: source.into(),
            })
    }

    fn write(
        &self,
        view: &View,
        series: &SeriesView,
        writer: &mut csv::Writer<Vec<u8>>,
    ) -> Result<(), csv::Error> {
        writer.write_record(HEAD)?;
        let SeriesKey { benchmark, host, metric } = &series.series.key;
        let Some(executions) = self.benchmarks.get(&identity(benchmark, host)) else {
            return Ok(());
        };
        let values = executions.values.get(&metric.name).map_or(&[][..], Vec::as_slice);
        let name = harmless(format!("{benchmark} {} on {host}", metric.name));
        let unit = harmless(unit(&metric.unit).to_owned());
        let better = metric.better.word();
        for (row, execution) in executions.all.iter().enumerate() {
            let revision = view.revisions[execution.revision].revision;
            let value = values.get(row).copied().filter(|value| value.is_finite());
            writer.write_field(&name)?;
            writer.write_field(harmless(revision.id.clone()))?;
            writer.write_field(revision.date.map(|date| date.to_string()).unwrap_or_default())?;
            writer.write_field(execution.run.to_string())?;
            writer.write_field(execution.place.round.to_string())?;
            writer.write_field(execution.place.position.to_string())?;
            writer.write_field(execution.at.to_string())?;
            writer.write_field(
                execution.why.as_deref().map_or("valid".into(), |why| harmless(why.into())),
            )?;
            writer.write_field(value.map(|value| value.to_string()).unwrap_or_default())?;
            writer.write_field(&unit)?;
            writer.write_field(better)?;
            writer.write_record(None::<&[u8]>)?;
        }
        Ok(())
    }
}

/// The identity of a benchmark on a host; names of hosts are unique in a [`crate::Lab`].
fn identity(benchmark: &BenchmarkKey, host: &str) -> String {
    format!("{benchmark:?} {host:?}")
}

/// The base unit's name.
fn unit(unit: &Unit) -> &str {
    match unit {
        Unit::Bytes => "bytes",
        Unit::Nanoseconds => "nanoseconds",
        Unit::Other(name) => name,
    }
}

/// Text that no spreadsheet takes for a formula.
///
/// OWASP, "CSV Injection": a cell that begins with one of these gets an apostrophe in front.
fn harmless(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) { format!("'{text}") } else { text }
}
