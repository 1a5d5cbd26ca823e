//! A level that moves on its own beside its steps.
//!
//! Slow noise explains a level that wanders. But if the level also steps, stairs may explain it at
//! a lower price: each stair takes a part of the way, and leaves fresh noise. So if values still
//! climb within the chosen levels, a curve is tried instead of the stairs: a polynomial of low
//! degree, with the steps that exceed it. Both are judged by the same criterion.

use super::choose::{Judge, SegmentChoice};
use super::finding::Drift;
use super::series::ValueSeries;
use crate::robust;

/// The degrees that are tried: in a long series a straight line only.
const DEGREES: (usize, usize) = (5, 1);
/// More values are a long series.
const LONG: usize = 1200;
/// Fewer values show no curve.
const FEWEST: usize = 30;

/// The evidence of climbing within the levels for curves to be tried, in twice the log likelihood:
/// of a line, and of all degrees.
const LOOKS: (f64, f64) = (5.0, 16.0);

/// The price of each degree of a curve, in logarithms of the number of values.
const PRICE: f64 = 2.0;

/// How often the curve and the steps beside it are estimated again, each from the other.
const ROUNDS: usize = 4;

/// Noise that keeps this much of its last value may hide a curve where no step was chosen.
const MEMORY: f64 = 0.9;

/// A column with less than this share left by the levels has no information.
const CONFOUNDED: f64 = 1e-6;

/// The curve that explains the series better than what was chosen without one: how far it is from
/// its own mean at each value.
pub(super) fn beside(
    judge: &Judge,
    choice: &SegmentChoice,
    candidates: &[usize],
) -> Option<Vec<f64>> {
    let n = judge.series.len();
    if n < FEWEST || choice.places.is_empty() && choice.noise.shape.memory < MEMORY {
        return None;
    }
    let most = if n <= LONG { DEGREES.0 } else { DEGREES.1 };
    let columns = legendre(n, most);
    let climbs = Curve::fit(judge, &choice.places, &columns).detected;
    if climbs[0] < LOOKS.0 && climbs.iter().sum::<f64>() < LOOKS.1 {
        return None;
    }
    let (mut least, mut best, mut places) = (judge.cost(choice), None, choice.places.clone());
    // A step that slow noise explains as well is among the candidates.
    let largest = largest(&judge.at(candidates));
    for degree in 1..=most {
        let settled = settle(judge, candidates, [places, largest.clone()], &columns[..degree]);
        let cost = settled.cost + PRICE * degree as f64 * (n as f64).ln();
        if cost < least {
            (least, best) = (cost, Some(settled.curve));
        }
        places = settled.places;
    }
    best
}

/// The place of the largest step, if any.
fn largest(choice: &SegmentChoice) -> Vec<usize> {
    let steps = choice.places.iter().zip(&choice.steps);
    let largest =
        steps.max_by(|one, other| one.1.difference.abs().total_cmp(&other.1.difference.abs()));
    largest.map(|(&place, _)| place).into_iter().collect()
}

/// A curve, the steps that exceed it, and the cost of both without the price of the curve.
struct SettledTrend {
    curve: Vec<f64>,
    places: Vec<usize>,
    cost: f64,
}

/// The places of steps and the curve beside them, settled from each of these starts; the better of
/// both.
fn settle(
    judge: &Judge,
    candidates: &[usize],
    starts: [Vec<usize>; 2],
    columns: &[Vec<f64>],
) -> SettledTrend {
    let [one, other] = starts
        .map(|start| SettledTrend::at(judge, converge(judge, candidates, start, columns), columns));
    if other.cost < one.cost { other } else { one }
}

/// The curve beside steps at these places, the steps out of all candidates beside that curve, and
/// so on, until both are constant.
fn converge(
    judge: &Judge,
    candidates: &[usize],
    mut places: Vec<usize>,
    columns: &[Vec<f64>],
) -> Vec<usize> {
    for _ in 0..ROUNDS {
        let rest = judge.series.less(&judge.series.y, &Curve::fit(judge, &places, columns).at);
        let chosen = Judge::new(&rest, judge.masked).choose(candidates.to_vec()).places;
        if chosen == places {
            break;
        }
        places = chosen;
    }
    places
}

