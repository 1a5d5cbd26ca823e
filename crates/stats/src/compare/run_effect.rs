//! A that was measured in earlier runs against B of today: what differs between runs enters the
//! interval.

use super::means::t_above;
use super::order::{quantile, sorted};
use super::sample::{SampleValue, Scale};
use crate::Bound;
use crate::distribution::student_quantile;
use crate::summary::mean;

/// How much medians of one program differ from run to run on a host, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunEffectPrior {
    /// Standard deviation between runs, relative (0.03 is 3 %).
    pub deviation: f64,
    /// The degrees of freedom: the number of runs that show it, or that it is worth, minus one.
    pub freedom: f64,
    /// Whether it is only the assumption for a host with too few runs.
    pub assumed: bool,
}

impl RunEffectPrior {
    /// For a host of which nothing is known: 4.5 %, as seen between runs minutes apart on a virtual
    /// machine with two CPUs, worth five runs.
    pub const UNKNOWN: Self = Self { deviation: 0.045, freedom: 4.0, assumed: true };

    /// From programs that were measured in several runs on the host, such as controls: by the
    /// medians of each. `None` of fewer than two runs of each.
    #[must_use]
    pub fn of_programs(programs: &[Vec<f64>]) -> Option<Self> {
        let (mut sum, mut freedom) = (0.0, 0.0);
        for medians in programs {
            let logs: Vec<f64> =
                medians.iter().filter(|&&m| m > 0.0).map(|median| median.ln()).collect();
            if logs.len() > 1 {
                sum += squares(&logs);
                freedom += logs.len() as f64 - 1.0;
            }
        }
        (freedom > 0.0).then(|| Self { deviation: (sum / freedom).sqrt(), freedom, assumed: false })
    }

    /// The effect on a known host, combined with [the assumption for any host](Self::UNKNOWN) if it
    /// is of fewer runs.
    #[must_use]
    pub fn or_unknown(known: Option<Self>) -> Self {
        let Some(known) = known else { return Self::UNKNOWN };
        if known.freedom >= Self::UNKNOWN.freedom {
            return known;
        }
        Self::UNKNOWN.with(Some(known))
    }

    /// The prior combined with the observation, each weighted by its degrees of freedom.
    #[must_use]
    pub fn with(self, seen: Option<Self>) -> Self {
        let Some(seen) = seen else { return self };
        let square = |one: Self| one.freedom * one.deviation.powi(2);
        let freedom = self.freedom + seen.freedom;
        Self { deviation: ((square(self) + square(seen)) / freedom).sqrt(), freedom, ..self }
    }
}

/// B against A over runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RunsComparison {
    /// B by A: the ratio of the means (on the logarithm's scale) of the runs' levels, which are
    /// medians, or means where the program has several modes.
    pub ratio: f64,
    /// The bound that the ratio is if samples reached a limit.
    pub bound: Bound,
    /// The interval; an end is 0 or infinite if samples at limits leave it unbounded.
    pub interval: (f64, f64),
    /// The chance of so large a difference, either way, if there is no real one.
    pub p: f64,
    /// The standard deviation between runs that was reckoned with, relative, what samples add
    /// included.
    pub deviation: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
    /// The standard error of the ratio's logarithm.
    pub standard_error: f64,
}

/// Compares over runs, each with its samples; `error` is the chance that the interval misses.
///
/// Runs are drawn from a population of their own: their medians differ by more than their samples
/// show. Its deviation is that between the runs of a side, pooled with the prior by degrees of
/// freedom, and the interval is Student's for two means of this many runs (Cochran, "The
/// Combination of Estimates from Different Experiments", Biometrics 10 (1954)). The interval is
/// never narrower than the samples within runs show. `None` with values that are not positive, or
/// without runs.
pub(super) fn compare_over_runs(
    a: &[&[SampleValue]],
    b: &[&[SampleValue]],
    prior: RunEffectPrior,
    error: f64,
) -> Option<RunsComparison> {
    over_runs([a, b], median, prior, error)
}

/// The same of the means of runs, for what has a share of each of two modes.
pub(super) fn means_over_runs(
    sides: [&[&[SampleValue]]; 2],
    prior: RunEffectPrior,
    error: f64,
) -> Option<RunsComparison> {
    over_runs(sides, mean_of_run, prior, error)
}

