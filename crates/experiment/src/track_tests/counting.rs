//! Counters: what is counted beside executions, and what callgrind counts in executions of their
//! own.

use std::fs;

use tacho_measure::{CounterValue, MissingMetric, Unavailable};
use tacho_record::{Counter, Sample};

use super::*;
use crate::Event;

const COUNTED: &str =
    "[[benchmark]]\nname = 'a'\ncommand = 'a'\nmetrics = ['wall', 'instructions?', 'energy']\n";
const CALLGRIND: &str = "[[benchmark]]\nname = 'a'\ncommand = 'a'\nprepare = 'ready'\nmetrics = \
    ['callgrind-instructions']\n";

/// Keeps what is said to be absent.
#[derive(Default)]
struct HeardEvents(Vec<String>);

impl Observer for HeardEvents {
    fn note(&mut self, event: &Event<'_>) {
        if let Event::Absent { benchmark, metric, why } = event {
            self.0.push(format!("{benchmark} {metric}: {why}"));
        }
    }
}

/// All samples, in order of run and place.
fn samples(lab: &TestLab) -> Vec<Sample> {
    let mut store = lab.store();
    let mut runs = store.runs().unwrap();
    runs.sort_by_key(|run| run.number);
    let cells: Vec<_> = runs.iter().flat_map(|run| store.cells(run.number).unwrap()).collect();
    cells.into_iter().flat_map(|(id, _)| store.samples(id).unwrap()).collect()
}

/// That metric of all samples, the warmup first.
fn values(lab: &TestLab, metric: &str) -> Vec<Option<f64>> {
    samples(lab).iter().map(|sample| sample.value(metric)).collect()
}

fn unavailable() -> Unavailable {
    Unavailable { why: "not available here: no".into(), hint: None }
}

/// What callgrind does when it counts, as far as it is looked at; where it is not called, an
/// execution that goes well.
fn callgrind(count: u64) -> impl Fn(&Request, Timestamp) -> Execution {
    move |request, at| {
        let out =
            request.command.iter().find_map(|word| word.strip_prefix("--callgrind-out-file="));
        if let Some(out) = out {
            assert_eq!(request.command.last().unwrap(), "a");
            let out = out.strip_suffix("%p").unwrap();
            let part = format!(
                "cmd: a\ndesc: Timerange: Basic block 0 - 1\ndesc: Trigger: Program \
                 termination\ntotals: {count}\n"
            );
            fs::write(format!("{out}7"), part).unwrap();
            let log = "== Parent PID: 1\n== For interactive control, run 'callgrind_control -h'\n";
            fs::write(format!("{}7", out.replace("/out.", "/log.")), log).unwrap();
        }
        well(request, at)
    }
}

fn is_callgrind(request: &Request) -> bool {
    request.command[0] == "valgrind"
}

#[test]
fn counts_are_kept_with_the_share_of_time_that_they_were_counted_in() {
    let lab = TestLab::new(COUNTED, 1);
    let tracked = lab.track(|request, at| {
        assert_eq!(request.counters, [Counter::Instructions, Counter::Energy]);
        let count = |value, running| {
            let (enabled, running) = (Duration::from_millis(10), Duration::from_millis(running));
            CounterValue { value, enabled, running }
        };
        let counts =
            vec![(Counter::Instructions, count(500, 4)), (Counter::Energy, count(2_500_000, 10))];
        Execution { counts, ..well(request, at) }
    });
    assert_eq!(tracked.unwrap().samples, 4);
    assert_eq!(values(&lab, "instructions"), [Some(500.0); 4]);
    assert_eq!(values(&lab, "energy"), [Some(2.5); 4]);
    assert_eq!(values(&lab, "counted-share"), [Some(40.0); 4]);
}

#[test]
fn what_cannot_be_had_is_an_error_before_anything_is_built_unless_it_is_optional() {
    let lab = TestLab::new(COUNTED, 1);
    let executed = || ScriptedExecutor::new(|_, _| panic!("nothing is executed"));
    let mut executor = executed().lacking(Counter::Energy, unavailable());
    let error = lab.ask(&lab.question(), &mut executor, &mut SilentObserver).unwrap_err();
    assert_eq!(error.to_string(), "benchmark `a` requests `energy`: not available here: no");
    assert_eq!(error.hint().unwrap(), "`energy?` leaves the metric out where it is not available");
    assert_eq!(lab.store().builds(lab.store().hosts().unwrap()[0].0).unwrap(), []);

    let mut executor = ScriptedExecutor::new(|request, at| {
        // As the real one says of each execution.
        let absent = vec![
            MissingMetric::new("instructions", "not available here: no"),
            MissingMetric::new("on-cpu", "…"),
        ];
        Execution { absent, ..well(request, at) }
    })
    .lacking(Counter::Instructions, unavailable());
    let mut heard = HeardEvents::default();
    assert_eq!(lab.ask(&lab.question(), &mut executor, &mut heard).unwrap().samples, 4);
    assert_eq!(
        heard.0,
        vec!["a instructions: not available here: no"; 2],
        "beforehand, and once of its cell"
    );
    assert_eq!(values(&lab, "instructions"), [None; 4]);
}

