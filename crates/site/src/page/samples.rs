//! Every sample of a revision: the part of its page that is long.

use std::collections::BTreeMap;

use maud::{Markup, html};
use tacho_record::{Direction, Metric, Outcome, Sample, Unit};
use tacho_report::series::{outlier, sample_value};

use super::{executions, scrolling};
use crate::text::{count, day, tail, time_of_day};
use crate::view::{RevisionView, SeriesView, View};
use crate::{HostMeasurement, OutlierNote};

/// How much of a failed execution's output is shown.
const OUTPUT_LINES: usize = 20;

/// The number of outliers that are shown of a measurement.
const OUTLIERS: usize = 10;

/// The number of metrics that are shown of a benchmark without a series.
const USUAL_COLUMNS: usize = 5;

/// The samples of all benchmarks of a revision, folded.
pub(super) fn section(
    view: &View,
    revision: &RevisionView,
    measured: &[HostMeasurement],
) -> Markup {
    let series = named(view, revision);
    html! {
        @if !measured.is_empty() {
            section {
                h2 { "Samples" }
                p.note {
                    "Round 0 is the warmup, if there is one. Warmup rounds and failed executions \
                     are recorded, and never summarised. "
                    "Only metrics with a series are shown."
                }
                @for one in measured { (benchmark(one, &series)) }
            }
        }
    }
}

/// The revision's series with the names of their benchmarks, in the lab's order.
type NamedColumn<'v> = Vec<(String, &'v SeriesView<'v>)>;

fn named<'v>(view: &'v View, revision: &RevisionView) -> NamedColumn<'v> {
    let series = revision.cells.iter().map(|cell| &view.series[cell.series]);
    series.map(|one| (one.benchmark(), one)).collect()
}

fn benchmark(one: &HostMeasurement, series: &NamedColumn) -> Markup {
    let samples = &one.measurement.samples;
    let columns = columns(one, series);
    let failed = samples.iter().filter(|sample| sample.outcome.is_failure()).count();
    let disturbed =
        samples.iter().filter(|sample| matches!(sample.outcome, Outcome::Disturbed { .. })).count();
    let limited = samples.iter().filter(|sample| sample.is_limited()).count();
    html! {
        details {
            summary {
                b { (one.benchmark) } " on " (one.host) ", run " (one.measurement.run) ": "
                (count(samples.len(), "execution"))
                @if failed > 0 { ", " span.failure { (failed) " failed" } }
                @if disturbed > 0 { ", " (disturbed) " disturbed" }
                @if limited > 0 { ", " span.limited { (limited) " reached a limit" } }
            }
            (executions::figure(&one.measurement))
            (scrolling("samples", &html! {
                table.samples {
                    thead { tr {
                        th scope="col" { "round" }
                        th scope="col" { "position" }
                        th scope="col" { "time" @if let Some(first) = samples.first()
                            { " on " (day(first.at)) } }
                        @for column in &columns { th scope="col" { (column.name) } }
                        th scope="col" { "outcome" }
                    } }
                    tbody { @for sample in samples { (row(sample, &columns)) } }
                }
            }))
            @for (what, rounds) in outputs(samples) { (output(&what, &rounds)) }
            (absent(one))
            (outliers(&one.outliers))
        }
    }
}

/// The absent metrics with their reasons; metrics of one reason together.
fn absent(one: &HostMeasurement) -> Markup {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (metric, why) in &one.absent {
        reasons.entry(why).or_default().push(metric);
    }
    html! {
        @if !reasons.is_empty() {
            dl.absent {
                @for (why, metrics) in &reasons {
                    dt { "Not read: " (metrics.join(", ")) }
                    dd.note { (why) }
                }
            }
        }
    }
}

