//! Changes of wall time on a busy host.

use tacho_record::RepeatMeasurement;

use super::*;

/// What is read beside this wall time, of which that was waiting for a CPU and sleep, where others
/// used this many CPUs.
fn times(wall: f64, waited: f64, asleep: f64, others: f64) -> Vec<(&'static str, f64)> {
    let cpu = wall - waited - asleep;
    let others = ("host-other-cpu", others * wall);
    vec![("cpu", cpu), ("on-cpu", cpu), ("cpu-wait", waited), others]
}

/// The only change of the wall time of forty revisions that are a fifth slower from the twentieth
/// on.
fn change_beside(beside: fn(u64, f64) -> Vec<(&'static str, f64)>) -> Change {
    let mut lab = ChangeLab::new();
    lab.beside = beside;
    let mut changes = lab.measure(1..41, step).judge().changes;
    changes.retain(|change| change.series.metric.name == "wall");
    let [change] = changes.as_slice() else { panic!("{changes:#?}") };
    change.clone()
}

#[test]
fn a_change_that_is_waiting_for_others_is_blamed_on_no_commit() {
    let mut change =
        change_beside(|order, wall| times(wall, if order < 20 { 0.0 } else { 20.0 }, 0.0, 1.5));
    assert_eq!(change.finding.revision, "r20");
    assert!(change.is_of_other_work() && !is_new_regression(&change), "{change:?}");
    assert_eq!(
        (change.finding.kind_words().as_str(), change.verdict_words().as_str()),
        ("busy host", "probably the host")
    );
    let why = tacho_report::change::other_work(&change).unwrap();
    assert!(why.starts_with("without the time spent waiting for a CPU, the change is "), "{why}");
    // Measured side by side, it is a fact.
    change.again = Some(RepeatMeasurement {
        run: 2,
        samples: 20,
        differs: Some(true),
        effect: Some(0.2),
        interval: Some((0.19, 0.21)),
        limited: [0, 0],
        layouts: 0,
        environments: false,
    });
    assert!(!change.is_of_other_work() && is_new_regression(&change));
    assert_eq!(change.verdict_words(), "worse");
}

#[test]
fn a_change_of_the_program_stays_one_beside_other_work() {
    let busy = change_beside(|_, wall| times(wall, 0.1 * wall, 0.0, 1.5));
    let asleep =
        change_beside(|order, wall| times(wall, 5.0, if order < 20 { 0.0 } else { 20.0 }, 1.5));
    for change in [busy, asleep] {
        assert_eq!(change.finding.kind, ChangeKind::Step);
        assert!(is_new_regression(&change));
    }
}

#[test]
fn on_a_quiet_host_sleep_and_waiting_for_itself_are_the_programs() {
    let asleep =
        change_beside(|order, wall| times(wall, 0.0, if order < 20 { 0.0 } else { 20.0 }, 0.0));
    let waiting =
        change_beside(|order, wall| times(wall, if order < 20 { 0.0 } else { 20.0 }, 0.0, 0.0));
    for change in [asleep, waiting] {
        assert_eq!(change.finding.kind, ChangeKind::Step);
        assert!(is_new_regression(&change));
    }
}
