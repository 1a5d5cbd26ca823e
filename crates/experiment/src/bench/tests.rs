//! Commands side by side with scripted executions: nothing is timed.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{
    Capture, Execution, ExecutionEnd, Readings, Request, ScriptedExecutor, Unavailable, Usage,
};
use tacho_record::plan::{Counting, Hook, Hooks, Output};
use tacho_record::{
    Conditions, Counter, Cpus, Failure, Limits, Outcome, Precision, ReferenceMode, Rule, Sample,
    Warmup,
};
use tacho_stats::compare::Verdict;
use tacho_store::{Location, Store};
use tacho_subject::ScriptedBuilder;

use tacho_report::bench::BenchWarning;

use super::*;
use crate::test_context::lab_context;
use crate::trial::prepared::Exits;
use crate::{ExperimentError, GIVE_UP_AFTER};

mod standings;

pub(crate) fn command(name: &str) -> BenchCommand {
    BenchCommand {
        name: name.to_owned(),
        text: name.to_owned(),
        parameters: Vec::new(),
        start: Start::Words(vec![name.to_owned(), "{x}".to_owned()]),
        input: None,
        output: Output::Needed,
        hooks: Hooks::default(),
        timeout: Duration::MAX,
        conditions: BenchCommand::usual_conditions(),
        limits: Limits::default(),
    }
}

pub(crate) fn question(
    commands: impl IntoIterator<Item = BenchCommand>,
    rule: Rule,
) -> BenchQuestion {
    BenchQuestion {
        commands: commands.into_iter().collect(),
        rule,
        exits: Exits::One(0),
        counters: Vec::new(),
        metrics: Vec::new(),
        duet: None,
        reference: ReferenceMode::Off,
        estimator: None,
        folder: "/".into(),
        seed: 3,
        version: "test".into(),
        conditions: BTreeMap::new(),
    }
}

pub(crate) fn rounds(rounds: u32) -> Rule {
    Rule { warmup: false.into(), min_rounds: rounds, max_rounds: rounds, ..Rule::default() }
}

/// Measures with executions as the script says; what was asked to be executed.
fn measured(
    question: &BenchQuestion,
    script: impl FnMut(&Request, Timestamp) -> Execution,
) -> (BenchResult, Vec<Request>) {
    let (answer, requests, _) = measured_ahead(question, script);
    (answer, requests)
}

/// The same, and how much of it was known for certain while the one before was executed.
fn measured_ahead(
    question: &BenchQuestion,
    script: impl FnMut(&Request, Timestamp) -> Execution,
) -> (BenchResult, Vec<Request>, usize) {
    let mut store = Store::open(&Location::Memory).unwrap();
    let mut executor = ScriptedExecutor::new(script);
    let mut builder = ScriptedBuilder::new();
    let mut context = lab_context(&mut store, &mut builder, &mut executor);
    let answer = measure(&mut context, question).unwrap();
    (answer, executor.requests().to_vec(), executor.foreseen())
}

/// Executions that take so many milliseconds each, with noise of 1 %, and have so many MiB.
fn taking<'a>(
    costs: &'a [(&'a str, u64, u64)],
) -> impl FnMut(&Request, Timestamp) -> Execution + 'a {
    let executed: RefCell<HashMap<String, u64>> = RefCell::default();
    move |request, at| {
        let name = request.command[0].clone();
        let (_, milliseconds, mebibytes) = costs.iter().find(|(known, ..)| *known == name).unwrap();
        let mut executed = executed.borrow_mut();
        let number = executed.entry(name).or_default();
        *number += 1;
        let noise = (*number * 7919) % 101;
        let usage =
            Usage { peak_memory: Some((mebibytes << 20) + 4096 * (noise % 3)), ..Usage::default() };
        let wall = Duration::from_micros(milliseconds * 1000 + milliseconds * noise / 10);
        Execution { usage, ..Execution::of(ExecutionEnd::Exited(0), at, wall) }
    }
}

fn standings(
    question: &BenchQuestion,
    answer: &BenchResult,
    reference: Option<usize>,
) -> Standings {
    Standings::of(question, &answer.samples, reference, 0.01)
}

