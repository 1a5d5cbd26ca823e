//! The estimate on simulated hosts, whose programs' levels are known.

use super::permutation::{Outcomes, chance_above};
use super::simulated::{Host, MOVEMENTS, Movement};
use super::*;
use crate::summary::median;

const LEVELS: [f64; 6] = [0.0, 0.0, 0.01, 0.02, 0.05, 0.0];

/// The root mean square error of effects over so many hosts: of the fit, of means and of medians.
fn errors(movement: Movement, levels: &[f64], rounds: u32, hosts: u64) -> [f64; 3] {
    let mut squares = [0.0; 3];
    for seed in 0..hosts {
        let all = Host::new(movement, seed).rounds(levels, rounds);
        let of =
            |program: usize| all.iter().filter(move |it| it.program == program).map(|it| it.value);
        let mean = |program: usize| of(program).sum::<f64>() / f64::from(rounds);
        let middle = |program: usize| median(&of(program).collect::<Vec<_>>()).unwrap();
        let programs = 0..levels.len();
        let estimates = [
            Fit::of(&all, levels.len()).unwrap().effects,
            programs.clone().map(mean).collect(),
            programs.map(middle).collect(),
        ];
        for (square, estimate) in squares.iter_mut().zip(&estimates) {
            let off = polish::centred(
                estimate.iter().zip(levels).map(|(is, truth)| is - truth).collect(),
            );
            *square += off.iter().map(|off| off * off).sum::<f64>() / levels.len() as f64;
        }
    }
    squares.map(|square| (square / hosts as f64).sqrt())
}

#[test]
fn nothing_is_lost_on_a_steady_host() {
    for (levels, rounds) in
        [(&LEVELS[..2], 10), (&LEVELS[..2], 30), (&LEVELS[..], 10), (&LEVELS[..], 30)]
    {
        let [fit, mean, _] = errors(Movement::Steady, levels, rounds, 2000);
        println!("steady {} {rounds}: {:.3}", levels.len(), fit / mean);
        assert!(fit < 1.06 * mean, "{} programs, {rounds} rounds: {fit} {mean}", levels.len());
    }
}

#[test]
fn a_host_of_several_speeds_is_seen_through() {
    for movement in MOVEMENTS {
        let [fit, mean, middle] = errors(movement, &LEVELS, 20, 60);
        println!("{movement:?}: {fit:.4} beside means {mean:.4} and medians {middle:.4}");
        assert!(fit < 1.1 * mean.min(middle), "{movement:?}: {fit} beside {mean} and {middle}");
    }
    let spells = Movement::Spells { apart: 0.56, length: 30.0, share: 0.5 };
    let [fit, mean, middle] = errors(spells, &LEVELS, 20, 60);
    assert!(5.0 * fit < mean.min(middle), "{fit} beside {mean} and {middle}");
}

#[test]
fn intervals_and_tests_err_as_often_as_they_say() {
    for movement in MOVEMENTS {
        for levels in [&[0.0, 0.03][..], &[0.0, 0.03, 0.0]] {
            let (mut held, mut wrong) = (0, 0);
            let hosts = 150;
            for seed in 0..hosts {
                let mut host = Host::new(movement, 1000 + seed);
                let all = host.rounds(levels, 20);
                // The third program is the first one again.
                let again = |it: &Execution| Execution { program: it.program % 2, ..*it };
                let contrast = Contrast::of(&all.iter().map(again).collect::<Vec<_>>()).unwrap();
                let (low, high) = (contrast.bound_below(0.025), contrast.bound_above(0.025));
                held += u32::from(low <= 0.03 && 0.03 <= high);
                let p = contrast.chance_above(0.03).min(contrast.chance_below(0.03));
                wrong += u32::from(2.0 * p <= 0.05);
            }
            println!(
                "{movement:?}, {} a round: {held} held, {wrong} wrong of {hosts}",
                levels.len()
            );
            // Binomial: 5 % of 150 is 7.5, with a standard deviation of 2.7.
            assert!(wrong <= 15 && held >= 133, "{movement:?}: {held} held, {wrong} wrong");
        }
    }
}

#[test]
fn large_differences_are_clear_on_any_host() {
    for movement in MOVEMENTS {
        for by in [0.3_f64, 0.7, 3.0] {
            let all = Host::new(movement, 5).rounds(&[0.0, by, 0.0], 20);
            let again: Vec<_> =
                all.iter().map(|it| Execution { program: it.program % 2, ..*it }).collect();
            let contrast = Contrast::of(&again).unwrap();
            assert!(
                contrast.chance_above(0.0) < 0.01,
                "{movement:?} {by}: {}",
                contrast.chance_above(0.0)
            );
            assert!((contrast.shift() - by).abs() < 0.1, "{movement:?} {by}: {}", contrast.shift());
        }
    }
}

