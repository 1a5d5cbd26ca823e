//! `tacho track`: measure a range of revisions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tacho_measure::Executor;
use tacho_record::plan::PlannedMetric;
use tacho_record::{Build, Cell, Digest, Metric, Outcome, Plan, Revision, Run, Sample};
use tacho_store::{HostId, MeasurementId, NewRun, Store};
use tacho_subject::Builder;

use crate::builds::Builds;
use crate::cells::{self, Counts, Known, Wanted};
use crate::definitions::Failures;
use crate::equal::Equals;
use crate::progress::{CellProgress, Progress};
use crate::schedule::Schedule;
use crate::trial::{self, Trial, Tried, Workplace};
use crate::{Event, ExperimentError, Observer};

/// How often builds may come out otherwise before what they are built of is left alone.
const ATTEMPTS: u32 = 3;

/// Everything an experiment works with.
pub struct Bench<'a> {
    /// Where what was measured is kept.
    pub store: &'a mut Store,
    /// Who makes builds.
    pub builder: &'a mut dyn Builder,
    /// Who executes.
    pub executor: &'a mut dyn Executor,
    /// Who is told.
    pub observer: &'a mut dyn Observer,
    /// Raised when the user wants to stop.
    pub interrupt: &'a AtomicBool,
    /// The host, as the store knows it.
    pub host: HostId,
}

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Question {
    /// The plan.
    pub plan: Plan,
    /// The plan as it stands in the file, for the record.
    pub plan_text: String,
    /// Where relative paths of the plan start.
    pub plan_folder: PathBuf,
    /// Which revisions, in order of history.
    pub revisions: Vec<Revision>,
    /// The digest of all that decides what is built.
    pub recipe: Digest,
    /// Rounds for each cell, those of earlier runs included.
    pub rounds: u32,
    /// Measure builds with equal artifacts each on its own.
    pub measure_equal: bool,
    /// Build and measure again what has only ever failed.
    pub retry_failed: bool,
    /// The seed of the random order, if this becomes a new run.
    pub seed: u64,
    /// The version of the tool, for the record.
    pub version: String,
    /// Facts of the host that may differ from run to run, for the record.
    pub conditions: std::collections::BTreeMap<String, String>,
}

