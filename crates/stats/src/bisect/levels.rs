//! The belief about a metric: where its level changed, if it did.
//!
//! A hypothesis is an interval between two tested revisions that holds the change, or that nothing
//! changed. Each carries a filter for each kind of noise, so that levels, step, scale and tails,
//! all unknown, are averaged over. The cost of a reading is that of tested revisions times kinds of
//! noise, however many candidates there are.

use super::filter::{KalmanFilter, PARTS};
use super::information::Channel;
use super::noise::{self, BisectNoise};
use super::record::{LevelReading, LocationPrior};
use super::rules::{NOTHING, START};
use crate::summary::median;

/// One hypothesis.
#[derive(Clone, Debug)]
struct LevelHypothesis {
    /// Tested revisions from here on have the change; that before has not. `usize::MAX`: nothing
    /// changed.
    from: usize,
    filters: Vec<KalmanFilter>,
}

/// The belief.
#[derive(Clone, Debug)]
pub(super) struct BisectLevels {
    pub(super) ends: (usize, usize),
    least: f64,
    /// A known standard deviation between builds.
    builds: f64,
    prior_place: LocationPrior,
    readings: Vec<LevelReading>,
    pub(super) tested: Vec<usize>,
    /// In the order of their first values, which is that of the filters' parts.
    offsets: Vec<usize>,
    noises: Vec<BisectNoise>,
    /// Before the filters: what the first readings say of the noise.
    prior: Vec<f64>,
    hypotheses: Vec<LevelHypothesis>,
    renew_at: usize,
}

impl BisectLevels {
    pub(super) fn new(
        ends: (usize, usize),
        least: f64,
        builds: f64,
        prior_place: LocationPrior,
    ) -> Self {
        Self {
            ends,
            least,
            builds,
            prior_place,
            readings: Vec::new(),
            tested: Vec::new(),
            offsets: Vec::new(),
            noises: Vec::new(),
            prior: Vec::new(),
            hypotheses: Vec::new(),
            renew_at: 4,
        }
    }

    /// Includes a reading of a revision between the ends; other readings are ignored.
    pub(super) fn observe(&mut self, reading: LevelReading) {
        if reading.revision < self.ends.0 || self.ends.1 < reading.revision {
            return;
        }
        self.readings.push(reading);
        if self.hypotheses.is_empty() || self.readings.len() >= self.renew_at || self.starting() {
            self.renew();
        } else {
            self.take_up(reading);
        }
    }

    /// Whether the medians of the start are still moving.
    fn starting(&self) -> bool {
        self.tested.len() <= 2 && self.readings.len() <= 4 * START + 2
    }

    /// Begins again with kinds of noise around what all readings say.
    fn renew(&mut self) {
        self.renew_at = self.readings.len() + self.readings.len() / 2;
        self.noises = noise::likely(&self.readings, self.least, self.builds);
        self.replay();
    }

    fn replay(&mut self) {
        self.hypotheses.clear();
        let [good, bad] = [self.ends.0, self.ends.1].map(|end| self.first_of(end));
        if good.is_empty() || bad.is_empty() {
            return;
        }
        self.tested = vec![self.ends.0, self.ends.1];
        self.offsets = self.tested.clone();
        self.prior = self.noises.iter().map(|noise| of_start(noise, [&good, &bad])).collect();
        let [first, second] = [&good, &bad].map(|start| middle(start));
        let step = (4.0 * self.least).max(1.5 * (second - first).abs());
        for from in [usize::MAX, self.ends.1] {
            let filters = self.noises.iter().map(|noise| {
                let mut filter = KalmanFilter::new(first, 25.0 * step * step, step * step);
                if noise.builds > 0.0 {
                    filter.grow(noise.builds.powi(2));
                    filter.grow(noise.builds.powi(2));
                }
                for (end, start) in [(0, &good), (1, &bad)] {
                    filter.observe(
                        &parts(noise, from == self.ends.1 && end == 1, end),
                        middle(start) - noise.tail.median() * noise.scale,
                        of_median(noise, start.len()),
                        None,
                    );
                }
                filter
            });
            self.hypotheses.push(LevelHypothesis { from, filters: filters.collect() });
        }
        let used = [good.len(), bad.len()];
        let mut seen = [0, 0];
        for reading in std::mem::take(&mut self.readings) {
            self.readings.push(reading);
            if let Some(end) =
                [self.ends.0, self.ends.1].iter().position(|end| *end == reading.revision)
            {
                seen[end] += 1;
                if seen[end] <= used[end] {
                    continue;
                }
            }
            self.take_up(reading);
        }
    }

