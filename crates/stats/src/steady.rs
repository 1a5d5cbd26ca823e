//! Whether the successive executions of a program reach a steady state, and where it begins.
//!
//! The classes are those of Barrett, Bolz-Tereick, Killick, Mount & Tratt, "Virtual Machine Warmup
//! Blows Hot and Cold", OOPSLA (2017), 4; the places where the level changes are those of
//! [`phases`]. The rules are in `docs/src/method/warmup.md`, "Detected warmup".

use std::ops::Range;

use crate::changes::{differ, phases};
use crate::summary::median;

/// The level must be the same for at least this share of the sequence, at its end.
pub const STEADY_SHARE: f64 = 0.25;

/// A sequence of more values is judged by medians of several where no more is asked than whether it
/// is steady.
pub const MOST: usize = 300;

/// How a sequence goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelCourse {
    /// The sequence begins at the level of its end.
    Flat,
    /// The level changes too near to the end to say that it stays.
    NoSteadyState,
    /// The sequence begins at a better level than its end.
    Slowdown,
    /// The sequence begins at a worse level than its end, and no level was better than the end.
    WarmUp,
}

/// A part of a sequence whose level does not change.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelPhase {
    /// The range of values.
    pub range: Range<usize>,
    /// Their median.
    pub level: f64,
}

/// The phases of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct SteadyState {
    /// How it goes.
    pub course: LevelCourse,
    /// Its parts, in order.
    pub phases: Vec<LevelPhase>,
    /// How many values come before the steady state; 0 if there is none.
    pub before: usize,
}

/// The phases of these values of successive executions of one program; `less_is_better` is the
/// metric's direction.
///
/// The steady state begins with the first phase that cannot be distinguished from the last one:
/// what disturbed the middle of a sequence does not make a warmup of its beginning.
#[must_use]
pub fn steadiness(values: &[f64], less_is_better: bool) -> SteadyState {
    let found = phases(values);
    let phase = |range: &Range<usize>| {
        let level = median(&values[range.clone()]).unwrap_or(f64::NAN);
        LevelPhase { range: range.clone(), level }
    };
    let phases: Vec<LevelPhase> = found.iter().map(phase).collect();
    let (course, before) = match phases.as_slice() {
        [] | [_] => (LevelCourse::Flat, 0),
        [.., last] if (last.range.len() as f64) < STEADY_SHARE * values.len() as f64 => {
            (LevelCourse::NoSteadyState, 0)
        }
        [before @ .., last] => begin(values, before, last, less_is_better),
    };
    SteadyState { course, phases, before }
}

/// How many of the last values are at a level that does not last long enough to be called steady,
/// if they are.
///
/// As [`steadiness`] has it, but a long sequence is judged by the medians of this many values in
/// a row that at most [`MOST`] are left: enough to see a level of a quarter of them, and quick
/// after any number of executions.
#[must_use]
pub fn unsteady(values: &[f64]) -> Option<usize> {
    let together = values.len().div_ceil(MOST).max(1);
    let medians = values.chunks(together).map(|some| median(some).unwrap_or(f64::NAN));
    let found = steadiness(&medians.collect::<Vec<f64>>(), true);
    let last = found.phases.last().filter(|_| found.course == LevelCourse::NoSteadyState)?;
    Some(values.len() - last.range.start * together)
}

