//! Bisections of wall time where other work on the host disturbs it, and CPU time not.

use super::*;

/// By how much other work lengthens an execution that is busy itself: up to twice, a third of them
/// not at all.
fn other_work(at: Timestamp) -> f64 {
    let chance = at.as_millisecond().unsigned_abs() * 7919 % 997;
    if chance.is_multiple_of(3) { 1.0 } else { 1.0 + chance as f64 / 997.0 }
}

/// A history on a busy host: from this revision on, it takes this share more, in per cent.
fn disturbed(at: usize, percent: f64) -> Scene {
    let mut scene = Scene::step(16, at, percent);
    (scene.others, scene.noise, scene.load) = (Some(0.5), 0.002, other_work);
    scene
}

#[test]
fn a_busy_program_is_searched_by_its_cpu_time() {
    let mut scene = disturbed(5, 3.0);
    let standing = scene.standing();
    assert_eq!((named(&standing), standing.found), (vec![(4, 5)], Some(BisectionEnd::Verified)));
    let by_cpu = standing.by_cpu.unwrap();
    assert!(by_cpu.wall > 0.05 && by_cpu.cpu < 0.01, "{by_cpu:?}");
    let effect = standing.culprits[0].effect;
    assert!((effect.estimate - 0.03).abs() < 0.003, "{effect:?}");
    assert!(standing.ladder.iter().all(|it| (99e6..105e6).contains(&it.level)), "{standing:?}");
    assert!(standing.samples < 100, "{}", standing.samples);
    // A quiet host gives no reason.
    (scene.load, scene.again) = (|_| 1.0, true);
    let quiet = scene.standing();
    assert_eq!((named(&quiet), quiet.by_cpu), (vec![(4, 5)], None));
}

#[test]
fn killed_in_any_execution_it_goes_by_cpu_time_all_the_same() {
    let undisturbed = disturbed(5, 20.0);
    let expected = (undisturbed.standing(), undisturbed.steps());
    assert!(expected.0.by_cpu.is_some());
    comes_to_the_same(|| disturbed(5, 20.0), &expected, (1..=expected.0.samples).step_by(5));
}

/// Histories that begin at other moments have other noise.
#[test]
fn by_cpu_time_changes_are_named_and_nothing_else() {
    let of = |at: usize| -> Vec<BisectionState> {
        let scenes = (1..=20).map(|start| {
            let scene = disturbed(at, 2.5);
            scene.clock.set(Timestamp::from_millisecond(start * 1_234_567).unwrap());
            scene.standing()
        });
        scenes.collect()
    };
    let (changed, unchanged) = (of(9), of(16));
    let right = changed.iter().filter(|it| named(it) == [(8, 9)]).count();
    assert!(right >= 19, "{right} of 20 named");
    let wrong = unchanged.iter().filter(|it| !it.culprits.is_empty()).count();
    assert_eq!(wrong, 0, "of 20 without a change");
    let by_cpu = changed.iter().chain(&unchanged).filter(|it| it.by_cpu.is_some()).count();
    assert!(by_cpu >= 36, "{by_cpu} of 40: by luck wall time is enough, now and then");
}

/// What it waits for may change too: its CPU time excludes nothing, and is not searched by.
#[test]
fn of_a_program_that_waits_cpu_time_is_only_reported() {
    let mut scene = disturbed(5, 3.0);
    scene.asked.budget = Some(6.0);
    scene.load = |at| 2.0 + (at.as_millisecond().unsigned_abs() * 7919 % 997) as f64 / 997.0;
    let open = scene.standing();
    assert_eq!(
        open.found,
        Some(BisectionEnd::Undecided { reason: UndecidedReason::Budget }),
        "{open:?}"
    );
    assert_eq!(open.by_cpu, None);
    let cpu = open.cpu.unwrap();
    assert!((cpu.estimate - 0.03).abs() < 0.003 && cpu.interval.0 > 0.02, "{cpu:?}");
    let mut same = disturbed(16, 0.0);
    (same.load, same.asked.budget) = (scene.load, Some(6.0));
    let open = same.standing();
    assert_eq!(
        open.found,
        Some(BisectionEnd::Undecided { reason: UndecidedReason::Budget }),
        "{open:?}"
    );
}

/// Nothing changed by 2 %, which wall time would not exclude in this time.
#[test]
fn cpu_time_excludes_a_change() {
    let mut scene = disturbed(16, 0.0);
    scene.asked.budget = Some(6.0);
    let same = scene.standing();
    assert_eq!(same.found, Some(BisectionEnd::NotReproduced), "{same:?}");
    let shown = same.cpu.or(same.change).unwrap();
    assert!(-0.02 < shown.interval.0 && shown.interval.1 < 0.02, "{shown:?}");
}
