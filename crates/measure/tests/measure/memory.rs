//! Peak memory: the subject's own number or none, never ours.

use tacho_measure::MissingMetric;

use super::subject::{beside, in_role};
use super::{content, execute, request};

const MIB: u64 = 1 << 20;

#[test]
fn a_subject_that_fills_memory_shows_it() {
    let peak = execute(&in_role("fill")).usage.peak_memory.unwrap();
    assert!((64 * MIB..96 * MIB).contains(&peak), "{peak}");
    let peak = execute(&request(&["dd", "if=/dev/zero", "of=/dev/null", "bs=100M", "count=1"]))
        .usage
        .peak_memory;
    assert!(peak.is_some_and(|peak| (100 * MIB..120 * MIB).contains(&peak)), "{peak:?}");
}

#[test]
fn a_small_program_shows_its_own_whatever_the_harness_holds() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer");
    assert!(beside("heavy harness", &file).status().unwrap().success());
    let answer = content(&file);
    let [small, floor, large] = answer.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{answer}")
    };
    let number =
        |text: &str| text.trim_start_matches("Some(").trim_end_matches(')').parse::<u64>().unwrap();
    assert!(number(floor) < 256 * 1024, "{answer}");
    // What its C library takes is in it.
    assert!((256 * 1024..8 * MIB).contains(&number(small)), "{answer}");
    assert!(number(large) > 64 * MIB, "{answer}");
}

#[test]
fn what_is_smaller_than_its_own_command_is_absent_with_its_reason() {
    let mut long = request(&["true"]);
    long.command.extend((0..20).map(|_| "x".repeat(100_000)));
    let usage = execute(&long).usage;
    assert!(usage.peak_floor > 2_000_000);
    assert_eq!(
        usage.peak_memory.map(|peak| peak > usage.peak_floor),
        usage.peak_memory.map(|_| true)
    );

    let usage = tacho_measure::Usage { peak_floor: 33 * MIB, ..Default::default() };
    let why =
        "too small to see: below 33792 KiB a process shows what it inherited from the launcher"
            .to_owned();
    assert!(usage.absent().contains(&MissingMetric::new("peak-memory", why)));
}
