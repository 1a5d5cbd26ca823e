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
mod limits;
mod output;

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
pub struct TestLab {
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

impl TestLab {
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
    let lab = TestLab::new(TWO, 3);
    let tracked = lab.track(well).unwrap();
    assert_eq!((tracked.samples, tracked.interrupted, tracked.run), (3 * 2 * 4, false, Some(1)));
    let again = lab.track(|_, _| panic!("nothing is missing")).unwrap();
    assert_eq!((again.samples, again.interrupted, again.run), (0, false, None));
}

#[test]
fn a_run_with_a_new_revision_measures_the_newest_old_one_again() {
    let mut lab = TestLab::new(TWO, 3);
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
    let undisturbed = TestLab::new(TWO, 2);
    undisturbed.track(well).unwrap();
    let expected = undisturbed.samples();
    for stop in 0..expected.len() {
        let lab = TestLab::new(TWO, 2);
        assert!(lab.track(interrupted_after(stop)).unwrap().interrupted);
        assert_eq!(lab.samples().len(), stop);
        lab.track(well).unwrap();
        assert_eq!(lab.samples(), expected, "stopped after {stop}");
    }
}

#[test]
fn killed_in_any_execution_it_ends_with_the_same_samples() {
    let undisturbed = TestLab::new(TWO, 2);
    undisturbed.track(well).unwrap();
    let expected = undisturbed.samples();
    for stop in 0..expected.len() {
        let lab = TestLab::new(TWO, 2);
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
    let mut lab = TestLab::new(TWO, 2);
    let tracked = lab.track(fails_at_r1).unwrap();
    assert_eq!(tracked.samples, 2 * 4 + 2 * 2, "two executions of each benchmark at r1, all at r2");
    assert_eq!(lab.track(fails_at_r1).unwrap().samples, 0);
    lab.retry_failed = true;
    assert_eq!(lab.track(well).unwrap().samples, 2 * 4);
}

#[test]
fn an_environment_of_random_length_is_the_same_when_taken_up_again() {
    let padded =
        TWO.replace("name = 'b'", "name = 'b'\nconditions = { random-environment = true }");
    let lengths = |stop: Option<usize>| {
        let lab = TestLab::new(&padded, 2);
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
    let lab = TestLab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'", 1);
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
    let mut lab = TestLab::new(&benchmark("1"), 1);
    assert_eq!(lab.track(well).unwrap().samples, 4);
    lab.benchmarks = benchmark("'1'");
    assert_eq!(lab.track(well).unwrap().samples, 4);
}

#[test]
fn what_another_run_took_meanwhile_is_not_repeated() {
    let mut lab = TestLab::new(TWO, 1);
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
    let mut lab = TestLab::new(TWO, 1);
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
    let lab = TestLab::new("[[benchmark]]\nname = 'a'\ncommand = 'a'", 1);
    let tracked = lab.track(|_, at| {
        ended(
            if first.replace(false) { ExecutionEnd::TimedOut } else { ExecutionEnd::Exited(0) },
            at,
        )
    });
    assert_eq!(tracked.unwrap().samples, 4);
}

#[test]
fn a_build_that_failed_is_not_tried_again_until_requested() {
    let failed = BuildState::failed("exit 1");
    let mut lab = TestLab::new(TWO, 2).build("r1", failed.clone());
    let tracked = lab.track(well).unwrap();
    assert_eq!((tracked.samples, &tracked.builds[0].state), (2 * 4, &failed));
    lab = lab.build("r1", built("fixed"));
    assert_eq!(lab.track(well).unwrap().samples, 0);
    lab.retry_failed = true;
    assert_eq!(lab.track(well).unwrap().samples, 2 * 4);
}