impl Question {
    /// What makes it the same question: benchmarks, recipe, revisions and what is wanted of them; not the seed,
    /// and nothing else of the plan.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let revisions: Vec<&str> = self.revisions.iter().map(|revision| revision.id.as_str()).collect();
        let plan = (&self.plan.benchmarks, self.plan.measure.warmup);
        let question = (plan, self.recipe, revisions, self.rounds, self.measure_equal, self.retry_failed);
        // Only a number that JSON cannot write has no text, and plans refuse those.
        Digest::of(serde_json::to_string(&question).unwrap_or_else(|_| format!("{question:?}")))
    }

    fn wanted(&self) -> Wanted {
        let &Self { rounds, measure_equal, retry_failed, .. } = self;
        Wanted { rounds, measure_equal, retry_failed }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Tracked {
    /// The builds, one a revision, as far as they came.
    pub builds: Vec<Build>,
    /// The run that measured; `None` when all was measured already.
    pub run: Option<i64>,
    /// Samples taken by this session.
    pub samples: usize,
    /// Whether the user stopped it: the same command goes on from there.
    pub interrupted: bool,
    /// Whether some builds came out otherwise each time, so that what is missing of them was not measured.
    pub unsettled: bool,
    /// Time spent in builds, checkouts included.
    pub building: Duration,
    /// Time spent in executions, hooks included.
    pub executing: Duration,
}

/// Builds and measures what is missing of a range, and nothing twice.
///
/// All builds come first, so that no build runs while something is measured. Each sample is kept before the
/// next execution starts; interrupted or killed, the same question goes on where it stopped.
pub fn track(bench: &mut Bench<'_>, question: &Question) -> Result<Tracked, ExperimentError> {
    let mut tracked = Tracked {
        builds: Vec::new(),
        run: None,
        samples: 0,
        interrupted: true,
        unsettled: false,
        building: Duration::ZERO,
        executing: Duration::ZERO,
    };
    for benchmark in &question.plan.benchmarks {
        trial::check(benchmark, &question.plan_folder)?;
    }
    bench.put_metrics(&question.plan)?;
    bench.store.put_revisions(&question.revisions)?;
    let began = Instant::now();
    // A run that is taken up again has tried before what was to be tried again.
    let taken_up = bench.store.unfinished_run(question.digest(), bench.host)?.is_some();
    let retry = question.retry_failed && !taken_up;
    let Some(builds) = bench.builds(question).all(&question.revisions, retry)? else {
        return Ok(tracked);
    };
    tracked.builds = builds;
    let prepared = bench.prepare(question, &mut tracked)?;
    tracked.building = began.elapsed();
    match prepared {
        Prepared::Interrupted => {}
        Prepared::NothingToDo => tracked.interrupted = false,
        Prepared::Changed => (tracked.interrupted, tracked.unsettled) = (false, true),
        Prepared::Ready(session) => {
            tracked.run = Some(session.run.number);
            bench.measure(question, &session, &mut tracked)?;
        }
    }
    Ok(tracked)
}

/// A run that is ready to measure: new, or taken up again.
struct Session {
    run: Run,
    cells: Vec<(MeasurementId, Cell)>,
    folders: HashMap<Digest, PathBuf>,
}

enum Prepared {
    /// A build came out otherwise when it was built again: what is missing has changed.
    Changed,
    Interrupted,
    NothingToDo,
    Ready(Box<Session>),
}

impl Bench<'_> {
    fn builds(&mut self, question: &Question) -> Builds<'_> {
        Builds {
            store: self.store,
            builder: self.builder,
            observer: self.observer,
            interrupt: self.interrupt,
            host: self.host,
            recipe: question.recipe,
        }
    }

    /// Keeps what all metrics of the plan mean, unless that would change what old values mean.
    fn put_metrics(&mut self, plan: &Plan) -> Result<(), ExperimentError> {
        let known = self.store.metrics()?;
        let mut metrics: Vec<Metric> =
            Metric::BUILT_IN.iter().filter_map(|name| Metric::built_in(name)).collect();
        for PlannedMetric { metric, .. } in plan.benchmarks.iter().flat_map(|benchmark| &benchmark.metrics) {
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

    /// Whether that metric was ever read, on any host.
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

    /// Takes up the interrupted run of the same question, else begins one with what is missing.
    fn prepare(&mut self, question: &Question, tracked: &mut Tracked) -> Result<Prepared, ExperimentError> {
        if let Some(run) = self.store.unfinished_run(question.digest(), self.host)? {
            let cells = self.store.cells(run.number)?;
            match self.unpack(question, cells.iter().map(|(_, cell)| cell))? {
                None => return Ok(Prepared::Interrupted),
                Some(folders) if cells.iter().all(|(_, cell)| folders.contains_key(&cell.artifact)) => {
                    return Ok(Prepared::Ready(Box::new(Session { run, cells, folders })));
                }
                // A build came out otherwise: what is measured from here on belongs to a run of its own.
                Some(_) => self.store.abandon_run(run.number, self.executor.now())?,
            }
        }
        for _ in 0..ATTEMPTS {
            // As they are now: some may have been built again.
            if let Some(builds) = self.builds(question).all(&question.revisions, false)? {
                tracked.builds = builds;
            }
            match self.begin(question, &tracked.builds)? {
                Prepared::Changed => {}
                prepared => return Ok(prepared),
            }
        }
        Ok(Prepared::Changed)
    }

    /// Begins a run with what is missing.
    fn begin(&mut self, question: &Question, builds: &[Build]) -> Result<Prepared, ExperimentError> {
        let cells = self.missing(question, builds)?;
        if cells.is_empty() {
            return Ok(Prepared::NothingToDo);
        }
        let Some(folders) = self.unpack(question, cells.iter())? else { return Ok(Prepared::Interrupted) };
        if !cells.iter().all(|cell| folders.contains_key(&cell.artifact)) {
            return Ok(Prepared::Changed);
        }
        let new = NewRun {
            question: question.digest(),
            plan: question.plan_text.clone(),
            seed: question.seed,
            rounds: question.rounds,
            host: self.host,
            version: question.version.clone(),
            started: self.executor.now(),
            conditions: question.conditions.clone(),
        };
        let (run, ids) = self.store.begin_run(&new, &cells)?;
        let cells = ids.into_iter().zip(cells).collect();
        Ok(Prepared::Ready(Box::new(Session { run, cells, folders })))
    }

    fn missing(&mut self, question: &Question, builds: &[Build]) -> Result<Vec<Cell>, ExperimentError> {
        let built: Vec<(&Revision, &Build)> = question.revisions.iter().zip(builds).collect();
        let counts = self.store.counts(self.host)?;
        let failures = Failures::read(self.store, self.host, &counts, &question.plan)?;
        let equals = Equals::new(&counts);
        let counts = Counts::new(counts);
        let known = Known { built: &built, counts: &counts, equals: &equals, failures: &failures };
        Ok(cells::missing(&question.plan, known, question.wanted()))
    }

    fn unpack<'c>(
        &mut self,
        question: &Question,
        cells: impl Iterator<Item = &'c Cell>,
    ) -> Result<Option<HashMap<Digest, PathBuf>>, ExperimentError> {
        let revisions: HashMap<&str, &Revision> =
            question.revisions.iter().map(|r| (r.id.as_str(), r)).collect();
        let needed: Vec<(&Revision, Digest)> =
            cells.filter_map(|cell| Some((*revisions.get(cell.revision.as_str())?, cell.artifact))).collect();
        self.builds(question).unpack(&needed)
    }

    /// Executes all trials of the schedule that have no sample yet.
    fn measure(
        &mut self,
        question: &Question,
        session: &Session,
        tracked: &mut Tracked,
    ) -> Result<(), ExperimentError> {
        let schedule = Schedule::new(
            session.run.seed,
            session.cells.iter().map(|(_, cell)| cell.rounds).collect(),
            question.plan.measure.warmup,
        );
        let mut progress = self.progress(question, session, &schedule)?;
        for round in schedule.rounds() {
            for trial in schedule.round(round) {
                if progress.is_needless(trial.place, trial.cell) {
                    continue;
                }
                if self.interrupt.load(Ordering::Relaxed)
                    || !self.step(session, &mut progress, trial, tracked)?
                {
                    return self.pause(session, round);
                }
            }
            self.store.end_round(session.run.number, round)?;
        }
        self.store.seal(session.run.number)?;
        self.store.finish_run(session.run.number, self.executor.now())?;
        tracked.interrupted = false;
        Ok(())
    }

    fn pause(&mut self, session: &Session, round: u32) -> Result<(), ExperimentError> {
        Ok(self.store.end_round(session.run.number, round)?)
    }

    /// One execution, kept before anything else happens; `false` when interrupted.
    fn step(
        &mut self,
        session: &Session,
        progress: &mut Progress,
        trial: crate::schedule::Trial,
        tracked: &mut Tracked,
    ) -> Result<bool, ExperimentError> {
        let (id, cell) = &session.cells[trial.cell];
        let began = Instant::now();
        let reference = progress.reference(&cell.benchmark);
        let tried = progress.trials[trial.cell].execute(self.executor, trial.place, reference)?;
        tracked.executing += began.elapsed();
        let Tried::Sampled { sample, answer } = tried else { return Ok(false) };
        if let (Some(answer), None) = (answer, reference) {
            // Before the sample: a kill between the two must not let a later answer become the reference.
            self.store.put_answer(&cell.benchmark, answer)?;
            // On a shared store another host's answer may have been first.
            let first = self.store.answer(&cell.benchmark)?.unwrap_or(answer);
            progress.references.insert(cell.benchmark.identity(), first);
        }
        self.store.put_sample(*id, &sample)?;
        tracked.samples += 1;
        self.observer.note(&Event::Sampled { cell, sample: &sample });
        if let Some(saved) = progress.record(trial.cell, sample.place, &sample.outcome) {
            self.observer.note(&Event::GivenUp { cell, saved });
        }
        Ok(true)
    }

    /// Where the run stands: from nothing, or from what an earlier session of it left.
    fn progress(
        &mut self,
        question: &Question,
        session: &Session,
        schedule: &Schedule,
    ) -> Result<Progress, ExperimentError> {
        let done = self.store.places(session.run.number)?;
        let cells: Vec<Cell> = session.cells.iter().map(|(_, cell)| cell.clone()).collect();
        let total = schedule.total();
        self.observer.note(&Event::MeasuringBegins {
            run: &session.run,
            cells: &cells,
            total,
            done: done.len(),
        });
        let counts = Counts::new(self.store.counts(self.host)?);
        let mut progress =
            Progress { trials: Vec::new(), cells: Vec::new(), references: HashMap::new(), done };
        for (index, (id, cell)) in session.cells.iter().enumerate() {
            let samples = self.store.samples(*id)?;
            let enough = enough(question, cell, &counts, &samples);
            progress.trials.push(prepare_trial(question, cell, &session.folders[&cell.artifact])?);
            progress.cells.push(CellProgress::new(schedule.executions(cell.rounds), enough));
            if let Some(answer) = self.store.answer(&cell.benchmark)? {
                progress.references.insert(cell.benchmark.identity(), answer);
            }
            for sample in samples {
                progress.record(index, sample.place, &sample.outcome);
            }
        }
        Ok(progress)
    }
}

