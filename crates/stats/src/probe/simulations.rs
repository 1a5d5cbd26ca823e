//! How often a probe is wrong, on hosts of which the truth is known.

use super::world::{ProbeWorld, said_of};
use super::*;

#[test]
fn honest_pairs_do_not_depend_on_the_machine() {
    for (usual, noise) in [(0.03, 0.01), (0.1, 0.01), (0.74, 0.05), (0.02, 0.05)] {
        let (depends, upheld) = said_of(&ProbeWorld::honest(usual, noise, 30), 200);
        assert!(depends <= 4, "{usual} {noise}: {depends} of 200 said to depend");
        if usual > 5.0 * noise {
            assert!(upheld >= 150, "{usual} {noise}: {upheld} of 200 upheld");
        }
    }
}

#[test]
fn a_planted_confound_is_not_upheld() {
    for (usual, noise) in [(0.03, 0.01), (0.1, 0.01), (0.74, 0.05), (0.02, 0.05)] {
        for at in [0, 3] {
            let (depends, upheld) =
                said_of(&ProbeWorld::honest(usual, noise, 30).confounded(at), 200);
            assert!(upheld <= 4, "{usual} {noise}: {upheld} of 200 upheld");
            if usual > 5.0 * noise && at == 0 {
                assert!(depends >= 150, "{usual} {noise}: {depends} of 200 seen");
            }
        }
    }
}

#[test]
fn without_a_usual_difference_only_what_appears_is_reported() {
    let mut world = ProbeWorld::honest(0.0, 0.004, 20);
    assert!(said_of(&world, 200).0 <= 4);
    world.under[2] = 0.1;
    let said: Vec<Dependence> = (0..20).map(|seed| world.probed(seed)[2]).collect();
    assert!(said.iter().filter(|it| **it == Dependence::Appears).count() >= 15, "{said:?}");
}

#[test]
fn what_is_left_is_named() {
    use Dependence::{Gone, Holds, Smaller, Turned};
    let expected = [Gone, Smaller, Turned, Holds];
    let mut world = ProbeWorld::honest(0.2, 0.005, 20);
    (world.under[0], world.under[1], world.under[2]) = (0.0, 0.05, -0.2);
    let all = world.probed(1);
    assert_eq!(all[..4], expected);
}

#[test]
fn looks_grow_and_end_with_the_last_round() {
    assert_eq!(probe_looks(20), [6, 9, 13, 20]);
    assert_eq!(probe_looks(5), [5]);
    assert_eq!(probe_looks(6), [6]);
}

#[test]
fn levels_are_judged_by_themselves() {
    let world = ProbeWorld::honest(0.0, 0.01, 20);
    let states = world.measure(7);
    let rules = ProbeRules { margin: 0.01, error: PROBE_ERROR, most: 20 };
    let levels = judge_levels(&states[0], &states[1..], &rules);
    assert_eq!(levels[10].differs, Some(true));
    assert!(levels[0].differs != Some(true));
    let shown = levels[10].level.unwrap();
    assert!(shown.low < 0.8_f64.exp() && shown.high > 0.8_f64.exp(), "{shown:?}");
}
