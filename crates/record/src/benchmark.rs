//! What makes a benchmark the same benchmark.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// One value of a parameter.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Number(f64),
    /// Any text.
    Text(String),
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::Integer(value) => value.fmt(f),
            Parameter::Number(value) => value.fmt(f),
            Parameter::Text(value) => value.fmt(f),
        }
    }
}

/// One choice of values for all parameters, in order of their names.
#[derive(Clone, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(pub BTreeMap<String, Parameter>);

impl Parameters {
    /// All combinations of the values given for each name, in order of the names, the last name
    /// fastest.
    #[must_use]
    pub fn product(choices: &BTreeMap<String, Vec<Parameter>>) -> Vec<Self> {
        choices.iter().fold(vec![Self::default()], |rows, (name, values)| {
            let extend = |row: &Self, value: &Parameter| {
                let mut row = row.clone();
                row.0.insert(name.clone(), value.clone());
                row
            };
            rows.iter().flat_map(|row| values.iter().map(move |value| extend(row, value))).collect()
        })
    }
}

impl fmt::Display for Parameters {
    /// `batch=64,level=9`; empty if there are no parameters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{name}={value}")?;
        }
        Ok(())
    }
}

/// The identity of a benchmark: its name, version and parameters.
///
/// An edited command is another version, unless the plan says that both measure the same.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct BenchmarkKey {
    /// The name that the plan gives it.
    pub name: String,
    /// The version of the benchmark's definition; the first is 1.
    pub version: u32,
    /// The values that are filled into its command.
    pub parameters: Parameters,
}

impl BenchmarkKey {
    /// The first version of a benchmark without parameters.
    #[must_use]
    pub fn plain(name: impl Into<String>) -> Self {
        Self { name: name.into(), version: 1, parameters: Parameters::default() }
    }

    /// The key as text that no other key has: `n = 1` and `n = "1"` are two benchmarks, though they
    /// read alike.
    #[must_use]
    pub fn identity(&self) -> String {
        // Only a number that JSON cannot write has no text, and plans refuse those.
        serde_json::to_string(self).unwrap_or_else(|_| self.to_string())
    }
}

impl fmt::Display for BenchmarkKey {
    /// `validate`, `validate[batch=64]`, `validate v2 [batch=64]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.version != 1 {
            write!(f, " v{}", self.version)?;
        }
        if !self.parameters.0.is_empty() {
            let space = if self.version == 1 { "" } else { " " };
            write!(f, "{space}[{}]", self.parameters)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_has_every_combination_once_in_order() {
        let choices = BTreeMap::from([
            ("batch".to_owned(), vec![Parameter::Integer(1), Parameter::Integer(64)]),
            ("level".to_owned(), vec![Parameter::Text("fast".into()), Parameter::Number(0.5)]),
        ]);
        let shown: Vec<String> =
            Parameters::product(&choices).iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "batch=1,level=fast",
                "batch=1,level=0.5",
                "batch=64,level=fast",
                "batch=64,level=0.5"
            ]
        );
        assert_eq!(Parameters::product(&BTreeMap::new()), [Parameters::default()]);
    }

    #[test]
    fn a_key_reads_like_its_name() {
        let parameters = Parameters(BTreeMap::from([("batch".to_owned(), Parameter::Integer(64))]));
        let mut key = BenchmarkKey { name: "validate".into(), version: 1, parameters };
        assert_eq!(key.to_string(), "validate[batch=64]");
        key.version = 2;
        assert_eq!(key.to_string(), "validate v2 [batch=64]");
        let text = Parameters(BTreeMap::from([("batch".to_owned(), Parameter::Text("64".into()))]));
        let other = BenchmarkKey { parameters: text, ..key.clone() };
        assert_eq!(other.to_string(), key.to_string());
        assert_ne!(other.identity(), key.identity());
    }
}
