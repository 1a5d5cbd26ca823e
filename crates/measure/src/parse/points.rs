//! Reads a file as a point of series: a report of benchmarks, or results of asv.

use std::collections::HashMap;
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value as Json;
use tacho_record::Metric;

use super::asv;
use super::exported::read_report;
use super::file_point::{FilePoint, FileValue};
use super::limited::read_file;

/// The places of the time in reports: pytest-benchmark, Google Benchmark, pyperf.
const TIMES: [&str; 4] =
    ["/datetime", "/context/date", "/metadata/date", "/benchmarks/0/runs/0/metadata/date"];

/// The point of a file.
///
/// The error says in one line why it is no report.
pub fn read_point(path: &Path) -> Result<FilePoint, String> {
    if let Some(point) = asv::point(path) {
        return Ok(point);
    }
    let report = read_report(path)?;
    let mut first: HashMap<&str, &Metric> = HashMap::new();
    for one in &report.benchmarks {
        first.entry(&one.benchmark).or_insert(&one.metric);
    }
    let values = report.benchmarks.iter().map(|one| {
        let is_usual = first.get(one.benchmark.as_str()).is_some_and(|it| **it == one.metric);
        let series = if is_usual {
            one.benchmark.clone()
        } else {
            format!("{} {}", one.benchmark, one.metric.name)
        };
        let Metric { unit, better, .. } = one.metric.clone();
        FileValue { series, unit, better, samples: one.values.clone() }
    });
    let values = values.collect();
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    let label = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(FilePoint { label, moment: moment(path), values })
}

/// When a report was made, in milliseconds since 1970, where it says so; without a zone it is UTC.
fn moment(path: &Path) -> Option<i64> {
    let json: Json = serde_json::from_slice(&read_file(path).ok()?).ok()?;
    let text = TIMES.iter().find_map(|at| json.pointer(at)?.as_str())?;
    let in_utc = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
    let time = text.parse::<Timestamp>().ok().or_else(|| Some(in_utc()?.timestamp()))?;
    Some(time.as_millisecond())
}
