//! The whole answer for samples that are known.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tacho_experiment::bench::{BenchCommand, BenchQuestion, BenchResult, Standings, Start};
use tacho_experiment::trial::prepared::Exits;
use tacho_record::plan::{Hooks, Output};
use tacho_record::{
    Digest, Host, Limits, Outcome, Place, Purpose, RequestedEstimator, Rule, Run, RunState, Sample,
};

use super::*;

fn command(name: &str) -> BenchCommand {
    BenchCommand {
        name: name.to_owned(),
        text: name.to_owned(),
        parameters: vec![("level".to_owned(), "1,9".to_owned())],
        start: Start::Words(vec![name.to_owned()]),
        input: None,
        output: Output::Needed,
        hooks: Hooks::default(),
        timeout: Duration::MAX,
        conditions: BenchCommand::usual_conditions(),
        limits: Limits::default(),
    }
}

static NOWHERE: Host = Host { name: String::new(), facts: BTreeMap::new() };

/// Of so many milliseconds with noise of 1 %, and so many MiB.
fn samples(milliseconds: f64, mebibytes: f64) -> Vec<Sample> {
    let sample = |round: u32| {
        let noise = f64::from(round * 7919 % 101) / 100.0;
        let wall = milliseconds * 1e6 * (1.0 + noise / 100.0);
        let values = [
            ("cpu", 0.9 * wall),
            ("cpu-percent", 90.0),
            ("peak-memory", mebibytes * 1_048_576.0),
            ("sys", 0.1 * wall),
            ("user", 0.8 * wall),
            ("wall", wall),
        ];
        Sample {
            place: Place { round, position: 0 },
            at: Timestamp::UNIX_EPOCH,
            outcome: Outcome::Valid,
            values: values.map(|(name, value)| (name.into(), value)).into(),
        }
    };
    (1..=10).map(sample).collect()
}

fn question() -> BenchQuestion {
    BenchQuestion {
        commands: ["quick", "slow and large", "nearly | as quick"].map(command).into(),
        rule: Rule::default(),
        exits: Exits::One(0),
        counters: Vec::new(),
        metrics: Vec::new(),
        duet: None,
        reference: tacho_record::ReferenceMode::Off,
        estimator: None,
        folder: "/".into(),
        seed: 1,
        version: String::new(),
        conditions: BTreeMap::new(),
    }
}

fn answer() -> BenchResult {
    let run = Run {
        number: 1,
        purpose: Purpose::default(),
        started: Timestamp::UNIX_EPOCH,
        ended: None,
        state: RunState::Finished,
        seed: 1,
        question: Digest::of(""),
        plan: String::new(),
        version: String::new(),
        host: String::new(),
        rounds: 10,
        rule: Rule::default(),
    };
    let samples = vec![samples(100.0, 2.0), samples(150.0, 3.0), samples(100.4, 2.0)];
    let executing = Duration::from_secs(3);
    BenchResult {
        reference: None,
        run,
        samples,
        steadiness: Vec::new(),
        absent: BTreeMap::new(),
        waits: vec![],
        disturbed: vec![],
        interrupted: false,
        executing,
    }
}

