//! The random length of an environment.
//!
//! The environment is above the stack, so that its length moves the stack, and with it the
//! placement of data in caches and pages: a program may become several per cent slower by the
//! length of a user's name. Mytkowicz, Diwan, Hauswirth & Sweeney, "Producing Wrong Data Without
//! Doing Anything Obviously Wrong!", ASPLOS 2009.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_record::Place;

/// The variable that makes it longer.
pub const NAME: &str = "TACHO_PADDING";

/// The longest value: the stack moves over all places in a page.
pub const LONGEST: usize = 4095;

/// The distribution of lengths.
#[derive(Clone, Copy, Debug)]
pub struct Padding {
    /// The seed of the run.
    pub seed: u64,
}

impl Padding {
    /// The variable for the execution at that place, and how long its value is, in bytes: a
    /// function of the seed and the place alone, so that a resumed run continues as it would have.
    pub fn variable(self, place: Place) -> (&'static str, usize) {
        let mut generator = ChaCha8Rng::seed_from_u64(self.seed);
        // Streams of their own, beside those that order the rounds.
        generator.set_stream(1 << 63 | u64::from(place.round) << 31 | u64::from(place.position));
        (NAME, generator.random_range(0..=LONGEST))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn lengths_are_anything_and_repeat() {
        let length = |seed, round, position| Padding { seed }.variable(Place { round, position }).1;
        let lengths: Vec<usize> = (0..40)
            .flat_map(|round| (0..40).map(move |position| length(7, round, position)))
            .collect();
        assert!(lengths.iter().all(|length| *length <= LONGEST));
        assert!(lengths.iter().collect::<BTreeSet<_>>().len() > 1200, "of 4096, drawn 1600 times");
        // Uniform: 2047.5 on average, with a standard error of 1182 / 40.
        let mean = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
        assert!((mean - 2047.5).abs() < 4.0 * 29.6, "{mean}");
        assert_eq!(length(7, 3, 5), lengths[3 * 40 + 5]);
        assert_ne!(length(8, 3, 5), lengths[3 * 40 + 5]);
    }
}
