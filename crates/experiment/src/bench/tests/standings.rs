//! What is said of measured commands: ratios, the fastest, and warnings.

use tacho_report::bench::BenchWarning;

use super::*;

#[test]
fn the_fastest_is_the_reference_unless_one_is_named() {
    let question = question(["a", "b", "c"].map(command), rounds(12));
    let (answer, _) = measured(&question, taking(&[("a", 100, 5), ("b", 50, 9), ("c", 120, 9)]));
    let found = standings(&question, &answer, None);
    assert_eq!(found.reference, Some(1));
    let ratio = |it: &CommandResult| it.compared.as_ref().and_then(|row| row.estimate?.ratio);
    assert!((1.9..2.1).contains(&ratio(&found.each[0]).unwrap()));
    assert_eq!(
        found.each.iter().map(|it| it.verdict).collect::<Vec<_>>(),
        [Some(Verdict::Slower), None, Some(Verdict::Slower)]
    );
    // `b` is faster than `c` but needs as much memory; `a` has less of both.
    assert_eq!(
        found.each.iter().map(|it| it.beaten_by.clone()).collect::<Vec<_>>(),
        [vec![], vec![], vec![0]]
    );
    let named = standings(&question, &answer, Some(2));
    assert_eq!(named.reference, Some(2));
    assert_eq!(named.each[0].verdict, Some(Verdict::Faster));
}

#[test]
fn what_waiting_may_have_made_slower_is_beaten_by_nothing() {
    let question = question(["a", "b"].map(command), rounds(20));
    let (mut answer, _) = measured(&question, taking(&[("a", 100, 5), ("b", 130, 9)]));
    let b = |answer: &BenchResult| {
        let found = standings(&question, answer, None).each.remove(1);
        (found.verdict, found.beaten_by)
    };
    assert_eq!(b(&answer), (Some(Verdict::Slower), vec![0]));
    for sample in answer.samples.iter_mut().flatten() {
        let wall = sample.value("wall").unwrap();
        let cpu = 2e7 + 1e3 * f64::from(sample.place.round * 3 % 20);
        sample.values.retain(|(name, _)| !["cpu", "cpu-wait", "on-cpu"].contains(&&**name));
        sample.add("cpu", cpu);
        sample.add("on-cpu", cpu);
        sample.add("cpu-wait", wall - cpu);
        sample.add("host-other-cpu", 2.0 * wall);
    }
    assert_eq!(b(&answer), (Some(Verdict::Unclear), vec![]));
}

#[test]
fn a_command_against_itself_is_no_slower() {
    let question = question(["a", "a again"].map(command), rounds(30));
    let same = taking(&[("a", 100, 5), ("a again", 100, 5)]);
    let (answer, _) = measured(&question, same);
    let found = standings(&question, &answer, None);
    assert!(
        found
            .each
            .iter()
            .all(|it| !it.verdict.is_some_and(Verdict::differs) && it.beaten_by.is_empty())
    );
}

#[test]
fn only_rounds_that_both_took_part_in_are_compared() {
    let rule = Rule { each: Some(Duration::from_secs(1)), max_rounds: 1_000_000, ..rounds(10) };
    let question = question(["slow", "fast"].map(command), rule);
    // The host becomes ten times as fast when `slow` is done.
    let mut number = 0;
    let (answer, _) = measured(&question, |request, at| {
        number += 1;
        let wall = if request.command[0] == "slow" { 100 + number % 3 } else { 50 + number % 3 };
        Execution::of(
            ExecutionEnd::Exited(0),
            at,
            Duration::from_millis(if number > 20 { wall / 10 } else { wall }),
        )
    });
    let ratio = standings(&question, &answer, None).each[0]
        .compared
        .as_ref()
        .unwrap()
        .estimate
        .unwrap()
        .ratio;
    assert!((1.9..2.1).contains(&ratio.unwrap()), "{ratio:?}");
}

