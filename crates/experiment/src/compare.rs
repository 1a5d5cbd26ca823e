//! `tacho compare`: two revisions beside one another, and the first a second time.
//!
//! The second time is the control: what the same program differs by from itself is the noise of this host today.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tacho_record::{BenchmarkKey, BuildState, Cell, Digest, Direction, Metric, Purpose, Sample};
use tacho_stats::Summary;
use tacho_stats::compare::{
    Better, Comparison, Look, Rules, Sample as Value, Sides, Verdict, compare as judge, judge_together,
};

use crate::cells::benchmarks;
use crate::prepare::prepare_trial;
use crate::rounds::{Measured, measure};
use crate::session::{Session, SessionCell, Wanted};
use crate::{Bench, ExperimentError, Question};

/// The error that all rows together are given.
const ERROR: f64 = 0.05;

/// How two revisions are compared.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Whether the first revision is measured a second time.
    pub control: bool,
    /// Up to which difference two are the same, as a share.
    pub margin: f64,
    /// The metrics of each benchmark, by its identity.
    pub metrics: HashMap<String, Vec<Metric>>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Compared {
    /// Both built to the same artifacts: they are the same program, and nothing was measured.
    SameProgram,
    /// One of them has no build: which, and why.
    NotBuilt {
        /// The revision.
        revision: String,
        /// How its build ended.
        why: String,
    },
    /// Both were measured.
    Measured(Box<Rows>),
    /// The user stopped it before anything was measured.
    Interrupted,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The number of the run.
    pub run: i64,
    /// The seed of its random order.
    pub seed: u64,
    /// Whether the user stopped it: then these are the samples so far.
    pub interrupted: bool,
    /// Time spent in executions, hooks included.
    pub executing: Duration,
    /// One a benchmark and metric.
    pub rows: Vec<Row>,
}

/// A metric of a benchmark at both revisions.
#[derive(Clone, Debug)]
pub struct Row {
    /// The benchmark.
    pub benchmark: BenchmarkKey,
    /// The metric.
    pub metric: Metric,
    /// The first revision, the second.
    pub sides: [Option<Summary>; 2],
    /// The second against the first.
    pub comparison: Comparison,
    /// In a word, all rows judged together.
    pub verdict: Verdict,
    /// What a round of this benchmark takes, all its cells together, in nanoseconds.
    pub round: f64,
    /// How the first execution failed that did, in one line, and of which revision.
    pub failure: Option<(String, String)>,
}

/// Builds and measures the question's two revisions, interleaved.
///
/// What is measured is kept under a run of its own and is no part of any series.
pub fn compare(
    bench: &mut Bench<'_>,
    question: &Question,
    terms: &Terms,
) -> Result<Compared, ExperimentError> {
    bench.check(question)?;
    bench.put_metrics(&question.plan)?;
    bench.store.put_revisions(&question.revisions)?;
    let Some(builds) = bench.builds(question).all(&question.revisions, false)? else {
        return Ok(Compared::Interrupted);
    };
    let mut artifacts = Vec::new();
    for build in &builds {
        match &build.state {
            BuildState::Built { artifact, .. } => artifacts.push(*artifact),
            other => return Ok(not_built(&build.revision, other)),
        }
    }
    if artifacts.windows(2).all(|pair| pair[0] == pair[1]) {
        return Ok(Compared::SameProgram);
    }
    let needed: Vec<_> = question.revisions.iter().zip(artifacts.iter().copied()).collect();
    let Some(folders) = bench.builds(question).unpack(&needed)? else { return Ok(Compared::Interrupted) };
    if let Some((revision, _)) = needed.iter().find(|(_, artifact)| !folders.contains_key(artifact)) {
        let why = "it came out otherwise when it was built again".to_owned();
        return Ok(Compared::NotBuilt { revision: revision.id.clone(), why });
    }
    bench.compare_built(question, terms, &artifacts, &folders)
}

fn not_built(revision: &str, state: &BuildState) -> Compared {
    let why = match state {
        BuildState::Failed { why } | BuildState::Skipped { why } => format!("its build failed: {why}"),
        other => format!("its build {}", other.word()),
    };
    Compared::NotBuilt { revision: revision.to_owned(), why }
}

/// The sides of a benchmark: the first revision, the second, and the first again.
const SIDES: [usize; 3] = [0, 1, 0];

