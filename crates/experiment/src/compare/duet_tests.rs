//! Both sides at the same time, with a scripted executor and clock.

use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{Execution, ExecutionEnd, Request};
use tacho_record::{Comparing, Cpus, StopCondition};
use tacho_stats::compare::{ChoiceReason, Note, Verdict};

use super::tests::{ONE, TWO, compared, lab, rows, terms};
use crate::ExperimentError;
use crate::track_tests::TestLab;

fn duet(lab: &TestLab) -> Comparing {
    Comparing { control: false, duet: Some([2, 5]), until: StopCondition::AllRounds, ..terms(lab) }
}

/// The processor that a request is kept to.
fn cpu(request: &Request) -> u32 {
    let Some(Cpus::List(list)) = &request.conditions.cpus else { panic!("{request:?}") };
    *list.first().unwrap()
}

/// The second revision takes so many times as long, processor 5 a tenth more than 2, and all the
/// more the longer the host is up, half as much again in every other second.
fn taking(times: f64) -> impl FnMut(&Request, Timestamp) -> Execution {
    move |request, at| {
        let own = if request.command.join(" ").contains("r2") { times } else { 1.0 };
        let place = if cpu(request) == 5 { 1.1 } else { 1.0 };
        let load = if at.as_second() % 2 == 0 { 1.0 } else { 1.5 };
        let drift = 1.0 + at.as_second() as f64 * 1e-9;
        let wall = 0.1 * own * place * load * drift;
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_secs_f64(wall))
    }
}

#[test]
fn what_disturbs_both_and_what_processors_differ_by_is_no_difference() {
    for (times, verdict) in [(1.0, Verdict::Same), (1.03, Verdict::Slower)] {
        let lab = lab(ONE, 20);
        let all = rows(compared(&lab, &duet(&lab), taking(times)));
        let row = &all.rows[0];
        assert_eq!((row.verdict, row.comparison.counts.rounds), (verdict, 20), "{row:?}");
        let (low, high) = row.comparison.estimate.unwrap().interval.unwrap();
        assert!(low > times - 1e-3 && high < times + 1e-3, "{low} {high}");
        assert_eq!(row.comparison.choice.because, ChoiceReason::Duet);
        let is_place =
            |note: &Note| matches!(note, Note::Places(places) if (places * 1.1 - 1.0).abs() < 1e-3);
        assert!(row.comparison.notes.iter().any(is_place), "{:?}", row.comparison.notes);
    }
}

#[test]
fn both_begin_together_and_change_processors_from_round_to_round() {
    let lab = lab(TWO, 6);
    let mut seen: Vec<(Timestamp, String, u32)> = Vec::new();
    let mut script = taking(1.0);
    rows(compared(&lab, &duet(&lab), |request: &Request, at| {
        seen.push((at, request.command.join(" "), cpu(request)));
        script(request, at)
    }));
    let pairs: Vec<_> = seen.chunks(2).collect();
    assert_eq!(pairs.len(), 14, "a warmup and six rounds of two benchmarks");
    for pair in &pairs {
        assert_eq!(pair[0].0, pair[1].0, "at the same time");
        assert_eq!((pair[0].2, pair[1].2), (2, 5));
        assert_eq!(pair[0].1[..1], pair[1].1[..1], "of one benchmark: {pair:?}");
    }
    let first = |benchmark: &str| -> Vec<bool> {
        let of = pairs[2..].iter().filter(|pair| pair[0].1.starts_with(benchmark));
        of.map(|pair| pair[0].1.ends_with("r1")).collect()
    };
    for benchmark in ["b", "c"] {
        let firsts = first(benchmark);
        assert!(firsts.len() == 6 && firsts.windows(2).all(|two| two[0] != two[1]), "{firsts:?}");
    }
}

#[test]
fn what_was_interrupted_goes_on_with_whole_pairs() {
    let whole = lab(TWO, 8);
    let expected = rows(compared(&whole, &duet(&whole), taking(1.02)));
    // In the middle of pairs, too.
    for stop in [5, 12, 23] {
        let lab = lab(TWO, 8);
        let (mut script, mut left) = (taking(1.02), stop);
        let first = compared(&lab, &duet(&lab), |request: &Request, at| {
            if left == 0 {
                return Execution::of(ExecutionEnd::Interrupted, at, Duration::from_millis(1));
            }
            left -= 1;
            script(request, at)
        });
        let first = rows(first);
        assert!(first.interrupted);
        assert!(first.rows.iter().all(|row| row.comparison.counts.a == row.comparison.counts.b));
        let second = rows(compared(&lab, &duet(&lab), taking(1.02)));
        assert_eq!((second.interrupted, second.run.as_ref().unwrap().number), (false, 1));
        assert_eq!(second.rows.len(), expected.rows.len());
        assert!(
            second.rows.iter().all(|row| row.comparison.counts.rounds == 8),
            "stopped after {stop}"
        );
    }
}

#[test]
fn who_cannot_be_prepared_leaves_the_other_without_a_sample() {
    let plan = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\nprepare = 'p \
        {revision}'\nconclude = 'c {revision}'\n";
    let lab = lab(plan, 6);
    let mut commands = Vec::new();
    let all = rows(compared(&lab, &duet(&lab), |request: &Request, at| {
        let command = request.command.join(" ");
        commands.push(command.clone());
        let fails = command.ends_with("p r2");
        Execution::of(ExecutionEnd::Exited(i32::from(fails)), at, Duration::from_millis(1))
    }));
    assert!(!commands.iter().any(|command| command.starts_with("b ")), "{commands:?}");
    let begun = |hook: &str| commands.iter().filter(|command| command.contains(hook)).count();
    assert_eq!(begun("-c p "), begun("-c c "), "what was begun is ended: {commands:?}");
    let (why, side) = all.rows[0].failure.clone().unwrap();
    assert_eq!(side, 0);
    assert!(
        why.contains(
            "since the other side of the pair could not be executed: `prepare` failed: exit 1"
        ),
        "{why}"
    );
}

#[test]
fn what_would_be_in_its_own_way_is_refused() {
    let refused = [
        ("companion = { command = 'server', ready = 'started' }\n", "one companion"),
        ("output = { file = 'out' }\n", "one file"),
        ("metrics = [{ name = 'x', from = 'key:x', file = 'f' }]\n", "is read from"),
    ];
    for (more, word) in refused {
        let plan = format!("{ONE}{more}");
        let lab = lab(&plan, 6);
        let error = super::check_at_once(&lab.question(), &duet(&lab)).unwrap_err();
        let ExperimentError::NotAtOnce { why, .. } = &error else { panic!("{error}") };
        assert!(why.contains(word), "{why}");
        assert!(super::check_at_once(&lab.question(), &terms(&lab)).is_ok());
    }
}
