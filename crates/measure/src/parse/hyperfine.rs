//! hyperfine with `--export-json` (`src/benchmark/benchmark_result.rs` of hyperfine): the time of
//! each execution.
//!
//! From 2.0 on each execution is an object of its own (`schema_version` 2), and a command may have
//! a name.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use tacho_record::{LimitedExecutions, shown};

use super::documents::documents;
use super::json;
use super::tool_reading::{ToolReading, choose};

const SECOND: f64 = 1e9;

/// The times of the command of that name, or of that place, counted from 0; in nanoseconds.
pub(super) fn values(text: &str, name: &str) -> Result<Vec<f64>, String> {
    choose(things(text)?, name)
}

/// All commands.
pub(super) fn things(text: &str) -> Result<Vec<ToolReading>, String> {
    let documents = documents(text)?;
    let results = json::elements(&documents, "results")?;
    let apart: Vec<Option<String>> = documents.iter().flat_map(distinct_names).collect();
    let thing = |(index, result): (usize, &&Value)| {
        let known =
            [&result["name"], &result["command"]].map(|name| name.as_str().map(str::to_owned));
        let apart = apart.get(index).cloned().flatten();
        let names = [apart].into_iter().chain(known).flatten().chain([index.to_string()]).collect();
        match limited(result) {
            Ok(None) => ToolReading::new(
                names,
                times(result).and_then(|it| json::or_median(it, result, SECOND)),
            ),
            Ok(Some((values, limited))) => {
                ToolReading { limited, ..ToolReading::new(names, Ok(values)) }
            }
            Err(why) => ToolReading::new(names, Err(why)),
        }
    };
    Ok(results.iter().enumerate().map(thing).collect())
}

/// The distinct names of a document's results: equal names get their parameters, `sort[n=2]`, and
/// if they are still equal their places, `sort (2)`. Another document with the same names is a
/// repetition.
fn distinct_names(document: &Value) -> Vec<Option<String>> {
    let results = elements(&document["results"]);
    let plain: Vec<Option<String>> = results.iter().map(|result| name(result).map(shown)).collect();
    let of_plain = counts(&plain);
    let with_parameters = |(plain_name, result): (&Option<String>, &Value)| match parameters(result)
    {
        Some(values) if is_shared(&of_plain, plain_name.as_deref()) => {
            plain_name.as_ref().map(|name| format!("{name}[{values}]"))
        }
        _ => plain_name.clone(),
    };
    let named: Vec<Option<String>> = plain.iter().zip(results).map(with_parameters).collect();
    let (of_named, mut places) = (counts(&named), HashMap::<&str, usize>::new());
    let mut words = Vec::new();
    for name in &named {
        words.push(match name {
            Some(text) if is_shared(&of_named, Some(text)) => {
                let place = places.entry(text).or_default();
                *place += 1;
                Some(format!("{text} ({place})"))
            }
            name => name.clone(),
        });
    }
    words
}

/// How many results have each name.
fn counts(names: &[Option<String>]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for name in names.iter().flatten() {
        *counts.entry(name.as_str()).or_default() += 1;
    }
    counts
}

/// Whether several results have that name.
fn is_shared(counts: &HashMap<&str, usize>, name: Option<&str>) -> bool {
    name.and_then(|name| counts.get(name)).is_some_and(|&count| count > 1)
}

/// The name of a result.
fn name(result: &Value) -> Option<&str> {
    [&result["name"], &result["command"]].into_iter().find_map(Value::as_str)
}

/// The values of a result's parameters, `n=2,level=fast`; `None` without parameters.
fn parameters(result: &Value) -> Option<String> {
    let one = |(name, value): (&String, &Value)| -> String {
        // From 2.0 on each is an object.
        let value = if value.is_object() { &value["value"] } else { value };
        format!("{name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    let all: Vec<String> = result["parameters"].as_object()?.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join(","))
}

/// The wall time of each execution of a command, if they are there.
fn times(result: &Value) -> Result<Vec<f64>, String> {
    let Some(executions) = result["measurements"].as_array() else {
        return json::array(&result["times"], "times", SECOND);
    };
    let times: Vec<_> =
        executions.iter().map(|execution| execution["time_wall_clock"]["value"].clone()).collect();
    json::array(&times.into(), "time_wall_clock", SECOND)
}

/// For Tachograph's own exports with executions at a limit: the times of the others, and the lower
/// bounds of these.
///
/// There `times` has `null` for each of them, and `times_at_least` what is known of it.
fn limited(result: &Value) -> Result<Option<(Vec<f64>, LimitedExecutions)>, String> {
    let Some(count) = result["limited"].as_u64().filter(|&limited| limited > 0) else {
        return Ok(None);
    };
    let (times, known) = (elements(&result["times"]), elements(&result["times_at_least"]));
    let cut_off = times.iter().filter(|time| time.is_null()).count();
    if [cut_off, known.len()].iter().any(|number| *number as u64 != count) {
        return Err(format!(
            "{count} of its executions reached a limit, so their real times are unknown"
        ));
    }
    let others: Vec<Value> = times.iter().filter(|time| !time.is_null()).cloned().collect();
    let values = json::array(&others.into(), "times", SECOND)?;
    let bounds = json::array(&result["times_at_least"], "times_at_least", SECOND)?;
    let printable = |why: &str| why.chars().filter(|letter| !letter.is_control()).collect();
    let why = Some(result["limit"].as_str().map_or_else(|| "limit reached".to_owned(), printable));
    Ok(Some((
        values,
        LimitedExecutions { count: u32::try_from(count).unwrap_or(u32::MAX), bounds, why },
    )))
}

/// With which status the executions of each command ended, as one condition of it: that of a
/// command which fails at once is no time to compare with that of one which does its work.
pub(super) fn statuses(document: &Value) -> BTreeMap<String, String> {
    let of = |(name, result): (Option<String>, &Value)| {
        let name = name?;
        let codes = elements(&result["exit_codes"]);
        let mut failed: Vec<String> =
            codes.iter().filter(|code| code.as_i64() != Some(0)).map(Value::to_string).collect();
        let (count, all) = (failed.len(), codes.len());
        failed.sort();
        failed.dedup();
        let words = match count {
            0 => "0".to_owned(),
            _ => format!("{} in {count} of {all} executions", failed.join(", ")),
        };
        (all > 0).then(|| (format!("exit status of `{name}`"), words))
    };
    distinct_names(document)
        .into_iter()
        .zip(elements(&document["results"]))
        .filter_map(of)
        .collect()
}

fn elements(array: &Value) -> &[Value] {
    array.as_array().map(Vec::as_slice).unwrap_or_default()
}
