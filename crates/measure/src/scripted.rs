//! An executor that executes nothing: the result of each request is scripted, on a clock of its
//! own.
//!
//! With it the floors above test their schedules, stopping rules and bisections without timing
//! anything.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use tacho_record::Counter;

use crate::{
    CompanionEnd, CompanionRequest, CompanionUsage, Execution, ExecutionEnd, Executor,
    MissingMetric, NotReady, Readings, ReadyCompanion, Request, Unavailable,
};

/// Executes by asking a closure, and remembers what it was asked.
///
/// The closure is given the request and the time on the clock, and returns the result. Its
/// [`Execution::at`] is replaced by the clock's time, and the clock then advances by its `wall`; of
/// two at the same time by the longer one.
///
/// A [certain](Executor::execute_before) next request that does not come is a mistake of the
/// schedule, and panics.
///
/// ```
/// use std::time::Duration;
/// use jiff::Timestamp;
/// use tacho_measure::{Execution, ExecutionEnd, Executor, Request, ScriptedExecutor};
///
/// let mut executor = ScriptedExecutor::new(|request, at| {
///     let wall = if request.command == ["slow"] { 20 } else { 10 };
///     Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(wall))
/// });
/// let request = Request::new(["slow"]);
/// assert_eq!(executor.execute(&request).wall, Duration::from_millis(20));
/// assert_eq!(executor.now(), Timestamp::UNIX_EPOCH + Duration::from_millis(20));
/// assert_eq!(executor.requests(), [request]);
/// ```
pub struct ScriptedExecutor<'a> {
    script: Box<Script<'a>>,
    companions: Box<CompanionScript<'a>>,
    clock: Timestamp,
    requests: Vec<Request>,
    /// The certain next request, and how often there was one and it came.
    next: Option<Request>,
    foreseen: usize,
    refusal: Option<Unavailable>,
    ports: u16,
    lacking: Vec<(Counter, Unavailable)>,
    unread: Vec<MissingMetric>,
    looks: Box<ScriptedLooks<'a>>,
    facts: BTreeMap<String, String>,
}

/// The first port that a scripted executor finds free, and then the next.
const FIRST_PORT: u16 = 40_000;

/// The result of a request at a time.
type Script<'a> = dyn FnMut(&Request, Timestamp) -> Execution + 'a;

/// The readings of the host at a time.
type ScriptedLooks<'a> = dyn FnMut(Timestamp) -> Readings + 'a;

/// The result of starting a companion.
type CompanionScript<'a> =
    dyn FnMut(&CompanionRequest) -> Result<Box<dyn ReadyCompanion>, NotReady> + 'a;

impl<'a> ScriptedExecutor<'a> {
    /// An executor with that script, whose clock starts at the epoch.
    #[must_use]
    pub fn new(script: impl FnMut(&Request, Timestamp) -> Execution + 'a) -> Self {
        Self {
            script: Box::new(script),
            companions: Box::new(|_| Ok(Box::new(ScriptedQuiet))),
            clock: Timestamp::UNIX_EPOCH,
            requests: Vec::new(),
            next: None,
            foreseen: 0,
            ports: FIRST_PORT,
            refusal: None,
            lacking: Vec::new(),
            unread: Vec::new(),
            looks: Box::new(|_| Readings::default()),
            facts: BTreeMap::new(),
        }
    }

    /// The same with companions of that script; without one, each is ready at once, uses nothing
    /// and never ends.
    #[must_use]
    pub fn with_companions(
        self,
        companions: impl FnMut(&CompanionRequest) -> Result<Box<dyn ReadyCompanion>, NotReady> + 'a,
    ) -> Self {
        Self { companions: Box::new(companions), ..self }
    }

    /// The same with its clock at that time.
    #[must_use]
    pub fn starting_at(self, clock: Timestamp) -> Self {
        Self { clock, ..self }
    }

    /// The same on a host where no condition is available.
    #[must_use]
    pub fn refusing(self, why: Unavailable) -> Self {
        Self { refusal: Some(why), ..self }
    }

    /// The same without that counter.
    #[must_use]
    pub fn lacking(mut self, counter: Counter, why: Unavailable) -> Self {
        self.lacking.push((counter, why));
        self
    }

    /// The same on a host that lacks these readings.
    #[must_use]
    pub fn not_reading(self, unread: Vec<MissingMetric>) -> Self {
        Self { unread, ..self }
    }

