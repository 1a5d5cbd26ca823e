//! `track` with a scripted builder, a scripted executor and a real store: nothing is compiled or
//! timed.

use std::cell::Cell as Shared;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{
    Capture, CapturedOutput, Execution, ExecutionEnd, Executor, MissingMetric, OutputRequest,
    Request, ScriptedExecutor, Unavailable,
};
use tacho_record::{BuildState, Digest, Failure, Host, Limit, Outcome, Plan, Recipes, Revision};
use tacho_store::{Absence, Location, Store};
use tacho_subject::ScriptedBuilder;
use tempfile::TempDir;

use crate::build::builds::tests::revision;
use crate::{Context, ExperimentError, Observer, Question, SilentObserver, TrackResult, track};

mod counting;

/// A plan with these benchmarks.
pub fn plan(benchmarks: &str) -> Plan {
    parsed(&plan_text("", "rounds = 3", benchmarks))
}

fn parsed(text: &str) -> Plan {
    tacho_record::plan::parse(text, "tacho.toml")
        .unwrap_or_else(|errors| panic!("{}", errors.render(false)))
}

fn plan_text(subject: &str, measure: &str, benchmarks: &str) -> String {
    // Each cell is measured for itself, where a test says nothing else.
    let link = if measure.contains("link") { "" } else { "link = 0\n" };
    format!("[subject]\n{subject}[measure]\n{link}{measure}\n{benchmarks}")
}

const TWO: &str = "[[benchmark]]\nname = 'a'\ncommand = 'a {revision}'\nexpect = { stdout = \
    'same' }\n[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n";

/// A laboratory whose history, builds and executions are scripted.
pub struct Lab {
    pub folder: TempDir,
    /// The keys of `[subject]`.
    pub subject: String,
    /// The keys of `[measure]`.
    pub measure: String,
    pub benchmarks: String,
    pub revisions: Vec<Revision>,
    contents: BTreeMap<String, BuildState>,
    pub retry_failed: bool,
    /// When the next session begins.
    pub clock: Shared<Timestamp>,
}

impl Lab {
    pub fn new(benchmarks: &str, revisions: u64) -> Self {
        let revisions: Vec<Revision> = (1..=revisions).map(revision).collect();
        let contents = revisions.iter().map(|r| (r.id.clone(), built(&r.id))).collect();
        let folder = tempfile::tempdir().unwrap();
        let (measure, benchmarks) = ("rounds = 3".to_owned(), benchmarks.to_owned());
        let clock = Shared::new(Timestamp::UNIX_EPOCH);
        let subject = String::new();
        Self {
            folder,
            subject,
            measure,
            benchmarks,
            revisions,
            contents,
            retry_failed: false,
            clock,
        }
    }

    fn build(mut self, revision: &str, state: BuildState) -> Self {
        self.contents.insert(revision.to_owned(), state);
        self
    }

    /// A cache that is always empty: what is measured again is built again.
    fn builder(&self) -> ScriptedBuilder {
        let states = self.contents.iter();
        states.fold(ScriptedBuilder::new(), |builder, (revision, state)| {
            builder.with(revision, state.clone())
        })
    }

    pub fn question(&self) -> Question {
        Question {
            plan: parsed(&plan_text(&self.subject, &self.measure, &self.benchmarks)),
            plan_text: plan_text(&self.subject, &self.measure, &self.benchmarks),
            plan_folder: self.folder.path().to_owned(),
            revisions: self.revisions.clone(),
            counted: Vec::new(),
            recipes: Recipes::usual(Digest::of("scripted")),
            measure_equal: false,
            retry_failed: self.retry_failed,
            seed: 11,
            version: "test".into(),
            conditions: BTreeMap::new(),
        }
    }

    pub fn store(&self) -> Store {
        Store::open(&Location::Folder(self.folder.path().join(".tacho"))).unwrap()
    }

    /// Tracks with executions as the script says; a script that panics is a `tacho` that was
    /// killed.
    pub fn track(
        &self,
        script: impl FnMut(&Request, Timestamp) -> Execution,
    ) -> Result<TrackResult, ExperimentError> {
        self.track_by(
            &mut ScriptedExecutor::new(script).starting_at(self.clock.get()),
            &mut SilentObserver,
        )
    }

