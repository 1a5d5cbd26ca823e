//! How soon `tacho` is there, and how soon it has an answer: `cargo bench -p tacho --bench start`,
//! the promised limits beside each number.
//!
//! Whole calls in turns, the median of each: `true` (what it takes to start anything), the version
//! of ours and of hyperfine, and `true` measured ten times by both (`-N`: neither needs a shell).
//! Our own part of the last is what is left when its ten executions, each as long as a bare `true`
//! at most, are taken off.
//!
//! Then what a user waits for beside what is measured: whole calls that execute `true` a thousand
//! times, by the sum of their samples, and one call by the other.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TURNS: usize = 51;
const EXECUTIONS: u32 = 10;
/// How often a long call is made, and how many executions it makes.
const LONG_TURNS: usize = 9;
const MANY: &str = "1000";

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is
    // nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let tacho = env!("CARGO_BIN_EXE_tacho");
    let [nothing, ours, answer] =
        medians([&["true"], &[tacho, "--version"], &[tacho, "bench", "-N", "-r", "10", "true"]]);
    println!("whole calls, medians of {TURNS} turns");
    println!("  true                           {:7.2} ms", millis(nothing));
    println!("  tacho --version                {:7.2} ms  (under 5)", millis(ours));
    println!("  tacho bench -N -r 10 true      {:7.2} ms", millis(answer));
    let own = answer.saturating_sub(nothing * EXECUTIONS);
    println!("  of it our own                  {:7.2} ms  (under 50)", millis(own));
    if Command::new("hyperfine").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("  hyperfine is not here: install it to compare");
        return;
    }
    let [ours, theirs, answer, their_answer] = medians([
        &[tacho, "--version"],
        &["hyperfine", "--version"],
        &[tacho, "bench", "-N", "-r", "10", "true"],
        &["hyperfine", "-N", "-r", "10", "true"],
    ]);
    println!(
        "  hyperfine --version            {:7.2} ms, ours by it {:.2}",
        millis(theirs),
        ratio(ours, theirs)
    );
    println!(
        "  hyperfine -N -r 10 true        {:7.2} ms, ours by it {:.2}",
        millis(their_answer),
        ratio(answer, their_answer)
    );
    by_samples(tacho);
}

/// Prints whole calls by the sum of their samples, of both tools in turns.
fn by_samples(tacho: &str) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("samples.json");
    let file = file.to_str().unwrap();
    let long = |tool: &[&str]| {
        let took = call(&[tool, &["-N", "-r", MANY, "--export-json", file, "true"]].concat());
        let answer: serde_json::Value =
            serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let times = answer["results"][0]["times"].as_array().unwrap();
        (took.as_secs_f64(), times.iter().map(|time| time.as_f64().unwrap()).sum::<f64>())
    };
    let (mut ours, mut theirs, mut both) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..LONG_TURNS {
        let ((our_call, our_sum), (their_call, their_sum)) =
            (long(&[tacho, "bench"]), long(&["hyperfine"]));
        ours.push(our_call / our_sum);
        theirs.push(their_call / their_sum);
        both.push(our_call / their_call);
    }
    println!("whole calls of `true` {MANY} times, medians of {LONG_TURNS} turns");
    println!("  tacho bench, by its samples    {:7.3}  (at most 1.05)", median(ours));
    println!("  hyperfine -N, by its samples   {:7.3}", median(theirs));
    println!("  tacho bench by hyperfine -N    {:7.3}", median(both));
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What each of these takes from its start to its end, in turns.
fn medians<const N: usize>(commands: [&[&str]; N]) -> [Duration; N] {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..TURNS {
        for (times, command) in times.iter_mut().zip(commands) {
            times.push(call(command));
        }
    }
    times.map(|mut times| {
        times.sort_unstable();
        times[TURNS / 2]
    })
}

/// One call, in a folder without a plan.
fn call(command: &[&str]) -> Duration {
    let began = Instant::now();
    let status = Command::new(command[0])
        .args(&command[1..])
        .current_dir(Path::new(env!("CARGO_TARGET_TMPDIR")))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success(), "{command:?}");
    began.elapsed()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn ratio(ours: Duration, theirs: Duration) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64()
}
