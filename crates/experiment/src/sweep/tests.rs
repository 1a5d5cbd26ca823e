//! Sweeps with scripted executions: nothing is timed.

use std::time::Duration;

use jiff::Timestamp;
use tacho_measure::{Execution, ExecutionEnd, Request, ScriptedExecutor, Usage};
use tacho_record::Metric;
use tacho_stats::sweep::{LoadGoal, LoadOutcome, SweepShape};
use tacho_store::{Location, Store};
use tacho_subject::ScriptedBuilder;

use super::*;
use crate::Context;
use crate::bench::{BenchCommand, BenchQuestion, Standings, Start, tests};
use crate::test_context::lab_context;

fn question(values: impl Iterator<Item = u32>, rounds: u32) -> BenchQuestion {
    let command = |value: u32| BenchCommand {
        text: format!("prog {value}"),
        parameters: vec![("n".to_owned(), value.to_string())],
        start: Start::Words(vec!["prog".to_owned(), value.to_string()]),
        ..tests::command(&format!("n={value}"))
    };
    tests::question(values.map(command), tests::rounds(rounds))
}

fn swept(bench: BenchQuestion, limits: &[&str]) -> SweepQuestion {
    let number = |command: &BenchCommand| command.parameters[0].1.parse().unwrap();
    SweepQuestion {
        positions: Some(bench.commands.iter().map(number).collect()),
        bench,
        objective: None,
        floor: None,
        limits: limits.iter().map(|text| MetricLimit::parse(text, &[]).unwrap()).collect(),
        margin: 0.01,
    }
}

/// Has it done by an executor that takes so many milliseconds and MiB at a value, with noise of 1
/// %.
fn with<T>(
    cost: impl Fn(f64) -> (f64, f64),
    act: impl FnOnce(&mut Context<'_>) -> T,
) -> (T, Vec<String>) {
    let mut number = 0_u32;
    let script = |request: &Request, at: Timestamp| {
        number += 1;
        let (milliseconds, mebibytes) = cost(request.command[1].parse().unwrap());
        let noise = 1.0 + 0.01 * (f64::from((number * 7919) % 101) / 101.0 - 0.5);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few of them
        let memory = (mebibytes * 1_048_576.0) as u64;
        let usage = Usage { peak_memory: Some(memory), ..Usage::default() };
        let wall = Duration::from_secs_f64(milliseconds * noise / 1000.0);
        Execution { usage, ..Execution::of(ExecutionEnd::Exited(0), at, wall) }
    };
    let mut store = Store::open(&Location::Memory).unwrap();
    let mut executor = ScriptedExecutor::new(script);
    let mut builder = ScriptedBuilder::new();
    let mut context = lab_context(&mut store, &mut builder, &mut executor);
    let done = act(&mut context);
    let executed = executor.requests().iter().map(|request| request.command[1].clone()).collect();
    (done, executed)
}

/// Milliseconds of a dip around 32.
fn dip(value: f64) -> f64 {
    10.0 + (value.log2() - 5.0).powi(2)
}

#[test]
fn a_grid_is_executed_in_rounds_and_its_best_value_is_named() {
    let values = (0..11).map(|power| 1 << power);
    let question = swept(question(values, 8), &[]);
    let (found, executed) =
        with(|value| (dip(value), 1.0), |context| sweep(context, &question).unwrap());
    for round in executed.chunks(11) {
        let mut sorted: Vec<u32> = round.iter().map(|value| value.parse().unwrap()).collect();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..11).map(|power| 1 << power).collect::<Vec<u32>>());
    }
    assert_eq!(executed.len(), 88);
    let curve = found.curve.unwrap();
    assert_eq!((curve.best, curve.shape), (5, SweepShape::Varied));
    assert_eq!(
        (curve.plateau.as_slice(), curve.minima.as_slice()),
        ([5].as_slice(), [5].as_slice())
    );
    let (low, high) = curve.costs[0].interval;
    assert!(low < 3.5_f64.ln() && high > 3.5_f64.ln(), "35 ms against 10: {low} … {high}");
}

#[test]
fn values_that_break_a_limit_are_never_the_best() {
    let question = swept(question((0..11).map(|power| 1 << power), 8), &["peak-memory<10MiB"]);
    let (found, _) =
        with(|value| (dip(value), value), |context| sweep(context, &question).unwrap());
    let curve = found.curve.unwrap();
    assert_eq!(found.places, [0, 1, 2, 3], "1 to 8 MiB");
    assert_eq!(curve.best, 3);
    assert_eq!(found.rows[5].limits, [Some((false, true))]);
    assert_eq!(found.rows[5].place, None);
}

