//! An executor that executes nothing: what comes of each request is scripted, on a clock of its own.
//!
//! With it the floors above test their schedules, stopping rules and bisections without timing anything.

use std::fmt;

use jiff::Timestamp;

use crate::{Execution, Executor, Request, Unavailable};

/// Executes by asking a closure, and remembers what it was asked.
///
/// The closure is given the request and the time on the clock, and returns what comes of it. Its
/// [`Execution::at`] is replaced by the clock's time, and the clock then advances by its `wall`.
///
/// ```
/// use std::time::Duration;
/// use jiff::Timestamp;
/// use tacho_measure::{Ended, Execution, Executor, Request, ScriptedExecutor};
///
/// let mut executor = ScriptedExecutor::new(|request, at| {
///     let wall = if request.command == ["slow"] { 20 } else { 10 };
///     Execution::of(Ended::Exited(0), at, Duration::from_millis(wall))
/// });
/// let request = Request::new(["slow"]);
/// assert_eq!(executor.execute(&request).wall, Duration::from_millis(20));
/// assert_eq!(executor.now(), Timestamp::UNIX_EPOCH + Duration::from_millis(20));
/// assert_eq!(executor.requests(), [request]);
/// ```
pub struct ScriptedExecutor<'a> {
    script: Box<Script<'a>>,
    clock: Timestamp,
    requests: Vec<Request>,
    refusal: Option<Unavailable>,
}

/// What comes of a request at that time.
type Script<'a> = dyn FnMut(&Request, Timestamp) -> Execution + 'a;

impl<'a> ScriptedExecutor<'a> {
    /// An executor with that script, whose clock starts at the epoch.
    #[must_use]
    pub fn new(script: impl FnMut(&Request, Timestamp) -> Execution + 'a) -> Self {
        Self { script: Box::new(script), clock: Timestamp::UNIX_EPOCH, requests: Vec::new(), refusal: None }
    }

    /// The same with its clock at that time.
    #[must_use]
    pub fn starting_at(self, clock: Timestamp) -> Self {
        Self { clock, ..self }
    }

    /// The same on a host where no condition can be had.
    #[must_use]
    pub fn refusing(self, why: Unavailable) -> Self {
        Self { refusal: Some(why), ..self }
    }

    /// All requests so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }
}

impl Executor for ScriptedExecutor<'_> {
    fn execute(&mut self, request: &Request) -> Execution {
        self.requests.push(request.clone());
        let at = self.clock;
        let execution = (self.script)(request, at);
        self.clock += execution.wall;
        Execution { at, ..execution }
    }

    fn rehearse(&mut self, _: &Request) -> Result<(), Unavailable> {
        self.refusal.clone().map_or(Ok(()), Err)
    }

    fn now(&mut self) -> Timestamp {
        self.clock
    }
}

impl fmt::Debug for ScriptedExecutor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedExecutor")
            .field("clock", &self.clock)
            .field("requests", &self.requests)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Ended;

    #[test]
    fn the_clock_advances_by_what_each_execution_took_and_nothing_else() {
        let start: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        let request = Request::new(["x"]);
        let mut calls = 0;
        let mut executor = ScriptedExecutor::new(|_, at| {
            calls += 1;
            Execution::of(Ended::Exited(calls), at - Duration::from_secs(99), Duration::from_secs(2))
        })
        .starting_at(start);
        assert_eq!(executor.now(), start);
        assert_eq!(executor.execute(&request).at, start);
        let second = executor.execute(&request);
        assert_eq!((second.at, second.ended), (start + Duration::from_secs(2), Ended::Exited(2)));
        assert_eq!(executor.now(), start + Duration::from_secs(4));
        assert_eq!(executor.requests().len(), 2);
    }
}
