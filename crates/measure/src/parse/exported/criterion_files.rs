//! The files that criterion.rs keeps in `target/criterion`
//! (<https://bheisler.github.io/criterion.rs/book/user_guide/command_line_output.html>): for each
//! benchmark and baseline a folder with `benchmark.json`, `sample.json` and `estimates.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tacho_record::{ExportedMetric, LimitedExecutions};

use super::super::limited::read_file;
use super::{Report, time};

/// Folders within folders that are looked into: groups have one more.
const DEEPEST: u32 = 8;
/// The folder of what was measured last.
const LATEST: &str = "new";

/// Criterion's results in a folder: of a benchmark at one baseline, or of all as they were measured
/// last.
pub fn folder(path: &Path) -> Result<Report, String> {
    let mut benchmarks = Vec::new();
    for folder in folders(path) {
        benchmarks.push(read(&folder.join("sample.json"))?);
    }
    if benchmarks.is_empty() {
        return Err(format!("it is a folder without criterion's `{LATEST}/sample.json`"));
    }
    Ok(Report { tool: "criterion", host: BTreeMap::new(), benchmarks })
}

/// The report of one file of criterion's; `None` for other files.
pub fn file(path: &Path) -> Option<Result<Report, String>> {
    let document = parse(path).ok()?;
    let is_one = document["iters"].is_array() || document["median"]["point_estimate"].is_number();
    let of_one = |one| Report { tool: "criterion", host: BTreeMap::new(), benchmarks: vec![one] };
    is_one.then(|| read(path).map(of_one))
}

/// The folder itself, else those below it of what was measured last, by name.
fn folders(path: &Path) -> Vec<PathBuf> {
    let has_sample = |folder: &Path| folder.join("sample.json").is_file();
    if has_sample(path) {
        return vec![path.to_owned()];
    }
    let (mut found, mut left) = (Vec::new(), vec![(path.to_owned(), 0)]);
    while let Some((folder, depth)) = left.pop() {
        if folder.ends_with(LATEST) && has_sample(&folder) {
            found.push(folder);
        } else if depth < DEEPEST {
            let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            left.extend(folders.map(|entry| (entry.path(), depth + 1)));
        }
    }
    found.sort();
    found
}

/// The times of an iteration; of estimates, the median.
fn read(path: &Path) -> Result<ExportedMetric, String> {
    let document = parse(path)?;
    let numbers =
        |key: &str| document[key].as_array().into_iter().flatten().filter_map(Value::as_f64);
    let per_iteration =
        numbers("times").zip(numbers("iters")).map(|(time, iterations)| time / iterations);
    let values: Vec<f64> = match document["median"]["point_estimate"].as_f64() {
        Some(median) => vec![median],
        None => per_iteration.collect(),
    };
    if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
        return Err(format!("`{}` has no times", path.display()));
    }
    Ok(ExportedMetric {
        benchmark: name(path),
        metric: time(),
        values,
        limited: LimitedExecutions::default(),
    })
}

/// The name of the benchmark: from its file, otherwise from its folder.
fn name(path: &Path) -> String {
    let beside = path.with_file_name("benchmark.json");
    let named = parse(&beside).ok().and_then(|it| it["full_id"].as_str().map(str::to_owned));
    let folder = path.parent().and_then(Path::parent).and_then(Path::file_name);
    named.or_else(|| folder.map(|name| name.to_string_lossy().into_owned())).unwrap_or_default()
}

fn parse(path: &Path) -> Result<Value, String> {
    let failed = |why: String| format!("`{}`: {why}", path.display());
    let text = read_file(path).map_err(|error| failed(error.to_string()))?;
    serde_json::from_slice(&text).map_err(|error| failed(format!("it is not JSON: {error}")))
}
