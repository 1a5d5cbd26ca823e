//! The level of each measured revision, and what revisions differ by.
//!
//! From the [fit](crate::interleaved::Fit) of all samples in order of time, with the host's path. A
//! bisection chooses its order, and measures some revisions a few times only: by simulation the
//! fit's variances are up to three times too small then. So no level counts as better known than
//! its samples' own noise allows.

use super::belief::RangeBelief;
use super::noise::own_scale;
use super::record::{FEWEST, LevelReading, Record};
use super::rules::{BisectionRules, BuildVariation, INTERVAL, ValueKind};
use crate::distribution::student_quantile;
use crate::interleaved::{Fit, InterleavedExecution};

/// The variance of a level by that of the mean of its samples. Few samples hardly show their noise:
/// with 1, intervals hold in less than 92 % on four simulated hosts of ten, with this on two.
const NOISE: f64 = 1.3;

/// Levels on the scale of the readings, with their variances.
#[derive(Clone, Debug)]
pub(super) struct RevisionLevels {
    /// The revisions with values, each program once, in order.
    revisions: Vec<usize>,
    levels: Vec<f64>,
    variances: Vec<f64>,
    /// The variance of a level by one sample.
    noise: f64,
}

impl RevisionLevels {
    /// The estimates from all samples of a metric; `None` without samples, or without repeated
    /// ones.
    pub(super) fn of(record: &Record, rules: &BisectionRules) -> Option<Self> {
        let revisions: Vec<usize> = record.tested_programs().collect();
        let executions = record.executions(&revisions);
        if !record.shows_noise() {
            return None;
        }
        let fit = fit(&executions, revisions.len(), rules)?;
        let noise = NOISE * own_scale(&record.readings).0.powi(2);
        let builds = if let BuildVariation::Vary(sd) = rules.builds { sd * sd } else { 0.0 };
        let variance = |(own, revision): (f64, &usize)| {
            own.max(noise / record.count(*revision) as f64) + builds
        };
        let variances = fit.variances().into_iter().zip(&revisions).map(variance).collect();
        Some(Self { levels: fit.levels(), variances, revisions, noise })
    }

    /// The level of a revision, and its variance; of one that is new since by its own samples.
    pub(super) fn level(&self, revision: usize, record: &Record) -> Option<(f64, f64)> {
        match self.revisions.binary_search(&record.programs.first(revision)) {
            Ok(at) => Some((self.levels[at], self.variances[at])),
            Err(_) => Some((record.level(revision)?, self.noise / record.count(revision) as f64)),
        }
    }

    /// The change from a revision to a later one, and its variance.
    pub(super) fn between(&self, ends: (usize, usize), record: &Record) -> Option<(f64, f64)> {
        let (before, after) = (self.level(ends.0, record)?, self.level(ends.1, record)?);
        Some((after.0 - before.0, before.1 + after.1))
    }
}

/// The samples and the host's path together; each revision by itself where there are too few, where
/// the metric's differences and not its ratios are compared, or where no speed moves the metric.
fn fit(
    executions: &[InterleavedExecution],
    programs: usize,
    rules: &BisectionRules,
) -> Option<Fit> {
    if rules.has_path() && executions.len() >= FEWEST {
        Fit::of(executions, programs)
    } else {
        Some(Fit::of_steady(executions, programs))
    }
}

/// The change from a revision to a later one, on the scale of the readings, with its variance. A
/// metric without noise has variance 0.
pub(super) fn between(
    ends: (usize, usize),
    levels: Option<&RevisionLevels>,
    record: &Record,
    rules: &BisectionRules,
) -> Option<(f64, f64)> {
    let medians = record.level(ends.0).zip(record.level(ends.1))?;
    if record.programs.are_same(ends.0, ends.1) {
        return Some((0.0, 0.0));
    }
    if rules.values == ValueKind::Failures {
        return rate_between(ends, record, rules);
    }
    if record.is_exact(rules) {
        return Some((medians.1 - medians.0, 0.0));
    }
    levels?.between(ends, record)
}

/// The same of rates of failure, from the executions of both alone.
fn rate_between(
    ends: (usize, usize),
    record: &Record,
    rules: &BisectionRules,
) -> Option<(f64, f64)> {
    let mut belief = RangeBelief::of(ends, &Record::default(), rules);
    for end in [ends.0, ends.1] {
        let own = record.of(end).map(|reading| LevelReading { revision: end, ..*reading });
        own.for_each(|reading| belief.observe(reading));
    }
    belief.step(None)
}

/// How many standard errors an interval of 95 % reaches to either side: of few samples, which do
/// not show their own noise well, as far as Student's t.
pub(super) fn reach(record: &Record, rules: &BisectionRules) -> f64 {
    if rules.values == ValueKind::Failures {
        return INTERVAL;
    }
    student_quantile(0.975, record.freedom())
}
