//! Reports that the tools really wrote.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn read(name: &str) -> Report {
    read_report(&fixture(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// The tool, and of each benchmark its name, metric and number of values.
fn told(name: &str) -> (&'static str, Vec<(String, String, usize)>) {
    let report = read(name);
    let one =
        |one: &ExportedMetric| (one.benchmark.clone(), one.metric.name.clone(), one.values.len());
    (report.tool, report.benchmarks.iter().map(one).collect())
}

#[track_caller]
fn tells(name: &str, tool: &str, wanted: &[(&str, &str, usize)]) {
    let (by, found) = told(name);
    let found: Vec<(&str, &str, usize)> = found
        .iter()
        .map(|(name, metric, count)| (name.as_str(), metric.as_str(), *count))
        .collect();
    assert_eq!((by, found.as_slice()), (tool, wanted));
}

#[test]
fn tools_are_known_by_what_they_write() {
    tells("hyperfine.json", "hyperfine", &[("sleep", "time", 5), ("true", "time", 5)]);
    tells(
        "go-bench.txt",
        "go test",
        &[
            ("BenchmarkSort-2", "ns/op", 2),
            ("BenchmarkSum/size=small-2", "ns/op", 2),
            ("BenchmarkSum/size=large-2", "ns/op", 2),
            ("BenchmarkSort-2", "MB/s", 2),
            ("BenchmarkSort-2", "B/op", 2),
            ("BenchmarkSort-2", "allocs/op", 2),
            ("BenchmarkSum/size=small-2", "misses/op", 2),
            ("BenchmarkSum/size=large-2", "misses/op", 2),
        ],
    );
    for (name, tool) in [
        ("criterion-bencher.txt", "criterion"),
        ("criterion.txt", "criterion"),
        ("google-benchmark.json", "Google Benchmark"),
        ("hyperfine-2.json", "hyperfine"),
        ("jmh-thrpt.json", "JMH"),
        ("jmh.json", "JMH"),
        ("pyperf.json", "pyperf"),
        ("pytest-benchmark.json", "pytest-benchmark"),
    ] {
        assert_eq!(read(name).tool, tool, "{name}");
    }
}

#[test]
fn as_many_units_as_benchmarks_are_read_in_one_pass() {
    let line = |at: usize| format!("BenchmarkB{at}-2 10 {at}.5 ns/op 7 u{at}/op 8 u{at}/op\n");
    let report = report(&(0..20_000).map(line).collect::<String>()).unwrap();
    assert_eq!(report.benchmarks.len(), 40_000);
    assert_eq!((report.benchmarks[1].values[0], report.benchmarks[20_001].values[0]), (1.5, 7.0));
}

#[test]
fn results_of_one_name_are_told_apart_by_their_places() {
    let result = |at: usize| format!(r#"{{"command": "same", "times": [{at}]}}"#);
    let results: Vec<String> = (1..=20_000).map(result).collect();
    let report = report(&format!(r#"{{"results": [{}]}}"#, results.join(","))).unwrap();
    let last = report.benchmarks.last().unwrap();
    assert_eq!((last.benchmark.as_str(), last.values[0]), ("same (20000)", 2e13));
}

#[test]
fn rates_are_the_better_the_higher() {
    let rates = read("jmh-thrpt.json");
    assert!(rates.benchmarks.iter().all(|one| one.metric.better == Direction::Higher), "{rates:?}");
    let times = read("jmh.json");
    assert!(times.benchmarks.iter().all(|one| one.metric.unit == Unit::Nanoseconds), "{times:?}");
    let go = read("go-bench.txt");
    let rate = go.benchmarks.iter().find(|one| one.metric.name == "MB/s").unwrap();
    assert_eq!(
        (rate.metric.better, rate.values.as_slice()),
        (Direction::Higher, &[687.38, 758.14][..])
    );
    assert_eq!(go.host["goarch"], "amd64");
}

#[test]
fn criterion_is_read_from_its_folder_and_from_single_files() {
    tells("criterion", "criterion", &[("sum/1000", "time", 10), ("sum/10000", "time", 10)]);
    tells("criterion/sum/1000/old", "criterion", &[("sum/1000", "time", 10)]);
    tells("criterion/sum/1000/new/sample.json", "criterion", &[("sum/1000", "time", 10)]);
    let estimated = read("criterion/sum/1000/new/estimates.json");
    let sampled = read("criterion/sum/1000/new/sample.json");
    assert_eq!(
        (estimated.benchmarks[0].benchmark.as_str(), estimated.benchmarks[0].values.len()),
        ("sum/1000", 1)
    );
    let mut values = sampled.benchmarks[0].values.clone();
    values.sort_by(f64::total_cmp);
    let median = f64::midpoint(values[4], values[5]);
    assert!(
        (estimated.benchmarks[0].values[0] / median - 1.0).abs() < 1e-9,
        "the same median in ns"
    );
}

#[test]
fn how_executions_ended_is_a_condition_of_a_report_of_hyperfine() {
    let of = |codes: &str| {
        let result = format!(
            r#"{{"results": [{{"command": "x", "times": [1, 2, 3], "exit_codes": {codes}}}]}}"#
        );
        report(&result)
            .unwrap()
            .host
            .into_iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("[0, 0, 0]"), ["exit status of `x`: 0"]);
    assert_eq!(of("[2, 0, 1]"), ["exit status of `x`: 1, 2 in 2 of 3 executions"]);
    assert_eq!(of("[null, 0, 0]"), ["exit status of `x`: null in 1 of 3 executions"]);
    assert_eq!(of("[]"), Vec::<String>::new());
}

#[test]
fn results_of_one_name_are_kept_apart_in_one_export_of_hyperfine() {
    let names = |results: &str| -> Vec<(String, Vec<f64>)> {
        let text = format!(r#"{{"results": [{results}]}}"#);
        report(&text)
            .unwrap()
            .benchmarks
            .into_iter()
            .map(|one| (one.benchmark, one.values))
            .collect()
    };
    let one = |more: &str, time: u32| format!(r#"{{"command": "sort", "times": [{time}]{more}}}"#);
    let value = |time: f64| vec![time * 1e9];
    let all =
        [one("", 1), one("", 2), r#"{"command": "other", "times": [3]}"#.to_owned()].join(", ");
    let wanted = [("sort (1)", 1.0), ("sort (2)", 2.0), ("other", 3.0)];
    assert_eq!(names(&all), wanted.map(|(name, time)| (name.to_owned(), value(time))));
    let [two, four] = ["2", "4"].map(|n| format!(r#", "parameters": {{"n": "{n}"}}"#));
    let all = [one(&two, 1), one(&four, 2), one(&four, 3)].join(", ");
    let wanted = [("sort[n=2]", 1.0), ("sort[n=4] (1)", 2.0), ("sort[n=4] (2)", 3.0)];
    assert_eq!(names(&all), wanted.map(|(name, time)| (name.to_owned(), value(time))));
    assert_eq!(names(&one(&two, 1)), [("sort".to_owned(), value(1.0))], "no other has the name");
    let again = format!(r#"{{"results": [{}]}}"#, one("", 1)).repeat(2);
    let again = report(&again).unwrap().benchmarks;
    assert_eq!((again.len(), again[0].values.len()), (1, 2), "one of another document is the same");
}

#[test]
fn what_is_no_report_is_said() {
    let why = |text: &str| report(text).unwrap_err();
    assert_eq!(why("#!/bin/sh\necho\n"), "its format is not that of a known tool");
    assert_eq!(why("{\"a\": 1}"), "it is JSON, but not that of a known tool");
    assert_eq!(
        why("{\"format_version\": 1, \"commands\": []}"),
        "it is an answer of tacho in JSON"
    );
    let table = "it is a table, which has no value of each execution";
    assert_eq!(why("command,mean,stddev,median\ntrue,1,1,1\n"), table);
    assert_eq!(why("{\"results\": []}"), "it is an export of hyperfine without a result");
    assert!(why("{\"a\": ").starts_with("it is not JSON: "));
    assert_eq!(why(""), "its format is not that of a known tool");
    assert!(read_report(&fixture("none")).unwrap_err().contains("No such file"));
    assert!(
        read_report(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/parse").as_path()).is_err()
    );
    assert_eq!(
        why(r#"{"results": [{"command": "a", "times": []}]}"#),
        "`a`: `median` is not a number"
    );
}

proptest! {
    #[test]
    fn anything_is_a_report_or_is_not(text in ".{0,200}", at in 0..4000_usize) {
        let _ = report(&text);
        for name in ["hyperfine.json", "go-bench.txt", "jmh.json"] {
            let whole = std::fs::read(fixture(name)).unwrap();
            let cut = String::from_utf8_lossy(&whole[..at.min(whole.len())]).into_owned();
            let found = report(&cut);
            prop_assert!(found.is_err() || found.unwrap().benchmarks.iter().all(|one| !one.values.is_empty()));
        }
    }
}
