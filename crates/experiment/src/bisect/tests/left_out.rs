//! Commits that touch none of the plan's paths, right before the one that is named.

use tacho_record::Bisection;
use tacho_record::bisection::Culprit;

use super::*;

/// Of forty, ten touch no path: the 20 to 29 right before what changes it, unless one of them does.
fn scene(at: usize) -> Scene {
    let mut scene = Scene::step(40, at, 20.0);
    scene.untouched = |place| (20..30).contains(&place);
    scene
}

/// The places of parent and culprit in the whole history, and how many others it may be.
fn found(bisected: &BisectionResult) -> (usize, usize, usize) {
    let bisection = &bisected.bisection;
    assert_eq!(bisection.standing.found, Some(BisectionEnd::Verified), "{:?}", bisection.standing);
    let [culprit] = bisection.standing.culprits.as_slice() else {
        panic!("{:?}", bisection.standing.culprits)
    };
    let Culprit { parent, revision, .. } = culprit;
    assert_eq!(bisection.candidates[culprit.place].revision.id, *revision);
    (place(parent), place(revision), bisection.others(culprit).number())
}

#[test]
fn the_real_parent_is_measured_and_the_commit_named_alone() {
    for noise in [0.0, 0.01] {
        let mut scene = scene(30);
        scene.noise = noise;
        let bisected = scene.bisect();
        assert_eq!(found(&bisected), (29, 30, 0));
        let Bisection { candidates, standing, .. } = &bisected.bisection;
        assert_eq!((candidates.len(), standing.suspects.len()), (40, 0));
        let taken_up: Vec<usize> = (0..40).filter(|place| candidates[*place].taken_up).collect();
        assert_eq!(taken_up, (20..30).collect::<Vec<_>>());
        let measured = standing.ladder.iter().filter(|rung| (20..30).contains(&rung.place)).count();
        assert_eq!(measured, 1, "the others need not be asked");
    }
}

#[test]
fn the_same_program_as_before_answers_without_samples() {
    let mut scene = scene(30);
    let built = BuildState::Built { artifact: Digest::of("same"), size: 1, layouts: None };
    for order in 20..=30 {
        scene.builds.insert(format!("r{order}"), built.clone());
    }
    let bisected = scene.bisect();
    assert_eq!(found(&bisected), (29, 30, 0));
    let last = scene.steps().pop().unwrap();
    assert_eq!(
        (last.revision.as_str(), last.seen),
        ("r30", StepResult::Built { artifact: Digest::of("same") })
    );
    let rung = bisected.bisection.standing.ladder.iter().find(|rung| rung.place == 19).unwrap();
    assert_eq!(rung.same_to, 29);
}

#[test]
fn one_that_touches_no_path_may_have_done_it() {
    for (at, noise) in [(20, 0.0), (24, 0.01), (29, 0.0)] {
        let mut scene = scene(at);
        scene.noise = noise;
        let bisected = scene.bisect();
        assert_eq!(found(&bisected), (at - 1, at, 0));
        assert!(bisected.bisection.candidates[at].surprise().is_some());
    }
}

#[test]
fn what_cannot_be_built_stays_in_the_set() {
    let bisected = scene(30).without(20..30).bisect();
    assert_eq!(found(&bisected), (19, 30, 10));
    assert_eq!(bisected.bisection.standing.suspects.len(), 1);
    let bisected = scene(30).without(27..30).bisect();
    assert_eq!(found(&bisected), (26, 30, 3), "those before them can be");
}

#[test]
fn where_no_more_may_be_spent_the_set_stays_until_more_may() {
    let all = scene(30).standing().builds;
    let mut scene = scene(30);
    scene.asked.most_builds = Some(all - 1);
    let set = scene.bisect();
    assert_eq!(found(&set), (19, 30, 10));
    assert_eq!(set.bisection.candidates.len(), 30);
    scene.asked.most_builds = None;
    let more = scene.bisect();
    assert_eq!((found(&more), more.known), ((29, 30, 0), false));
    assert_eq!(scene.store().bisection(&set.bisection.name).unwrap().unwrap(), more.bisection);
}

#[test]
fn of_all_changes_each_is_named_alone() {
    let level = |place: usize| {
        100.0 + if place >= 12 { 30.0 } else { 0.0 } + if place >= 30 { 60.0 } else { 0.0 }
    };
    let mut scene = Scene::new((0..40).map(level).collect());
    scene.untouched = |place| (8..12).contains(&place) || (25..30).contains(&place);
    scene.asked.all = true;
    let bisection = scene.bisect().bisection;
    let mut all: Vec<(usize, usize)> = bisection
        .standing
        .culprits
        .iter()
        .map(|it| (place(&it.parent), place(&it.revision)))
        .collect();
    all.sort_unstable();
    assert_eq!(all, [(11, 12), (29, 30)]);
}

#[test]
fn what_is_known_of_the_place_stays_known() {
    let mut scene = scene(30);
    // Of the candidates at first: those after the ten are ten places nearer.
    scene.asked.prior =
        (0..30_usize).map(|place| f64::from(u8::from(place.abs_diff(20) < 3))).collect();
    assert_eq!(found(&scene.bisect()), (29, 30, 0));
}

#[test]
fn killed_anywhere_it_comes_to_the_same() {
    let undisturbed = scene(24);
    let expected = (undisturbed.standing(), undisturbed.steps());
    let executions = expected.0.samples + expected.0.builds;
    comes_to_the_same(|| scene(24), &expected, executions - 12..=executions);
}
