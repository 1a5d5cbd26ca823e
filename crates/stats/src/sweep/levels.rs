//! The levels of all values of a parameter, with their variances.

use crate::interleaved::{Fit, InterleavedExecution, MovementQuestion};
use crate::summary::median;

/// On a host whose speed moves, variances by neighbours are this many times too small where many
/// values are executed few times each: by simulation, 14 values in 10 rounds on nine kinds of
/// hosts.
const MOVING: f64 = 2.2;
/// A fit chooses the executions that agree, so a level is known as if it had this many less. By
/// simulation, 4 to 20 rounds of 14 values.
const CHOSEN: f64 = 0.3;
/// No level is known better than this: values that are equal but for rounding.
const FINEST: f64 = 1e-9;

/// The levels of values that were executed in turns.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepLevels {
    /// The level of each value at the host's usual speed, as a natural logarithm; lower is better.
    pub levels: Vec<f64>,
    /// The variance of each level, beside what all levels have in common; infinite where there was
    /// one execution each.
    pub variances: Vec<f64>,
    /// The degrees of freedom of each variance.
    pub freedoms: Vec<f64>,
}

impl SweepLevels {
    /// The levels of values `0..values`, from executions in order of time. `None` where a value has
    /// no execution, or a number is not finite.
    #[must_use]
    pub fn of(executions: &[InterleavedExecution], values: usize) -> Option<Self> {
        let fit = Fit::of(executions, values)?;
        if executions.len() == values {
            // One execution each: nothing shows how much they vary.
            let (variances, freedoms) = (vec![f64::INFINITY; values], vec![1.0; values]);
            return Some(Self { levels: fit.levels(), variances, freedoms });
        }
        if fit.host_moves(MovementQuestion::FewOfMany) {
            let variances = fit.variances().into_iter().map(|v| v * MOVING).collect();
            let freedoms = vec![(executions.len() - values) as f64; values];
            return Some(Self { levels: fit.levels(), variances, freedoms });
        }
        Some(Self::steady(executions, values))
    }

    /// On a host whose speed does not move: each value's executions in units of their own spread,
    /// so that a value that varies more neither hides how little others do nor seems to be known as
    /// well as they are.
    fn steady(executions: &[InterleavedExecution], values: usize) -> Self {
        let scaled = |units: &[OwnUnit]| -> Vec<InterleavedExecution> {
            executions.iter().map(|it| units[it.program].scaled(it)).collect()
        };
        let first = OwnUnit::first(executions, values);
        let in_first = scaled(&first);
        let units = OwnUnit::second(&first, &in_first, &Fit::of_steady(&in_first, values));
        let fit = Fit::of_steady(&scaled(&units), values);
        let variance = |(variance, unit): (f64, &OwnUnit)| {
            let chosen = unit.executions / (unit.executions - CHOSEN).max(0.5);
            (chosen * variance * unit.spread * unit.spread).max(FINEST * FINEST)
        };
        let levels = units.iter().zip(fit.levels());
        Self {
            levels: levels.map(|(unit, level)| unit.middle + unit.spread * level).collect(),
            variances: fit.variances().into_iter().zip(&units).map(variance).collect(),
            freedoms: units.iter().map(|unit| unit.freedom).collect(),
        }
    }

    /// The standard error of the difference of two levels.
    #[must_use]
    pub fn error(&self, one: usize, other: usize) -> f64 {
        (self.variances[one] + self.variances[other]).sqrt()
    }

    /// The degrees of freedom of the difference of two levels (Satterthwaite, Biometrics Bulletin
    /// 2, 1946).
    #[must_use]
    pub fn freedom(&self, one: usize, other: usize) -> f64 {
        let [v, w] = [one, other].map(|at| self.variances[at]);
        let parts = v * v / self.freedoms[one] + w * w / self.freedoms[other];
        if (v + w).is_finite() && parts > 0.0 { (v + w) * (v + w) / parts } else { 1.0 }
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }
}

