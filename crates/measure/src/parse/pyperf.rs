//! pyperf's result files (<https://pyperf.readthedocs.io/en/latest/api.html#pyperf.Benchmark>): the
//! values of all runs, those of calibration and warmup left out.

use serde_json::Value;
use tacho_record::Unit;

use super::documents::documents;
use super::json;
use super::tool_reading::{ToolReading, choose};

/// The values of the benchmark of that name.
pub(super) fn values(text: &str, name: &str, unit: &Unit) -> Result<Vec<f64>, String> {
    choose(things(text, unit)?, name)
}

/// All benchmarks, in that unit.
pub(super) fn things(text: &str, unit: &Unit) -> Result<Vec<ToolReading>, String> {
    let documents = documents(text)?;
    let mut things = Vec::new();
    for document in &documents {
        for benchmark in json::elements(std::slice::from_ref(document), "benchmarks")? {
            // Data that all benchmarks of a file share is written once, for the file.
            let named = |key: &str| {
                [benchmark, document]
                    .into_iter()
                    .find_map(|of| of["metadata"][key].as_str())
                    .map(str::to_owned)
            };
            let values = values_of(benchmark, named("unit").as_deref().unwrap_or("second"), unit);
            things.push(ToolReading::new(vec![named("name").unwrap_or_default()], values));
        }
    }
    Ok(things)
}

fn values_of(benchmark: &Value, own: &str, unit: &Unit) -> Result<Vec<f64>, String> {
    let factor = match (own, unit) {
        ("second", Unit::Nanoseconds) => 1e9,
        ("byte", Unit::Bytes) | ("integer", Unit::Other(_)) => 1.0,
        _ => return Err(format!("its unit is `{own}`, and the plan gives another")),
    };
    let runs = benchmark["runs"].as_array().into_iter().flatten();
    let runs = runs
        .map(|run| json::array(&run["values"], "values", factor))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(runs.concat())
}
