//! A level that moves on its own beside its steps.
//!
//! Slow noise explains a level that wanders, but where it also steps, stairs can be told at a lower price: each stair takes a part of
//! the way, and leaves noise that is fresh. So where values still climb within the levels that were chosen, a curve is tried in the
//! stairs' stead: a polynomial of low degree, with the steps that stand out of it. Both are judged by the same criterion.

use super::choose::{Choice, Judge};
use super::finding::Drift;
use super::robust;
use super::series::Series;

/// The degrees that are tried: in a long series a straight line only.
const DEGREES: (usize, usize) = (5, 1);
/// More values are a long series.
const LONG: usize = 1200;
/// Fewer values show no curve.
const FEWEST: usize = 30;

/// What climbing within the levels must tell for a line to be tried, and for curves, in twice the log likelihood.
const LOOKS: (f64, f64) = (5.0, 16.0);

/// What each degree of a curve costs, in logarithms of the number of values.
const PRICE: f64 = 2.0;

/// How often the curve and the steps beside it are estimated anew, each from the other.
const ROUNDS: usize = 4;

/// Of more steps than this none is tried to be left out.
const MANY: usize = 12;

/// Noise that keeps so much of its last value may hide a curve where no step was chosen.
const MEMORY: f64 = 0.9;

/// A column that the levels leave less of than this share tells nothing.
const CONFOUNDED: f64 = 1e-6;

/// The curve that explains the series better than what was chosen without one: how far it is from its own mean at each value.
pub(super) fn beside(judge: &Judge, choice: &Choice, candidates: &[usize]) -> Option<Vec<f64>> {
    let n = judge.series.len();
    if n < FEWEST || choice.places.is_empty() && choice.noise.shape.memory < MEMORY {
        return None;
    }
    let most = if n <= LONG { DEGREES.0 } else { DEGREES.1 };
    let climbs = Curve::fit(judge, &choice.places, most).told;
    if climbs[0] < LOOKS.0 && climbs.iter().sum::<f64>() < LOOKS.1 {
        return None;
    }
    let most = if climbs.iter().sum::<f64>() < LOOKS.1 { 1 } else { most };
    let (mut least, mut best, mut places) = (judge.cost(choice), None, choice.places.clone());
    // A step that slow noise explains as well is among the candidates.
    let largest = largest(&judge.at(candidates));
    for degree in 1..=most {
        let starts = [places, largest.clone()].into_iter();
        let settled = starts.map(|start| settle(judge, candidates, start, degree));
        let Some(settled) = settled.min_by(|one, other| one.cost.total_cmp(&other.cost)) else { break };
        let cost = settled.cost + PRICE * degree as f64 * (n as f64).ln();
        if cost < least {
            (least, best) = (cost, Some(settled.curve));
        }
        places = settled.places;
    }
    best
}

/// The place of the largest step, if any.
fn largest(choice: &Choice) -> Vec<usize> {
    let steps = choice.places.iter().zip(&choice.steps);
    let largest = steps.max_by(|one, other| one.1.difference.abs().total_cmp(&other.1.difference.abs()));
    largest.map(|(&place, _)| place).into_iter().collect()
}

/// A curve, the steps that stand out of it, and what both cost but for the price of the curve.
struct Settled {
    curve: Vec<f64>,
    places: Vec<usize>,
    cost: f64,
}

/// The curve beside steps at these places, the steps out of all candidates beside that curve, and so on, until they stand; then
/// without any of these steps that the curve explains at a lower price.
fn settle(judge: &Judge, candidates: &[usize], mut places: Vec<usize>, degree: usize) -> Settled {
    for _ in 0..ROUNDS {
        let rest = judge.series.less(&judge.series.y, &Curve::fit(judge, &places, degree).at);
        let stage = judge.beside(&rest).choose(candidates.to_vec());
        if stage.places == places {
            break;
        }
        places = stage.places;
    }
    let mut settled = Settled::at(judge, places, degree);
    while settled.places.len() <= MANY {
        let without = (0..settled.places.len()).map(|which| {
            let mut places = settled.places.clone();
            places.remove(which);
            Settled::at(judge, places, degree)
        });
        match without.min_by(|one, other| one.cost.total_cmp(&other.cost)) {
            Some(fewer) if fewer.cost < settled.cost => settled = fewer,
            _ => break,
        }
    }
    settled
}

