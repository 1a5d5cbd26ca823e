//! hyperfine with `--export-json` (`src/benchmark/benchmark_result.rs` of hyperfine): the time of each execution.
//!
//! From 2.0 on each execution is an object of its own (`schema_version` 2), and a command may have a name.

use super::choice::{Thing, choose};
use super::documents::documents;
use super::json;

const SECOND: f64 = 1e9;

/// The times of the command of that name, or of that place, counted from 0; in nanoseconds.
pub(super) fn values(text: &str, name: &str) -> Result<Vec<f64>, String> {
    choose(things(text)?, name)
}

/// All commands.
pub(super) fn things(text: &str) -> Result<Vec<Thing>, String> {
    let documents = documents(text)?;
    let results = json::elements(&documents, "results")?;
    let thing = |(index, result): (usize, &&serde_json::Value)| {
        let names = [&result["name"], &result["command"]].map(|name| name.as_str().map(str::to_owned));
        let times = times(result);
        let values = if times.is_empty() {
            json::number(result, "median", SECOND).map(|median| vec![median])
        } else {
            Ok(times)
        };
        Thing { names: names.into_iter().flatten().chain([index.to_string()]).collect(), values }
    };
    Ok(results.iter().enumerate().map(thing).collect())
}

/// The wall time of each execution of a command, if they are there.
fn times(result: &serde_json::Value) -> Vec<f64> {
    let Some(executions) = result["measurements"].as_array() else {
        return json::array(&result["times"], SECOND);
    };
    let time = |execution: &serde_json::Value| execution["time_wall_clock"]["value"].as_f64();
    executions.iter().filter_map(time).map(|seconds| seconds * SECOND).collect()
}
