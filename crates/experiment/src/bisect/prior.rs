//! The prior of the change's place, from the samples of earlier sessions.
//!
//! Their values only show on which side of the change a revision seems to be, given the differences
//! between sessions here. Levels of an earlier time are never used as levels of today.

use tacho_stats::summary::median;

/// The least number of values of a side that shows their scatter.
const FEWEST: usize = 3;

/// The values of a series around a range, one a revision and run.
#[derive(Clone, Debug, Default)]
pub struct SeriesAround {
    /// The values of revisions that are surely before the change.
    pub before: Vec<f64>,
    /// The values of revisions that surely have it.
    pub after: Vec<f64>,
    /// The values of candidates in between, with their places.
    pub between: Vec<(usize, f64)>,
}

impl SeriesAround {
    /// How likely each of this many candidates is to be the cause, as weights; empty if this says
    /// nothing.
    #[must_use]
    pub fn weights(&self, candidates: usize) -> Vec<f64> {
        let all = self
            .before
            .iter()
            .chain(&self.after)
            .chain(self.between.iter().map(|(_, value)| value));
        let logarithms = all.clone().all(|value| *value > 0.0);
        let scaled = |value: f64| if logarithms { value.ln() } else { value };
        let side = |values: &[f64]| {
            let values: Vec<f64> = values.iter().map(|value| scaled(*value)).collect();
            let level = median(&values)?;
            let off: Vec<f64> = values.iter().map(|value| (value - level).abs()).collect();
            (values.len() >= FEWEST).then_some((level, off))
        };
        let (Some((old, off)), Some((new, other))) = (side(&self.before), side(&self.after)) else {
            return Vec::new();
        };
        // Between sessions; never so small that one value decides.
        let scatter = 1.4826 * median(&[off, other].concat()).unwrap_or(0.0);
        let scale = scatter.max((new - old).abs() / 20.0);
        if self.between.is_empty() || scale <= 0.0 {
            return Vec::new();
        }
        // Student's t with three degrees of freedom: sessions have outliers too.
        let likely = |value: f64, level: f64| {
            -2.0 * (((scaled(value) - level) / scale).powi(2) / 3.0).ln_1p()
        };
        let of = |cause: usize| -> f64 {
            let each = self.between.iter();
            each.map(|&(place, value)| likely(value, if place < cause { old } else { new })).sum()
        };
        let all: Vec<f64> = (0..candidates).map(of).collect();
        let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Digits that mean something, since they are kept.
        all.iter().map(|likely| ((likely - most).exp() * 1e6).round() / 1e6).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_with_the_old_is_likely_before_the_change() {
        let earlier = SeriesAround {
            before: vec![100.0, 101.0, 99.0, 100.5],
            after: vec![110.0, 111.0, 109.5],
            between: vec![(3, 100.2), (6, 110.4)],
        };
        let weights = earlier.weights(10);
        assert_eq!(weights.iter().map(|weight| *weight > 0.5).collect::<Vec<_>>(), {
            let mut likely = [false; 10];
            likely[4..=6].fill(true);
            likely
        });
        assert!(weights[1] > 0.0 && weights[1] < 0.1, "an outlier is possible: {weights:?}");
        let few = SeriesAround { before: vec![100.0], ..earlier.clone() };
        assert_eq!(few.weights(10), Vec::<f64>::new(), "nobody knows how far sessions are apart");
        let nothing = SeriesAround { between: vec![], ..earlier };
        assert_eq!(nothing.weights(10), Vec::<f64>::new());
    }
}
