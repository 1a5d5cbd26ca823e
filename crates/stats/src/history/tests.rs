#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]

use proptest::prelude::*;

use super::world::World;
use super::*;

fn reading(run: u32, revision: usize, level: f64) -> RunReading {
    RunReading { revision, run, level, variance: 1e-6, samples: 10, layouts: vec![0] }
}

fn indexes(verdict: &HistoryVerdict) -> Vec<usize> {
    verdict.changes.iter().map(|change| change.index).collect()
}

#[test]
fn a_run_of_programs_and_rounds_is_taken_apart() {
    let all: Vec<HistoryExecution> = (0..8_u32)
        .flat_map(|round| {
            (0..4_usize).map(move |revision| HistoryExecution {
                revision,
                layout: 0,
                round,
                ln: 0.1 * revision as f64
                    + 0.3 * f64::from(round % 3)
                    + 1e-4 * f64::from((round * 7 + revision as u32) % 5),
            })
        })
        .collect();
    let levels = readings(3, &all);
    assert_eq!(levels.len(), 4);
    for (revision, one) in levels.iter().enumerate() {
        assert!((one.level - levels[0].level - 0.1 * revision as f64).abs() < 4e-4, "{levels:?}");
        assert!(one.variance < 1e-6 && one.samples == 8 && one.run == 3);
    }
}

#[test]
fn a_step_and_a_build_alone_are_told_apart() {
    let level = |i: usize| {
        if i >= 12 {
            0.3
        } else if i == 5 {
            0.06
        } else {
            0.0
        }
    };
    let all: Vec<RunReading> =
        (0..20).map(|i| reading(0, i, level(i) + 1e-3 * ((i * 7) % 3) as f64)).collect();
    let verdict = judge(&all);
    let origins: Vec<(usize, Origin)> =
        verdict.changes.iter().map(|one| (one.index, one.origin)).collect();
    assert_eq!(origins, [(5, Origin::Build), (6, Origin::Build), (12, Origin::Commit)]);
    assert_eq!(verdict.changes[0].settling, Settling::Layout);
    assert!(
        (verdict.changes[2].effect - 0.3).abs() < 0.01 && verdict.changes[2].probability > 0.99
    );
}

#[test]
fn a_revision_of_many_layouts_is_no_luck() {
    let level = |i: usize| if i == 5 { 0.06 } else { 0.0 };
    let mut all: Vec<RunReading> =
        (0..10).map(|i| reading(0, i, level(i) + 1e-3 * ((i * 7) % 3) as f64)).collect();
    for one in &mut all {
        one.layouts = vec![0, 1, 2, 3, 4];
    }
    let verdict = judge(&all);
    assert_eq!(indexes(&verdict), [5, 6]);
    assert!(verdict.changes.iter().all(|change| change.origin == Origin::Commit));
}

/// Two runs by turns, the second of them 5 % slower in all that it measures.
#[test]
fn a_run_that_is_left_and_come_back_to_keeps_its_effect() {
    let noise = |i: usize| 1e-3 * ((i * 7) % 3) as f64;
    let mut all: Vec<RunReading> = (0..24).step_by(4).map(|i| reading(0, i, noise(i))).collect();
    all.extend((0..24).step_by(6).map(|i| reading(1, i, 0.05 + noise(i))));
    all.extend([9, 10].map(|i| reading(1, i, 0.05 + noise(i))));
    assert_eq!(indexes(&judge(&all)), [] as [usize; 0]);
    for one in all.iter_mut().filter(|one| one.revision >= 10) {
        one.level += 0.04;
    }
    let verdict = judge(&all);
    assert_eq!(indexes(&verdict), [10], "{verdict:?}");
    assert!((verdict.changes[0].effect - 0.04).abs() < 0.01);
}