#[test]
fn commands_are_executed_in_rounds_as_they_were_typed() {
    let question = question(["a", "b", "c"].map(command), rounds(4));
    let (answer, requests) =
        measured(&question, taking(&[("a", 10, 1), ("b", 10, 1), ("c", 10, 1)]));
    let order: Vec<&str> = requests.iter().map(|request| request.command[0].as_str()).collect();
    for round in order.chunks(3) {
        let mut sorted = round.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, ["a", "b", "c"], "{order:?}");
    }
    assert!(order.chunks(3).any(|round| round != &order[..3]), "{order:?}");
    assert!(requests.iter().all(|request| request.command[1] == "{x}"), "braces mean themselves");
    assert_eq!(answer.samples.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 4]);
}

/// How many executions there are, and how many of them were certain while the one before was
/// executed.
fn foreseen(commands: impl IntoIterator<Item = BenchCommand>, rule: Rule) -> (usize, usize) {
    let script = taking(&[("a", 10, 1), ("b", 30, 1), ("sh", 1, 1)]);
    let (_, requests, foreseen) = measured_ahead(&question(commands, rule), script);
    (requests.len(), foreseen)
}

#[test]
fn what_comes_next_is_certain_where_no_sample_decides_on_it() {
    let both = || ["a", "b"].map(command);
    assert_eq!(foreseen(both(), rounds(8)), (16, 15));
    // Passes of a warmup are looked at one by one.
    let warm = Rule { warmup: Warmup::Executions(3), ..rounds(4) };
    assert_eq!(foreseen(both(), warm), (14, 3 + 7));
    // From the fewest rounds on each sample decides whether there is another.
    let precision = Some(Precision { share: 1e-9, metric: None });
    assert_eq!(foreseen([command("a")], Rule { min_rounds: 6, precision, ..rounds(9) }), (9, 5));
    let each = Some(Duration::from_secs(3600));
    assert_eq!(foreseen([command("a")], Rule { min_rounds: 6, each, ..rounds(9) }), (9, 5));
    // Before each round it is asked whether there is time for it, or whether the host is quiet.
    let budget = Some(Duration::from_secs(3600));
    assert_eq!(foreseen(both(), Rule { budget, ..rounds(4) }), (8, 4));
    assert_eq!(foreseen(both(), Rule { quiet_wait: budget, ..rounds(4) }), (8, 4));
}

#[test]
fn a_round_that_others_disturb_counts_for_nobody_and_is_repeated() {
    let rule = Rule { quiet_wait: Some(Duration::from_secs(1)), ..rounds(4) };
    let mut executed = 0;
    let (answer, requests) =
        measured(&question(["a", "b"].map(command), rule), |_: &Request, at| {
            executed += 1;
            // One of the third round, one of the fourth.
            let others = Duration::from_secs(u64::from([5, 8].contains(&executed)));
            let readings = Readings {
                other_cpu: Some(others),
                span: Duration::from_secs(1),
                ..Readings::default()
            };
            Execution {
                readings,
                ..Execution::of(ExecutionEnd::Exited(0), at, Duration::from_secs(1))
            }
        });
    assert_eq!(requests.len(), 12);
    for samples in &answer.samples {
        let counts = |sample: &&Sample| sample.outcome == Outcome::Valid;
        let rounds: Vec<u32> =
            samples.iter().filter(counts).map(|sample| sample.place.round).collect();
        assert_eq!((rounds, samples.len()), (vec![1, 2, 5, 6], 6));
    }
}

#[test]
fn what_comes_next_is_not_certain_where_something_else_comes_between() {
    let hook = || Some(Hook { script: "x".into(), timeout: Duration::MAX });
    let prepare = Hooks { prepare: hook(), ..Hooks::default() };
    assert_eq!(foreseen([BenchCommand { hooks: prepare, ..command("a") }], rounds(3)), (6, 0));
    let conclude = Hooks { conclude: hook(), ..Hooks::default() };
    assert_eq!(foreseen([BenchCommand { hooks: conclude, ..command("a") }], rounds(3)), (6, 0));
    let once = Hooks { setup: hook(), cleanup: hook(), ..Hooks::default() };
    assert_eq!(foreseen([BenchCommand { hooks: once, ..command("a") }], rounds(3)), (5, 2));
    let start = Start::Shell(vec!["sh".into(), "-c".into()], "x".into());
    assert_eq!(foreseen([BenchCommand { start, ..command("a") }], rounds(3)), (6, 0));
}

