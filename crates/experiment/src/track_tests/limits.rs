//! Limits, and readings that are not there.

use super::*;
use crate::test_context::lab_context;

#[test]
fn failures_from_before_a_time_limit_was_raised_mean_nothing() {
    let mut lab = TestLab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'\ntimeout = '1s'", 1);
    lab.track(|_, at| ended(ExecutionEnd::Exited(127), at)).unwrap();
    assert_eq!(lab.track(well).unwrap().samples, 0);
    lab.benchmarks = lab.benchmarks.replace("1s", "2s");
    assert_eq!(lab.track(well).unwrap().samples, 4, "it is executed as it reads now");
}

#[test]
fn to_reach_a_limit_is_a_result_and_its_values_are_bounds() {
    let limited = "[[benchmark]]\nname = 'a'\ncommand = 'a'\nlimits = { cpu-time = '2s', \
        address-space = '1GiB' }";
    let lab = TestLab::new(limited, 1);
    let executed = Shared::new(0);
    let tracked = lab.track(|request, at| {
        assert_eq!(request.limits.cpu_time, Some(Duration::from_secs(2)));
        executed.set(executed.get() + 1);
        match executed.get() {
            1 | 2 => ended(ExecutionEnd::LimitReached(Limit::CpuTime), at),
            3 => ended(ExecutionEnd::Killed(6), at),
            _ => ended(ExecutionEnd::Exited(0), at),
        }
    });
    assert_eq!(tracked.unwrap().samples, 4, "two in a row are no reason to give up");
    assert_eq!(lab.track(well).unwrap().samples, 0, "they count");
    let mut store = lab.store();
    let (id, _) = store.cells(1).unwrap()[0].clone();
    let samples = store.samples(id).unwrap();
    let lines: Vec<String> = samples
        .iter()
        .filter_map(|sample| sample.outcome.described())
        .map(|(line, _)| line)
        .collect();
    let cpu_time = "limit reached: 2.000 s of processor time";
    let space = "limit reached: 1.000 GiB of address space (killed by signal 6 (SIGABRT))";
    assert_eq!(lines, [cpu_time, cpu_time, space]);
    assert_eq!(samples[1].value("cpu"), Some(2e9), "at least the limit, though 0 was read");
    let wall = tacho_record::Metric::built_in("wall").unwrap();
    assert_eq!(samples[1].bound(&wall), Some(1e7));
    assert_eq!(
        (samples[0].bound(&wall), samples[3].bound(&wall)),
        (None, None),
        "the warmup, and a valid one"
    );
}

#[test]
fn why_a_metric_is_absent_is_kept_once() {
    let lab = TestLab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'", 2);
    let executed = Shared::new(0);
    lab.track(|request, at| {
        executed.set(executed.get() + 1);
        let why = format!("not available here: {}", executed.get());
        Execution { absent: vec![MissingMetric::new("on-cpu", why)], ..well(request, at) }
    })
    .unwrap();
    let mut store = lab.store();
    let key = store.cells(1).unwrap()[0].1.benchmark.clone();
    let expected = Absence { metric: "on-cpu".into(), why: "not available here: 1".into() };
    assert_eq!(store.absences(1, &key).unwrap(), [expected]);
    assert_eq!(store.absences(2, &key).unwrap(), []);
}

#[test]
fn why_readings_of_the_host_are_absent_is_kept_once_a_run() {
    let lab = TestLab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'", 2);
    let why = "not available here: no";
    let mut executor =
        ScriptedExecutor::new(well).not_reading(vec![MissingMetric::new("host-frequency", why)]);
    lab.track_by(&mut executor, &mut SilentObserver).unwrap();
    let mut store = lab.store();
    let key = store.cells(1).unwrap()[0].1.benchmark.clone();
    let expected = Absence { metric: "host-frequency".into(), why: why.into() };
    assert_eq!(store.absences(1, &key).unwrap(), [expected]);
}

#[test]
fn what_is_otherwise_at_the_end_of_a_run_is_kept() {
    let lab = TestLab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'", 1);
    let facts = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    };
    let begin = facts(&[("now.governor", "powersave"), ("now.load", "0.1"), ("now.thp", "never")]);
    let question = Question { conditions: begin, ..lab.question() };
    let end = facts(&[("now.governor", "powersave"), ("now.load", "4.0"), ("now.thp", "never")]);
    let mut executor = ScriptedExecutor::new(well).stating(end);
    lab.ask(&question, &mut executor, &mut SilentObserver).unwrap();
    let kept = [
        ("end.load", "4.0"),
        ("now.governor", "powersave"),
        ("now.load", "0.1"),
        ("now.thp", "never"),
    ];
    assert_eq!(lab.store().conditions(1).unwrap(), facts(&kept));
}

#[test]
fn an_end_that_is_none_of_the_limits_is_a_failure_under_it() {
    let lab = TestLab::new(
        "[[benchmark]]\nname = 'a'\ncommand = 'a'\nlimits = { address-space = '1GiB' }",
        1,
    );
    lab.track(|_, at| ended(ExecutionEnd::Exited(3), at)).unwrap();
    assert!(
        lab.samples().iter().all(|line| line.contains("Exit { code: 3 }")),
        "{:?}",
        lab.samples()
    );
}

#[test]
fn a_wrong_answer_under_a_limit_is_a_failure() {
    let lab = TestLab::new(
        "[[benchmark]]\nname = 'a'\ncommand = 'a'\nexpect.stdout = { contains = 'x' }\n\
         limits = { address-space = '1GiB' }",
        1,
    );
    lab.track(well).unwrap();
    assert!(lab.samples().iter().all(|line| line.contains("WrongAnswer")), "{:?}", lab.samples());
}

#[test]
fn what_cannot_be_had_here_is_said_before_anything_is_built() {
    let lab =
        TestLab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'\nconditions = { cold = true }", 1);
    let mut store = lab.store();
    let host = store.put_host(&Host { name: "lab".into(), facts: BTreeMap::new() }).unwrap();
    let why =
        Unavailable::new("cannot drop the system's caches", Some("dropping the caches needs root"));
    let mut executor =
        ScriptedExecutor::new(|_, at| ended(ExecutionEnd::Exited(0), at)).refusing(why);
    let mut builder = lab.builder();
    let mut context = lab_context(&mut store, &mut builder, &mut executor);
    let error = track(&mut context, &lab.question()).unwrap_err();
    let expected =
        "benchmark `a` cannot be executed as the plan says: cannot drop the system's caches";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.hint().as_deref(), Some("dropping the caches needs root"));
    assert!(store.builds(host).unwrap().is_empty());
}