/// How a sequence with a steady state goes, and where that begins.
fn begin(
    values: &[f64],
    before: &[LevelPhase],
    last: &LevelPhase,
    less_is_better: bool,
) -> (LevelCourse, usize) {
    let steady = &values[last.range.clone()];
    let like_last = |phase: &&LevelPhase| !differ(&values[phase.range.clone()], steady);
    let first = before.iter().find(like_last).unwrap_or(last).range.start;
    let mut earlier = before.iter().take_while(|phase| phase.range.start < first);
    let course = if first == 0 {
        LevelCourse::Flat
    } else if earlier.any(|phase| (phase.level < last.level) == less_is_better) {
        LevelCourse::Slowdown
    } else {
        LevelCourse::WarmUp
    };
    (course, first)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::draw::gaussian;

    /// Levels, each for this many executions, with noise of 1 %.
    fn sequence(rng: &mut ChaCha8Rng, levels: &[(usize, f64)]) -> Vec<f64> {
        let levels = levels.iter().flat_map(|&(number, level)| std::iter::repeat_n(level, number));
        levels.map(|level| level * (1.0 + 0.01 * gaussian(rng))).collect()
    }

    fn of(levels: &[(usize, f64)]) -> (LevelCourse, usize) {
        let values = sequence(&mut ChaCha8Rng::seed_from_u64(3), levels);
        let found = steadiness(&values, true);
        (found.course, found.before)
    }

    #[test]
    fn two_boosted_executions_come_before_the_steady_state() {
        assert_eq!(of(&[(2, 92.0), (10, 100.0)]), (LevelCourse::Slowdown, 2));
        assert_eq!(of(&[(2, 108.0), (10, 100.0)]), (LevelCourse::WarmUp, 2));
        let values = sequence(&mut ChaCha8Rng::seed_from_u64(3), &[(2, 92.0), (10, 100.0)]);
        assert_eq!(steadiness(&values, false).course, LevelCourse::WarmUp, "where more is better");
    }

    #[test]
    fn the_course_has_its_name() {
        assert_eq!(of(&[(30, 100.0)]), (LevelCourse::Flat, 0));
        assert_eq!(of(&[(1, 150.0), (29, 100.0)]), (LevelCourse::WarmUp, 1));
        assert_eq!(of(&[(6, 130.0), (6, 115.0), (30, 100.0)]), (LevelCourse::WarmUp, 12));
        assert_eq!(of(&[(6, 130.0), (6, 90.0), (30, 100.0)]), (LevelCourse::Slowdown, 12));
        assert_eq!(of(&[(40, 100.0), (6, 120.0)]), (LevelCourse::NoSteadyState, 0));
    }

    #[test]
    fn a_disturbance_does_not_make_a_warm_up_of_what_was_before() {
        assert_eq!(of(&[(40, 100.0), (8, 130.0), (40, 100.0)]), (LevelCourse::Flat, 0));
        assert_eq!(
            of(&[(3, 140.0), (40, 100.0), (8, 130.0), (40, 100.0)]),
            (LevelCourse::WarmUp, 3)
        );
    }

    #[test]
    fn what_cannot_be_told_is_flat() {
        for values in
            [&[][..], &[1.0], &[9.0, 1.0, 1.0], &[5.0; 12], &[0.0, -1.0, 1.0, 0.0, 2.0, 1.0, 0.5]]
        {
            assert_eq!(steadiness(values, true).course, LevelCourse::Flat, "{values:?}");
        }
    }

    #[test]
    fn a_long_sequence_is_unsteady_where_its_last_level_is_short() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for length in [40, 300, 301, 1000, 5000] {
            let short = length / 8;
            let values = sequence(&mut rng, &[(length - short, 100.0), (short, 104.0)]);
            let last = unsteady(&values).unwrap_or_default();
            assert!(last.abs_diff(short) <= 2 * length.div_ceil(MOST), "{length}: {last}");
            assert_eq!(unsteady(&sequence(&mut rng, &[(length, 100.0)])), None, "{length}");
            let long = length / 3;
            assert_eq!(
                unsteady(&sequence(&mut rng, &[(length - long, 100.0), (long, 104.0)])),
                None
            );
        }
        assert_eq!(unsteady(&[]), None);
    }

    #[test]
    fn a_flat_long_sequence_is_seldom_unsteady() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let mut noise = || {
            (0.2 * gaussian(&mut rng)).exp() + if rng.random::<f64>() < 0.03 { 1.0 } else { 0.0 }
        };
        let is_unsteady =
            |_: &usize| unsteady(&(0..1000).map(|_| noise()).collect::<Vec<f64>>()).is_some();
        let found = (0..200).filter(is_unsteady).count();
        println!("{found} of 200");
        assert!(found <= 4, "{found} of 200");
    }

    /// How often sequences of that noise are cut although nothing changes.
    fn cut(length: usize, noise: impl Fn(&mut ChaCha8Rng) -> f64) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let is_cut = |_: &usize| {
            let values: Vec<f64> = (0..length).map(|_| noise(&mut rng)).collect();
            steadiness(&values, true).course != LevelCourse::Flat
        };
        (0..400).filter(is_cut).count() as f64 / 400.0
    }

    #[test]
    fn flat_sequences_are_cut_as_seldom_as_is_said() {
        for length in [10, 30, 100] {
            let gaussian_cut = cut(length, |rng| 100.0 + gaussian(rng));
            let lognormal = cut(length, |rng| (0.2 * gaussian(rng)).exp());
            // Of ten executions one is disturbed, by up to 10 %.
            let disturbed = cut(length, |rng| {
                let is_disturbed = rng.random::<f64>() < 0.1;
                100.0 + gaussian(rng) + if is_disturbed { 10.0 * rng.random::<f64>() } else { 0.0 }
            });
            let before = std::cell::Cell::new(0.0);
            let wandering = cut(length, |rng| {
                before.set(0.5 * before.get() + gaussian(rng));
                100.0 + before.get()
            });
            // 1 %, 6 % and 8 %, and two standard errors of 400 sequences.
            assert!(
                gaussian_cut <= 0.02 && lognormal <= 0.02,
                "{length}: {gaussian_cut} {lognormal}"
            );
            assert!(disturbed <= 0.085 && wandering <= 0.107, "{length}: {disturbed} {wandering}");
        }
    }

    #[test]
    fn a_warm_up_is_found_as_often_as_is_said() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for (levels, least) in [
            ([(2, 95.0), (8, 100.0)], 0.6),
            ([(2, 90.0), (18, 100.0)], 0.9),
            ([(1, 110.0), (9, 100.0)], 0.9),
        ] {
            let found = (0..200)
                .filter(|_| steadiness(&sequence(&mut rng, &levels), true).before == levels[0].0);
            let share = found.count() as f64 / 200.0;
            assert!(share >= least, "{levels:?}: {share}");
        }
    }
}