/// One revision is 10 % off in one run, and at its level when another run measures it again.
#[test]
fn a_reading_that_another_run_does_not_repeat_is_no_change() {
    let noise = |i: usize| 1e-3 * ((i * 7) % 3) as f64;
    for odd in [1, 5, 8] {
        let off = |i: usize| if i == odd { -0.1 } else { 0.0 };
        let mut all: Vec<RunReading> = (0..12).map(|i| reading(0, i, off(i) + noise(i))).collect();
        all.extend([odd, 11, 12, 13, 14, 15].map(|i| reading(1, i, 0.01 + noise(i))));
        assert_eq!(indexes(&judge(&all)), [] as [usize; 0], "{odd}");
        for one in all.iter_mut().filter(|one| one.revision >= 9) {
            one.level += 0.05;
        }
        assert_eq!(indexes(&judge(&all)), [9], "{odd}");
    }
}

#[test]
fn without_a_link_the_effect_of_a_run_is_no_change() {
    let all: Vec<RunReading> =
        (0..12).map(|i| reading((i / 3) as u32, i, [0.0, 0.02, -0.01, 0.015][i / 3])).collect();
    let verdict = judge(&all);
    assert_eq!(indexes(&verdict), [] as [usize; 0], "{verdict:?}");
    assert!(verdict.run.is_some_and(|run| run > 0.005));
}

#[test]
fn what_does_not_vary_is_exact() {
    let level = |i: usize| if i < 20 { 0.0 } else { 0.0005 };
    let mut all: Vec<RunReading> = (0..40).map(|i| reading(0, i, level(i))).collect();
    for one in &mut all {
        one.variance = 1e-14;
    }
    assert_eq!(indexes(&judge(&all)), [20]);
}

/// A level that climbs by 0.3 % a revision: from the first to the last, not between quarters.
#[test]
fn drift_is_that_of_the_whole_history() {
    let noise = |i: usize| 1e-3 * ((i * 7) % 3) as f64;
    let all: Vec<RunReading> =
        (0..30).map(|i| reading(0, i, 0.003 * i as f64 + noise(i))).collect();
    let verdict = judge(&all);
    assert_eq!(indexes(&verdict), [] as [usize; 0]);
    let drift = verdict.drift.unwrap();
    assert!((drift - 0.087).abs() < 0.005, "{drift}");
}

#[test]
fn a_long_history_is_judged_in_stretches() {
    let level = |i: usize| if (300..450).contains(&i) || i >= 600 { 0.1 } else { 0.0 };
    let all: Vec<RunReading> =
        (0..900).map(|i| reading(0, i, level(i) + 1e-3 * ((i * 7) % 11) as f64)).collect();
    assert_eq!(indexes(&judge(&all)), [300, 450, 600]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever the numbers, the answer is one, is finite, and is the same for all units.
    #[test]
    fn any_readings_are_judged(
        levels in proptest::collection::vec((0_usize..12, 0_u32..9, -700.0_f64..700.0, 0.0_f64..1.0), 0..30),
    ) {
        let all: Vec<RunReading> = levels
            .iter()
            .map(|&(revision, run, level, variance)| RunReading { variance, ..reading(run, revision, level) })
            .collect();
        let verdict = judge(&all);
        prop_assert_eq!(&verdict, &judge(&all));
        for change in verdict.changes.iter().chain(&verdict.unclear) {
            prop_assert!(change.range.contains(&change.index));
            prop_assert!((0.0..=1.0).contains(&change.probability));
            prop_assert!(change.effect.is_finite() && change.interval.0 <= change.interval.1, "{:?}", change);
        }
    }

    /// The unit of the samples is a shift of all logarithms.
    #[test]
    fn the_unit_does_not_matter(seed in 0_u64..1000, shift in -20.0_f64..20.0) {
        let (executions, _) = World::drawn(seed, 0.1).history(seed);
        let judged = |shift: f64| {
            let all: Vec<HistoryExecution> = executions
                .iter()
                .map(|&(_, revision, layout, round, ln)| HistoryExecution { revision, layout, round, ln: ln + shift })
                .collect();
            judge(&readings(0, &all))
        };
        prop_assert_eq!(indexes(&judged(0.0)), indexes(&judged(shift)));
    }
}
