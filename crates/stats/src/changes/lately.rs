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

/// What such a level must tell, in twice the log likelihood: where values seldom are far off, and where they are more often.
/// Calibrated, so that of 200 series without a change one is told here at most.
const LEAST: (f64, f64) = (11.5, 14.5);

/// Beyond so many standard deviations of the usual ones a value is far off,
const FAR: f64 = 3.0;
/// which at most this share of them seldom is.
const SELDOM: f64 = 0.01;

/// How many values say how wide the noise is right now.
const NOW: usize = 50;
/// Where they lie no wider than this, it is as it was.
const EVEN: f64 = 1.1;

/// No noise is taken for narrower than this, in standard deviations.
const NARROWEST: f64 = 0.05;

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
    let before = Before::of(judge, &choice.places[..known]);
    let sd = |i: usize| judge.series.sd[i] * before.wider;
    let away: Vec<f64> = (n - LONGEST..n).map(|i| (raw[i] - level) / sd(i)).collect();
    let late = likeliest(&away, density);
    if late.told < (if before.far <= SELDOM { LEAST.0 } else { LEAST.1 }) {
        return if known < choice.places.len() { judge.at(&choice.places[..known]) } else { choice };
    }
    let place = n - LONGEST + begin(&away, density, late.size);
    let mut choice = judge.at(&[&choice.places[..known], &[place]].concat());
    choice.late = Some(late.told);
    if let Some(step) = choice.steps.last_mut().filter(|_| !judge.one_level) {
        // Values at another mode were moved to where they would be without it: they do not say how large the step is.
        (step.before, step.difference) = (level, late.size * sd(n - 1));
    }
    choice
}

/// The values before the last ones.
struct Before {
    /// The share of them that are far off.
    far: f64,
    /// How many times wider they lie right before than until then; 1 where they hardly do.
    wider: f64,
}

impl Before {
    fn of(judge: &Judge, places: &[usize]) -> Self {
        let mut standard = judge.standard(places);
        standard.truncate(standard.len() - LONGEST);
        // What is masked is no number.
        let near = standard.iter().filter(|x| x.abs() <= FAR).count();
        let far = 1.0 - near as f64 / standard.len() as f64;
        let Some(until) = standard.len().checked_sub(NOW).filter(|until| *until >= NOW) else {
            return Self { far, wider: 1.0 };
        };
        let (before, now) = standard.split_at(until);
        Self { far, wider: (mean(now) / mean(before).max(NARROWEST) / EVEN).max(1.0) }
    }
}

/// The mean distance of what is a number, none further than what is far off.
fn mean(standard: &[f64]) -> f64 {
    let distances = standard.iter().filter(|x| !x.is_nan()).map(|x| x.abs().min(FAR));
    let (sum, count) = distances.fold((0.0, 0.0), |(sum, count), distance| (sum + distance, count + 1.0));
    if count > 0.0 { sum / count } else { 1.0 }
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

#[cfg(test)]
mod tests {
    use super::LEAST;

    #[test]
    fn what_is_asked_is_that_of_the_method() {
        let said = format!("must tell {}, and {} where more than 1 %", LEAST.0, LEAST.1);
        assert!(
            include_str!("../../../../docs/method.md").contains(&said),
            "docs/method.md does not say `{said}`"
        );
    }
}
