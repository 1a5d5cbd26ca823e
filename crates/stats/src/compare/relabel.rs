//! What the noise alone does: two sides of one program, their labels exchanged at random.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Estimator;
use super::contrast::{Contrast, centre};
use super::order::{quantile, sorted};
use super::sample::{self, Sample, Scale};

/// So many times labels are exchanged; fewer where many samples make all outcomes alike.
const TIMES: std::ops::RangeInclusive<usize> = 8..=40;
const SAMPLES_TIMES: usize = 8000;

/// Two sides of one program, looked at from below and from above, often.
pub(super) struct Null {
    exchanged: Vec<[Contrast; 2]>,
}

/// The least and the most that a value can be, as it is compared.
type Known = (f64, f64);

/// The samples of one round, and the difference of the second side's middle to the first's, and the other way.
struct Round {
    sides: [Vec<Known>; 2],
    differences: [f64; 2],
}

impl Null {
    /// Samples of one round change sides together with those of the other side in it, or not; the rest are dealt anew.
    pub fn of(scale: Scale, one: &[Sample], other: &[Sample], seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let known = |sample: &Sample| (scale.of_value(sample.low()), scale.of_value(sample.high()));
        let rounds = sample::rounds(one, other).into_iter().map(|(one, other)| Round {
            differences: [(&one, &other), (&other, &one)].map(|(first, second)| {
                centre(second, &|sample| known(sample).0) - centre(first, &|sample| known(sample).1)
            }),
            sides: [one, other].map(|side| side.into_iter().map(known).collect()),
        });
        let rounds: Vec<Round> = rounds.collect();
        let lone = [(one, other), (other, one)].map(|(side, beside)| alone(side, beside, &known));
        let times = (SAMPLES_TIMES / (one.len() + other.len()).max(1)).clamp(*TIMES.start(), *TIMES.end());
        Self { exchanged: (0..times).map(|_| exchange(scale, &rounds, &lone, &mut rng)).collect() }
    }

    /// The mean width of an estimator's intervals at this level of either end; `None` where there is none.
    pub fn width(&self, estimator: Estimator, level: f64) -> Option<f64> {
        let widths = self.bounds(estimator, level)?.into_iter().map(|(low, high)| high - low);
        Some(widths.sum::<f64>() / self.exchanged.len() as f64)
    }

    /// The shift that these intervals would have told from none in four of five cases: all are as wide at any shift.
    pub fn detectable(&self, estimator: Estimator, level: f64) -> Option<f64> {
        let bounds = self.bounds(estimator, level)?;
        let reach: Vec<f64> = bounds.into_iter().flat_map(|(low, high)| [-low, high]).collect();
        quantile(&sorted(&reach), 0.8)
    }

    fn bounds(&self, estimator: Estimator, level: f64) -> Option<Vec<(f64, f64)>> {
        let bounds = self.exchanged.iter().map(|[up, down]| {
            Some((estimator.bound_below(up, level)?, -estimator.bound_below(down, level)?))
        });
        bounds.collect()
    }
}

/// Samples of a side in no round of the other.
fn alone(side: &[Sample], beside: &[Sample], known: &dyn Fn(&Sample) -> Known) -> Vec<Known> {
    let rounds: std::collections::BTreeSet<u32> = beside.iter().filter_map(|sample| sample.round).collect();
    let alone = side.iter().filter(|sample| sample.round.is_none_or(|round| !rounds.contains(&round)));
    alone.map(known).collect()
}

fn exchange(scale: Scale, rounds: &[Round], lone: &[Vec<Known>; 2], rng: &mut ChaCha8Rng) -> [Contrast; 2] {
    let mut sides = [Vec::new(), Vec::new()];
    let mut differences = [Vec::new(), Vec::new()];
    for round in rounds {
        let swap = usize::from(rng.random::<bool>());
        for side in 0..2 {
            sides[side].extend(&round.sides[side ^ swap]);
            differences[side].push(round.differences[side ^ swap]);
        }
    }
    let mut rest: Vec<Known> = lone.concat();
    for last in (1..rest.len()).rev() {
        rest.swap(last, rng.random_range(0..=last));
    }
    let (first, second) = rest.split_at(lone[0].len());
    sides[0].extend(first);
    sides[1].extend(second);
    let [one, other] = sides;
    let [up, down] = differences;
    [contrast(scale, &one, &other, &up), contrast(scale, &other, &one, &down)]
}

fn contrast(scale: Scale, a: &[Known], b: &[Known], rounds: &[f64]) -> Contrast {
    let high: Vec<f64> = a.iter().map(|known| known.1).collect();
    let low: Vec<f64> = b.iter().map(|known| known.0).collect();
    Contrast { scale, a: sorted(&high), b: sorted(&low), rounds: sorted(rounds), units: None, seed: 0 }
}
