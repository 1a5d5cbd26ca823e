//! A level that begins within the last few values, where it is known how the noise is distributed.
//!
//! [`super::tail`] judges it where it is not: in few values, and among slow noise.

use super::choose::{Choice, Judge};
use super::density::Density;
use super::levels::Levels;
use super::locate;
use super::tail::{self, BEFORE, LONGEST};

/// How many values there must be at the level.
const SHORTEST: usize = 3;

/// So many sizes of a step are tried to each side,
const SIZES: i32 = 40;
/// so many standard deviations apart.
const FINE: f64 = 0.25;

/// What such a level must tell, in twice the log likelihood: in Gaussian noise, and in other. Calibrated, so that of 200 series
/// without a change one is told here.
const LEAST: (f64, f64) = (11.5, 12.5);

/// A level of the last values, and what it tells.
struct Late {
    told: f64,
    /// In standard deviations.
    size: f64,
}

/// The changes with one within the last few values where they tell of it, and without one where they do not.
pub(super) fn judged(judge: &Judge, choice: Choice, raw: &[f64], density: &Density) -> Choice {
    let n = raw.len();
    let known = choice.places.partition_point(|&place| !tail::is_tail(judge.series, place));
    let start = known.checked_sub(1).map_or(0, |last| choice.places[last]);
    if n - start < BEFORE + LONGEST {
        return choice;
    }
    let level = Levels::means(judge.series, &[start, n - LONGEST], judge.masked).at(n - LONGEST - 1);
    let away: Vec<f64> = (n - LONGEST..n).map(|i| (raw[i] - level) / judge.series.sd[i]).collect();
    let late = likeliest(&away, density);
    let least = if density.is_plain { LEAST.0 } else { LEAST.1 };
    if late.told < least {
        return if known < choice.places.len() { judge.at(&choice.places[..known]) } else { choice };
    }
    let place = n - LONGEST + begin(&away, density, late.size);
    let mut choice = judge.at(&[&choice.places[..known], &[place]].concat());
    choice.late = Some(late.told);
    if let Some(step) = choice.steps.last_mut().filter(|_| !judge.one_level) {
        // Values at another mode were moved to where they would be without it: they do not say how large the step is.
        (step.before, step.difference) = (level, late.size * judge.series.sd[n - 1]);
    }
    choice
}

/// The level that explains the last values best.
fn likeliest(away: &[f64], density: &Density) -> Late {
    let mut best = Late { told: 0.0, size: 0.0 };
    for size in (-SIZES..=SIZES).map(|size| f64::from(size) * FINE) {
        let mut told = 0.0;
        for begin in (0..away.len()).rev() {
            told += 2.0 * (density.ln(away[begin] - size) - density.ln(away[begin]));
            if begin + SHORTEST <= away.len() && told > best.told {
                best = Late { told, size };
            }
        }
    }
    best
}

/// Where a level of this size most often begins.
fn begin(away: &[f64], density: &Density, size: f64) -> usize {
    let mut told = 0.0;
    let places = away[..away.len() - SHORTEST].iter().map(|x| {
        let here = told;
        told += density.ln(*x) - density.ln(x - size);
        here
    });
    let mut all: Vec<f64> = places.collect();
    all.push(told);
    locate::middle(&all)
}
