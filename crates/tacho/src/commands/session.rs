//! A session of measuring: what every command that executes something opens first.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tacho_experiment::{
    Context, ExperimentError, Instrument, Observer, PlanSessions, Question, machine,
};
use tacho_machine::Root;
use tacho_measure::{HostLock, LockWait, MeasureError, ProcessExecutor};
use tacho_record::{Counter, Host, Plan, Recipes, Revision};
use tacho_store::{HostId, Location, Store};
use tacho_subject::{LocalBuilder, NoBuilder, SelectedRevisions};

use super::environment::inherited;
use super::run_words::ASKED;
use crate::commands::seed::random_seed;
use crate::error::CliError;
use crate::output;
use crate::output::progress::Progress;
use crate::project::Project;

/// How often the instrument measures itself for a run's record: some 10 ms.
pub(super) const TURNS: u32 = 5;

/// Everything that measuring needs, opened.
pub(super) struct CommandSession {
    pub(super) store: Store,
    pub(super) host: Host,
    pub(super) host_id: HostId,
    pub(super) interrupt: Arc<AtomicBool>,
    _lock: HostLock,
}

/// The request of a command to measure.
pub(super) struct SessionRequest<'a> {
    pub(super) plan: Plan,
    pub(super) revisions: &'a [Revision],
    /// Counted besides what the plan says.
    pub(super) counted: Vec<Counter>,
    pub(super) measure_equal: bool,
    pub(super) retry_failed: bool,
    /// A random one if absent.
    pub(super) seed: Option<u64>,
    /// No progress is shown.
    pub(super) quiet: bool,
    /// How builds are made, shown after the name of each.
    pub(super) how: String,
    /// How values of a bisection are expected to vary, where that was said.
    pub(super) expected: Option<f64>,
    /// The revisions that were requested, in words, where others are measured too.
    pub(super) asked: Option<String>,
}

impl<'a> SessionRequest<'a> {
    /// The plan at these revisions, and nothing besides.
    pub(super) fn new(plan: Plan, revisions: &'a [Revision]) -> Self {
        let (counted, seed) = (Vec::new(), None);
        Self {
            plan,
            revisions,
            counted,
            measure_equal: false,
            retry_failed: false,
            seed,
            quiet: false,
            how: String::new(),
            expected: None,
            asked: None,
        }
    }
}

/// The host's lock; a session that waits for it (until that interrupt) names the holder once.
pub(super) fn lock(what: &str, waiting: Option<&AtomicBool>) -> Result<HostLock, MeasureError> {
    let path = tacho_measure::lock_path();
    match (tacho_measure::lock_host(&path, what, LockWait::No), waiting) {
        (Err(busy @ MeasureError::HostBusy { .. }), Some(interrupt)) => {
            output::note("note", &format!("{busy}: waiting for it"));
            tacho_measure::lock_host(&path, what, LockWait::Unless(interrupt))
        }
        (locked, _) => locked,
    }
}

/// A session of a project, for one plan after the other.
pub(super) struct ProjectSession<'a> {
    pub(super) session: &'a mut CommandSession,
    pub(super) project: &'a Project,
    /// A random one if absent.
    pub(super) seed: Option<u64>,
    /// No progress is shown.
    pub(super) quiet: bool,
}

impl PlanSessions for ProjectSession<'_> {
    type Error = CliError;

    fn measure<T>(
        &mut self,
        plan: &Plan,
        revision: &Revision,
        experiment: impl FnOnce(&mut Context<'_>, &Question) -> Result<T, ExperimentError>,
    ) -> Result<T, CliError> {
        let request = SessionRequest {
            seed: self.seed,
            quiet: self.quiet,
            ..SessionRequest::new(plan.clone(), std::slice::from_ref(revision))
        };
        self.session.measure(self.project, request, experiment)
    }
}

impl CommandSession {
    /// Locks the host first: nothing is opened, let alone built, while another measures.
    pub(super) fn open(project: &Project, wait: bool) -> Result<Self, CliError> {
        Self::locked(&project.name, wait, Some(project))
    }

