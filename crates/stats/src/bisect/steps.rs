//! The rules of a bisection, on values made by hand.

use super::*;

/// Feeds what `value` says of each sample of a revision; all that was observed, and the outcome.
fn bisect(
    rules: BisectionRules,
    candidates: usize,
    mut value: impl FnMut(usize) -> Option<f64>,
) -> (Vec<Observation>, BisectorOutcome) {
    let mut bisection = Bisector::new(rules, candidates).unwrap();
    let mut log = Vec::new();
    while let NextStep::Measure(portions) = bisection.next() {
        let portion = portions[0];
        let samples: Option<Vec<f64>> =
            (0..portion.samples).map(|_| value(portion.revision)).collect();
        let observation = Observation {
            revision: portion.revision,
            seen: samples.map_or(
                ObservedValues::Unusable(UnusableReason::NotBuilt),
                ObservedValues::Samples,
            ),
            build: log
                .iter()
                .all(|of: &Observation| of.revision != portion.revision)
                .then_some(10.0),
            executing: portion.samples as f64,
        };
        bisection.observe(&observation);
        log.push(observation);
        assert!(log.len() < 1000, "no end");
    }
    let NextStep::Finished(outcome) = bisection.next() else { unreachable!() };
    (log, *outcome)
}

/// Noise without a generator.
fn noisy(level: f64, place: &mut usize) -> f64 {
    *place += 1;
    level * (1.0 + 0.02 * (((*place * 7919) % 101) as f64 / 101.0 - 0.5))
}

#[test]
fn one_time_of_each_end_says_nothing_of_a_change() {
    let mut bisection = Bisector::new(BisectionRules::default(), 5).unwrap();
    for (revision, time) in [(0, 343.5), (4, 248.0)] {
        bisection.observe(&Observation {
            revision,
            seen: ObservedValues::Samples(vec![time]),
            build: Some(1.0),
            executing: 1.0,
        });
    }
    let standing = bisection.standing();
    assert!((standing.outcome.nothing - 0.5).abs() < 1e-9, "{standing:?}");
    let believed: f64 = standing.belief.iter().map(|it| it.posterior).sum();
    assert!((believed - 0.5).abs() < 1e-9, "{standing:?}");
}

#[test]
fn a_metric_without_noise_is_bisected_plainly() {
    let (log, outcome) =
        bisect(BisectionRules::default(), 128, |at| Some(if at < 77 { 512.0 } else { 640.0 }));
    assert_eq!(outcome.finding, BisectorFinding::Verified);
    let culprit = outcome.culprits[0];
    assert_eq!((culprit.revision, culprit.parent), (77, 76));
    assert!((culprit.effect.estimate - 0.25).abs() < 0.01, "{culprit:?}");
    assert!(outcome.builds <= 2 + 7 && outcome.samples <= 4 + 7 + 2 + 2, "{outcome:?}");
    assert_eq!(
        log.len(),
        log.iter().filter(|of| matches!(of.seen, ObservedValues::Samples(_))).count()
    );
    assert!(!outcome.more, "{:?}", outcome.left_over);
}

#[test]
fn an_improvement_is_found_as_well() {
    let (_, outcome) =
        bisect(BisectionRules::default(), 40, |at| Some(if at < 3 { 100.0 } else { 50.0 }));
    assert_eq!(outcome.culprits[0].revision, 3);
    assert!((outcome.culprits[0].effect.estimate + 0.5).abs() < 0.01);
}

#[test]
fn the_same_observations_lead_to_the_same_steps() {
    let mut place = 0;
    let (log, outcome) = bisect(BisectionRules::default(), 200, |at| {
        Some(noisy(if at < 150 { 100.0 } else { 104.0 }, &mut place))
    });
    assert_eq!(outcome.culprits.first().map(|culprit| culprit.revision), Some(150), "{outcome:?}");
    let mut again = Bisector::new(BisectionRules::default(), 200).unwrap();
    for observation in &log {
        let NextStep::Measure(portions) = again.next() else { panic!("finished early") };
        assert_eq!(portions[0].revision, observation.revision);
        again.observe(observation);
    }
    assert_eq!(again.next(), NextStep::Finished(Box::new(outcome)));
}

