//! hyperfine with `--export-json` (`src/benchmark/benchmark_result.rs` of hyperfine): the time of each execution.

use super::choice::{Thing, choose};
use super::json;

const SECOND: f64 = 1e9;

/// The times of the command of that name, or of that place, counted from 0; in nanoseconds.
pub(super) fn values(text: &str, name: &str) -> Result<Vec<f64>, String> {
    let documents = json::documents(text)?;
    let results = json::elements(&documents, "results")?;
    let thing = |(index, result): (usize, &&serde_json::Value)| {
        let command = result["command"].as_str().map(str::to_owned);
        let times = json::array(&result["times"], SECOND);
        let values = if times.is_empty() {
            json::number(result, "median", SECOND).map(|median| vec![median])
        } else {
            Ok(times)
        };
        Thing { names: command.into_iter().chain([index.to_string()]).collect(), values }
    };
    choose(results.iter().enumerate().map(thing).collect(), name)
}
