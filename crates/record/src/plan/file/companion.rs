//! How a companion is written, and the choices that are a word or a table.

use schemars::JsonSchema;
use serde::de::Deserializer;
use serde::{Deserialize, Serialize};

use super::forms::Forms;
use super::words::Words;

/// `companion` of a benchmark.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in super::super) struct CompanionTable {
    /// The command: a string that is split into words as in a shell, or the words. No shell is
    /// started. The same names as in the benchmark's `command` are filled in, and {port}. It must
    /// stay in the foreground.
    #[schemars(required)]
    pub command: Option<Words>,
    /// The value of {port}, here and in the benchmark: a number, or "free" for a free port.
    pub port: Option<PortEntry>,
    /// When it is ready. Default with `port`: when it listens on that port.
    pub ready: Option<ReadyEntry>,
    /// The longest time to become ready: "500ms", "10s", "5m".
    #[serde(default = "timeout")]
    pub timeout: String,
    /// How long it lives. Default: one execution.
    #[serde(default)]
    pub per: PerName,
}

fn timeout() -> String {
    "10s".to_owned()
}

/// `per` of a companion.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in super::super) enum PerName {
    /// During all executions of the benchmark at a build, with the same parameters, in a session.
    Cell,
    /// During one execution.
    #[default]
    Execution,
    /// During all executions, in a session, with an equal companion: all values filled in.
    Run,
}

/// `ready` of a companion.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in super::super) enum ReadyEntry {
    /// When this shell command succeeds; it is repeated until then.
    Command(String),
    /// When this file, a path from the plan's folder, was made or changed.
    File(String),
    /// When it printed a line with this text.
    Line(String),
    /// When a program listens on this port of this host.
    Port(u16),
    /// As soon as it is started.
    Started,
}

/// `port` of a companion.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(untagged)]
pub(in super::super) enum PortEntry {
    /// This port.
    Fixed(u16),
    /// A free port, a new one each time.
    Free(FreeName),
}

/// The word for a free port.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub(in super::super) enum FreeName {
    /// "free".
    Free,
}

impl<'de> Deserialize<'de> for PortEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let forms: Forms<Self> = Forms {
            number: Some(|number| {
                u16::try_from(number).ok().filter(|port| *port > 0).map(Self::Fixed)
            }),
            text: Some(|word| (word == "free").then_some(Self::Free(FreeName::Free))),
            ..Forms::expecting("`\"free\"` or a number from 1 to 65535")
        };
        forms.read(deserializer)
    }
}

/// `shell` of a benchmark.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(in super::super) enum ShellEntry {
    /// `sh`, or no shell.
    Usual(bool),
    /// This shell: its name, or its words up to the option before the code.
    Line(String),
}

impl<'de> Deserialize<'de> for ShellEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let forms: Forms<Self> = Forms {
            flag: Some(Self::Usual),
            text: Some(|line| Some(Self::Line(line.to_owned()))),
            ..Forms::expecting("`true`, `false` or a string")
        };
        forms.read(deserializer)
    }
}

/// `output` of a benchmark.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in super::super) enum OutputEntry {
    /// To this file, a path from the plan's folder, emptied at the start of each execution.
    File(String),
    /// To a pipe; the beginning is kept with the sample.
    Keep,
    /// To `/dev/null`.
    Null,
    /// To a pipe that is read and counted.
    Pipe,
}
