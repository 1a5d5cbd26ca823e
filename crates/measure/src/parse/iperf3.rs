//! iperf3 with `--json` (`iperf_api.c`, `iperf_json_finish`): the sums at its end, sender and
//! receiver apart.
//!
//! From 3.17 on there is `--json-stream` too: an object a line with an `event`, of which the `end`
//! has the same in `data`.

use serde_json::Value;

use super::documents::documents;
use super::json;

const MEGABIT: f64 = 1e6;

/// `sent` or `received` in Mbit/s, or `retransmits`, of each report.
pub(super) fn values(text: &str, quantity: &str) -> Result<Vec<f64>, String> {
    let (sum, key, factor) = match quantity {
        "received" => ("sum_received", "bits_per_second", 1.0 / MEGABIT),
        "sent" => ("sum_sent", "bits_per_second", 1.0 / MEGABIT),
        _ => ("sum_sent", "retransmits", 1.0),
    };
    let value = |end: &Value| {
        json::number(&end[sum], key, factor)
            .map_err(|why| format!("there is no `{sum}` at its end: {why}"))
    };
    let documents = documents(text)?;
    let values: Result<Vec<f64>, String> = documents
        .iter()
        .filter_map(|document| end(document).transpose())
        .map(|end| value(end?))
        .collect();
    match values {
        Ok(values) if values.is_empty() => Err("iperf3 reports no `end`".to_owned()),
        values => values,
    }
}

/// The end that a document reports, if it is of one.
fn end(document: &Value) -> Result<Option<&Value>, String> {
    let failed = |why: &str| format!("iperf3 failed: {why}");
    if let Some(error) = document["error"].as_str() {
        return Err(failed(error));
    }
    match document["event"].as_str() {
        None => Ok(Some(&document["end"])),
        Some("end") => Ok(Some(&document["data"])),
        Some("error") => Err(failed(document["data"].as_str().unwrap_or("no reason is given"))),
        Some(_) => Ok(None),
    }
}
