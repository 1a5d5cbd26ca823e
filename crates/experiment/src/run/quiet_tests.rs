//! Rounds that wait for a quiet host, and are repeated when it was not: on a scripted clock, with a
//! scripted host.

use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{Execution, ExecutionEnd, Readings, Request, ScriptedExecutor};
use tacho_record::{Outcome, QuietWait, Sample};

use crate::run::quiet::LOOK;
use crate::track_tests::{TestLab, ended};
use crate::{Event, Observer, SilentObserver};

/// Two cells of a second each, three rounds after a warmup.
fn lab(most: &str) -> TestLab {
    let mut lab = TestLab::new("[[benchmark]]\nname = 'a'\ncommand = 'a {revision}'\n", 2);
    lab.measure = format!("rounds = 3\nquiet-wait = '{most}'");
    lab
}

/// An execution of a second, during which others used so much.
fn beside(others: Duration) -> Execution {
    let readings = Readings { other_cpu: Some(others), ..Readings::default() };
    Execution {
        readings,
        ..Execution::of(ExecutionEnd::Exited(0), Timestamp::UNIX_EPOCH, Duration::from_secs(1))
    }
}

fn quietly(_: &Request, _: Timestamp) -> Execution {
    beside(Duration::ZERO)
}

/// Others use all of a CPU in executions that begin in these seconds.
fn loud_in(seconds: &[i64]) -> impl FnMut(&Request, Timestamp) -> Execution {
    let seconds = seconds.to_vec();
    move |_, at| beside(Duration::from_secs(seconds.contains(&(at.as_second())).into()))
}

/// What the host looks like until then, when somebody looks.
fn loud_until(end: Duration) -> impl FnMut(Timestamp) -> Readings {
    move |at| {
        let loud = at < Timestamp::UNIX_EPOCH + end;
        Readings {
            other_cpu: Some(if loud { LOOK } else { Duration::ZERO }),
            ..Readings::default()
        }
    }
}

/// All samples of run 1: of which cell, in which round, whether they count.
fn samples(lab: &TestLab) -> Vec<(String, u32, bool)> {
    let mut store = lab.store();
    let mut all = Vec::new();
    for (id, cell) in store.cells(1).unwrap() {
        let reported = |sample: Sample| {
            (cell.revision.clone(), sample.place.round, sample.outcome == Outcome::Valid)
        };
        all.extend(store.samples(id).unwrap().into_iter().map(reported));
    }
    all
}

/// The rounds with and those without valid samples, the warmup left out.
fn rounds(lab: &TestLab) -> (Vec<u32>, Vec<u32>) {
    let (mut count, mut disturbed) = (Vec::new(), Vec::new());
    for (_, round, counts) in samples(lab).into_iter().filter(|(_, round, _)| *round > 0) {
        if counts { count.push(round) } else { disturbed.push(round) }
    }
    for rounds in [&mut count, &mut disturbed] {
        rounds.sort_unstable();
        assert!(
            rounds.chunks(2).all(|pair| pair.len() == 2 && pair[0] == pair[1]),
            "both cells: {rounds:?}"
        );
        rounds.dedup();
    }
    (count, disturbed)
}

/// Keeps what is told of the host.
#[derive(Default)]
struct HeardNoise(Vec<String>);

impl Observer for HeardNoise {
    fn note(&mut self, event: &Event<'_>) {
        match event {
            Event::Waiting { noise, took } => self.0.push(format!("{took:?}: {noise}")),
            Event::Disturbed { round, noise } => self.0.push(format!("round {round}: {noise}")),
            _ => {}
        }
    }
}

#[test]
fn nothing_is_executed_until_the_host_is_quiet() {
    let lab = lab("1m");
    let mut executor = ScriptedExecutor::new(|request: &Request, at: Timestamp| {
        assert!(at >= Timestamp::UNIX_EPOCH + Duration::from_secs(1), "executed at {at}");
        quietly(request, at)
    })
    .looking(loud_until(Duration::from_secs(1)));
    let mut heard = HeardNoise::default();
    lab.track_by(&mut executor, &mut heard).unwrap();
    let why = "other processes used 0.9 CPU".to_owned();
    assert_eq!(heard.0.len(), 5);
    assert_eq!(heard.0[4], format!("1s: {why}"));
    let wait = QuietWait { round: 0, took: Duration::from_secs(1), quiet: true, why };
    assert_eq!(lab.store().waits(1).unwrap(), [wait]);
    assert_eq!(rounds(&lab), (vec![1, 2, 3], vec![]));
}

