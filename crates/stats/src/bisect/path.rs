//! Levels of builds and the path of the host's own level, by weighted least squares.
//!
//! Noise has tails, so that what lies far off counts less (Lange, Little & Taylor, JASA 84, 1989). The path is eliminated first, whose matrix has three
//! diagonals; what is left is as large as there are builds.

use std::ops::Range;

use super::filter::Tail;
use super::record::Reading;

/// What was seen of some builds, in order.
pub(super) struct Seen {
    readings: Vec<One>,
    /// How much time lies between a place of the path and the one before.
    elapsed: Vec<f64>,
    builds: usize,
    /// So many readings share a place.
    share: usize,
    /// So far apart levels may be.
    far: f64,
}

struct One {
    /// None: that of which all others are told.
    build: Option<usize>,
    /// Its value, above the first one's.
    value: f64,
    /// Of the path.
    place: usize,
}

/// How a host moves: by so much in the time of a sample, as a variance; and at which place it jumps.
#[derive(Clone, Copy)]
pub(super) struct Moves {
    pub(super) walk: f64,
    pub(super) jump: Option<usize>,
}

/// What is estimated.
pub(super) struct Estimate {
    /// Of each build, above the first.
    pub(super) levels: Vec<f64>,
    /// Of these, row by row.
    pub(super) covariance: Vec<f64>,
    pub(super) ln_evidence: f64,
}

/// A path has no more places than this: then several readings that follow each other share one.
const PLACES: usize = 128;

/// So often what lies far off is weighed anew, until no weight moves by more than this.
const ROUNDS: usize = 8;
const SETTLED: f64 = 0.01;

impl Seen {
    pub(super) fn of(revisions: &[usize], far: f64, readings: &[Reading]) -> Self {
        let of =
            |reading: &Reading| Some((revisions.iter().position(|at| *at == reading.revision)?, *reading));
        let all: Vec<(usize, Reading)> = readings.iter().filter_map(of).collect();
        let share = all.len().div_ceil(PLACES).max(1);
        let starts: Vec<f64> = all.iter().step_by(share).map(|of| of.1.time).collect();
        let first = all.first().map_or(0.0, |of| of.1.value);
        let value = |(rank, (build, reading)): (usize, &(usize, Reading))| One {
            build: build.checked_sub(1),
            value: reading.value - first,
            place: rank / share,
        };
        Self {
            readings: all.iter().enumerate().map(value).collect(),
            elapsed: starts.windows(2).map(|pair| (pair[1] - pair[0]).max(f64::EPSILON)).collect(),
            builds: revisions.len(),
            share,
            far,
        }
    }

    /// Of the path.
    pub(super) fn places(&self) -> usize {
        self.elapsed.len() + 1
    }

    /// The places of the path that have so many readings before them, and from them on.
    pub(super) fn inner(&self, readings: usize) -> Range<usize> {
        let last = self.readings.len().saturating_sub(1);
        let place = |rank: usize| self.readings.get(rank.min(last)).map_or(0, |of| of.place);
        let from = place(readings + self.share - 1);
        from..(place(self.readings.len().saturating_sub(readings)) + 1).max(from)
    }

    /// With noise of this scale and these tails.
    pub(super) fn estimate(&self, scale: f64, tail: Tail, moves: Moves) -> Estimate {
        let (noise, variances) = (scale * scale, self.variances(moves));
        let (solved, weights) = self.settle(noise, tail, &variances);
        let by_noise: f64 = self.residuals(&solved).map(|off| tail.ln_density(off, noise, 0.0)).sum();
        let steps = solved.path.windows(2).map(|pair| pair[1] - pair[0]);
        let by_path: f64 =
            steps.zip(&variances).map(|(by, variance)| by * by / variance + variance.ln()).sum();
        let by_levels = solved.levels.iter().map(|level| level * level).sum::<f64>() / self.apart();
        // What tails take from the weights, on average.
        let told: Vec<f64> = weights.iter().map(|weight| weight / tail.price()).collect();
        let known = self.solve(&told, noise, &variances);
        Estimate {
            levels: solved.levels,
            covariance: known.covariance,
            ln_evidence: by_noise - 0.5 * (by_levels + by_path + known.ln_determinant),
        }
    }

    /// Weighs what lies far off less, until that changes nothing more; and the weights.
    fn settle(&self, noise: f64, tail: Tail, variances: &[f64]) -> (Solved, Vec<f64>) {
        let mut weights = vec![1.0; self.readings.len()];
        let mut solved = self.solve(&weights, noise, variances);
        for _ in 0..ROUNDS {
            let new: Vec<f64> = self.residuals(&solved).map(|off| tail.pull(off * off / noise)).collect();
            let moved = new.iter().zip(&weights).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
            weights = new;
            solved = self.solve(&weights, noise, variances);
            if moved < SETTLED {
                break;
            }
        }
        (solved, weights)
    }

    /// How far levels are apart beforehand, as a variance: a host that jumps does not make up for many builds that are far off.
    fn apart(&self) -> f64 {
        self.far * self.far / 4.0
    }

    /// Of what the path moves by, from place to place.
    fn variances(&self, moves: Moves) -> Vec<f64> {
        let of = |(before, elapsed): (usize, &f64)| {
            let jump = if moves.jump == Some(before + 1) { self.far * self.far } else { 0.0 };
            moves.walk * elapsed + jump
        };
        self.elapsed.iter().enumerate().map(of).collect()
    }

    fn residuals(&self, solved: &Solved) -> impl Iterator<Item = f64> {
        let level = |of: &One| solved.levels[of.build.map_or(0, |build| build + 1)];
        self.readings.iter().map(move |of| of.value - solved.path[of.place] - level(of))
    }