#[test]
fn where_no_value_keeps_a_limit_there_is_no_curve() {
    let question = swept(question(1..4, 3), &["peak-memory<1MiB"]);
    let (found, _) = with(|_| (10.0, 64.0), |context| sweep(context, &question).unwrap());
    let missing = found.curve.unwrap_err();
    assert_eq!(missing.to_string(), "no value keeps `peak-memory < 1.000 MiB`");
}

#[test]
fn a_sweep_that_was_interrupted_at_once_says_so() {
    let question = swept(question(1..=3, 5), &[]);
    let (.., curve) = super::grid::judged(&question, &vec![Vec::new(); 3]);
    assert_eq!(curve.unwrap_err(), MissingCurve::NothingExecuted);
}

#[test]
fn a_search_ends_near_the_best_value_and_executes_few() {
    let sweep = swept(question(1..=65, 10), &[]);
    let question = OptimumQuestion::of(sweep);
    let cost = |value: f64| (10.0 + (value - 41.0).powi(2) / 50.0, 1.0);
    let (found, executed) = with(cost, |context| find_optimum(context, &question).unwrap());
    assert_eq!(found.spans.len(), 1, "{:?}", found.spans);
    let (low, high) = found.spans[0].ends;
    assert!(low < 40 && high > 40 && high - low < 12, "{low} to {high}");
    assert_eq!((found.taken, found.whole), (executed.len(), 650));
    assert!(found.taken <= 325 && !found.is_interrupted, "{}", found.taken);
    assert!(found.curve.is_ok());
}

#[test]
fn a_search_finds_the_best_value_beside_a_limit() {
    let sweep = swept(question(1..=33, 10), &["peak-memory<20MiB"]);
    let question = OptimumQuestion::of(sweep);
    let cost = |value: f64| (50.0 - value, value);
    let (found, _) = with(cost, |context| find_optimum(context, &question).unwrap());
    // 19 MiB, at place 18, is the last that keeps it.
    let (low, high) = found.spans[0].ends;
    assert!(low < 18 && high == 19, "{:?}", found.spans);
}

#[test]
fn the_front_has_what_no_other_beats_at_time_and_memory() {
    let question = SweepQuestion { floor: Some(0), ..swept(question(1..=4, 12), &[]) };
    // The floor, fast and large, slow and small, slow and large.
    let costs = [(1.0, 1.0), (10.0, 64.0), (20.0, 8.0), (30.0, 80.0)];
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 1 to 4
    let cost = |value: f64| costs[value as usize - 1];
    let (found, _) = with(cost, |context| sweep(context, &question).unwrap());
    let standings = Standings::of(&question.bench, &found.answer.samples, Some(0), 0.01);
    assert_eq!(front(&standings, Some(0)), [1, 2]);
    assert_eq!(found.places, [1, 2, 3], "the floor is never the best");
    assert_eq!(found.curve.unwrap().best, 0);
}

fn load(limit: &str, loads: u32) -> LoadQuestion {
    LoadQuestion {
        bench: question(1..=loads, 1),
        limit: MetricLimit::parse(limit, &[]).unwrap(),
        received: Metric::built_in("peak-memory"),
        goal: LoadGoal { duration_sum: 5.0, exceed_ratio: 0.5, width: 1 },
    }
}

#[test]
fn the_highest_load_that_keeps_a_limit_is_found_in_few_trials() {
    let question = load("wall<100ms", 1000);
    let cost = |value: f64| (if value <= 417.0 { 50.0 } else { 200.0 }, value);
    let (found, executed) = with(cost, |context| highest_load(context, &question).unwrap());
    assert_eq!(found.outcome, Some(LoadOutcome::Between(416, 417)), "places begin at 0");
    assert!(executed.len() < 20, "{}", executed.len());
    assert_eq!(executed[0], "1000", "the highest comes first");
    assert_eq!(found.search.received(416), Some(417.0 * 1_048_576.0));
    assert_eq!(found.search.kept(416), (3, 3));
}

#[test]
fn a_trial_without_the_metric_ends_the_search() {
    let question = LoadQuestion {
        limit: MetricLimit::parse("energy<1", &[]).unwrap(),
        ..load("wall<100ms", 10)
    };
    let (found, executed) =
        with(|_| (1.0, 1.0), |context| highest_load(context, &question).unwrap());
    assert_eq!((found.outcome, executed.len()), (None, 1));
    assert_eq!(found.failure.unwrap().1, "it has no `energy`");
}
