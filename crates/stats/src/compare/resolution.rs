//! What a coarse clock adds to an interval.

use std::collections::BTreeSet;

use super::order::{quantile, sorted};
use super::sample::{Sample, Scale};

/// How coarse values are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clock {
    /// In the metric's unit; 0 where it is fine enough.
    pub step: f64,
    /// The same as values are compared.
    pub compared_step: f64,
    /// By how much a difference may be off, as values are compared.
    pub error: f64,
}

impl Clock {
    /// With this step, or that of the values.
    pub fn of(scale: Scale, a: &[Sample], b: &[Sample], resolution: Option<f64>) -> Self {
        let values = |side: &[Sample]| side.iter().map(|sample| sample.value).collect::<Vec<f64>>();
        let (a, b) = (values(a), values(b));
        let all: Vec<f64> = a.iter().chain(&b).copied().collect();
        let Some(step) = resolution.or_else(|| step(&all)).filter(|&step| step > 0.0) else {
            return Self::default();
        };
        let centre = crate::summary::median(&all).unwrap_or(0.0);
        let compared = |value: f64| match scale {
            Scale::Ratio => (value / centre).ln_1p(),
            Scale::Difference => value,
        };
        Self { step, compared_step: compared(step), error: compared(error(&a, &b, step)) }
    }
}

/// The step that values stand on, if they do: fewer than half of them differ, and none by less.
fn step(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let distinct: BTreeSet<u64> = values.iter().map(|value| value.to_bits()).collect();
    if values.len() < 6 || distinct.len() * 2 > values.len() {
        return None;
    }
    let gaps = sorted.windows(2).map(|two| two[1] - two[0]).filter(|&gap| gap > 0.0);
    gaps.reduce(f64::min)
}

/// By how much a difference of the two may be off, for a clock with this step.
///
/// Noise of several steps averages the rounding out. Of less it leaves the more, the fewer steps there are between the
/// quartiles: both sides together are off by a quarter of a step below three, by half of one below one, and by a
/// whole one where most values fall into one step.
fn error(a: &[f64], b: &[f64], step: f64) -> f64 {
    let spread = |side: &[f64]| {
        let sorted = sorted(side);
        quantile(&sorted, 0.75).zip(quantile(&sorted, 0.25)).map_or(0.0, |(high, low)| high - low)
    };
    let spread = spread(a).min(spread(b));
    match () {
        () if spread < step / 2.0 => step,
        () if spread < step => step / 2.0,
        () if spread < 3.0 * step => step / 4.0,
        () => 0.0,
    }
}