    /// The same under another name, and in memory where there is no project.
    pub(super) fn locked(
        name: &str,
        wait: bool,
        project: Option<&Project>,
    ) -> Result<Self, CliError> {
        let interrupt = tacho_measure::install_interrupt()?;
        let lock = lock(name, wait.then_some(&interrupt))?;
        let host = tacho_machine::host();
        let mut store = Store::open(&project.map_or(Location::Memory, Project::location))?;
        if let Some(project) = project {
            store.claim(&project.name)?;
        }
        let host_id = store.put_host(&host)?;
        Ok(Self { store, host, host_id, interrupt, _lock: lock })
    }

    /// Has commands executed on this host, for which nothing is built.
    pub(super) fn execute<T>(
        &mut self,
        observer: &mut dyn Observer,
        experiment: impl FnOnce(&mut Context<'_>) -> Result<T, ExperimentError>,
    ) -> Result<T, ExperimentError> {
        let mut executor = self.executor();
        experiment(&mut Context {
            store: &mut self.store,
            builder: &mut NoBuilder,
            executor: &mut executor,
            observer,
            interrupt: &self.interrupt,
            host: self.host_id,
        })
    }

    /// Executes on this host until the user interrupts.
    fn executor(&self) -> ProcessExecutor {
        ProcessExecutor::new(self.interrupt.clone()).with_facts(tacho_machine::facts_of_now)
    }

    /// Lets others measure; the host's facts are left.
    pub(super) fn end(self) -> Host {
        self.host
    }

    /// Keeps what the history said of revisions, so that they can be shown without it.
    pub(super) fn know(&mut self, selected: &SelectedRevisions) -> Result<(), CliError> {
        self.store.put_commits(&selected.commits)?;
        self.store.put_revisions(&selected.known)?;
        Ok(())
    }

    /// Has an experiment executed on this host, with progress shown.
    pub(super) fn measure<T>(
        &mut self,
        project: &Project,
        wanted: SessionRequest<'_>,
        experiment: impl FnOnce(&mut Context<'_>, &Question) -> Result<T, ExperimentError>,
    ) -> Result<T, CliError> {
        let mut executor = self.executor();
        let instrument = Instrument::measure(&mut executor, TURNS)?;
        let (subject, limit) = (&wanted.plan.subject, wanted.plan.measure.cache_limit);
        let mut builder = LocalBuilder::new(subject, &project.folder, &project.cache(), limit)?;
        let mut progress = Progress::new(wanted.revisions, wanted.quiet);
        progress.expect(wanted.expected);
        progress.show_how(wanted.how.clone());
        let recipes = builder.recipes(wanted.revisions)?;
        let mut question = self.question(project, wanted, recipes, &instrument);
        question.conditions.extend(machine::keep_facts(
            &mut self.store,
            &Root::this_machine(),
            &project.folder,
        )?);
        let mut bench = Context {
            store: &mut self.store,
            builder: &mut builder,
            executor: &mut executor,
            observer: &mut progress,
            interrupt: &self.interrupt,
            host: self.host_id,
        };
        let answer = experiment(&mut bench, &question);
        progress.clear();
        progress.report_absent();
        Ok(answer?)
    }

    fn question(
        &self,
        project: &Project,
        wanted: SessionRequest<'_>,
        recipes: Recipes,
        instrument: &Instrument,
    ) -> Question {
        let mut conditions = conditions(&self.host, Some(instrument));
        conditions.extend(wanted.asked.map(|asked| (ASKED.to_owned(), asked)));
        conditions.extend(inherited(
            wanted.plan.benchmarks.iter().map(|benchmark| &benchmark.conditions),
        ));
        Question {
            counted: wanted.counted,
            plan: wanted.plan,
            plan_text: project.text.clone(),
            plan_folder: project.folder.clone(),
            revisions: wanted.revisions.to_vec(),
            recipes,
            measure_equal: wanted.measure_equal,
            retry_failed: wanted.retry_failed,
            seed: wanted.seed.unwrap_or_else(random_seed),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            conditions,
        }
    }
}

/// The host's facts that may differ from run to run, and what the instrument read of itself, if it
/// did.
pub(super) fn conditions(host: &Host, instrument: Option<&Instrument>) -> BTreeMap<String, String> {
    let instrument = instrument.map(Instrument::facts).unwrap_or_default();
    let now = host.facts.iter().filter(|(key, _)| key.starts_with("now."));
    now.map(|(key, value)| (key.clone(), value.clone())).chain(instrument).collect()
}
