//! The builder on this machine: makes builds of a plan's subject.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};
use std::{fmt, fs};

use jiff::Timestamp;
use tacho_record::plan::{Subject, fill_shell};
use tacho_record::{Build, BuildFailure, BuildState, Digest, Recipes, Revision};

use crate::artifacts::{Cache, Content, relative};
use crate::build::{BuildLimits, BuildLog, Cut};
use crate::checkout::network::lacks_network;
use crate::checkout::work::{BUILD, CheckoutWork, WorkStop};
use crate::checkout::{Checkout, CheckoutOrigin};
use crate::checkout_quirks::CheckoutQuirks;
use crate::git::REPOSITORY_VARIABLES;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::quirks::{OnceState, Quirks, RevisionQuirks, STATE};
use crate::tools::Tools;
use crate::{BuildOutcome, Builder, History, SubjectError, history};

mod layouts;

/// Variables by which a `make` that started us would steer the one that we start.
const MAKE_VARIABLES: [&str; 4] = ["MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS"];

/// With less space than this left, in bytes, a disk is full; with less than the other it is, if a
/// build says so.
const FULL: u64 = 4 << 20;
const NEARLY_FULL: u64 = 1 << 30;

/// Makes builds in a checkout of its own, and keeps them by digest.
///
/// There can be one at a time for a cache, which it locks: the checkout is always the same folder.
pub struct LocalBuilder {
    artifacts: Vec<String>,
    cache: Cache,
    checkout: Checkout,
    command: Option<String>,
    folder: PathBuf,
    layout: Option<Layout>,
    /// The layouts, if each build is several.
    layouts: Vec<Layout>,
    /// The order of all that no layout is requested.
    usual: Option<Layout>,
    history: Option<Box<dyn History>>,
    known: HashMap<String, RevisionQuirks>,
    quirks: Quirks,
    recipe: Digest,
    state: OnceState,
    timeout: Duration,
    tools: Tools,
    _lock: Lock,
}

impl LocalBuilder {
    /// A builder for that subject, whose plan is in that folder; `cache` is its own, to be made if
    /// need be, and holds archives of at most `cache_limit` bytes, besides those that are needed.
    /// An error when another builder has the same cache.
    pub fn new(
        subject: &Subject,
        plan_folder: &Path,
        cache: &Path,
        cache_limit: u64,
    ) -> Result<Self, SubjectError> {
        if let Some(artifact) =
            subject.artifacts.iter().find(|artifact| relative(artifact).is_none())
        {
            return Err(SubjectError::BadArtifact { artifact: artifact.clone() });
        }
        let origin = CheckoutOrigin::of(&subject.source, plan_folder)?;
        let quirks = Quirks::of(subject, plan_folder)?;
        let history = if quirks.is_empty() { None } else { Some(history(subject, plan_folder)?) };
        let logs = cache.join("logs");
        fs::create_dir_all(&logs).map_err(SubjectError::cache("create", &logs))?;
        let folder = cache.canonicalize().map_err(SubjectError::cache("read", cache))?;
        // Before anything in there is touched: what looks unfinished may be another's.
        let lock = Lock::take(&folder)?;
        Ok(Self {
            artifacts: subject.artifacts.clone(),
            cache: Cache::open(&folder, cache_limit)?,
            checkout: Checkout::new(origin, &folder).with_submodules(subject.submodules),
            command: subject.build.clone(),
            layout: None,
            layouts: layouts::of(subject)?,
            usual: layouts::usual(subject)?,
            history,
            known: HashMap::new(),
            quirks,
            recipe: subject.recipe(),
            state: OnceState::of(&folder),
            folder,
            timeout: subject.build_timeout,
            tools: Tools::default(),
            _lock: lock,
        })
    }

    /// The digest of all in the plan that decides what is built where no quirk applies.
    #[must_use]
    pub fn recipe(&self) -> Digest {
        self.recipe_of(self.layout.as_ref())
    }

    /// The recipe of builds with this layout.
    fn recipe_of(&self, layout: Option<&Layout>) -> Digest {
        let Some(layout) = layout else { return self.recipe };
        let variables = layout.variables.iter().map(|(name, value)| format!("\0{name}={value}"));
        Digest::of(format!("{}\0layout{}", self.recipe, variables.collect::<String>()))
    }

    /// By which recipe each of these revisions is built.
    pub fn recipes(&mut self, revisions: &[Revision]) -> Result<Recipes, SubjectError> {
        let usual = self.recipe();
        let mut recipes = Recipes::usual(usual);
        let Some(history) = &self.history else { return Ok(recipes) };
        for (revision, applied) in revisions.iter().zip(self.quirks.at(&**history, revisions)?) {
            if let Some(quirky) = applied.recipe(usual) {
                recipes.insert(revision.id.clone(), quirky);
            }
            self.known.insert(revision.id.clone(), applied);
        }
        Ok(recipes)
    }

    /// The quirks of a revision.
    fn applied(&mut self, revision: &Revision) -> Result<RevisionQuirks, SubjectError> {
        if !self.known.contains_key(&revision.id) {
            self.recipes(std::slice::from_ref(revision))?;
        }
        Ok(self.known.get(&revision.id).cloned().unwrap_or_default())
    }

