//! The curve of a sweep: the best value, the plateau around it, and what each other value costs.

use super::dunnett::Dunnett;
use super::{SweepLevels, knee, minima};

/// The error that a plateau is given: it holds the best value in at least 95 %.
pub const ERROR: f64 = 0.05;

/// The extra cost of a value over the best one, as a logarithm: 0.1 is about 10 % more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtraCost {
    /// The estimate; 0 for the value that looks best.
    pub estimate: f64,
    /// The least and the most that it costs, with 95 % confidence for this value.
    pub interval: (f64, f64),
}

/// The shape of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepShape {
    /// No value costs more than the margin.
    Flat,
    /// No value can be distinguished from the best one, and the difference may be more than the
    /// margin.
    Unresolved,
    /// Some values are worse than the best one.
    Varied,
}

/// A curve that is judged.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepCurve {
    /// The levels.
    pub levels: SweepLevels,
    /// The value whose level is lowest, by its index.
    pub best: usize,
    /// The values that cannot be distinguished from the best one, in order; the best one is among
    /// them.
    pub plateau: Vec<usize>,
    /// The extra cost of each value over the best one.
    pub costs: Vec<ExtraCost>,
    /// The shape.
    pub shape: SweepShape,
    /// The value from which on more of the parameter gains little, if the values are numbers and
    /// there is one.
    pub knee: Option<usize>,
    /// The lowest values of each dip that is certain, in order, where the values are numbers.
    pub minima: Vec<usize>,
}

impl SweepCurve {
    /// Judges levels. `positions` are the values as numbers in rising order, where they are
    /// numbers; `margin` is the share up to which two are called the same. `None` without levels.
    #[must_use]
    pub fn of(levels: SweepLevels, positions: Option<&[f64]>, margin: f64) -> Option<Self> {
        let best = lowest(&levels.levels)?;
        let plateau = plateau(&levels, ERROR);
        let costs = costs(&levels, &plateau, best);
        let most = costs.iter().map(|cost| cost.interval.1).fold(0.0, f64::max);
        let shape = if most <= margin.ln_1p() {
            SweepShape::Flat
        } else if plateau.len() == levels.len() {
            SweepShape::Unresolved
        } else {
            SweepShape::Varied
        };
        let is_varied = shape == SweepShape::Varied;
        Some(Self {
            best,
            knee: positions
                .filter(|_| is_varied)
                .and_then(|positions| knee(&levels, positions, best)),
            minima: positions.map_or_else(Vec::new, |_| minima(&levels, ERROR)),
            levels,
            plateau,
            costs,
            shape,
        })
    }
}

/// The index of the lowest number.
pub(super) fn lowest(values: &[f64]) -> Option<usize> {
    (0..values.len()).min_by(|one, other| values[*one].total_cmp(&values[*other]))
}

/// The values that may be the best: each that is not above another one by more than chance allows,
/// all comparisons of it together. The value that is truly best is among them but for this error
/// (Gupta 1965; Hsu 1984).
pub(super) fn plateau(levels: &SweepLevels, error: f64) -> Vec<usize> {
    let may_be_best = |at: &usize| {
        let worst = above(levels, *at);
        worst.is_none_or(|(worst, freedom)| {
            worst <= 0.0 || !dunnett(levels, *at, freedom).is_beyond(worst, error)
        })
    };
    (0..levels.len()).filter(may_be_best).collect()
}

/// How far a level is above the others, in standard errors, with the degrees of freedom of that
/// difference: the most of all differences.
fn above(levels: &SweepLevels, at: usize) -> Option<(f64, f64)> {
    let one = |other: usize| {
        let difference = levels.levels[at] - levels.levels[other];
        (difference / levels.error(at, other), levels.freedom(at, other))
    };
    others(levels, at).map(one).max_by(|one, other| one.0.total_cmp(&other.0))
}

fn others(levels: &SweepLevels, at: usize) -> impl Iterator<Item = usize> {
    (0..levels.len()).filter(move |other| *other != at)
}

