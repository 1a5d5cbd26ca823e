//! How a companion is written, and the choices that are a word or a table.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use super::Words;

/// `companion` of a benchmark.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in super::super) struct CompanionTable {
    /// The command: a string that is split into words as a shell would, or the words. No shell is started. The same
    /// names as in the benchmark's `command` are filled in, and {port}. It must stay in the foreground.
    #[schemars(required)]
    pub command: Option<Words>,
    /// The port that {port} stands for, here and in the benchmark: "free" for one that nobody has, or its number.
    pub port: Option<PortEntry>,
    /// How it is known that it is ready: when it listens on `port`, if that is given and this is not.
    pub ready: Option<ReadyEntry>,
    /// How long it may take to become ready: "500ms", "10s", "5m".
    #[serde(default = "timeout")]
    pub timeout: String,
    /// What it lives as long as: one execution unless given.
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
    /// As all executions of the benchmark at a build, with the same parameters, in a session.
    Cell,
    /// As one execution.
    #[default]
    Execution,
    /// As all executions, in a session, whose companions are the same in all their words.
    Run,
}

/// `ready` of a companion.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in super::super) enum ReadyEntry {
    /// When this shell command succeeds, which is tried again and again.
    Command(String),
    /// When this file was made or changed, by path from the plan's folder.
    File(String),
    /// When its output has a line with this text in it.
    Line(String),
    /// When it listens on this port of this host.
    Port(u16),
    /// As soon as it was started.
    Started,
}

/// `port` of a companion.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(untagged)]
pub(in super::super) enum PortEntry {
    /// This one.
    Fixed(u16),
    /// One that nobody has, another each time.
    Free(FreeName),
}

/// The word for a port that nobody has.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub(in super::super) enum FreeName {
    /// "free".
    Free,
}

impl<'de> Deserialize<'de> for PortEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PortVisitor)
    }
}

struct PortVisitor;

impl Visitor<'_> for PortVisitor {
    type Value = PortEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`\"free\"` or a number from 1 to 65535")
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<PortEntry, E> {
        let wrong = || E::invalid_value(serde::de::Unexpected::Signed(number), &self);
        u16::try_from(number).ok().filter(|port| *port > 0).map(PortEntry::Fixed).ok_or_else(wrong)
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<PortEntry, E> {
        let wrong = || E::invalid_value(serde::de::Unexpected::Str(word), &self);
        (word == "free").then_some(PortEntry::Free(FreeName::Free)).ok_or_else(wrong)
    }
}

/// `shell` of a benchmark.
#[derive(Debug, JsonSchema)]
#[schemars(untagged)]
pub(in super::super) enum ShellEntry {
    /// `sh`, or none.
    Usual(bool),
    /// This shell: its name, or its words with the option that code follows.
    Line(String),
}

impl<'de> Deserialize<'de> for ShellEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShellVisitor)
    }
}

struct ShellVisitor;

impl Visitor<'_> for ShellVisitor {
    type Value = ShellEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`true`, `false` or a string")
    }

    fn visit_bool<E: serde::de::Error>(self, usual: bool) -> Result<ShellEntry, E> {
        Ok(ShellEntry::Usual(usual))
    }

    fn visit_str<E: serde::de::Error>(self, line: &str) -> Result<ShellEntry, E> {
        Ok(ShellEntry::Line(line.to_owned()))
    }
}

/// `output` of a benchmark.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(in super::super) enum OutputEntry {
    /// To this file, by path from the plan's folder, empty at the start of each execution.
    File(String),
    /// To a pipe; its beginning is kept with the sample.
    Keep,
    /// To `/dev/null`.
    Null,
    /// To a pipe that is read, and counted.
    Pipe,
}
