//! What looking through a history promises, simulated.

use super::world::{SurveyWorld, explore, resume, score};
use super::*;

/// Of each kind; `benches/place.rs` has more.
const TRIALS: u64 = 5;

const CANDIDATES: usize = 500;

#[derive(Debug, Default)]
struct SurveyTally {
    changes: usize,
    right: usize,
    wrong: usize,
    builds: f64,
    most: usize,
    samples: f64,
}

fn tally(make: impl Fn(u64) -> SurveyWorld) -> SurveyTally {
    let mut tally = SurveyTally::default();
    for seed in 0..TRIALS {
        let mut world = make(seed);
        let rules = SurveyRules::new(0.05, world.candidates, None);
        let explored = explore(&mut world, &rules, usize::MAX);
        let (right, wrong) = score(&world, &explored.survey);
        tally.changes += world.steps.len();
        tally.right += right;
        tally.wrong += wrong;
        tally.builds += explored.builds as f64 / TRIALS as f64;
        tally.most = tally.most.max(explored.builds);
        tally.samples += explored.samples as f64 / TRIALS as f64;
    }
    tally
}

#[test]
fn changes_are_pinned_by_few_builds() {
    for (noise, changes, builds) in [(0.01, 4, 50.0), (0.03, 2, 40.0)] {
        let tally = tally(|seed| SurveyWorld::new(CANDIDATES, changes, noise, seed));
        assert!(tally.right as f64 >= 0.93 * tally.changes as f64, "{noise} {changes}: {tally:?}");
        assert!(tally.wrong as f64 <= 0.03 * tally.changes as f64, "{noise} {changes}: {tally:?}");
        assert!(tally.builds < builds, "{noise} {changes}: {tally:?}");
    }
}

#[test]
fn a_host_that_is_otherwise_in_each_run_names_nobody() {
    let tally = tally(|seed| SurveyWorld::new(CANDIDATES, 2, 0.01, seed).drifting(0.03));
    assert!(tally.right as f64 >= 0.9 * tally.changes as f64, "{tally:?}");
    assert!(tally.wrong <= 2, "{tally:?}");
}

#[test]
fn where_nothing_changed_the_grid_is_enough() {
    for noise in [0.01, 0.03] {
        let tally = tally(|seed| SurveyWorld::new(CANDIDATES, 0, noise, seed));
        assert!(tally.wrong == 0 && tally.builds < 18.5, "{noise}: {tally:?}");
    }
}

#[test]
fn a_noisy_history_never_says_that_nothing_changed_where_something_did() {
    let (mut wrong, mut open) = (0, 0);
    for seed in 0..100 {
        let mut world = SurveyWorld::new(60, 0, 0.3, seed);
        world.steps = vec![(41, 0.06_f64.ln_1p())];
        let rules = SurveyRules::new(0.03, world.candidates, Some(8));
        let explored = explore(&mut world, &rules, 5);
        let Survey { places, unseen, asks, .. } = explored.survey;
        assert!(asks.iter().all(|ask| !ask.again) || !places.is_empty(), "{seed}: {asks:?}");
        wrong += usize::from(places.is_empty() && unseen.is_none());
        open += usize::from(unseen.is_some_and(|size| size > 0.06));
    }
    assert!(wrong <= 5 && open >= 50, "{wrong} {open}");
}

#[test]
fn with_more_rounds_what_samples_hid_is_measured_again() {
    let mut world = SurveyWorld::new(60, 0, 0.3, 1);
    let rules = SurveyRules::new(0.03, world.candidates, Some(8));
    let explored = explore(&mut world, &rules, 5);
    assert!(explored.survey.unseen.is_some(), "{explored:?}");
    let before = explored.samples;
    let explored = resume(&mut world, &rules.in_rounds(30), 5, explored);
    assert!(explored.samples >= 3 * before && explored.builds == 3, "{explored:?}");
}

#[test]
fn a_quiet_history_in_which_nothing_changed_says_so() {
    for (noise, wanted) in [(0.01, 20), (0.03, 15)] {
        let said = |seed: &u64| {
            let mut world = SurveyWorld::new(CANDIDATES, 0, noise, *seed);
            let rules = SurveyRules::new(0.05, world.candidates, Some(20));
            let survey = explore(&mut world, &rules, 20).survey;
            survey.places.is_empty() && survey.unseen.is_none()
        };
        let said = (0..20).filter(said).count();
        assert!(said >= wanted, "{noise}: {said}");
    }
}