#[test]
fn unusable_revisions_leave_a_range() {
    let usable = |at: usize| !(30..=36).contains(&at);
    let value = |at: usize| usable(at).then_some(if at < 33 { 100.0 } else { 130.0 });
    let (_, outcome) = bisect(BisectionRules::default(), 64, value);
    let culprit = outcome.culprits[0];
    assert_eq!((culprit.parent, culprit.revision), (29, 37), "{outcome:?}");
    assert!(
        outcome.unusable.iter().all(|(at, why)| !usable(*at) && *why == UnusableReason::NotBuilt)
    );
}

#[test]
fn a_usable_one_amid_many_that_are_not_is_found() {
    let usable = |at: usize| at < 20 || at == 47 || at > 60;
    let value = |at: usize| usable(at).then_some(if at < 47 { 100.0 } else { 130.0 });
    let (_, outcome) = bisect(BisectionRules::default(), 128, value);
    assert!(
        outcome.finding == BisectorFinding::Verified && outcome.culprits[0].revision >= 47,
        "{outcome:?}"
    );
}

#[test]
fn ends_that_are_unusable_give_way() {
    let value = |at: usize| (at > 1 && at < 62).then_some(if at < 20 { 100.0 } else { 130.0 });
    let (_, outcome) = bisect(BisectionRules::default(), 64, value);
    assert_eq!((outcome.ends, outcome.culprits[0].revision), ((2, 61), 20));
    let (_, outcome) = bisect(BisectionRules::default(), 64, |_| None);
    assert_eq!(outcome.finding, BisectorFinding::Undecided(NoCulpritReason::End));
}

#[test]
fn two_candidates_are_the_culprit_and_its_parent() {
    let (_, outcome) = bisect(BisectionRules::default(), 2, |at| Some(100.0 + 50.0 * at as f64));
    assert_eq!((outcome.finding, outcome.culprits[0].revision), (BisectorFinding::Verified, 1));
    assert!(Bisector::new(BisectionRules::default(), 1).is_none());
}

#[test]
fn nothing_changed_and_that_is_said() {
    let (_, outcome) = bisect(BisectionRules::default(), 500, |_| Some(7.0));
    assert_eq!((outcome.finding, outcome.builds), (BisectorFinding::NotReproduced, 2));
    let mut place = 0;
    let (_, outcome) = bisect(BisectionRules::default(), 500, |_| Some(noisy(100.0, &mut place)));
    assert_eq!(outcome.finding, BisectorFinding::NotReproduced);
    let (low, high) = outcome.change.unwrap().interval;
    assert!(-0.02 < low && low < high && high < 0.02, "{low} {high}");
}

#[test]
fn a_budget_ends_it_with_the_suspects() {
    let rules = BisectionRules { budget: Some(70.0), ..BisectionRules::default() };
    let (_, outcome) = bisect(rules, 1000, |at| Some(if at < 600 { 100.0 } else { 130.0 }));
    assert_eq!(outcome.finding, BisectorFinding::Undecided(NoCulpritReason::Budget));
    assert!(outcome.suspects.iter().any(|of| of.first <= 600 && 600 <= of.last), "{outcome:?}");
}

#[test]
fn all_culprits_are_found_on_wish() {
    let value = |at: usize| {
        Some(match at {
            ..20 => 100.0,
            20..70 => 130.0,
            _ => 180.0,
        })
    };
    let (_, outcome) = bisect(BisectionRules::default(), 100, value);
    assert_eq!((outcome.culprits.len(), outcome.more), (1, true), "{outcome:?}");
    let (_, outcome) =
        bisect(BisectionRules { all: true, ..BisectionRules::default() }, 100, value);
    let mut named: Vec<usize> = outcome.culprits.iter().map(|culprit| culprit.revision).collect();
    named.sort_unstable();
    assert_eq!((named, outcome.more), (vec![20, 70], false), "{outcome:?}");
}

