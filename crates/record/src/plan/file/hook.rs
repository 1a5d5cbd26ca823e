//! How hooks are written: as a string, or as a table that says how long they may take.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};

/// A hook.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(in super::super) enum HookEntry {
    /// The shell command.
    Line(String),
    /// The shell command with its own time limit.
    Limited(HookTable),
}

/// A hook as a table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in super::super) struct HookTable {
    /// The shell command.
    #[schemars(required, length(min = 1))]
    pub command: Option<String>,
    /// The longest time of the hook. Default: that of an execution.
    pub timeout: Option<String>,
}

impl<'de> Deserialize<'de> for HookEntry {
    /// Not derived: an untagged enum would forget where in the file a mistake stands, and what it
    /// is.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HookEntryVisitor)
    }
}

struct HookEntryVisitor;

impl<'de> Visitor<'de> for HookEntryVisitor {
    type Value = HookEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a table")
    }

    fn visit_str<E: serde::de::Error>(self, line: &str) -> Result<HookEntry, E> {
        Ok(HookEntry::Line(line.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HookEntry, A::Error> {
        HookTable::deserialize(MapAccessDeserializer::new(map)).map(HookEntry::Limited)
    }
}
