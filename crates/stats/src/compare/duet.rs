//! Pairs that were executed at the same time on two CPUs, roles swapped from pair to pair.
//!
//! Bulej et al., "Duet Benchmarking: Improving Measurement Accuracy in the Cloud", ICPE 2020: what
//! disturbs the host disturbs both. Each pair is a round, and is compared by
//! [`Estimator::RoundRatios`]; only what one CPU is faster than the other is taken away before.
//!
//! Neighbours in time are no substitute, since roles alternate and are not drawn: of ten pairs on
//! CPUs 10 % apart, 81 to 88 % of their 95 % intervals hold on most simulated hosts. They err 0.98
//! times as much on average, and up to 1.24 times where the speed of both CPUs moves.

use super::choice::{ChoiceReason, EstimatorChoice};
use super::comparison::{Comparison, ComparisonRules, Note, Sides};
use super::judge::compare;
use super::order::{quantile, sorted};
use super::sample::{SampleValue, Scale};
use super::{Estimator, Look};

/// Two executions at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuetPair {
    /// The value of A.
    pub a: SampleValue,
    /// The value of B.
    pub b: SampleValue,
    /// Whether B had the CPU that A has when roles are not swapped.
    pub swapped: bool,
}

/// Pairs as samples of A and B in rounds, and by how much the one CPU is slower than the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Duet {
    /// Samples of A.
    pub a: Vec<SampleValue>,
    /// Samples of B.
    pub b: Vec<SampleValue>,
    /// How many times as much the CPU of A, when not swapped, has of the metric; absent with fewer
    /// than eight pairs in either role, or with values that are not positive.
    pub places: Option<f64>,
}

/// Fewer pairs in a role do not show what the CPUs differ.
const FEWEST: usize = 8;

impl Duet {
    /// The pairs in the order of execution; those with a value that is not finite are left out.
    #[must_use]
    pub fn of(pairs: &[DuetPair]) -> Self {
        let is_finite = |pair: &DuetPair| pair.a.value.is_finite() && pair.b.value.is_finite();
        let pairs: Vec<DuetPair> = pairs.iter().copied().filter(is_finite).collect();
        let positive = pairs.iter().all(|pair| pair.a.value > 0.0 && pair.b.value > 0.0);
        let shift = positive.then(|| place_shift(&pairs)).flatten();
        let half = shift.unwrap_or(0.0) / 2.0;
        let side = |sample: &dyn Fn(&DuetPair) -> SampleValue, sign: f64| {
            let moved = |(round, pair): (u32, &DuetPair)| {
                let off = if pair.swapped { -half } else { half };
                let sample = sample(pair);
                SampleValue { value: sample.value * (sign * off).exp(), ..sample }.in_round(round)
            };
            (0..).zip(&pairs).map(moved).collect::<Vec<_>>()
        };
        Self {
            a: side(&|pair| pair.a, -1.0),
            b: side(&|pair| pair.b, 1.0),
            places: shift.map(f64::exp),
        }
    }
}

/// Compares what was executed in pairs, as this look may: by the ratio of the rounds, whatever the
/// rules ask for.
#[must_use]
pub fn compare_duet(pairs: &[DuetPair], rules: &ComparisonRules, look: Look) -> Comparison {
    let duet = Duet::of(pairs);
    let rules = ComparisonRules { estimator: Some(Estimator::RoundRatios), ..*rules };
    let mut compared = compare(&Sides { a: &duet.a, b: &duet.b, control: &[] }, &rules, look);
    compared.choice = EstimatorChoice::plain(Estimator::RoundRatios, ChoiceReason::Duet);
    compared.notes.extend(duet.places.map(Note::Places));
    compared
}

/// Half of what the logarithm of B by A differs between both roles.
fn place_shift(pairs: &[DuetPair]) -> Option<f64> {
    let median = |swapped: bool| {
        let role = pairs.iter().filter(|pair| pair.swapped == swapped);
        let shifts: Vec<f64> = role
            .map(|pair| Scale::Ratio.of_value(pair.a.value) - Scale::Ratio.of_value(pair.b.value))
            .collect();
        (shifts.len() >= FEWEST).then(|| quantile(&sorted(&shifts), 0.5)).flatten()
    };
    Some((median(false)? - median(true)?) / 2.0)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::draw::gaussian;

    /// Pairs on two CPUs of which the first is slower by a tenth, on a host whose load comes and
    /// goes.
    fn pairs(count: usize, effect: f64, rng: &mut ChaCha8Rng) -> Vec<DuetPair> {
        let swaps = rng.random::<bool>();
        let pair = |index: usize| {
            let swapped = index.is_multiple_of(2) == swaps;
            let load = 0.2 * rng.random::<f64>();
            let mut value = |on_first: bool, takes: f64| {
                takes * (load + if on_first { 0.1 } else { 0.0 } + 0.01 * gaussian(rng)).exp()
            };
            let (a, b) = (value(!swapped, 100.0), value(swapped, 100.0 * effect));
            DuetPair { a: SampleValue::new(a), b: SampleValue::new(b), swapped }
        };
        (0..count).map(pair).collect()
    }

    #[test]
    fn what_the_cpus_differ_is_taken_away() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let pairs = pairs(30, 1.05, &mut rng);
        let places = Duet::of(&pairs).places.unwrap();
        assert!((places - 0.1_f64.exp()).abs() < 0.02, "{places}");
        let compared = compare_duet(&pairs, &ComparisonRules::default(), Look::only(30, 0.05));
        assert_eq!(
            compared.choice,
            EstimatorChoice::plain(Estimator::RoundRatios, ChoiceReason::Duet)
        );
        assert!(compared.notes.contains(&Note::Places(places)), "{:?}", compared.notes);
        let (low, high) = compared.estimate.unwrap().interval.unwrap();
        assert!(low > 1.04 && high < 1.06, "{low} {high}");
    }

    #[test]
    fn the_same_program_on_unequal_cpus_differs_as_seldom_as_said() {
        for count in [10, 16, 30] {
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            let trials = 1000;
            let detected = (0..trials).filter(|_| {
                let pairs = pairs(count, 1.0, &mut rng);
                compare_duet(&pairs, &ComparisonRules::default(), Look::only(count, 0.05))
                    .significant
            });
            let rate = detected.count() as f64 / f64::from(trials);
            // 5 %, and two standard errors of 1,000 trials.
            assert!(rate <= 0.05 + 0.014, "{count} pairs: {rate}");
        }
    }

    #[test]
    fn few_pairs_do_not_tell_what_the_cpus_differ() {
        let pair = |a, swapped| DuetPair {
            a: SampleValue::new(a),
            b: SampleValue::new(2.0).at_least(),
            swapped,
        };
        let duet = Duet::of(&[pair(1.0, false), pair(1.0, true), pair(f64::NAN, true)]);
        assert_eq!((duet.places, duet.a.len()), (None, 2));
        assert_eq!(duet.b[1], SampleValue::new(2.0).at_least().in_round(1), "a limit stays one");
    }
}
