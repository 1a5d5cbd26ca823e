//! Peak memory: the subject's own number or none, never ours.

use super::subject::{beside, in_role};
use super::{content, execute, request};

const MIB: u64 = 1 << 20;

#[test]
fn a_subject_that_fills_memory_shows_it() {
    let peak = execute(&in_role("fill")).usage.peak_memory.unwrap();
    assert!((64 * MIB..96 * MIB).contains(&peak), "{peak}");
    let peak =
        execute(&request(&["dd", "if=/dev/zero", "of=/dev/null", "bs=100M", "count=1"])).usage.peak_memory;
    assert!(peak.is_some_and(|peak| (100 * MIB..120 * MIB).contains(&peak)), "{peak:?}");
}

#[test]
fn what_is_smaller_than_the_harness_is_absent_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer");
    assert!(beside("heavy harness", &file).status().unwrap().success());
    let answer = content(&file);
    let [small, floor, large] = answer.split(' ').collect::<Vec<_>>()[..] else { panic!("{answer}") };
    assert_eq!(small, "None");
    assert!(floor.parse::<u64>().unwrap() > 32 * MIB, "{floor}");
    assert!(large.starts_with("Some("), "{large}");

    let usage = tacho_measure::Usage { peak_floor: 33 * MIB, ..Default::default() };
    let why = "too small to see: below 33792 KiB a process shows what it inherited from this one";
    assert_eq!(usage.peak_absent().unwrap(), why);
}