impl SettledTrend {
    /// Steps at these places, and the curve beside them.
    fn at(judge: &Judge, places: Vec<usize>, columns: &[Vec<f64>]) -> Self {
        let curve = Curve::fit(judge, &places, columns).at;
        let cost = judge.cost_beside(&curve, &places);
        Self { curve, places, cost }
    }
}

/// A polynomial, fitted by weighted least squares beside levels of their own.
struct Curve {
    at: Vec<f64>,
    /// The evidence of each degree, in twice the log likelihood of fresh noise.
    detected: Vec<f64>,
}

impl Curve {
    /// The fit of these columns, one a degree, beside levels that change at these places.
    ///
    /// Each power, less its mean in each level and less what the lower ones say of it, is a
    /// direction of its own (Frisch & Waugh, "Partial Time Regressions as Compared with Individual
    /// Trends", Econometrica 1, 1933).
    fn fit(judge: &Judge, places: &[usize], columns: &[Vec<f64>]) -> Self {
        let mut y = judge.standard(places);
        // Masked values do not count.
        y.iter_mut().filter(|y| y.is_nan()).for_each(|y| *y = 0.0);
        let (mut factors, mut detected) = (vec![0.0; columns.len()], Vec::new());
        let mut directions: Vec<TrendDirection> = Vec::new();
        for which in 0..columns.len() {
            let mut direction = TrendDirection::of(judge, places, columns, which);
            let whole = dot(&direction.within, &direction.within);
            for other in &directions {
                direction.less(other);
            }
            direction.square = dot(&direction.within, &direction.within);
            if direction.square <= CONFOUNDED * whole || direction.square.is_nan() {
                detected.push(0.0);
                continue;
            }
            let along = dot(&direction.within, &y);
            let by = along / direction.square;
            factors
                .iter_mut()
                .zip(&direction.factors)
                .for_each(|(all, factor)| *all += by * factor);
            detected.push(along * by);
            directions.push(direction);
        }
        let mut at = vec![0.0; judge.series.len()];
        for (column, factor) in columns.iter().zip(factors) {
            at.iter_mut().zip(column).for_each(|(at, x)| *at += factor * x);
        }
        Self { at, detected }
    }
}

/// A column of a regression.
struct TrendDirection {
    /// How much of each column is in it.
    factors: Vec<f64>,
    /// The part of the curve that is no level, in standard deviations of each value; 0 for values
    /// that do not count.
    within: Vec<f64>,
    square: f64,
}

impl TrendDirection {
    fn of(judge: &Judge, places: &[usize], columns: &[Vec<f64>], which: usize) -> Self {
        let column = &columns[which];
        let mut within = Vec::with_capacity(column.len());
        let starts = [0].into_iter().chain(places.iter().copied());
        let ends = places.iter().copied().chain([column.len()]);
        for (start, end) in starts.zip(ends) {
            let (column, inverse) = (&column[start..end], &judge.inverse[start..end]);
            let (mut weights, mut sum) = (0.0, 0.0);
            for (x, inverse) in column.iter().zip(inverse).filter(|(_, inverse)| !inverse.is_nan())
            {
                weights += inverse * inverse;
                sum += inverse * inverse * x;
            }
            let mean = if weights > 0.0 { sum / weights } else { 0.0 };
            let standard = |(x, inverse): (&f64, &f64)| {
                if inverse.is_nan() { 0.0 } else { (x - mean) * inverse }
            };
            within.extend(column.iter().zip(inverse).map(standard));
        }
        let mut factors = vec![0.0; columns.len()];
        factors[which] = 1.0;
        Self { factors, within, square: 0.0 }
    }

