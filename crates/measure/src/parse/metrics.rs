//! A command that prints JSON objects from metrics to numbers: `{"bucket": 6.5, "times": [1, 2]}`.

use super::documents::documents;
use super::json;
use super::number::NumberScale;

/// The numbers of that metric in all objects.
pub(super) fn values(text: &str, metric: &str, scale: &NumberScale) -> Result<Vec<f64>, String> {
    let documents = documents(text)?;
    let found: Vec<_> = documents.iter().filter_map(|document| document.get(metric)).collect();
    if found.is_empty() {
        return Err(format!("there is no `{metric}` in the object"));
    }
    let values: Result<Vec<Vec<f64>>, String> =
        found.into_iter().map(|value| json::numbers(value, scale)).collect();
    Ok(values?.concat())
}
