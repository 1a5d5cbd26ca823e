//! A request: everything that decides how the subject is started, and nothing about the purpose.

use std::path::PathBuf;
use std::time::Duration;

use tacho_record::{Conditions, Counter, Limits};

/// One command to execute once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The program and its arguments; a program without a `/` is looked for in `PATH`. No shell is
    /// involved.
    pub command: Vec<String>,
    /// The folder in which it is executed.
    pub directory: PathBuf,
    /// Variables added to the environment that the conditions give it, the later of two with the
    /// same name winning.
    pub environment: Vec<(String, String)>,
    /// A variable of this name and this many bytes, after all others: what differs from one
    /// execution to the next of the same command is kept out of what can be prepared once.
    pub padding: Option<(&'static str, usize)>,
    /// The file that is its standard input; without one it reads `/dev/null`.
    pub stdin: Option<PathBuf>,
    /// How long it may take before it is ended.
    pub timeout: Duration,
    /// How long it may take to end when it is asked to; then it is killed.
    pub grace: Duration,
    /// How long it may take to be gone once it is killed, which may have much memory to give back;
    /// then it is left alone.
    pub patience: Duration,
    /// The capture of its standard output.
    pub stdout: Capture,
    /// The capture of its standard error, whose end is read in any case except
    /// [`Capture::Inherit`].
    pub stderr: Capture,
    /// Its conditions.
    pub conditions: Conditions,
    /// Its limits.
    pub limits: Limits,
    /// Its counters. Consecutive executions with the same counters cost least.
    pub counters: Vec<Counter>,
    /// Whether the memory of all its processes together is read, if possible.
    pub tree_memory: bool,
    /// Whether the bytes that all its processes together read from devices and write to them are
    /// read, if possible.
    pub tree_blocks: bool,
}

impl Request {
    /// A request for this command alone: in the root folder, without time limit, output or
    /// conditions.
    ///
    /// The start of all others: `Request { timeout, ..Request::new(["true"]) }`.
    #[must_use]
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            command: command.into_iter().map(Into::into).collect(),
            directory: "/".into(),
            environment: Vec::new(),
            padding: None,
            stdin: None,
            timeout: Duration::MAX,
            grace: Duration::from_millis(500),
            patience: Duration::from_secs(30),
            stdout: Capture::Nothing,
            stderr: Capture::Nothing,
            conditions: Conditions::default(),
            limits: Limits::default(),
            counters: Vec::new(),
            tree_memory: false,
            tree_blocks: false,
        }
    }
}

/// The capture of an output of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Capture {
    /// The output goes to this file, which is empty at the start, and is read after the subject
    /// ended.
    File {
        /// The file.
        path: PathBuf,
        /// The requested information about it.
        look: OutputRequest,
    },
    /// The output goes to that of this process, and nothing is known about it.
    Inherit,
    /// The output goes to `/dev/null`; nothing reads it, so nothing slows the subject down.
    Nothing,
    /// The output is read while the subject writes it.
    Read(OutputRequest),
}

/// The requested information about an output besides its length and its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputRequest {
    /// Its digest.
    pub digest: bool,
    /// Whether this text occurs.
    pub search: Option<String>,
    /// Its beginning, at most that many bytes; what follows them is read and not kept.
    pub keep: Option<usize>,
}

impl OutputRequest {
    /// The digest is to be known.
    #[must_use]
    pub fn digest() -> Self {
        Self { digest: true, ..Self::default() }
    }

    /// Its beginning is to be kept, at most that many bytes.
    #[must_use]
    pub fn keep(limit: usize) -> Self {
        Self { keep: Some(limit), ..Self::default() }
    }

    /// Requests whether this text occurs.
    #[must_use]
    pub fn search(text: impl Into<String>) -> Self {
        Self { search: Some(text.into()), ..Self::default() }
    }
}
