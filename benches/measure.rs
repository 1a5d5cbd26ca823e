//! What executing a command costs beside the command: `cargo bench -p tacho-measure --bench
//! measure`, the promised limits beside each number.
//!
//! `true`, executed a thousand times by us, by a bare `posix_spawn` and `wait4` loop in C
//! (`bare.c`), and by hyperfine (if it is there), in turns of a hundred: all see the same machine.
//! Our median by the bare one is what the harness adds to a sample; the whole call by the sum of
//! its samples is what it adds between two.
//!
//! Ours comes twice: executed one by one, and where what comes next is known, so that it is begun
//! before it is requested.
//!
//! Samples of the others are a little longer: their clocks also see how the ended is taken out of
//! the process table, and how they are told of that. So the whole call is compared with the samples
//! of the bare loop, too.
//!
//! All have a clean environment: cargo's own lets the loader look for libraries in many folders
//! first.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tacho_measure::{CpuPlacement, ExecutionEnd, Executor, HostReader, ProcessExecutor, Request};

const TURNS: usize = 10;
const EXECUTIONS: usize = 100;

/// What came of one of those compared: the wall time of each execution, and that of all calls.
#[derive(Default)]
struct Times {
    samples: Vec<Duration>,
    call: Duration,
}

impl Times {
    fn take(&mut self, turn: impl FnOnce() -> Vec<Duration>) {
        let begun = Instant::now();
        let samples = turn();
        self.call += begun.elapsed();
        self.samples.extend(samples);
    }

    fn median(&self) -> Duration {
        let mut sorted = self.samples.clone();
        sorted.sort_unstable();
        sorted[sorted.len() / 2]
    }

    fn sum(&self) -> Duration {
        self.samples.iter().sum()
    }

    fn line(&self, name: &str) -> String {
        format!(
            "  {name:<24} {:7.1} µs a median, call by samples {:.3}",
            micros(self.median()),
            self.overhead()
        )
    }

    /// The call by its samples.
    fn overhead(&self) -> f64 {
        self.call.as_secs_f64() / self.sum().as_secs_f64()
    }
}

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is
    // nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let bare = compile(folder);
    // A fresh executor grows old: a harness that holds memory must be no slower.
    let ballast = vec![1_u8; 64 << 20];
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    ours_of(&mut executor, false);
    let (mut theirs, mut ours, mut ahead, mut hyperfine) =
        (Times::default(), Times::default(), Times::default(), Times::default());
    let has_hyperfine =
        Command::new("hyperfine").arg("--version").stdout(Stdio::null()).status().is_ok();
    for _ in 0..TURNS {
        theirs.take(|| theirs_of(&bare));
        ours.take(|| ours_of(&mut executor, false));
        ahead.take(|| ours_of(&mut executor, true));
        if has_hyperfine {
            hyperfine.take(|| hyperfine_of(folder));
        }
    }
    std::hint::black_box(ballast);
    println!("`true`, {} times in turns of {EXECUTIONS}", TURNS * EXECUTIONS);
    println!("{}\n{}", theirs.line("bare loop in C"), ours.line("ours, one by one"));
    println!("{}", ahead.line("ours, the next one known"));
    let ratio = |by: &Times| ahead.median().as_secs_f64() / by.median().as_secs_f64();
    println!("  ours by bare            {:7.3}  (at most 1.1)", ratio(&theirs));
    println!("  ours by one by one      {:7.3}  (1)", ratio(&ours));
    println!("  our call by samples     {:7.3}  (at most 1.05)", ahead.overhead());
    println!(
        "  our call by bare's sum  {:7.3}",
        ahead.call.as_secs_f64() / theirs.sum().as_secs_f64()
    );
    let [before, after] = reading();
    println!(
        "  reading the host        {before:4.0} µs before, {after:4.0} µs after  (each at most 100)"
    );
    if has_hyperfine {
        println!("{}", hyperfine.line("hyperfine -N"));
        println!("  ours by hyperfine       {:7.3}  (at most 1)", ratio(&hyperfine));
    } else {
        println!("  hyperfine is not here: install it to compare");
    }
}

fn compile(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/bare.c");
    let program = folder.join("bare");
    assert!(
        Command::new("cc")
            .arg("-O2")
            .arg("-o")
            .arg(&program)
            .arg(source)
            .status()
            .unwrap()
            .success()
    );
    program
}

fn theirs_of(bare: &Path) -> Vec<Duration> {
    let output = Command::new(bare)
        .env_clear()
        .args([&*EXECUTIONS.to_string(), "/bin/true"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| Duration::from_nanos(line.parse().unwrap())).collect()
}

fn ours_of(executor: &mut ProcessExecutor, is_known: bool) -> Vec<Duration> {
    let request = Request::new(["/bin/true"]);
    let once = |turn| {
        let execution = if is_known && turn < EXECUTIONS {
            executor.execute_before(&request, &request)
        } else {
            executor.execute(&request)
        };
        assert_eq!(execution.ended, ExecutionEnd::Exited(0));
        execution.wall
    };
    (1..=EXECUTIONS).map(once).collect()
}

/// What readings take right before and right after an execution that is long enough to have its
/// own: medians, in microseconds.
fn reading() -> [f64; 2] {
    let mut reader = HostReader::new();
    let mut took = [Vec::new(), Vec::new()];
    for _ in 0..100 {
        let began = Instant::now();
        reader.begin_again();
        took[0].push(began.elapsed());
        std::thread::sleep(Duration::from_millis(30));
        let began = Instant::now();
        let readings = reader.end(Duration::ZERO, Some(CpuPlacement { cpu: 0, migrations: None }));
        took[1].push(began.elapsed());
        assert!(!readings.span.is_zero(), "a reading takes more than 150 µs");
    }
    took.map(|mut times| {
        times.sort_unstable();
        micros(times[times.len() / 2])
    })
}

fn hyperfine_of(folder: &Path) -> Vec<Duration> {
    let report = folder.join("hyperfine.json");
    let runs = EXECUTIONS.to_string();
    let arguments = ["-N", "--style", "none", "--runs", &*runs, "--export-json"];
    let status = Command::new("hyperfine")
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .args(arguments)
        .arg(&report)
        .arg("/bin/true")
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success());
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let times = report["results"][0]["times"].as_array().unwrap();
    times.iter().map(|time| Duration::from_secs_f64(time.as_f64().unwrap())).collect()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
