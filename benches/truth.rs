//! What instruments say of programs whose use of time and memory is known: `cargo bench -p
//! tacho-measure --bench truth`.
//!
//! `load.c` sleeps, spins or touches memory, itself or in children and grandchildren. Each of the
//! instruments that is here (ours, hyperfine, GNU time, `perf stat`) executes each of its jobs in
//! turns; shown are the medians and by how much they are off what the job itself said that it used.
//! A dash: the instrument does not tell that.
//!
//! Its start and end are in what instruments read and not in what it says. So the same job of
//! nothing (`sleep 0`, `spin 0 2`) is executed beside each: the last columns have what an
//! instrument reads less what it reads of that, which is to be what the job says less what that
//! says. The table is in benches/results.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tacho_measure::{Capture, ExecutionEnd, Executor, OutputRequest, ProcessExecutor, Request};

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

/// What is read of one execution of a job: what it says itself, and what the instruments tell.
struct Reading {
    said: f64,
    told: [Option<f64>; 4],
}

const NAMES: [&str; 4] = ["ours", "hyperfine", "GNU time", "perf stat"];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let load = compile(folder);
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let net = NAMES.map(|name| format!("{name}, net"));
    let names = [&NAMES[..], &net.each_ref().map(String::as_str)[..]].concat();
    println!("| job | truth | {} |\n|---|---:|{}", names.join(" | "), "---:|".repeat(names.len()));
    for job in &JOBS {
        let empty = job.empty();
        let (mut whole, mut net) = (Vec::new(), Vec::new());
        for _ in 0..TURNS {
            let reading = read(&mut executor, folder, &load, &job.words(), job.quantity);
            if let Some(empty) = &empty {
                net.push(reading.less(&read(&mut executor, folder, &load, empty, job.quantity)));
            }
            whole.push(reading);
        }
        println!("{}", line(job, &whole, &net));
    }
}

impl Job {
    fn words(&self) -> Vec<&'static str> {
        self.words.to_vec()
    }

    /// The same of nothing; memory has none, since the kernel counts it in pages and some are there
    /// already.
    fn empty(&self) -> Option<Vec<&'static str>> {
        let mut words = self.words();
        words[1] = "0";
        (self.quantity != Quantity::Memory).then_some(words)
    }
}

impl Reading {
    /// This one without what that one has.
    fn less(&self, other: &Self) -> Self {
        let mut told = self.told.into_iter().zip(other.told).map(|(mine, its)| Some(mine? - its?));
        Self { said: self.said - other.said, told: std::array::from_fn(|_| told.next().flatten()) }
    }
}

/// One turn of all instruments.
fn read(
    executor: &mut ProcessExecutor,
    folder: &Path,
    load: &Path,
    words: &[&str],
    quantity: Quantity,
) -> Reading {
    let (said, ours) = ours(executor, load, words, quantity);
    let hyperfine = hyperfine(folder, load, words, quantity);
    Reading {
        said,
        told: [ours, hyperfine, gnu_time(load, words, quantity), perf(load, words, quantity)],
    }
}

/// The row of a job: each median, and how far it is off; then the same without what the empty job
/// takes.
fn line(job: &Job, whole: &[Reading], net: &[Reading]) -> String {
    let unit = if job.quantity == Quantity::Memory { "MiB" } else { "ms" };
    let truth = median(whole.iter().map(|reading| Some(reading.said))).unwrap();
    let cells = [cells(whole), cells(net)].concat().join(" | ");
    format!("| `{}` | {truth:.2} {unit} | {cells} |", job.words.join(" "))
}

/// What each instrument says, and how far that is off.
fn cells(readings: &[Reading]) -> Vec<String> {
    let truth = median(readings.iter().map(|reading| Some(reading.said)));
    let off = |value: f64| Some(format!("{value:.2} ({:+.1} %)", (value / truth? - 1.0) * 100.0));
    let told = |instrument: usize| median(readings.iter().map(|reading| reading.told[instrument]));
    (0..NAMES.len())
        .map(|instrument| told(instrument).and_then(off).unwrap_or("–".to_owned()))
        .collect()
}

