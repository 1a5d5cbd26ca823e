//! What came of one execution, and the trait behind which it happens.

use std::time::Duration;

use jiff::Timestamp;
use tacho_record::Digest;

use crate::Request;

/// Whatever can execute a request: the real thing, or a script in tests.
pub trait Executor {
    /// Executes the command once and returns when it, and all that it started, has ended.
    ///
    /// Never fails: a command that could not be started has [`Ended::NotStarted`].
    fn execute(&mut self, request: &Request) -> Execution;

    /// The time on the executor's clock, which is the one that [`Execution::at`] is read from.
    fn now(&mut self) -> Timestamp;
}

/// One execution and what was read from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// When it was started.
    pub at: Timestamp,
    /// From right before the program was started until it had ended, on a clock that nobody sets.
    pub wall: Duration,
    /// How it ended.
    pub ended: Ended,
    /// What it used.
    pub usage: Usage,
    /// Its standard output, if that was to be read.
    pub stdout: Option<Captured>,
    /// The end of its standard error, at most 4 KiB.
    pub stderr_tail: Vec<u8>,
    /// Its standard error, if more of it was asked for than its end.
    pub stderr: Option<Captured>,
    /// Whether processes that it had started were still alive when it ended of its own; they were killed, and
    /// what they used is in no reading.
    pub left_behind: bool,
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It exited with this status.
    Exited(i32),
    /// The user interrupted it; its readings mean nothing.
    Interrupted,
    /// A signal of this number, which was not ours, killed it.
    Killed(i32),
    /// It could not be started: why, in one line.
    NotStarted(String),
    /// It took longer than it may and was ended.
    TimedOut,
}

/// What the kernel says that an execution used: the process itself and its descendants that were waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processor time in the program. The split from `sys` is sampled by many kernels, the sum is exact.
    pub user: Duration,
    /// Processor time in the kernel on its behalf.
    pub sys: Duration,
    /// The largest resident set of any one process of the execution, in bytes.
    ///
    /// Absent when the kernel's number cannot be told from [`peak_floor`](Self::peak_floor).
    pub peak_memory: Option<u64>,
    /// The smallest peak that can be seen, in bytes: a process inherits that of the process it was made from,
    /// which was ours, so a smaller one stays hidden behind it.
    pub peak_floor: u64,
}

impl Usage {
    /// Why [`peak_memory`](Self::peak_memory) is absent, in one line; nothing if it is there.
    #[must_use]
    pub fn peak_absent(&self) -> Option<String> {
        let floor = self.peak_floor / 1024;
        self.peak_memory.is_none().then(|| match floor {
            0 => "it was not started".to_owned(),
            _ => {
                format!("too small to see: below {floor} KiB a process shows what it inherited from this one")
            }
        })
    }
}

/// An output that was read, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The digest of all of it.
    pub digest: Digest,
    /// Its length in bytes.
    pub bytes: u64,
    /// Whether the text that was looked for occurred, if one was.
    pub found: Option<bool>,
    /// Its end, at most 4 KiB; not always UTF-8.
    pub tail: Vec<u8>,
    /// Its beginning, as long as [`Capture::Keep`](crate::Capture::Keep) allows, if that was asked for.
    pub kept: Option<Vec<u8>>,
}

impl Captured {
    /// An output as if it had been read, with nothing looked for in it.
    #[must_use]
    pub fn of(output: impl AsRef<[u8]>) -> Self {
        let output = output.as_ref();
        let tail = output[output.len().saturating_sub(crate::process::TAIL)..].to_vec();
        Self { digest: Digest::of(output), bytes: output.len() as u64, found: None, tail, kept: None }
    }

    /// The same, all of it kept.
    #[must_use]
    pub fn keeping(output: impl AsRef<[u8]>) -> Self {
        Self { kept: Some(output.as_ref().to_vec()), ..Self::of(output) }
    }

    /// All of it, if that was kept.
    #[must_use]
    pub fn whole(&self) -> Option<&[u8]> {
        self.kept.as_deref().filter(|kept| kept.len() as u64 == self.bytes)
    }
}

impl Execution {
    /// An execution that ended so after that time, used nothing, and printed nothing.
    ///
    /// The start of most others: `Execution { usage, ..Execution::of(ended, at, wall) }`.
    #[must_use]
    pub fn of(ended: Ended, at: Timestamp, wall: Duration) -> Self {
        Self {
            at,
            wall,
            ended,
            usage: Usage::default(),
            stdout: None,
            stderr_tail: Vec::new(),
            stderr: None,
            left_behind: false,
        }
    }
}
