//! Before measuring: what is missing, built and unpacked.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tacho_measure::Executor;
use tacho_record::plan::PlannedMetric;
use tacho_record::{Build, Cell, Digest, Metric, Plan, Purpose, Revision, Run, Sample};
use tacho_store::{HostId, MeasurementId, Store, StoreError};

use crate::build::builds::{BuildContext, was_not_fetched};
use crate::pending::cells::{self, PendingFacts, SamplesByCell};
use crate::pending::converged::ConvergedCells;
use crate::pending::edited_benchmarks::Failures;
use crate::pending::identical_builds::Equals;
use crate::pending::missing_counters::MissingCounters;
use crate::question::Question;
use crate::run::session::{SampleDemand, Session, SessionCell};
use crate::trial::prepared::{Trial, Workplace};
use crate::{Context, ExperimentError, pending};

/// The number of times that a build may differ before its revision is given up.
const ATTEMPTS: u32 = 3;

/// Whether there is something to measure.
pub enum Preparation {
    /// A repeated build gave other artifacts, so that the missing cells changed.
    Changed,
    /// The user stopped it.
    Interrupted,
    /// All is measured already.
    NothingToDo,
    /// A run, new or resumed.
    Ready(Box<Session>),
}

impl Preparation {
    /// A run of a question whose cells are ready.
    pub(crate) fn ready(run: Run, cells: Vec<SessionCell>, question: &Question) -> Self {
        let reference = question.plan.measure.reference.mode();
        Self::Ready(Box::new(Session { run, cells, duet: None, reference, groups: None }))
    }
}

/// Whether an interrupted run is resumed.
pub(crate) enum ResumedRun {
    /// The user stopped it.
    Interrupted,
    /// No run can be resumed.
    None,
    /// The run is resumed.
    Run {
        /// The run.
        run: Box<Run>,
        /// Its cells.
        cells: Vec<(MeasurementId, Cell)>,
        /// The folders of their builds.
        folders: HashMap<Digest, PathBuf>,
    },
}

