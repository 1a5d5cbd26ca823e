//! What to execute: everything that decides how the subject is started, and nothing about why.

use std::path::PathBuf;
use std::time::Duration;

use tacho_record::{Conditions, Counter, Limits};

/// One command to execute once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The program and its arguments; a program without a `/` is looked for in `PATH`. No shell is involved.
    pub command: Vec<String>,
    /// The folder in which it is executed.
    pub directory: PathBuf,
    /// Variables added to the environment that the conditions give it, the later of two with the same name winning.
    pub environment: Vec<(String, String)>,
    /// The file that is its standard input; without one it reads `/dev/null`.
    pub stdin: Option<PathBuf>,
    /// How long it may take before it is ended.
    pub timeout: Duration,
    /// How long it may take to end when it is asked to; then it is killed.
    pub grace: Duration,
    /// What becomes of its standard output.
    pub stdout: Capture,
    /// What becomes of its standard error, the end of which is read and known in any case.
    pub stderr: Capture,
    /// What it finds around it.
    pub conditions: Conditions,
    /// What it may use at most.
    pub limits: Limits,
    /// What is counted of it. Executions one after the other with the same counters cost least.
    pub counters: Vec<Counter>,
    /// Whether the memory of all its processes together is to be read, where that can be.
    pub tree_memory: bool,
}

impl Request {
    /// That command and nothing else: in the root folder, without time limit, output or conditions.
    ///
    /// The start of all others: `Request { timeout, ..Request::new(["true"]) }`.
    #[must_use]
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            command: command.into_iter().map(Into::into).collect(),
            directory: "/".into(),
            environment: Vec::new(),
            stdin: None,
            timeout: Duration::MAX,
            grace: Duration::from_millis(500),
            stdout: Capture::Nothing,
            stderr: Capture::Nothing,
            conditions: Conditions::default(),
            limits: Limits::default(),
            counters: Vec::new(),
            tree_memory: false,
        }
    }
}

/// What becomes of an output of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Capture {
    /// Goes to `/dev/null`; nobody reads it, so nobody slows the subject down.
    Nothing,
    /// Is read: its digest, its length and its end are known afterwards.
    Digest,
    /// As [`Capture::Digest`], and its beginning is kept, at most that many bytes; what is looked for too, if a text is
    /// given.
    Keep {
        /// The most bytes that are kept; what follows them is read and not kept.
        limit: usize,
        /// The text.
        search: Option<String>,
    },
    /// As [`Capture::Digest`], and this text is looked for.
    Search(String),
}