#[test]
fn nothing_is_certain_to_follow_what_may_be_given_up() {
    // It ends well by itself, and not as it should.
    let question = BenchQuestion { exits: Exits::One(3), ..question([command("a")], rounds(5)) };
    let script =
        |_: &Request, at| Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(1));
    let (_, requests, foreseen) = measured_ahead(&question, script);
    assert_eq!((requests.len(), foreseen), (GIVE_UP_AFTER, GIVE_UP_AFTER - 1));
}

#[test]
fn a_counter_that_is_not_to_be_had_is_absent_with_its_reason() {
    let energy = Counting { counter: Counter::Energy, optional: true };
    let question = BenchQuestion { counters: vec![energy], ..question([command("a")], rounds(2)) };
    let mut store = Store::open(&Location::Memory).unwrap();
    let why = Unavailable { why: "there is no meter".into(), hint: None };
    let mut executor = ScriptedExecutor::new(taking(&[("a", 10, 1)])).lacking(Counter::Energy, why);
    let mut builder = ScriptedBuilder::new();
    let mut context = lab_context(&mut store, &mut builder, &mut executor);
    let answer = measure(&mut context, &question).unwrap();
    assert_eq!(answer.absent["energy"], "there is no meter");
    assert_eq!(standings(&question, &answer, None).each[0].counters[0].1, None);
}

#[test]
fn each_has_its_time_and_at_least_the_fewest_rounds() {
    let rule = Rule { each: Some(Duration::from_secs(3)), max_rounds: 1_000_000, ..rounds(10) };
    let question = question(["slow", "fast"].map(command), rule);
    let (answer, _) = measured(&question, taking(&[("slow", 1000, 1), ("fast", 100, 1)]));
    // Of 100 to 110 ms each, 105 in the mean.
    assert_eq!(answer.samples[0].len(), 10);
    assert!((28..=30).contains(&answer.samples[1].len()), "{}", answer.samples[1].len());
}

#[test]
fn a_command_that_fails_each_time_leaves_the_others_alone() {
    let question = question(["a", "broken"].map(command), rounds(10));
    let (answer, _) = measured(&question, |request, at| {
        let status = i32::from(request.command[0] == "broken");
        Execution {
            stderr_tail: b"it broke\n".to_vec(),
            ..Execution::of(ExecutionEnd::Exited(status), at, Duration::from_millis(10))
        }
    });
    let found = standings(&question, &answer, None);
    assert_eq!((found.reference, found.each[0].failed, found.each[1].failed), (None, 0, 2));
    assert_eq!(found.each[1].failure, Some((Failure::Exit { code: 1 }, "it broke\n".to_owned())));
    assert_eq!((found.each[0].time.unwrap().n, found.each[1].time), (10, None));
}

#[test]
fn conditions_are_those_of_all_commands_and_tried_out_first() {
    let conditions = Conditions { cold: true, ..BenchCommand::usual_conditions() };
    let question =
        question([BenchCommand { conditions: conditions.clone(), ..command("a") }], rounds(1));
    let (_, requests) = measured(&question, taking(&[("a", 10, 1)]));
    assert_eq!(requests[0].conditions, conditions);
    let mut store = Store::open(&Location::Memory).unwrap();
    let mut executor = ScriptedExecutor::new(taking(&[])).refusing(Unavailable::new("no", None));
    let mut builder = ScriptedBuilder::new();
    let mut context = lab_context(&mut store, &mut builder, &mut executor);
    assert!(matches!(measure(&mut context, &question), Err(ExperimentError::Unavailable { .. })));
    assert_eq!(executor.requests(), []);
}

