//! All targets: each takes any bytes, and must come back. Both libFuzzer (`main.rs`) and an
//! ordinary test (`tests/fuzz.rs`) execute them.

use tacho_measure::Parser;
use tacho_record::Unit;
use tacho_record::plan::{OutputPlace, Pattern, Reading, Tool};

/// What executes one input.
pub type Target = fn(&[u8]);

/// Each target and its name, which is that of its folder in `corpus/` too.
pub const TARGETS: [(&str, Target); 12] = [
    ("build-files", tacho_subject::fuzz::build_files),
    ("build-log", build_log),
    ("chunk", tacho_store::fuzz::chunk),
    ("cvs-log", tacho_subject::fuzz::cvs_log),
    ("git-log", tacho_subject::fuzz::git_log),
    ("launcher", tacho_measure::fuzz::launcher_answer),
    ("manifest", tacho_subject::fuzz::manifest),
    ("numbers", numbers),
    ("output", output),
    ("patch", tacho_subject::fuzz::patch),
    ("plan", plan),
    ("report", report),
];

/// The log of a build that failed.
fn build_log(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(line) = tacho_record::build_error::error_line(&text) {
        let _ = tacho_record::build_error::missing_program(&line);
    }
}

/// A file of numbers, JSON or CSV.
fn numbers(bytes: &[u8]) {
    match tacho_record::numbers::parse(bytes, None) {
        Ok(numbers) => {
            assert!(!numbers.series.is_empty());
            for point in numbers.series.iter().flat_map(|series| &series.points) {
                assert!(point.samples.iter().all(|sample| sample.is_finite()));
            }
        }
        Err(error) => drop((error.to_string(), error.hint())),
    }
}

/// What a subject prints, by each way to find a metric in it.
fn output(bytes: &[u8]) {
    let of_tool = |tool, name: &str, quantity: &str| Pattern::Tool {
        tool,
        name: name.to_owned(),
        quantity: quantity.to_owned(),
    };
    let patterns = [
        Pattern::Csv("time".to_owned()),
        Pattern::Json("/a/*/b".to_owned()),
        Pattern::Key("time".to_owned()),
        Pattern::Regex("time ([0-9.]+)".to_owned()),
        of_tool(Tool::Criterion, "", ""),
        of_tool(Tool::GoBench, "", "ns/op"),
        of_tool(Tool::GoogleBenchmark, "", "real_time"),
        of_tool(Tool::Hyperfine, "", ""),
        of_tool(Tool::Iperf3, "", "received"),
        of_tool(Tool::Jmh, "", ""),
        of_tool(Tool::Metrics, "a", ""),
        of_tool(Tool::Pyperf, "", ""),
        of_tool(Tool::PytestBenchmark, "", ""),
        of_tool(Tool::Tcpbench, "", "mbps"),
        of_tool(Tool::Time, "", "real"),
    ];
    for pattern in patterns {
        let reading = Reading { place: OutputPlace::Stdout, pattern, scale: 1.0 };
        let parser = Parser::new(&reading, &Unit::Nanoseconds);
        if let Ok(values) = parser.values(bytes) {
            assert!(!values.is_empty() && values.iter().all(|value| value.is_finite()));
        }
    }
}

/// A plan, and the parts that are read beside it.
fn plan(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(errors) = tacho_record::plan::parse(text, "tacho.toml") {
        let _ = errors.to_string();
    }
}

/// A report of another tool.
fn report(bytes: &[u8]) {
    if let Ok(report) = tacho_measure::report(&String::from_utf8_lossy(bytes)) {
        assert!(!report.benchmarks.is_empty());
    }
}
