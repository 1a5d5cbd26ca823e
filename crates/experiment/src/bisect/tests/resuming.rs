//! Bisections that are killed, interrupted, answered before, or given more to spend.

use tacho_record::Purpose;
use tacho_store::NewRun;

use super::*;

#[test]
fn killed_in_any_execution_it_comes_to_the_same() {
    let undisturbed = Scene::step(16, 5, 20.0);
    let expected = (undisturbed.standing(), undisturbed.steps());
    let executions = expected.0.samples + expected.0.builds;
    comes_to_the_same(|| Scene::step(16, 5, 20.0), &expected, 1..=executions);
}

#[test]
fn interrupted_in_any_build_or_execution_it_comes_to_the_same() {
    let undisturbed = Scene::step(16, 11, 20.0);
    let expected = (undisturbed.standing(), undisturbed.steps());
    for stop in 1..=expected.0.samples {
        let mut scene = Scene::step(16, 11, 20.0);
        scene.interrupted_at = Some(stop);
        let stopped = scene.bisect();
        assert!(stopped.interrupted && stopped.bisection.standing.found.is_none());
        scene.interrupted_at = None;
        assert_eq!((scene.standing(), scene.steps()), expected, "interrupted in execution {stop}");
    }
    for stop in 1..=expected.0.builds {
        let mut scene = Scene::step(16, 11, 20.0);
        scene.interrupted_build = Some(stop);
        assert!(scene.bisect().interrupted, "{stop}");
        scene.interrupted_build = None;
        assert_eq!((scene.standing(), scene.steps()), expected, "interrupted in build {stop}");
    }
}

#[test]
fn a_step_before_a_kill_is_not_done_again() {
    let mut scene = Scene::step(16, 5, 20.0);
    scene.killed_at = Some(9);
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| scene.bisect()));
    assert!(killed.is_err());
    let before = scene.steps();
    scene.killed_at = None;
    scene.standing();
    assert_eq!(scene.steps()[..before.len()], before);
    assert_eq!(scene.store().sessions(1).unwrap().len(), 2);
}

#[test]
fn killed_between_its_run_and_its_first_step_it_needs_no_second_run() {
    let scene = Scene::step(16, 5, 20.0);
    let (question, mut store) = (scene.question(scene.revisions()), scene.store());
    let host =
        store.put_host(&tacho_record::Host { name: "lab".into(), facts: BTreeMap::new() }).unwrap();
    let rule = question.rule();
    let new = NewRun {
        purpose: Purpose::Bisect,
        question: scene.inquiry().digest(&question.plan.benchmarks, &question.recipes),
        plan: String::new(),
        seed: 7,
        rounds: rule.max_rounds,
        rule: rule.clone(),
        host,
        version: "test".into(),
        started: Timestamp::UNIX_EPOCH,
        conditions: BTreeMap::new(),
    };
    store.begin_run(&new, &[]).unwrap();
    scene.standing();
    assert_eq!(scene.store().runs().unwrap().len(), 1);
}

#[test]
fn killed_where_programs_are_equal_it_comes_to_the_same() {
    let scene = || {
        let mut scene = Scene::step(24, 10, 20.0);
        for place in 0..24 {
            let artifact = Digest::of(format!("{}", place / 2));
            scene.builds.insert(
                format!("r{}", place + 1),
                BuildState::Built { artifact, size: 1, layouts: None },
            );
        }
        scene
    };
    let undisturbed = scene();
    let expected = (undisturbed.standing(), undisturbed.steps());
    for stop in 1..=expected.0.samples {
        let mut scene = scene();
        scene.interrupted_at = Some(stop);
        assert!(scene.bisect().interrupted);
        scene.interrupted_at = None;
        assert_eq!((scene.standing(), scene.steps()), expected, "interrupted in execution {stop}");
    }
}

#[test]
fn what_was_answered_is_not_measured_again_until_that_is_requested() {
    let mut scene = Scene::step(8, 3, 20.0);
    let standing = scene.standing();
    scene.killed_at = Some(1);
    let again = scene.bisect();
    assert!(again.known && again.bisection.standing == standing);
    (scene.killed_at, scene.again) = (None, true);
    let anew = scene.bisect();
    assert_eq!((anew.known, anew.bisection.run), (false, 2));
    assert_eq!(named(&anew.bisection.standing), named(&standing));
}

#[test]
fn with_more_to_spend_the_same_question_goes_on() {
    let mut scene = Scene::step(64, 23, 20.0);
    scene.asked.most_builds = Some(4);
    let standing = scene.standing();
    let spent = Some(BisectionEnd::Undecided { reason: UndecidedReason::Budget });
    assert_eq!((standing.found, standing.builds), (spent, 4));
    assert!(!standing.belief.is_empty());
    assert_eq!(standing.stage, Stage::Finished);
    assert!(holds(&standing, 23) && suspected(&standing) < 32, "{:?}", standing.suspects);
    scene.asked.most_builds = None;
    let done = scene.bisect();
    assert_eq!((done.bisection.run, named(&done.bisection.standing)), (1, vec![(22, 23)]));

    let mut scene = Scene::step(64, 23, 20.0);
    scene.asked.budget = Some(3.0);
    let by_time = scene.standing();
    assert_eq!(by_time.found, spent);
    // Another limit that is reached at once takes nothing of it away.
    (scene.asked.budget, scene.asked.most_builds) = (None, Some(by_time.builds));
    let by_builds = scene.standing();
    assert_eq!((by_builds.found, by_builds.builds), (spent, by_time.builds));
    assert!(holds(&by_builds, 23) && suspected(&by_builds) <= suspected(&by_time), "{by_builds:?}");
}

fn suspected(standing: &BisectionState) -> usize {
    standing.suspects.iter().map(|it| it.last - it.first + 1).sum()
}

fn holds(standing: &BisectionState, place: usize) -> bool {
    standing.suspects.iter().any(|it| it.first <= place && place <= it.last)
}

#[test]
fn what_could_not_be_built_is_built_again_on_wish_though_all_was_answered() {
    let mut scene = Scene::step(32, 12, 20.0).without([10, 11, 12]);
    assert_eq!(named(&scene.standing()), [(9, 13)]);
    scene.builds.clear();
    assert!(scene.bisect().known);
    scene.retry_failed = true;
    let again = scene.bisect();
    assert_eq!((again.known, again.bisection.run), (false, 2));
    assert_eq!(named(&again.bisection.standing), [(11, 12)]);
    assert!(scene.bisect().known, "nothing is left to be built again");
}

#[test]
fn an_interrupted_one_that_went_by_earlier_failures_begins_anew_to_build_them_again() {
    let mut scene = Scene::step(32, 12, 20.0).without([0]);
    scene.standing();
    (scene.again, scene.interrupted_at) = (true, Some(3));
    assert!(scene.bisect().interrupted);
    scene.builds.clear();
    (scene.again, scene.retry_failed, scene.interrupted_at) = (false, true, Some(3));
    let begun = scene.bisect();
    assert!(begun.interrupted && begun.bisection.run == 3, "{}", begun.bisection.run);
    scene.interrupted_at = None;
    let done = scene.bisect();
    assert_eq!(
        (done.bisection.run, done.bisection.standing.ends),
        (3, (0, 31)),
        "taken up, not begun again"
    );
}
