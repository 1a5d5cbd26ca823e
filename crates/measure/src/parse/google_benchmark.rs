//! Google Benchmark with `--benchmark_format=json`
//! (<https://github.com/google/benchmark/blob/main/docs/user_guide.md#output-formats>).
//!
//! Repetitions are replicates. If only aggregates were reported, their median is used.

use serde_json::Value;

use super::documents::documents;
use super::json;
use super::tool_reading::{ToolReading, choose};

const MEGABYTE: f64 = 1e6;

/// A quantity of the benchmark of that name: times in nanoseconds, bytes in MB/s.
pub(super) fn values(text: &str, name: &str, quantity: &str) -> Result<Vec<f64>, String> {
    choose(things(text, quantity)?, name)
}

/// All benchmarks, by that quantity.
pub(super) fn things(text: &str, quantity: &str) -> Result<Vec<ToolReading>, String> {
    let documents = documents(text)?;
    let entries = json::elements(&documents, "benchmarks")?;
    let repetition = |entry: &&&Value| entry["run_type"] != "aggregate";
    let median = |entry: &&&Value| entry["aggregate_name"] == "median";
    let mut chosen: Vec<&&Value> = entries.iter().filter(repetition).collect();
    if chosen.is_empty() {
        chosen = entries.iter().filter(median).collect();
    }
    let thing = |entry: &&Value| {
        let text = |key: &str| entry[key].as_str().map(str::to_owned);
        let names =
            [text("run_name").or(text("name")), text("name")].into_iter().flatten().collect();
        ToolReading::new(names, value(entry, quantity).map(|value| vec![value]))
    };
    Ok(chosen.into_iter().map(thing).collect())
}

fn value(entry: &Value, quantity: &str) -> Result<f64, String> {
    if entry["error_occurred"] == true {
        return Err(format!("the benchmark failed: {}", entry["error_message"]));
    }
    let factor = match (quantity, entry["time_unit"].as_str()) {
        ("bytes_per_second", _) => 1.0 / MEGABYTE,
        ("items_per_second", _) | (_, Some("ns")) => 1.0,
        (_, None) => return Err("it has no `time_unit`".to_owned()),
        (_, Some("us")) => 1e3,
        (_, Some("ms")) => 1e6,
        (_, Some("s")) => 1e9,
        (_, Some(other)) => return Err(format!("its time unit `{other}` is not known")),
    };
    json::number(entry, quantity, factor)
}
