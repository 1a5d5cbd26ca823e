//! The finite values of a series, on the scale on which they are judged.

use super::{JudgementStatus, Options, SeriesValue};

/// A series in the form that is judged: the finite values, on their scale, and how noisy each is.
#[derive(Clone)]
pub(super) struct ValueSeries {
    /// The values on their scale.
    pub y: Vec<f64>,
    /// The standard deviation of the noise of each value.
    pub sd: Vec<f64>,
    /// The starts of parts with noise of their own width, and both ends.
    pub parts: Vec<usize>,
    /// The variance of each value by its replicates; 0 if they show none.
    pub known: Vec<f64>,
    /// The least distance of two values of the series, on the scale at each value.
    pub grain: Vec<f64>,
    /// The index of each value among the points.
    pub index: Vec<usize>,
    /// The environment of each value.
    pub environment: Vec<u32>,
    /// The curve that was taken off the values; empty where none was.
    pub trend: Vec<f64>,
    /// The difference between each value's environment and the usual one, which was subtracted too;
    /// empty if nothing was subtracted.
    pub offset: Vec<f64>,
    /// Whether the scale is that of logarithms.
    pub log: bool,
    /// The divisor of values that are no logarithms: a power of two, so that division does not
    /// round.
    by: f64,
}

impl ValueSeries {
    /// Takes the finite values: as logarithms when all are positive, else as they are.
    pub fn of(points: &[SeriesValue], options: &Options) -> Result<Self, JudgementStatus> {
        if points.is_empty() {
            return Err(JudgementStatus::Empty);
        }
        let finite: Vec<(usize, &SeriesValue)> =
            points.iter().enumerate().filter(|(_, point)| point.value.is_finite()).collect();
        if finite.len() < options.fewest {
            return Err(JudgementStatus::TooFew { points: finite.len(), needed: options.fewest });
        }
        if finite.iter().all(|(_, point)| point.value == finite[0].1.value) {
            return Err(JudgementStatus::Constant);
        }
        let log = finite.iter().all(|(_, point)| point.value > 0.0);
        let size = finite.iter().map(|(_, point)| point.value.abs()).fold(0.0, f64::max);
        let by = if log { 1.0 } else { size.log2().floor().min(1023.0).exp2() };
        Ok(Self {
            y: finite
                .iter()
                .map(|(_, point)| if log { point.value.ln() } else { point.value / by })
                .collect(),
            sd: vec![0.0; finite.len()],
            parts: vec![0, finite.len()],
            known: known(&finite, log, by),
            grain: grain(&finite, log, by),
            index: finite.iter().map(|&(index, _)| index).collect(),
            environment: finite.iter().map(|(_, point)| point.environment).collect(),
            trend: Vec::new(),
            offset: Vec::new(),
            log,
            by,
        })
    }

    /// The same of these values, without this curve.
    pub fn less(&self, values: &[f64], curve: &[f64]) -> Self {
        let y = values.iter().zip(curve).map(|(y, curve)| y - curve).collect();
        Self { y, trend: curve.to_vec(), ..self.clone() }
    }