/// The median of ascending values of a run, and what it varies by between runs: a variance.
///
/// The variation between runs is a share of the measured value; of zeros it is 0.
pub(super) fn median_between_runs(run: &[f64], prior: RunEffectPrior) -> Option<(f64, f64)> {
    let size = mean(&run.iter().map(|value| value.abs()).collect::<Vec<_>>());
    let within = quantile(run, 0.75)? - quantile(run, 0.25)?;
    let variance = (prior.deviation * size).powi(2) + of_middle_half(within, run.len());
    Some((quantile(run, 0.5)?, variance))
}

/// The logarithm of the centre of values, taken as they are or as high as they may be, and its
/// variance. `None` for values without a logarithm.
type Centre = fn(&[f64]) -> Option<(f64, f64)>;

fn over_runs(
    [a, b]: [&[&[SampleValue]]; 2],
    centre: Centre,
    prior: RunEffectPrior,
    error: f64,
) -> Option<RunsComparison> {
    let centres = |runs: &[&[SampleValue]]| {
        let of = |run: &&[SampleValue]| {
            let values: Vec<f64> = run.iter().map(|sample| sample.value).collect();
            centre(&values).filter(|(log, _)| log.is_finite())
        };
        let centres: Option<Vec<(f64, f64)>> = runs.iter().map(of).collect();
        let (logs, variances): (Vec<f64>, Vec<f64>) = centres?.into_iter().unzip();
        (!logs.is_empty()).then_some((logs, variances.into_iter().fold(0.0, f64::max)))
    };
    let ((of_a, within_a), (of_b, within_b)) = (centres(a)?, centres(b)?);
    let within = within_a.max(within_b);
    let between = squares(&of_a) + squares(&of_b);
    let seen = (of_a.len() + of_b.len()) as f64 - 2.0;
    let known = prior.freedom * (prior.deviation.powi(2) + within);
    let freedom = seen + prior.freedom;
    let variance = ((between + known) / freedom).max(within);
    let error_of = (variance * (1.0 / of_a.len() as f64 + 1.0 / of_b.len() as f64)).sqrt();
    let shift = mean(&of_b) - mean(&of_a);
    let (least, most) = ends([a, b], centre, shift);
    let reach = student_quantile(1.0 - error / 2.0, freedom) * error_of;
    // An interval on both sides of no difference may be no difference.
    let nearest = if least <= 0.0 && most >= 0.0 { 0.0 } else { least.abs().min(most.abs()) };
    Some(RunsComparison {
        ratio: shift.exp(),
        bound: match (least >= shift, most <= shift) {
            (true, true) => Bound::Exact,
            (true, false) => Bound::AtLeast,
            (false, true) => Bound::AtMost,
            (false, false) => Bound::Unknown,
        },
        interval: ((least - reach).exp(), (most + reach).exp()),
        p: (2.0 * t_above(nearest, error_of, freedom)).min(1.0),
        deviation: variance.sqrt(),
        freedom,
        standard_error: error_of,
    })
}

/// Between what a shift is if the limits that A's samples reached were no more than reached and B's
/// nothing, and the reverse.
fn ends([a, b]: [&[&[SampleValue]]; 2], centre: Centre, shift: f64) -> (f64, f64) {
    let is_exact =
        |runs: &[&[SampleValue]]| runs.iter().all(|run| run.iter().all(SampleValue::is_exact));
    if is_exact(a) && is_exact(b) {
        return (shift, shift);
    }
    let of = |runs: &[&[SampleValue]], value: fn(&SampleValue) -> f64| {
        let logs = runs.iter().map(|run| {
            let values: Vec<f64> = run.iter().map(value).collect();
            centre(&values).map_or(f64::INFINITY, |(log, _)| log)
        });
        mean(&logs.collect::<Vec<_>>())
    };
    let stated = |sample: &SampleValue| sample.value;
    (of(b, stated) - of(a, SampleValue::high), of(b, SampleValue::high) - of(a, stated))
}

/// By the median.
fn median(run: &[f64]) -> Option<(f64, f64)> {
    Some((quantile(&logs(run)?, 0.5)?, variance_of_median(run)))
}

