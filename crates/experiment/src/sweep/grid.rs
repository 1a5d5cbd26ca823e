//! All values of a grid, interleaved over rounds.

use tacho_record::{Metric, Outcome, Sample};
use tacho_report::sweep::SweepRow;
use tacho_stats::Summary;
use tacho_stats::sweep::{SweepCurve, SweepLevels};

use super::MetricLimit;
use super::observed::executions;
use crate::analysis::execution_times::busy_share;
use crate::bench::{BenchQuestion, BenchResult, measure};
use crate::{Context, ExperimentError};

/// The question of a sweep.
#[derive(Clone, Debug)]
pub struct SweepQuestion {
    /// The commands, one a value, and how they are executed.
    pub bench: BenchQuestion,
    /// The metric whose best value is looked for; `None`: the time of each command.
    pub objective: Option<Metric>,
    /// The limits that a value is to keep, to be the best.
    pub limits: Vec<MetricLimit>,
    /// The values as numbers in rising order, where the commands differ in one parameter alone that
    /// has numbers.
    pub positions: Option<Vec<f64>>,
    /// The command that does only what cannot be left out, and so is never the best.
    pub floor: Option<usize>,
    /// Up to this share two values are called the same.
    pub margin: f64,
}

/// Why there is no curve.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MissingCurve {
    /// No value keeps all limits.
    #[error("no value keeps {limits}")]
    NothingAllowed {
        /// The limits, in words.
        limits: String,
    },
    /// The sweep was interrupted before the first execution.
    #[error("no execution ended")]
    NothingExecuted,
    /// No execution gave a value.
    #[error("no execution has `{metric}`")]
    NothingMeasured {
        /// The metric's name.
        metric: String,
    },
    /// Values are compared by their ratio.
    #[error("`{metric}` was {value}, and values are compared by their ratio")]
    NotPositive {
        /// The metric's name.
        metric: String,
        /// The value, with its unit.
        value: String,
    },
}

/// The answer of a sweep.
#[derive(Clone, Debug)]
pub struct SweepAnswer {
    /// The measurements.
    pub answer: BenchResult,
    /// One a value, in order of the commands.
    pub rows: Vec<SweepRow>,
    /// The curve over the values that have a place in it.
    pub curve: Result<SweepCurve, MissingCurve>,
    /// The commands in the curve, by their place in it.
    pub places: Vec<usize>,
}

/// Measures all values in rounds, and judges the curve.
pub fn sweep(
    context: &mut Context<'_>,
    question: &SweepQuestion,
) -> Result<SweepAnswer, ExperimentError> {
    let answer = measure(context, &question.bench)?;
    let (rows, places, curve) = judged(question, &answer.samples);
    Ok(SweepAnswer { answer, rows, curve, places })
}

/// The judgement of all values: a row each, the values in the curve, and the curve.
pub(super) fn judged(
    question: &SweepQuestion,
    samples: &[Vec<Sample>],
) -> (Vec<SweepRow>, Vec<usize>, Result<SweepCurve, MissingCurve>) {
    let mut rows: Vec<SweepRow> =
        (0..samples.len()).map(|at| question.row(at, &samples[at])).collect();
    let keeps =
        |row: &SweepRow| row.limits.iter().all(|limit| limit.is_some_and(|(keeps, _)| keeps));
    let is_in = |at: &usize| {
        // Only the better executions of a value that sometimes reached a limit have a number.
        let row = &rows[*at];
        question.floor != Some(*at) && row.summary.is_some() && row.limited.0 == 0 && keeps(row)
    };
    let places: Vec<usize> = (0..rows.len()).filter(is_in).collect();
    for (place, at) in places.iter().enumerate() {
        rows[*at].place = Some(place);
    }
    let curve = question.curve(&rows, &places, samples);
    (rows, places, curve)
}

impl SweepQuestion {
    /// The metric whose best value is looked for, of that command.
    #[must_use]
    pub fn metric(&self, command: usize) -> Metric {
        self.objective.clone().unwrap_or_else(|| self.bench.commands[command].time())
    }

    fn row(&self, at: usize, samples: &[Sample]) -> SweepRow {
        let metric = self.metric(at);
        let counted = samples.iter().filter(|sample| sample.counts());
        let values: Vec<f64> = counted.filter_map(|sample| sample.value(&metric.name)).collect();
        let failed = || samples.iter().filter(|sample| sample.outcome.is_failure());
        let reached = |sample: &Sample| match &sample.outcome {
            Outcome::LimitReached { reached, .. } => Some(reached.clone()),
            _ => None,
        };
        let limited = samples.iter().filter(|sample| sample.is_limited());
        SweepRow {
            summary: Summary::of(&values),
            place: None,
            limits: self.limits.iter().map(|limit| limit.median_keeps(samples)).collect(),
            busy_share: busy_share(samples),
            failed: (failed().count(), failed().find_map(|it| Some(it.outcome.described()?.0))),
            limited: (limited.clone().count(), { limited }.find_map(reached)),
        }
    }

    fn curve(
        &self,
        rows: &[SweepRow],
        places: &[usize],
        samples: &[Vec<Sample>],
    ) -> Result<SweepCurve, MissingCurve> {
        let metric = || self.metric(0).name;
        let nothing = || {
            if rows.iter().any(|row| row.summary.is_some()) {
                let limits: Vec<String> =
                    self.limits.iter().map(|limit| format!("`{limit}`")).collect();
                MissingCurve::NothingAllowed { limits: limits.join(" and ") }
            } else if samples.iter().all(Vec::is_empty) {
                MissingCurve::NothingExecuted
            } else {
                MissingCurve::NothingMeasured { metric: metric() }
            }
        };
        let own: Vec<&[Sample]> = places.iter().map(|at| samples[*at].as_slice()).collect();
        let metrics: Vec<Metric> = places.iter().map(|at| self.metric(*at)).collect();
        let shown = |value| self.metric(0).unit.show(value);
        let executions = executions(&own, &metrics)
            .map_err(|value| MissingCurve::NotPositive { metric: metric(), value: shown(value) })?;
        let levels = SweepLevels::of(&executions, places.len()).ok_or_else(nothing)?;
        let positions = self.positions.as_ref();
        let positions: Option<Vec<f64>> =
            positions.map(|all| places.iter().map(|at| all[*at]).collect());
        SweepCurve::of(levels, positions.as_deref(), self.margin).ok_or_else(nothing)
    }
}