/// How many samples of its own a cell needs in this run: what it set out for, unless another run has meanwhile
/// taken some of them.
fn enough(question: &Question, cell: &Cell, counts: &Counts, own: &[Sample]) -> u32 {
    let all = counts.of(&cell.benchmark, &cell.revision, cell.artifact);
    let own = |counts: fn(&Sample) -> bool| {
        let number = own.iter().filter(|sample| sample.place.round > 0 && counts(sample)).count();
        u32::try_from(number).unwrap_or(u32::MAX)
    };
    let valid = all.valid.saturating_sub(own(|sample| sample.outcome == Outcome::Valid));
    let failed = all.failed.saturating_sub(own(|sample| sample.outcome != Outcome::Valid));
    // Failures that were to be tried again are not what was wanted.
    let elsewhere = if valid == 0 { 0 } else { valid + failed };
    cell.rounds.min(question.rounds.saturating_sub(elsewhere))
}

fn prepare_trial(question: &Question, cell: &Cell, build: &Path) -> Result<Trial, ExperimentError> {
    let workplace = Workplace { plan_folder: &question.plan_folder, build, revision: &cell.revision };
    let benchmarks = cells::benchmarks(&question.plan);
    let (benchmark, _) = benchmarks
        .iter()
        .find(|(_, key)| *key == cell.benchmark)
        .expect("a run's cells come from the plan, which is part of the question's digest");
    Trial::new(benchmark, &cell.benchmark.parameters, workplace)
}
