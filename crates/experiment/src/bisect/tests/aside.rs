//! An earlier end beside the main line of the later one.

use tacho_record::bisection::{OffMainline, OffMainlineFinding};

use super::*;

/// What came of an end that takes so many milliseconds, and of the main line, whose earlier end
/// takes 100.
fn reported(scene: &Scene) -> (BisectionState, OffMainline) {
    let standing = scene.standing();
    let aside = standing.aside.clone().unwrap();
    (standing, aside)
}

fn beside(millis: f64, noise: f64) -> Scene {
    let mut scene = Scene::step(32, 12, 20.0);
    (scene.side, scene.noise) = (Some(millis), noise);
    scene
}

#[test]
fn it_is_told_whether_it_behaves_as_the_first_candidate() {
    for noise in [0.0, 0.01] {
        let (standing, aside) = reported(&beside(100.0, noise));
        assert_eq!((named(&standing), aside.said), (vec![(11, 12)], OffMainlineFinding::Alike));
        assert!(aside.change.unwrap().estimate.abs() < 0.01 && aside.samples >= 2, "{aside:?}");
        let (standing, aside) = reported(&beside(120.0, noise));
        assert_eq!((named(&standing), aside.said), (vec![(11, 12)], OffMainlineFinding::Otherwise));
        assert!((aside.change.unwrap().estimate - 0.2).abs() < 0.02, "{aside:?}");
        let measured: usize = standing.ladder.iter().map(|rung| rung.samples).sum();
        assert_eq!(standing.samples, measured + aside.samples, "it is no candidate");
    }
}

#[test]
fn where_nothing_changed_on_the_main_line_it_may_have_on_the_other() {
    let mut scene = beside(90.0, 0.01);
    scene.millis = vec![100.0; 32];
    let (standing, aside) = reported(&scene);
    assert_eq!(
        (standing.found, standing.stage),
        (Some(BisectionEnd::NotReproduced), Stage::Finished)
    );
    assert_eq!(aside.said, OffMainlineFinding::Otherwise);
    // Even if the main line is one program.
    for order in 1..=32 {
        let built = BuildState::Built { artifact: Digest::of("same"), size: 1, layouts: None };
        scene.builds.insert(format!("r{order}"), built);
    }
    scene.again = true;
    let (standing, aside) = reported(&scene);
    assert_eq!(
        (standing.found, aside.said),
        (Some(BisectionEnd::NotReproduced), OffMainlineFinding::Otherwise)
    );
    assert_eq!(standing.stage, Stage::Finished);
}

#[test]
fn the_same_program_needs_no_samples() {
    let mut scene = beside(100.0, 0.01);
    for name in ["r1", SIDE] {
        let built = BuildState::Built { artifact: Digest::of("first"), size: 1, layouts: None };
        scene.builds.insert(name.into(), built);
    }
    let (standing, aside) = reported(&scene);
    assert_eq!((named(&standing), aside.said), (vec![(11, 12)], OffMainlineFinding::SameProgram));
    assert_eq!((aside.samples, aside.change), (0, None));
}

#[test]
fn why_it_cannot_be_told_is_said() {
    let mut scene = beside(100.0, 0.0);
    scene.builds.insert(SIDE.into(), BuildState::failed("exit 2"));
    let (standing, aside) = reported(&scene);
    assert_eq!((named(&standing), aside.said), (vec![(11, 12)], OffMainlineFinding::Unknown));
    assert_eq!(aside.why.as_deref(), Some("exit 2"));
    let mut scene = beside(100.0, 0.0);
    scene.asked.most_builds = Some(2);
    let (standing, aside) = reported(&scene);
    assert_eq!(standing.found, Some(BisectionEnd::Undecided { reason: UndecidedReason::Budget }));
    assert_eq!(
        (aside.said, aside.why.as_deref()),
        (OffMainlineFinding::Unknown, Some("the limit of builds is reached"))
    );
}

#[test]
fn it_makes_another_question() {
    let mut scene = beside(100.0, 0.0);
    assert!(!scene.bisect().known && scene.bisect().known);
    scene.side = None;
    let other = scene.bisect();
    assert!(!other.known && other.bisection.standing.aside.is_none());
}

#[test]
fn killed_anywhere_it_comes_to_the_same() {
    let undisturbed = beside(110.0, 0.0);
    let expected = (undisturbed.standing(), undisturbed.steps());
    let executions = expected.0.samples + expected.0.builds;
    comes_to_the_same(|| beside(110.0, 0.0), &expected, 4..=executions);
}
