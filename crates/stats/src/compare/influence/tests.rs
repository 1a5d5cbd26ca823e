//! What does not matter is reported as seldom as said, and what does is reported.

use rand::RngExt;

use super::super::noise::RatioNoise;
use super::*;
use crate::draw::gaussian;

/// Programs in rounds of random order, the `heavy` one slowing its successor by this.
fn executed(
    noise: RatioNoise,
    rounds: usize,
    carried: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<(u32, f64)> {
    let mut order: Vec<u32> = Vec::new();
    for _ in 0..rounds {
        let mut round = [0, 1, 2];
        for last in (1..3).rev() {
            round.swap(last, rng.random_range(0..=last));
        }
        order.extend(round);
    }
    let after_heavy = |slot: usize| slot > 0 && order[slot - 1] == 0;
    let takes = |slot: usize| {
        let speed = [300.0, 20.0, 50.0][order[slot] as usize];
        if after_heavy(slot) { speed * (1.0 + carried) } else { speed }
    };
    order.iter().copied().zip(noise.session(order.len(), rng, takes)).collect()
}

#[test]
fn without_an_influence_one_is_seen_as_seldom_as_said() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for noise in [RatioNoise::Gaussian, RatioNoise::Autocorrelated, RatioNoise::Spikes] {
        let trials = 300;
        let seen = (0..trials).filter(|&trial| {
            let placed = after_predecessors(&executed(noise, 15, 0.0, &mut rng));
            Influence::of(&placed, trial).unwrap().p <= 0.05
        });
        let rate = seen.count() as f64 / trials as f64;
        // 5 %, and two standard errors of 300 trials.
        assert!(rate <= 0.075, "{noise:?}: {rate}");
    }
}

/// A heavy program, so often in a round, and a light one, which takes so many times as long after
/// the heavy one.
fn heavy_and_light(
    noise: RatioNoise,
    (heavy, rounds): (usize, usize),
    times: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<(u32, f64)> {
    let mut order: Vec<u32> = Vec::new();
    for _ in 0..rounds {
        let mut round = vec![0; heavy];
        round.push(1);
        for last in (1..round.len()).rev() {
            round.swap(last, rng.random_range(0..=last));
        }
        order.extend(round);
    }
    let takes = |slot: usize| match order[slot] {
        0 => 300.0,
        _ if slot > 0 && order[slot - 1] == 0 => 20.0 * times,
        _ => 20.0,
    };
    order.iter().copied().zip(noise.session(order.len(), rng, takes)).collect()
}

/// How often it is told with a chance of 1 % for a false word that something differs after the
/// heavy one.
fn told_of(noise: RatioNoise, heavy: usize, rounds: usize, times: f64) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let trials = 200;
    let detected = (0..trials).filter(|&trial| {
        let placed = after_predecessors(&heavy_and_light(noise, (heavy, rounds), times, &mut rng));
        Influence::of(&placed, trial)
            .is_some_and(|it| it.p <= 0.01 && (times == 1.0 || it.strongest.beside == 0))
    });
    let rate = detected.count() as f64 / trials as f64;
    println!("{noise:?}, {heavy} heavy, {rounds} rounds, {times}: {rate}");
    rate
}

#[test]
fn what_only_the_light_program_feels_is_told() {
    // Side by side a light program follows itself in one of four rounds.
    assert!(told_of(RatioNoise::Gaussian, 1, 30, 1.1) >= 0.97);
    assert!(told_of(RatioNoise::Spikes, 1, 30, 1.1) >= 0.8, "its own spikes are as large");
    // Beside a heavy one and its control in one of nine: with one such round or none nothing can be
    // told.
    assert!(told_of(RatioNoise::Gaussian, 2, 30, 1.1) >= 0.65);
    assert!(told_of(RatioNoise::Gaussian, 2, 60, 1.1) >= 0.9);
    for noise in [RatioNoise::Gaussian, RatioNoise::Spikes, RatioNoise::Autocorrelated] {
        for heavy in [1, 2] {
            // 1 %, and two standard errors of 200 trials.
            assert!(told_of(noise, heavy, 30, 1.0) <= 0.01 + 0.015);
        }
    }
}

#[test]
fn a_heavy_program_that_slows_its_successor_is_told() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let placed = after_predecessors(&executed(RatioNoise::Gaussian, 30, 0.04, &mut rng));
    let influence = Influence::of(&placed, 3).unwrap();
    assert_eq!(influence.groups.iter().map(|group| group.count).sum::<usize>(), 89);
    assert_eq!(influence.worst(0.01).map(|group| group.beside), Some(0), "{influence:?}");
}

#[test]
fn the_time_of_day_is_a_thing_to_stand_beside() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let at = |slot: u32, hot: f64, rng: &mut ChaCha8Rng| {
        let (subject, beside) = (slot % 2, slot / 20);
        let warm = if beside == 2 { hot } else { 0.0 };
        PlacedSample {
            subject,
            beside,
            value: (0.02 * gaussian(rng) + warm).exp() * f64::from(subject + 1),
        }
    };
    let mut day = |hot: f64| (0..60).map(|slot| at(slot, hot, &mut rng)).collect::<Vec<_>>();
    assert!(Influence::of(&day(0.0), 1).unwrap().p > 0.05);
    assert_eq!(
        Influence::of(&day(0.05), 1).unwrap().worst(0.05).map(|group| group.beside),
        Some(2)
    );
}

#[test]
fn of_one_thing_alone_nothing_is_said() {
    let placed = |beside| PlacedSample { subject: 0, beside, value: 1.0 };
    assert_eq!(Influence::of(&[], 0), None);
    assert_eq!(Influence::of(&[placed(1); 9], 0), None);
    let constant: Vec<PlacedSample> = (0..9).map(|slot| placed(slot % 2)).collect();
    assert_eq!(Influence::of(&constant, 0).map(|influence| influence.p), Some(1.0));
}
