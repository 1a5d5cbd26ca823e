//! What a merge changed, accounted for by what it brought and by itself.

use tacho_record::bisection::{BisectedEffect, BisectionCost, Merge};

use super::*;

/// Inside a merge that changed it by so much: what was before it, so many of its commits in turn,
/// and itself.
fn merge(millis: &[f64]) -> Scene {
    let mut scene = Scene::new(millis.to_vec());
    let by = millis[millis.len() - 1] / millis[0] - 1.0;
    let effect = BisectedEffect { estimate: by, interval: (by - 0.01, by + 0.01) };
    scene.asked.within = vec![Merge {
        revision: format!("r{}", millis.len()),
        subject: "bring".into(),
        effect,
        limited: [0, 0],
        bisection: "outer".into(),
        ends: ("v1".into(), "v2".into()),
        exchanged: false,
        change: None,
        change_limited: [0, 0],
        left: None,
        better: None,
    }];
    scene.noise = 0.01;
    scene
}

/// The second commit makes 150 of 100, and the merge 112 of that.
const TAKEN_BACK: [f64; 6] = [100.0, 100.0, 150.0, 150.0, 150.0, 112.0];

fn sorted(standing: &BisectionState) -> Vec<(usize, usize)> {
    let mut all = named(standing);
    all.sort_unstable();
    all
}

#[test]
fn a_merge_that_takes_back_what_a_commit_brought_is_named_beside_it() {
    let scene = merge(&TAKEN_BACK);
    let standing = scene.standing();
    assert_eq!(
        (standing.found, sorted(&standing)),
        (Some(BisectionEnd::Verified), vec![(1, 2), (4, 5)])
    );
    let expected = (standing.clone(), scene.steps());
    for stop in [3, expected.0.samples / 2, expected.0.samples - 1] {
        let mut scene = merge(&TAKEN_BACK);
        scene.killed_at = Some(stop);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scene.bisect())).is_err());
        scene.killed_at = None;
        assert_eq!((scene.standing(), scene.steps()), expected, "killed in execution {stop}");
    }
}

#[test]
fn what_accounts_for_a_merge_is_not_requested_more() {
    let standing = merge(&[100.0, 100.0, 112.0, 112.0, 112.0, 112.0]).standing();
    assert_eq!(named(&standing), [(1, 2)]);
    assert!(standing.sides.is_empty(), "{:?}", standing.sides);
    // Outside merges all changes are looked for where that is asked.
    let mut scene = merge(&TAKEN_BACK);
    scene.asked.within.clear();
    let standing = scene.standing();
    assert!(standing.culprits.len() == 1 && standing.more, "{standing:?}");
}

#[test]
fn what_was_spent_around_a_merge_is_no_more_to_be_had() {
    let mut scene = merge(&TAKEN_BACK);
    let spent = BisectionCost { builds: 7, samples: 40, building: 3.0, executing: 1.0 };
    (scene.asked.most_builds, scene.asked.spent) = (Some(9), Some(spent));
    let standing = scene.standing();
    assert_eq!(
        (standing.found, standing.builds),
        (Some(BisectionEnd::Undecided { reason: UndecidedReason::Budget }), 2)
    );
    let asked = BisectionRequest { budget: Some(3.5), ..scene.asked.clone() };
    assert_eq!((asked.own_budget(), asked.own_builds()), (Some(0.0), Some(2)));
    scene.asked.most_builds = Some(30);
    assert_eq!(sorted(&scene.standing()), [(1, 2), (4, 5)], "with more it goes on");
}
