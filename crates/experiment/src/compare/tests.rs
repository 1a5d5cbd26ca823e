//! Comparisons with a scripted executor and clock.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{CapturedOutput, Execution, ExecutionEnd, Request, ScriptedExecutor};
use tacho_record::{
    Comparing, Digest, Direction, Metric, Parameter, Parameters, Program, Side, StopCondition, Unit,
};
use tacho_stats::compare::{ChoiceReason, Look, Looks, Verdict};
use tacho_store::Store;
use tacho_subject::{BuildOutcome, Builder, ScriptedBuilder};

use tacho_report::comparison::CarriedOver;

use super::{ComparisonData, ComparisonResult, carried_over, compare, judged, rows_of};
use crate::Question;
use crate::build::builds::tests::revision;
use crate::test_context::lab_context;
use crate::track_tests::TestLab;

pub const ONE: &str = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n";
pub const TWO: &str = "[[benchmark]]\nname = 'b'\ncommand = 'b {revision}'\n\
                   [[benchmark]]\nname = 'c'\ncommand = 'c {revision}'\n";

pub fn lab(benchmarks: &str, rounds: u32) -> TestLab {
    let mut lab = TestLab::new(benchmarks, 2);
    lab.measure = format!("rounds = {rounds}");
    lab
}

/// The first revision against the second, with a control.
pub fn terms(lab: &TestLab) -> Comparing {
    let wall = Metric { name: "wall".into(), unit: Unit::Nanoseconds, better: Direction::Lower };
    let side =
        |id: &str| Side { name: id.into(), program: Program::Revision { revision: id.into() } };
    let sides = ["r1", "r2"].map(side);
    let rows = rows_of(&lab.question().plan, [&sides[0].program, &sides[1].program]).unwrap();
    let rows = rows.into_iter().map(|key| (key, vec![wall.clone()])).collect();
    Comparing::between(sides, rows, 0.01, StopCondition::Settled(None))
}

pub fn compared(
    lab: &TestLab,
    terms: &Comparing,
    script: impl FnMut(&Request, Timestamp) -> Execution,
) -> ComparisonResult {
    compared_of(lab, &mut ScriptedBuilder::new(), terms, script)
}

fn compared_of(
    lab: &TestLab,
    builder: &mut ScriptedBuilder,
    terms: &Comparing,
    script: impl FnMut(&Request, Timestamp) -> Execution,
) -> ComparisonResult {
    compared_in(&mut lab.store(), lab, builder, &lab.question(), terms, script)
}

/// The same in an order of that seed.
pub fn compared_by_seed(
    lab: &TestLab,
    seed: u64,
    terms: &Comparing,
    script: impl FnMut(&Request, Timestamp) -> Execution,
) -> ComparisonResult {
    let question = Question { seed, ..lab.question() };
    compared_in(&mut lab.store(), lab, &mut ScriptedBuilder::new(), &question, terms, script)
}

fn compared_in(
    store: &mut Store,
    lab: &TestLab,
    builder: &mut ScriptedBuilder,
    question: &Question,
    terms: &Comparing,
    script: impl FnMut(&Request, Timestamp) -> Execution,
) -> ComparisonResult {
    let mut executor = ScriptedExecutor::new(script).starting_at(lab.clock.get());
    let mut context = lab_context(store, builder, &mut executor);
    let compared = compare(&mut context, question, terms).unwrap();
    lab.clock.set(tacho_measure::Executor::now(&mut executor));
    compared
}

pub fn rows(compared: ComparisonResult) -> ComparisonData {
    let ComparisonResult::Measured(rows) = compared else { panic!("{compared:?}") };
    *rows
}

/// So many milliseconds for a command, and up to one per cent more, differently from execution to
/// execution.
fn taking(of: impl Fn(&str) -> u64) -> impl FnMut(&Request, Timestamp) -> Execution {
    let mut number = 0_u64;
    move |request, at| {
        number += 1;
        let micros = of(&request.command.join(" ")) * (1000 + number * 7 % 10);
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_micros(micros))
    }
}