    /// The first readings of an end: the start.
    fn first_of(&self, end: usize) -> Vec<LevelReading> {
        let all = self.readings.iter().filter(|reading| reading.revision == end);
        all.take(self.wanted(end)).copied().collect()
    }

    /// How many readings make the start of an end: twice as many if the first ones are far apart,
    /// since their median may be anywhere.
    pub(super) fn wanted(&self, end: usize) -> usize {
        let all = self.readings.iter().filter(|reading| reading.revision == end);
        let first: Vec<LevelReading> = all.take(START).copied().collect();
        // The scale of the readings themselves is in the middle.
        let scale =
            self.noises.get(self.noises.len() / 2).map_or(f64::INFINITY, |noise| noise.scale);
        if first.len() < START || together(&first, scale) { START } else { 2 * START }
    }

    fn take_up(&mut self, reading: LevelReading) {
        self.add_tested(reading.revision);
        let offset =
            self.offsets.iter().position(|tested| *tested == reading.revision).unwrap_or(0);
        for hypothesis in &mut self.hypotheses {
            let changed = reading.revision >= hypothesis.from;
            for (filter, noise) in hypothesis.filters.iter_mut().zip(&self.noises) {
                filter.observe(
                    &parts(noise, changed, offset),
                    reading.value,
                    noise.variance(),
                    Some(noise.tail),
                );
            }
        }
    }

    /// Splits the interval around this revision: both parts have explained all readings equally
    /// well so far.
    fn add_tested(&mut self, revision: usize) {
        let Err(place) = self.tested.binary_search(&revision) else { return };
        let later = self.tested[place];
        self.tested.insert(place, revision);
        self.offsets.push(revision);
        for hypothesis in &mut self.hypotheses {
            for (filter, noise) in hypothesis.filters.iter_mut().zip(&self.noises) {
                if noise.builds > 0.0 && self.offsets.len() + 2 < PARTS {
                    filter.grow(noise.builds.powi(2));
                }
            }
        }
        let split = self.hypotheses.iter().find(|hypothesis| hypothesis.from == later);
        if let Some(split) = split {
            let earlier = LevelHypothesis { from: revision, filters: split.filters.clone() };
            self.hypotheses.push(earlier);
        }
    }

    /// The logarithm of what each hypothesis and kind of noise is worth, not summing to one.
    fn worth(&self) -> Vec<Vec<f64>> {
        let of = |hypothesis: &LevelHypothesis| {
            let share = if hypothesis.from == usize::MAX {
                NOTHING
            } else {
                let before = self.before(hypothesis.from);
                let below = |at| self.prior_place.part(self.ends.0, at, self.ends.1);
                (1.0 - NOTHING) * (below(hypothesis.from) - below(before))
            };
            let filters = hypothesis.filters.iter().zip(&self.prior);
            filters.map(|(filter, prior)| share.ln() + prior + filter.ln_evidence).collect()
        };
        self.hypotheses.iter().map(of).collect()
    }

    /// The tested revision before a tested one.
    pub(super) fn before(&self, from: usize) -> usize {
        let place = self.tested.partition_point(|tested| *tested < from);
        self.tested[place.max(1) - 1]
    }

