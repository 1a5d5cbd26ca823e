//! Candidates that are ready to be executed, and what goes on beside them: set up when they are
//! first measured in a session, cleaned up at its end.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use tacho_machine::Root;
use tacho_measure::Executor;
use tacho_record::{BenchmarkKey, Cell, Digest, Disturbance, Outcome, Run, Sample};
use tacho_store::{MeasurementId, Store};

use crate::analysis::reference_answer::given_by;
use crate::run::prepare::prepare_trial;
use crate::run::session::reference;
use crate::trial::answers::AnswerText;
use crate::trial::companions::Company;
use crate::trial::execute::trouble;
use crate::trial::hooks::HookEnd;
use crate::trial::prepared::Trial;
use crate::{Context, Event, ExperimentError, Observer, Question, probe};

/// One of them.
pub(super) struct PreparedTrial {
    pub(super) id: MeasurementId,
    pub(super) cell: Cell,
    pub(super) trial: Trial,
    /// Its number among the company.
    pub(super) number: usize,
    /// How its setup failed, if it did.
    pub(super) broken: Option<Outcome>,
    /// How many executions of its warmup are kept.
    pub(super) warm: u32,
}

/// The revision, its build, and the disturbance.
type TrialKey = (String, Digest, Option<Disturbance>);

/// All of them.
pub(super) struct PreparedTrials {
    run: i64,
    seed: u64,
    benchmark: BenchmarkKey,
    /// The cells that the run has measured so far, in any session.
    known: Vec<(MeasurementId, Cell)>,
    prepared: BTreeMap<TrialKey, PreparedTrial>,
    /// The order in which they began.
    begun: Vec<TrialKey>,
    /// The present disturbance.
    pub(super) under: Option<Disturbance>,
    pub(super) company: Company,
    /// The right answer, if the first valid one is the reference.
    pub(super) reference: Option<AnswerText>,
    /// Metrics of which it is kept why they are absent.
    pub(super) absent: HashSet<String>,
}

impl PreparedTrials {
    /// The trials of a run, none of which is prepared yet.
    pub(super) fn of_run(
        store: &mut Store,
        run: &Run,
        benchmark: &BenchmarkKey,
    ) -> Result<Self, ExperimentError> {
        let mut reference = reference(store, benchmark)?;
        if reference.is_some()
            && let Some(giver) = given_by(store, benchmark)?
        {
            reference = reference.map(|answer| answer.of_revision(&giver));
        }
        Ok(Self {
            run: run.number,
            seed: run.seed,
            benchmark: benchmark.clone(),
            known: store.cells(run.number)?,
            prepared: BTreeMap::new(),
            begun: Vec::new(),
            under: None,
            company: Company::default(),
            reference,
            absent: HashSet::new(),
        })
    }

    /// Makes a build ready, unless it is; `false` when interrupted.
    pub(super) fn prepare(
        &mut self,
        context: &mut Context<'_>,
        question: &Question,
        (revision, artifact): (&str, Digest),
        folder: &Path,
    ) -> Result<bool, ExperimentError> {
        let name = (revision.to_owned(), artifact, self.under);
        if self.prepared.contains_key(&name) {
            return Ok(true);
        }
        if let Some(under) = self.under.filter(|under| !matches!(under, Disturbance::Layout { .. }))
        {
            return self.disturb(context, question, (revision, artifact), folder, under);
        }
        let cell = self.cell(context, revision, artifact)?;
        let trial = prepare_trial(question, self.seed, &cell.1, (folder, None))?;
        let warm =
            context.store.samples(cell.0)?.iter().filter(|sample| sample.place.round == 0).count();
        let number = self.company.add(trial.companion.as_ref());
        self.begun.push(name.clone());
        let mut broken = None;
        if let Some(setup) = &trial.hooks.setup {
            context.observer.note(&Event::HookBegins { cell: &cell.1, hook: "setup" });
            match setup.execute(context.executor, None, None) {
                Ok(()) => {}
                Err(HookEnd::Failed(trouble)) => broken = Some(trouble.outcome()),
                Err(HookEnd::Interrupted) => {
                    self.put(name, cell, trial, number, None, warm);
                    return Ok(false);
                }
            }
        }
        self.put(name, cell, trial, number, broken, warm);
        Ok(true)
    }

