//! Every sample of a revision: the part of its page that is long.

use std::collections::HashMap;

use maud::{Markup, html};
use tacho_record::{Metric, Outcome, Sample, Unit};
use tacho_stats::summary;

use super::scrolling;
use crate::HostMeasurement;
use crate::text::{count, day, tail, time_of_day};
use crate::view::{RevisionView, Scale, View};

/// How much of a failed execution's output is shown.
const OUTPUT_LINES: usize = 20;

/// The samples of all benchmarks of a revision, folded.
pub(super) fn section(view: &View, revision: &RevisionView, measured: &[HostMeasurement]) -> Markup {
    let scales = scales(view, revision);
    html! {
        @if !measured.is_empty() {
            section {
                h2 { "Samples" }
                p.note { "Round 0 is the warm-up. It and failed executions are recorded and never summarised." }
                @for one in measured { (benchmark(one, &scales)) }
            }
        }
    }
}

type Scales<'a> = HashMap<(String, &'a str, &'a str), &'a Scale>;

/// The scales of the revision's series, by benchmark, host and metric: numbers look the same on all pages.
fn scales<'v>(view: &'v View, revision: &RevisionView) -> Scales<'v> {
    let series = revision.cells.iter().map(|cell| &view.series[cell.series]);
    series.map(|one| ((one.benchmark(), one.series.key.host.as_str(), one.metric()), &one.scale)).collect()
}

fn benchmark(one: &HostMeasurement, scales: &Scales) -> Markup {
    let samples = &one.measurement.samples;
    let columns = columns(one, scales);
    let failed = samples.iter().filter(|sample| sample.outcome != Outcome::Valid).count();
    html! {
        details {
            summary {
                b { (one.benchmark) } " on " (one.host) ", run " (one.measurement.run) ": "
                (count(samples.len(), "execution", "executions"))
                @if failed > 0 { ", " span.failure { (failed) " failed" } }
            }
            (scrolling("samples", &html! {
                table.samples {
                    thead { tr {
                        th scope="col" { "round" }
                        th scope="col" { "position" }
                        th scope="col" { "time" @if let Some(first) = samples.first() { " on " (day(first.at)) } }
                        @for column in &columns { th scope="col" { (column.scale.head(column.metric)) } }
                        th scope="col" { "outcome" }
                    } }
                    tbody { @for sample in samples { (row(sample, &columns)) } }
                }
            }))
            @for (what, rounds) in outputs(samples) { (output(&what, &rounds)) }
        }
    }
}

struct Column<'a> {
    metric: &'a str,
    scale: Scale,
}

/// One a metric that was read: the built-in ones first, in their usual order.
fn columns<'a>(one: &'a HostMeasurement, scales: &Scales) -> Vec<Column<'a>> {
    let mut metrics: Vec<&str> = Vec::new();
    for (metric, _) in one.measurement.samples.iter().flat_map(|sample| &sample.values) {
        if !metrics.contains(&metric.as_str()) {
            metrics.push(metric);
        }
    }
    let usual = |metric: &&str| Metric::BUILT_IN.iter().position(|name| name == metric).unwrap_or(usize::MAX);
    metrics.sort_by_key(usual);
    let name = one.benchmark.to_string();
    let scale = |metric: &str| match scales.get(&(name.clone(), one.host.as_str(), metric)) {
        Some(scale) => (*scale).clone(),
        None => own_scale(&one.measurement.samples, metric),
    };
    metrics.into_iter().map(|metric| Column { metric, scale: scale(metric) }).collect()
}

/// The scale of a metric that has no series, from its values here.
fn own_scale(samples: &[Sample], metric: &str) -> Scale {
    let unit = Metric::built_in(metric).map_or(Unit::Other(String::new()), |metric| metric.unit);
    let values: Vec<f64> = samples.iter().filter_map(|sample| sample.value(metric)).collect();
    Scale::of(&unit, summary::median(&values).unwrap_or(0.0))
}

fn row(sample: &Sample, columns: &[Column]) -> Markup {
    html! {
        tr class=[(!sample.counts()).then_some("aside")] {
            td { (sample.place.round) }
            td { (sample.place.position) }
            td { (time_of_day(sample.at)) }
            @for column in columns {
                td { @if let Some(value) = sample.value(column.metric) { (column.scale.number(value)) } }
            }
            @match &sample.outcome {
                Outcome::Valid => td { @if sample.place.round == 0 { "warm-up" } @else { "valid" } },
                Outcome::Failed { failure, .. } => td.failure { (failure.line()) },
            }
        }
    }
}

/// What failed executions printed at last, once each, with the rounds in which they did.
fn outputs(samples: &[Sample]) -> Vec<((String, &str), Vec<u32>)> {
    let mut outputs: Vec<((String, &str), Vec<u32>)> = Vec::new();
    for sample in samples {
        let Outcome::Failed { failure, output } = &sample.outcome else { continue };
        let what = (failure.line(), tail(output, OUTPUT_LINES).0);
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
            @if rounds.len() == 1 { "Round " } @else { "Rounds " } (numbers.join(", ")) ": " (failure) "."
            @if !lines.is_empty() { " Printed at last:" }
        }
        @if !lines.is_empty() { pre.log { (lines) } }
    }
}
