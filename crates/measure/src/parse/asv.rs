//! Results of asv (airspeed velocity): a file for each commit and environment.
//!
//! Source of the format: asv's developer documentation, "Benchmark suite layout and file formats",
//! result files of version 2.

use std::path::Path;

use serde_json::Value as Json;
use tacho_record::{Direction, Unit};

use super::file_point::{FilePoint, FileValue};
use super::limited::read_file;

/// The point of a file of results; `None` for another file.
pub fn point(path: &Path) -> Option<FilePoint> {
    let json: Json = serde_json::from_slice(&read_file(path).ok()?).ok()?;
    let commit = json.get("commit_hash")?.as_str()?;
    let results = json.get("results")?.as_object()?;
    let columns = json.get("result_columns")?.as_array()?;
    let column = |name: &str| columns.iter().position(|column| column == name);
    let (result, params) = (column("result")?, column("params"));
    let moment = json.get("date").and_then(Json::as_i64);
    let values = results.iter().flat_map(|(name, row)| {
        let cells = |at: Option<usize>| at.and_then(|at| row.get(at)).and_then(Json::as_array);
        // Before version 2 a benchmark without parameters has a number alone.
        let numbers = cells(Some(result)).cloned().unwrap_or_default();
        let suffixes = combinations(cells(params).map_or(&[][..], Vec::as_slice));
        let pairs = numbers.into_iter().zip(suffixes);
        let value = |(number, suffix): (Json, String)| value(name, &suffix, number.as_f64()?);
        pairs.filter_map(value).collect::<Vec<_>>()
    });
    let values = values.collect();
    let label = commit.get(..10).unwrap_or(commit).to_owned();
    Some(FilePoint { label, moment, values })
}

/// A benchmark's value: times of asv are seconds, memory is bytes.
fn value(name: &str, suffix: &str, number: f64) -> Option<FileValue> {
    let kind = name.rsplit('.').next().unwrap_or(name);
    let (unit, by) = match kind.split('_').next() {
        Some("time") => (Unit::Nanoseconds, 1e9),
        Some("mem" | "peakmem") => (Unit::Bytes, 1.0),
        _ => (Unit::Other(String::new()), 1.0),
    };
    let samples = vec![number * by];
    let series = format!("{name}{suffix}");
    number.is_finite().then_some(FileValue { series, unit, better: Direction::Lower, samples })
}

/// The names of all combinations of parameters, in the order of their results: the last one changes
/// first.
fn combinations(params: &[Json]) -> Vec<String> {
    let mut names = vec![String::new()];
    for values in params.iter().filter_map(Json::as_array) {
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        names = names
            .iter()
            .flat_map(|name| values.iter().map(move |value| join(name, &text(value))))
            .collect();
    }
    names.into_iter().map(|name| if name.is_empty() { name } else { format!("({name})") }).collect()
}

fn join(name: &str, value: &str) -> String {
    if name.is_empty() { value.to_owned() } else { format!("{name}, {value}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What asv 0.6 keeps of a commit, shortened.
    const RESULTS: &str = r#"{"commit_hash": "eafb8ba3c14c5dd4d8dc2c7b8ad1b0a0b2c1d9f1",
        "date": 1577836800000, "result_columns": ["result", "params", "version"],
        "results": {
            "suite.time_keys": [[0.002], [], "1f"],
            "suite.time_range": [[0.5, null, 1.5, 2.0], [["'a'", "'b'"], ["10", "200"]], "2a"],
            "suite.mem_list": [[88], [], "3c"],
            "suite.track_failed": [null, [], "4d"]
        }, "version": 2}"#;

    #[test]
    fn each_combination_of_parameters_is_a_series() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("eafb8ba3-virtualenv.json");
        std::fs::write(&path, RESULTS).unwrap();
        let FilePoint { label, moment, mut values } = point(&path).unwrap();
        assert_eq!((label.as_str(), moment), ("eafb8ba3c1", Some(1_577_836_800_000)));
        values.sort_by(|a, b| a.series.cmp(&b.series));
        let found: Vec<_> =
            values.iter().map(|it| (it.series.as_str(), it.unit.clone(), it.samples[0])).collect();
        let expected = [
            ("suite.mem_list", Unit::Bytes, 88.0),
            ("suite.time_keys", Unit::Nanoseconds, 2e6),
            ("suite.time_range('a', 10)", Unit::Nanoseconds, 5e8),
            ("suite.time_range('b', 10)", Unit::Nanoseconds, 1.5e9),
            ("suite.time_range('b', 200)", Unit::Nanoseconds, 2e9),
        ];
        assert_eq!(found, expected);
        std::fs::write(&path, "{}").unwrap();
        assert_eq!(point(&path), None);
    }
}