    /// The compilers, linkers and interpreters that a build finds; empty if nothing is executed.
    fn tools(
        &mut self,
        applied: &RevisionQuirks,
        interrupt: &AtomicBool,
    ) -> Result<BTreeMap<String, String>, SubjectError> {
        let dress = CheckoutQuirks::of(applied);
        if applied.skip().is_some() || dress.build().or(self.command.as_deref()).is_none() {
            return Ok(BTreeMap::new());
        }
        self.tools.find(&dress.environment(), &self.folder, interrupt)
    }

    /// Checks out, builds, and keeps the artifacts: their digest and size.
    fn attempt(
        &mut self,
        revision: &Revision,
        applied: &RevisionQuirks,
        work: &mut CheckoutWork,
    ) -> Result<BuildState, WorkStop> {
        if let Some(quirk) = applied.skip() {
            return Ok(BuildState::Skipped { why: quirk.why.clone() });
        }
        self.replay(applied, work)?;
        if !self.layouts.is_empty() {
            return self.in_layouts(revision, applied, work);
        }
        let content = self.content(revision, applied, work)?;
        let artifact = content.digest().map_err(WorkStop::failed)?;
        self.cache.store(&content, artifact)?;
        Ok(BuildState::Built { artifact, size: content.size(), layouts: None })
    }

    /// Checks out and builds, and says what the artifacts are.
    fn content(
        &mut self,
        revision: &Revision,
        applied: &RevisionQuirks,
        work: &mut CheckoutWork,
    ) -> Result<Content, WorkStop> {
        self.make(revision, &CheckoutQuirks::of(applied), self.command.clone().as_deref(), work)?;
        Content::collect(self.checkout.tree(), &self.artifacts).map_err(WorkStop::failed)
    }

    /// Executes the quirks that act once before the revision, as far as they are not done.
    fn replay(
        &mut self,
        applied: &RevisionQuirks,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        if !self.quirks.any_once() {
            return Ok(());
        }
        let deeds = applied.deeds_done_once();
        for place in self.state.rewind(&deeds)?..deeds.len() {
            let (loaded, at) = &applied.once[place];
            work.log.note(&format!("once, at {}: {}", at.short(), loaded.quirk.name))?;
            self.state.begin()?;
            self.make(at, &CheckoutQuirks::once(loaded, &applied.sources), None, work)?;
            self.state.mark(&deeds[..=place])?;
        }
        Ok(())
    }

    /// Checks a revision out and builds it, with what quirks do before, between and after.
    fn make(
        &mut self,
        revision: &Revision,
        dress: &CheckoutQuirks<'_>,
        usual: Option<&str>,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        if self.checkout.tree().is_dir() {
            self.execute(
                "before-checkout",
                &dress.commands(|it| &it.before_checkout),
                revision,
                dress,
                work,
            )?;
        }
        match dress.onto() {
            [] => self.checkout.take(revision, work)?,
            onto => self.checkout.merge(revision, onto, work)?,
        }
        self.execute(
            "after-checkout",
            &dress.commands(|it| &it.after_checkout),
            revision,
            dress,
            work,
        )?;
        for (path, source) in dress.takes() {
            self.checkout.take_from(source, path, work)?;
        }
        for (quirk, patch) in dress.patches() {
            patch
                .apply(&self.folder, self.checkout.tree(), work)
                .map_err(|stop| stop.of_patch(quirk))?;
        }
        self.execute(
            "before-build",
            &dress.commands(|it| &it.before_build),
            revision,
            dress,
            work,
        )?;
        if let Some(command) = dress.build().or(usual) {
            let command = self.command(command, revision, dress, work.log)?;
            work.step(BUILD, command)?;
        }
        self.execute("after-build", &dress.commands(|it| &it.after_build), revision, dress, work)
    }

    /// Executes commands of quirks, which must succeed.
    fn execute(
        &self,
        key: &str,
        commands: &[(&str, &str)],
        revision: &Revision,
        dress: &CheckoutQuirks<'_>,
        work: &mut CheckoutWork,
    ) -> Result<(), WorkStop> {
        for (quirk, command) in commands {
            let command = self.command(command, revision, dress, work.log)?;
            work.step(&format!("`{key}` of quirk `{quirk}`"), command)?;
        }
        Ok(())
    }

    /// The shell command that builds the revision.
    fn command(
        &self,
        template: &str,
        revision: &Revision,
        dress: &CheckoutQuirks<'_>,
        log: &mut BuildLog,
    ) -> Result<Command, SubjectError> {
        let jobs = available_parallelism().map_or(1, usize::from).to_string();
        let values =
            [("jobs", jobs.as_str()), ("release", &revision.id), ("revision", &revision.id)];
        let script = fill_shell(template, &values);
        log.note(&format!("executes in {}:\n{script}", self.checkout.tree().display()))?;
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(self.checkout.tree());
        for variable in REPOSITORY_VARIABLES.iter().chain(&MAKE_VARIABLES) {
            command.env_remove(variable);
        }
        command.env("GIT_CEILING_DIRECTORIES", &self.folder);
        for (variable, value) in
            self.layout.as_ref().or(self.usual.as_ref()).iter().flat_map(|layout| &layout.variables)
        {
            log.note(&format!("with {variable}={value}"))?;
            command.env(variable, value);
        }
        for (name, value) in dress.environment() {
            log.note(&format!("with {name}={value}"))?;
            command.env(name, value);
        }
        if self.quirks.any_once() {
            command.env(STATE, self.state.folder());
        }
        Ok(command)
    }