    /// Takes off what another one says of it.
    fn less(&mut self, other: &Self) {
        let by = dot(&self.within, &other.within) / other.square;
        self.within.iter_mut().zip(&other.within).for_each(|(x, other)| *x -= by * other);
        self.factors.iter_mut().zip(&other.factors).for_each(|(x, other)| *x -= by * other);
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The polynomials of Legendre up to this degree, from the first value to the last.
fn legendre(n: usize, most: usize) -> Vec<Vec<f64>> {
    let x = |i: usize| 2.0 * i as f64 / (n - 1) as f64 - 1.0;
    let mut columns: Vec<Vec<f64>> = vec![vec![1.0; n], (0..n).map(x).collect()];
    for k in 1..most {
        let (before, here, by) = (&columns[k - 1], &columns[k], k as f64);
        let next =
            |i: usize| ((2.0 * by + 1.0) * columns[1][i] * here[i] - by * before[i]) / (by + 1.0);
        columns.push((0..n).map(next).collect());
    }
    columns.split_off(1)
}

/// The reported form of the curve: the ends of its largest movement.
pub(super) fn detected(series: &ValueSeries) -> Option<Drift> {
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
    use super::super::detect_values;
    use super::super::simulated::Maker;

    /// How many series of each kind.
    const SERIES: usize = 30;

    /// 300 values in noise of 1 % on this curve, higher by a share from the middle on: how many
    /// changes and drifts are reported, and in how many series the true change.
    fn detected(seed: u64, curve: impl Fn(f64) -> f64, step: f64) -> (usize, usize, usize) {
        let mut maker = Maker::new(seed);
        let (mut changes, mut drifts, mut found) = (0, 0, 0);
        for _ in 0..SERIES {
            let level = |i: usize| curve(i as f64) * if i < 150 { 1.0 } else { 1.0 + step };
            let values: Vec<f64> =
                (0..300).map(|i| level(i) * (0.01 * maker.gaussian()).exp()).collect();
            let detection = detect_values(&values);
            changes += detection.changes.len();
            drifts += usize::from(detection.drift.is_some());
            found +=
                usize::from(detection.changes.iter().any(|change| change.index.abs_diff(150) <= 2));
        }
        (changes, drifts, found)
    }

    #[test]
    fn a_step_among_drift_is_one_step() {
        for (seed, rate) in (140..).zip([0.0002, 0.0005, 0.001]) {
            for step in [0.05, 0.2, -0.2] {
                let (changes, drifts, found) = detected(seed, |i| 1.0 + rate * i, step);
                println!(
                    "{rate} a value, {step}: {changes} changes, {drifts} drifts, {found} of \
                     {SERIES} found"
                );
                assert!(
                    changes * 10 <= 13 * SERIES && found * 10 >= 9 * SERIES,
                    "{changes}, {found}"
                );
                assert!(drifts * 10 >= 9 * SERIES, "{drifts}");
            }
        }
        // A curve follows a wave less well.
        let (changes, drifts, found) = detected(143, |i| 1.0 + 0.05 * (i / 50.0).sin(), 0.2);
        println!("a wave: {changes} changes, {drifts} drifts, {found} of {SERIES} found");
        assert!(changes * 10 <= 15 * SERIES && found * 10 >= 9 * SERIES, "{changes}, {found}");
    }

    #[test]
    fn stairs_of_the_program_are_no_drift() {
        let mut maker = Maker::new(145);
        let found = (0..SERIES).filter(|_| {
            let noise = |i: usize| 0.01 * maker.gaussian() + 0.05 * (i / 60) as f64;
            let detection = detect_values(&(0..300).map(noise).map(f64::exp).collect::<Vec<_>>());
            detection.changes.len() == 4 && detection.drift.is_none()
        });
        let found = found.count();
        println!("{found} of {SERIES}");
        assert!(found * 10 >= 9 * SERIES, "{found} of {SERIES}");
    }
}
