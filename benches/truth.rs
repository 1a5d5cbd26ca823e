//! What instruments say of programs whose use of time and memory is known: `cargo bench -p tacho-measure --bench truth`.
//!
//! `load.c` sleeps, spins or touches memory, itself or in children and grandchildren. Each of the instruments that is
//! here (ours, hyperfine, GNU time, `perf stat`) executes each of its jobs in turns; shown are the medians and by how
//! much they are off what the job itself said that it used. Its start and end are in what instruments read and not in
//! what it says: some 0.3 ms of wall time. A dash: the instrument does not tell that. The table is in docs/method.md.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tacho_measure::{Capture, Ended, Executor, Look, ProcessExecutor, Request};

const TURNS: usize = 11;

/// What a job is known to use.
#[derive(Clone, Copy, PartialEq)]
enum Quantity {
    Wall,
    Cpu,
    Memory,
}

/// A job of `load.c`.
struct Job {
    words: &'static [&'static str],
    quantity: Quantity,
}

const JOBS: [Job; 15] = [
    Job { words: &["sleep", "1"], quantity: Quantity::Wall },
    Job { words: &["sleep", "10"], quantity: Quantity::Wall },
    Job { words: &["sleep", "100"], quantity: Quantity::Wall },
    Job { words: &["spin", "1"], quantity: Quantity::Cpu },
    Job { words: &["spin", "10"], quantity: Quantity::Cpu },
    Job { words: &["spin", "100"], quantity: Quantity::Cpu },
    Job { words: &["spin", "1", "2"], quantity: Quantity::Cpu },
    Job { words: &["spin", "10", "2"], quantity: Quantity::Cpu },
    Job { words: &["spin", "100", "2"], quantity: Quantity::Cpu },
    Job { words: &["spin", "1", "1", "2"], quantity: Quantity::Cpu },
    Job { words: &["spin", "10", "1", "2"], quantity: Quantity::Cpu },
    Job { words: &["spin", "100", "1", "2"], quantity: Quantity::Cpu },
    Job { words: &["touch", "1", "2"], quantity: Quantity::Memory },
    Job { words: &["touch", "10", "2"], quantity: Quantity::Memory },
    Job { words: &["touch", "100", "2"], quantity: Quantity::Memory },
];

const NAMES: [&str; 4] = ["ours", "hyperfine", "GNU time", "perf stat"];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let load = compile(folder);
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    println!("| job | truth | {} |\n|---|---:|{}", NAMES.join(" | "), "---:|".repeat(NAMES.len()));
    for job in &JOBS {
        let mut readings: [Vec<f64>; 4] = Default::default();
        let mut truths = Vec::new();
        for _ in 0..TURNS {
            let (said, ours) = ours(&mut executor, &load, job);
            truths.push(said);
            let others = [ours, hyperfine(folder, &load, job), gnu_time(&load, job), perf(&load, job)];
            for (all, reading) in readings.iter_mut().zip(others) {
                all.extend(reading);
            }
        }
        println!("{}", line(job, median(&mut truths).unwrap(), &mut readings));
    }
}

/// The row of a job: each median, and how far it is off.
fn line(job: &Job, truth: f64, readings: &mut [Vec<f64>; 4]) -> String {
    let unit = if job.quantity == Quantity::Memory { "MiB" } else { "ms" };
    let shown = readings.each_mut().map(|all| {
        median(all)
            .map_or("–".to_owned(), |value| format!("{value:.2} ({:+.1} %)", (value / truth - 1.0) * 100.0))
    });
    format!("| `{}` | {truth:.2} {unit} | {} |", job.words.join(" "), shown.join(" | "))
}

fn compile(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/load.c");
    let program = folder.join("load");
    let mut command = Command::new("cc");
    assert!(command.args(["-O2", "-static", "-o"]).arg(&program).arg(source).status().unwrap().success());
    program
}

/// What the job itself says that it used, and what we read.
fn ours(executor: &mut ProcessExecutor, load: &Path, job: &Job) -> (f64, Option<f64>) {
    let words = std::iter::once(load.to_str().unwrap()).chain(job.words.iter().copied());
    let stdout = Capture::Read(Look::keep(100));
    let execution = executor.execute(&Request { stdout, ..Request::new(words) });
    assert_eq!(execution.ended, Ended::Exited(0));
    let kept = execution.stdout.unwrap().kept.unwrap();
    let said: f64 = String::from_utf8(kept).unwrap().trim().parse().unwrap();
    let unit = if job.quantity == Quantity::Memory { 1_048_576.0 } else { 1e6 };
    let usage = execution.usage;
    let read = match job.quantity {
        Quantity::Wall => Some(execution.wall.as_secs_f64() * 1e3),
        Quantity::Cpu => Some((usage.user + usage.sys).as_secs_f64() * 1e3),
        Quantity::Memory => usage.peak_memory.map(|bytes| bytes as f64 / 1_048_576.0),
    };
    (said / unit, read)
}

/// What another instrument prints of the job; nothing if it is not here.
fn executed(instrument: &mut Command, load: &Path, job: &Job) -> Option<Output> {
    instrument
        // As ours has it: cargo's own lets the loader look for libraries in many folders first.
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .arg(load)
        .args(job.words)
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())
}

fn hyperfine(folder: &Path, load: &Path, job: &Job) -> Option<f64> {
    let report = folder.join("truth.json");
    let command = format!("{} {}", load.display(), job.words.join(" "));
    let arguments = ["-N", "--style", "none", "--runs", "1", "--export-json"];
    let mut hyperfine = Command::new("hyperfine");
    hyperfine.args(arguments).arg(&report).arg(command).stderr(Stdio::null()).stdout(Stdio::null());
    hyperfine.status().ok().filter(std::process::ExitStatus::success)?;
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(report).ok()?).ok()?;
    let result = &report["results"][0];
    match job.quantity {
        Quantity::Wall => Some(result["times"][0].as_f64()? * 1e3),
        Quantity::Cpu => Some((result["user"].as_f64()? + result["system"].as_f64()?) * 1e3),
        Quantity::Memory => Some(result["memory_usage_byte"][0].as_f64()? / 1_048_576.0),
    }
}

fn gnu_time(load: &Path, job: &Job) -> Option<f64> {
    let output = executed(Command::new("/usr/bin/time").args(["-f", "%e %U %S %M"]), load, job)?;
    let text = String::from_utf8(output.stderr).ok()?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let &[wall, user, sys, peak] = numbers.as_slice() else { return None };
    Some(match job.quantity {
        Quantity::Wall => wall * 1e3,
        Quantity::Cpu => (user + sys) * 1e3,
        Quantity::Memory => peak / 1024.0,
    })
}

fn perf(load: &Path, job: &Job) -> Option<f64> {
    let event = match job.quantity {
        Quantity::Wall => "duration_time",
        Quantity::Cpu => "task-clock",
        Quantity::Memory => return None,
    };
    let output = executed(Command::new("perf").args(["stat", "-x", ",", "-e", event, "--"]), load, job)?;
    let text = String::from_utf8(output.stderr).ok()?;
    let value: f64 = text.lines().find(|line| line.contains(event))?.split(',').next()?.parse().ok()?;
    Some(if job.quantity == Quantity::Wall { value / 1e6 } else { value })
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