impl Settled {
    /// Steps at these places, and the curve beside them.
    fn at(judge: &Judge, places: Vec<usize>, degree: usize) -> Self {
        let curve = Curve::fit(judge, &places, degree).at;
        let rest = judge.series.less(&judge.series.y, &curve);
        let beside = judge.beside(&rest);
        let cost = beside.cost(&beside.at(&places));
        Self { curve, places, cost }
    }
}

/// A polynomial, fitted by weighted least squares beside levels of their own.
struct Curve {
    at: Vec<f64>,
    /// What each degree told, in twice the log likelihood of fresh noise.
    told: Vec<f64>,
}

impl Curve {
    /// Up to that degree, beside levels that change at these places.
    ///
    /// Each power, less its mean in each level and less what the lower ones say of it, is a direction of its own (Frisch & Waugh,
    /// "Partial Time Regressions as Compared with Individual Trends", Econometrica 1, 1933).
    fn fit(judge: &Judge, places: &[usize], degree: usize) -> Self {
        let n = judge.series.len();
        let y = judge.standard(places);
        let mut curve = Self { at: vec![0.0; n], told: Vec::new() };
        let mut directions: Vec<Direction> = Vec::new();
        for degree in 1..=degree {
            let mut direction = Direction::of(judge, places, legendre(n, degree));
            let whole = dot(&direction.within, &direction.within);
            for other in &directions {
                direction.less(other);
            }
            direction.square = dot(&direction.within, &direction.within);
            if direction.square <= CONFOUNDED * whole {
                curve.told.push(0.0);
                continue;
            }
            let along = dot(&direction.within, &y);
            let by = along / direction.square;
            curve.at.iter_mut().zip(&direction.column).for_each(|(at, x)| *at += by * x);
            curve.told.push(along * by);
            directions.push(direction);
        }
        curve
    }
}

/// A column of a regression.
struct Direction {
    column: Vec<f64>,
    /// What of it is not a level, in standard deviations of each value; 0 where the value does not count.
    within: Vec<f64>,
    square: f64,
}

impl Direction {
    fn of(judge: &Judge, places: &[usize], column: Vec<f64>) -> Self {
        let mut within = Vec::with_capacity(column.len());
        let starts = [0].into_iter().chain(places.iter().copied());
        let ends = places.iter().copied().chain([column.len()]);
        for (start, end) in starts.zip(ends) {
            let (mut weights, mut sum) = (0.0, 0.0);
            for (x, sd) in column[start..end].iter().zip(&judge.sd[start..end]).filter(|(_, sd)| !sd.is_nan())
            {
                weights += 1.0 / (sd * sd);
                sum += x / (sd * sd);
            }
            let mean = if weights > 0.0 { sum / weights } else { 0.0 };
            let standard = |(x, sd): (&f64, &f64)| if sd.is_nan() { 0.0 } else { (x - mean) / sd };
            within.extend(column[start..end].iter().zip(&judge.sd[start..end]).map(standard));
        }
        Self { column, within, square: 0.0 }
    }

    /// Takes off what another one says of it.
    fn less(&mut self, other: &Self) {
        let by = dot(&self.within, &other.within) / other.square;
        self.within.iter_mut().zip(&other.within).for_each(|(x, other)| *x -= by * other);
        self.column.iter_mut().zip(&other.column).for_each(|(x, other)| *x -= by * other);
    }
}

/// The sum of products, where both are numbers.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).filter(|product| !product.is_nan()).sum()
}