#[test]
fn a_command_that_fails_now_and_then_is_bisected() {
    let rules =
        BisectionRules { values: ValueKind::Failures, least: 0.2, ..BisectionRules::default() };
    let (_, outcome) = bisect(rules, 64, |at| Some(f64::from(u8::from(at >= 41))));
    assert_eq!(outcome.culprits[0].revision, 41, "{outcome:?}");
    let mut place = 0;
    let flaky = |at: usize| {
        place += 1;
        let chance = (place * 7919) % 101;
        Some(f64::from(u8::from(chance < if at >= 41 { 60 } else { 5 })))
    };
    let (_, outcome) = bisect(rules, 64, flaky);
    assert_eq!(outcome.culprits.first().map(|culprit| culprit.revision), Some(41), "{outcome:?}");
    let mut place = 0;
    let never = |_| {
        place += 1;
        Some(f64::from(u8::from((place * 7919) % 101 < 20)))
    };
    let (_, outcome) = bisect(rules, 64, never);
    assert_eq!(outcome.finding, BisectorFinding::NotReproduced, "{outcome:?}");
}

#[test]
fn far_from_an_end_that_is_unusable_the_nearest_usable_one_is_found_with_few_builds() {
    // From 300 on the metric is missing.
    let value = |at: usize| (at < 300).then_some(if at < 77 { 100.0 } else { 130.0 });
    let (_, outcome) = bisect(BisectionRules::default(), 512, value);
    assert_eq!((outcome.ends, outcome.culprits[0].revision), ((0, 299), 77), "{outcome:?}");
    assert!(outcome.unusable.len() <= 2 * 9, "{outcome:?}");
    // Nothing changed between those that have it: it may have among the others.
    let (_, outcome) = bisect(BisectionRules::default(), 512, |at| (at < 300).then_some(100.0));
    assert_eq!(
        (outcome.finding, outcome.suspects.len()),
        (BisectorFinding::Undecided(NoCulpritReason::End), 0),
        "{outcome:?}"
    );
    let (_, outcome) = bisect(BisectionRules::default(), 512, |at| (at == 0).then_some(100.0));
    assert_eq!(
        (outcome.finding, outcome.builds),
        (BisectorFinding::Undecided(NoCulpritReason::End), 1 + 1 + 9 + 8)
    );
}

#[test]
fn where_the_first_usable_one_is_far_from_an_end_it_is_found_from_the_other_side() {
    // The other end has values, and the border lies beyond the last power of two.
    let level = |at: usize| Some(if at < 13 { 100.0 } else { 120.0 });
    let (log, outcome) = bisect(BisectionRules::default(), 16, |at| level(at).filter(|_| at >= 11));
    assert_eq!((outcome.ends, outcome.culprits[0].revision), ((11, 15), 13), "{outcome:?}");
    assert_eq!((log[0].revision, log[1].revision), (0, 15), "both ends first");
    let level = |at: usize| Some(if at < 800 { 100.0 } else { 120.0 });
    let (_, outcome) =
        bisect(BisectionRules::default(), 1000, |at| level(at).filter(|_| at >= 700));
    assert_eq!((outcome.ends, outcome.culprits[0].revision), ((700, 999), 800), "{outcome:?}");
    // Neither end has any.
    let (_, outcome) = bisect(BisectionRules::default(), 1000, |at| {
        level(at).filter(|_| (700..990).contains(&at))
    });
    assert_eq!((outcome.ends, outcome.culprits[0].revision), ((700, 989), 800), "{outcome:?}");
    assert!(outcome.unusable.len() <= 4 * 10, "{outcome:?}");
}

