//! What it costs a subject that somebody wants its output: `cargo bench -p tacho-measure --bench output`, the promised
//! limits beside each number.
//!
//! A program (`shout.c`) writes for half a second, by turns into each mode and into what a shell makes of the same: nothing,
//! a file, a pipe to `cat`. It counts what it could write; each number is the median of the turns' ratios, ours by the
//! shell's. Beside them, what reading and digesting 4 GiB adds to our own memory.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tacho_measure::{Capture, Ended, Executor, Look, ProcessExecutor, Request};

const TURNS: usize = 15;
const MILLISECONDS: &str = "500";

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let shout = compile(&folder);
    let file = folder.join("output");
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let shell = |to: &str| format!("'{}' {MILLISECONDS} {to}", shout.display());
    let to_file = Capture::File { path: file.clone(), look: Look::default() };
    let modes = [
        ("nothing", Capture::Nothing, shell(">/dev/null"), "(at least 0.98)"),
        ("file", to_file, shell(&format!(">'{}'", file.display())), "(at least 0.98)"),
        ("pipe", Capture::Read(Look::default()), shell("| cat >/dev/null"), "(at least 1)"),
        ("pipe, digest", Capture::Read(Look::digest()), shell("| cat >/dev/null"), ""),
    ];
    println!("bytes written in {MILLISECONDS} ms, ours by a shell's, median of {TURNS} turns");
    let before = resident();
    for (name, capture, script, limit) in modes {
        let mut ratios = Vec::new();
        let mut last = 0.0;
        for turn in 0..TURNS {
            let ours = |executor: &mut ProcessExecutor| {
                written(executor, vec![shout.display().to_string(), MILLISECONDS.to_owned()], &capture)
            };
            let theirs = |executor: &mut ProcessExecutor| {
                let command = ["sh", "-c", &script].map(str::to_owned).to_vec();
                written(executor, command, &Capture::Nothing)
            };
            // Who comes first is by turns too.
            let (ours, theirs) = if turn % 2 == 0 {
                let ours = ours(&mut executor);
                (ours, theirs(&mut executor))
            } else {
                let theirs = theirs(&mut executor);
                (ours(&mut executor), theirs)
            };
            ratios.push(ours / theirs);
            last = ours;
        }
        ratios.sort_by(f64::total_cmp);
        let rate = last / 5e8;
        println!("  {name:<14} {:6.3}  {rate:6.1} GB/s  {limit}", ratios[TURNS / 2]);
    }
    println!("  our memory grew by {} KiB", resident().saturating_sub(before) / 1024);
    let _ = std::fs::remove_file(file);
}

/// How many bytes the program says that it could write.
fn written(executor: &mut ProcessExecutor, command: Vec<String>, stdout: &Capture) -> f64 {
    let stdout = stdout.clone();
    let request = Request { timeout: Duration::from_secs(60), stdout, ..Request::new(command) };
    let execution = executor.execute(&request);
    assert_eq!(execution.ended, Ended::Exited(0));
    String::from_utf8(execution.stderr_tail).unwrap().trim().parse().unwrap()
}

fn compile(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/shout.c");
    let program = folder.join("shout");
    assert!(Command::new("cc").arg("-O2").arg("-o").arg(&program).arg(source).status().unwrap().success());
    program
}

/// Our resident set, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
