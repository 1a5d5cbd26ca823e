//! Probes with a scripted executor and clock, and machines of which only the files are there.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use tacho_machine::Root;
use tacho_measure::{Execution, ExecutionEnd, Request, ScriptedExecutor};
use tacho_record::{CompanionPlace, Disturbance, Metric, ProbeSide, Program, Side};
use tacho_subject::ScriptedBuilder;
use tempfile::TempDir;

use super::*;
use crate::compare::rows_of;
use crate::test_context::lab_context;
use crate::track_tests::TestLab;

/// A machine with these threads in each core, and these cores in each socket.
fn machine(sockets: u32, cores: u32, threads: u32) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: String, text: String| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let cpus = sockets * cores * threads;
    for cpu in 0..cpus {
        // As Linux numbers them: the first threads of all cores, then the second ones.
        let core = cpu % (sockets * cores);
        let all: Vec<String> =
            (0..threads).map(|thread| (core + thread * sockets * cores).to_string()).collect();
        let topology = format!("sys/devices/system/cpu/cpu{cpu}/topology");
        write(format!("{topology}/thread_siblings_list"), all.join(","));
        write(format!("{topology}/physical_package_id"), (core / cores).to_string());
    }
    write("sys/devices/system/cpu/online".into(), format!("0-{}", cpus - 1));
    write("proc/sys/kernel/randomize_va_space".into(), "2\n".into());
    folder
}

/// What can be had there of a program that says nothing, and why not the rest.
fn available(folder: &Path) -> (Vec<String>, Vec<String>) {
    let subject =
        ProbeSubject { benchmarks: &[], layouts: &[], no_layouts: "no linker", folder: None };
    let found = availability(&Root::of_folder(folder), subject, |_| true);
    let shown = |it: &Disturbance| match it.number() {
        Some(number) => format!("{} {number}", it.name()),
        None => it.name().to_owned(),
    };
    let why = |it: &tacho_record::UnavailableDisturbance| format!("{}: {}", it.name, it.why);
    (found.under.iter().map(shown).collect(), found.left_out.iter().map(why).collect())
}

#[test]
fn each_machine_has_its_disturbances() {
    let (server, laptop, cloud) = (machine(2, 4, 2), machine(1, 4, 1), machine(1, 1, 1));
    let (has, lacks) = available(server.path());
    for name in ["core 0", "sibling 7", "same-cpu 15", "one-cpu 15", "socket 0", "socket 1"] {
        assert!(has.contains(&name.to_owned()), "{name}: {has:?}");
    }
    assert!(lacks.contains(&"layout: no linker".to_owned()), "{lacks:?}");
    let (has, lacks) = available(laptop.path());
    assert!(has.contains(&"core 0".to_owned()) && has.contains(&"one-cpu 3".to_owned()));
    assert!(lacks.contains(&"sibling: no core has a second thread that may be used".to_owned()));
    let (has, lacks) = available(cloud.path());
    assert!(has.contains(&"same-cpu 0".to_owned()), "{has:?}");
    for why in [
        "core: only one core may be used",
        "one-cpu: only one processor may be used",
        "socket: all processors that may be used are in one socket",
    ] {
        assert!(lacks.contains(&why.to_owned()), "{why}: {lacks:?}");
    }
    let named: Vec<&str> =
        has.iter().chain(&lacks).map(|it| it.split([' ', ':']).next().unwrap()).collect();
    for name in Disturbance::NAMES {
        assert!(named.contains(&name), "{name} is had or it is said why not");
    }
}

#[test]
fn what_is_usual_already_is_no_disturbance() {
    let folder = machine(1, 4, 2);
    let plan = crate::track_tests::plan(
        "[[benchmark]]\nname = 'b'\ncommand = 'b'\n\
         conditions = { cpus = [3], nice = 5, random-environment = true, aslr = false }\n",
    );
    let subject = ProbeSubject {
        benchmarks: &plan.benchmarks,
        layouts: &[1, 2],
        no_layouts: "",
        folder: None,
    };
    let found = availability(&Root::of_folder(folder.path()), subject, |_| true);
    let lacks = |name: &str| found.left_out.iter().any(|it| it.name == name);
    assert!(lacks("one-cpu") && lacks("nice") && lacks("environment"), "{:?}", found.left_out);
    assert!(found.under.contains(&Disturbance::Addresses { random: true }));
    assert!(found.under.contains(&Disturbance::Layout { number: 2 }));
    let core = found.under.iter().find(|it| it.name() == "core").unwrap();
    assert_eq!(*core, Disturbance::Companion { place: CompanionPlace::OtherCore, number: 0 });
}

