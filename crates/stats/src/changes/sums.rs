//! Weighted sums of the values of a series, from any place to any other.

use std::ops::Range;

/// Sums up to each place.
pub(super) struct Sums {
    /// The origin from which the summed distances are measured.
    pub origin: f64,
    sums: Vec<WeightedSum>,
}

/// The sum of some values, each by its weight, and of the weights.
#[derive(Clone, Copy, Default)]
pub(super) struct WeightedSum {
    pub weights: f64,
    pub sum: f64,
    /// How many values count.
    pub count: usize,
}

impl Sums {
    /// The sums of these values, which are given with the inverse of their standard deviations: NaN
    /// for values that do not count.
    pub fn up_to(y: &[f64], inverse: &[f64]) -> Self {
        let origin = y[0];
        let mut last = WeightedSum::default();
        let mut sums = Vec::with_capacity(y.len() + 1);
        sums.push(last);
        for (y, inverse) in y.iter().zip(inverse) {
            let (weight, one) = if inverse.is_nan() { (0.0, 0) } else { (inverse * inverse, 1) };
            last = WeightedSum {
                weights: last.weights + weight,
                sum: last.sum + weight * (y - origin),
                count: last.count + one,
            };
            sums.push(last);
        }
        Self { origin, sums }
    }

    /// The sums of the values at these places.
    pub fn of(&self, places: Range<usize>) -> WeightedSum {
        let (start, end) = (self.sums[places.start], self.sums[places.end]);
        WeightedSum {
            weights: end.weights - start.weights,
            sum: end.sum - start.sum,
            count: end.count - start.count,
        }
    }

    /// The weighted mean of the values at these places; the origin where none counts.
    pub fn mean(&self, places: Range<usize>) -> f64 {
        let WeightedSum { weights, sum, .. } = self.of(places);
        self.origin + if weights > 0.0 { sum / weights } else { 0.0 }
    }
}