#[test]
fn errors_are_about_what_effects_are_off() {
    for movement in MOVEMENTS {
        let (mut within, mut all) = (0, 0);
        for seed in 0..60 {
            let fit = Fit::of(&Host::new(movement, 77 + seed).rounds(&LEVELS, 20), 6).unwrap();
            let truth = polish::centred(LEVELS.to_vec());
            for ((effect, error), truth) in fit.effects.iter().zip(&fit.errors).zip(truth) {
                within += u32::from((effect - truth).abs() <= 1.96 * error);
                all += 1;
            }
        }
        let share = f64::from(within) / f64::from(all);
        println!("{movement:?}: {share:.3} within 1.96 errors");
        assert!((0.85..=0.99).contains(&share), "{movement:?}: {share}");
    }
}

#[test]
fn a_tail_is_the_counted_one() {
    let mut host = Host::new(Movement::Steady, 3);
    for shift in [0.0, 0.3, 0.8, 1.5] {
        let mut rounds = Vec::new();
        for _ in 0..12 {
            let one = host.gaussian();
            let seen = if host.uniform() < 0.5 + shift / 4.0 { one.abs() } else { -one.abs() };
            rounds.push(Outcomes { possible: vec![one, -one], seen });
        }
        let counted = chance_above(&rounds);
        // A round that adds nothing makes the orders too many to count.
        rounds.extend((0..2).map(|_| Outcomes { possible: vec![1e-9, -1e-9], seen: 1e-9 }));
        let approximate = chance_above(&rounds);
        assert!((approximate / counted - 1.0).abs() < 0.15, "{counted} {approximate}");
    }
}

#[test]
fn nothing_is_fitted_to_nothing() {
    let one = |program, value| Execution { program, round: 0, value };
    assert_eq!(Fit::of(&[], 0), None);
    assert_eq!(Fit::of(&[one(0, 1.0)], 2), None);
    assert_eq!(Fit::of(&[one(0, f64::NAN)], 1), None);
    assert!(
        Contrast::of(&[one(0, 1.0), one(1, 2.0)]).is_some_and(|it| (it.shift() - 1.0).abs() < 1e-9)
    );
    let still: Vec<_> =
        (0..40).map(|n| Execution { round: n / 2, ..one(n as usize % 2, 3.0) }).collect();
    let fit = Fit::of(&still, 2).unwrap();
    assert!(fit.effects.iter().all(|effect| effect.abs() < 1e-9) && !fit.moves, "{fit:?}");
}

#[test]
fn a_path_is_told_in_spells() {
    let rest: Vec<f64> = [0.0; 20].into_iter().chain([0.56; 10]).chain([0.01; 12]).collect();
    let spells: Vec<_> =
        spells(&rest).into_iter().map(|it| (it.executions, it.slower > 0.5)).collect();
    assert_eq!(spells, [(0..20, false), (20..30, true), (30..42, false)]);
}

#[test]
fn evened_values_are_as_sharp_as_the_fit_and_their_intervals_hold() {
    for movement in MOVEMENTS {
        let (mut held, mut all, mut squares) = (0, 0, [0.0; 2]);
        for seed in 0..60 {
            let executions = Host::new(movement, 300 + seed).rounds(&LEVELS, 20);
            let fit = Fit::of(&executions, 6).unwrap();
            // A host that changes as fast as it executes is not always seen to move; then values
            // stay as they are.
            if fit.by_neighbours && !fit.moves {
                continue;
            }
            let evened = fit.evened(&executions);
            let truth = polish::centred(LEVELS.to_vec());
            let of = |program: usize| -> Vec<f64> {
                let all = executions.iter().zip(&evened).filter(|(it, _)| it.program == program);
                all.map(|(_, value)| *value).collect()
            };
            let summaries: Vec<_> = (0..6).map(|it| crate::Summary::of(&of(it)).unwrap()).collect();
            let usual = summaries.iter().map(|it| it.median).sum::<f64>() / 6.0;
            for ((summary, truth), effect) in summaries.iter().zip(truth).zip(&fit.effects) {
                let (low, high) = summary.interval.unwrap();
                held += u32::from((low..=high).contains(&(usual + truth)));
                squares[0] += (summary.median - usual - truth).powi(2);
                squares[1] += (effect - truth).powi(2);
                all += 1;
            }
        }
        let [evened, fit] = squares.map(|it| (it / f64::from(all)).sqrt());
        let share = f64::from(held) / f64::from(all);
        println!("{movement:?}: {evened:.4} beside {fit:.4}, {share:.3} held");
        // Spells as short as the neighbourhood leave some of the path in single values.
        let is_fast = matches!(movement, Movement::Spells { length, .. } if length < 10.0);
        assert!(
            evened < if is_fast { 5.0 } else { 1.5 } * fit && share > 0.88,
            "{movement:?}: {evened:.4} {fit:.4} {share:.3}"
        );
    }
}