impl Context<'_> {
    /// The builder for this question.
    pub fn builds<'b>(&'b mut self, question: &'b Question) -> BuildContext<'b> {
        BuildContext {
            store: self.store,
            builder: self.builder,
            observer: self.observer,
            interrupt: self.interrupt,
            host: self.host,
            recipes: &question.recipes,
        }
    }

    /// Keeps what all metrics of the plan mean, unless that would change what old values mean.
    pub fn put_metrics(&mut self, plan: &Plan) -> Result<(), ExperimentError> {
        let known = self.store.metrics()?;
        let names = Metric::BUILT_IN.iter().chain(&Metric::BESIDE);
        let mut metrics: Vec<Metric> = names.filter_map(|name| Metric::known(name)).collect();
        for PlannedMetric { metric, .. } in
            plan.benchmarks.iter().flat_map(|benchmark| &benchmark.metrics)
        {
            let other = |known: &&Metric| known.name == metric.name && known.unit != metric.unit;
            if let Some(known) = known.iter().find(other)
                && self.has_values(&metric.name)?
            {
                return Err(ExperimentError::OtherUnit {
                    metric: metric.name.clone(),
                    known: known.unit.clone(),
                    planned: metric.unit.clone(),
                });
            }
            metrics.push(metric.clone());
        }
        Ok(self.store.put_metrics(&metrics)?)
    }

    /// Whether this metric was ever read, on any host.
    fn has_values(&mut self, metric: &str) -> Result<bool, ExperimentError> {
        for (host, _) in self.store.hosts()? {
            for benchmark in self.store.benchmarks(host)? {
                let values = self.store.values(host, &benchmark, metric)?;
                if values.iter().any(|values| !values.values.is_empty()) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Resumes the interrupted run of the same question, otherwise begins one with the missing
    /// cells. Builds that differ now replace the known ones.
    pub fn prepare(
        &mut self,
        question: &Question,
        known: &mut Vec<Build>,
    ) -> Result<Preparation, ExperimentError> {
        match self.take_up(question, question.digest())? {
            ResumedRun::Interrupted => return Ok(Preparation::Interrupted),
            ResumedRun::Run { run, cells, folders } => {
                return self.session(question, *run, cells, &folders);
            }
            ResumedRun::None => {}
        }
        for _ in 0..ATTEMPTS {
            // The present builds: some may have been built again. A fetch that just failed is
            // assumed to fail again.
            let not_fetched = known.iter().cloned().enumerate();
            let not_fetched =
                not_fetched.filter(|(_, build)| was_not_fetched(&build.state)).collect();
            if let Some(builds) =
                self.builds(question).all_but(&question.revisions, false, not_fetched)?
            {
                *known = builds;
            }
            match self.begin(question, known)? {
                Preparation::Changed => {}
                prepared => return Ok(prepared),
            }
        }
        Ok(Preparation::Changed)
    }

    /// The interrupted run of that digest, its builds unpacked, if there is one and they are what
    /// they were.
    pub(crate) fn take_up(
        &mut self,
        question: &Question,
        digest: Digest,
    ) -> Result<ResumedRun, ExperimentError> {
        let Some(run) = self.interrupted_run(question, digest)? else {
            return Ok(ResumedRun::None);
        };
        let cells = self.store.cells(run.number)?;
        match self.unpack(question, cells.iter().map(|(_, cell)| cell))? {
            None => Ok(ResumedRun::Interrupted),
            Some(folders) if cells.iter().all(|(_, cell)| folders.contains_key(&cell.artifact)) => {
                Ok(ResumedRun::Run { run: Box::new(run), cells, folders })
            }
            // A build differs: samples from here on belong to a run of their own.
            Some(_) => {
                self.store.abandon_run(run.number, self.executor.now())?;
                Ok(ResumedRun::None)
            }
        }
    }

    /// Begins a run with what is missing.
    fn begin(
        &mut self,
        question: &Question,
        builds: &[Build],
    ) -> Result<Preparation, ExperimentError> {
        let cells = missing((self.store, self.host), self.executor, question, builds)?;
        if cells.is_empty() {
            return Ok(Preparation::NothingToDo);
        }
        let Some(folders) = self.unpack(question, cells.iter())? else {
            return Ok(Preparation::Interrupted);
        };
        if !cells.iter().all(|cell| folders.contains_key(&cell.artifact)) {
            return Ok(Preparation::Changed);
        }
        let (run, cells) = self.begin_run(Purpose::Track, question.digest(), question, cells)?;
        self.session(question, run, cells, &folders)
    }

    pub(crate) fn unpack<'c>(
        &mut self,
        question: &Question,
        cells: impl Iterator<Item = &'c Cell>,
    ) -> Result<Option<HashMap<Digest, PathBuf>>, ExperimentError> {
        let revisions: HashMap<&str, &Revision> =
            question.revisions.iter().map(|r| (r.id.as_str(), r)).collect();
        let needed: Vec<(&Revision, Digest)> = cells
            .filter_map(|cell| Some((*revisions.get(cell.revision.as_str())?, cell.artifact)))
            .collect();
        self.builds(question).unpack(&needed)
    }

    /// How many builds the build of that cell is.
    pub(crate) fn layouts_of(
        &mut self,
        question: &Question,
        cell: &Cell,
    ) -> Result<Option<u32>, ExperimentError> {
        let recipe = question.recipes.of(&cell.revision);
        let build = self.store.build(self.host, &cell.revision, recipe)?;
        Ok(build.and_then(|build| build.state.layouts()))
    }

    /// All that the rounds need to know of the cells, what earlier sessions of the run have left
    /// included.
    fn session(
        &mut self,
        question: &Question,
        run: Run,
        cells: Vec<(MeasurementId, Cell)>,
        folders: &HashMap<Digest, PathBuf>,
    ) -> Result<Preparation, ExperimentError> {
        let counts = self.store.counts(self.host)?;
        let failures = Failures::read(self.store, self.host, &counts, &question.plan)?;
        let counts = SamplesByCell::new(counts);
        let settled = ConvergedCells::read(self.store, self.host, question)?;
        let uncounted = MissingCounters::read((self.store, self.host), self.executor, question)?;
        let mut ready = Vec::with_capacity(cells.len());
        let beside: Vec<Cell> = cells.iter().map(|(_, cell)| cell.clone()).collect();
        for (id, cell) in cells {
            let before = self.store.samples(id)?;
            let layouts = self.layouts_of(question, &cell)?;
            let trial =
                prepare_trial(question, run.seed, &cell, (&folders[&cell.artifact], layouts))?;
            let is_link = is_link(question, (&cell, &beside), &counts, &before);
            let enough = if is_link {
                cell.rounds
            } else {
                enough(question, &cell, (&counts, &failures), &before)
            };
            let (metric, elsewhere) = settled.elsewhere(&cell, run.number);
            let needed = match uncounted.rounds(&cell.benchmark, &cell.revision, cell.artifact) {
                0 if is_link => cell.rounds,
                0 => 0,
                lacking => {
                    lacking + number(before.iter().filter(|sample| sample.place.round > 0).count())
                }
            };
            let steady = first_metric(question, &cell);
            let wanted = SampleDemand { enough, needed, metric, elsewhere, steady };
            ready.push(SessionCell { id, cell, trial, wanted, before });
        }
        Ok(Preparation::ready(run, ready, question))
    }
}

/// The cells of these builds, one a revision of the question, that lack samples in a store.
pub(crate) fn missing(
    (store, host): (&mut Store, HostId),
    executor: &mut dyn Executor,
    question: &Question,
    builds: &[Build],
) -> Result<Vec<Cell>, StoreError> {
    let built: Vec<(&Revision, &Build)> = question.revisions.iter().zip(builds).collect();
    let counts = store.counts(host)?;
    let failures = Failures::read(store, host, &counts, &question.plan)?;
    let settled = ConvergedCells::read(store, host, question)?;
    let equals = Equals::new(&counts);
    let counts = SamplesByCell::new(counts);
    let uncounted = &MissingCounters::read((store, host), executor, question)?;
    let (counts, equals, failures, settled) = (&counts, &equals, &failures, &settled);
    let known = PendingFacts { built: &built, counts, equals, failures, settled, uncounted };
    Ok(cells::missing(&question.plan, known, wanted(question)))
}

fn wanted(question: &Question) -> pending::cells::RoundDemand<'_> {
    let &Question { measure_equal, retry_failed, .. } = question;
    let (rounds, link) = (question.rule().max_rounds, question.plan.measure.link);
    pending::cells::RoundDemand {
        rounds,
        measure_equal,
        retry_failed,
        link,
        reference: question.plan.measure.reference.revision.as_deref(),
        link_rounds: link_rounds(question),
    }
}

