//! Numbers from files, judged.

use tacho_record::ChangeVerdict;
use tacho_record::numbers::{GivenPoint, GivenSeries};
use tacho_stats::changes::{DetectedChange, Kind, Options, SeriesValue};
use tacho_stats::history::{HistoryExecution, RunReading};

use super::readings::{Executions, readings_of};
use super::verdict::{is_to_blame, returns, verdict};
use super::{ChangeFilter, Difference, Environments, Judgement, judge_measured, kind_of};

/// A series that was given, with what was found in it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedGiven<'a> {
    /// The series.
    pub given: &'a GivenSeries,
    /// The value of each point: the median of its samples; not finite for a gap.
    pub values: Vec<f64>,
    /// The conditions of each point.
    pub environments: Environments,
    /// The judgement.
    pub judgement: Judgement,
}

impl JudgedGiven<'_> {
    /// The changes that the filter shows, in order, each with the index of the one with which its
    /// level came back.
    #[must_use]
    pub fn shown(&self, filter: &ChangeFilter) -> Vec<(&DetectedChange, Option<usize>)> {
        let detection = &self.judgement.detection;
        let back = returns(&detection.changes).into_iter();
        let back = back.map(|at| at.map(|at| detection.changes[at].index));
        let scatter = detection.scatter.iter().map(|change| (change, None));
        let all = detection.changes.iter().zip(back).chain(scatter);
        let mut shown: Vec<_> = all.filter(|(change, _)| filter.shows(change)).collect();
        shown.sort_by_key(|(change, _)| change.index);
        shown
    }

    /// How many changes there are, shown or not.
    #[must_use]
    pub fn found(&self) -> usize {
        self.judgement.detection.changes.len() + self.judgement.detection.scatter.len()
    }

    /// Whether a change that the filter shows is a regression: for the worse, by the program, and
    /// its level has not come back.
    #[must_use]
    pub fn has_regression(&self, filter: &ChangeFilter) -> bool {
        self.shown(filter).into_iter().any(|(change, back)| {
            back.is_none()
                && is_to_blame(kind_of(change.kind), true)
                && verdict(change, self.given.better) == ChangeVerdict::Worse
        })
    }

    /// The differences of the environment between the last value surely before a change and the
    /// first one surely after it; empty if the change is the program's.
    #[must_use]
    pub fn environment_of(&self, change: &DetectedChange) -> Vec<Difference> {
        if matches!(change.kind, Kind::Step | Kind::DipStart | Kind::DipEnd) {
            return Vec::new();
        }
        let before = (0..*change.range.start()).rev().find(|&index| self.values[index].is_finite());
        let after = *change.range.end();
        before.map_or_else(Vec::new, |before| self.environments.differences(before, after))
    }
}

/// Judges series that were given together.
#[must_use]
pub fn judge_given(series: &[GivenSeries]) -> Vec<JudgedGiven<'_>> {
    let prepared: Vec<(Environments, Vec<SeriesValue>)> = series.iter().map(points).collect();
    let all: Vec<&[SeriesValue]> = prepared.iter().map(|(_, points)| points.as_slice()).collect();
    let readings: Vec<Option<Vec<RunReading>>> = series.iter().map(readings).collect();
    let judgements = judge_measured(&all, &readings, &Options::default());
    let judged = |((given, (environments, points)), judgement): ((_, (_, Vec<SeriesValue>)), _)| {
        let values = points.iter().map(|point| point.value).collect();
        JudgedGiven { given, values, environments, judgement }
    };
    series.iter().zip(prepared).zip(judgements).map(judged).collect()
}

/// The points as the detector takes them.
fn points(given: &GivenSeries) -> (Environments, Vec<SeriesValue>) {
    let environments =
        Environments::new(given.points.iter().map(|point| point.tags.clone()).collect());
    let point = |(point, environment): (&GivenPoint, u32)| {
        let gap = SeriesValue { environment, ..SeriesValue::of(f64::NAN) };
        SeriesValue::from_samples(&point.samples, environment).unwrap_or(gap)
    };
    let points = given.points.iter().zip(environments.numbers()).map(point).collect();
    (environments, points)
}

/// The readings of each point in each run; `None` if the series is not judged by them.
fn readings(given: &GivenSeries) -> Option<Vec<RunReading>> {
    let mut runs = Executions::new();
    for (revision, point) in given.points.iter().enumerate() {
        for (sample, origin) in point.samples.iter().zip(&point.origins) {
            let (layout, round) = (origin.layout, origin.round);
            let ln = sample.ln();
            runs.entry(origin.run).or_default().push(HistoryExecution {
                revision,
                layout,
                round,
                ln,
            });
        }
    }
    for executions in runs.values_mut() {
        executions.sort_by_key(|one| one.round);
    }
    readings_of(&runs)
}
