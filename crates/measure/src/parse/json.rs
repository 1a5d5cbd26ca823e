//! Pointers into JSON documents (RFC 6901, with `*` for all elements), and the numbers that they lead to.

use serde_json::Value;

use super::documents::documents;
use super::number::{Scale, short};

/// What that pointer leads to in each document: a number, a text with one, or an array of these.
pub(super) fn values(text: &str, pointer: &str, scale: &Scale) -> Result<Vec<f64>, String> {
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
    if values.is_empty() { Err(format!("`{pointer}` leads to nothing")) } else { Ok(values) }
}

/// The number that a value is, or those that an array has.
pub(super) fn numbers(value: &Value, scale: &Scale) -> Result<Vec<f64>, String> {
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
    value[key].as_f64().map(|number| number * factor).ok_or_else(|| format!("`{key}` is not a number"))
}

/// All numbers of an array, times `factor`; nothing if it is none.
pub(super) fn array(value: &Value, factor: f64) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).map(|number| number * factor).collect()
}

/// The array of that key in all documents, its elements one after the other.
pub(super) fn elements<'a>(documents: &'a [Value], key: &str) -> Result<Vec<&'a Value>, String> {
    let arrays: Vec<&Vec<Value>> = documents.iter().filter_map(|document| document[key].as_array()).collect();
    if arrays.is_empty() {
        Err(format!("there is no array `{key}`"))
    } else {
        Ok(arrays.into_iter().flatten().collect())
    }
}

/// What one token of a pointer leads to.
fn step<'a>(from: &[&'a Value], token: &str) -> Vec<&'a Value> {
    let mut found = Vec::new();
    for value in from {
        match value {
            Value::Array(items) if token == "*" => found.extend(items),
            Value::Array(items) => found.extend(token.parse().ok().and_then(|index: usize| items.get(index))),
            Value::Object(entries) => found.extend(entries.get(token)),
            _ => {}
        }
    }
    found
}