#[test]
fn each_benchmark_ends_when_it_is_settled() {
    let lab = lab(TWO, 30);
    let of = |command: &str| if command == "b r2" { 150 } else { 100 };
    let all = rows(compared(&lab, &terms(&lab), taking(of)));
    let [b, c] = all.rows.as_slice() else { panic!("{all:?}") };
    assert_eq!((b.verdict, b.settled), (Verdict::Slower, true));
    assert!(b.comparison.counts.rounds <= 10, "{b:?}");
    assert_eq!((c.verdict, c.settled), (Verdict::Same, true));
    assert!(c.comparison.counts.rounds >= 6 && c.comparison.counts.rounds < 30, "{c:?}");
    let mut store = lab.store();
    let run = all.run.unwrap();
    let terms = store.comparing(run.number).unwrap().unwrap();
    let again = judged(&mut store, &run, &terms).unwrap();
    assert_eq!(again[0].comparison, b.comparison, "the samples say the same at any time");
}

#[test]
fn a_wrong_answer_ends_its_benchmark_at_once() {
    let plan = TWO.replacen("'b {revision}'", "'b {revision}'\nexpect.stdout = 'same'", 1);
    let lab = lab(&plan, 30);
    let mut number = 0;
    let all = rows(compared(&lab, &terms(&lab), |request, at| {
        let is_b = request.command[0] == "b";
        number += u32::from(is_b);
        // A right answer at first, so that both sides have values.
        let answer = if is_b && number > 20 { "3" } else { "2" };
        let wall = Duration::from_micros(100_000 + u64::from(number) * 7 % 10 * 9000);
        Execution {
            stdout: is_b.then(|| CapturedOutput::of(answer)),
            ..Execution::of(ExecutionEnd::Exited(0), at, wall)
        }
    }));
    let [b, c] = all.rows.as_slice() else { panic!("{all:?}") };
    let (why, _) = b.failure.as_ref().unwrap();
    assert!(b.is_failed() && why.starts_with("wrong answer: "), "{b:?}");
    assert!(why.ends_with(" printed the expected one"), "{b:?}");
    assert!(number <= 24, "executed {number} times, of which three are the round of the mistake");
    assert!(!c.is_failed() && c.comparison.counts.rounds > 6, "{c:?}");
    // Which side is right is not known: the newest revision that is tracked says so.
    assert_eq!(lab.store().answer(&b.benchmark).unwrap(), None);
}

#[test]
fn a_side_that_only_fails_ends_the_other() {
    let lab = lab(ONE, 30);
    let mut executed = 0;
    let all = rows(compared(&lab, &terms(&lab), |request, at| {
        executed += 1;
        let status = i32::from(request.command.join(" ") == "b r2");
        Execution::of(ExecutionEnd::Exited(status), at, Duration::from_millis(100))
    }));
    assert!(all.rows[0].is_failed() && executed <= 9, "{executed} executions");
}

/// A plan of this many benchmarks: `b0 REVISION` and so on.
fn many(benchmarks: usize) -> String {
    let benchmark = |name: usize| {
        format!("[[benchmark]]\nname = 'b{name}'\ncommand = 'b{name} {{revision}}'\n")
    };
    (0..benchmarks).map(benchmark).collect()
}

#[test]
fn only_what_ended_by_being_told_is_shown_as_that() {
    let slow = |command: &str| if command == "b0 r2" { 150 } else { 100 };
    let ends = |plan: &str, until: StopCondition| {
        let lab = lab(plan, 30);
        let all = rows(compared(&lab, &Comparing { until, ..terms(&lab) }, taking(slow)));
        let look = all.rows[0].comparison.look;
        (look.rounds, look.ends)
    };
    let one = &many(1);
    let first = Looks::planned(30, 0.05).all()[0];
    assert_eq!(ends(one, StopCondition::Settled(None)), (first.rounds, first.ends));
    let plain = Look::only(30, 0.05).ends;
    assert_eq!(ends(one, StopCondition::AllRounds), (30, plain));
    // Beside many rows it is told at the first look and believed later: then it did not end by
    // that.
    let (rounds, ends) = ends(&many(30), StopCondition::Settled(None));
    assert!(rounds > first.rounds && ends == plain, "{rounds} {ends:?}");
}