/// The unit in which the executions of one value are judged.
struct OwnUnit {
    /// Their median.
    middle: f64,
    /// Their standard deviation, drawn to that of all values.
    spread: f64,
    /// The degrees of freedom of its square.
    freedom: f64,
    executions: f64,
}

impl OwnUnit {
    /// From all executions of each value, spikes too.
    fn first(executions: &[InterleavedExecution], values: usize) -> Vec<Self> {
        let mut own = vec![Vec::new(); values];
        for execution in executions {
            own[execution.program].push(execution.value);
        }
        let known = |values: &mut Vec<f64>| {
            let spread = spread(values);
            (median(values).unwrap_or(0.0), spread, values.len() as f64)
        };
        Self::drawn(&own.iter_mut().map(known).collect::<Vec<_>>())
    }

    /// Again, each execution by how much it counts in a fit in the first units: a spike counts for
    /// little.
    fn second(first: &[Self], scaled: &[InterleavedExecution], fit: &Fit) -> Vec<Self> {
        let usual = median(&fit.rest).unwrap_or(0.0);
        let mut sums = vec![(0.0, 0.0); first.len()];
        for (it, (rest, weight)) in scaled.iter().zip(fit.rest.iter().zip(&fit.weights)) {
            let sum = &mut sums[it.program];
            *sum = (sum.0 + weight * (rest - usual).powi(2), sum.1 + weight);
        }
        let known = |(unit, (squares, weights)): (&Self, (f64, f64))| {
            let few = unit.executions / (unit.executions - 1.0).max(1.0);
            (unit.middle, unit.spread * (few * squares / weights).sqrt(), unit.executions)
        };
        Self::drawn(&first.iter().zip(sums).map(known).collect::<Vec<_>>())
    }

    /// The units of values of which the middle, the spread and the number of executions are known.
    fn drawn(known: &[(f64, f64, f64)]) -> Vec<Self> {
        let common = CommonSpread::of(known);
        let spare: f64 = known.iter().map(|(_, _, executions)| executions - 1.0).sum();
        let one = |&(middle, own, executions): &(f64, f64, f64)| {
            let (freedom, both) = (executions - 1.0, common.freedom + executions - 1.0);
            let square = if both.is_finite() {
                (common.freedom * common.square + freedom * own * own) / both
            } else {
                common.square
            };
            Self { middle, spread: square.sqrt(), freedom: both.min(spare), executions }
        };
        known.iter().map(one).collect()
    }

    fn scaled(&self, it: &InterleavedExecution) -> InterleavedExecution {
        InterleavedExecution { value: (it.value - self.middle) / self.spread, ..*it }
    }
}

/// The common part of all values' spreads: the square towards which each is shrunk, and its degrees
/// of freedom; the less alike the spreads, the fewer.
struct CommonSpread {
    square: f64,
    freedom: f64,
}

impl CommonSpread {
    /// Smyth, "Linear models and empirical Bayes methods", Statistical Applications in Genetics and
    /// Molecular Biology 3 (2004), section 6.2: by the mean and the variance of logarithms.
    fn of(known: &[(f64, f64, f64)]) -> Self {
        let several = || known.iter().filter(|(_, _, executions)| *executions > 1.0);
        let number = several().count() as f64;
        let half = |executions: f64| (executions - 1.0) / 2.0;
        let log = |&(_, spread, executions): &(f64, f64, f64)| {
            let half = half(executions);
            2.0 * spread.max(FINEST).ln() + half.ln() - digamma(half)
        };
        let mean = several().map(log).sum::<f64>() / number;
        let chance = several().map(|it| trigamma(half(it.2))).sum::<f64>() / number;
        let scatter = several().map(|it| (log(it) - mean).powi(2)).sum::<f64>();
        let half = inverse_trigamma(scatter / (number - 1.0).max(1.0) - chance);
        let off = if half.is_finite() { digamma(half) - half.ln() } else { 0.0 };
        Self { square: (mean + off).exp(), freedom: 2.0 * half }
    }
}

