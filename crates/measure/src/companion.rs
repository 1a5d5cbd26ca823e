//! Companions: programs that go on beside executions, a server above all; what they are, not how
//! they are started.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::{ExecutionEnd, MissingMetric, Request};

/// The companion to start, and the sign that it is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanionRequest {
    /// The request to start, with the time limit for becoming ready. Its outputs are read in any
    /// case.
    pub request: Request,
    /// How it is known that it is ready.
    pub ready: Readiness,
}

/// How it is known that a companion is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// This command succeeds; it is repeated until then.
    Command(Box<Request>),
    /// This file was made, or changed, since the companion was started.
    File(PathBuf),
    /// One of its outputs has had this text.
    Line(String),
    /// Something listens on this port of this host, by TCP or UDP, on which nothing did before.
    Port(u16),
    /// The companion was started.
    Started,
}

/// A companion that is ready. Dropped, it is killed with all that it started.
pub trait ReadyCompanion: fmt::Debug {
    /// How it ended, if it has; then nothing of it is alive.
    fn ended(&mut self) -> Option<CompanionEnd>;

    /// Begins an account of what it uses.
    fn begin(&mut self);

    /// The companion's usage since the account began.
    fn used(&mut self) -> CompanionUsage;

    /// Asks it to end, and kills what of it is still alive soon after.
    fn end(self: Box<Self>);
}

/// How a companion ended of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanionEnd {
    /// How.
    pub ended: ExecutionEnd,
    /// How many processes it left behind; they were killed.
    pub left_behind: u32,
    /// The last of what it printed, on both outputs.
    pub tail: Vec<u8>,
}

impl CompanionEnd {
    /// How, in one line.
    #[must_use]
    pub fn line(&self) -> String {
        let how = match &self.ended {
            ExecutionEnd::Exited(code) => format!("exit {code}"),
            ExecutionEnd::Killed(number) => tacho_record::killed_by(*number),
            ExecutionEnd::NotStarted(why) => why.clone(),
            ExecutionEnd::Interrupted
            | ExecutionEnd::LimitReached(_)
            | ExecutionEnd::Stopped(_)
            | ExecutionEnd::TimedOut => "ended by us".to_owned(),
        };
        // To go into the background is what servers do of their own accord.
        let left = if self.left_behind > 0 {
            ", leaving processes behind (keep it in the foreground)"
        } else {
            ""
        };
        format!("{how}{left}")
    }
}

/// Why there is no companion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReady {
    /// The companion could not be started, ended, or did not become ready in time.
    Failed {
        /// Why, in one line.
        why: String,
        /// The last of what it printed, on both outputs.
        tail: Vec<u8>,
    },
    /// The user interrupted.
    Interrupted,
}

/// The usage of a companion, all its processes together; values that could not be read are absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompanionUsage {
    /// Processor time. Exact for the processes that were there all the time, in the kernel's ticks
    /// for those that ended meanwhile and were waited for.
    pub cpu: Option<Duration>,
    /// The largest resident set of any one process that is still there, since the account was
    /// begun.
    pub peak_memory: Option<u64>,
}

impl CompanionUsage {
    /// The absent metrics with their reasons.
    #[must_use]
    pub fn absent(&self) -> Vec<MissingMetric> {
        let cpu = "not available here: the kernel does not list the children of a process \
             (`/proc/PID/task/TID/children`)";
        let peak = "not available here: the memory peak of a process cannot be reset \
             (`/proc/PID/clear_refs`)";
        let absent = [
            ("companion-cpu", cpu, self.cpu.is_none()),
            ("companion-peak-memory", peak, self.peak_memory.is_none()),
        ];
        absent
            .into_iter()
            .filter(|(.., absent)| *absent)
            .map(|(metric, why, _)| MissingMetric::new(metric, why))
            .collect()
    }
}