#[test]
fn the_ratio_is_the_one_that_was_requested() {
    use tacho_record::RequestedEstimator;
    use tacho_stats::compare::Estimator;
    let asked = [
        (RequestedEstimator::Mean, Estimator::Mean),
        (RequestedEstimator::Median, Estimator::Median),
        (RequestedEstimator::Minimum, Estimator::Minimum),
    ];
    for (asked, wanted) in asked {
        let lab = lab(TWO, 12);
        let terms =
            Comparing { estimator: Some(asked), until: StopCondition::AllRounds, ..terms(&lab) };
        let all = rows(compared(&lab, &terms, taking(|_| 100)));
        let ratio = all.rows[0].comparison.estimate.unwrap();
        assert_eq!(
            (ratio.estimator, all.rows[0].comparison.choice.because),
            (wanted, ChoiceReason::Asked)
        );
        assert_eq!(all.rows[0].comparison.control.unwrap().estimator, wanted);
        let (mut store, run) = (lab.store(), all.run.unwrap());
        let kept = store.comparing(run.number).unwrap().unwrap();
        let again = judged(&mut store, &run, &kept).unwrap();
        assert_eq!((kept.estimator, &again[0].comparison), (Some(asked), &all.rows[0].comparison));
    }
}

#[test]
fn executions_of_one_layout_are_not_taken_for_independent() {
    let lab = lab("[[benchmark]]\nname = 'b'\ncommand = 'b {build}'\n", 20);
    let (mut builder, never) = (ScriptedBuilder::new(), AtomicBool::new(false));
    let mut made = |order: u64| match builder.build(&revision(order), &never).unwrap() {
        BuildOutcome::Done { build, .. } => build.state.artifact().unwrap(),
        BuildOutcome::Interrupted => panic!("{order}"),
    };
    let artifacts: Vec<Digest> = (1..=6).map(&mut made).collect();
    let side = |name: &str, artifacts: &[Digest]| Side {
        name: name.into(),
        program: Program::Layouts { artifacts: artifacts.to_vec(), revision: "r1".into() },
    };
    let sides = [side("a", &artifacts[..3]), side("b", &artifacts[3..])];
    let terms = Comparing { sides, until: StopCondition::AllRounds, ..terms(&lab) };
    // The layouts are 10 % apart, the sides 3 %, executions of one layout less than 1 %.
    let level = |command: &str| {
        let is_of = |artifact: &Digest| command.contains(&artifact.to_string()[..16]);
        [100, 110, 120, 103, 113, 123][artifacts.iter().position(is_of).unwrap()]
    };
    let row = rows(compared_of(&lab, &mut builder, &terms, taking(level))).rows.swap_remove(0);
    assert_eq!((row.verdict, row.comparison.counts.a), (Verdict::Unclear, 60), "{row:?}");
    let relink = row.levels.map(|levels| levels.unwrap().relink.unwrap());
    assert!(relink.iter().all(|relink| (0.05..0.15).contains(relink)), "{relink:?}");
    assert_eq!(row.sides[0].map(|of| of.n), Some(3), "one value a layout");
    let [a, b] = row.sides.map(|of| of.unwrap().median);
    let estimate = row.comparison.estimate.unwrap();
    assert!((b / a - estimate.ratio.unwrap()).abs() < 1e-9, "{a} {b} {estimate:?}");
    assert!((b - a - estimate.difference).abs() < 1e-6 * a, "{a} {b} {estimate:?}");
}

