//! Revisions that have no values, ends among them.

use tacho_record::BuildFailure;

use super::*;

#[test]
fn what_a_quirk_skips_is_no_build() {
    let mut scene = Scene::step(40, 20, 10.0);
    for place in 15..25 {
        let skipped = BuildState::Skipped { why: "known bad".into() };
        scene.builds.insert(format!("r{}", place + 1), skipped);
    }
    let standing = scene.standing();
    assert_eq!(named(&standing), [(14, 25)]);
    assert!(standing.unusable.iter().all(|it| it.lack.kind == UnusableKind::Skipped));
    let is_built = |step: &&BisectionStep| matches!(step.seen, StepResult::Built { .. });
    assert_eq!(standing.builds, scene.steps().iter().filter(is_built).count());
}

#[test]
fn what_cannot_be_built_hides_the_cause_and_that_is_said() {
    let standing = Scene::step(32, 12, 20.0).without(10..15).standing();
    assert_eq!((standing.found, named(&standing)), (Some(BisectionEnd::Verified), vec![(9, 15)]));
    let set = standing.suspects.first().map(|it| (it.first, it.last, it.posterior));
    assert_eq!(set, Some((10, 15, standing.culprits[0].posterior)), "what is named is a set");
    let unusable: Vec<usize> = standing.unusable.iter().map(|it| it.place).collect();
    assert_eq!(unusable, [10, 11, 12, 13, 14]);
    assert!(
        standing
            .unusable
            .iter()
            .all(|it| it.lack.kind == UnusableKind::NotBuilt && it.lack.why == "exit 2")
    );
}

#[test]
fn instead_of_ends_that_cannot_be_built_the_nearest_ones_are_taken() {
    let standing = Scene::step(32, 12, 20.0).without([0, 1, 31]).standing();
    assert_eq!((standing.ends, named(&standing)), ((2, 30), vec![(11, 12)]));
    let standing = Scene::step(8, 3, 20.0).without(0..8).standing();
    let nothing = Some(BisectionEnd::Undecided { reason: UndecidedReason::End });
    assert_eq!(
        (standing.found, standing.samples, standing.unusable.len()),
        (nothing, 0, 8),
        "those 0, 1, 2 and 4 inward from either end"
    );
}

#[test]
fn an_end_that_fails_gives_way_to_the_next() {
    let mut scene = Scene::step(8, 3, 20.0);
    scene.ends.insert("r8".into(), ExecutionEnd::Exited(1));
    let standing = scene.standing();
    assert_eq!(
        (standing.ends.1, named(&standing)),
        (6, vec![(2, 3)]),
        "the end that fails is replaced"
    );
}

#[test]
fn what_fails_alike_at_both_ends_is_tried_nowhere_else() {
    let mut scene = Scene::step(64, 12, 20.0);
    scene.ends = (1..=64).map(|order| (format!("r{order}"), ExecutionEnd::Exited(3))).collect();
    let standing = scene.standing();
    assert_eq!(standing.found, Some(BisectionEnd::Undecided { reason: UndecidedReason::Command }));
    assert_eq!((standing.builds, standing.unusable.len(), standing.stage), (2, 2, Stage::Finished));
    let mut two = Scene::step(2, 1, 20.0);
    two.ends = (1..=2).map(|order| (format!("r{order}"), ExecutionEnd::Exited(3))).collect();
    assert_eq!(two.standing().unusable.len(), 2);
    // In ways of their own, the next inward stand in for them.
    let mut scene = Scene::step(64, 12, 20.0);
    scene.ends =
        [("r1".to_owned(), ExecutionEnd::Exited(3)), ("r64".to_owned(), ExecutionEnd::Killed(11))]
            .into();
    let standing = scene.standing();
    assert_eq!((standing.ends, named(&standing)), ((1, 62), vec![(11, 12)]));
}

#[test]
fn a_wrong_answer_at_both_ends_is_tried_nowhere_else() {
    let mut scene = Scene::step(64, 12, 20.0);
    scene.benchmark = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\nexpect = { stdout = { \
        contains = 'ok' } }";
    for order in 1..=64 {
        scene.prints.insert(format!("r{order}"), "other");
    }
    let standing = scene.standing();
    assert_eq!(standing.found, Some(BisectionEnd::Undecided { reason: UndecidedReason::Command }));
    assert!(standing.unusable.iter().all(|it| it.lack.kind == UnusableKind::WrongAnswer));
    assert_eq!((standing.builds, standing.unusable.len()), (2, 2));
}

