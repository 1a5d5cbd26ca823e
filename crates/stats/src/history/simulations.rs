//! Error rates on histories that are drawn with fixed seeds; tolerances are about two standard
//! errors.
//!
//! `TACHO_SIMULATED=1000 cargo bench -p tacho-stats --bench history` prints the same of many more.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::world::World;
use super::*;
use crate::draw::gaussian;

fn verdict(world: World, seed: u64) -> (HistoryVerdict, Vec<(usize, f64)>) {
    let (executions, truth) = world.history(seed);
    let mut runs: BTreeMap<u32, Vec<HistoryExecution>> = BTreeMap::new();
    for (run, revision, layout, round, ln) in executions {
        runs.entry(run).or_default().push(HistoryExecution { revision, layout, round, ln });
    }
    let all: Vec<RunReading> =
        runs.iter().flat_map(|(run, executions)| readings(*run, executions)).collect();
    (judge(&all), truth)
}

/// In how many of 60 histories without a change a change of the commit is reported.
fn alarmed(change: impl Fn(World) -> World) -> usize {
    let is_alarmed = |seed: &u64| {
        let (verdict, _) = verdict(change(World::drawn(*seed, 0.0)), *seed);
        verdict.changes.iter().any(|change| change.origin == Origin::Commit)
    };
    (500..560).filter(is_alarmed).count()
}

#[test]
fn histories_without_a_change_are_quiet() {
    assert!(alarmed(|world| world) <= 3);
    assert!(alarmed(|world| World { nightly: Some(3), run: 0.01, ..world }) <= 4);
}

#[test]
fn few_samples_in_two_modes_are_no_change() {
    let few = |world: World| World { rounds: 3, slow_mode: 0.3, ..world };
    assert!(alarmed(|world| World { revisions: 4, rounds: 3, ..world }) <= 4);
    assert!(alarmed(move |world| World { revisions: 4, ..few(world) }) <= 6);
    assert!(alarmed(move |world| World { revisions: 8, ..few(world) }) <= 5);
}

#[test]
fn where_the_model_does_not_hold_alarms_are_bounded() {
    assert!(alarmed(|world| World { drift: 0.003, ..world }) <= 12);
    assert!(alarmed(|world| World { walk: 0.02, ..world }) <= 15);
    assert!(alarmed(|world| World { disturbed: 0.5, ..world }) <= 5);
    assert!(alarmed(|world| World { odd: 1.0 / 6.0, ..world }) <= 10);
}

#[test]
fn changes_are_found_where_they_are_and_intervals_hold() {
    let (mut labels, mut reported, mut exact, mut inside) = (0, 0, 0, 0);
    for seed in 600..660 {
        let (verdict, truth) = verdict(World { run: 0.01, ..World::drawn(seed, 0.08) }, seed);
        labels += truth.len();
        reported += verdict.changes.len();
        for change in &verdict.changes {
            let Some((_, effect)) = truth.iter().find(|(index, _)| *index == change.index) else {
                continue;
            };
            exact += 1;
            inside += usize::from((change.interval.0..=change.interval.1).contains(effect));
        }
    }
    let f1 = 2.0 * f64::from(exact) / (labels + reported) as f64;
    let covered = inside as f64 / f64::from(exact);
    assert!(f1 > 0.76, "F1 {f1}");
    assert!(f64::from(exact) > 0.86 * reported as f64, "{exact} of {reported}");
    assert!((0.91..=0.99).contains(&covered), "{covered} of the intervals hold the true effect");
}

#[test]
fn intervals_hold_where_builds_differ_much() {
    let (mut exact, mut inside) = (0, 0);
    for seed in 700..800 {
        let world = World { luck: 0.03, ..World::drawn(seed, 0.1) };
        let (verdict, truth) = verdict(world, seed);
        for change in &verdict.changes {
            let is_it = |(index, _): &&(usize, f64)| *index == change.index;
            let Some((_, effect)) = truth.iter().find(is_it) else { continue };
            exact += 1;
            inside += usize::from((change.interval.0..=change.interval.1).contains(effect));
        }
    }
    let covered = inside as f64 / f64::from(exact);
    println!("{inside} of {exact}");
    assert!(exact > 80 && (0.9..=0.99).contains(&covered), "{inside} of {exact}");
}

#[test]
fn the_newest_of_several_runs_is_reported_if_it_is_all_but_sure() {
    let (mut reported, mut unclear) = (0, 0);
    for seed in 800..860 {
        let world = World { nightly: Some(2), run: 0.01, ..World::drawn(seed, 0.15) };
        let (verdict, _) = verdict(world, seed);
        let is_newest = |change: &&HistoryChange| change.index + 1 == world.revisions;
        for change in verdict.changes.iter().filter(is_newest) {
            assert!(change.probability >= 0.9, "{change:?}");
            reported += 1;
        }
        unclear += verdict.unclear.iter().filter(is_newest).count();
    }
    assert!(reported > 0 && unclear > 0, "{reported} {unclear}");
}

/// Ten quiet rounds, and one beside a load, in which each execution waits by chance.
#[test]
fn a_disturbed_round_overrules_no_quiet_ones() {
    let (mut found, mut wrong, mut inside) = (0, 0, 0);
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(9000 + seed);
        let level = |revision: usize| if revision < 6 { 0.0 } else { 0.25 };
        let mut executions = |rounds: u32, noise: f64, waits: f64| -> Vec<HistoryExecution> {
            let places = (0..rounds).flat_map(|round| (0..12).map(move |it| (round, it)));
            let one = |(round, revision)| {
                let wait = waits * rng.random::<f64>();
                let ln = level(revision) + noise * gaussian(&mut rng) + wait;
                HistoryExecution { revision, layout: 0, round, ln }
            };
            places.map(one).collect()
        };
        let mut all = readings(0, &executions(10, 0.008, 0.0));
        all.extend(readings(1, &executions(1, 0.008, 1.0)));
        for change in judge(&all).changes {
            let is_it = change.index == 6;
            found += usize::from(is_it);
            wrong += usize::from(!is_it);
            inside += usize::from(is_it && change.interval.0 <= 0.25 && 0.25 <= change.interval.1);
        }
    }
    println!("{found} found, {inside} with the effect, {wrong} wrong");
    assert!(found >= 57 && wrong <= 2 && inside * 10 >= found * 9, "{found} {inside} {wrong}");
}