    /// Tracks with that executor, and tells that observer.
    pub fn track_by(
        &self,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Result<TrackResult, ExperimentError> {
        self.ask(&self.question(), executor, observer)
    }

    /// Tracks what is asked.
    pub fn ask(
        &self,
        question: &Question,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Result<TrackResult, ExperimentError> {
        let mut store = self.store();
        let host = store.put_host(&Host { name: "lab".into(), facts: BTreeMap::new() }).unwrap();
        let mut bench = Context {
            store: &mut store,
            builder: &mut self.builder(),
            executor,
            observer,
            interrupt: &AtomicBool::new(false),
            host,
        };
        let tracked = track(&mut bench, question);
        self.clock.set(executor.now());
        tracked
    }

    /// Every sample of every run: run, revision, benchmark, place and how it ended.
    pub fn samples(&self) -> Vec<String> {
        let mut store = self.store();
        let mut samples = Vec::new();
        for run in store.runs().unwrap() {
            for (id, cell) in store.cells(run.number).unwrap() {
                for sample in store.samples(id).unwrap() {
                    let place = sample.place;
                    samples.push(format!(
                        "{} {} {} {}.{:02} {:?}",
                        run.number,
                        cell.revision,
                        cell.benchmark,
                        place.round,
                        place.position,
                        sample.outcome
                    ));
                }
            }
        }
        samples.sort();
        samples
    }
}

fn built(content: &str) -> BuildState {
    BuildState::Built { artifact: Digest::of(content), size: 1, layouts: None }
}

/// Ten milliseconds and the right answer.
pub fn well(_: &Request, at: Timestamp) -> Execution {
    Execution { stdout: Some(CapturedOutput::of("answer")), ..ended(ExecutionEnd::Exited(0), at) }
}

/// So many that go well, then the user's Ctrl-C.
pub fn interrupted_after(executions: usize) -> impl FnMut(&Request, Timestamp) -> Execution {
    let mut executed = 0;
    move |request, at| {
        executed += 1;
        if executed > executions { ended(ExecutionEnd::Interrupted, at) } else { well(request, at) }
    }
}

pub fn ended(how: ExecutionEnd, at: Timestamp) -> Execution {
    Execution::of(how, at, Duration::from_millis(10))
}

#[test]
fn every_cell_gets_its_rounds_and_then_nothing_is_missing() {
    let lab = Lab::new(TWO, 3);
    let tracked = lab.track(well).unwrap();
    assert_eq!((tracked.samples, tracked.interrupted, tracked.run), (3 * 2 * 4, false, Some(1)));
    let again = lab.track(|_, _| panic!("nothing is missing")).unwrap();
    assert_eq!((again.samples, again.interrupted, again.run), (0, false, None));
}

#[test]
fn a_run_with_a_new_revision_measures_the_newest_old_one_again() {
    let mut lab = Lab::new(TWO, 3);
    lab.measure = "rounds = 3\nlink = 1".into();
    let newest = lab.revisions.pop().unwrap();
    assert_eq!(lab.track(well).unwrap().samples, 2 * 2 * 4);
    lab.revisions.push(newest);
    // Stopped and resumed, the run ends with all that it set out for.
    lab.track(interrupted_after(7)).unwrap();
    let linked = lab.track(well).unwrap();
    assert_eq!((linked.run, linked.samples), (Some(2), 2 * 2 * 4 - 7));
    let again =
        |revision: &str| lab.samples().iter().filter(|line| line.contains(revision)).count();
    assert_eq!([again("r1"), again("r2"), again("r3")], [8, 16, 8]);
    assert_eq!(lab.track(well).unwrap().samples, 0, "nothing new: nothing is linked");
}

#[test]
fn stopped_after_any_execution_it_ends_with_the_same_samples() {
    let undisturbed = Lab::new(TWO, 2);
    undisturbed.track(well).unwrap();
    let expected = undisturbed.samples();
    for stop in 0..expected.len() {
        let lab = Lab::new(TWO, 2);
        assert!(lab.track(interrupted_after(stop)).unwrap().interrupted);
        assert_eq!(lab.samples().len(), stop);
        lab.track(well).unwrap();
        assert_eq!(lab.samples(), expected, "stopped after {stop}");
    }
}

#[test]
fn killed_in_any_execution_it_ends_with_the_same_samples() {
    let undisturbed = Lab::new(TWO, 2);
    undisturbed.track(well).unwrap();
    let expected = undisturbed.samples();
    for stop in 0..expected.len() {
        let lab = Lab::new(TWO, 2);
        let executed = Shared::new(0);
        // The store is dropped without a goodbye, as in a kill.
        let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            lab.track(|request, at| {
                executed.set(executed.get() + 1);
                if executed.get() > stop {
                    std::panic::resume_unwind(Box::new(()))
                } else {
                    well(request, at)
                }
            })
        }));
        assert!(killed.is_err());
        assert_eq!(lab.samples().len(), stop);
        lab.track(well).unwrap();
        assert_eq!(lab.samples(), expected, "killed in execution {stop}");
    }
}

