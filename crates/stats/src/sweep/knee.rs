//! The knee of a curve: from there on more of the parameter gains little.

use super::SweepLevels;
use crate::distribution::student_quantile;

/// The error of a knee: the probability of a knee where the curve does not bend.
const ERROR: f64 = 0.05;
/// A curve that falls by less, as a share, has no knee that a user would look for.
const LEAST: f64 = 0.05;

/// The value that is farthest below the straight line from an end of the curve to its best value,
/// by what users see: the value and not its logarithm (Satopää et al., "Finding a Kneedle in a
/// Haystack", 2011). The lower end counts, and the upper one where there is no knee from there.
/// `None` where nothing shows that the curve bends.
///
/// `positions` are the values as numbers in rising order. Their distances are those of their
/// logarithms where these are more even; the curve must bend by the values themselves, too: what
/// costs twice as much at twice the value gains as much from each step.
#[must_use]
pub fn knee(levels: &SweepLevels, positions: &[f64], best: usize) -> Option<usize> {
    let last = levels.len().checked_sub(1)?;
    from(levels, positions, best, 0).or_else(|| from(levels, positions, best, last))
}

/// The knee between that end of the curve and its best value.
fn from(levels: &SweepLevels, positions: &[f64], best: usize, end: usize) -> Option<usize> {
    if levels.levels[end] - levels.levels[best] < LEAST || end.abs_diff(best) < 2 {
        return None;
    }
    let at = scaled(positions);
    let value = |index: usize| (levels.levels[index] - levels.levels[best]).exp();
    let share_by = |at: &[f64], index: usize| (at[index] - at[end]) / (at[best] - at[end]);
    let below_by = |at: &[f64], index: usize| {
        let line = value(end) + share_by(at, index) * (value(best) - value(end));
        line - value(index)
    };
    let below = |index: &usize| below_by(&at, *index).min(below_by(positions, *index));
    let between = end.min(best) + 1..end.max(best);
    let knee = between.clone().max_by(|one, other| below(one).total_cmp(&below(other)))?;
    let error =
        |index: usize, weight: f64| (weight * value(index)).powi(2) * levels.variances[index];
    let share = share_by(&at, knee);
    let error = (error(knee, 1.0) + error(end, 1.0 - share) + error(best, share)).sqrt();
    let freedom = levels.freedom(knee, best).min(levels.freedom(knee, end));
    let critical = student_quantile(1.0 - ERROR / between.len() as f64, freedom);
    (below(&knee) > critical * error && below(&knee) > LEAST * (value(end) - value(best)))
        .then_some(knee)
}

/// The positions, or their logarithms where those are at more even distances.
fn scaled(positions: &[f64]) -> Vec<f64> {
    let logarithms: Vec<f64> = positions.iter().map(|at| at.ln()).collect();
    let uneven = |at: &[f64]| {
        let gaps: Vec<f64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let most = gaps.iter().copied().fold(0.0, f64::max);
        most / gaps.iter().copied().fold(f64::INFINITY, f64::min)
    };
    let is_positive = positions.iter().all(|at| *at > 0.0);
    if is_positive && uneven(&logarithms) < uneven(positions) {
        logarithms
    } else {
        positions.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(values: &[f64], error: f64) -> SweepLevels {
        let levels: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        SweepLevels {
            variances: vec![error * error; levels.len()],
            freedoms: vec![100.0; levels.len()],
            levels,
        }
    }

    /// The batch sizes of a package verifier, in seconds: 1, 2, 4 … 8192.
    const BATCHES: [f64; 14] =
        [54.06, 30.73, 18.74, 14.27, 12.19, 11.35, 10.69, 10.2, 9.75, 9.64, 9.4, 9.22, 9.17, 9.22];

    #[test]
    fn a_curve_that_falls_steeply_and_then_slowly_has_a_knee() {
        let positions: Vec<f64> = (0..14).map(|n| 2_f64.powi(n)).collect();
        assert_eq!(knee(&levels(&BATCHES, 0.005), &positions, 12), Some(3));
        let mirrored: Vec<f64> = BATCHES.iter().rev().copied().collect();
        let even: Vec<f64> = (0..14).map(f64::from).collect();
        assert_eq!(knee(&levels(&mirrored, 0.005), &even, 1), Some(10));
    }

    #[test]
    fn what_costs_as_much_as_its_value_has_none() {
        let positions: Vec<f64> = (0..8).map(|n| 2_f64.powi(n)).collect();
        let proportional: Vec<f64> = positions.iter().map(|n| 3.0 + 0.1 * n).collect();
        assert_eq!(knee(&levels(&proportional, 0.001), &positions, 0), None);
    }

    #[test]
    fn a_straight_line_has_none_and_neither_has_noise() {
        let positions = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(knee(&levels(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 0.01), &positions, 5), None);
        assert_eq!(knee(&levels(&[1.2, 1.0, 0.99, 1.0, 1.0, 0.98], 0.2), &positions, 5), None);
        assert_eq!(knee(&levels(&[1.01, 1.0, 1.0, 1.0, 1.0, 0.99], 1e-6), &positions, 5), None);
    }
}
