//! JMH with `-rf json` (`JSONResultFormat.java` of JMH): the score of each iteration of each fork.

use serde_json::Value;
use tacho_record::Unit;

use super::documents::documents;
use super::json;
use super::tool_reading::{ToolReading, choose};

/// The scores of the benchmark of that name: in full, without its package, or with its parameters,
/// `sum(n=10)`.
pub(super) fn values(text: &str, name: &str, unit: &Unit) -> Result<Vec<f64>, String> {
    let documents = documents(text)?;
    let results = documents.iter().flat_map(|document| document.as_array().into_iter().flatten());
    choose(results.map(|result| thing(result, unit)).collect(), name)
}

/// One benchmark, in that unit.
pub(super) fn thing(result: &Value, unit: &Unit) -> ToolReading {
    ToolReading::new(names(result), scores(result, unit))
}

fn names(result: &Value) -> Vec<String> {
    let full = result["benchmark"].as_str().unwrap_or_default();
    let mut names: Vec<String> =
        full.match_indices('.').map(|(at, _)| full[at + 1..].to_owned()).collect();
    names.insert(0, full.to_owned());
    let parameters: Vec<String> = (result["params"].as_object().into_iter().flatten())
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    if !parameters.is_empty() {
        let with = |name: &String| format!("{name}({})", parameters.join(","));
        names = names.iter().map(with).chain(names.iter().cloned()).collect();
    }
    names
}

fn scores(result: &Value, unit: &Unit) -> Result<Vec<f64>, String> {
    let metric = &result["primaryMetric"];
    let own = metric["scoreUnit"].as_str().unwrap_or_default();
    let factor = factor(own, unit)
        .ok_or_else(|| format!("its unit is `{own}`: write it as `unit` in the plan"))?;
    let forks = metric["rawData"].as_array().into_iter().flatten();
    let forks =
        forks.map(|fork| json::array(fork, "rawData", factor)).collect::<Result<Vec<_>, _>>()?;
    let raw = forks.concat();
    if raw.is_empty() { Ok(vec![json::number(metric, "score", factor)?]) } else { Ok(raw) }
}

/// The factor of a score in JMH's unit: `us/op` in nanoseconds, `ops/us` in the plan's `ops/s`.
fn factor(own: &str, unit: &Unit) -> Option<f64> {
    let seconds = |name: &str| match Unit::named(name) {
        (Unit::Nanoseconds, factor) => Some(factor / 1e9),
        _ => None,
    };
    match unit {
        Unit::Nanoseconds => Some(seconds(own.strip_suffix("/op")?)? * 1e9),
        Unit::Other(wanted) if wanted == own => Some(1.0),
        Unit::Other(wanted) => {
            Some(seconds(wanted.strip_prefix("ops/")?)? / seconds(own.strip_prefix("ops/")?)?)
        }
        Unit::Bytes => None,
    }
}
