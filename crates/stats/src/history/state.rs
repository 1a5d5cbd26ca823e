//! A joint Gaussian of what one hypothesis believes: the level, the level before, and the effects
//! of open runs.

use super::course::{BuildReadings, FilterStep};

/// The level.
const LEVEL: usize = 0;
/// The level before the last change.
const BEFORE: usize = 1;
/// The luck of the present build, where several readings share it.
const LUCK: usize = 2;
/// The first of the effects of runs.
const RUNS: usize = 3;
/// The likelihood of what no likelihood can be computed of.
const UNLIKELY: f64 = 1e-290;

/// The assumed noise of builds and runs.
#[derive(Clone, Debug)]
pub(super) struct Chances {
    /// The luck of a build: shares and variances of a mixture of Gaussians around 0.
    pub luck: Vec<(f64, f64)>,
    /// The variance of the effects of runs.
    pub run: f64,
    /// The variance by which the level wanders from one revision to the next.
    pub walk: f64,
}

/// Means and covariances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gaussian<const D: usize> {
    pub mean: [f64; D],
    pub cov: [[f64; D]; D],
}

/// The moments of the weights of a mixture: likelihood, and mean and variance of what an
/// observation is weighed by.
struct Gain {
    likelihood: f64,
    weight: f64,
    spread: f64,
}

impl Gain {
    /// For a residual of this variance beside that of the luck.
    fn of(residual: f64, variance: f64, luck: &[(f64, f64)], layouts: f64) -> Self {
        let (mut likelihood, mut first, mut second) = (UNLIKELY, 0.0, 0.0);
        let square = residual * residual;
        for (share, of_luck) in luck {
            let precision = 1.0 / (variance + of_luck / layouts);
            let one = share * precision.sqrt() * (-0.5 * square * precision).exp();
            likelihood += one;
            first += one * precision;
            second += one * precision * precision;
        }
        if first == 0.0 {
            // Beyond all luck: as the widest luck has it.
            let widest = luck.iter().fold(0.0, |widest, (_, luck)| f64::max(widest, *luck));
            return Self { likelihood, weight: 1.0 / (variance + widest / layouts), spread: 0.0 };
        }
        let weight = first / likelihood;
        Self { likelihood, weight, spread: (second / likelihood - weight * weight).max(0.0) }
    }
}

impl<const D: usize> Gaussian<D> {
    /// A state in which only the level is known, with this variance.
    pub fn vague(level: f64, variance: f64) -> Self {
        let mut belief = Self { mean: [0.0; D], cov: [[0.0; D]; D] };
        belief.mean[LEVEL] = level;
        belief.cov[LEVEL][LEVEL] = variance;
        belief
    }

    /// The level jumps by a Gaussian of this variance.
    pub fn jumped(&self, variance: f64) -> Self {
        let mut next = *self;
        next.mean[BEFORE] = self.mean[LEVEL];
        next.cov[BEFORE] = self.cov[LEVEL];
        next.cov[BEFORE][BEFORE] = self.cov[LEVEL][LEVEL];
        for row in &mut next.cov {
            row[BEFORE] = row[LEVEL];
        }
        next.cov[LEVEL][LEVEL] += variance;
        next
    }

    /// The level goes back to the one before.
    pub fn returned(&self) -> Self {
        let mut next = *self;
        next.mean.swap(LEVEL, BEFORE);
        next.cov.swap(LEVEL, BEFORE);
        for row in &mut next.cov {
            row.swap(LEVEL, BEFORE);
        }
        next
    }

    /// The level wanders on.
    pub fn wander(&mut self, variance: f64) {
        self.cov[LEVEL][LEVEL] += variance;
    }

    /// Takes in all builds of one revision; the likelihood of what they say.
    pub fn observe(&mut self, builds: &[BuildReadings], chances: &Chances) -> f64 {
        builds.iter().fold(1.0, |all, build| f64::max(all * self.build(build, chances), UNLIKELY))
    }

