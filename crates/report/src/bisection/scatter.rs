//! How much samples vary.

use tacho_record::Bisection;
use tacho_record::bisection::{BisectionRequest, ValueComparison};

use crate::words::percent;

/// The least number of samples of an end that shows how much noise there is.
const ENOUGH: usize = 6;

/// The standard deviation of a sample as it was seen, once both ends have enough.
#[must_use]
pub fn noise(bisection: &Bisection) -> Option<f64> {
    let (first, last) = bisection.standing.ends;
    let of = |place: usize| {
        let rung = bisection.standing.ladder.iter().find(|it| it.is_of(place))?;
        (rung.samples >= ENOUGH).then(|| rung.error * (rung.samples as f64).sqrt())
    };
    Some(of(first)?.max(of(last)?))
}

/// A standard deviation on the scale of the effect.
#[must_use]
pub fn varying(asked: &BisectionRequest, sd: f64) -> String {
    match asked.by {
        ValueComparison::Difference => asked.metric.unit.show(sd),
        ValueComparison::Failure | ValueComparison::Ratio => percent(sd),
    }
}
