//! What executing a command costs beside the command: `cargo bench -p tacho-measure`, the promised limits beside each number.
//!
//! `true`, executed a thousand times by us and by a bare `posix_spawn` and `wait4` loop in C (`bare.c`), in turns
//! of a hundred: both see the same machine. Our median by theirs is what the harness adds to a sample; our whole
//! call by the sum of its samples is what it adds between two. Theirs has the clean-up of the ended process in
//! its samples, ours has it between two, so the whole by theirs is the fair sum of both.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tacho_measure::{Ended, Executor, ProcessExecutor, Request};

const TURNS: usize = 10;
const EXECUTIONS: usize = 100;

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let bare = compile(Path::new(env!("CARGO_TARGET_TMPDIR")));
    // A fresh executor grows old: a harness that holds memory must be no slower.
    let ballast = vec![1_u8; 64 << 20];
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    let mut call = Duration::ZERO;
    ours_once(&mut executor);
    for _ in 0..TURNS {
        theirs.extend(theirs_of(&bare));
        let begun = Instant::now();
        ours.extend((0..EXECUTIONS).map(|_| ours_once(&mut executor)));
        call += begun.elapsed();
    }
    std::hint::black_box(ballast);
    let (sum, theirs_sum) = (ours.iter().sum::<Duration>(), theirs.iter().sum::<Duration>());
    let (theirs, ours) = (median(theirs), median(ours));
    println!("`true`, {} times in turns of {EXECUTIONS}", TURNS * EXECUTIONS);
    println!("  bare loop in C   {:7.1} µs", micros(theirs));
    println!("  ours             {:7.1} µs", micros(ours));
    println!("  ours by bare     {:7.3}      (at most 1.1)", ours.as_secs_f64() / theirs.as_secs_f64());
    println!("  call by samples  {:7.3}      (at most 1.05)", call.as_secs_f64() / sum.as_secs_f64());
    println!("  call by theirs   {:7.3}", call.as_secs_f64() / theirs_sum.as_secs_f64());
}

fn compile(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/bare.c");
    let program = folder.join("bare");
    assert!(Command::new("cc").arg("-O2").arg("-o").arg(&program).arg(source).status().unwrap().success());
    program
}

fn theirs_of(bare: &Path) -> Vec<Duration> {
    let output = Command::new(bare).args([&*EXECUTIONS.to_string(), "/bin/true"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| Duration::from_nanos(line.parse().unwrap())).collect()
}

fn ours_once(executor: &mut ProcessExecutor) -> Duration {
    let execution =
        executor.execute(&Request { timeout: Duration::from_secs(60), ..Request::new(["/bin/true"]) });
    assert_eq!(execution.ended, Ended::Exited(0));
    execution.wall
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