/// The outliers, the farthest first, with causes from the readings of the host.
fn outliers(outliers: &[OutlierNote]) -> Markup {
    let mut farthest: Vec<&OutlierNote> = outliers.iter().collect();
    farthest.sort_by(|one, other| other.ratio.ln().abs().total_cmp(&one.ratio.ln().abs()));
    let more = farthest.len().saturating_sub(OUTLIERS);
    html! {
        @if !outliers.is_empty() {
            p.note { "Outliers, flagged and counted like the others:" }
            ul.note {
                @for note in farthest.into_iter().take(OUTLIERS) {
                    li { (note.metric) ", " (outlier(note.round, note.ratio, &note.causes)) }
                }
                @if more > 0 { li { "and " (count(more, "other")) } }
            }
        }
    }
}

/// One a metric that was read and has a series, so that the table stays readable however much is
/// read.
fn columns(one: &HostMeasurement, series: &NamedColumn) -> Vec<Metric> {
    let name = one.benchmark.to_string();
    let samples = &one.measurement.samples;
    let is_read = |metric: &str| samples.iter().any(|sample| sample.value(metric).is_some());
    let columns: Vec<Metric> = series
        .iter()
        .filter(|(benchmark, one_of)| *benchmark == name && one_of.series.key.host == one.host)
        .filter(|(_, one_of)| is_read(one_of.metric()))
        .map(|(_, one_of)| one_of.series.key.metric.clone())
        .collect();
    if columns.is_empty() { usual_columns(samples) } else { columns }
}

/// Columns for what has no series: the usual metrics first, as many as fit.
fn usual_columns(samples: &[Sample]) -> Vec<Metric> {
    let mut metrics: Vec<&str> = Vec::new();
    for (metric, _) in samples.iter().flat_map(|sample| &sample.values) {
        if !metrics.contains(&&**metric) && !Metric::is_host(metric) {
            metrics.push(metric);
        }
    }
    metrics.sort_by_key(|metric| {
        Metric::BUILT_IN.iter().position(|name| name == metric).unwrap_or(usize::MAX)
    });
    metrics.truncate(USUAL_COLUMNS);
    let bare = |name: &str| Metric {
        name: name.to_owned(),
        unit: Unit::Other(String::new()),
        better: Direction::Lower,
    };
    metrics.into_iter().map(|name| Metric::known(name).unwrap_or_else(|| bare(name))).collect()
}

fn row(sample: &Sample, columns: &[Metric]) -> Markup {
    html! {
        tr class=[(!sample.counts()).then_some("aside")] {
            td { (sample.place.round) }
            td { (sample.place.position) }
            td { (time_of_day(sample.at)) }
            @for column in columns {
                td { (sample_value(sample, column).unwrap_or_default()) }
            }
            @match &sample.outcome {
                Outcome::WarmUp => td { "warmup, found" },
                Outcome::Valid => td { @if sample.place.round == 0 { "warmup" } @else { "valid" }
                    },
                Outcome::Disturbed { why } => td { "disturbed: " (why) },
                Outcome::LimitReached { reached, .. } => td.limited { (reached.line()) },
                Outcome::Failed { failure, .. } => td.failure { (failure.line()) },
            }
        }
    }
}

/// The last output of executions that failed or reached a limit, once each, with their rounds.
fn outputs(samples: &[Sample]) -> Vec<((String, &str), Vec<u32>)> {
    let mut outputs: Vec<((String, &str), Vec<u32>)> = Vec::new();
    for sample in
        samples.iter().filter(|sample| !matches!(sample.outcome, Outcome::Disturbed { .. }))
    {
        let Some((line, output)) = sample.outcome.described() else { continue };
        let what = (line, tail(output, OUTPUT_LINES).0);
        match outputs.iter_mut().find(|(other, _)| *other == what) {
            Some((_, rounds)) => rounds.push(sample.place.round),
            None => outputs.push((what, vec![sample.place.round])),
        }
    }
    outputs
}

fn output((failure, lines): &(String, &str), rounds: &[u32]) -> Markup {
    let numbers: Vec<String> = rounds.iter().map(u32::to_string).collect();
    html! {
        p.note {
            @if rounds.len() == 1 { "Round " } @else { "Rounds " } (numbers.join(", ")) ": "
            (failure) "."
            @if !lines.is_empty() { " Last output:" }
        }
        @if !lines.is_empty() { pre.log { (lines) } }
    }
}