/// How often a revision that links runs is measured again.
fn link_rounds(question: &Question) -> u32 {
    let rule = question.rule();
    if rule.precision.is_some() { rule.min_rounds } else { rule.max_rounds }
}

/// Whether a cell has samples of earlier runs and is measured all the same, beside other revisions
/// of its benchmark: it links the runs.
fn is_link(
    question: &Question,
    (cell, beside): (&Cell, &[Cell]),
    counts: &SamplesByCell,
    own: &[Sample],
) -> bool {
    let own =
        own.iter().filter(|sample| sample.place.round > 0 && sample.outcome.is_result()).count();
    let all = counts.of(&cell.benchmark, &cell.revision, cell.artifact).valid;
    let is_other =
        |other: &Cell| other.benchmark == cell.benchmark && other.revision != cell.revision;
    let has_rounds = cell.rounds == link_rounds(question);
    let measure = &question.plan.measure;
    let links = measure.link > 0 || measure.reference.revision.is_some();
    links && has_rounds && all > number(own) && beside.iter().any(is_other)
}

/// How many samples of its own a cell needs in this run: what it set out for, unless another run
/// has meanwhile taken some of them.
fn enough(
    question: &Question,
    cell: &Cell,
    (counts, failures): (&SamplesByCell, &Failures),
    own: &[Sample],
) -> u32 {
    if !question.counted.is_empty() {
        // Samples of other runs may lack a counter.
        return cell.rounds;
    }
    let all = counts.of(&cell.benchmark, &cell.revision, cell.artifact);
    let own = |counts: fn(&Sample) -> bool| {
        number(own.iter().filter(|sample| sample.place.round > 0 && counts(sample)).count())
    };
    let valid = all.valid.saturating_sub(own(|sample| sample.outcome.is_result()));
    let failed = all.failed.saturating_sub(own(|sample| sample.outcome.is_failure()));
    let failed =
        failed.saturating_sub(failures.void(&cell.benchmark, &cell.revision, cell.artifact));
    // Failures that were to be tried again are not what was wanted.
    let elsewhere = if valid == 0 { 0 } else { valid + failed };
    cell.rounds.min(question.rule().max_rounds.saturating_sub(elsewhere))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The benchmark's first metric.
pub(crate) fn first_metric(question: &Question, cell: &Cell) -> Option<Metric> {
    let benchmarks = question.plan.keyed_benchmarks();
    let (benchmark, _) = benchmarks.iter().find(|(_, key)| *key == cell.benchmark)?;
    Some(benchmark.metrics.first()?.metric.clone())
}

pub(crate) fn prepare_trial(
    question: &Question,
    seed: u64,
    cell: &Cell,
    (build, layouts): (&Path, Option<u32>),
) -> Result<Trial, ExperimentError> {
    let workplace =
        Workplace { plan_folder: &question.plan_folder, build, revision: &cell.revision, seed };
    let benchmarks = question.plan.keyed_benchmarks();
    let (benchmark, _) = benchmarks
        .iter()
        .find(|(_, key)| *key == cell.benchmark)
        .expect("a run's cells come from the plan, which is part of the question's digest");
    match layouts {
        None => Trial::new(benchmark, &cell.benchmark.parameters, workplace),
        Some(layouts) => {
            Trial::in_layouts(benchmark, &cell.benchmark.parameters, workplace, layouts)
        }
    }
}