#[test]
fn all_rounds_are_executed_where_that_is_requested() {
    let lab = lab(ONE, 9);
    let all_rounds = Comparing { until: StopCondition::AllRounds, ..terms(&lab) };
    let of = |command: &str| if command == "b r2" { 150 } else { 100 };
    let all = rows(compared(&lab, &all_rounds, taking(of)));
    assert_eq!((all.rows[0].settled, all.rows[0].comparison.counts.rounds), (false, 9));
}

#[test]
fn what_was_interrupted_goes_on_and_ends_as_it_would_have() {
    let of = |command: &str| if command == "b r2" { 102 } else { 100 };
    let whole = lab(TWO, 10);
    let expected = rows(compared(&whole, &terms(&whole), taking(of)));
    for stop in [2, 9, 24, 31] {
        let lab = lab(TWO, 10);
        let mut script = taking(of);
        let mut left = stop;
        let first = compared(&lab, &terms(&lab), |request: &Request, at| {
            if left == 0 {
                return Execution::of(ExecutionEnd::Interrupted, at, Duration::from_millis(1));
            }
            left -= 1;
            script(request, at)
        });
        assert!(rows(first).interrupted);
        let second = rows(compared(&lab, &terms(&lab), &mut script));
        assert!(!second.interrupted);
        assert_eq!(second.run.as_ref().unwrap().number, 1, "stopped after {stop}");
        let words = |all: &ComparisonData| {
            all.rows.iter().map(|row| row.comparison.clone()).collect::<Vec<_>>()
        };
        assert_eq!(words(&second), words(&expected), "stopped after {stop}");
    }
}

#[test]
fn the_same_artifacts_are_not_measured() {
    let lab = lab(ONE, 3);
    let mut terms = terms(&lab);
    terms.sides[1] = Side { name: "again".into(), ..terms.sides[0].clone() };
    assert!(matches!(compared(&lab, &terms, |_, _| panic!()), ComparisonResult::SameProgram));
}

#[test]
fn commands_are_executed_as_they_are() {
    let lab = lab(ONE, 6);
    let side = |text: &str| Side {
        name: text.into(),
        program: Program::Command { command: text.into(), words: vec![text.into()], shell: false },
    };
    let sides = ["quick", "slow"].map(side);
    let rows_of = rows_of(&lab.question().plan, [&sides[0].program, &sides[1].program]).unwrap();
    let wall = terms(&lab).rows[0].1.clone();
    let terms = Comparing {
        sides,
        rows: rows_of.into_iter().map(|key| (key, wall.clone())).collect(),
        ..terms(&lab)
    };
    let of = |command: &str| if command == "slow" { 200 } else { 100 };
    let all = rows(compared(&lab, &terms, taking(of)));
    assert_eq!(all.rows[0].verdict, Verdict::Slower);
}

#[test]
fn what_has_nothing_in_common_is_refused_in_words() {
    let plan = lab(ONE, 1).question().plan;
    let revision = Program::Revision { revision: "r1".into() };
    let command = Program::Command { command: "x".into(), words: vec!["x".into()], shell: false };
    let why = rows_of(&plan, [&revision, &command]).unwrap_err();
    assert_eq!(why, "a command can be compared only with a command or a file, not with a revision");
}

/// What is said of 30 rounds in the order of that seed, in which an execution takes so many seconds
/// after that one and with so much noise.
fn carried(seed: u64, noise: f64, takes: impl Fn(&str, &str) -> f64) -> Option<CarriedOver> {
    let lab = lab(ONE, 30);
    let (mut state, mut before) = (seed, String::new());
    let all_rounds = Comparing { until: StopCondition::AllRounds, ..terms(&lab) };
    let all = rows(compared_by_seed(&lab, seed, &all_rounds, |request: &Request, at| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (state >> 33) as f64 / (1_u64 << 31) as f64;
        let command = request.command.join(" ");
        let seconds = takes(&before, &command) * (1.0 + noise * share);
        before = command;
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_secs_f64(seconds))
    }));
    let mut store = lab.store();
    let run = all.run.unwrap();
    let again = carried_over(&mut store, &run, &all_rounds).unwrap();
    assert_eq!(all.carried, again, "the samples say the same at any time");
    let size = Metric { name: "size".into(), unit: Unit::Bytes, better: Direction::Lower };
    let rows = all_rounds.rows.iter().map(|(key, _)| (key.clone(), vec![size.clone()])).collect();
    let of_sizes = Comparing { rows, ..all_rounds };
    assert_eq!(carried_over(&mut store, &run, &of_sizes).unwrap(), None, "times do not matter");
    again
}