    /// The same as usual, under other circumstances: set up once for both.
    fn disturb(
        &mut self,
        context: &mut Context<'_>,
        question: &Question,
        (revision, artifact): (&str, Digest),
        folder: &Path,
        under: Disturbance,
    ) -> Result<bool, ExperimentError> {
        self.under = None;
        let usual = self.prepare(context, question, (revision, artifact), folder);
        self.under = Some(under);
        if !usual? {
            return Ok(false);
        }
        let Some(usual) = self.prepared.get(&(revision.to_owned(), artifact, None)) else {
            return Ok(true);
        };
        let root = Root::this_machine();
        let disturbed = probe::under(question, under, &root);
        let mut trial = prepare_trial(&disturbed, self.seed, &usual.cell, (folder, None))?;
        let (files, all) = ([folder.to_owned()], [usual.trial.request.clone()]);
        trial.disturber = probe::disturber(under, &trial.request, (&files, &all), &root);
        let prepared = PreparedTrial {
            trial,
            broken: usual.broken.clone(),
            cell: usual.cell.clone(),
            ..*usual
        };
        self.prepared.insert((revision.to_owned(), artifact, Some(under)), prepared);
        Ok(true)
    }

    fn put(
        &mut self,
        name: TrialKey,
        (id, cell): (MeasurementId, Cell),
        trial: Trial,
        number: usize,
        broken: Option<Outcome>,
        warm: usize,
    ) {
        let warm = u32::try_from(warm).unwrap_or(u32::MAX);
        self.prepared.insert(name, PreparedTrial { id, cell, trial, number, broken, warm });
    }

    /// The cell of a build, added to the run if it is not there.
    fn cell(
        &mut self,
        context: &mut Context<'_>,
        revision: &str,
        artifact: Digest,
    ) -> Result<(MeasurementId, Cell), ExperimentError> {
        let is_it = |(_, cell): &&(MeasurementId, Cell)| {
            cell.revision == revision && cell.artifact == artifact
        };
        if let Some(known) = self.known.iter().find(is_it) {
            return Ok(known.clone());
        }
        let benchmark = self.benchmark.clone();
        let cell = Cell { revision: revision.to_owned(), artifact, benchmark, rounds: 0 };
        let id = context.store.add_cell(self.run, context.host, &cell)?;
        self.known.push((id, cell.clone()));
        Ok((id, cell))
    }

    /// A build that is ready, and the company.
    pub(super) fn get(
        &mut self,
        revision: &str,
        artifact: Digest,
    ) -> Option<(&mut PreparedTrial, &mut Company)> {
        let prepared = self.prepared.get_mut(&(revision.to_owned(), artifact, self.under))?;
        Some((prepared, &mut self.company))
    }

    /// The samples of a step that there are already, and the seconds that they took; with those of
    /// the warmup where it is the build's first step.
    pub(super) fn taken(
        &self,
        store: &mut Store,
        revision: &str,
        artifact: Digest,
        round: u32,
    ) -> Result<(Vec<Sample>, f64), ExperimentError> {
        let Some(prepared) = self.prepared.get(&(revision.to_owned(), artifact, self.under)) else {
            return Ok((Vec::new(), 0.0));
        };
        let mut samples = store.samples(prepared.id)?;
        let is_first = !samples.iter().any(|it| (1..round).contains(&it.place.round));
        let counts = |it: &&Sample| it.place.round == round || (is_first && it.place.round == 0);
        let walls = samples.iter().filter(counts).filter_map(|sample| sample.value("wall"));
        let seconds = walls.sum::<f64>() / 1e9;
        samples.retain(|sample| sample.place.round == round);
        Ok((samples, seconds))
    }

    /// Ends what goes on beside, and cleans up what was begun, the last first, whatever happened.
    pub(super) fn clean_up(&mut self, executor: &mut dyn Executor, observer: &mut dyn Observer) {
        self.company.end();
        for name in self.begun.drain(..).rev() {
            let Some(PreparedTrial { cell, trial, .. }) = self.prepared.get(&name) else {
                continue;
            };
            let Some(cleanup) = &trial.hooks.cleanup else { continue };
            observer.note(&Event::HookBegins { cell, hook: "cleanup" });
            if let Some(trouble) = trouble(cleanup, cleanup.finish(executor, None, None)) {
                observer.note(&Event::Trouble { cell, trouble: &trouble });
            }
        }
    }
}