/// The polynomial of Legendre of this degree, from the first value to the last.
fn legendre(n: usize, degree: usize) -> Vec<f64> {
    let at = |i: usize| {
        let x = 2.0 * i as f64 / (n - 1) as f64 - 1.0;
        let next = |(before, here): (f64, f64), k: usize| {
            let k = k as f64;
            (here, ((2.0 * k + 1.0) * x * here - k * before) / (k + 1.0))
        };
        (1..degree).fold((1.0, x), next).1
    };
    (0..n).map(at).collect()
}

/// The curve as it is told: from where to where it moved most.
pub(super) fn told(series: &Series) -> Option<Drift> {
    let order = |one: &usize, other: &usize| series.trend[*one].total_cmp(&series.trend[*other]);
    let low = (0..series.trend.len()).min_by(order)?;
    let high = (0..series.trend.len()).max_by(order)?;
    let (first, last) = (low.min(high), low.max(high));
    let (before, after) = (series.trend[first], series.trend[last]);
    let (first, last) = (series.index[first], series.index[last]);
    let level = robust::median_of(&series.y);
    Some(Drift { first, last, effect: series.effect(level + before, 0.0, after - before) })
}

#[cfg(test)]
mod tests {
    use super::super::simulated::Maker;
    use super::super::{Detection, Options, Point, detect};

    /// How many series of each kind.
    const SERIES: usize = 30;

    fn detection(values: &[f64]) -> Detection {
        let points: Vec<Point> = values.iter().copied().map(Point::of).collect();
        detect(&points, &Options::default())
    }

    /// 300 values in noise of 1 % on this curve, higher by a share from the middle on: how many changes and drifts are told, and in
    /// how many series the true change.
    fn told(seed: u64, curve: impl Fn(f64) -> f64, step: f64) -> (usize, usize, usize) {
        let mut maker = Maker::new(seed);
        let (mut changes, mut drifts, mut found) = (0, 0, 0);
        for _ in 0..SERIES {
            let level = |i: usize| curve(i as f64) * if i < 150 { 1.0 } else { 1.0 + step };
            let values: Vec<f64> = (0..300).map(|i| level(i) * (0.01 * maker.gaussian()).exp()).collect();
            let detection = detection(&values);
            changes += detection.changes.len();
            drifts += usize::from(detection.drift.is_some());
            found += usize::from(detection.changes.iter().any(|change| change.index.abs_diff(150) <= 2));
        }
        (changes, drifts, found)
    }

    #[test]
    fn a_step_among_drift_is_one_step() {
        for (seed, rate) in (140..).zip([0.0002, 0.0005, 0.001]) {
            for step in [0.05, 0.2, -0.2] {
                let (changes, drifts, found) = told(seed, |i| 1.0 + rate * i, step);
                println!(
                    "{rate} a value, {step}: {changes} changes, {drifts} drifts, {found} of {SERIES} found"
                );
                assert!(changes * 10 <= 13 * SERIES && found * 10 >= 9 * SERIES, "{changes}, {found}");
                assert!(drifts * 10 >= 9 * SERIES, "{drifts}");
            }
        }
        // A curve follows a wave less well.
        let (changes, drifts, found) = told(143, |i| 1.0 + 0.05 * (i / 50.0).sin(), 0.2);
        println!("a wave: {changes} changes, {drifts} drifts, {found} of {SERIES} found");
        assert!(changes * 10 <= 15 * SERIES && found * 10 >= 9 * SERIES, "{changes}, {found}");
    }

    #[test]
    fn stairs_of_the_program_are_no_drift() {
        let mut maker = Maker::new(145);
        let found = (0..SERIES).filter(|_| {
            let noise = |i: usize| 0.01 * maker.gaussian() + 0.05 * (i / 60) as f64;
            let detection = detection(&(0..300).map(noise).map(f64::exp).collect::<Vec<_>>());
            detection.changes.len() == 4 && detection.drift.is_none()
        });
        let found = found.count();
        println!("{found} of {SERIES}");
        assert!(found * 10 >= 9 * SERIES, "{found} of {SERIES}");
    }
}
