//! Changes with which the machine moved.

use std::time::Duration;

use tacho_record::{ReferenceProgram, ReferenceSample};

use super::*;

/// What a fixed program took in the last run: some milliseconds, in three executions.
fn reference(lab: &mut ChangeLab, program: ReferenceProgram, milliseconds: f64) {
    let run = lab.store.runs().unwrap().iter().map(|run| run.number).max().unwrap();
    for round in 1..=3 {
        let wall = milliseconds * noise(run.unsigned_abs() * 3 + u64::from(round));
        let sample = ReferenceSample {
            digest: Digest::of("programs"),
            program,
            round,
            at: Timestamp::UNIX_EPOCH,
            wall: Duration::from_secs_f64(wall / 1e3),
            cpu: Duration::ZERO,
        };
        lab.store.put_reference(run, &sample).unwrap();
    }
}

/// Forty nights of a revision each; the reference is slower by this from the twentieth on.
fn nights(slower: f64) -> ChangeLab {
    let mut lab = ChangeLab::new();
    for order in 1..41 {
        lab.measure(order..order + 1, step);
        let moved = if order < 20 { 1.0 } else { 1.0 + slower };
        reference(&mut lab, ReferenceProgram::Latency, 50.0 * moved);
        reference(&mut lab, ReferenceProgram::Integers, 40.0);
    }
    lab
}

#[test]
fn a_change_that_the_reference_explains_is_the_machines() {
    let change = nights(0.12).only();
    let finding = &change.finding;
    assert_eq!((finding.revision.as_str(), finding.kind), ("r20", ChangeKind::Environment));
    assert!(finding.is_of_machine() && finding.kind_words() == "machine");
    let reported = finding.environment[0].described();
    let begin = "the machine changed here: the reference became 1";
    assert!(
        reported.starts_with(begin) && reported.ends_with("% slower (`latency`)"),
        "{reported}"
    );
    assert!(!is_new_regression(&change));
}

#[test]
fn a_change_beside_a_reference_that_stays_is_the_programs() {
    let change = nights(0.0).only();
    assert_eq!(change.finding.kind, ChangeKind::Step);
    assert!(is_new_regression(&change) && change.finding.environment.is_empty());
}

#[test]
fn a_change_within_one_run_is_the_programs() {
    let mut lab = ChangeLab::new();
    lab.measure(1..41, step);
    reference(&mut lab, ReferenceProgram::Latency, 50.0);
    for order in 41..61 {
        lab.measure(order..order + 1, step);
        reference(&mut lab, ReferenceProgram::Latency, 60.0);
    }
    let changes = lab.judge().changes;
    let first = changes.iter().find(|change| change.finding.revision == "r20").unwrap();
    assert_eq!(first.finding.kind, ChangeKind::Step);
}
