//! Changes, for people and for machines.

mod answer;
mod confirmation;
mod evidence;
mod histogram;
mod history;
mod listing;
mod numbers;
mod sides;

pub use confirmation::{ConfirmationReport, ConfirmationRequest};
pub use evidence::{Evidence, EvidenceAnswer};
pub use listing::{ChangeListing, ListedEvent};
pub use numbers::GivenChanges;

use std::collections::HashSet;

use tacho_experiment::changes::JudgedSeries;
use tacho_record::{Revision, SeriesKey};
use tacho_report::detection;
use tacho_report::series::revision_name;
use tacho_stats::changes::Drift;

use crate::output::text;

/// How sure it is: `99.99 %`, never a hundred.
pub fn confidence(p: f64) -> String {
    match p {
        p if p < 1e-4 => "> 99.99 %".to_owned(),
        p if p < 0.1 => format!("{:.2} %", 100.0 * (1.0 - p)),
        p => format!("{:.0} %", 100.0 * (1.0 - p)),
    }
}

/// Why a series was not judged, by its different builds; `None` if it was.
pub fn not_judged(series: &JudgedSeries) -> Option<String> {
    let material = &series.material;
    let revisions = material.series.points.iter().filter(|point| !point.values.is_empty()).count();
    detection::not_judged_of(series.judgement.detection.judged, revisions)
}

/// The remarks on a series beside its changes, and its drifts if `wanted`.
pub fn remarks(series: &JudgedSeries, wanted: impl Fn(&Drift) -> bool) -> Vec<String> {
    let left_out = (series.material.bounds > 0).then(|| detection::bounds(series.material.bounds));
    let drifts = series.judgement.detection.drift.iter().filter(|drift| wanted(drift));
    drifts.map(detection::drift).chain(left_out).collect()
}

/// The benchmarks whose executions all failed, so that they are not judged: once a benchmark,
/// whatever its metrics.
pub fn failing<'a>(all: impl Iterator<Item = &'a JudgedSeries>) -> Vec<(SeriesKey, String)> {
    let mut seen = HashSet::new();
    let first = all.filter(|one| {
        let key = &one.material.series.key;
        seen.insert((key.benchmark.identity(), key.host.clone()))
    });
    let remark = |one: &JudgedSeries| {
        let series = &one.material.series;
        let why = detection::not_judged_at(&series.points)?;
        let mut key = series.key.clone();
        "all metrics".clone_into(&mut key.metric.name);
        Some((key, why))
    };
    first.filter_map(remark).collect()
}

/// A revision with its date and its subject: `v1.2 0123456789  2024-03-01  parse faster`.
fn dated(revision: &Revision) -> String {
    let (name, date) = (revision_name(revision), text::day(revision.date));
    let words = [name, date, revision.subject.clone()].into_iter().filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("  ")
}
