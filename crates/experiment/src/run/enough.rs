//! When a cell has enough samples, and when it is given up.

use tacho_record::{Direction, Rule, Sample};
use tacho_stats::Summary;

/// A cell that fails in its first executions, this many in a row, is executed no more
/// (docs/src/method/stopping.md).
pub const GIVE_UP_AFTER: usize = 2;

/// Whether a cell with these samples, in the order in which they were taken, is given up.
pub fn is_given_up<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> bool {
    let first = samples.into_iter().take(GIVE_UP_AFTER);
    first.filter(|sample| sample.outcome.is_failure()).count() == GIVE_UP_AFTER
}

/// Whether the median has the requested precision; false without a request.
pub fn is_precise(rule: &Rule, known: &MetricValues) -> bool {
    let Some(precision) = &rule.precision else { return false };
    let MetricValues { values, bounds } = known;
    let reach = || Summary::sampled(values, bounds, true)?.precision();
    values.len() + bounds.len() >= rule.min_rounds as usize
        && reach().is_some_and(|reach| reach <= precision.share)
}

/// The values of a metric.
#[derive(Clone, Debug, Default)]
pub struct MetricValues {
    /// Its values.
    pub values: Vec<f64>,
    /// The lower bounds from executions that reached a limit.
    pub bounds: Vec<f64>,
}

impl MetricValues {
    /// Adds what a measurement says of a metric of that direction.
    pub fn add(&mut self, better: Direction, values: &[f64], bounds: &[f64]) {
        self.values.extend_from_slice(values);
        if better == Direction::Lower {
            self.bounds.extend_from_slice(bounds);
        }
    }
}