#[test]
fn what_a_side_leaves_to_the_next_is_told() {
    let after_second = |before: &str, _: &str| if before.ends_with("r2") { 0.106 } else { 0.1 };
    let found = carried(1, 0.04, after_second).unwrap();
    assert_eq!((found.benchmark.name.as_str(), found.side), ("b", 1));
    assert!((0.03..0.08).contains(&found.share), "{}", found.share);
    let reported = (0..20).filter(|seed| carried(*seed, 0.04, |_, _| 0.1).is_some()).count();
    assert!(reported <= 1, "{reported} of 20 where nothing is carried over, at 1 %");
}

#[test]
fn what_a_heavy_side_leaves_to_a_light_one_is_told() {
    // The heavy one takes a second whatever was before, the light one 20 ms, and 30 ms with empty
    // caches; noise of 10 %.
    let of = |heavy: &'static str| {
        move |before: &str, command: &str| match (before.ends_with(heavy), command.ends_with(heavy))
        {
            (_, true) => 1.0,
            (true, false) => 0.03,
            (false, false) => 0.02,
        }
    };
    let reported = |heavy: &'static str, side: usize| {
        let found = (0..20).filter_map(|seed| carried(seed, 0.1, of(heavy)));
        found.filter(|found| found.side == side && (0.3..0.7).contains(&found.share)).count()
    };
    assert_eq!(reported("r2", 1), 20, "two light ones, and a heavy one in every round");
    // Two heavy ones: the light one follows itself in one round of nine. In some runs that is in
    // one round or none.
    let rare = reported("r1", 0);
    assert!(rare >= 13, "{rare} of 20");
}

#[test]
fn values_that_no_benchmark_has_are_told() {
    let grid = "[[benchmark]]\nname = 'b'\ncommand = 'b {n}'\nparameters = { n = [1, 2] }\n";
    let plan = lab(grid, 6).question().plan;
    let of = |n| Program::Variant {
        revision: "r1".into(),
        parameters: Parameters([("n".to_owned(), Parameter::Integer(n))].into()),
    };
    assert_eq!(rows_of(&plan, [&of(1), &of(2)]).unwrap().len(), 1);
    for sides in [[1, 3], [3, 1]] {
        let [a, b] = sides.map(of);
        assert_eq!(rows_of(&plan, [&a, &b]).unwrap_err(), "`b` has no n = 3; known: 1, 2");
    }
}

#[test]
fn a_row_that_the_family_does_not_believe_says_how_many_more_would_do() {
    let lab = lab(&many(24), 4);
    let terms = Comparing { until: StopCondition::AllRounds, ..terms(&lab) };
    // The first is slower by little more than it varies; of all others nothing differs, and all
    // vary much.
    let mut number = 0_u64;
    let script = |request: &Request, at| {
        number += 1;
        let of_first = if request.command.join(" ") == "b0 r2" { 1050 } else { 1000 };
        let noise = number * number * 7919 % 101;
        let micros =
            if request.command[0] == "b0" { 100 * of_first + noise } else { 100_000 + 90 * noise };
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_micros(micros))
    };
    let all = rows(compared(&lab, &terms, script));
    let first = &all.rows[0];
    assert_eq!((first.comparison.verdict, first.verdict), (Verdict::Slower, Verdict::Unclear));
    assert!(
        first.comparison.more.is_some_and(|more| more.rounds > 0),
        "{:?}",
        first.comparison.more
    );
}