    /// How likely each hypothesis is with each kind of noise.
    fn shares(&self) -> Vec<Vec<f64>> {
        let mut worth = self.worth();
        let most = worth.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        worth.iter_mut().flatten().for_each(|worth| *worth = (*worth - most).exp());
        let sum: f64 = worth.iter().flatten().sum();
        worth.iter_mut().flatten().for_each(|worth| *worth /= sum);
        worth
    }

    pub(super) fn posterior(&self) -> LevelPosterior {
        let shares = self.shares();
        let mut posterior = LevelPosterior {
            nothing: 1.0,
            intervals: Vec::new(),
            step: (0.0, 0.0),
            sd: 0.0,
            middle: 0.0,
            builds: 0.0,
            channels: Vec::new(),
        };
        if shares.is_empty() {
            return posterior;
        }
        posterior.nothing = 0.0;
        let mut step = LevelMixture::default();
        let (mut variance, mut middle) = (0.0, 0.0);
        for (hypothesis, shares) in self.hypotheses.iter().zip(&shares) {
            let share: f64 = shares.iter().sum();
            if hypothesis.from == usize::MAX {
                posterior.nothing = share;
            } else {
                posterior.intervals.push((hypothesis.from, share));
            }
            for ((filter, noise), &share) in hypothesis.filters.iter().zip(&self.noises).zip(shares)
            {
                variance += share * noise.variance() * noise.tail.price();
                middle += share * (filter.middle_variance());
                posterior.builds += share * noise.builds;
                if hypothesis.from != usize::MAX {
                    step.add(filter.step(), share);
                }
            }
        }
        posterior.intervals.sort_unstable_by_key(|interval| interval.0);
        posterior.step = self.step_given(None).unwrap_or_else(|| step.moments());
        posterior.sd = variance.sqrt();
        posterior.middle = middle;
        posterior
    }

    /// The step if there is one, and its variance; from this interval alone if it is given. The
    /// hypothesis *no change* is left out, since its weight exceeds all others if nothing changed.
    pub(super) fn step_given(&self, from: Option<usize>) -> Option<(f64, f64)> {
        let worth = self.worth();
        let chosen = |hypothesis: &LevelHypothesis| {
            from.map_or(hypothesis.from != usize::MAX, |from| hypothesis.from == from)
        };
        let mut all = Vec::new();
        for (hypothesis, worth) in
            self.hypotheses.iter().zip(&worth).filter(|(hypothesis, _)| chosen(hypothesis))
        {
            all.extend(
                hypothesis.filters.iter().zip(worth).map(|(filter, worth)| (filter.step(), *worth)),
            );
        }
        let most = all.iter().map(|of| of.1).fold(f64::NEG_INFINITY, f64::max);
        let mut mixture = LevelMixture::default();
        for (step, worth) in &all {
            mixture.add(*step, (worth - most).exp());
        }
        (!all.is_empty()).then(|| mixture.moments())
    }

    /// How likely each kind of noise is.
    pub(super) fn noises(&self) -> Vec<(BisectNoise, f64)> {
        let shares = self.shares();
        let of = |place: usize| shares.iter().map(|shares| shares[place]).sum();
        self.noises.iter().enumerate().map(|(place, noise)| (*noise, of(place))).collect()
    }

    /// How much this step explains fresh pairs of the parent and the culprit better than none, as a
    /// logarithm of odds.
    pub(super) fn odds(&self, pairs: &[(f64, f64)], step: f64) -> f64 {
        let noises = self.noises();
        let worth = |expected: f64| -> f64 {
            let all = noises.iter().map(|(noise, share)| {
                // Differences of two values have no skew.
                let variance = 2.0 * noise.tail.spread() * noise.variance();
                let tail = noise.tail.even();
                let of_pair =
                    |(p, c): &(f64, f64)| tail.ln_density(c - p - expected, variance, 0.0);
                share.ln() + pairs.iter().map(of_pair).sum::<f64>()
            });
            let all: Vec<f64> = all.collect();
            let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            most + all.iter().map(|worth| (worth - most).exp()).sum::<f64>().ln()
        };
        worth(step) - worth(0.0)
    }
}

