//! How many dips a curve certainly has.

use super::SweepLevels;
use crate::distribution::student_quantile;

/// The lowest values of the dips that are certain, in order: between two of them the curve rises
/// above both by more than chance allows, all pairs of values together (Bonferroni). A curve always
/// has one at least.
#[must_use]
pub fn minima(levels: &SweepLevels, error: f64) -> Vec<usize> {
    let number = levels.len();
    let pairs = (number * number.saturating_sub(1)) as f64;
    let critical = |freedom| student_quantile(1.0 - error / pairs.max(2.0), freedom);
    let is_above = |one: usize, other: usize| {
        let errors = (levels.levels[one] - levels.levels[other]) / levels.error(one, other);
        errors > 0.0 && errors > critical(levels.freedom(one, other))
    };
    let (mut found, mut low, mut high) = (Vec::new(), 0, None);
    for at in 1..number {
        match high {
            None if is_above(at, low) => {
                found.push(low);
                high = Some(at);
            }
            None if levels.levels[at] < levels.levels[low] => low = at,
            Some(top) if is_above(top, at) => (low, high) = (at, None),
            Some(top) if levels.levels[at] > levels.levels[top] => high = Some(at),
            _ => {}
        }
    }
    if high.is_none() && number > 0 {
        found.push(low);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(levels: &[f64], error: f64) -> Vec<usize> {
        let variances = vec![error * error; levels.len()];
        minima(
            &SweepLevels {
                levels: levels.to_vec(),
                variances,
                freedoms: vec![100.0; levels.len()],
            },
            0.05,
        )
    }

    #[test]
    fn dips_count_where_the_curve_rises_between_them() {
        assert_eq!(of(&[1.0, 0.0, 1.0, 0.2, 1.0], 0.01), [1, 3]);
        assert_eq!(of(&[1.0, 0.0, 0.02, 0.01, 1.0], 0.01), [1]);
        assert_eq!(of(&[0.0, 1.0, 2.0, 1.5], 0.01), [0, 3]);
        assert_eq!(of(&[3.0, 2.0, 1.0], 0.01), [2]);
        assert_eq!(of(&[0.0, 0.0, 0.0], 0.1), [0]);
        assert_eq!(of(&[], 0.1), [] as [usize; 0]);
    }
}
