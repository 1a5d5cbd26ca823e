//! Known answers, and error rates on labs that are drawn with fixed seeds.
//!
//! `cargo bench -p tacho-stats --bench lab` prints the same of many more.

#[path = "score.rs"]
mod score;
#[path = "world.rs"]
mod world;

use super::*;
use crate::changes::{DetectedChange, Options, SeriesValue, detect};
use score::LabScore;
use world::{LabWorld, ReferenceUse};

/// A lab of two hosts, smaller than those of the bench.
const SMALL: LabWorld = LabWorld {
    hosts: 2,
    series: 16,
    nights: 80,
    noise: 0.01,
    run: 0.0,
    machine: 0.06,
    changes: 6,
    same_night: 3,
    beside: ReferenceUse::Full,
};

/// Values of one night each: this level from a night on, with a fixed to and fro of 0.5 %.
fn series(host: usize, benchmark: usize, step: Option<(usize, f64)>) -> LabSeries {
    let level = |place: usize| match step {
        Some((night, size)) if place >= night => size,
        _ => 0.0,
    };
    let noise = |place: usize| 0.01 * (((place * 7919 + benchmark) % 101) as f64 / 101.0 - 0.5);
    let value = |place: usize| LabValue {
        place,
        runs: vec![u32::try_from(place).unwrap()],
        ln: level(place) + noise(place),
    };
    let change = |(place, effect): (usize, f64)| LabChange {
        place,
        range: place..=place,
        effect,
        error: 0.002,
    };
    LabSeries {
        host,
        benchmark,
        metric: 0,
        response: SlowResponse::Rise,
        values: (0..60).map(value).collect(),
        changes: step.map(change).into_iter().collect(),
    }
}

/// One fixed program whose level is another from a night on.
fn reference(step: Option<(usize, f64)>) -> Vec<ReferenceLevel> {
    let like = series(0, 3, step);
    let level = |value: &LabValue| ReferenceLevel {
        program: 2,
        run: value.runs[0],
        ln: value.ln,
        variance: 1e-6,
    };
    like.values.iter().map(level).collect()
}

/// Whose the change of the first series is.
fn first(lab: &LabNumbers) -> LabCause {
    causes(lab)[0][0]
}

#[test]
fn a_change_with_which_the_reference_moves_is_the_machines() {
    let lab = |step| LabNumbers {
        series: vec![series(0, 0, Some((30, 0.08)))],
        references: vec![reference(step)],
    };
    let LabCause::Machine(evidence) = first(&lab(Some((30, 0.05)))) else { panic!() };
    let moved = evidence.reference.unwrap();
    assert_eq!((moved.program, evidence.changed, evidence.measured), (Some(2), 1, 1));
    assert!((moved.effect - 0.05).abs() < 0.005 && moved.error < 0.01, "{moved:?}");
    for step in [None, Some((36, 0.05)), Some((30, -0.05)), Some((30, 0.02))] {
        assert_eq!(first(&lab(step)), LabCause::Program, "{step:?}");
    }
}

#[test]
fn a_rate_falls_when_the_machine_becomes_slower_and_a_size_stays() {
    let of = |response, size| {
        let own = LabSeries { response, ..series(0, 0, Some((30, size))) };
        first(&LabNumbers { series: vec![own], references: vec![reference(Some((30, 0.05)))] })
    };
    assert!(matches!(of(SlowResponse::Fall, -0.06), LabCause::Machine(_)));
    assert_eq!(of(SlowResponse::Fall, 0.06), LabCause::Program);
    assert_eq!(of(SlowResponse::Stay, 0.06), LabCause::Program);
}

#[test]
fn what_another_host_shows_too_is_the_programs() {
    let lab = |other| LabNumbers {
        series: vec![series(0, 0, Some((30, 0.08))), other],
        references: vec![reference(Some((30, 0.05))), reference(None)],
    };
    assert_eq!(first(&lab(series(1, 0, Some((30, 0.07))))), LabCause::Program);
    assert!(matches!(first(&lab(series(1, 0, None))), LabCause::Machine(_)));
    assert!(matches!(first(&lab(series(1, 1, Some((30, 0.07))))), LabCause::Machine(_)));
    // Where the other host's machine moved as well, that says nothing.
    let mut both = lab(series(1, 0, Some((30, 0.07))));
    both.references[1] = reference(Some((30, 0.05)));
    assert!(matches!(first(&both), LabCause::Machine(_)));
}