#[test]
fn a_share_of_processors_is_of_those_that_left_nothing_behind() {
    let tidy_from = |tidy_from: u32| {
        let question = question(["a"].map(command), rounds(4));
        let mut number = 0;
        let (answer, _) = measured(&question, |_, at| {
            number += 1;
            let is_tidy = number >= tidy_from;
            let usage = Usage {
                user: Duration::from_millis(if is_tidy { 5 } else { 900 }),
                ..Usage::default()
            };
            let left_behind = u32::from(!is_tidy);
            Execution {
                usage,
                left_behind,
                ..Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(10))
            }
        });
        standings(&question, &answer, None).each[0].cpu_percent
    };
    assert_eq!((tidy_from(3), tidy_from(9)), (Some(50.0), None));
}

#[test]
fn of_a_very_short_command_the_start_of_a_process_is_named() {
    let names = ["short", "long", "less"];
    let mut question = question(names.map(command), rounds(8));
    question.conditions = [("instrument.true".to_owned(), "600000 ns".to_owned())].into();
    let (answer, _) = measured(&question, |request, at| {
        let wall = match request.command[0].as_str() {
            "short" => 700,
            "less" => 300,
            _ => 9000,
        };
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_micros(wall))
    });
    let found = standings(&question, &answer, None);
    assert_eq!(found.each[0].warnings, [BenchWarning::MostlyStart(600_000.0)]);
    assert_eq!(found.each[1].warnings, []);
    assert_eq!(found.each[2].warnings, [], "no command takes less than its start");
}

#[test]
fn a_first_execution_that_is_slow_is_told_unless_there_was_a_warm_up() {
    let first = |first: u64| {
        let mut number = 0_u64;
        move |_: &Request, at| {
            number += 1;
            let wall = if number == 1 { first } else { 100_000_u64 + 100 * (number % 4) };
            Execution::of(ExecutionEnd::Exited(0), at, Duration::from_micros(wall))
        }
    };
    let script = || first(300_000);
    let cold = question(["a"].map(command), rounds(20));
    let found = standings(&cold, &measured(&cold, first(104_000)).0, None);
    assert_eq!(found.each[0].warnings, [], "an outlier, and next to nothing");
    let found = standings(&cold, &measured(&cold, script()).0, None);
    assert!(
        matches!(found.each[0].warnings[..], [BenchWarning::FirstSlow(ratio)] if ratio > 2.9),
        "{found:?}"
    );
    let warm = question(["a"].map(command), Rule { warmup: true.into(), ..rounds(20) });
    let found = standings(&warm, &measured(&warm, script()).0, None);
    assert_eq!(found.each[0].warnings, []);
}

#[test]
fn a_level_that_changes_near_the_end_is_no_steady_state() {
    let script = |changes: u64| {
        let mut number = 0_u64;
        move |_: &Request, at| {
            number += 1;
            let micros = if number < changes { 100_000 } else { 120_000 } + number * 37 % 11 * 100;
            Execution::of(ExecutionEnd::Exited(0), at, Duration::from_micros(micros))
        }
    };
    let usual = question(["a"].map(command), rounds(40));
    let found = standings(&usual, &measured(&usual, script(36)).0, None);
    assert_eq!(found.each[0].warnings, [BenchWarning::NoSteadyState(5)]);
    let early = standings(&usual, &measured(&usual, script(12)).0, None);
    assert_eq!(early.each[0].warnings, [], "it stays for long enough");
    let asked = question(["a"].map(command), Rule { warmup: Warmup::Found, ..rounds(40) });
    let found = standings(&asked, &measured(&asked, script(36)).0, None);
    assert_eq!(found.each[0].warnings, [], "that is said of the warmup");
}

#[test]
fn load_beside_is_told_once_for_all() {
    let question = question(["a", "b"].map(command), rounds(10));
    let (mut answer, _) = measured(&question, |_, at| {
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_millis(100))
    });
    assert_eq!(standings(&question, &answer, None).warnings, []);
    for sample in answer.samples.iter_mut().flatten() {
        sample.add("host-other-cpu", 50e6);
        sample.add("host-steal", 2e6);
    }
    let found = standings(&question, &answer, None);
    assert_eq!(found.warnings, [BenchWarning::Loaded(0.5), BenchWarning::Stolen(0.02)]);
    assert!(found.each.iter().all(|it| it.warnings.is_empty()));
}

