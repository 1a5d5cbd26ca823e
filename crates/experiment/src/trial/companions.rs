//! Companions: the running companion of each cell, and its port.
//!
//! A companion is started before the first execution that needs it, and awaited. One that has ended
//! meanwhile makes that execution fail, and is started again before the next.

use std::path::Path;

use tacho_measure::{
    CompanionEnd, CompanionRequest, CompanionUsage, Executor, NotReady, Readiness, ReadyCompanion,
    Request,
};
use tacho_record::plan::{self, CompanionLifetime, Port, Ready, fill, fill_shell};
use tacho_record::{Failure, Outcome};

use crate::trial::hooks::{PORT, with_port};

/// The companion of a benchmark at a build, ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanionDemand {
    request: CompanionRequest,
    port: Option<Port>,
    per: CompanionLifetime,
}

/// The reason that prevents an execution.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// There is no companion, and so no valid execution.
    Failed(Outcome),
    /// The user interrupted.
    Interrupted,
}

impl CompanionDemand {
    /// The companion of a plan, with these values filled in; the rest is as in that request.
    #[must_use]
    pub fn new(
        companion: &plan::Companion,
        values: &[(&str, &str)],
        like: &Request,
        folder: &Path,
    ) -> Self {
        let plan::Companion { command, port, ready, timeout, per } = companion;
        let like = Request { timeout: *timeout, ..like.clone() };
        let ready = match ready {
            Ready::Command(script) => {
                let command = ["sh", "-c", &fill_shell(script, values)].map(str::to_owned).to_vec();
                Readiness::Command(Box::new(Request { command, ..like.clone() }))
            }
            Ready::File(path) => Readiness::File(folder.join(path)),
            Ready::Line(text) => Readiness::Line(text.clone()),
            // Its own is filled in when it is known.
            Ready::Port(number) => Readiness::Port(number.unwrap_or_default()),
            Ready::Started => Readiness::Started,
        };
        let command = command.iter().map(|word| fill(word, values)).collect();
        let request = CompanionRequest { request: Request { command, ..like }, ready };
        Self { request, port: *port, per: *per }
    }

    /// With that port.
    fn at(&self, port: Option<u16>) -> CompanionRequest {
        let ready = match &self.request.ready {
            Readiness::Command(request) => Readiness::Command(Box::new(with_port(request, port))),
            Readiness::Port(0) => Readiness::Port(port.unwrap_or_default()),
            other => other.clone(),
        };
        CompanionRequest { request: with_port(&self.request.request, port), ready }
    }
}

/// The value for `{port}`, if there is one: the port, or the placeholder of an unknown port.
pub fn port(companion: Option<&plan::Companion>) -> Option<String> {
    match companion?.port? {
        Port::Fixed(number) => Some(number.to_string()),
        Port::Free => Some(PORT.to_owned()),
    }
}

/// A companion, under way or not.
#[derive(Debug)]
pub struct Member {
    wanted: CompanionDemand,
    port: Option<u16>,
    alive: Option<Box<dyn ReadyCompanion>>,
}

impl Member {
    /// One that is not under way.
    #[must_use]
    pub fn new(wanted: CompanionDemand) -> Self {
        let port = if let Some(Port::Fixed(number)) = wanted.port { Some(number) } else { None };
        Self { wanted, port, alive: None }
    }

    /// The port that it has, or will have when it is started.
    pub fn port(&mut self, executor: &mut dyn Executor) -> Result<Option<u16>, Missing> {
        if self.alive.is_none() && self.wanted.port == Some(Port::Free) {
            let port = executor.free_port().map_err(|why| Missing::Failed(failed(&why, &[])))?;
            self.port = Some(port);
        }
        Ok(self.port)
    }

    /// Sees to it that it is under way.
    pub fn start(&mut self, executor: &mut dyn Executor) -> Result<(), Missing> {
        if let Some(end) = self.has_ended() {
            let why = format!("it ended before the execution: {}", end.line());
            return Err(Missing::Failed(failed(&why, &end.tail)));
        }
        if self.alive.is_none() {
            let started = executor.accompany(&self.wanted.at(self.port));
            self.alive = Some(started.map_err(|not_ready| match not_ready {
                NotReady::Failed { why, tail } => Missing::Failed(failed(&why, &tail)),
                NotReady::Interrupted => Missing::Interrupted,
            })?);
        }
        Ok(())
    }

    /// Begins the account of an execution.
    pub fn begin(&mut self) {
        if let Some(companion) = &mut self.alive {
            companion.begin();
        }
    }

    /// The companion's usage during the execution; or the failure of the execution because the
    /// companion ended.
    pub fn used(&mut self) -> Result<CompanionUsage, Outcome> {
        let used = self.alive.as_mut().map(|companion| companion.used()).unwrap_or_default();
        match self.has_ended() {
            None => Ok(used),
            Some(end) => {
                Err(failed(&format!("it ended during the execution: {}", end.line()), &end.tail))
            }
        }
    }

    /// Ends it if it lives as long as one execution.
    pub fn after_execution(&mut self) {
        if self.wanted.per == CompanionLifetime::Execution {
            self.end();
        }
    }

    /// Ends it, if it is under way.
    pub fn end(&mut self) {
        if let Some(companion) = self.alive.take() {
            companion.end();
        }
    }

    /// How it ended, if it has; then it is under way no more.
    fn has_ended(&mut self) -> Option<CompanionEnd> {
        let end = self.alive.as_mut()?.ended()?;
        self.alive = None;
        Some(end)
    }
}

/// How an execution fails that lacks its companion.
fn failed(why: &str, tail: &[u8]) -> Outcome {
    let failure = Failure::Companion { why: format!("`companion`: {why}") };
    Outcome::Failed { failure, output: String::from_utf8_lossy(tail).into_owned() }
}

/// The companions of a session's cells.
#[derive(Debug, Default)]
pub struct Company {
    members: Vec<Member>,
    /// For each cell, which is its.
    of: Vec<Option<usize>>,
}

impl Company {
    /// The companions of cells with these demands; those with the lifetime of the run are shared if
    /// equal.
    pub fn new<'a>(wanted: impl IntoIterator<Item = Option<&'a CompanionDemand>>) -> Self {
        let mut company = Self::default();
        for wanted in wanted {
            company.add(wanted);
        }
        company
    }

    /// Adds a cell that wants this, or none; its number.
    pub fn add(&mut self, wanted: Option<&CompanionDemand>) -> usize {
        let member = wanted.map(|wanted| self.member_for(wanted));
        self.of.push(member);
        self.of.len() - 1
    }

    fn member_for(&mut self, wanted: &CompanionDemand) -> usize {
        let same =
            |member: &Member| wanted.per == CompanionLifetime::Run && member.wanted == *wanted;
        self.members.iter().position(same).unwrap_or_else(|| {
            self.members.push(Member::new(wanted.clone()));
            self.members.len() - 1
        })
    }

    /// The companion of a cell, if it has one.
    pub fn of(&mut self, cell: usize) -> Option<&mut Member> {
        let member = (*self.of.get(cell)?)?;
        self.members.get_mut(member)
    }

    /// Ends all of them.
    pub fn end(&mut self) {
        self.members.iter_mut().for_each(Member::end);
    }
}