#[test]
fn the_reference_is_executed_where_the_commands_are() {
    let cpus = |list: &[u32]| Some(Cpus::List(list.iter().copied().collect()));
    let of_reference = |lists: [Option<Cpus>; 2]| {
        let confined = |(name, cpus): (&str, Option<Cpus>)| {
            let mut command = command(name);
            command.conditions.cpus = cpus;
            command
        };
        let commands = ["a", "b"].into_iter().zip(lists).map(confined);
        let question =
            BenchQuestion { reference: ReferenceMode::Full, ..question(commands, rounds(2)) };
        let (_, requests) = measured(&question, |_, at| {
            Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(10))
        });
        let fixed = requests.into_iter().filter(|it| it.command[0].starts_with("/proc/"));
        fixed.map(|request| request.conditions.cpus).collect::<Vec<_>>()
    };
    assert_eq!(of_reference([cpus(&[1]), cpus(&[1])]), vec![cpus(&[1]); 12]);
    assert_eq!(of_reference([cpus(&[1]), cpus(&[0])]), vec![None; 12]);
}

#[test]
fn statuses_that_are_right_are_kept() {
    let mut question = question(["a"].map(command), rounds(3));
    question.exits = Exits::AnyOf(vec![0, 7]);
    let mut statuses = [0, 7, 1].into_iter();
    let (answer, _) = measured(&question, |_, at| {
        Execution::of(ExecutionEnd::Exited(statuses.next().unwrap()), at, Duration::from_millis(10))
    });
    let kept: Vec<Option<f64>> =
        answer.samples[0].iter().map(|it| it.value("exit-status")).collect();
    assert_eq!(kept, [Some(0.0), Some(7.0), None]);
    assert!(answer.samples[0][1].counts() && !answer.samples[0][2].counts());
}

#[test]
fn a_shell_is_measured_beside_and_taken_off() {
    let start = Start::Shell(vec!["sh".into(), "-c".into()], "echo {x} | wc".into());
    let question = question([BenchCommand { start, ..command("piped") }], rounds(8));
    let (answer, requests) = measured(&question, |request, at| {
        let wall = if request.command[2].is_empty() { 4 } else { 5 };
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(wall))
    });
    assert!(requests.iter().any(|request| request.command == ["sh", "-c", "echo {x} | wc"]));
    let found = standings(&question, &answer, None);
    assert_eq!(found.each[0].time.unwrap().median, 1e6);
    assert_eq!(found.each[0].warnings, [BenchWarning::MostlyShell(0.8)]);
}

#[test]
fn a_time_below_that_of_the_shell_is_warned_of() {
    let start = Start::Shell(vec!["sh".into(), "-c".into()], "true | cat".into());
    let question = question([BenchCommand { start, ..command("piped") }], rounds(8));
    let mut shells = [1, 1, 1, 30].into_iter().cycle();
    let (answer, _) = measured(&question, |request, at| {
        let wall = if request.command[2].is_empty() { shells.next().unwrap() } else { 20 };
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(wall))
    });
    let found = standings(&question, &answer, None);
    assert_eq!(found.each[0].warnings, [BenchWarning::BelowShell(2)]);
}

#[test]
fn hooks_and_outputs_are_those_of_the_command() {
    let hook = |script: &str| Some(Hook { script: script.to_owned(), timeout: Duration::MAX });
    let hooks = Hooks {
        setup: hook("make {x}"),
        prepare: hook("drop"),
        conclude: hook("stop"),
        cleanup: hook("clean"),
    };
    let noisy = BenchCommand { hooks, output: Output::Inherit, ..command("noisy") };
    let (_, requests) = measured(&question([noisy], rounds(1)), |_, at| {
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(1))
    });
    let lines: Vec<&str> = requests.iter().map(|it| it.command.last().unwrap().as_str()).collect();
    assert_eq!(lines, ["make {x}", "drop", "{x}", "stop", "clean"]);
    assert_eq!((&requests[2].stdout, &requests[2].stderr), (&Capture::Inherit, &Capture::Inherit));
    assert_eq!(requests[1].stdout, Capture::Nothing);
}

#[test]
fn what_was_measured_before_an_interrupt_is_answered() {
    let question = question(["a", "b"].map(command), rounds(10));
    let mut left = 9;
    let (answer, _) = measured(&question, |_, at| {
        left -= 1;
        let how = if left > 0 { ExecutionEnd::Exited(0) } else { ExecutionEnd::Interrupted };
        Execution::of(how, at, Duration::from_millis(10))
    });
    assert!(answer.interrupted);
    assert_eq!(answer.samples.iter().map(Vec::len).sum::<usize>(), 8);
    assert_eq!(standings(&question, &answer, None).each[0].time.unwrap().median, 1e7);
}
