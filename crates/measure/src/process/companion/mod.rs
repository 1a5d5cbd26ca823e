//! A companion for real: a launcher of its own starts it, and ends it with all that it started.
//!
//! A companion ends as an execution of the launcher does: when it ends, the processes that it left
//! are killed; when this process ends in any way, all of them are killed. So a server that goes
//! into the background counts as ended, and is reported so.

pub mod ports;
mod printed;
mod tree;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use super::ProcessExecutor;
use super::cgroup::GroupFiles;
use super::launcher::Launcher;
use super::order::{self, Orders};
use super::output::OutputFds;
use crate::{
    CompanionEnd, CompanionRequest, CompanionUsage, ExecutionEnd, Executor, NotReady, Readiness,
    ReadyCompanion, Request,
};
use printed::CompanionOutput;
use tree::Tree;

/// How long a companion that was asked to end may take to do so: servers write down what they know.
const GRACE: Duration = Duration::from_secs(5);
/// How often it is looked whether it is ready, at first and later.
const LOOKS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];
/// The folder where the kernel lists processes and ports.
const PROC: &str = "/proc";

/// A program that runs beside executions.
#[derive(Debug)]
struct ProcessCompanion {
    launcher: Launcher,
    printed: CompanionOutput,
    tree: Tree,
    end: Option<CompanionEnd>,
    request: Request,
}

/// Starts it, and waits until it is ready.
pub fn accompany(
    executor: &mut ProcessExecutor,
    wanted: &CompanionRequest,
) -> Result<Box<dyn ReadyCompanion>, NotReady> {
    let failed = |why: String| NotReady::Failed { why, tail: Vec::new() };
    let sign = ReadySign::before(&wanted.ready).map_err(failed)?;
    let mut companion = ProcessCompanion::start(wanted).map_err(failed)?;
    let deadline = Instant::now().checked_add(wanted.request.timeout);
    let [mut pause, longest] = LOOKS;
    loop {
        if executor.is_interrupted() {
            return Err(NotReady::Interrupted);
        }
        // In this order: one that ended after it was ready is not.
        let ready = sign.is_there(&companion, executor);
        if let Some(end) = companion.ended() {
            let why = match &end.ended {
                ExecutionEnd::NotStarted(why) => why.clone(),
                _ => format!("it ended before it was ready: {}", end.line()),
            };
            return Err(NotReady::Failed { why, tail: end.tail });
        }
        if ready {
            companion.printed.look_seldom();
            return Ok(Box::new(companion));
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let why = format!("not ready within {:?}: {}", wanted.request.timeout, sign.missing());
            return Err(NotReady::Failed { why, tail: companion.printed.tail() });
        }
        thread::sleep(pause);
        pause = (pause * 2).min(longest);
    }
}

impl ProcessCompanion {
    fn start(wanted: &CompanionRequest) -> Result<Self, String> {
        let request = Request { timeout: Duration::MAX, grace: GRACE, ..wanted.request.clone() };
        let order = Orders::default().order(&request, GroupFiles::default())?;
        let line =
            if let Readiness::Line(text) = &wanted.ready { Some(text.as_str()) } else { None };
        let (printed, end) =
            CompanionOutput::new(line).map_err(|error| format!("cannot make a pipe: {error}"))?;
        let both = end.try_clone().map_err(|error| format!("cannot make a pipe: {error}"))?;
        let mut launcher = Launcher::start()?;
        let ends = OutputFds { stdout: Some(both.into()), stderr: end.into() };
        launcher.order(&order, Duration::MAX, &ends)?;
        let tree = Tree::new(Path::new(PROC), launcher.id());
        Ok(Self { launcher, printed, tree, end: None, request })
    }

    /// Waits that long for the launcher to say that it has ended.
    fn wait(&mut self, longest: Duration) -> bool {
        let mut fds = [PollFd::new(&self.launcher, PollFlags::IN)];
        let timeout = Timespec::try_from(longest).ok();
        rustix::event::poll(&mut fds, timeout.as_ref()).is_ok_and(|ready| ready > 0)
    }
}

