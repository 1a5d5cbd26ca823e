//! How often a host is believed to drift that does, or does not, and what is made of builds meanwhile; simulated.

use super::host::Host;
use super::world::{Scatter, World, bisect, observe};
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

/// What some builds are measured in turn on such a host, three samples each time, every build costing time when it is new.
fn seen(
    scatter: Scatter,
    slower: Option<(usize, f64)>,
    layout: &[f64],
    turns: &[usize],
    seed: u64,
) -> Record {
    let mut world = World::new(layout.len(), 0.0, scatter, seed);
    world.layout = layout.to_vec();
    world.slower = slower;
    let mut record = Record::default();
    for &revision in turns {
        record.add(&observe(&mut world, Portion { revision, samples: 3 }), &Rules::default());
    }
    record
}

const LAYOUT: [f64; 6] = [0.0, 0.01, -0.01, 0.03, 0.0, 0.02];

/// Each build a while after the others, the first and the last again and again.
const TURNS: [usize; 14] = [0, 5, 5, 0, 1, 0, 2, 5, 3, 0, 4, 5, 3, 2];

fn host(record: &Record) -> Host {
    Host::of(&[0, 1, 2, 3, 4, 5], 0.2, 1e-5, record)
}

#[test]
fn a_host_that_stays_is_taken_for_one() {
    let moved = |seed| host(&seen(Scatter::Gaussian(0.01), None, &LAYOUT, &TURNS, seed)).moved > 0.5;
    assert!((0..100).filter(|seed| moved(*seed)).count() <= 3);
    let exact = host(&seen(Scatter::None, None, &LAYOUT, &TURNS, 1));
    let fit = &exact.fits[0];
    assert!(exact.moved < 0.5, "{exact:?}");
    assert!(fit.levels.iter().zip(&LAYOUT).all(|(level, layout)| (level - layout).abs() < 1e-6), "{fit:?}");
}

#[test]
fn levels_are_told_beside_a_host_that_moves_and_how_sure_they_are() {
    let slower = Some((21, 0.1));
    for (scatter, slower) in
        [(Scatter::Gaussian(0.01), slower), (Scatter::Drifting(0.03), None), (Scatter::Drifting(0.1), None)]
    {
        let (mut moved, mut off, mut levels) = (0, 0.0, 0.0);
        for seed in 0..60 {
            let host = host(&seen(scatter, slower, &LAYOUT, &TURNS, seed));
            moved += usize::from(host.moved > 0.5);
            let fit = &host.fits[0];
            for (at, layout) in LAYOUT.iter().enumerate().skip(1) {
                let error = fit.levels[at] - layout;
                off += (error * error / fit.covariance[at * LAYOUT.len() + at]).min(25.0);
                levels += 1.0;
                assert!(slower.is_none() || error.abs() < 0.05, "{seed} {at} {fit:?}");
            }
        }
        // The mean of squares of standard normal numbers is 1.
        let mean: f64 = off / levels;
        assert!(moved >= 51 && (0.6..1.6).contains(&mean), "{scatter:?}: {moved} of 60, {mean}");
    }
}

#[test]
fn builds_are_not_said_to_vary_where_the_host_moves() {
    let rules = Rules { least: 0.05, ..Rules::default() };
    let jumping = |seed| {
        let mut world = World::new(256, 0.05, Scatter::Gaussian(0.01), seed);
        world.slower = Some((20, 0.1));
        world
    };
    let drifting = |seed| World::new(256, 0.05, Scatter::Drifting(0.03), seed);
    for make in [&jumping as &dyn Fn(u64) -> World, &drifting] {
        let (mut right, mut wrong) = (0, 0);
        for seed in 0..40 {
            let mut world = make(seed);
            let named = bisect(&mut world, rules).culprits.first().map(|of| of.revision);
            right += usize::from(named == Some(world.steps[0].0));
            wrong += usize::from(named.is_some_and(|at| at != world.steps[0].0));
        }
        assert!(right >= 38 && wrong == 0, "{right} {wrong}");
    }
}

/// Of the ends nothing but outliers is seen once new builds are measured.
#[test]
fn outliers_of_both_ends_are_no_host_that_jumps() {
    let ends = [0, 5, 5, 0, 0, 5, 5, 0, 0, 5].map(|at| (at, 0.0));
    let later = [(1, 0.0), (1, 0.0), (0, 0.47), (2, 0.0), (2, 0.0), (3, 0.0), (5, 0.47), (3, 0.0), (4, 0.0)];
    let last = [(4, 0.0), (0, 0.47), (2, 0.0), (3, 0.0), (3, 0.0), (2, 0.0)];
    let mut record = Record::default();
    for (place, (revision, far)) in ends.into_iter().chain(later).chain(last).enumerate() {
        // Noise of about 1 %, without a generator.
        let noise = 0.035 * (((place * 7919) % 101) as f64 / 101.0 - 0.5);
        let level = if revision >= 3 { 0.05 } else { 0.0 };
        let seen = Seen::Samples(vec![100.0 * f64::exp(level + noise + far)]);
        record.add(&Observation { revision, seen, build: None, executing: 1.0 }, &Rules::default());
    }
    let host = host(&record);
    assert!(host.moved < 0.5, "{host:?}");
}
