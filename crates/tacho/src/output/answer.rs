//! The answers in JSON; docs/formats.md says what each key means.

use jiff::Timestamp;
use serde::Serialize;
use tacho_record::{Point, Series};
use tacho_stats::Summary;

/// Raised when a key changes its meaning or goes away.
pub const FORMAT_VERSION: u32 = 1;

/// A series with its summaries.
#[derive(Debug, Serialize)]
pub struct SeriesAnswer<'a> {
    benchmark: String,
    host: &'a str,
    metric: &'a str,
    unit: &'a tacho_record::Unit,
    better: tacho_record::Direction,
    points: Vec<PointAnswer<'a>>,
}

/// One revision of a series.
#[derive(Debug, Serialize)]
struct PointAnswer<'a> {
    revision: &'a str,
    order: u64,
    date: Option<Timestamp>,
    subject: &'a str,
    tags: &'a [String],
    build: Option<&'static str>,
    equal_to: Option<&'a str>,
    failed: u32,
    failure: Option<&'a str>,
    median: Option<f64>,
    interval: Option<(f64, f64)>,
    spread: Option<f64>,
    values: &'a [f64],
}

impl<'a> From<&'a Series> for SeriesAnswer<'a> {
    fn from(series: &'a Series) -> Self {
        let key = &series.key;
        Self {
            benchmark: key.benchmark.to_string(),
            host: &key.host,
            metric: &key.metric.name,
            unit: &key.metric.unit,
            better: key.metric.better,
            points: series.points.iter().map(PointAnswer::from).collect(),
        }
    }
}

impl<'a> From<&'a Point> for PointAnswer<'a> {
    fn from(point: &'a Point) -> Self {
        let summary = Summary::of(&point.values);
        Self {
            revision: &point.revision.id,
            order: point.revision.order,
            date: point.revision.date,
            subject: &point.revision.subject,
            tags: &point.revision.tags,
            build: point.build.as_ref().map(|build| build.state.word()),
            equal_to: point.equal_to.as_deref(),
            failed: point.failed,
            failure: point.failure.as_deref(),
            median: summary.map(|summary| summary.median),
            interval: summary.and_then(|summary| summary.interval),
            spread: summary.and_then(|summary| summary.spread()),
            values: &point.values,
        }
    }
}
