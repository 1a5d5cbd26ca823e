//! Commands that pass or fail, flaky or not.

use super::*;

/// So many revisions of a command that fails so often.
fn test(revisions: usize, fails: fn(usize) -> f64) -> Scene {
    let mut scene = Scene::step(revisions, revisions, 0.0);
    scene.asked = BisectionRequest {
        by: ValueComparison::Failure,
        test: Some("check".into()),
        least: 0.2,
        ..asked("failed")
    };
    scene.fails = Some(fails);
    scene
}

#[test]
fn a_command_that_begins_to_fail_is_bisected_plainly() {
    let scene = test(64, |place| f64::from(u8::from(place >= 23)));
    let standing = scene.standing();
    assert_eq!((standing.found, named(&standing)), (Some(BisectionEnd::Verified), vec![(22, 23)]));
    // Halving takes 6 of each; the rest proves both ends, looks at them again, and verifies.
    assert!(standing.samples <= 6 + 18 && standing.builds <= 6 + 4, "{standing:?}");
    assert!(standing.ladder.iter().all(|rung| rung.level == f64::from(u8::from(rung.place >= 23))));
    let levels = test(64, |_| 1.0).standing();
    assert_eq!(levels.found, Some(BisectionEnd::NotReproduced), "always failing is no change");
}

#[test]
fn a_flaky_command_is_bisected_and_killed_comes_to_the_same() {
    let flaky = || test(32, |place| if place < 12 { 0.05 } else { 0.7 });
    let undisturbed = flaky();
    let expected = (undisturbed.standing(), undisturbed.steps());
    assert_eq!(
        (expected.0.found, named(&expected.0)),
        (Some(BisectionEnd::Verified), vec![(11, 12)])
    );
    assert!(
        (expected.0.culprits[0].effect.estimate - 0.65).abs() < 0.25,
        "{:?}",
        expected.0.culprits
    );
    comes_to_the_same(flaky, &expected, [1, 2, 5, 9, expected.0.samples]);
}

#[test]
fn how_a_command_ends_says_whether_it_failed_or_can_tell() {
    let of = |ended: ExecutionEnd| {
        let mut scene = test(32, |_| 0.0);
        for place in 12..32 {
            let skipped = place < 15;
            scene.ends.insert(
                format!("r{}", place + 1),
                if skipped { ended.clone() } else { ExecutionEnd::Exited(1) },
            );
        }
        scene.standing()
    };
    for failure in [
        ExecutionEnd::Exited(2),
        ExecutionEnd::Exited(139),
        ExecutionEnd::Killed(11),
        ExecutionEnd::TimedOut,
    ] {
        assert_eq!(named(&of(failure.clone())), [(11, 12)], "{failure:?}");
    }
    for (ended, kind) in [
        (ExecutionEnd::Exited(125), UnusableKind::Skipped),
        (ExecutionEnd::Exited(126), UnusableKind::Crashed),
        (ExecutionEnd::Exited(127), UnusableKind::Crashed),
    ] {
        let standing = of(ended);
        assert_eq!(named(&standing), [(11, 15)]);
        assert_eq!(standing.unusable.len(), 3);
        assert!(standing.unusable.iter().all(|it| it.lack.kind == kind), "{:?}", standing.unusable);
    }
}

#[test]
fn a_skip_is_said_of_the_revision_that_was_executed() {
    let mut scene = test(9, |_| 0.0);
    // The last is the same program as the last but two.
    for (place, artifact) in ["a", "b", "c", "d", "e", "f", "g", "h", "g"].into_iter().enumerate() {
        let built = BuildState::Built { artifact: Digest::of(artifact), size: 1, layouts: None };
        scene.builds.insert(format!("r{}", place + 1), built);
        scene.ends.insert(format!("r{}", place + 1), ExecutionEnd::Exited(125));
    }
    let unusable = scene.standing().unusable;
    assert!(unusable.iter().all(|it| it.lack.kind == UnusableKind::Skipped), "{unusable:?}");
}
