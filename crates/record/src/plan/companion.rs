//! Companions: what a benchmark needs to have under way beside it, a server above all.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A program that is under way while a benchmark is executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Companion {
    /// The command, as its words; filled in as the benchmark's, and `{port}` too.
    pub command: Vec<String>,
    /// The port that `{port}` means, if the companion has one.
    pub port: Option<Port>,
    /// How it is known that it is ready.
    pub ready: Ready,
    /// How long it may take to become ready.
    pub timeout: Duration,
    /// The companion's lifetime.
    pub per: CompanionLifetime,
}

/// A port of this host that a companion listens on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Port {
    /// This port.
    Fixed(u16),
    /// A free one, another each time.
    Free,
}

/// How it is known that a companion is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ready {
    /// This shell command succeeds; filled in as hooks are.
    Command(String),
    /// This file, by path from the plan's folder, was made or changed since the start.
    File(String),
    /// Its output has a line with this text in it.
    Line(String),
    /// It listens on its own port, or on the one given here.
    Port(Option<u16>),
    /// As soon as it was started.
    Started,
}

/// The lifetime of a companion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompanionLifetime {
    /// As all executions of the benchmark at a build, with the same parameters, in a session.
    Cell,
    /// As one execution.
    #[default]
    Execution,
    /// As all executions, in a session, whose companions are the same in all their words.
    Run,
}