    fn build(&mut self, build: &BuildReadings, chances: &Chances) -> f64 {
        if let [step] = build.steps[..] {
            self.open(&step, chances);
            let (column, variance) = self.seen(&step, false);
            let residual = step.level - self.expected(&step, false);
            let gain = Gain::of(residual, variance + step.variance, &chances.luck, build.layouts);
            self.learn(&column, residual, &gain);
            self.close(&step);
            return gain.likelihood;
        }
        let mut mixture = Mixture::<D>::at(self.mean);
        for (share, luck) in &chances.luck {
            let mut one = *self;
            one.cov[LUCK][LUCK] = luck / build.layouts;
            let mut likelihood = *share;
            for step in &build.steps {
                one.open(step, chances);
                let (column, variance) = one.seen(step, true);
                let residual = step.level - one.expected(step, true);
                let gain = Gain::of(residual, variance + step.variance, &[(1.0, 0.0)], 1.0);
                one.learn(&column, residual, &gain);
                likelihood = f64::max(likelihood * gain.likelihood, UNLIKELY);
                one.close(step);
            }
            mixture.add(likelihood, &one);
        }
        let (likelihood, merged) = mixture.merged();
        *self = merged;
        self.forget(LUCK);
        likelihood
    }

    fn open(&mut self, step: &FilterStep, chances: &Chances) {
        if D > RUNS && step.opens {
            self.forget(RUNS + step.slot);
            self.cov[RUNS + step.slot][RUNS + step.slot] = chances.run;
        }
    }

    fn close(&mut self, step: &FilterStep) {
        if D > RUNS && step.closes {
            self.forget(RUNS + step.slot);
        }
    }

    /// One of the numbers is no longer of interest.
    fn forget(&mut self, which: usize) {
        self.mean[which] = 0.0;
        self.cov[which] = [0.0; D];
        for row in &mut self.cov {
            row[which] = 0.0;
        }
    }

    fn expected(&self, step: &FilterStep, with_luck: bool) -> f64 {
        if D <= RUNS {
            return self.mean[LEVEL];
        }
        self.mean[LEVEL]
            + self.mean[RUNS + step.slot]
            + if with_luck { self.mean[LUCK] } else { 0.0 }
    }

    /// The covariances of the state with what is observed, and the variance of that.
    fn seen(&self, step: &FilterStep, with_luck: bool) -> ([f64; D], f64) {
        let mut column = [0.0; D];
        if D <= RUNS {
            for (entry, row) in column.iter_mut().zip(&self.cov) {
                *entry = row[LEVEL];
            }
            return (column, column[LEVEL]);
        }
        let slot = RUNS + step.slot;
        for (entry, row) in column.iter_mut().zip(&self.cov) {
            *entry = row[LEVEL] + row[slot] + if with_luck { row[LUCK] } else { 0.0 };
        }
        let luck = if with_luck { column[LUCK] } else { 0.0 };
        (column, column[LEVEL] + column[slot] + luck)
    }

    /// Moves to the moments of the mixture of what each size of luck would make of an observation.
    fn learn(&mut self, column: &[f64; D], residual: f64, gain: &Gain) {
        let less = gain.weight - residual * residual * gain.spread;
        for (i, row) in self.cov.iter_mut().enumerate() {
            self.mean[i] += column[i] * residual * gain.weight;
            for (entry, other) in row.iter_mut().zip(column) {
                *entry -= column[i] * other * less;
            }
        }
    }
}

/// Several beliefs, as one of the same moments.
pub(super) struct Mixture<const D: usize> {
    /// The origin of means, which prevents cancellation.
    origin: [f64; D],
    weight: f64,
    mean: [f64; D],
    square: [[f64; D]; D],
}

impl<const D: usize> Mixture<D> {
    pub fn at(origin: [f64; D]) -> Self {
        Self { origin, weight: 0.0, mean: [0.0; D], square: [[0.0; D]; D] }
    }

    pub fn add(&mut self, weight: f64, belief: &Gaussian<D>) {
        self.weight += weight;
        let mut away = belief.mean;
        for (away, origin) in away.iter_mut().zip(&self.origin) {
            *away -= origin;
        }
        for i in 0..D {
            self.mean[i] += weight * away[i];
            for j in 0..D {
                self.square[i][j] += weight * (belief.cov[i][j] + away[i] * away[j]);
            }
        }
    }

    /// The weight of all, and the belief.
    pub fn merged(&self) -> (f64, Gaussian<D>) {
        let mut belief = Gaussian { mean: self.mean, cov: self.square };
        for mean in &mut belief.mean {
            *mean /= self.weight;
        }
        for i in 0..D {
            for j in 0..D {
                belief.cov[i][j] =
                    self.square[i][j] / self.weight - belief.mean[i] * belief.mean[j];
            }
        }
        for (mean, origin) in belief.mean.iter_mut().zip(&self.origin) {
            *mean += origin;
        }
        (self.weight, belief)
    }
}