/// By the mean of the values, the logarithm of which varies as it does relative to itself (delta
/// method).
fn mean_of_run(values: &[f64]) -> Option<(f64, f64)> {
    logs(values)?;
    let (n, mean) = (values.len() as f64, mean(values));
    let variance = if values.len() > 1 { squares(values) / (n - 1.0) / n } else { 0.0 };
    Some((mean.ln(), variance / (mean * mean)))
}

/// Ascending.
fn logs(run: &[f64]) -> Option<Vec<f64>> {
    let positive = run.iter().all(|value| *value > 0.0);
    let logs: Vec<f64> = run.iter().map(|value| Scale::Ratio.of_value(*value)).collect();
    positive.then(|| sorted(&logs)).filter(|logs| !logs.is_empty())
}

/// The variance of the median of this many values with that spread of the middle half.
fn of_middle_half(spread: f64, n: usize) -> f64 {
    std::f64::consts::FRAC_PI_2 * (spread / 1.349).powi(2) / n as f64
}

/// The variance of a single value of a run, by the spread of the middle half of the run's
/// logarithms; 0 if they have no spread.
pub(super) fn variance_of_one(run: &[SampleValue]) -> f64 {
    let values: Vec<f64> = run.iter().map(|sample| sample.value).collect();
    variance_of_median(&values) * run.len() as f64
}

/// The standard deviation of the logarithms of a run's values.
pub(super) fn deviation_of_one(run: &[SampleValue]) -> f64 {
    let values: Vec<f64> = run.iter().map(|sample| sample.value).collect();
    logs(&values).map_or(0.0, |logs| (squares(&logs) / logs.len() as f64).sqrt())
}

/// As if they were Gaussian around the median: π/2 times that of the mean, with the spread of the
/// middle half.
fn variance_of_median(run: &[f64]) -> f64 {
    let spread = logs(run).and_then(|logs| Some(quantile(&logs, 0.75)? - quantile(&logs, 0.25)?));
    spread.map_or(0.0, |spread| of_middle_half(spread, run.len()))
}