#[test]
fn what_fails_each_time_is_given_up_and_left_alone() {
    let fails_at_r1 = |request: &Request, at| {
        if request.command[1] == "r1" {
            ended(ExecutionEnd::Killed(11), at)
        } else {
            well(request, at)
        }
    };
    let mut lab = Lab::new(TWO, 2);
    let tracked = lab.track(fails_at_r1).unwrap();
    assert_eq!(tracked.samples, 2 * 4 + 2 * 2, "two executions of each benchmark at r1, all at r2");
    assert_eq!(lab.track(fails_at_r1).unwrap().samples, 0);
    lab.retry_failed = true;
    assert_eq!(lab.track(well).unwrap().samples, 2 * 4);
}

#[test]
fn failures_from_before_a_time_limit_was_raised_mean_nothing() {
    let mut lab = Lab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'\ntimeout = '1s'", 1);
    lab.track(|_, at| ended(ExecutionEnd::Exited(127), at)).unwrap();
    assert_eq!(lab.track(well).unwrap().samples, 0);
    lab.benchmarks = lab.benchmarks.replace("1s", "2s");
    assert_eq!(lab.track(well).unwrap().samples, 4, "it is executed as it reads now");
}

#[test]
fn to_reach_a_limit_is_a_result_and_its_values_are_bounds() {
    let limited = "[[benchmark]]\nname = 'a'\ncommand = 'a'\nlimits = { cpu-time = '2s', \
        address-space = '1GiB' }";
    let lab = Lab::new(limited, 1);
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
    let lines: Vec<String> =
        samples.iter().filter_map(|sample| sample.outcome.told()).map(|(line, _)| line).collect();
    let cpu_time = "limit reached: 2.000 s of processor time";
    let space = "limit reached: 1.000 GiB of address space (killed by signal 6 (SIGABRT))";
    assert_eq!(lines, [cpu_time, cpu_time, space]);
    assert_eq!(samples[1].value("cpu"), Some(2e9), "at least the limit, though 0 was read");
    let wall = tacho_record::Metric::built_in("wall").unwrap();
    assert_eq!(samples[1].bound(&wall), Some(1e7));
    assert_eq!(
        (samples[0].bound(&wall), samples[3].bound(&wall)),
        (None, None),
        "the warm-up, and a valid one"
    );
}

#[test]
fn why_a_metric_is_absent_is_kept_once() {
    let lab = Lab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'", 2);
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
    let lab = Lab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'", 2);
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
    let lab = Lab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'", 1);
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
    let lab = Lab::new(
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
    let lab = Lab::new(
        "[[benchmark]]\nname = 'a'\ncommand = 'a'\nexpect.stdout = { contains = 'x' }\n\
         limits = { address-space = '1GiB' }",
        1,
    );
    lab.track(well).unwrap();
    assert!(lab.samples().iter().all(|line| line.contains("WrongAnswer")), "{:?}", lab.samples());
}

#[test]
fn what_cannot_be_had_here_is_said_before_anything_is_built() {
    let lab = Lab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'\nconditions = { cold = true }", 1);
    let mut store = lab.store();
    let host = store.put_host(&Host { name: "lab".into(), facts: BTreeMap::new() }).unwrap();
    let why = Unavailable::new("cannot drop the system's caches", Some("`cold = true` needs root"));
    let mut executor =
        ScriptedExecutor::new(|_, at| ended(ExecutionEnd::Exited(0), at)).refusing(why);
    let mut bench = Context {
        store: &mut store,
        builder: &mut lab.builder(),
        executor: &mut executor,
        observer: &mut SilentObserver,
        interrupt: &AtomicBool::new(false),
        host,
    };
    let error = track(&mut bench, &lab.question()).unwrap_err();
    let expected =
        "benchmark `a` cannot be executed as the plan says: cannot drop the system's caches";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.hint().as_deref(), Some("`cold = true` needs root"));
    assert!(store.builds(host).unwrap().is_empty());
}

