//! How good the detector is on histories that are drawn, where the model holds and where it does
//! not.

use std::collections::BTreeMap;

use tacho_stats::history::{HistoryExecution, HistoryVerdict, Origin, RunReading, judge, readings};

use crate::nights::Nights;
use crate::world::{SimulatedSample, World};

/// Prints alarms, accuracy, calibration and coverage of so many histories of each kind; only one of
/// `alarms`, `changes` and `nights`, if given.
pub fn report(count: u64, seed: u64, only: Option<&str>) {
    let is_printed = |part: &str| only.is_none_or(|only| only == part);
    if is_printed("alarms") {
        alarms(count, seed);
    }
    if is_printed("changes") {
        accuracy(count, seed);
    }
    if is_printed("nights") {
        nights(count.div_ceil(4), seed);
    }
}

fn alarms(count: u64, seed: u64) {
    let still = |name: &'static str, change: fn(World) -> World| (name, change);
    let kinds = [
        still("as foreseen", |world| world),
        still("linked nights", |world| World { nightly: Some(3), run: 0.01, ..world }),
        still("nights", |world| World { nightly: Some(3), run: 0.01, linked: false, ..world }),
        still("luck 3 %", |world| World { luck: 0.03, ..world }),
        still("luck 6 %", |world| World { luck: 0.06, ..world }),
        still("1 build in 6 slower by 5 %", |world| World { odd: 1.0 / 6.0, ..world }),
        still("drift of 0.3 %", |world| World { drift: 0.003, ..world }),
        still("walk of 2 %", |world| World { walk: 0.02, ..world }),
        still("half of a round slower", |world| World { disturbed: 0.5, ..world }),
        still("4 revisions, 3 rounds", |world| World { revisions: 4, rounds: 3, ..world }),
        still("the same in two modes", |world| World {
            revisions: 4,
            rounds: 3,
            slow_mode: 0.3,
            ..world
        }),
        still("8 revisions, 3 rounds, two modes", |world| World {
            revisions: 8,
            rounds: 3,
            slow_mode: 0.3,
            ..world
        }),
        still("4 revisions, 5 rounds, two modes", |world| World {
            revisions: 4,
            rounds: 5,
            slow_mode: 0.3,
            ..world
        }),
        still("4 revisions, 10 rounds, two modes", |world| World {
            revisions: 4,
            rounds: 10,
            slow_mode: 0.3,
            ..world
        }),
    ];
    for (name, change) in kinds {
        let (mut alarmed, mut blamed, mut told) = (0, 0, 0);
        for number in 0..count {
            let world = change(World::drawn(seed + number, 0.0));
            let verdict = verdict(&world.history(seed + number).0);
            alarmed += u64::from(!verdict.changes.is_empty());
            told += verdict.changes.len();
            blamed +=
                u64::from(verdict.changes.iter().any(|change| change.origin == Origin::Commit));
        }
        println!("{name}: {alarmed} of {count} alarmed ({told}), {blamed} as the commit's");
    }
}

/// How soon changes are reported that come a revision a night, and how many alerts are false.
fn nights(count: u64, seed: u64) {
    let mut nights = Nights::default();
    for number in 0..count {
        let drawn = World::drawn(seed + 3000 + number, 0.06);
        let world =
            World { nightly: Some(1), run: 0.01, revisions: drawn.revisions.min(25), ..drawn };
        let (executions, truth) = world.history(seed + 4000 + number);
        let places: Vec<usize> = truth.iter().map(|(index, _)| *index).collect();
        for newest in 2..world.revisions {
            let so_far: Vec<SimulatedSample> =
                executions.iter().copied().filter(|one| one.0 as usize <= newest).collect();
            nights.night(&verdict(&so_far), newest, &places);
        }
        // Of a smaller one nothing is to be seen in one reading.
        let error = world.luck.hypot(world.noise * (2.0 / f64::from(world.rounds)).sqrt());
        let is_clear = |(index, size): &&(usize, f64)| *index > 1 && size.abs() > 4.0 * error;
        nights.end(truth.iter().filter(is_clear).map(|(index, _)| *index));
    }
    nights.print();
}

fn accuracy(count: u64, seed: u64) {
    let (mut hits, mut all, mut labels) = (0, 0, 0);
    let mut calibration: BTreeMap<(&str, usize), (usize, usize)> = BTreeMap::new();
    let mut covered: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for number in 0..count {
        for nightly in [None, Some(3)] {
            let rate = [0.02, 0.06, 0.15][number as usize % 3];
            let world = World { nightly, run: 0.01, ..World::drawn(seed + 1000 + number, rate) };
            let (executions, truth) = world.history(seed + 2000 + number);
            let verdict = verdict(&executions);
            labels += truth.len();
            let places: Vec<usize> =
                verdict.changes.iter().chain(&verdict.unclear).map(|change| change.index).collect();
            for change in verdict.changes.iter().chain(&verdict.unclear) {
                let exact = truth.iter().any(|(index, _)| change.range.contains(index));
                // Twentieths, but for what is all but certain.
                let said =
                    (change.probability * 20.0) as usize + usize::from(change.probability > 0.99);
                let is_alone = change.index + 1 == world.revisions
                    || change.index == 1
                    || places.iter().any(|other| other.abs_diff(change.index) == 1);
                let of = if is_alone { "one revision" } else { "more revisions" };
                for of in ["all", of] {
                    let entry = calibration.entry((of, said)).or_default();
                    *entry = (entry.0 + usize::from(exact), entry.1 + 1);
                }
            }
            all += verdict.changes.len();
            for change in &verdict.changes {
                let Some((_, effect)) = truth.iter().find(|(index, _)| *index == change.index)
                else {
                    continue;
                };
                hits += 1;
                let inside = change.interval.0 <= *effect && *effect <= change.interval.1;
                let is_found =
                    |index: &usize| verdict.changes.iter().any(|change| change.index == *index);
                let whole = truth.iter().all(|(index, _)| is_found(index));
                let luck = format!("luck {}", world.luck);
                let of_whole = format!("{luck}, all changes found: {whole}");
                for key in ["all".to_owned(), luck, of_whole] {
                    let entry = covered.entry(key).or_default();
                    *entry = (entry.0 + usize::from(inside), entry.1 + 1);
                }
            }
        }
    }
    let f1 = 2.0 * f64::from(hits) / (all + labels) as f64;
    println!("changes: {labels}, reported {all}, exact {hits}: F1 {f1:.3}");
    for ((of, said), (hits, all)) in calibration {
        let from = if said >= 20 { 0.99 } else { said as f64 / 20.0 };
        let share = hits as f64 / all as f64;
        println!("levels of {of}, said from {from:.2}: {share:.3} of {all}");
    }
    for (key, (hits, all)) in covered {
        println!("intervals, {key}: {:.3} of {all}", hits as f64 / all as f64);
    }
}

fn verdict(executions: &[SimulatedSample]) -> HistoryVerdict {
    let mut runs: BTreeMap<u32, Vec<HistoryExecution>> = BTreeMap::new();
    for &(run, revision, layout, round, ln) in executions {
        runs.entry(run).or_default().push(HistoryExecution { revision, layout, round, ln });
    }
    let all: Vec<RunReading> =
        runs.iter().flat_map(|(run, executions)| readings(*run, executions)).collect();
    judge(&all)
}