fn compile(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/load.c");
    let program = folder.join("load");
    let mut command = Command::new("cc");
    assert!(
        command
            .args(["-O2", "-static", "-o"])
            .arg(&program)
            .arg(source)
            .status()
            .unwrap()
            .success()
    );
    program
}

/// What the job itself says that it used, and what we read.
fn ours(
    executor: &mut ProcessExecutor,
    load: &Path,
    words: &[&str],
    quantity: Quantity,
) -> (f64, Option<f64>) {
    let words = std::iter::once(load.to_str().unwrap()).chain(words.iter().copied());
    let stdout = Capture::Read(OutputRequest::keep(100));
    let execution = executor.execute(&Request { stdout, ..Request::new(words) });
    assert_eq!(execution.ended, ExecutionEnd::Exited(0));
    let kept = execution.stdout.unwrap().kept.unwrap();
    let said: f64 = String::from_utf8(kept).unwrap().trim().parse().unwrap();
    let unit = if quantity == Quantity::Memory { 1_048_576.0 } else { 1e6 };
    let usage = execution.usage;
    let read = match quantity {
        Quantity::Wall => Some(execution.wall.as_secs_f64() * 1e3),
        Quantity::Cpu => Some((usage.user + usage.sys).as_secs_f64() * 1e3),
        Quantity::Memory => usage.peak_memory.map(|bytes| bytes as f64 / 1_048_576.0),
    };
    (said / unit, read)
}

/// What another instrument prints of the job; nothing if it is not here.
fn executed(instrument: &mut Command, load: &Path, words: &[&str]) -> Option<Output> {
    instrument
        // As ours has it: cargo's own lets the loader look for libraries in many folders first.
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .arg(load)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())
}

fn hyperfine(folder: &Path, load: &Path, words: &[&str], quantity: Quantity) -> Option<f64> {
    let report = folder.join("truth.json");
    let command = format!("{} {}", load.display(), words.join(" "));
    let arguments = ["-N", "--style", "none", "--runs", "1", "--export-json"];
    let mut hyperfine = Command::new("hyperfine");
    hyperfine.args(arguments).arg(&report).arg(command).stderr(Stdio::null()).stdout(Stdio::null());
    hyperfine.status().ok().filter(std::process::ExitStatus::success)?;
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(report).ok()?).ok()?;
    let result = &report["results"][0];
    match quantity {
        Quantity::Wall => Some(result["times"][0].as_f64()? * 1e3),
        Quantity::Cpu => Some((result["user"].as_f64()? + result["system"].as_f64()?) * 1e3),
        Quantity::Memory => Some(result["memory_usage_byte"][0].as_f64()? / 1_048_576.0),
    }
}

fn gnu_time(load: &Path, words: &[&str], quantity: Quantity) -> Option<f64> {
    let output = executed(Command::new("/usr/bin/time").args(["-f", "%e %U %S %M"]), load, words)?;
    let text = String::from_utf8(output.stderr).ok()?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let &[wall, user, sys, peak] = numbers.as_slice() else { return None };
    Some(match quantity {
        Quantity::Wall => wall * 1e3,
        Quantity::Cpu => (user + sys) * 1e3,
        Quantity::Memory => peak / 1024.0,
    })
}

fn perf(load: &Path, words: &[&str], quantity: Quantity) -> Option<f64> {
    let event = match quantity {
        Quantity::Wall => "duration_time",
        Quantity::Cpu => "task-clock",
        Quantity::Memory => return None,
    };
    let output =
        executed(Command::new("perf").args(["stat", "-x", ",", "-e", event, "--"]), load, words)?;
    let text = String::from_utf8(output.stderr).ok()?;
    let value: f64 =
        text.lines().find(|line| line.contains(event))?.split(',').next()?.parse().ok()?;
    Some(if quantity == Quantity::Wall { value / 1e6 } else { value })
}

/// The middle of those that there are.
fn median(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut values: Vec<f64> = values.flatten().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
