//! iperf3 with `--json` (`iperf_api.c`, `iperf_json_finish`): the sums at its end, sender and receiver apart.

use super::json;

const MEGABIT: f64 = 1e6;

/// `sent` or `received` in Mbit/s, or `retransmits`, of each report.
pub(super) fn values(text: &str, quantity: &str) -> Result<Vec<f64>, String> {
    let (sum, key, factor) = match quantity {
        "received" => ("sum_received", "bits_per_second", 1.0 / MEGABIT),
        "sent" => ("sum_sent", "bits_per_second", 1.0 / MEGABIT),
        _ => ("sum_sent", "retransmits", 1.0),
    };
    let documents = json::documents(text)?;
    let value = |document: &serde_json::Value| match document["error"].as_str() {
        Some(error) => Err(format!("iperf3 failed: {error}")),
        None => json::number(&document["end"][sum], key, factor)
            .map_err(|why| format!("there is no `{sum}` at its end: {why}")),
    };
    documents.iter().map(value).collect()
}
