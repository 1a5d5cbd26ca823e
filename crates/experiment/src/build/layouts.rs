//! One source, linked in several orders: how far builds differ by their layout alone.
//!
//! Each layout is a build by a recipe of its own, so that no series ever takes it for the plan's.
//! All are executed in the same rounds, under a run that is no part of any series.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tacho_record::{
    BenchmarkKey, BuildState, Cell, Digest, LimitedExecutions, Metric, Purpose, Recipes,
    ReferenceMode, Sample,
};
use tacho_report::layouts::TAKES_ORDER;
use tacho_stats::Summary;
use tacho_stats::levels::{LayoutValues, Levels, Process};
use tacho_subject::{FixedOrder, Layout};

use crate::analysis::usual_speed::{UsualSpeed, each_at_usual_speed, with_measured_range};
use crate::build::builds::{NOT_THE_SAME, UnpackResult};
use crate::run::prepare::prepare_trial;
use crate::run::rounds::measure;
use crate::run::session::Session;
use crate::track::check;
use crate::{Context, ExperimentError, Question};

/// The fact of a run that names its fixed orders: the last cells of each benchmark.
pub const FIXED: &str = "layouts.fixed";
/// The fact of a run that says how long a build took when it began, on average, in seconds.
pub(crate) const BUILD: &str = "layouts.build";

/// The result of measuring layouts.
#[derive(Debug)]
pub enum LayoutsResult {
    /// The user stopped it before anything was measured; builds are kept.
    Interrupted,
    /// A layout could not be built.
    NotBuilt {
        /// Its number.
        layout: u32,
        /// Why not, in one line.
        why: String,
    },
    /// All came out the same: the build does not use the linker that it is given.
    Ignored,
    /// They were measured.
    Measured(Box<LayoutMeasurements>),
}

impl LayoutsResult {
    /// Why there are no builds of a revision in several layouts; `None` when interrupted.
    pub(crate) fn why_not_built(&self) -> Option<String> {
        match self {
            Self::NotBuilt { layout, why } => {
                Some(format!("layout {layout} does not build: {why}"))
            }
            Self::Ignored => Some(format!("all its layouts are the same program: {TAKES_ORDER}")),
            Self::Interrupted | Self::Measured(_) => None,
        }
    }
}

/// The measurements.
#[derive(Debug)]
pub struct LayoutMeasurements {
    /// The run's number.
    pub run: i64,
    /// Whether the user stopped it: the samples are then those so far, and the same command
    /// resumes.
    pub interrupted: bool,
    /// How many layouts came out as one that there was.
    pub equal: usize,
    /// How long a build took, on average.
    pub build: Duration,
    /// Time spent in executions, hooks included.
    pub executing: Duration,
    /// One a benchmark.
    pub rows: Vec<BenchmarkLayouts>,
}

