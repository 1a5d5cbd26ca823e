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
        let values = times(result).and_then(|times| json::or_median(times, result, SECOND));
        Thing { names: names.into_iter().flatten().chain([index.to_string()]).collect(), values }
    };
    Ok(results.iter().enumerate().map(thing).collect())
}

/// The wall time of each execution of a command, if they are there.
///
/// Our own exports have `null` for what reached a limit: of that it is known only that it took longer.
fn times(result: &serde_json::Value) -> Result<Vec<f64>, String> {
    if let Some(limited) = result["limited"].as_u64().filter(|&limited| limited > 0) {
        return Err(format!("{limited} of its executions reached a limit, and took longer than is known"));
    }
    let Some(executions) = result["measurements"].as_array() else {
        return json::array(&result["times"], "times", SECOND);
    };
    let times: Vec<_> =
        executions.iter().map(|execution| execution["time_wall_clock"]["value"].clone()).collect();
    json::array(&times.into(), "time_wall_clock", SECOND)
}