#[test]
fn a_host_that_stays_loud_is_waited_for_no_longer_than_wished_all_rounds_together() {
    let lab = lab("500ms");
    let mut executor =
        ScriptedExecutor::new(quietly).looking(loud_until(Duration::from_secs(1000)));
    let tracked = lab.track_by(&mut executor, &mut SilentObserver).unwrap();
    assert_eq!((tracked.samples, tracked.interrupted), (8, false));
    let waits = lab.store().waits(1).unwrap();
    assert_eq!(
        (waits.len(), waits[0].took, waits[0].quiet),
        (1, Duration::from_millis(500), false)
    );
}

#[test]
fn a_disturbed_round_that_is_not_kept_by_itself_is_an_error() {
    let lab = lab("1m");
    let mut script = loud_in(&[5, 6]);
    let mut executor = ScriptedExecutor::new(|request: &Request, at: Timestamp| {
        // Somebody packs the run while it goes on.
        if at.as_second() == 5 {
            lab.store().seal(1).unwrap();
        }
        script(request, at)
    });
    let error = lab.track_by(&mut executor, &mut SilentObserver).unwrap_err();
    assert!(
        error.to_string().starts_with("cannot mark the samples of disturbed round 2: only "),
        "{error}"
    );
    assert!(error.hint().is_some_and(|hint| hint.contains("measure again")));
}

#[test]
fn a_disturbed_round_is_repeated_whole_and_kept() {
    let lab = lab("1m");
    // The host is looked at for 200 ms before each round of 2 s: the second round is from 4.6 to
    // 6.6 s.
    let mut executor = ScriptedExecutor::new(loud_in(&[5]));
    let mut heard = HeardNoise::default();
    let tracked = lab.track_by(&mut executor, &mut heard).unwrap();
    assert_eq!(heard.0, ["round 2: other processes used 1.0 CPU"]);
    assert_eq!(tracked.samples, 10, "two cells, a warmup, three rounds and one again");
    assert_eq!(rounds(&lab), (vec![1, 3, 4], vec![2]));
    let why = "other processes used 1.0 CPU".to_owned();
    assert_eq!(lab.store().disturbed(1).unwrap(), [(2, why)]);
    let mut store = lab.store();
    let host = store.hosts().unwrap()[0].0;
    assert!(store.counts(host).unwrap().iter().all(|count| (count.valid, count.failed) == (3, 0)));
    let key = store.cells(1).unwrap()[0].1.benchmark.clone();
    let values = store.values(host, &key, "wall").unwrap();
    assert!(values.iter().all(|values| values.values.len() == 3 && values.failed == 0));
    drop(store);
    assert_eq!(lab.track(quietly).unwrap().run, None, "nothing is missing");
}

#[test]
fn a_round_is_repeated_twice_at_the_most() {
    let lab = lab("1m");
    let always: Vec<i64> = (0..100).collect();
    let tracked = lab.track(loud_in(&always)).unwrap();
    assert_eq!(tracked.samples, 2 + 2 * 9);
    assert_eq!(rounds(&lab), (vec![3, 6, 9], vec![1, 2, 4, 5, 7, 8]));
}

#[test]
fn without_the_wish_nothing_is_looked_at_or_repeated() {
    let mut lab = lab("1m");
    lab.measure = "rounds = 3".to_owned();
    let always: Vec<i64> = (0..100).collect();
    let mut executor = ScriptedExecutor::new(loud_in(&always)).looking(|_| panic!("nobody looks"));
    assert_eq!(lab.track_by(&mut executor, &mut SilentObserver).unwrap().samples, 8);
    assert_eq!(rounds(&lab), (vec![1, 2, 3], vec![]));
}

#[test]
fn interrupted_anywhere_it_comes_to_the_same_rounds() {
    // By the number of the execution, whatever the clock says: the second round, and the first time
    // that it is repeated.
    let loud = |executed: usize| [4, 7].contains(&executed);
    for stop in 0..12 {
        let lab = lab("1m");
        let mut executed = 0;
        let mut stopped = false;
        loop {
            let tracked = lab.track(|_, at| {
                if executed == stop && !stopped {
                    stopped = true;
                    return ended(ExecutionEnd::Interrupted, at);
                }
                executed += 1;
                beside(Duration::from_secs(loud(executed - 1).into()))
            });
            if !tracked.unwrap().interrupted {
                break;
            }
        }
        assert_eq!((stopped, executed), (true, 12), "interrupted at {stop}");
        assert_eq!(rounds(&lab), (vec![1, 4, 5], vec![2, 3]), "interrupted at {stop}");
    }
}
