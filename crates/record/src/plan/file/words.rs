//! A command as it is written.

use schemars::JsonSchema;
use serde::Deserialize;

/// A command: one string, or its words.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(in super::super) enum Words {
    /// To be split as a shell would.
    Line(String),
    /// As they are.
    Split(Vec<String>),
}