fn dunnett(levels: &SweepLevels, at: usize, freedom: f64) -> Dunnett {
    let variances = others(levels, at).map(|other| levels.variances[other]);
    Dunnett::new(levels.variances[at], variances, freedom)
}

/// The extra cost of each value. The lower end is by the comparisons of that value with all others;
/// the upper one by those of each value that may be the best with it. Each end has half of the
/// error.
fn costs(levels: &SweepLevels, plateau: &[usize], best: usize) -> Vec<ExtraCost> {
    let number = levels.len();
    if number < 2 {
        return vec![ExtraCost { estimate: 0.0, interval: (0.0, 0.0) }; number];
    }
    let critical = |at: usize| {
        let freedoms = others(levels, at).map(|other| levels.freedom(at, other));
        dunnett(levels, at, freedoms.fold(f64::INFINITY, f64::min)).critical(ERROR / 2.0)
    };
    let critical: Vec<f64> = (0..number).map(critical).collect();
    let difference = |one: usize, other: usize| levels.levels[one] - levels.levels[other];
    let low = |at: usize| {
        let bound = |other: usize| difference(at, other) - critical[at] * levels.error(at, other);
        others(levels, at).map(bound).fold(0.0, f64::max)
    };
    let high = |at: usize| {
        let bound =
            |other: &usize| difference(at, *other) + critical[*other] * levels.error(at, *other);
        plateau.iter().filter(|other| **other != at).map(bound).fold(0.0, f64::max)
    };
    let cost = |at: usize| {
        let interval = (low(at), high(at).max(low(at)));
        ExtraCost { estimate: difference(at, best), interval }
    };
    (0..number).map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(levels: &[f64], error: f64) -> SweepLevels {
        let variances = vec![error * error; levels.len()];
        SweepLevels { levels: levels.to_vec(), variances, freedoms: vec![100.0; levels.len()] }
    }

    #[test]
    fn values_near_the_best_one_are_its_plateau() {
        let known = levels(&[1.0, 0.5, 0.02, 0.0, 0.01, 0.3], 0.01);
        let curve = SweepCurve::of(known, None, 0.01).unwrap();
        assert_eq!((curve.best, curve.plateau.as_slice()), (3, [2, 3, 4].as_slice()));
        assert_eq!(curve.shape, SweepShape::Varied);
        let cost = curve.costs[1];
        assert!(
            cost.estimate == 0.5 && cost.interval.0 > 0.45 && cost.interval.1 < 0.55,
            "{cost:?}"
        );
        assert_eq!(curve.costs[3].interval.0, 0.0);
    }

    #[test]
    fn one_value_alone_may_be_the_best() {
        let curve = SweepCurve::of(levels(&[0.0, 1.0, 1.0], 0.01), None, 0.01).unwrap();
        assert_eq!(curve.plateau, [0]);
        assert_eq!(curve.costs[0].interval, (0.0, 0.0), "nothing else can be the best");
    }

    #[test]
    fn flat_is_what_is_known_to_be_flat() {
        let of =
            |error| SweepCurve::of(levels(&[0.0, 0.001, 0.0, 0.002], error), None, 0.01).unwrap();
        assert_eq!(of(0.001).shape, SweepShape::Flat);
        assert_eq!(of(0.05).shape, SweepShape::Unresolved, "it is only too noisy");
        assert_eq!(of(0.05).plateau, [0, 1, 2, 3]);
    }

    #[test]
    fn one_value_has_a_curve_and_none_has_not() {
        let one = SweepCurve::of(levels(&[3.0], 0.1), Some(&[1.0]), 0.01).unwrap();
        assert_eq!(
            (one.best, one.plateau.as_slice(), one.shape),
            (0, [0].as_slice(), SweepShape::Flat)
        );
        assert_eq!(SweepCurve::of(levels(&[], 0.1), None, 0.01), None);
    }
}
