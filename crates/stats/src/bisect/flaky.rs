//! What a bisection of commands that pass or fail promises, simulated.

use super::world::{BisectWorld, WorldScatter, bisect};
use super::*;

/// How many were named rightly and wrongly; samples and builds on average.
fn tally(trials: u32, make: impl Fn(u64) -> BisectWorld) -> (u32, u32, f64, f64) {
    let (mut right, mut wrong, mut samples, mut builds) = (0, 0, 0.0, 0.0);
    for seed in 0..trials {
        let mut world = make(u64::from(seed));
        let outcome = bisect(&mut world, BisectionRules::failures());
        let truth =
            world.steps.iter().find(|step| step.1 != 0.0).map(|step| world.first_usable(step.0));
        if let Some(culprit) = outcome.culprits.first() {
            right += u32::from(truth == Some(culprit.revision));
            wrong += u32::from(truth != Some(culprit.revision));
        }
        samples += world.samples as f64 / f64::from(trials);
        builds += world.builds() as f64 / f64::from(trials);
    }
    (right, wrong, samples, builds)
}

/// One change somewhere among 256.
fn changing(before: f64, after: f64) -> impl Fn(u64) -> BisectWorld {
    move |seed| BisectWorld::new(256, 1.0, WorldScatter::Failing(before, after), seed)
}

const TRIALS: u32 = 16;

#[test]
fn a_steady_command_is_bisected_plainly() {
    for (before, after) in [(0.0, 1.0), (1.0, 0.0)] {
        let (right, _, samples, builds) = tally(TRIALS, changing(before, after));
        assert_eq!(right, TRIALS, "{before} {after}");
        // Halving takes 8 of each; the rest proves both ends, looks at them again, and verifies.
        assert!(
            samples <= 8.0 + 18.0 && builds <= 8.0 + 4.0,
            "{before} {after}: {samples} {builds}"
        );
    }
}

#[test]
fn flaky_commands_are_bisected_with_rates_unknown() {
    let mut all = 0;
    let cells = [(0.0, 0.5), (0.02, 0.3), (0.05, 0.6), (0.1, 0.9), (0.5, 0.9), (0.9, 0.4)];
    for (before, after) in cells {
        let (right, wrong, samples, builds) = tally(TRIALS, changing(before, after));
        assert_eq!(wrong, 0, "{before} {after}");
        assert!(
            right + 1 >= TRIALS && builds <= 8.0 + 4.0,
            "{before} {after}: {right} {samples} {builds}"
        );
        all += right;
    }
    assert!(f64::from(all) >= 0.97 * f64::from(TRIALS) * cells.len() as f64, "{all}");
}

#[test]
fn revisions_that_are_skipped_are_no_failures() {
    let (right, wrong, ..) = tally(TRIALS, |seed| changing(0.05, 0.6)(seed).with_broken(0.1));
    assert!(right + 1 >= TRIALS && wrong == 0, "{right} {wrong}");
}

#[test]
fn where_all_changes_are_requested_chance_names_nobody_between_alike_ends() {
    let rules = BisectionRules { all: true, ..BisectionRules::failures() };
    for rate in [0.0, 0.05, 0.2, 0.5, 1.0] {
        for seed in 0..u64::from(TRIALS) {
            let mut world = BisectWorld::new(64, 0.0, WorldScatter::Failing(rate, rate), seed);
            let outcome = bisect(&mut world, rules);
            assert_eq!(
                (outcome.culprits.len(), outcome.finding),
                (0, BisectorFinding::NotReproduced),
                "{rate} {seed}"
            );
        }
    }
}

#[test]
fn where_the_rate_stays_nothing_is_named() {
    for rate in [0.0, 0.02, 0.2, 0.5, 1.0] {
        let make = |seed| BisectWorld::new(256, 0.0, WorldScatter::Failing(rate, rate), seed);
        let (right, wrong, _, builds) = tally(TRIALS, make);
        assert_eq!((right, wrong), (0, 0), "{rate}");
        assert!(builds < 4.0, "{rate}: {builds}");
    }
}
