//! How often a host is believed to drift that does, or does not; simulated.

use super::world::{Scatter, World, bisect};
use super::*;

/// From here on it is said.
const SAID: f64 = 0.995;

/// In how many of so many bisections of one step it is.
fn said(trials: u64, step: f64, scatter: Scatter) -> usize {
    let rules = Rules { least: step, builds: Builds::Alike, ..Rules::default() };
    let drift = |seed| bisect(&mut World::new(50, step, scatter, seed), rules).drift;
    (0..trials).filter(|seed| drift(*seed) > SAID).count()
}

#[test]
fn plain_noise_is_not_told_as_drift() {
    // At most one of a hundred: of 240, with chance, four.
    let all = [Scatter::Gaussian(0.01), Scatter::Gaussian(0.03)].map(|scatter| said(120, 0.05, scatter));
    assert!(all.iter().sum::<usize>() <= 4, "{all:?}");
}

#[test]
fn a_host_that_drifts_far_is_told_now_and_then() {
    let drifting = said(30, 0.2, Scatter::Drifting(0.1));
    assert!(drifting >= 6, "{drifting}");
}