/// The belief in numbers.
#[derive(Clone, Debug)]
pub(super) struct LevelPosterior {
    pub(super) nothing: f64,
    /// The tested revision that ends each interval, and how likely it is; in order.
    pub(super) intervals: Vec<(usize, f64)>,
    /// The step if there is one, and its variance.
    pub(super) step: (f64, f64),
    /// The standard deviation of a sample; with heavy tails, that of Gaussian noise with as much
    /// information.
    pub(super) sd: f64,
    /// How uncertain the middle between the levels is, as a variance.
    pub(super) middle: f64,
    /// How far builds of the same program are apart, as a standard deviation.
    pub(super) builds: f64,
    /// The rates on either side for a command that passes or fails; empty for a metric.
    pub(super) channels: Vec<Channel>,
}

impl LevelPosterior {
    /// How likely the change is to be in the interval that this tested revision ends.
    pub(super) fn chance(&self, from: usize) -> f64 {
        self.intervals.iter().find(|of| of.0 == from).map_or(0.0, |of| of.1)
    }

    /// The likeliest interval.
    pub(super) fn best(&self) -> (usize, f64) {
        self.intervals
            .iter()
            .copied()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((usize::MAX, 0.0))
    }
}

/// Mean and variance of what is known by parts.
#[derive(Default)]
pub(super) struct LevelMixture {
    weight: f64,
    mean: f64,
    square: f64,
}

impl LevelMixture {
    pub(super) fn add(&mut self, (mean, variance): (f64, f64), weight: f64) {
        self.weight += weight;
        self.mean += weight * mean;
        self.square += weight * (variance + mean * mean);
    }

    pub(super) fn moments(&self) -> (f64, f64) {
        let mean = self.mean / self.weight;
        (mean, (self.square / self.weight - mean * mean).max(0.0))
    }
}

/// The parts that add up to a value of a revision.
fn parts(noise: &BisectNoise, changed: bool, offset: usize) -> LevelParts {
    let mut parts = LevelParts { all: [0; 3], length: 1 };
    if changed {
        parts.push(1);
    }
    if noise.builds > 0.0 && offset + 2 < PARTS - 1 {
        parts.push(2 + offset);
    }
    parts
}

/// At most three.
struct LevelParts {
    all: [usize; 3],
    length: usize,
}

impl LevelParts {
    fn push(&mut self, part: usize) {
        self.all[self.length] = part;
        self.length += 1;
    }
}

impl std::ops::Deref for LevelParts {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.all[..self.length]
    }
}

/// Whether more than two thirds of the readings are within some standard deviations of the median.
fn together(readings: &[LevelReading], scale: f64) -> bool {
    let middle = middle(readings);
    let near =
        readings.iter().filter(|reading| (reading.value - middle).abs() < 6.0 * scale).count();
    3 * near > 2 * readings.len()
}

fn middle(readings: &[LevelReading]) -> f64 {
    let values: Vec<f64> = readings.iter().map(|reading| reading.value).collect();
    median(&values).unwrap_or(0.0)
}

/// The variance of a median of this many values.
fn of_median(noise: &BisectNoise, count: usize) -> f64 {
    let worse = if count > 2 { std::f64::consts::FRAC_PI_2 } else { 1.0 };
    worse * noise.variance() / count as f64
}

/// The evidence about the noise in the scatter of the start, which its medians leave out.
fn of_start(noise: &BisectNoise, ends: [&[LevelReading]; 2]) -> f64 {
    let of = |readings: &[LevelReading]| {
        let centre = middle(readings) - noise.tail.median() * noise.scale;
        let count = readings.len() as f64;
        let density = |reading: &LevelReading| {
            noise.tail.ln_density(reading.value - centre, noise.variance(), 0.0)
        };
        readings.iter().map(density).sum::<f64>() * (count - 1.0) / count
    };
    ends.into_iter().map(of).sum()
}