#[test]
fn what_was_measured_in_one_run_on_both_sides_is_the_programs() {
    let mut own = series(0, 0, Some((30, 0.08)));
    own.values.iter_mut().for_each(|value| value.runs = vec![7]);
    let lab = LabNumbers { series: vec![own], references: vec![reference(Some((5, 0.05)))] };
    assert_eq!(first(&lab), LabCause::Program);
    // A later run of the new side alone, on a machine that became slower, makes it no other.
    let mut again = series(0, 0, Some((30, 0.08)));
    let late = |place: usize| if place < 30 { vec![0] } else { vec![0, 1] };
    again.values.iter_mut().for_each(|value| value.runs = late(value.place));
    let level = |run: u32, ln: f64| ReferenceLevel { program: 0, run, ln, variance: 1e-6 };
    let levels = vec![level(0, 0.0), level(1, 0.4)];
    let lab = LabNumbers { series: vec![again], references: vec![levels] };
    assert_eq!(first(&lab), LabCause::Program);
}

#[test]
fn two_runs_say_little_of_how_runs_scatter() {
    let lab = |step: f64| {
        let mut own = series(0, 0, Some((30, 0.08)));
        own.values.iter_mut().for_each(|value| value.runs = vec![u32::from(value.place >= 30)]);
        let level = |run: u32, ln: f64| ReferenceLevel { program: 0, run, ln, variance: 1e-6 };
        LabNumbers { series: vec![own], references: vec![vec![level(0, 0.0), level(1, step)]] }
    };
    assert_eq!(first(&lab(0.05)), LabCause::Program, "as much as runs may scatter");
    assert!(matches!(first(&lab(0.4)), LabCause::Machine(_)));
}

#[test]
fn many_series_of_one_host_alone_are_the_machines() {
    let lab = |changed: usize, other: fn(usize) -> LabSeries| LabNumbers {
        series: (0..20)
            .map(|which| {
                series(0, which, (which < changed).then_some((30, 0.03 + 0.004 * which as f64)))
            })
            .chain((0..20).map(other))
            .collect(),
        references: Vec::new(),
    };
    let stays = |which| series(1, which, None);
    let LabCause::Machine(evidence) = first(&lab(12, stays)) else { panic!() };
    assert_eq!((evidence.changed, evidence.measured, evidence.denied), (12, 20, 12));
    assert_eq!(evidence.reference, None);
    assert_eq!(first(&lab(3, stays)), LabCause::Program, "too few");
    let follows = |which: usize| series(1, which, Some((30, 0.03 + 0.004 * which as f64)));
    assert_eq!(first(&lab(12, follows)), LabCause::Program, "the other host shows it too");
    let mut far = lab(12, stays);
    far.series[0] = series(0, 0, Some((30, 0.5)));
    assert_eq!(first(&far), LabCause::Program, "ten times as large as the others");
    far.series[0] = series(0, 0, Some((30, -0.05)));
    assert_eq!(first(&far), LabCause::Program, "the other way");
}

/// The aim: 29 of 31 changes that the machine made are said to be its, and none that a program
/// made; and the effects of runs invent nothing. Without a reference it takes a lab of many series:
/// in a small one, all changes of one night are unknown together.
#[test]
fn simulated_labs() {
    for (run, beside, world, labs) in [
        (0.0, ReferenceUse::Full, SMALL, 4),
        (0.01, ReferenceUse::Cheap, SMALL, 4),
        (0.03, ReferenceUse::Full, SMALL, 4),
        (0.01, ReferenceUse::Off, LabWorld { series: 50, ..SMALL }, 2),
    ] {
        let score = LabScore::of_all(LabWorld { run, beside, ..world }, 1..=labs);
        println!("{run} {beside:?} {score:?}");
        assert!(score.machines >= 24, "{run} {beside:?} {score:?}");
        assert!(31 * score.said >= 29 * score.machines, "{run} {beside:?} {score:?}");
        assert_eq!(score.blamed, 0, "{run} {beside:?} {score:?}");
        assert!(score.invented <= 3, "{run} {beside:?} {score:?}");
        let still = LabWorld { machine: 0.0, same_night: 0, run, beside, ..SMALL };
        let still = LabScore::of_all(still, 1..=2);
        assert_eq!((still.blamed, still.excused), (0, 0), "{run} {beside:?} {still:?}");
    }
}
