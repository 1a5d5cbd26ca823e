//! How an execution ended, and what could not be read of it.

use std::borrow::Cow;

use tacho_record::Limit;

/// A metric that an execution has no value of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingMetric {
    /// The metric's name.
    pub metric: Cow<'static, str>,
    /// Why, in one line: `not available here: …`.
    pub why: Cow<'static, str>,
}

impl MissingMetric {
    /// A metric that is absent for that reason.
    pub fn new(metric: impl Into<Cow<'static, str>>, why: impl Into<Cow<'static, str>>) -> Self {
        Self { metric: metric.into(), why: why.into() }
    }
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutionEnd {
    /// The command exited with this status.
    Exited(i32),
    /// The user interrupted it; its readings mean nothing.
    Interrupted,
    /// A signal of this number, which was not ours, killed it.
    Killed(i32),
    /// The execution reached this limit.
    LimitReached(Limit),
    /// The command could not be started: the reason, in one line.
    NotStarted(String),
    /// The execution exceeded the time limit and was ended; until then a signal with this number
    /// had stopped it.
    Stopped(i32),
    /// The execution exceeded the time limit and was ended.
    TimedOut,
}