/// The derivative of the logarithm of the gamma function (Abramowitz & Stegun 6.3.5, 6.3.18).
fn digamma(x: f64) -> f64 {
    if x < 10.0 {
        return digamma(x + 1.0) - 1.0 / x;
    }
    let square = 1.0 / (x * x);
    x.ln() - 0.5 / x - square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0))
}

/// Its derivative (Abramowitz & Stegun 6.4.6, 6.4.12).
fn trigamma(x: f64) -> f64 {
    if x < 10.0 {
        return trigamma(x + 1.0) + 1.0 / (x * x);
    }
    let square = 1.0 / (x * x);
    1.0 / x + square / 2.0 + square / x * (1.0 / 6.0 - square * (1.0 / 30.0 - square / 42.0))
}

/// The argument at which the trigamma function has this value; infinite at 0 and below.
fn inverse_trigamma(value: f64) -> f64 {
    let (mut low, mut high) = (0.1_f64, 500.0_f64);
    if value <= trigamma(high) {
        return f64::INFINITY;
    }
    for _ in 0..40 {
        let half = (low * high).sqrt();
        if trigamma(half) > value { low = half } else { high = half }
    }
    high
}

/// The standard deviation of values by their mean distance from each other (Gini 1912): an outlier
/// moves it less than squares, and it has no bias with few values. The function sorts the values.
fn spread(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let sum: f64 =
        values.iter().zip(0_u32..).map(|(value, at)| (2.0 * f64::from(at) + 1.0 - n) * value).sum();
    if values.len() < 2 { 0.0 } else { std::f64::consts::PI.sqrt() * sum / (n * (n - 1.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_varies_more_is_known_less() {
        let noise = |n: u32| f64::from((n * 7919) % 101) / 101.0 - 0.5;
        let executions: Vec<InterleavedExecution> = (0..12)
            .flat_map(|round| (0..4).map(move |program| (round, program)))
            .map(|(round, program)| {
                let scale = if program == 3 { 0.1 } else { 0.01 };
                #[allow(clippy::cast_possible_truncation)] // a handful
                let value = scale * noise(round * 4 + program as u32 + 1);
                InterleavedExecution { program, round, value }
            })
            .collect();
        let levels = SweepLevels::of(&executions, 4).unwrap();
        assert!(levels.variances[3] > 9.0 * levels.variances[0], "{levels:?}");
        assert!((11.0..30.0).contains(&levels.freedom(0, 3)), "{levels:?}");
    }

    #[test]
    fn spreads_that_are_alike_are_drawn_together() {
        let alike = CommonSpread::of(&[(0.0, 0.1, 10.0), (0.0, 0.1, 10.0), (0.0, 0.1, 10.0)]);
        assert!(alike.freedom.is_infinite() && (alike.square / 0.01 - 1.0).abs() < 0.13);
        let unlike = CommonSpread::of(&[(0.0, 0.01, 10.0), (0.0, 0.1, 10.0), (0.0, 1.0, 10.0)]);
        assert!(unlike.freedom < 1.0, "{}", unlike.freedom);
    }

    #[test]
    fn derivatives_of_the_gamma_function_are_the_known_ones() {
        // Abramowitz & Stegun 6.3.2, 6.3.3, 6.4.2 and 6.4.4.
        let (gamma, pi) = (0.577_215_664_901_532_9, std::f64::consts::PI);
        assert!((digamma(1.0) + gamma).abs() < 1e-9);
        assert!((digamma(0.5) + gamma + 2.0 * 2_f64.ln()).abs() < 1e-9);
        assert!((trigamma(1.0) - pi * pi / 6.0).abs() < 1e-9);
        assert!((trigamma(0.5) - pi * pi / 2.0).abs() < 1e-9);
        for x in [0.3, 2.0, 40.0] {
            assert!((inverse_trigamma(trigamma(x)) / x - 1.0).abs() < 1e-6, "{x}");
        }
        assert!(inverse_trigamma(-0.1).is_infinite());
    }

    #[test]
    fn a_value_without_executions_has_no_level() {
        assert_eq!(
            SweepLevels::of(&[InterleavedExecution { program: 0, round: 1, value: 0.0 }], 2),
            None
        );
    }
}
