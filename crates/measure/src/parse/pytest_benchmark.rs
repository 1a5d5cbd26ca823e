//! pytest-benchmark with `--benchmark-json`
//! (<https://pytest-benchmark.readthedocs.io/en/latest/usage.html>).
//!
//! With `--benchmark-save-data` every round is a replicate, otherwise the median is used.

use super::documents::documents;
use super::json;
use super::tool_reading::{ToolReading, choose};

const SECOND: f64 = 1e9;

/// The times of the test of that name, short or with its file; in nanoseconds.
pub(super) fn values(text: &str, name: &str) -> Result<Vec<f64>, String> {
    choose(things(text)?, name)
}

/// All tests.
pub(super) fn things(text: &str) -> Result<Vec<ToolReading>, String> {
    let documents = documents(text)?;
    let benchmarks = json::elements(&documents, "benchmarks")?;
    let thing = |benchmark: &&serde_json::Value| {
        let names = ["fullname", "name"].into_iter().filter_map(|key| benchmark[key].as_str());
        let stats = &benchmark["stats"];
        let values = json::array(&stats["data"], "data", SECOND)
            .and_then(|rounds| json::or_median(rounds, stats, SECOND));
        ToolReading::new(names.map(str::to_owned).collect(), values)
    };
    Ok(benchmarks.iter().map(thing).collect())
}