const ONE: &str = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n";

fn lab() -> TestLab {
    let mut lab = TestLab::new(ONE, 2);
    lab.measure = "rounds = 20".into();
    lab
}

fn request(lab: &TestLab, ids: &[&str]) -> ProbeRequest {
    let side = |id: &&str| Side {
        name: (*id).to_owned(),
        program: Program::Revision { revision: (*id).to_owned() },
    };
    let sides: Vec<Side> = ids.iter().map(side).collect();
    let programs = [&sides[0].program, &sides[sides.len() - 1].program];
    let rows = rows_of(&lab.question().plan, programs).unwrap();
    let wall = Metric::known("wall").unwrap();
    ProbeRequest {
        sides: sides.into_iter().map(|side| ProbeSide { side, layouts: Vec::new() }).collect(),
        rows: rows.into_iter().map(|key| (key, wall.clone())).collect(),
        margin: 0.01,
        only: Vec::new(),
        skip: vec!["memory".into()],
        no_layouts: "nothing is linked".into(),
    }
}

fn probed(
    lab: &TestLab,
    root: &Path,
    request: &ProbeRequest,
    script: impl FnMut(&Request, Timestamp) -> Execution,
) -> ProbeEnd {
    let mut store = lab.store();
    let mut executor = ScriptedExecutor::new(script).starting_at(lab.clock.get());
    let mut builder = ScriptedBuilder::new();
    let mut context = lab_context(&mut store, &mut builder, &mut executor);
    let end = probe(&mut context, &lab.question(), request, &Root::of_folder(root)).unwrap();
    lab.clock.set(tacho_measure::Executor::now(&mut executor));
    end
}

fn measured(end: ProbeEnd) -> ProbeAnswer {
    let ProbeEnd::Measured(answer) = end else { panic!("{end:?}") };
    *answer
}

/// So many microseconds, and up to one per cent more, otherwise from execution to execution.
fn taking(of: impl Fn(&Request) -> u64) -> impl FnMut(&Request, Timestamp) -> Execution {
    move |request, at| {
        if request.command[0] == "sh" {
            return Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(1));
        }
        let phase = (at.as_nanosecond() % 7919) as f64 * 0.618_033_988_75;
        let micros = of(request) as f64 * (1.0 + phase.fract() / 100.0);
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_secs_f64(micros / 1e6))
    }
}

fn is_b(request: &Request) -> bool {
    request.command[1] == "r2"
}

#[test]
fn an_honest_difference_is_upheld() {
    let (lab, root) = (lab(), machine(1, 4, 2));
    let slow = |request: &Request| if is_b(request) { 210_000 } else { 100_000 };
    let answer = measured(probed(&lab, root.path(), &request(&lab, &["r1", "r2"]), taking(slow)));
    let number = answer.terms.under.len();
    assert_eq!(
        sentence(&answer.terms, &answer.rows[0]),
        format!("the factor of 2.1 holds under all {number} disturbances")
    );
    assert!(number >= 8, "{:?}", answer.terms.under);
    assert_eq!(answer.rows[0].rounds, 6, "what is clear ends at the first look");
}

#[test]
fn what_depends_on_the_environment_is_caught() {
    let (lab, root) = (lab(), machine(1, 4, 2));
    let only = vec!["environment".to_owned(), "addresses".to_owned()];
    let request = ProbeRequest { only, ..request(&lab, &["r1", "r2"]) };
    let unlucky = |request: &Request| {
        if is_b(request) && request.padding.is_none() { 130_000 } else { 100_000 }
    };
    let answer = measured(probed(&lab, root.path(), &request, taking(unlucky)));
    assert_eq!(
        sentence(&answer.terms, &answer.rows[0]),
        "the difference is gone when the environment has another length: the difference depends \
         on the length \
         of the environment, which moves the stack, not on the program (it holds under 1 of 2 \
         disturbances)"
    );
}

