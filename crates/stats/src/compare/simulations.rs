//! What the rules promise, simulated.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::estimate::Both;
use super::noise::Noise;
use super::*;

/// Sessions of the programs one after another in rounds of random order; `speeds` is what each takes in quiet.
fn session(noise: Noise, rounds: u32, speeds: &[f64], rng: &mut ChaCha8Rng) -> Vec<Vec<Sample>> {
    let mut order = Vec::new();
    for _ in 0..rounds {
        let mut round: Vec<usize> = (0..speeds.len()).collect();
        for last in (1..round.len()).rev() {
            round.swap(last, rng.random_range(0..=last));
        }
        order.extend(round);
    }
    let values = noise.session(order.len(), rng, |slot| speeds[order[slot]]);
    let mut sides = vec![Vec::new(); speeds.len()];
    for (slot, (&side, value)) in order.iter().zip(values).enumerate() {
        let round = u32::try_from(slot / speeds.len()).unwrap();
        sides[side].push(Sample::new(value).in_round(round));
    }
    sides
}

#[test]
fn the_same_program_differs_as_seldom_as_is_said_though_looked_at_often() {
    let looks = Looks::planned(30, 0.05);
    let trials = 400;
    for noise in Noise::ALL {
        for estimator in [Estimator::RoundRatios, Estimator::AllRatios] {
            let rules = Rules { estimator: Some(estimator), ..Rules::default() };
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let alarms = (0..trials).filter(|_| {
                let sides = session(noise, 30, &[100.0, 100.0], &mut rng);
                looks.all().iter().any(|&look| {
                    let sides =
                        Sides { a: &sides[0][..look.rounds], b: &sides[1][..look.rounds], control: &[] };
                    compare(&sides, &rules, look).verdict.differs()
                })
            });
            let rate = alarms.count() as f64 / f64::from(trials);
            // 5 %, and two standard errors of 400 trials.
            assert!(rate <= 0.05 + 0.022, "{noise:?} {estimator:?}: {rate}");
        }
    }
}

#[test]
fn intervals_cover_as_often_as_they_say() {
    let trials = 1000;
    for noise in Noise::ALL.into_iter().filter(|noise| noise.is_independent()) {
        for rounds in [5, 10, 15, 30] {
            let mut covered = BTreeMap::new();
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            for _ in 0..trials {
                let sides = session(noise, rounds, &[100.0, 105.0], &mut rng);
                for estimator in [Estimator::RoundRatios, Estimator::AllRatios, Estimator::Median] {
                    let both = Both::of(Scale::Ratio, &sides[0], &sides[1], 0);
                    let Some((low, high)) = both.bounds(estimator, 0.025) else { continue };
                    *covered.entry(estimator).or_insert(0) +=
                        u32::from(low.exp() <= 1.05 && high.exp() >= 1.05);
                }
            }
            for (estimator, covered) in covered {
                let share = f64::from(covered) / f64::from(trials);
                // 93 to 97 %, and a standard error of 1000 trials; the exact ones of five and six samples are wider.
                let most = if rounds == 5 { 1.0 } else { 0.982 };
                println!("{noise:?} {rounds} {estimator:?} {share}");
                assert!(
                    (0.923..=most).contains(&share),
                    "{noise:?}, {rounds} rounds, {estimator:?}: {share}"
                );
            }
        }
    }
}