    /// The same on a host that is like that at a time, when it is looked at; without it, it is
    /// quiet.
    #[must_use]
    pub fn looking(self, looks: impl FnMut(Timestamp) -> Readings + 'a) -> Self {
        Self { looks: Box::new(looks), ..self }
    }

    /// The same on a host with these facts.
    #[must_use]
    pub fn stating(self, facts: BTreeMap<String, String>) -> Self {
        Self { facts, ..self }
    }

    /// How many of them were known for certain while the one before was executed.
    #[must_use]
    pub fn foreseen(&self) -> usize {
        self.foreseen
    }

    /// Takes note of what is requested.
    fn ask(&mut self, request: &Request) {
        if let Some(next) = self.next.take() {
            assert_eq!(&next, request, "it was not what was certain to be next");
            self.foreseen += 1;
        }
        self.requests.push(request.clone());
    }

    /// All requests so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }
}

impl Executor for ScriptedExecutor<'_> {
    fn execute(&mut self, request: &Request) -> Execution {
        self.ask(request);
        let at = self.clock;
        let execution = (self.script)(request, at);
        self.clock += execution.wall;
        Execution { at, ..execution }
    }

    fn execute_before(&mut self, request: &Request, next: &Request) -> Execution {
        let execution = self.execute(request);
        let is_well = execution.ended == ExecutionEnd::Exited(0) && execution.left_behind == 0;
        self.next = is_well.then(|| next.clone());
        execution
    }

    fn finish(&mut self, request: &Request) -> Execution {
        // The user may have interrupted.
        self.next = None;
        self.execute(request)
    }

    fn execute_pair(&mut self, requests: [&Request; 2]) -> [Execution; 2] {
        let at = self.clock;
        let executions = requests.map(|request| {
            self.ask(request);
            Execution { at, ..(self.script)(request, at) }
        });
        self.clock += executions[0].wall.max(executions[1].wall);
        executions
    }

    fn rehearse(&mut self, _: &Request) -> Result<(), Unavailable> {
        self.refusal.clone().map_or(Ok(()), Err)
    }

    fn accompany(
        &mut self,
        request: &CompanionRequest,
    ) -> Result<Box<dyn ReadyCompanion>, NotReady> {
        (self.companions)(request)
    }

    fn free_port(&mut self) -> Result<u16, String> {
        let port = self.ports;
        self.ports += 1;
        Ok(port)
    }

    fn lacks(&mut self, counter: Counter) -> Option<Unavailable> {
        self.lacking.iter().find(|(lacking, _)| *lacking == counter).map(|(_, why)| why.clone())
    }

    fn facts(&mut self) -> BTreeMap<String, String> {
        self.facts.clone()
    }

    fn look(&mut self, span: Duration) -> Readings {
        let readings = (self.looks)(self.clock);
        self.clock += span;
        Readings { span, ..readings }
    }

    fn unread(&mut self) -> Vec<MissingMetric> {
        self.unread.clone()
    }

    fn now(&mut self) -> Timestamp {
        self.clock
    }
}

/// A companion of which nothing is seen.
#[derive(Debug)]
struct ScriptedQuiet;

impl ReadyCompanion for ScriptedQuiet {
    fn ended(&mut self) -> Option<CompanionEnd> {
        None
    }

    fn begin(&mut self) {}

    fn used(&mut self) -> CompanionUsage {
        CompanionUsage::default()
    }

    fn end(self: Box<Self>) {}
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

    #[test]
    fn the_clock_advances_by_what_each_execution_took_and_nothing_else() {
        let start: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        let request = Request::new(["x"]);
        let mut calls = 0;
        let mut executor = ScriptedExecutor::new(|_, at| {
            calls += 1;
            Execution::of(
                ExecutionEnd::Exited(calls),
                at - Duration::from_secs(99),
                Duration::from_secs(2),
            )
        })
        .starting_at(start);
        assert_eq!(executor.now(), start);
        assert_eq!(executor.execute(&request).at, start);
        let second = executor.execute(&request);
        assert_eq!(
            (second.at, second.ended),
            (start + Duration::from_secs(2), ExecutionEnd::Exited(2))
        );
        assert_eq!(executor.now(), start + Duration::from_secs(4));
        assert_eq!(executor.requests().len(), 2);
    }
}