#[test]
fn a_program_that_fails_is_named_as_the_reason() {
    let (lab, root) = (lab(), machine(1, 4, 2));
    let request = ProbeRequest { only: vec!["nice".to_owned()], ..request(&lab, &["r1", "r2"]) };
    let mut takes = taking(|_| 100_000);
    let answer = measured(probed(&lab, root.path(), &request, |request, at| {
        let ended = if is_b(request) { ExecutionEnd::Exited(3) } else { ExecutionEnd::Exited(0) };
        Execution { ended, ..takes(request, at) }
    }));
    let said = sentence(&answer.terms, &answer.rows[0]);
    assert!(said.starts_with("undecided: executions failed: exit 3"), "{said}");
}

#[test]
fn one_program_has_its_level_probed() {
    let (lab, root) = (lab(), machine(1, 4, 2));
    let only = vec!["nice".to_owned(), "addresses".to_owned()];
    let request = ProbeRequest { only, margin: 0.02, ..request(&lab, &["r1"]) };
    let slow =
        |request: &Request| if request.conditions.nice.is_some() { 150_000 } else { 100_000 };
    let answer = measured(probed(&lab, root.path(), &request, taking(slow)));
    let row = &answer.rows[0];
    assert_eq!(row.verdict(), ProbeVerdict::Levels(vec![1]));
    let said = sentence(&answer.terms, row);
    assert!(
        said.starts_with("1 of 2 disturbances change the level, most of all nice (+50"),
        "{said}"
    );
}

#[test]
fn killed_anywhere_it_comes_to_the_same() {
    let root = machine(1, 4, 2);
    let slow = |request: &Request| if is_b(request) { 103_000 } else { 100_000 };
    let whole = lab();
    let request = request(&whole, &["r1", "r2"]);
    let expected = measured(probed(&whole, root.path(), &request, taking(slow)));
    for stop in [3, 40, 111] {
        let lab = lab();
        let mut executed = 0;
        let mut script = taking(slow);
        let killed = catch_unwind(AssertUnwindSafe(|| {
            probed(&lab, root.path(), &request, |request, at| {
                executed += 1;
                if executed == stop {
                    std::panic::resume_unwind(Box::new(()));
                }
                script(request, at)
            })
        }));
        assert!(killed.is_err());
        let answer = measured(probed(&lab, root.path(), &request, taking(slow)));
        assert_eq!(answer.run.number, 1, "the same run goes on");
        assert_eq!(answer.rows[0].verdict(), expected.rows[0].verdict());
        assert_eq!(answer.terms, expected.terms);
    }
}

#[test]
fn without_a_disturbance_nothing_is_measured() {
    let (lab, root) = (lab(), machine(1, 1, 1));
    let only = vec!["core".to_owned()];
    let request = ProbeRequest { only, ..request(&lab, &["r1", "r2"]) };
    let end = probed(&lab, root.path(), &request, |_, _| panic!("nothing is executed"));
    let ProbeEnd::NothingToDo(terms) = end else { panic!("{end:?}") };
    assert_eq!(terms.left_out[0].why, "only one core may be used");
}

#[test]
fn the_clock_is_fixed_for_single_executions_and_put_back() {
    let (lab, root) = (lab(), machine(1, 4, 1));
    let policy = root.path().join("sys/devices/system/cpu/cpufreq/policy0");
    fs::create_dir_all(&policy).unwrap();
    let file = |name: &str| policy.join(name);
    fs::write(file("scaling_min_freq"), "1200000\n").unwrap();
    fs::write(file("scaling_max_freq"), "2801000\n").unwrap();
    let read = |name: &str| fs::read_to_string(file(name)).unwrap();
    // One of both waits for memory, which no clock makes faster.
    let by_clock = |request: &Request| match (read("scaling_max_freq").as_str(), is_b(request)) {
        (_, true) | ("1200000\n", false) => 240_000,
        (_, false) => 100_000,
    };
    let only = vec!["frequency-low".to_owned(), "frequency-high".to_owned()];
    let request = ProbeRequest { only, ..request(&lab, &["r1", "r2"]) };
    let answer = measured(probed(&lab, root.path(), &request, taking(by_clock)));
    assert_eq!(
        sentence(&answer.terms, &answer.rows[0]),
        "the difference is gone when the clock is fixed low: the difference depends on the clock \
         frequency, \
         not on the program (it holds under 1 of 2 disturbances)"
    );
    assert_eq!(read("scaling_max_freq"), "2801000\n");
    assert_eq!(read("scaling_min_freq"), "1200000\n");
    assert!(!root.path().join("var/lib/tacho/tune.json").exists(), "nothing is left to put back");
}