#[test]
fn where_nothing_is_usable_both_ends_were_tried_and_few_others() {
    for candidates in [2, 3, 16, 1000] {
        let (log, outcome) = bisect(BisectionRules::default(), candidates, |_| None);
        assert_eq!(outcome.finding, BisectorFinding::Undecided(NoCulpritReason::End));
        let tried: Vec<usize> = log.iter().map(|of| of.revision).collect();
        assert_eq!(tried[..2], [0, candidates - 1]);
        assert!(tried.len() <= 2 * 11, "{tried:?}");
    }
}

#[test]
fn what_a_culprit_leaves_is_not_searched_where_it_is_less_than_was_requested() {
    let level = |at: usize| if at < 20 { 100.0 } else { 180.0 } * if at < 70 { 1.0 } else { 1.07 };
    let mut place = 0;
    let mut of = |all| {
        let rules = BisectionRules { least: 0.1, all, ..BisectionRules::default() };
        bisect(rules, 128, |at| Some(noisy(level(at), &mut place))).1
    };
    let (one, all) = (of(false), of(true));
    let named = |outcome: &BisectorOutcome| {
        outcome.culprits.iter().map(|of| of.revision).collect::<Vec<_>>()
    };
    assert_eq!((named(&one), named(&all)), (vec![20], vec![20]));
    assert!(one.more && all.more, "it is reported all the same: {:?}", one.left_over);
    assert!(all.samples <= one.samples + 24, "{} {}", all.samples, one.samples);
}

#[test]
fn of_two_equal_steps_without_noise_each_is_verified_as_one_of_several() {
    let value = |at: usize| {
        Some(match at {
            ..5 => 100.0,
            5..12 => 130.0,
            _ => 169.0,
        })
    };
    let (_, outcome) = bisect(BisectionRules::default(), 20, value);
    let culprit = outcome.culprits[0];
    assert!(
        [5, 12].contains(&culprit.revision) && culprit.pairs <= 8 && outcome.more,
        "{outcome:?}"
    );
    assert!((culprit.effect.estimate - 0.3).abs() < 0.01, "{culprit:?}");
    assert!(outcome.drift <= 0.0, "nothing moves a metric without noise: {}", outcome.drift);
    let (_, outcome) = bisect(BisectionRules { all: true, ..BisectionRules::default() }, 20, value);
    assert_eq!((outcome.culprits.len(), outcome.more), (2, false), "{outcome:?}");
}

#[test]
fn a_second_small_step_is_no_variance_between_builds_where_they_agree() {
    // Far apart and next to each other; of ratios nearly equal.
    for (first, second) in [(5, 12), (8, 9), (11, 12)] {
        let value = |at: usize| {
            Some(100.0 + 5.0 * f64::from(u8::from(at >= first) + u8::from(at >= second)))
        };
        let (_, outcome) = bisect(BisectionRules::default(), 20, value);
        let named = outcome.culprits.first().map(|of| of.revision);
        assert!(named == Some(first) || named == Some(second), "{outcome:?}");
        assert!(outcome.more, "{outcome:?}");
        let (_, outcome) =
            bisect(BisectionRules { all: true, ..BisectionRules::default() }, 20, value);
        assert_eq!(
            (outcome.culprits.len(), outcome.more),
            (2, false),
            "{first} {second} {outcome:?}"
        );
    }
}

#[test]
fn builds_that_never_agree_vary() {
    let layout = |at: usize| 1.0 + 0.03 * (((at * 7919) % 101) as f64 / 101.0 - 0.5);
    let value = |at: usize| Some(100.0 * layout(at) * if at < 33 { 1.0 } else { 1.02 });
    let (_, outcome) = bisect(BisectionRules::default(), 64, value);
    assert_ne!(outcome.finding, BisectorFinding::Verified, "{outcome:?}");
}