fn with_report<T>(then: impl FnOnce(&BenchReport<'_>) -> T) -> T {
    let (question, answer) = (question(), answer());
    let standings = Standings::of(&question, &answer.samples, None, 0.01);
    then(&BenchReport {
        host: &NOWHERE,
        question: &question,
        answer: &answer,
        standings: &standings,
        margin: 0.01,
        width: None,
        detail: Detail { is_verbose: false, has_bars: true, has_range: true },
    })
}

fn text(report: &BenchReport<'_>) -> String {
    joined([report.numbers(), report.ranking()])
}

#[test]
fn the_whole_answer() {
    insta::assert_snapshot!(with_report(text), @r"
    command             n    median     95 %  spread       min       max      user       sys   CPU     memory
    quick              10  100.4 ms  ± 0.3 %   0.6 %  100.0 ms  100.8 ms  80.34 ms  10.04 ms  90 %  2.000 MiB
    slow and large     10  150.6 ms  ± 0.4 %   0.6 %  150.0 ms  151.3 ms  120.5 ms  15.06 ms  90 %  3.000 MiB
    nearly | as quick  10  100.8 ms  ± 0.5 %   0.6 %  100.4 ms  101.3 ms  80.66 ms  10.08 ms  90 %  2.000 MiB

    151.3 ms                       ████████▇▇████████▇▇
                                   ████████████████████
             ▂▂▃▃▂▂▃▃▂▂▂▂▃▃▂▂▃▃▂▂  ████████████████████  ▃▃▃▃▃▃▃▃▂▂▃▃▃▃▃▃▃▃▃▃
             ████████████████████  ████████████████████  ████████████████████
             ████████████████████  ████████████████████  ████████████████████
             ████████████████████  ████████████████████  ████████████████████
             ████████████████████  ████████████████████  ████████████████████
           0 ████████████████████  ████████████████████  ████████████████████
             quick                 slow and large        nearly | as quick

    `slow and large` is beaten on time and memory by `quick`, `nearly | as quick`
    ratios to `quick`, with 95 % intervals
      × 1.004  1.001 … 1.008  nearly | as quick  same, within ± 1 %
      × 1.500  1.495 … 1.505  slow and large     slower
    ");
}

#[test]
fn the_heading_names_what_follows() {
    let mut question = question();
    for command in &mut question.commands {
        command.start = Start::Shell(vec!["sh".to_owned()], command.text.clone());
    }
    let mut answer = answer();
    // About as much time as the shell, which is taken off: no ratio, but a difference.
    let small =
        |which: usize, round: usize| [-2e3, 90e3, 90e6][which] + [1e3, -1e3, 2e3, 0.0][round % 4];
    for (which, samples) in answer.samples.iter_mut().enumerate() {
        for (round, sample) in samples.iter_mut().enumerate() {
            sample.values.insert(2, ("net-wall".into(), small(which, round)));
        }
    }
    let head = |samples: &[Vec<Sample>], reference| {
        let standings = Standings::of(&question, samples, reference, 0.01);
        let ranking = with_report(|report| {
            BenchReport { question: &question, standings: &standings, ..*report }.ranking()
        });
        ranking.lines().next().unwrap().to_owned()
    };
    let notes = with_report(|report| BenchReport { question: &question, ..*report }.notes());
    assert!(
        ["user", "sys", "cpu_percent", "peak_memory"]
            .iter()
            .all(|key| notes[key].contains("with a shell"))
    );
    let [none, small, large] = answer.samples.clone().try_into().unwrap();
    assert_eq!(
        head(&[none.clone(), small.clone(), large.clone()], Some(0)),
        "differences from `quick`, the fastest, with 95 % intervals"
    );
    assert_eq!(
        head(&[none.clone(), small, large.clone()], Some(1)),
        "ratios to `slow and large`, or differences from it, with 95 % intervals"
    );
    let [mut failed, large] = [none, large];
    failed.truncate(0);
    assert_eq!(
        head(&[large.clone(), failed, large], Some(0)),
        "ratios to `quick`, with 95 % intervals"
    );
}

#[test]
fn what_has_not_the_smallest_median_is_not_called_the_fastest() {
    let (question, answer) = (question(), answer());
    let mut standings = Standings::of(&question, &answer.samples, None, 0.01);
    standings.each[0].time.as_mut().unwrap().median = 102e6;
    let ranking = with_report(|report| BenchReport { standings: &standings, ..*report }.ranking());
    let why = "\nno command is faster than `quick` by the ratio over all pairs of samples, which \
               decides, although the median of `nearly | as quick` is smaller\n\
               ratios to `quick`, with 95 % intervals\n";
    assert!(ranking.contains(why), "{ranking}");
}

#[test]
fn sixty_columns_are_enough() {
    insta::assert_snapshot!(with_report(|report| text(&BenchReport { width: Some(60), ..*report })), @r"
    quick
      median 100.4 ms ± 0.3 %  range 100.0 ms … 100.8 ms  n 10
      spread 0.6 %  CPU 90 %  memory 2.000 MiB  user 80.34 ms
      sys 10.04 ms
    slow and large
      median 150.6 ms ± 0.4 %  range 150.0 ms … 151.3 ms  n 10
      spread 0.6 %  CPU 90 %  memory 3.000 MiB  user 120.5 ms
      sys 15.06 ms
    nearly | as quick
      median 100.8 ms ± 0.5 %  range 100.4 ms … 101.3 ms  n 10
      spread 0.6 %  CPU 90 %  memory 2.000 MiB  user 80.66 ms
      sys 10.08 ms

    151.3 ms             ████▇████▇
                         ██████████
             ▂▃▂▃▂▂▃▂▃▂  ██████████  ▃▃▃▃▂▃▃▃▃▃
             ██████████  ██████████  ██████████
             ██████████  ██████████  ██████████
             ██████████  ██████████  ██████████
             ██████████  ██████████  ██████████
           0 ██████████  ██████████  ██████████
             quick       slow and…   nearly |…

    `slow and large` is beaten on time and memory by `quick`,
      `nearly | as quick`
    ratios to `quick`, with 95 % intervals
      nearly | as quick
        × 1.004  1.001 … 1.008  same, within ± 1 %
      slow and large
        × 1.500  1.495 … 1.505  slower
    ");
}

#[test]
fn bars_are_shown_only_where_they_show_something() {
    let plain = |report: &BenchReport<'_>| {
        BenchReport { detail: Detail::default(), width: Some(80), ..*report }.numbers()
    };
    insta::assert_snapshot!(with_report(plain), @r"
    quick
      median 100.4 ms ± 0.3 %  range 100.0 ms … 100.8 ms  n 10
      spread 0.6 %  CPU 90 %  memory 2.000 MiB  user 80.34 ms  sys 10.04 ms
    slow and large
      median 150.6 ms ± 0.4 %  range 150.0 ms … 151.3 ms  n 10
      spread 0.6 %  CPU 90 %  memory 3.000 MiB  user 120.5 ms  sys 15.06 ms
    nearly | as quick
      median 100.8 ms ± 0.5 %  range 100.4 ms … 101.3 ms  n 10
      spread 0.6 %  CPU 90 %  memory 2.000 MiB  user 80.66 ms  sys 10.08 ms
    ");
    // The first execution took twice as long: the order matters.
    let mut slow = answer();
    slow.samples[0][0].values.iter_mut().for_each(|(_, value)| *value *= 2.0);
    let question = question();
    let standings = Standings::of(&question, &slow.samples, None, 0.01);
    let drawn = with_report(|report| {
        plain(&BenchReport { answer: &slow, standings: &standings, ..*report })
    });
    assert!(drawn.contains('█'), "{drawn}");
}

#[test]
fn several_comparisons_are_a_family_with_a_rank_test_each() {
    let answer = with_report(|report| serde_json::to_value(report.answer()).unwrap());
    assert_eq!(answer["family"], serde_json::json!({ "rows": 2, "false_discovery": 0.05 }));
    // All ten of the reference are faster than all ten: 2 of the 184,756 ways to choose them.
    let of_slow = &answer["commands"][1]["compared"]["rank_test"];
    assert_eq!(of_slow["test"], "mann-whitney");
    assert!((of_slow["p"].as_f64().unwrap() * 184_756.0 - 2.0).abs() < 1e-6, "{of_slow}");
    assert!(answer["commands"][0]["compared"].is_null());
}

#[test]
fn columns_say_what_they_are() {
    let notes =
        with_report(|report| serde_json::to_value(report.answer()).unwrap())["notes"].clone();
    assert_eq!(notes["peak_memory"], "the peak of the largest process, not of all together");
    assert_eq!(notes["user"], notes["sys"]);
    assert!(!notes["sys"].as_str().unwrap().contains("shell"), "there is none");
    assert!(
        notes["sys"].as_str().unwrap().contains("only the sum is exact"),
        "90 ms of processor time"
    );
    // From a second on the split means something.
    let mut long = answer();
    let values = long.samples.iter_mut().flatten().flat_map(|sample| &mut sample.values);
    values.filter(|(name, _)| name == "cpu").for_each(|(_, value)| *value = 1e9);
    let question = question();
    let standings = Standings::of(&question, &long.samples, None, 0.01);
    let notes = with_report(|report| {
        BenchReport { answer: &long, standings: &standings, ..*report }.notes()
    });
    assert_eq!(notes.keys().collect::<Vec<_>>(), [&"peak_memory"]);
}

#[test]
fn the_ratio_that_was_requested_is_named() {
    let (question, answer) =
        (BenchQuestion { estimator: Some(RequestedEstimator::Minimum), ..question() }, answer());
    let standings = Standings::of(&question, &answer.samples, None, 0.01);
    let report = BenchReport {
        host: &NOWHERE,
        question: &question,
        answer: &answer,
        standings: &standings,
        margin: 0.01,
        width: None,
        detail: Detail { is_verbose: false, has_bars: true, has_range: true },
    };
    let ranking = report.ranking();
    assert!(ranking.contains("\nratios to `quick`, by minima, with 95 % intervals\n"), "{ranking}");
    let answer = serde_json::to_value(report.answer()).unwrap();
    assert_eq!(
        (&answer["estimator"], &answer["commands"][1]["compared"]["estimator"]),
        (&"minimum".into(), &"minimum".into())
    );
}

#[test]
fn the_files_of_others() {
    insta::assert_snapshot!(with_report(|it| export::csv(it).unwrap()), @r#"
    command,mean,stddev,median,user,system,min,max,parameter_level
    quick,0.100437,0.000297173723976772,0.100425,0.0803496,0.0100437,0.10003,0.10085,"1,9"
    slow and large,0.1506555,0.00044576058596515516,0.1506375,0.1205244,0.01506555,0.150045,0.151275,"1,9"
    nearly | as quick,0.100838748,0.00029836241887267633,0.1008267,0.0806709984,0.0100838748,0.10043012,0.1012534,"1,9"
    "#);
    insta::assert_snapshot!(with_report(export::markdown), @r"
    | command | n | median | 95 % | min | max | relative | |
    |:---|---:|---:|---:|---:|---:|---:|:---|
    | `quick` | 10 | 100.4 ms | 100.1 ms … 100.7 ms | 100.0 ms | 100.8 ms | 1.00 |  |
    | `slow and large` | 10 | 150.6 ms | 150.3 ms … 151.3 ms | 150.0 ms | 151.3 ms | × 1.500 (1.495 … 1.505) | slower |
    | `nearly \| as quick` | 10 | 100.8 ms | 100.7 ms … 101.3 ms | 100.4 ms | 101.3 ms | × 1.004 (1.001 … 1.008) | same, within ± 1 % |

    - `slow and large` is beaten on time and memory by `quick`, `nearly | as quick`
    - relative: ratios to `quick`, with 95 % intervals
    ");
    let json: serde_json::Value =
        serde_json::from_str(&with_report(|it| export::json(it).unwrap())).unwrap();
    let keys: Vec<&str> =
        json["results"][0].as_object().unwrap().keys().map(String::as_str).collect();
    insta::assert_snapshot!(keys.join(" "), @"command exit_codes max mean median median_at_usual_speed memory_usage_byte min parameters stddev system times user");
    assert_eq!(json["results"][1]["times"].as_array().unwrap().len(), 10);
    assert_eq!(json["results"][1]["memory_usage_byte"][0], 3 << 20);
    assert_eq!(json["results"][1]["parameters"]["level"], "1,9");
    assert!((json["results"][0]["times"][0].as_f64().unwrap() - 0.100_41).abs() < 1e-9);
}

#[test]
fn more_rounds_are_a_command_to_type_unless_they_take_long() {
    with_report(|report| {
        // 10 rounds took 3 s.
        assert_eq!(report.findings().more_rounds(47), "`-r 57` would decide, in 17.1 s");
        assert_eq!(
            report.findings().more_rounds(4567),
            "about 4,600 more rounds (23 min 0 s) would decide"
        );
    });
}