#[test]
fn what_cannot_be_fetched_is_tried_at_the_ends_alone_and_again_the_next_time() {
    let mut scene = Scene::step(64, 12, 20.0);
    for order in 1..=64 {
        let why =
            format!("git submodule update failed with exit status 1: fatal: no module {order}");
        let cause = Some(BuildFailure::Fetch);
        scene.builds.insert(format!("r{order}"), BuildState::Failed { why, cause });
    }
    let standing = scene.standing();
    assert_eq!(standing.found, Some(BisectionEnd::Undecided { reason: UndecidedReason::Command }));
    assert_eq!((standing.builds, standing.unusable.len()), (2, 2));
    // The network is back.
    scene.builds.clear();
    scene.again = true;
    let standing = scene.standing();
    assert_eq!((standing.ends, named(&standing)), ((0, 63), vec![(11, 12)]));
    assert!(standing.unusable.is_empty());
}

#[test]
fn where_the_metric_is_missing_from_somewhere_on_the_place_is_found() {
    let mut scene = Scene::step(128, 77, 20.0);
    scene.benchmark = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n\
        metrics = ['wall', { name = 'answer', from = 'regex:ok ([0-9]+)' }]";
    for order in 100..=128 {
        scene.prints.insert(format!("r{order}"), "other");
    }
    let standing = scene.standing();
    assert_eq!((standing.found, named(&standing)), (Some(BisectionEnd::Verified), vec![(76, 77)]));
    assert_eq!(standing.ends, (0, 98), "and no other between is taken for an end");
    assert!(
        standing.unusable.iter().any(|it| it.place == 99 && it.lack.kind == UnusableKind::NoMetric)
    );
    assert!(standing.unusable.len() <= 2 * 7, "{:?}", standing.unusable);
    // Nothing changed as long as it was there.
    scene.millis = vec![100.0; 128];
    scene.again = true;
    let standing = scene.standing();
    assert_eq!(standing.found, Some(BisectionEnd::Undecided { reason: UndecidedReason::End }));
    assert_eq!((standing.ends, standing.suspects.len()), ((0, 98), 0));
}

#[test]
fn revisions_that_fail_are_kept_apart_and_told() {
    let mut scene = Scene::step(64, 40, 20.0);
    scene.benchmark = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n\
        metrics = ['wall', { name = 'answer', from = 'regex:ok ([0-9]+)' }]";
    for place in 28..34 {
        let name = format!("r{}", place + 1);
        match place % 3 {
            0 => drop(scene.ends.insert(name, ExecutionEnd::Killed(11))),
            1 => drop(scene.ends.insert(name, ExecutionEnd::TimedOut)),
            _ => drop(scene.prints.insert(name, "nothing")),
        }
    }
    let standing = scene.standing();
    assert_eq!(named(&standing), [(39, 40)]);
    assert!(!standing.unusable.is_empty());
    for unusable in &standing.unusable {
        let expected = match unusable.place % 3 {
            0 => UnusableKind::Crashed,
            1 => UnusableKind::TimedOut,
            _ => UnusableKind::NoMetric,
        };
        assert_eq!(unusable.lack.kind, expected, "{unusable:?}");
    }
}

#[test]
fn a_value_without_a_ratio_is_told() {
    let mut scene = Scene::step(8, 8, 0.0);
    scene.benchmark = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n\
        metrics = [{ name = 'errors', from = 'regex:ok (-?[0-9]+)' }]";
    scene.asked = asked("errors");
    for order in 1..=8 {
        scene.prints.insert(format!("r{order}"), "ok 0");
    }
    let standing = scene.standing();
    assert_eq!(standing.found, Some(BisectionEnd::Undecided { reason: UndecidedReason::Command }));
    assert_eq!(standing.unusable[0].lack.why, "its `errors` is 0, which has no ratio to another");
    // Not even to others of its kind.
    scene.prints.insert("r8".into(), "ok -3");
    scene.again = true;
    let standing = scene.standing();
    assert_eq!(standing.found, Some(BisectionEnd::Undecided { reason: UndecidedReason::Command }));
    assert_eq!(standing.unusable.len(), 2, "no other is tried");
}