#[test]
fn a_warm_up_that_is_found_is_told_and_left_out() {
    let rule = Rule { warmup: tacho_record::Warmup::Found, ..rounds(20) };
    let question = question([command("slow at first")], rule);
    let mut number = 0_u64;
    let (answer, _) = measured(&question, |_, at| {
        number += 1;
        let micros = if number <= 3 { 150_000 } else { 100_000 } + number * 7 % 10 * 100;
        Execution::of(ExecutionEnd::Exited(0), at, Duration::from_micros(micros))
    });
    let found = answer.steadiness[0].as_ref().unwrap();
    assert_eq!((found.warm_up(), found.metric.as_str()), (3, "wall"));
    let standings = Standings::of(&question, &answer.samples, None, 0.01);
    assert_eq!(standings.each[0].time.unwrap().n, 17);
}

/// Three commands of 100 ms with noise of 2 %; after the first, the next takes so many times as
/// long.
fn standings_after(times: f64, seed: u64) -> Standings {
    let question =
        BenchQuestion { seed, ..question(["heavy", "light", "other"].map(command), rounds(30)) };
    let mut noise = seed;
    let mut before = String::new();
    let (answer, _) = measured(&question, |request, at| {
        noise =
            noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let carried = if before == "heavy" { times } else { 1.0 };
        before.clone_from(&request.command[0]);
        let share = (noise >> 33) as f64 / (1_u64 << 31) as f64;
        Execution::of(
            ExecutionEnd::Exited(0),
            at,
            Duration::from_secs_f64(0.1 * carried * (1.0 + 0.04 * share)),
        )
    });
    Standings::of(&question, &answer.samples, None, 0.01)
}

#[test]
fn what_a_command_leaves_to_the_next_is_told() {
    let found = standings_after(1.06, 1).warnings;
    let Some(BenchWarning::CarryOver(0, share)) = found.first() else { panic!("{found:?}") };
    assert!((0.03..0.08).contains(share), "{share}");
    let reported = (0..20).filter(|seed| !standings_after(1.0, *seed).warnings.is_empty());
    assert_eq!(reported.count(), 0, "of 20 where nothing is carried over, at 0.5 %");
}

/// In all rounds but one the second is faster, by 2 % each; that round, in which it is slower,
/// holds both medians.
#[test]
fn the_fastest_is_whom_no_ratio_calls_slower() {
    let question = question(["median", "rounds"].map(command), rounds(11));
    let mut count = HashMap::new();
    let (answer, _) = measured(&question, |request, at| {
        let name = request.command[0].clone();
        let round = count.entry(name.clone()).or_insert(0);
        *round += 1;
        let share = match (name.as_str(), *round) {
            ("median", _) => 100,
            (_, 6) => 102,
            _ => 98,
        };
        Execution::of(
            ExecutionEnd::Exited(0),
            at,
            Duration::from_micros((90 + 10 * *round) * 10 * share),
        )
    });
    let found = standings(&question, &answer, None);
    let raw = |index: usize| {
        let walls: Vec<f64> =
            answer.samples[index].iter().filter_map(|it| it.value("wall")).collect();
        tacho_stats::summary::median(&walls).unwrap()
    };
    assert!(raw(0) < raw(1));
    // The host slows from round to round: at its usual speed, times are as the ratios say.
    let shown = |index: usize| found.each[index].time.unwrap().median;
    assert!(found.uneven.is_some() && shown(1) < shown(0));
    assert_eq!((found.reference, found.is_reference_fastest()), (Some(1), true));
    assert!(found.each[1].compared.is_none() && found.each[0].compared.is_some());
    let named = standings(&question, &answer, Some(0));
    assert_eq!((named.reference, named.is_reference_fastest()), (Some(0), false));
    assert!(named.each[1].compared.as_ref().unwrap().estimate.unwrap().ratio.unwrap() < 1.0);
}
