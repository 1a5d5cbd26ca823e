//! The addition of a coarse clock to an interval.

use super::Estimator;
use super::order::{quantile, sorted};
use super::sample::{SampleValue, Scale};

/// The least number of occurrences of a gap within the sides that counts as a step.
const RECURS: usize = 2;
/// Steps are alike that differ by no more than this share, which decimal fractions may in binary.
const ROUNDED: f64 = 1e-6;

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
    pub fn of(scale: Scale, a: &[SampleValue], b: &[SampleValue], resolution: Option<f64>) -> Self {
        let values =
            |side: &[SampleValue]| side.iter().map(|sample| sample.value).collect::<Vec<f64>>();
        let (a, b) = (values(a), values(b));
        let all: Vec<f64> = a.iter().chain(&b).copied().collect();
        let Some(step) = resolution.or_else(|| step([&a, &b])).filter(|&step| step > 0.0) else {
            return Self::default();
        };
        let centre = crate::summary::median(&all).unwrap_or(0.0);
        let compared = |value: f64| match scale {
            Scale::Ratio => (value / centre).ln_1p(),
            Scale::Difference => value,
        };
        Self { step, compared_step: compared(step), error: compared(error(&a, &b, step)) }
    }

    /// By how much the difference of an estimator may be off: what compares single values, as
    /// medians are, is rounded by half a step at least.
    pub fn error_of(&self, estimator: Estimator) -> f64 {
        let is_single = matches!(estimator, Estimator::Median | Estimator::Minimum);
        if is_single && self.error > 0.0 {
            self.error.max(self.compared_step / 2.0)
        } else {
            self.error
        }
    }
}

/// The step of the clock, if values show one: fewer than half of them differ, no two by less than
/// the step, and the step recurs within the sides. A distance between the sides alone is the
/// compared difference, and a distance that occurs once may be anything.
fn step(sides: [&[f64]; 2]) -> Option<f64> {
    let all = counted(&sides.concat());
    let samples: usize = all.iter().map(|(_, count)| count).sum();
    if samples < 6 || all.len() * 2 > samples {
        return None;
    }
    let step = all.windows(2).map(|two| two[1].0 - two[0].0).reduce(f64::min)?;
    let within = |side: &&[f64]| -> usize {
        let side = counted(side);
        let of_step = side.windows(2).filter(|two| two[1].0 - two[0].0 <= step * (1.0 + ROUNDED));
        of_step.map(|two| two[0].1.min(two[1].1)).sum()
    };
    (sides.iter().map(within).sum::<usize>() >= RECURS).then_some(step)
}

/// The values, ascending, each with its number of occurrences.
fn counted(values: &[f64]) -> Vec<(f64, usize)> {
    sorted(values)
        .chunk_by(|one, other| one == other)
        .map(|alike| (alike[0], alike.len()))
        .collect()
}

/// How far the quartiles of a normal distribution are apart, by the median distance of two values.
const QUARTILES_BY_STEP: f64 = 1.414;

/// The distance between the quartiles of a side's noise. Changes of the host's speed spread values
/// over many steps, but do not hide the steps while the speed is constant. So the noise is that
/// between an execution and the one before it, if smaller.
fn noise(side: &[f64]) -> f64 {
    let between_quartiles = |values: &[f64]| {
        let sorted = sorted(values);
        quantile(&sorted, 0.75).zip(quantile(&sorted, 0.25)).map_or(0.0, |(high, low)| high - low)
    };
    let steps: Vec<f64> = side.windows(2).map(|two| (two[1] - two[0]).abs()).collect();
    let typical = crate::summary::median(&steps).unwrap_or(0.0);
    between_quartiles(side).min(QUARTILES_BY_STEP * typical)
}

/// By how much a difference of the two may be off, for a clock with this step.
///
/// Noise of several steps averages the rounding out. Of less it leaves the more, the fewer steps
/// there are between the quartiles: both sides together are off by a quarter of a step below three,
/// by half of one below one, and by a whole one where most values fall into one step.
fn error(a: &[f64], b: &[f64], step: f64) -> f64 {
    let spread = noise(a).min(noise(b));
    match () {
        () if spread < step / 2.0 => step,
        () if spread < step => step / 2.0,
        () if spread < 3.0 * step => step / 4.0,
        () => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(a: &[f64], b: &[f64]) -> Option<f64> {
        step([a, b])
    }

    #[test]
    fn a_step_recurs_within_the_sides() {
        let (low, high) = ([100.0; 8], [104.0; 8]);
        let noisy = [100.0, 104.0, 100.0, 104.0, 108.0, 104.0, 100.0, 104.0];
        assert_eq!(of(&noisy, &noisy), Some(4.0));
        assert_eq!(
            (of(&noisy, &low), of(&high, &noisy)),
            (Some(4.0), Some(4.0)),
            "one side shows it"
        );
        assert_eq!(of(&low, &high), None, "it lies between the sides alone");
        assert_eq!((of(&low, &low), of(&[], &[])), (None, None));
    }

    #[test]
    fn what_is_seen_once_is_no_step() {
        let (a, mut b) = ([28.0; 8], [34.0; 8]);
        b[3] = 28.0;
        assert_eq!(of(&a, &b), None, "one execution as the other side has them");
        b[3] = 900.0;
        assert_eq!(of(&a, &b), None, "one far off");
        let mut a = [28.0; 8];
        (a[0], b[3]) = (34.0, 28.0);
        assert_eq!(of(&a, &b), Some(6.0), "once on either side is twice");
    }

    #[test]
    fn values_that_stand_closer_between_the_sides_show_no_step() {
        let (a, b) = ([100.0; 8], [101.0, 105.0, 101.0, 105.0, 101.0, 105.0, 101.0, 105.0]);
        assert_eq!(of(&a, &b), None);
    }

    #[test]
    fn decimal_steps_are_alike() {
        let tenths =
            |from: u32| -> Vec<f64> { (0..9).map(|n| f64::from(from + n % 3) / 10.0).collect() };
        let step = of(&tenths(3), &tenths(5)).unwrap();
        assert!((step - 0.1).abs() < 1e-9, "{step}");
    }
}