#[test]
fn an_environment_of_random_length_is_the_same_when_taken_up_again() {
    let padded =
        TWO.replace("name = 'b'", "name = 'b'\nconditions = { random-environment = true }");
    let lengths = |stop: Option<usize>| {
        let lab = Lab::new(&padded, 2);
        let mut found = BTreeMap::new();
        for stop in [stop, None] {
            let mut executed = 0;
            lab.track(|request, at| {
                executed += 1;
                if stop.is_some_and(|stop| executed > stop) {
                    return ended(ExecutionEnd::Interrupted, at);
                }
                let length = request.padding.map_or(0, |(_, length)| length);
                found.entry(request.command.join(" ")).or_insert_with(Vec::new).push(length);
                well(request, at)
            })
            .unwrap();
        }
        found
    };
    let whole = lengths(None);
    assert!(whole["a r1"].iter().all(|length| *length == 0));
    assert!(whole["b r1"].iter().any(|length| *length > 0));
    assert_eq!(lengths(Some(5)), whole);
}

#[test]
fn a_failure_after_a_good_warm_up_is_not_given_up() {
    let lab = Lab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'", 1);
    let executed = Shared::new(0);
    lab.track(|_, at| {
        executed.set(executed.get() + 1);
        let how = match executed.get() {
            1 => ExecutionEnd::Exited(0),
            2 => ExecutionEnd::TimedOut,
            _ => ExecutionEnd::Interrupted,
        };
        ended(how, at)
    })
    .unwrap();
    assert_eq!(lab.track(well).unwrap().samples, 2, "the rounds that were left");
}

#[test]
fn parameters_that_read_alike_are_two_benchmarks() {
    let benchmark = |n: &str| {
        format!("[[benchmark]]\nname = 'a'\ncommand = 'a {{n}}'\nparameters = {{ n = [{n}] }}")
    };
    let mut lab = Lab::new(&benchmark("1"), 1);
    assert_eq!(lab.track(well).unwrap().samples, 4);
    lab.benchmarks = benchmark("'1'");
    assert_eq!(lab.track(well).unwrap().samples, 4);
}

#[test]
fn what_another_run_took_meanwhile_is_not_repeated() {
    let mut lab = Lab::new(TWO, 1);
    lab.track(interrupted_after(3)).unwrap();
    let both = std::mem::replace(
        &mut lab.benchmarks,
        TWO.split("[[benchmark]]\nname = 'b'").next().unwrap().to_owned(),
    );
    lab.track(well).unwrap();
    lab.benchmarks = both;
    lab.track(well).unwrap();
    let counted =
        lab.samples().iter().filter(|line| line.contains(" a ") && !line.contains(" 0.")).count();
    assert_eq!(counted, 3, "{:#?}", lab.samples());
}

#[test]
fn a_build_that_comes_out_otherwise_begins_a_run_of_its_own() {
    let mut lab = Lab::new(TWO, 1);
    lab.track(interrupted_after(3)).unwrap();
    // The cache is empty in each session, so it is built again, this time to something else.
    lab = lab.build("r1", built("other"));
    let tracked = lab.track(well).unwrap();
    assert_eq!((tracked.run, tracked.samples, tracked.unsettled), (Some(2), 2 * 4, false));
    assert_eq!(lab.track(well).unwrap().samples, 0, "and then nothing is missing");
}

#[test]
fn a_single_failure_is_not_given_up() {
    let first = Shared::new(true);
    let lab = Lab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'", 1);
    let tracked = lab.track(|_, at| {
        ended(
            if first.replace(false) { ExecutionEnd::TimedOut } else { ExecutionEnd::Exited(0) },
            at,
        )
    });
    assert_eq!(tracked.unwrap().samples, 4);
}

#[test]
fn the_newest_revision_gives_the_reference_answer() {
    let lab = Lab::new(TWO, 3);
    lab.track(|request, at| {
        let answer = if request.command[1] == "r2" { "other" } else { "answer" };
        Execution { stdout: Some(CapturedOutput::of(answer)), ..ended(ExecutionEnd::Exited(0), at) }
    })
    .unwrap();
    let wrong: Vec<String> =
        lab.samples().into_iter().filter(|line| line.contains("WrongAnswer")).collect();
    assert!(wrong.len() == 2 && wrong.iter().all(|line| line.contains("r2 a")), "{wrong:#?}");
}