#[test]
fn what_cannot_be_built_closes_a_place_and_hides_no_other() {
    let (mut held, mut builds) = (0, 0.0);
    for (seed, trial) in (0..TRIALS).zip(0..) {
        // One change in the midst of what cannot be built, and one somewhere else.
        let mut world = SurveyWorld::new(CANDIDATES, 0, 0.01, seed).broken(200..260);
        let other = [40, 120, 300, 410][trial % 4] + trial;
        world.steps = vec![(230, 0.1), (other, -0.2)];
        world.steps.sort_by_key(|step| step.0);
        let rules = SurveyRules::new(0.05, world.candidates, None);
        let explored = explore(&mut world, &rules, usize::MAX);
        let of = |at: usize| {
            explored.survey.places.iter().find(|place| place.good < at && at <= place.bad)
        };
        let (window, named) = (of(230).unwrap(), of(other).unwrap());
        assert_eq!(
            (named.good, named.bad, named.known),
            (other - 1, other, PlaceStatus::Pinned),
            "{seed}"
        );
        assert!(
            window.known != PlaceStatus::Range && window.good < 200 && 260 <= window.bad,
            "{seed}: {window:?}"
        );
        held += usize::from(window.bad - window.good < 75);
        builds += explored.builds as f64 / TRIALS as f64;
    }
    assert!(held >= 4 && builds < 50.0, "{held} {builds}");
}

#[test]
fn a_change_at_a_known_edge_takes_its_two_sides_and_another_hardly_more_than_without() {
    let (mut at_edge, mut builds, mut without) = (0, 0, 0);
    for seed in 0..TRIALS {
        let explored = |edge: Option<usize>| {
            let mut world = SurveyWorld::new(CANDIDATES, 1, 0.01, seed);
            world.edges.extend(edge);
            let rules = SurveyRules::new(0.05, world.candidates, None);
            let explored = explore(&mut world, &rules, usize::MAX);
            assert_eq!(score(&world, &explored.survey), (1, 0), "{seed}: {explored:?}");
            explored.builds
        };
        let at = SurveyWorld::new(CANDIDATES, 1, 0.01, seed).steps[0].0;
        // The grid has 17; a side of the edge may be among them.
        at_edge = at_edge.max(explored(Some(at)));
        builds += explored(Some(if at > 250 { at - 5 } else { at + 5 }));
        without += explored(None);
    }
    assert!(at_edge <= 19, "{at_edge}");
    assert!(builds as f64 <= without as f64 + 2.0 * TRIALS as f64, "{builds} {without}");
}

#[test]
fn what_the_builds_do_not_suffice_for_stays_a_range_that_holds_it() {
    for seed in 0..TRIALS {
        let mut world = SurveyWorld::new(CANDIDATES, 1, 0.01, seed);
        let at = world.steps[0].0;
        let rules = SurveyRules::new(0.05, world.candidates, Some(8));
        let explored = explore(&mut world, &rules, 8);
        assert_eq!(explored.builds, 8);
        let [place] = explored.survey.places.as_slice() else { panic!("{seed}: {explored:?}") };
        assert!(
            place.good < at && at <= place.bad && place.known == PlaceStatus::Range,
            "{seed}: {place:?}"
        );
    }
}

#[test]
fn zooming_builds_nothing_outside() {
    let mut world = SurveyWorld::new(CANDIDATES, 4, 0.01, 3);
    let (first, last) = (world.steps[1].0 - 9, world.steps[1].0 + 9);
    let rules = SurveyRules::new(0.05, world.candidates, None).zoomed(first, last);
    let explored = explore(&mut world, &rules, usize::MAX);
    assert!(explored.readings.iter().all(|reading| (first..=last).contains(&reading.revision)));
    assert_eq!(score(&world, &explored.survey), (1, 0));
}

#[test]
fn what_was_measured_in_one_go_and_in_two_is_the_same() {
    let known = |most: &[usize]| {
        let mut world = SurveyWorld::new(CANDIDATES, 2, 0.01, 8);
        let rules = SurveyRules::new(0.05, world.candidates, None);
        let mut explored = explore(&mut world, &rules, most[0]);
        for most in &most[1..] {
            explored = resume(&mut world, &rules, *most, explored);
        }
        explored.survey
    };
    assert_eq!(known(&[100]).places.len(), known(&[17, 100]).places.len());
}