    /// The same without the differences between the environments.
    pub fn without_offset(mut self, offset: Vec<f64>) -> Self {
        self.y.iter_mut().zip(&offset).for_each(|(y, offset)| *y -= offset);
        Self { offset, ..self }
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Back from the scale to the unit of the values.
    pub fn unit(&self, y: f64) -> f64 {
        if self.log { y.exp() } else { y * self.by }
    }

    /// A level beside such a difference, in the unit of the values: 0 if only rounding
    /// distinguishes the level from 0.
    pub fn level(&self, y: f64, difference: f64) -> f64 {
        if !self.log && y.abs() <= ROUNDING * difference.abs() { 0.0 } else { self.unit(y) }
    }

    /// A level at one of the values, in their unit: what was taken off there is part of it.
    pub fn unit_at(&self, place: usize, level: f64) -> f64 {
        self.unit(self.with_trend(place, level))
    }

    /// A level at one of the values with what was taken off there.
    pub fn with_trend(&self, place: usize, level: f64) -> f64 {
        level + self.trend.get(place).unwrap_or(&0.0) + self.offset.get(place).unwrap_or(&0.0)
    }

    /// A difference of levels, as a share of the size of the level before; infinite where that
    /// level, known with this standard error, cannot be distinguished from 0.
    pub fn effect(&self, before: f64, error: f64, difference: f64) -> f64 {
        let nothing = (1.96 * error).max(ROUNDING * difference.abs());
        match self.log {
            true => difference.exp_m1(),
            false if before.abs() <= nothing => difference.signum() * f64::INFINITY,
            false => difference / before.abs(),
        }
    }
}

/// The least part of a value that is no rounding of floating-point numbers.
const ROUNDING: f64 = 1e-9;

/// In a series without noise, at most one of this many consecutive values differs from its
/// neighbour.
const CONSTANT: usize = 10;
/// The same where no value comes back: rounding brings values back.
const STRETCH: usize = 4;

/// The number of grains that the least change of level counts for in a series without noise.
const CLEAR: f64 = 20.0;

/// No change of level counts for more grains: of larger ones the squares could not be
/// distinguished.
const LARGEST: f64 = 1e6;

/// The least distance of two values that differ by more than rounding of floating-point numbers.
///
/// In a series of constant stretches that distance is a change of level, and no evidence about
/// rounding.
fn grain(finite: &[(usize, &SeriesValue)], log: bool, by: f64) -> Vec<f64> {
    let mut values: Vec<f64> = finite.iter().map(|(_, point)| point.value / by).collect();
    let apart =
        |pair: &[f64]| (pair[1] - pair[0]).abs() > ROUNDING * pair[1].abs().max(pair[0].abs());
    if is_constant_in_stretches(&values, apart) {
        let scale = |value: f64| if log { value.ln() } else { value };
        let moves = values.windows(2).filter(|pair| apart(pair));
        let moves = moves.map(|pair| (scale(pair[1]) - scale(pair[0])).abs());
        let (least, most) = moves
            .fold((f64::INFINITY, ROUNDING), |(least, most), by| (least.min(by), most.max(by)));
        return vec![(least.min(most) / CLEAR).max(most / LARGEST); values.len()];
    }
    values.sort_unstable_by(f64::total_cmp);
    let pairs = values.windows(2).filter(|pair| apart(pair));
    let least = pairs.map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    // A value below a grain is rounded to a finer grain.
    finite
        .iter()
        .map(|(_, point)| if log { (least / point.value).min(1.0) } else { least })
        .collect()
}

/// Whether these values stay the same for stretches, and are not rounded: at most one in
/// [`CONSTANT`] differs from its neighbour, or one in [`STRETCH`] and no level comes back.
fn is_constant_in_stretches(values: &[f64], apart: impl Fn(&[f64]) -> bool) -> bool {
    let moves = values.windows(2).filter(|pair| apart(pair)).count();
    if moves <= (values.len() / CONSTANT).max(1) {
        return true;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let levels = 1 + sorted.windows(2).filter(|pair| apart(pair)).count();
    moves <= values.len() / STRETCH && levels == moves + 1
}

/// The variances by the replicates, on the scale.
///
/// A handful of replicates hardly knows its own variance: that of all points together counts like
/// a fixed share replicates more (Smyth, "Linear Models and Empirical Bayes Methods", 2004, with a
/// fixed prior).
fn known(finite: &[(usize, &SeriesValue)], log: bool, by: f64) -> Vec<f64> {
    const SHARED: f64 = 4.0;
    if finite.iter().all(|(_, point)| point.variance.is_none()) {
        return vec![0.0; finite.len()];
    }
    let own: Vec<Option<f64>> = finite
        .iter()
        .map(|(_, point)| {
            let scale = if log { point.value } else { by };
            point
                .variance
                .map(|variance| variance / scale / scale)
                .filter(|variance| variance.is_finite() && *variance >= 0.0)
        })
        .collect();
    // The variance of one replicate, whatever their number.
    let single = |variance: f64, samples: u32| variance * f64::from(samples.max(1));
    let mut singles: Vec<f64> = own
        .iter()
        .zip(finite)
        .filter_map(|(own, (_, point))| own.map(|own| single(own, point.samples)))
        .collect();
    let replicated = singles.len();
    let shared = crate::robust::median(&mut singles);
    // A few replicates do not say how noisy values without any are: those do, by how they scatter.
    let without = if 2 * replicated < finite.len() {
        shared.min(scatter(finite, &own, log, by))
    } else {
        shared
    };
    own.iter()
        .zip(finite)
        .map(|(own, (_, point))| {
            let (samples, freedom) =
                (f64::from(point.samples.max(1)), f64::from(point.samples.max(1)) - 1.0);
            let own = own.map_or(without, |own| {
                (freedom * single(own, point.samples) + SHARED * shared) / (freedom + SHARED)
            });
            own / samples
        })
        .collect()
}

/// The variance of values without replicates by what neighbours among them differ by, on the scale.
fn scatter(finite: &[(usize, &SeriesValue)], own: &[Option<f64>], log: bool, by: f64) -> f64 {
    let scale = |value: f64| if log { value.ln() } else { value / by };
    let plain = finite.iter().zip(own).filter(|(_, own)| own.is_none());
    let plain: Vec<f64> = plain.map(|((_, point), _)| scale(point.value)).collect();
    let differences: Vec<f64> = plain.windows(2).map(|pair| pair[1] - pair[0]).collect();
    crate::robust::of_noise(&differences).powi(2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::super::simulated::Maker;
    use super::super::{Options, SeriesValue, detect};

    #[test]
    fn a_few_odd_pairs_of_samples_hide_no_step() {
        let mut maker = Maker::new(250);
        for odd in [&[5][..], &[45], &[29, 30], &[3, 17, 40, 52, 59]] {
            for apart in [0.1, 1.0, 100.0_f64] {
                let level = |i: usize| if i < 30 { 100.0 } else { 110.0 };
                let mut points: Vec<SeriesValue> = (0..60)
                    .map(|i| SeriesValue::of(level(i) * (1.0 + 0.01 * maker.gaussian())))
                    .collect();
                for &i in odd {
                    let samples = [-0.5, 0.5].map(|side| level(i) * (1.0 + side * apart).max(0.01));
                    points[i] = SeriesValue::from_samples(&samples, 0).unwrap();
                }
                let changes = detect(&points, &Options::default()).changes;
                let is_detected =
                    changes.iter().any(|change| change.index.abs_diff(30) <= 2 && change.p < 1e-6);
                assert!(is_detected, "{odd:?}, {apart} apart: {changes:?}");
            }
        }
    }
}