    /// Whether a build failed because there was no space left for it.
    fn is_full(&self, log: &BuildLog) -> bool {
        let Ok(disk) = rustix::fs::statvfs(&self.folder) else { return false };
        let left = disk.f_bavail.saturating_mul(disk.f_frsize);
        left < FULL || left < NEARLY_FULL && log.says("No space left on device")
    }

    /// Whether the cache, or a necessary part of it, was removed.
    fn is_gone(&self) -> bool {
        !self.checkout.tree().is_dir()
            || !self.folder.join("logs").is_dir()
            || !self.cache.is_there()
    }

    fn log(&self, revision: &Revision) -> Result<BuildLog, SubjectError> {
        let keep = |c: char| if c.is_ascii_alphanumeric() || "+-._".contains(c) { c } else { '-' };
        let name: String = revision.id.chars().map(keep).take(80).collect();
        let mut log = BuildLog::create(self.folder.join("logs").join(format!("{name}.log")))?;
        log.note(&format!("builds {} {}", revision.id, revision.subject))?;
        Ok(log)
    }
}

impl fmt::Debug for LocalBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalBuilder")
            .field("folder", &self.folder)
            .field("recipe", &self.recipe)
            .finish_non_exhaustive()
    }
}

impl Builder for LocalBuilder {
    fn build(
        &mut self,
        revision: &Revision,
        interrupt: &AtomicBool,
    ) -> Result<BuildOutcome, SubjectError> {
        let applied = self.applied(revision)?;
        let tools = self.tools(&applied, interrupt)?;
        let (started, clock) = (Timestamp::now(), Instant::now());
        let mut log = self.log(revision)?;
        let limits = BuildLimits { time: self.timeout, interrupt };
        let attempt = self.attempt(revision, &applied, &mut CheckoutWork { log: &mut log, limits });
        let took = clock.elapsed();
        let state = match attempt {
            Ok(state) => state,
            Err(WorkStop::Cut(Cut::Interrupted)) => return Ok(BuildOutcome::Interrupted),
            Err(WorkStop::Cut(Cut::TimedOut)) => BuildState::TimedOut { limit: self.timeout },
            Err(WorkStop::Failed(..) | WorkStop::Fatal(SubjectError::Git { .. }))
                if self.is_full(&log) =>
            {
                return Err(SubjectError::DiskFull { path: self.folder.clone() });
            }
            Err(WorkStop::Failed(..)) if self.is_gone() => {
                return Err(SubjectError::CacheGone { path: self.folder.clone() });
            }
            Err(WorkStop::Failed(why, cause)) => {
                // Whatever it was that wanted the network.
                let cause = lacks_network(&why).then_some(BuildFailure::Fetch).or(cause);
                BuildState::Failed { why, cause }
            }
            Err(WorkStop::Fatal(error)) => return Err(error),
        };
        log.note(&format!("{} after {:.1} s", describe(&state), took.as_secs_f64()))?;
        let revision = revision.id.clone();
        let usual = self.recipe();
        let recipe = applied.recipe(usual).map_or(usual, |quirky| quirky.recipe);
        let quirks = applied.names();
        let onto = applied.onto.clone();
        let build =
            Build { revision, recipe, quirks, onto, tools, state, started, took, log: None };
        Ok(BuildOutcome::Done { build, log: log.finish()? })
    }

    fn lay_out(
        &mut self,
        layout: Option<&Layout>,
        revisions: &[Revision],
    ) -> Result<Option<Recipes>, SubjectError> {
        self.layout = layout.cloned();
        self.recipes(revisions).map(Some)
    }

    fn unpack(&mut self, artifact: Digest) -> Result<Option<PathBuf>, SubjectError> {
        self.cache.unpack(artifact)
    }

    fn changed(&mut self, artifact: Digest) -> Option<PathBuf> {
        self.cache.changed(artifact)
    }

    fn keep(&mut self, needed: &[Digest]) {
        self.cache.keep(needed);
    }
}

/// How a build ended, for its log.
fn describe(state: &BuildState) -> String {
    match state {
        BuildState::Built { artifact, size, layouts } => {
            let layouts =
                layouts.map_or_else(String::new, |number| format!(" in {number} layouts"));
            format!("built {artifact}{layouts}, {size} bytes,")
        }
        BuildState::Failed { why, .. } | BuildState::Skipped { why } => {
            format!("{}: {why},", state.word())
        }
        BuildState::TimedOut { .. } => state.word().to_owned(),
    }
}

#[cfg(test)]
mod tests;