impl Bench<'_> {
    fn compare_built(
        &mut self,
        question: &Question,
        terms: &Terms,
        artifacts: &[Digest],
        folders: &HashMap<Digest, PathBuf>,
    ) -> Result<Compared, ExperimentError> {
        let sides = if terms.control { &SIDES[..] } else { &SIDES[..2] };
        let session = self.session_of_sides(question, sides, artifacts, folders)?;
        let began = Instant::now();
        let Measured { interrupted, .. } = measure(self, &session)?;
        let executing = began.elapsed();
        if interrupted {
            self.store.abandon_run(session.run.number, self.executor.now())?;
        }
        let mut samples = Vec::new();
        for cell in &session.cells {
            samples.push(self.store.samples(cell.id)?);
        }
        let rows = rows(question, terms, &session, &samples, sides.len());
        let (run, seed) = (session.run.number, session.run.seed);
        Ok(Compared::Measured(Box::new(Rows { run, seed, interrupted, executing, rows })))
    }

    /// A run with all sides of each benchmark, one after the other.
    fn session_of_sides(
        &mut self,
        question: &Question,
        sides: &[usize],
        artifacts: &[Digest],
        folders: &HashMap<Digest, PathBuf>,
    ) -> Result<Session, ExperimentError> {
        let rounds = question.rule().max_rounds;
        let of = |key: &BenchmarkKey| -> Vec<Cell> {
            let cell = |side: &usize| Cell {
                revision: question.revisions[*side].id.clone(),
                artifact: artifacts[*side],
                benchmark: key.clone(),
                rounds,
            };
            sides.iter().map(cell).collect()
        };
        let cells: Vec<Cell> = benchmarks(&question.plan).iter().flat_map(|(_, key)| of(key)).collect();
        let (run, cells) = self.begin_run(Purpose::Compare, question.digest(), question, cells)?;
        let mut ready = Vec::with_capacity(cells.len());
        for (id, cell) in cells {
            let trial = prepare_trial(question, run.seed, &cell, &folders[&cell.artifact])?;
            let wanted = Wanted { enough: rounds, ..Wanted::default() };
            ready.push(SessionCell { id, cell, trial, wanted, before: Vec::new() });
        }
        Ok(Session { run, cells: ready })
    }
}

/// All rows, judged together.
fn rows(
    question: &Question,
    terms: &Terms,
    session: &Session,
    samples: &[Vec<Sample>],
    sides: usize,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (cells, samples) in session.cells.chunks(sides).zip(samples.chunks(sides)) {
        let key = &cells[0].cell.benchmark;
        let metrics = terms.metrics.get(&key.identity()).map_or(&[][..], Vec::as_slice);
        rows.extend(metrics.iter().map(|metric| row(key, metric, cells, samples, terms, question.seed)));
    }
    let comparisons: Vec<Comparison> = rows.iter().map(|row| row.comparison.clone()).collect();
    for (row, verdict) in rows.iter_mut().zip(judge_together(&comparisons, ERROR)) {
        row.verdict = verdict;
    }
    rows
}

fn row(
    key: &BenchmarkKey,
    metric: &Metric,
    cells: &[SessionCell],
    samples: &[Vec<Sample>],
    terms: &Terms,
    seed: u64,
) -> Row {
    let values: Vec<Vec<Value>> = samples.iter().map(|side| values(metric, side)).collect();
    let better = if metric.better == Direction::Lower { Better::Lower } else { Better::Higher };
    let rules = Rules { better, margin: terms.margin, seed, ..Rules::default() };
    let control = values.get(2).map_or(&[][..], Vec::as_slice);
    let look = Look::only(values[0].len().min(values[1].len()), ERROR);
    let comparison = judge(&Sides { a: &values[0], b: &values[1], control }, &rules, look);
    let summary = |side: &[Sample]| {
        let counted: Vec<f64> =
            side.iter().filter(|it| it.counts()).filter_map(|it| it.value(&metric.name)).collect();
        let bounds: Vec<f64> = side.iter().filter_map(|it| it.bound(&metric.name)).collect();
        Summary::sampled(&counted, &bounds, false)
    };
    let failed = cells.iter().zip(samples).find_map(|(cell, side)| {
        let failed = side.iter().find(|it| it.outcome.is_failure())?;
        Some((failed.outcome.told()?.0, cell.cell.revision.clone()))
    });
    Row {
        benchmark: key.clone(),
        metric: metric.clone(),
        sides: [summary(&samples[0]), summary(&samples[1])],
        verdict: comparison.verdict,
        comparison,
        round: samples.iter().filter_map(|side| mean_wall(side)).sum(),
        failure: failed,
    }
}

/// What counts of a side, each value in its round; of a limit that was reached a bound, where less is better.
fn values(metric: &Metric, side: &[Sample]) -> Vec<Value> {
    let one = |sample: &Sample| {
        let round = sample.place.round;
        let exact = sample.value(&metric.name).filter(|_| sample.counts());
        let bound = sample.bound(&metric.name).filter(|_| metric.better == Direction::Lower);
        exact.map(Value::new).or(bound.map(|bound| Value::new(bound).at_least())).map(|it| it.in_round(round))
    };
    side.iter().filter_map(one).collect()
}

fn mean_wall(side: &[Sample]) -> Option<f64> {
    let walls: Vec<f64> = side.iter().filter_map(|sample| sample.value("wall")).collect();
    (!walls.is_empty()).then(|| walls.iter().sum::<f64>() / walls.len() as f64)
}