#[test]
fn callgrind_counts_once_for_each_cell_and_run_and_one_cell_twice() {
    let lab = TestLab::new(CALLGRIND, 2);
    let mut executor = ScriptedExecutor::new(callgrind(1234));
    let tracked = lab.ask(&lab.question(), &mut executor, &mut SilentObserver).unwrap();
    assert_eq!(tracked.samples, 8);
    let requests = executor.requests();
    let counted: Vec<usize> =
        (0..requests.len()).filter(|&index| is_callgrind(&requests[index])).collect();
    assert_eq!(counted.len(), 3, "once for each revision, and one of them twice");
    for index in counted {
        assert_eq!(requests[index - 1].command, ["sh", "-c", "ready"], "prepared like any other");
        assert_eq!(
            requests[index].timeout,
            Duration::from_secs(62),
            "a minute, and 200 times 10 ms"
        );
        assert_eq!(requests[index].conditions.aslr, Some(false));
    }
    // The warmup counts nothing; the first round does, and the second for the first revision.
    let once = [None, Some(1234.0), None, None];
    let twice = [None, Some(1234.0), Some(1234.0), None];
    assert_eq!(values(&lab, "callgrind-instructions"), [twice, once].concat());
    // Its times are nobody's.
    assert!(values(&lab, "wall").iter().all(|wall| *wall == Some(1e7)));

    let lab = TestLab { measure: "rounds = 5".into(), ..lab };
    let more = lab.question();
    lab.ask(&more, &mut executor, &mut SilentObserver).unwrap();
    assert_eq!(
        values(&lab, "callgrind-instructions").iter().flatten().count(),
        6,
        "again in another run"
    );
}

#[test]
fn what_fails_under_callgrind_keeps_its_sample() {
    let lab = TestLab::new(CALLGRIND, 1);
    let mut executor = ScriptedExecutor::new(|request, at| {
        if is_callgrind(request) { ended(ExecutionEnd::Killed(4), at) } else { well(request, at) }
    });
    let mut heard = HeardEvents::default();
    let tracked = lab.ask(&lab.question(), &mut executor, &mut heard).unwrap();
    assert_eq!((tracked.samples, tracked.interrupted), (4, false));
    assert_eq!(heard.0, ["a callgrind-instructions: under callgrind: killed by signal 4 (SIGILL)"]);
    assert_eq!(
        executor.requests().iter().filter(|request| is_callgrind(request)).count(),
        1,
        "not tried again"
    );
    assert!(samples(&lab).iter().all(|sample| sample.outcome == Outcome::Valid));
}

#[test]
fn interrupted_under_callgrind_it_is_counted_when_the_run_goes_on() {
    let lab = TestLab::new(CALLGRIND, 1);
    let stopped = lab.track(|request, at| {
        if is_callgrind(request) { ended(ExecutionEnd::Interrupted, at) } else { well(request, at) }
    });
    assert_eq!((stopped.as_ref().unwrap().interrupted, stopped.unwrap().samples), (true, 1));
    lab.track(callgrind(9)).unwrap();
    assert_eq!(values(&lab, "callgrind-instructions"), [None, Some(9.0), None, None]);
}

/// `--counter`: what was measured without is executed again, as often as it lacks.
#[test]
fn what_is_requested_later_is_counted_later() {
    let without = "[[benchmark]]\nname = 'a'\ncommand = 'a'\n";
    let lab = TestLab::new(without, 1);
    lab.track(well).unwrap();
    let with = |metric: &str, counter| {
        let plan = plan(&format!("{without}metrics = ['wall', '{metric}']\n"));
        Question { plan, counted: vec![counter], ..lab.question() }
    };
    let question = with("callgrind-instructions", Counter::CallgrindInstructions);
    let mut executor = ScriptedExecutor::new(callgrind(5));
    let tracked = lab.ask(&question, &mut executor, &mut SilentObserver).unwrap();
    assert_eq!(tracked.samples, 2, "a warmup and one to count");
    assert_eq!(
        values(&lab, "callgrind-instructions").into_iter().flatten().collect::<Vec<_>>(),
        [5.0]
    );
    let again = lab.ask(&question, &mut executor, &mut SilentObserver).unwrap();
    assert_eq!((again.samples, again.run), (0, None));

    let question = with("task-clock", Counter::TaskClock);
    let mut executor = ScriptedExecutor::new(|request, at| {
        let time = Duration::from_millis(1);
        let count = CounterValue { value: 7, enabled: time, running: time };
        Execution { counts: vec![(Counter::TaskClock, count)], ..well(request, at) }
    });
    assert_eq!(
        lab.ask(&question, &mut executor, &mut SilentObserver).unwrap().samples,
        4,
        "in each of three rounds"
    );
    assert_eq!(lab.ask(&question, &mut executor, &mut SilentObserver).unwrap().samples, 0);
}