impl ReadyCompanion for ProcessCompanion {
    fn ended(&mut self) -> Option<CompanionEnd> {
        if self.end.is_none() && self.wait(Duration::ZERO) {
            let (ended, left_behind) = match self.launcher.answer() {
                Err(why) => (ExecutionEnd::NotStarted(why), 0),
                Ok(answer) => match answer.started() {
                    Err(error) => (
                        ExecutionEnd::NotStarted(order::why_not(
                            &self.request,
                            answer.step(),
                            &error,
                        )),
                        0,
                    ),
                    Ok(()) => (answer.ended(), answer.left_behind()),
                },
            };
            self.end = Some(CompanionEnd { ended, left_behind, tail: self.printed.whole_tail() });
        }
        self.end.clone()
    }

    fn begin(&mut self) {
        self.tree.begin();
    }

    fn used(&mut self) -> CompanionUsage {
        self.tree.used()
    }

    fn end(mut self: Box<Self>) {
        if self.end.is_none() {
            self.launcher.ask_to_end();
            self.wait(2 * GRACE);
        }
    }
}

/// The sign that a companion is ready, and its state before the start.
#[derive(Debug)]
enum ReadySign {
    Command(Box<Request>),
    File(PathBuf, Option<CompanionState>),
    Line(String),
    Port(u16),
    Started,
}

/// The state of a file, which differs after it was made or changed.
#[derive(Debug, PartialEq, Eq)]
struct CompanionState {
    inode: (u64, u64),
    changed: (i64, i64),
}

impl CompanionState {
    fn of(path: &Path) -> Option<Self> {
        let data = fs::symlink_metadata(path).ok()?;
        Some(Self { inode: (data.dev(), data.ino()), changed: (data.ctime(), data.ctime_nsec()) })
    }
}

impl ReadySign {
    /// As things are before it is started; or why it can never be known that it is ready.
    fn before(ready: &Readiness) -> Result<Self, String> {
        Ok(match ready {
            Readiness::Command(request) => Self::Command(request.clone()),
            Readiness::File(path) => Self::File(path.clone(), CompanionState::of(path)),
            Readiness::Line(text) => Self::Line(text.clone()),
            Readiness::Port(port) => {
                let taken = ports::sockets_at(Path::new(PROC), *port);
                if !taken.is_empty() {
                    let by = ports::holder(Path::new(PROC), &taken);
                    let by = by.map_or_else(String::new, |holder| format!(" by {holder}"));
                    return Err(format!("port {port} is in use already{by}"));
                }
                Self::Port(*port)
            }
            Readiness::Started => Self::Started,
        })
    }

    fn is_there(&self, companion: &ProcessCompanion, executor: &mut ProcessExecutor) -> bool {
        match self {
            Self::Command(request) => executor.execute(request).ended == ExecutionEnd::Exited(0),
            Self::File(path, before) => {
                CompanionState::of(path).is_some_and(|now| Some(now) != *before)
            }
            Self::Line(_) => companion.printed.has_found(),
            Self::Port(port) => !ports::sockets_at(Path::new(PROC), *port).is_empty(),
            // A failure to start is known a moment later.
            Self::Started => companion.tree.has_started(),
        }
    }

    /// The missing sign.
    fn missing(&self) -> String {
        match self {
            Self::Command(request) => {
                format!("`{}` did not succeed", request.command.last().map_or("", String::as_str))
            }
            Self::File(path, None) => format!("`{}` was not made", path.display()),
            Self::File(path, Some(_)) => format!("`{}` was not changed", path.display()),
            Self::Line(text) => format!("it did not print `{text}`"),
            Self::Port(port) => format!("nothing listens on port {port}"),
            Self::Started => "it was not started".to_owned(),
        }
    }
}
