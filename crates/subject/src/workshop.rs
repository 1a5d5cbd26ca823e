//! The workshop: makes builds of a plan's subject.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tacho_record::plan::{Subject, fill_shell};
use tacho_record::{Build, BuildState, Digest, Revision};

use crate::artifacts::{Cache, Content, relative};
use crate::build::{Cut, Limits, Log};
use crate::checkout::{BUILD, Checkout, Origin, Stop, Work};
use crate::git::REPOSITORY_VARIABLES;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::{Builder, Built, SubjectError};

/// Variables by which a `make` that started us would steer the one that we start.
const MAKE_VARIABLES: [&str; 4] = ["MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS"];

/// With less space than this left, in bytes, a disk is full; with less than the other it is, if a build says so.
const FULL: u64 = 4 << 20;
const NEARLY_FULL: u64 = 1 << 30;

/// Makes builds in a checkout of its own, and keeps them by digest.
///
/// There can be one at a time for a cache, which it locks: the checkout is always the same folder.
#[derive(Debug)]
pub struct Workshop {
    artifacts: Vec<String>,
    cache: Cache,
    checkout: Checkout,
    command: Option<String>,
    folder: PathBuf,
    layout: Option<Layout>,
    recipe: Digest,
    timeout: Duration,
    _lock: Lock,
}

impl Workshop {
    /// A workshop for that subject, whose plan is in that folder; `cache` is its own, to be made if need be, and
    /// holds archives of at most `cache_limit` bytes, besides those that are needed. An error when another
    /// workshop has the same cache.
    pub fn new(
        subject: &Subject,
        plan_folder: &Path,
        cache: &Path,
        cache_limit: u64,
    ) -> Result<Self, SubjectError> {
        if let Some(artifact) = subject.artifacts.iter().find(|artifact| relative(artifact).is_none()) {
            return Err(SubjectError::BadArtifact { artifact: artifact.clone() });
        }
        let origin = Origin::of(&subject.source, plan_folder)?;
        let logs = cache.join("logs");
        fs::create_dir_all(&logs).map_err(SubjectError::cache("create", &logs))?;
        let folder = cache.canonicalize().map_err(SubjectError::cache("read", cache))?;
        // Before anything in there is touched: what looks unfinished may be another's.
        let lock = Lock::take(&folder)?;
        Ok(Self {
            artifacts: subject.artifacts.clone(),
            cache: Cache::open(&folder, cache_limit)?,
            checkout: Checkout::new(origin, &folder),
            command: subject.build.clone(),
            folder,
            layout: None,
            recipe: subject.recipe(),
            timeout: subject.build_timeout,
            _lock: lock,
        })
    }

    /// The digest of all in the plan that decides what is built.
    #[must_use]
    pub fn recipe(&self) -> Digest {
        self.recipe_of(self.layout.as_ref())
    }

    /// That of builds with this layout.
    fn recipe_of(&self, layout: Option<&Layout>) -> Digest {
        let Some(layout) = layout else { return self.recipe };
        let variables = layout.variables.iter().map(|(name, value)| format!("\0{name}={value}"));
        Digest::of(format!("{}\0layout{}", self.recipe, variables.collect::<String>()))
    }

    /// Checks out, builds, and keeps the artifacts: their digest and size.
    fn attempt(&mut self, revision: &Revision, work: &mut Work) -> Result<BuildState, Stop> {
        self.checkout.take(revision, work)?;
        if let Some(command) = &self.command {
            let command = self.command(command, revision, work.log)?;
            work.step(BUILD, command)?;
        }
        let tree = self.checkout.tree();
        let content = Content::collect(tree, &self.artifacts).map_err(Stop::Failed)?;
        let artifact = content.digest().map_err(Stop::Failed)?;
        self.cache.store(&content, artifact)?;
        Ok(BuildState::Built { artifact, size: content.size() })
    }

    /// The shell command that builds the revision.
    fn command(&self, template: &str, revision: &Revision, log: &mut Log) -> Result<Command, SubjectError> {
        let jobs = available_parallelism().map_or(1, usize::from).to_string();
        let values = [("jobs", jobs.as_str()), ("release", &revision.id), ("revision", &revision.id)];
        let script = fill_shell(template, &values);
        log.note(&format!("executes in {}:\n{script}", self.checkout.tree().display()))?;
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(self.checkout.tree());
        for variable in REPOSITORY_VARIABLES.iter().chain(&MAKE_VARIABLES) {
            command.env_remove(variable);
        }
        command.env("GIT_CEILING_DIRECTORIES", &self.folder);
        for (variable, value) in self.layout.iter().flat_map(|layout| &layout.variables) {
            log.note(&format!("with {variable}={value}"))?;
            command.env(variable, value);
        }
        Ok(command)
    }

    /// Whether a build failed because there was no space left for it.
    fn is_full(&self, log: &Log) -> bool {
        let Ok(disk) = rustix::fs::statvfs(&self.folder) else { return false };
        let left = disk.f_bavail.saturating_mul(disk.f_frsize);
        left < FULL || left < NEARLY_FULL && log.says("No space left on device")
    }

    fn log(&self, revision: &Revision) -> Result<Log, SubjectError> {
        let keep = |c: char| if c.is_ascii_alphanumeric() || "+-._".contains(c) { c } else { '-' };
        let name: String = revision.id.chars().map(keep).take(80).collect();
        let mut log = Log::create(self.folder.join("logs").join(format!("{name}.log")))?;
        log.note(&format!("builds {} {}", revision.id, revision.subject))?;
        Ok(log)
    }
}

impl Builder for Workshop {
    fn build(&mut self, revision: &Revision, interrupt: &AtomicBool) -> Result<Built, SubjectError> {
        let (started, clock) = (Timestamp::now(), Instant::now());
        let mut log = self.log(revision)?;
        let limits = Limits { time: self.timeout, interrupt };
        let attempt = self.attempt(revision, &mut Work { log: &mut log, limits });
        let took = clock.elapsed();
        let state = match attempt {
            Ok(state) => state,
            Err(Stop::Cut(Cut::Interrupted)) => return Ok(Built::Interrupted),
            Err(Stop::Cut(Cut::TimedOut)) => BuildState::TimedOut { limit: self.timeout },
            Err(Stop::Failed(_) | Stop::Fatal(SubjectError::Git { .. })) if self.is_full(&log) => {
                return Err(SubjectError::DiskFull { path: self.folder.clone() });
            }
            Err(Stop::Failed(why)) => BuildState::Failed { why },
            Err(Stop::Fatal(error)) => return Err(error),
        };
        log.note(&format!("{} after {:.1} s", describe(&state), took.as_secs_f64()))?;
        let revision = revision.id.clone();
        let build = Build { revision, recipe: self.recipe(), state, started, took, log: None };
        Ok(Built::Done { build, log: log.finish()? })
    }

    fn lay_out(&mut self, layout: Option<&Layout>) -> Option<Digest> {
        self.layout = layout.cloned();
        Some(self.recipe())
    }

    fn unpack(&mut self, artifact: Digest) -> Result<Option<PathBuf>, SubjectError> {
        self.cache.unpack(artifact)
    }

    fn keep(&mut self, needed: &[Digest]) {
        self.cache.keep(needed);
    }
}

/// How a build ended, for its log.
fn describe(state: &BuildState) -> String {
    match state {
        BuildState::Built { artifact, size } => format!("built {artifact}, {size} bytes,"),
        BuildState::Failed { why } | BuildState::Skipped { why } => format!("{}: {why},", state.word()),
        BuildState::TimedOut { .. } => state.word().to_owned(),
    }
}

#[cfg(test)]
mod tests;
