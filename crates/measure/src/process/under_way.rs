//! Orders on their way through a launcher.

use std::time::Duration;

use jiff::Timestamp;
use tacho_record::Counter;

use super::answer::Answer;
use super::launcher::Launcher;
use super::output::{CapturedOutputs, Outputs};
use crate::counters::Events;
use crate::{CounterValue, MissingMetric, Readings, Request, Usage};

/// An order that is carried out.
#[derive(Debug)]
pub struct ActiveOrder {
    pub launcher: Launcher,
    pub events: Events,
    pub outputs: Outputs,
    /// How long it may take.
    pub limit: Duration,
    /// The answer, after it has ended.
    pub answer: Option<Answer>,
}

/// A completed order.
pub struct CompletedOrder {
    /// When it was started; of several, when the first was.
    pub at: Timestamp,
    pub answer: Answer,
    pub output: CapturedOutputs,
    pub usage: Usage,
    pub counts: Vec<(Counter, CounterValue)>,
    pub uncounted: Vec<MissingMetric>,
    pub readings: Readings,
}

/// The next execution, which surely follows the active one if that succeeds.
#[derive(Clone, Copy)]
pub struct NextOrder<'a> {
    pub after: &'a Request,
    pub request: &'a Request,
}

/// An execution that was begun before it was requested.
#[derive(Debug)]
pub struct EarlyExecution {
    pub request: Request,
    pub under_way: ActiveOrder,
}
