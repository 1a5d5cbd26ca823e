//! The filter that separates slow noise from fresh, and how likely values are by it.
//!
//! The gain of a Kalman filter depends on which values are missing, and not on the values
//! themselves (Durbin & Koopman, "Time Series Analysis by State Space Methods", 2012, 2.2). So the
//! gain soon becomes constant if no value is missing.

/// A shape of noise over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FilterShape {
    /// The share of its last value that the slow part keeps.
    pub memory: f64,
    /// The slow part's share of the variance.
    pub slow: f64,
}

/// No slow part.
pub(super) const WHITE: FilterShape = FilterShape { memory: 0.0, slow: 0.0 };

/// The variance counts as constant if it moves by no more than this share.
const TOLERANCE: f64 = 1e-14;

/// The number of values that a constant filter processes together.
const TOGETHER: usize = 4;

/// Before the product of this many variances, each above 1e-4 and below 1.1, could leave the range
/// of numbers.
const FACTORS: usize = 64;

/// The filter of one shape, and what it makes of the next value.
#[derive(Clone, Copy)]
pub(super) struct LevelFilter {
    pub memory: f64,
    fresh: f64,
    drive: f64,
    /// The variance of the slow part, before the next value.
    variance: f64,
    /// One by the variance of the next value.
    pub inverse: f64,
    /// The share of its surprise that the next value adds to the slow part.
    gain: f64,
    is_constant: bool,
}

impl LevelFilter {
    /// Before the first value.
    pub fn of(FilterShape { memory, slow }: FilterShape) -> Self {
        let drive = slow * (1.0 - memory * memory);
        let (variance, fresh) = (slow, 1.0 - slow);
        let nothing =
            Self { memory, fresh, drive, variance, inverse: 0.0, gain: 0.0, is_constant: false };
        nothing.before(variance)
    }

    /// After a value.
    pub fn seen(&mut self) {
        if !self.is_constant {
            let left = self.variance * (1.0 - self.gain);
            let next = self.before(self.memory * self.memory * left + self.drive);
            let is_constant = (next.variance - self.variance).abs() <= TOLERANCE * next.variance;
            *self = Self { is_constant, ..next };
        }
    }

    /// After a value that is missing.
    pub fn missed(&mut self) {
        *self = self.before(self.memory * self.memory * self.variance + self.drive);
    }

    /// With constant gain: the sum of the squared surprises of the values before the first missing
    /// one, and the number of these values.
    fn standing(&self, values: &[f64], mean: &mut f64) -> (f64, usize) {
        let (keep, take) = self.keeps();
        let count = values.iter().position(|value| value.is_nan()).unwrap_or(values.len());
        let (some, rest) = values[..count].as_chunks::<TOGETHER>();
        let mut kept = [1.0; TOGETHER];
        (1..TOGETHER).for_each(|i| kept[i] = kept[i - 1] * keep);
        let mut squares = [0.0; TOGETHER];
        for values in some {
            // The contribution of these values to the expectation does not depend on the values
            // before them.
            let mut own = 0.0;
            for i in 0..TOGETHER {
                let error = values[i] - (kept[i] * *mean + own);
                squares[i] += error * error;
                own = keep * own + take * values[i];
            }
            *mean = kept[TOGETHER - 1] * keep * *mean + own;
        }
        for value in rest {
            squares[0] += (value - *mean).powi(2);
            *mean = keep * *mean + take * value;
        }
        (squares.iter().sum::<f64>() * self.inverse, count)
    }

    /// The weights in the expectation of the next value: of the expectation of this one, and of
    /// this value.
    pub fn keeps(&self) -> (f64, f64) {
        let take = self.memory * self.gain;
        (self.memory - take, take)
    }

    fn before(self, variance: f64) -> Self {
        let inverse = 1.0 / (variance + self.fresh);
        Self { variance, inverse, gain: variance * inverse, is_constant: false, ..self }
    }
}

/// The surprise of values under a shape: the sum of all squared surprises, each by its variance,
/// and the sum of the logarithms of these variances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surprise {
    pub squares: f64,
    pub logs: f64,
}

/// The surprise of one shape. NaN means a missing value.
pub(super) fn surprise(values: &[f64], shape: FilterShape) -> Surprise {
    let (mut filter, mut mean, mut squares) = (LevelFilter::of(shape), 0.0, 0.0);
    let mut variances = Product::default();
    let mut left = values;
    while let Some((&value, others)) = left.split_first() {
        if filter.is_constant {
            let (now, count) = filter.standing(left, &mut mean);
            squares += now;
            variances.ln -= count as f64 * filter.inverse.ln();
            left = &left[count..];
            filter.is_constant = false;
            continue;
        }
        left = others;
        if value.is_nan() {
            mean *= shape.memory;
            filter.missed();
            continue;
        }
        let error = value - mean;
        squares += error * error * filter.inverse;
        variances.divide(filter.inverse);
        mean = shape.memory * (mean + filter.gain * error);
        filter.seen();
    }
    Surprise { squares, logs: variances.ln() }
}

/// The logarithm of a long product of variances, one by each of which is given.
struct Product {
    ln: f64,
    rest: f64,
    factors: usize,
}

impl Default for Product {
    fn default() -> Self {
        Self { ln: 0.0, rest: 1.0, factors: 0 }
    }
}

impl Product {
    fn divide(&mut self, inverse: f64) {
        self.rest *= inverse;
        self.factors += 1;
        if self.factors.is_multiple_of(FACTORS) {
            self.ln -= self.rest.ln();
            self.rest = 1.0;
        }
    }

    fn ln(&self) -> f64 {
        self.ln - self.rest.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The filter as the book has it, one value after the other.
    fn by_the_book(values: &[f64], FilterShape { memory, slow }: FilterShape) -> (f64, f64) {
        let (mut mean, mut variance, mut squares, mut logs) = (0.0, slow, 0.0, 0.0);
        for &value in values {
            let total = variance + 1.0 - slow;
            let seen = if value.is_nan() { 0.0 } else { 1.0 };
            let error = if value.is_nan() { 0.0 } else { value - mean };
            squares += error * error / total;
            logs += seen * total.ln();
            mean = memory * (mean + seen * variance / total * error);
            variance = memory * memory * variance * (1.0 - seen * variance / total);
            variance += slow * (1.0 - memory * memory);
        }
        (squares, logs)
    }

    #[test]
    fn the_filter_is_that_of_the_book() {
        let value = |i: i32| f64::from((i * 7919) % 101) / 50.0 - 1.0 + f64::from(i / 500);
        let shapes = [(0.3, 0.4), (0.5, 1.0), (0.98, 0.1), (0.996, 0.15), (0.996, 1.0)];
        let shapes = shapes.map(|(memory, slow)| FilterShape { memory, slow });
        let gaps: [fn(i32) -> bool; 3] =
            [|_| false, |i| i % 7 == 3, |i| i < 4 || (900..1300).contains(&i)];
        for gap in gaps {
            let values: Vec<f64> =
                (0..2000).map(|i| if gap(i) { f64::NAN } else { value(i) }).collect();
            for shape in shapes {
                let (squares, logs) = by_the_book(&values, shape);
                let one = surprise(&values, shape);
                assert!((one.squares / squares - 1.0).abs() < 1e-9, "{shape:?}");
                assert!((one.logs - logs).abs() < 1e-6, "{shape:?}");
            }
        }
    }
}