/// A benchmark at all layouts.
#[derive(Debug)]
pub struct BenchmarkLayouts {
    /// The benchmark.
    pub benchmark: BenchmarkKey,
    /// The metric.
    pub metric: Metric,
    /// The share by which executions took longer at the host's slow speed, if its speed moved:
    /// values are then those at its usual speed.
    pub uneven: Option<f64>,
    /// Each layout's number and what was measured of it.
    pub layouts: Vec<(u32, Option<Summary>)>,
    /// The same of fixed orders, by name; they are not among the layouts, and no level includes
    /// them.
    pub fixed: Vec<(&'static str, Option<Summary>)>,
    /// The variation of each level; `None` if unknown.
    pub levels: Option<Levels>,
    /// How long an execution takes, on average, in seconds.
    pub execution: f64,
    /// The executions that reached a limit.
    pub limited: LimitedExecutions,
    /// How the first execution failed that did, in one line.
    pub failure: Option<String>,
}

/// A layout that is built.
struct LayoutBuild {
    number: u32,
    fixed: Option<&'static str>,
    artifact: Digest,
    folder: PathBuf,
}

/// Builds and measures these layouts of the question's one revision, by that metric where a
/// benchmark has it.
pub fn layouts(
    context: &mut Context<'_>,
    question: &Question,
    layouts: &[Layout],
    metric: Option<&str>,
) -> Result<LayoutsResult, ExperimentError> {
    check(context, question)?;
    let LayoutBuilds { built, recipes, took } = match context.make(question, layouts)? {
        Ok(made) => made,
        Err(ended) => return Ok(ended),
    };
    let session = context.session_of_layouts(question, &built, (&recipes, mean(took, layouts)))?;
    let build = build_time(&context.store.conditions(session.run.number)?);
    let began = Instant::now();
    let measured = measure(context, &session)?;
    let executing = began.elapsed();
    let mut samples = Vec::new();
    for cell in &session.cells {
        samples.push(context.store.samples(cell.id)?);
    }
    Ok(LayoutsResult::Measured(Box::new(LayoutMeasurements {
        run: session.run.number,
        interrupted: measured.interrupted,
        equal: layouts.len() - built.len(),
        build: build.unwrap_or_else(|| mean(took, layouts)),
        executing,
        rows: rows(question, &built, &session, &samples, metric),
    })))
}

/// Builds these layouts of the question's one revision, and says what they are, each once, and how
/// long one took on average; what ended it where it did not go well, which is never that they were
/// measured.
pub(crate) fn build(
    context: &mut Context<'_>,
    question: &Question,
    layouts: &[Layout],
) -> Result<Result<(Vec<Digest>, Duration), LayoutsResult>, ExperimentError> {
    check(context, question)?;
    let made = context.make(question, layouts)?;
    Ok(made.map(|made| {
        (made.built.iter().map(|build| build.artifact).collect(), mean(made.took, layouts))
    }))
}

/// How long a build took on average when a run over layouts began, by the facts of the run.
#[must_use]
pub fn build_time(conditions: &BTreeMap<String, String>) -> Option<Duration> {
    let seconds = conditions.get(BUILD)?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// How long each took.
fn mean(took: Duration, layouts: &[Layout]) -> Duration {
    took.checked_div(u32::try_from(layouts.len()).unwrap_or(1)).unwrap_or_default()
}

/// All layouts that differ, built and unpacked.
struct LayoutBuilds {
    built: Vec<LayoutBuild>,
    /// By which recipes, those included that came out as others did.
    recipes: String,
    took: Duration,
}

/// The question, of what is built by these recipes.
fn by(question: &Question, recipes: Option<Recipes>) -> Question {
    Question { recipes: recipes.unwrap_or_else(|| question.recipes.clone()), ..question.clone() }
}

impl Context<'_> {
    /// Builds and unpacks all; what ended it where it did not go well.
    fn make(
        &mut self,
        question: &Question,
        layouts: &[Layout],
    ) -> Result<Result<LayoutBuilds, LayoutsResult>, ExperimentError> {
        let (mut took, mut recipes) = (Duration::ZERO, String::new());
        let mut made: Vec<(&Layout, Digest)> = Vec::new();
        for layout in layouts {
            let built = self.laid_out(layout, question, |context, question| {
                recipes += &format!("{} ", question.recipes.of(&question.revisions[0].id));
                context.build_layout(question, layout.number, &mut took)
            });
            match built? {
                Ok(artifact) => made.push((layout, artifact)),
                Err(ended) => return Ok(Err(ended)),
            }
        }
        let mut seen = BTreeSet::new();
        made.retain(|(_, artifact)| seen.insert(*artifact));
        let shuffled = |layout: &&Layout| layout.fixed.is_none();
        if made.iter().filter(|(layout, _)| shuffled(layout)).count() == 1
            && layouts.iter().filter(shuffled).count() > 1
        {
            return Ok(Err(LayoutsResult::Ignored));
        }
        // Together, since building one lets go of what no one has said to be needed.
        self.builder.keep(&made.iter().map(|(_, artifact)| *artifact).collect::<Vec<_>>());
        let mut built: Vec<LayoutBuild> = Vec::new();
        for (layout, artifact) in made {
            let folder = self.laid_out(layout, question, |context, question| {
                context.unpack_layout(question, layout.number, artifact)
            });
            match folder? {
                Ok(folder) => {
                    let (number, fixed) = (layout.number, layout.fixed.map(FixedOrder::name));
                    built.push(LayoutBuild { number, fixed, artifact, folder });
                }
                Err(ended) => return Ok(Err(ended)),
            }
        }
        Ok(Ok(LayoutBuilds { built, recipes, took }))
    }

    /// Has something done while everything is built in that layout.
    fn laid_out<T>(
        &mut self,
        layout: &Layout,
        question: &Question,
        what: impl FnOnce(&mut Self, &Question) -> Result<T, ExperimentError>,
    ) -> Result<T, ExperimentError> {
        let recipes = self.builder.lay_out(Some(layout), &question.revisions)?;
        let done = what(self, &by(question, recipes));
        self.builder.lay_out(None, &question.revisions)?;
        done
    }

    /// The artifact of a layout, or the reason why there is none.
    fn build_layout(
        &mut self,
        question: &Question,
        layout: u32,
        took: &mut Duration,
    ) -> Result<Result<Digest, LayoutsResult>, ExperimentError> {
        let Some(builds) = self.builds(question).all(&question.revisions, question.retry_failed)?
        else {
            return Ok(Err(LayoutsResult::Interrupted));
        };
        *took += builds.iter().map(|build| build.took).sum::<Duration>();
        let why = match builds.first().map(|build| &build.state) {
            Some(BuildState::Built { artifact, .. }) => return Ok(Ok(*artifact)),
            Some(BuildState::Failed { why, .. } | BuildState::Skipped { why }) => why.clone(),
            Some(BuildState::TimedOut { .. }) => "it timed out".to_owned(),
            None => "there is no revision".to_owned(),
        };
        Ok(Err(LayoutsResult::NotBuilt { layout, why }))
    }

    /// The folder of a layout, or the reason why there is none.
    fn unpack_layout(
        &mut self,
        question: &Question,
        layout: u32,
        artifact: Digest,
    ) -> Result<Result<PathBuf, LayoutsResult>, ExperimentError> {
        Ok(match self.builds(question).unpack_one((&question.revisions[0], artifact), 0, 1)? {
            UnpackResult::Folder(folder) => Ok(folder),
            UnpackResult::Otherwise(_) => {
                let why = NOT_THE_SAME.to_owned();
                Err(LayoutsResult::NotBuilt { layout, why })
            }
            UnpackResult::Interrupted => Err(LayoutsResult::Interrupted),
        })
    }

    /// The interrupted run of the same layouts, else a new one.
    fn session_of_layouts(
        &mut self,
        question: &Question,
        built: &[LayoutBuild],
        (recipes, took): (&str, Duration),
    ) -> Result<Session, ExperimentError> {
        let digest = Digest::of(format!("layouts\n{}\n{recipes}", question.digest()));
        let rounds = question.rule().max_rounds;
        let cell = |key: &BenchmarkKey, build: &LayoutBuild| Cell {
            revision: question.revisions[0].id.clone(),
            artifact: build.artifact,
            benchmark: key.clone(),
            rounds,
        };
        let keys = question.plan.keyed_benchmarks();
        let cells: Vec<Cell> = keys
            .iter()
            .flat_map(|(_, key)| built.iter().map(move |build| cell(key, build)))
            .collect();
        let (run, cells) = if let Some(begun) = self.resumed_run(question, digest, &cells)? {
            begun
        } else {
            let mut question = question.clone();
            question.conditions.insert(BUILD.to_owned(), took.as_secs_f64().to_string());
            let fixed: Vec<&str> = built.iter().filter_map(|build| build.fixed).collect();
            if !fixed.is_empty() {
                question.conditions.insert(FIXED.to_owned(), fixed.join(", "));
            }
            self.begin_run(Purpose::Layouts, digest, &question, cells)?
        };
        let folders: HashMap<Digest, &PathBuf> =
            built.iter().map(|build| (build.artifact, &build.folder)).collect();
        let ready = self.ready_cells(cells, |_, cell| {
            prepare_trial(question, run.seed, cell, (folders[&cell.artifact], None))
        })?;
        Ok(Session { run, cells: ready, duet: None, reference: ReferenceMode::Off, groups: None })
    }
}

fn rows(
    question: &Question,
    built: &[LayoutBuild],
    session: &Session,
    samples: &[Vec<Sample>],
    metric: Option<&str>,
) -> Vec<BenchmarkLayouts> {
    let plan = question.plan.keyed_benchmarks();
    let of_benchmark = session.cells.chunks(built.len()).zip(samples.chunks(built.len()));
    of_benchmark
        .filter_map(|(cells, samples)| {
            let (benchmark, key) = plan.iter().find(|(_, key)| *key == cells[0].cell.benchmark)?;
            let mut metrics = benchmark.metrics.iter().map(|planned| &planned.metric);
            let named = metrics.clone().find(|known| Some(known.name.as_str()) == metric);
            let metric = named.or_else(|| metrics.next())?;
            Some(row(key, metric, built, samples))
        })
        .collect()
}

/// The values of that metric, of each execution that counts.
#[must_use]
pub fn executions(samples: &[Sample], metric: &str) -> Vec<Process> {
    let values = |sample: &Sample| -> Process {
        let named = sample.values.iter().filter(|(name, _)| name == metric);
        named.map(|(_, value)| *value).collect()
    };
    samples
        .iter()
        .filter(|sample| sample.counts())
        .map(values)
        .filter(|of| !of.is_empty())
        .collect()
}

/// How long an execution takes, on average, in seconds.
#[must_use]
pub fn execution(samples: &[Vec<Sample>]) -> f64 {
    let walls: Vec<f64> =
        samples.iter().flatten().filter_map(|sample| sample.value("wall")).collect();
    walls.iter().sum::<f64>() / walls.len().max(1) as f64 / 1e9
}

fn row(
    key: &BenchmarkKey,
    metric: &Metric,
    built: &[LayoutBuild],
    measured: &[Vec<Sample>],
) -> BenchmarkLayouts {
    let UsualSpeed { samples, uneven, reaches } = each_at_usual_speed(measured, metric);
    let samples = &samples;
    let shuffled = || built.iter().zip(samples).filter(|(build, _)| build.fixed.is_none());
    let values: Vec<Vec<Process>> =
        shuffled().map(|(_, of)| executions(of, &metric.name)).collect();
    let summary = |of: &[Sample]| {
        let values: Vec<f64> =
            of.iter().filter(|it| it.counts()).filter_map(|it| it.value(&metric.name)).collect();
        Summary::censored(&values, &LimitedExecutions::of(of, metric).bounds)
    };
    let each = || {
        let usual = samples.iter().zip(measured).zip(&reaches).map(|((usual, measured), reach)| {
            Some(with_measured_range(summary(usual)?, summary(measured), *reach))
        });
        built.iter().zip(usual)
    };
    // Executions that were cut off hide how far executions differ.
    let is_known = !samples.iter().flatten().any(Sample::is_limited);
    BenchmarkLayouts {
        benchmark: key.clone(),
        metric: metric.clone(),
        uneven,
        layouts: each()
            .filter(|(build, _)| build.fixed.is_none())
            .map(|(build, of)| (build.number, of))
            .collect(),
        fixed: each().filter_map(|(build, of)| Some((build.fixed?, of))).collect(),
        levels: Levels::of(LayoutValues(&values)).filter(|_| is_known),
        limited: LimitedExecutions::of(samples.iter().flatten(), metric),
        execution: execution(samples),
        failure: samples
            .iter()
            .flatten()
            .filter(|sample| sample.outcome.is_failure())
            .find_map(|sample| sample.outcome.described().map(|reported| reported.0)),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tacho_record::{Outcome, Place};

    use super::*;

    #[test]
    fn on_a_host_that_moves_rows_have_the_intervals_of_levels_and_the_measured_range() {
        let built: Vec<LayoutBuild> = (1..=4)
            .map(|number| LayoutBuild {
                number,
                fixed: None,
                artifact: Digest::of(number.to_string()),
                folder: PathBuf::new(),
            })
            .collect();
        let sample = |layout: u32, round: u32| {
            let place = Place { round, position: (layout + round) % 4 };
            let (at, outcome) = (Timestamp::UNIX_EPOCH, Outcome::Valid);
            let mut sample = Sample { place, at, outcome, values: Vec::new() };
            let slow = if (8..15).contains(&round) { 2.0 } else { 1.0 };
            // Without steps, which would hide how well levels are known.
            let noise = 7.0 * (f64::from(round * 127 + layout * 311).sin() * 43_758.5).fract();
            sample.add("wall", (1e8 + 1e6 * f64::from(layout) + 1e5 * noise) * slow);
            sample
        };
        let measured: Vec<Vec<Sample>> =
            (0..4).map(|layout| (1..=20).map(|round| sample(layout, round)).collect()).collect();
        let metric = Metric::built_in("wall").unwrap();
        let reach = each_at_usual_speed(&measured, &metric).reaches[0].unwrap();
        let row = row(&BenchmarkKey::plain("parts"), &metric, &built, &measured);
        let first = row.layouts[0].1.unwrap();
        let (low, high) = first.interval.unwrap();
        assert!((low * reach.exp() / first.median - 1.0).abs() < 1e-9, "{first:?}");
        assert!((high / reach.exp() / first.median - 1.0).abs() < 1e-9, "{first:?}");
        assert!(row.uneven.is_some() && first.max > 1.9e8 && first.median < 1.1e8, "{first:?}");
    }
}
