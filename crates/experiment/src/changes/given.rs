//! Numbers from files, judged.

use tacho_record::numbers::{GivenPoint, GivenSeries};
use tacho_stats::changes::{Options, SeriesValue};
use tacho_stats::history::{HistoryExecution, RunReading};

use super::readings::{Executions, readings_of};
use super::{Environments, Judgement, judge_measured};

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