/// The sum of the squared distances from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::ranks::rank_sum_above;
    use super::*;
    use crate::draw::gaussian;

    const SAMPLES: usize = 15;
    /// Three times what the samples of a run make its median vary.
    const DEVIATION: f64 = 3.0 * 0.02 * 1.25 / 3.873;

    fn run(deviation: f64, rng: &mut ChaCha8Rng) -> Vec<SampleValue> {
        let of_run = deviation * gaussian(rng);
        (0..SAMPLES)
            .map(|_| SampleValue::new(100.0 * (of_run + 0.02 * gaussian(rng)).exp()))
            .collect()
    }

    /// How often one program is distinguished from itself, by this and by a rank test that knows of
    /// no runs.
    fn rates(runs: usize, prior: RunEffectPrior, deviation: f64) -> (f64, f64) {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let trials = 1500;
        let (mut detected, mut by_ranks) = (0, 0);
        for _ in 0..trials {
            let a: Vec<Vec<SampleValue>> = (0..runs).map(|_| run(deviation, &mut rng)).collect();
            let b = run(deviation, &mut rng);
            let a: Vec<&[SampleValue]> = a.iter().map(Vec::as_slice).collect();
            let compared = compare_over_runs(&a, &[&b], prior, 0.05).unwrap();
            detected += u32::from(compared.p <= 0.05);
            assert_eq!(compared.p <= 0.05, compared.interval.0 > 1.0 || compared.interval.1 < 1.0);
            let values =
                |side: &[SampleValue]| side.iter().map(|sample| sample.value).collect::<Vec<_>>();
            let (a, b) = (values(&a.concat()), values(&b));
            by_ranks += u32::from(rank_sum_above(&a, &b).min(rank_sum_above(&b, &a)) <= 0.025);
        }
        (f64::from(detected) / f64::from(trials), f64::from(by_ranks) / f64::from(trials))
    }

    #[test]
    fn the_error_is_as_said_where_runs_differ_by_three_times_what_samples_tell() {
        // Two standard errors of 1,500 trials: 1.1 percentage points.
        let known = RunEffectPrior { deviation: DEVIATION, freedom: 4.0, assumed: false };
        for runs in [1, 3, 10] {
            let (detected, by_ranks) = rates(runs, known, DEVIATION);
            assert!(detected <= 0.05 + 0.011, "{runs} runs: {detected}");
            assert!(by_ranks > 0.25, "{by_ranks}: a rank test would be right");
        }
    }

    #[test]
    fn a_host_may_be_a_little_worse_than_its_prior() {
        let known = RunEffectPrior { deviation: DEVIATION / 1.4, freedom: 4.0, assumed: false };
        let (detected, _) = rates(1, known, DEVIATION);
        assert!(detected <= 0.061, "{detected}");
    }

    #[test]
    fn what_reached_a_limit_has_no_end_above() {
        let exact: Vec<SampleValue> =
            (0..9).map(|n| SampleValue::new(100.0 + f64::from(n))).collect();
        let cut: Vec<SampleValue> = (0..9).map(|_| SampleValue::new(300.0).at_least()).collect();
        let prior = RunEffectPrior { deviation: 0.01, freedom: 20.0, assumed: false };
        let over = |a: &[SampleValue], b: &[SampleValue]| {
            compare_over_runs(&[a], &[b], prior, 0.05).unwrap()
        };
        let slower = over(&exact, &cut);
        assert_eq!((slower.bound, slower.interval.1), (Bound::AtLeast, f64::INFINITY));
        assert!(slower.interval.0 > 2.5 && slower.p < 1e-6, "{slower:?}");
        let faster = over(&cut, &exact);
        assert_eq!((faster.bound, faster.interval.0), (Bound::AtMost, 0.0));
        let both = over(&cut, &cut);
        assert_eq!(
            (both.bound, both.interval, both.p),
            (Bound::Unknown, (0.0, f64::INFINITY), 1.0)
        );
        assert_eq!(over(&exact, &exact).bound, Bound::Exact);
    }

    #[test]
    fn one_run_each_is_compared_by_what_runs_differ_by() {
        let one = [SampleValue::new(1.0)];
        let compared = |a: &[&[SampleValue]], b: &[&[SampleValue]]| {
            compare_over_runs(a, b, RunEffectPrior::UNKNOWN, 0.05)
        };
        assert_eq!(compared(&[], &[&one]), None);
        assert_eq!(compared(&[&one], &[&[SampleValue::new(0.0)]]), None);
        let high = compared(&[&one], &[&one]).unwrap().interval.1;
        // Student's t with 4 degrees of freedom: 2.776 · √2 · 4.5 %.
        assert!((high - (2.776_445 * 2_f64.sqrt() * 0.045_f64).exp()).abs() < 1e-6);
    }

    #[test]
    fn a_prior_of_runs_is_their_deviation() {
        let prior = RunEffectPrior::of_programs(&[vec![100.0, 110.0, 121.0]]).unwrap();
        assert!((prior.deviation - 1.1_f64.ln()).abs() < 1e-12 && prior.freedom == 2.0);
        assert_eq!(RunEffectPrior::of_programs(&[vec![100.0]]), None);
        let two =
            RunEffectPrior::of_programs(&[vec![100.0, 110.0, 121.0], vec![5.0], vec![7.0, 7.7]])
                .unwrap();
        assert!((two.freedom - 3.0).abs() < 1e-12);
        // (2 · ln² 1.1 + ln² 1.1 / 2) / 3
        assert!((two.deviation - 1.1_f64.ln() * (2.5_f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn what_is_known_of_few_runs_is_filled_up() {
        assert_eq!(RunEffectPrior::or_unknown(None), RunEffectPrior::UNKNOWN);
        let known = |freedom| RunEffectPrior { deviation: 0.01, freedom, assumed: false };
        assert_eq!(RunEffectPrior::or_unknown(Some(known(4.0))), known(4.0));
        let filled = RunEffectPrior::or_unknown(Some(known(1.0)));
        // (1 · 1 %² + 4 · 4.5 %²) / 5
        assert!((filled.deviation - (0.0082_f64 / 5.0).sqrt()).abs() < 1e-12);
        assert!(filled.assumed && filled.freedom == 5.0);
    }
}
