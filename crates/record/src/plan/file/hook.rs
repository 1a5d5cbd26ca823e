//! How hooks are written: as a string, or as a table that says how long they may take.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::Deserializer;

use super::forms::Forms;

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
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let forms = Forms {
            text: Some(|line| Some(Self::Line(line.to_owned()))),
            table: Some(Self::Limited),
            ..Forms::expecting("a string or a table")
        };
        forms.read(deserializer)
    }
}
