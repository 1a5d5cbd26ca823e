//! The real executor and the host's lock, against real programs and real signals.
//!
//! Where a test needs a program that spins, fills memory or is itself a harness, it executes this
//! test binary again: [`subject`] is what runs there.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod ahead;
mod companion;
mod conditions;
mod counters;
mod execute;
mod interrupt;
mod limits;
mod lock;
mod memory;
mod orphans;
mod output;
mod pair;
mod subject;
mod truth;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tacho_measure::{Capture, Execution, Executor, OutputRequest, ProcessExecutor, Request};

/// Long enough that reaching it is a failure, on the slowest machine.
const LONG: Duration = Duration::from_secs(120);

fn request(command: &[&str]) -> Request {
    Request {
        timeout: LONG,
        stdout: Capture::Read(OutputRequest::digest()),
        ..Request::new(command.iter().copied())
    }
}

fn script(text: &str) -> Request {
    request(&["sh", "-c", text])
}

/// Has this process, and what it starts, heed each signal again that whoever started it (`nohup`)
/// had it ignore.
fn heed_signals() {
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
        // SAFETY: no handler of these is installed here, only in the processes that these tests
        // start.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

fn execute(request: &Request) -> Execution {
    heed_signals();
    ProcessExecutor::new(Arc::new(AtomicBool::new(false))).execute(request)
}

/// What it printed, as far as it was kept.
fn printed(execution: &Execution) -> String {
    String::from_utf8_lossy(&execution.stdout.as_ref().expect("it was to be read").tail)
        .into_owned()
}

/// Waits until that holds, looking often; fails after a long while.
#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..LONG.as_millis() / 5 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{what}: not within {LONG:?}");
}

/// The program of that source beside us, in that folder.
fn compiled(name: &str, folder: &tempfile::TempDir) -> String {
    let program = folder.path().join(name);
    let source = format!("{}/tests/measure/{name}.c", env!("CARGO_MANIFEST_DIR"));
    assert!(
        std::process::Command::new("cc")
            .arg("-o")
            .arg(&program)
            .arg(source)
            .status()
            .unwrap()
            .success()
    );
    program.to_str().unwrap().to_owned()
}

fn content(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_default()
}

/// A set of signals as `/proc/PID/status` shows it under that key: signal 1 is the lowest bit.
fn signals(status: &str, key: &str) -> u64 {
    let line =
        status.lines().find_map(|line| line.strip_prefix(key)).expect("all statuses have it");
    u64::from_str_radix(line.trim(), 16).expect("it is hexadecimal")
}