#[test]
fn a_build_that_failed_is_not_tried_again_until_asked_for() {
    let failed = BuildState::Failed { why: "exit 1".into() };
    let mut lab = Lab::new(TWO, 2).build("r1", failed.clone());
    let tracked = lab.track(well).unwrap();
    assert_eq!((tracked.samples, &tracked.builds[0].state), (2 * 4, &failed));
    lab = lab.build("r1", built("mended"));
    assert_eq!(lab.track(well).unwrap().samples, 0);
    lab.retry_failed = true;
    assert_eq!(lab.track(well).unwrap().samples, 2 * 4);
}

#[test]
fn a_failing_prepare_is_a_failed_sample_without_values() {
    let lab = Lab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'\nprepare = 'make-input'", 1);
    let tracked = lab.track(|request, at| {
        let status = i32::from(request.command[0] == "sh");
        ended(ExecutionEnd::Exited(status), at)
    });
    assert_eq!(tracked.unwrap().samples, 2);
    assert!(lab.samples().iter().all(|line| line.contains("`prepare` failed: exit 1")));
}

const BUCKET: &str = "[[benchmark]]\nname = 'a'\ncommand = 'a {revision}'\nmetrics = [{ name = \
    'bucket', from = 'regex:bucket ([0-9.]+)' }]\nexpect = { stdout = { contains = 'ok' } }\n";

#[test]
fn a_metric_of_the_output_is_kept_with_the_sample_and_must_be_there() {
    let lab = Lab::new(BUCKET, 3);
    lab.track(|request, at| {
        let look = OutputRequest {
            search: Some("ok".into()),
            ..OutputRequest::keep(crate::LONGEST_OUTPUT)
        };
        assert_eq!((&request.stdout, &request.stderr), (&Capture::Read(look), &Capture::Nothing));
        // The first prints nothing of it, the second fails with it, the third has it twice.
        let (output, exit) = match request.command[1].as_str() {
            "r1" => ("ok", 0),
            "r2" => ("ok bucket 5", 1),
            _ => ("ok bucket 6.5 bucket 4.5", 0),
        };
        let stdout = CapturedOutput { found: Some(true), ..CapturedOutput::keeping(output) };
        Execution { stdout: Some(stdout), ..ended(ExecutionEnd::Exited(exit), at) }
    })
    .unwrap();
    let mut store = lab.store();
    let mut of = |revision: &str| {
        let cells = store.cells(1).unwrap();
        let (id, _) = cells.into_iter().find(|(_, cell)| cell.revision == revision).unwrap();
        store.samples(id).unwrap().pop().unwrap()
    };
    let why = "`bucket`: nothing matches `bucket ([0-9.]+)`".to_owned();
    let unreadable = Outcome::Failed { failure: Failure::Unreadable { why }, output: "ok".into() };
    assert_eq!((of("r1").outcome, of("r1").value("bucket")), (unreadable, None));
    assert!(of("r1").value("wall").is_some(), "what can be read is kept");
    let failed =
        Outcome::Failed { failure: Failure::Exit { code: 1 }, output: "ok bucket 5".into() };
    assert_eq!(of("r2").outcome, failed, "what fails need not have printed it");
    assert_eq!((of("r3").outcome, of("r3").value("bucket")), (Outcome::Valid, Some(5.5)));
    let replicates: Vec<f64> = (of("r3").values.iter())
        .filter_map(|(name, value)| (name == "bucket").then_some(*value))
        .collect();
    assert_eq!(replicates, [6.5, 4.5]);
    assert!(store.metrics().unwrap().iter().any(|metric| metric.name == "bucket"));
}

#[test]
fn a_metric_with_values_keeps_its_unit() {
    let mut lab = Lab::new(BUCKET, 1);
    let prints = |output: &'static str| {
        move |_: &Request, at| {
            let stdout = CapturedOutput { found: Some(true), ..CapturedOutput::keeping(output) };
            Execution { stdout: Some(stdout), ..ended(ExecutionEnd::Exited(0), at) }
        }
    };
    let in_ms = BUCKET.replace("+)' }", "+)', unit = 'ms' }");
    let unitless = std::mem::replace(&mut lab.benchmarks, in_ms.clone());
    lab.track(prints("nothing")).unwrap();
    // Nothing was read yet: the plan may still be corrected.
    lab.benchmarks = unitless;
    lab.retry_failed = true;
    lab.track(prints("bucket 6.5")).unwrap();
    lab.benchmarks = in_ms;
    let words = lab.track(prints("bucket 6.5")).unwrap_err().to_string();
    assert_eq!(words, "metric `bucket` was measured in no unit so far, not in time");
}
