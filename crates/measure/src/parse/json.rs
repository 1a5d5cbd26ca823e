//! Pointers into JSON documents (RFC 6901, with `*` for all elements), and the numbers that they
//! lead to.

use serde_json::Value;

use super::documents::documents;
use super::number::{NumberScale, short};

/// The values at this pointer in each document: a number, a text with one, or an array of these.
pub(super) fn values(text: &str, pointer: &str, scale: &NumberScale) -> Result<Vec<f64>, String> {
    let mut values = Vec::new();
    for document in &documents(text)? {
        let mut found = vec![document];
        for token in pointer.split('/').skip(1) {
            found = step(&found, &token.replace("~1", "/").replace("~0", "~"));
        }
        for value in found {
            values.extend(numbers(value, scale)?);
        }
    }
    if values.is_empty() { Err(format!("there is no value at `{pointer}`")) } else { Ok(values) }
}

/// The number that a value is, or those that an array has.
pub(super) fn numbers(value: &Value, scale: &NumberScale) -> Result<Vec<f64>, String> {
    let one = |value: &Value| match (value, value.as_f64()) {
        (_, Some(number)) => Ok(scale.of(number)),
        (Value::String(text), _) => scale.read(text),
        _ => Err(format!("`{}` is not a number", short(&value.to_string()))),
    };
    match value {
        Value::Array(values) => values.iter().map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}

/// The number of that key, times `factor`.
pub(super) fn number(value: &Value, key: &str, factor: f64) -> Result<f64, String> {
    value[key]
        .as_f64()
        .map(|number| number * factor)
        .ok_or_else(|| format!("`{key}` is not a number"))
}

/// All numbers of an array, times `factor`; empty if it is no array. An element that is no number
/// is an execution whose value is not known: to leave it out would judge by the others.
pub(super) fn array(values: &Value, name: &str, factor: f64) -> Result<Vec<f64>, String> {
    let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
    let numbers: Option<Vec<f64>> =
        values.iter().map(|value| value.as_f64().map(|number| number * factor)).collect();
    numbers.ok_or_else(|| {
        let missing = values.iter().filter(|value| !value.is_number()).count();
        format!("{missing} of {} values of `{name}` are not numbers", values.len())
    })
}

/// These values, or if there are none the median of the same object, times `factor`.
pub(super) fn or_median(values: Vec<f64>, object: &Value, factor: f64) -> Result<Vec<f64>, String> {
    if values.is_empty() { Ok(vec![number(object, "median", factor)?]) } else { Ok(values) }
}

/// The array of that key in all documents, its elements one after the other.
pub(super) fn elements<'a>(documents: &'a [Value], key: &str) -> Result<Vec<&'a Value>, String> {
    let arrays: Vec<&Vec<Value>> =
        documents.iter().filter_map(|document| document[key].as_array()).collect();
    if arrays.is_empty() {
        Err(format!("there is no array `{key}`"))
    } else {
        Ok(arrays.into_iter().flatten().collect())
    }
}

/// The values to which one token of a pointer leads.
fn step<'a>(from: &[&'a Value], token: &str) -> Vec<&'a Value> {
    let mut found = Vec::new();
    for value in from {
        match value {
            Value::Array(items) if token == "*" => found.extend(items),
            Value::Array(items) => {
                found.extend(token.parse().ok().and_then(|index: usize| items.get(index)));
            }
            Value::Object(entries) => found.extend(entries.get(token)),
            _ => {}
        }
    }
    found
}