    fn solve(&self, weights: &[f64], noise: f64, variances: &[f64]) -> Solved {
        let free = self.builds - 1;
        let width = free + 1;
        let (mut diagonal, held, mut levels) = self.sums(weights, noise);
        let mut columns = held.clone();
        let ln_of_path = eliminate(&mut diagonal, &mut columns, variances, width);
        for (held, told) in held.chunks(width).zip(columns.chunks(width)) {
            for build in (0..free).filter(|build| held[build + 1] > 0.0) {
                levels.right[build] -= held[build + 1] * told[0];
                let row = levels.normal[build * free..][..free].iter_mut();
                row.zip(&told[1..]).for_each(|(normal, told)| *normal -= held[build + 1] * told);
            }
        }
        let (above, inverse, ln_of_levels) = levels.solve();
        let of_builds =
            |told: &[f64]| told[1..].iter().zip(&above).map(|(told, level)| told * level).sum::<f64>();
        Solved {
            path: columns.chunks(width).map(|told| told[0] - of_builds(told)).collect(),
            levels: std::iter::once(0.0).chain(above.iter().copied()).collect(),
            covariance: with_first(&inverse, free),
            ln_determinant: ln_of_path + ln_of_levels,
        }
    }

    /// The normal equations: the diagonal of the path; of each of its places the values, then one column of each build; and those of the levels.
    fn sums(&self, weights: &[f64], noise: f64) -> (Vec<f64>, Vec<f64>, Levels) {
        let (free, places) = (self.builds - 1, self.places());
        let width = free + 1;
        let mut columns = vec![0.0; places * width];
        let mut diagonal = vec![0.0; places];
        diagonal[0] = 1.0 / (LOOSE * self.far * self.far);
        let mut levels = Levels { normal: vec![0.0; free * free], right: vec![0.0; free] };
        levels.normal.iter_mut().step_by(width).for_each(|of| *of = 1.0 / self.apart());
        for (of, weight) in self.readings.iter().zip(weights) {
            let weight = weight / noise;
            diagonal[of.place] += weight;
            columns[of.place * width] += weight * of.value;
            if let Some(build) = of.build {
                columns[of.place * width + 1 + build] += weight;
                levels.normal[build * width] += weight;
                levels.right[build] += weight * of.value;
            }
        }
        (diagonal, columns, levels)
    }
}

/// Beforehand the path begins within so many times of how far levels may be apart, as a variance: anywhere.
const LOOSE: f64 = 100.0;

struct Solved {
    path: Vec<f64>,
    levels: Vec<f64>,
    covariance: Vec<f64>,
    ln_determinant: f64,
}

/// What remains to be solved once the path is eliminated.
struct Levels {
    normal: Vec<f64>,
    right: Vec<f64>,
}

impl Levels {
    /// The levels, the inverse, and the logarithm of the determinant (Gauss & Jordan; the matrix is positive).
    fn solve(mut self) -> (Vec<f64>, Vec<f64>, f64) {
        let size = self.right.len();
        let mut ln_determinant = 0.0;
        for pivot in 0..size {
            let by = std::mem::replace(&mut self.normal[pivot * size + pivot], 1.0);
            ln_determinant += by.ln();
            for of in &mut self.normal[pivot * size..][..size] {
                *of /= by;
            }
            let of_pivot = self.normal[pivot * size..][..size].to_vec();
            for row in (0..size).filter(|row| *row != pivot) {
                let row = &mut self.normal[row * size..][..size];
                let factor = std::mem::replace(&mut row[pivot], 0.0);
                row.iter_mut().zip(&of_pivot).for_each(|(of, pivot)| *of -= factor * pivot);
            }
        }
        let rows = (0..size).map(|row| &self.normal[row * size..][..size]);
        let levels = rows.map(|row| row.iter().zip(&self.right).map(|(of, right)| of * right).sum());
        (levels.collect(), self.normal, ln_determinant)
    }
}

/// Solves for the path, of which only places that follow each other hang together; the logarithm of the determinant.
fn eliminate(diagonal: &mut [f64], columns: &mut [f64], variances: &[f64], width: usize) -> f64 {
    for (before, variance) in variances.iter().enumerate() {
        diagonal[before] += 1.0 / variance;
        diagonal[before + 1] += 1.0 / variance;
    }
    for (before, variance) in variances.iter().enumerate() {
        let factor = 1.0 / variance / diagonal[before];
        diagonal[before + 1] -= factor / variance;
        let (earlier, later) = columns[before * width..].split_at_mut(width);
        later.iter_mut().zip(earlier).for_each(|(later, earlier)| *later += factor * *earlier);
    }
    for place in (0..diagonal.len()).rev() {
        let (here, later) = columns[place * width..].split_at_mut(width);
        let beside = variances.get(place).map_or(0.0, |variance| 1.0 / variance);
        for (rank, here) in here.iter_mut().enumerate() {
            let told = if beside > 0.0 { beside * later[rank] } else { 0.0 };
            *here = (*here + told) / diagonal[place];
        }
    }
    diagonal.iter().map(|of| of.ln()).sum()
}

/// The covariance of all levels, of which the first is known.
fn with_first(inverse: &[f64], free: usize) -> Vec<f64> {
    let builds = free + 1;
    let mut all = vec![0.0; builds * builds];
    for row in 0..free {
        all[(row + 1) * builds + 1..][..free].copy_from_slice(&inverse[row * free..][..free]);
    }
    all
}
