//! What it costs a subject that somebody wants its output: `cargo bench -p tacho-measure --bench
//! output`, the promised limits beside each number.
//!
//! Two seconds of `yes`, into each mode and into what a shell makes of the same: nothing, our own
//! output, a file, a pipe to `cat`. The system says how much it wrote. A turn has all modes, ours
//! and the shell's one after the other, who comes first by turns; each number is the median of the
//! turns' ratios, ours by the shell's, with the smallest and the largest. `-- 3` makes 3 turns
//! instead of 5, of half a minute each, and `-- 30 file` 30 of that mode alone. Beside them, what
//! reading all that adds to our own memory.
//!
//! A file of some GiB is made and removed each time: `TACHO_BENCH_FOLDER=/dev/shm` has it in
//! memory.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tacho_measure::{Capture, ExecutionEnd, Executor, OutputRequest, ProcessExecutor, Request};

const TURNS: usize = 5;
/// Two seconds of it, and how many bytes that were.
const YES: &str = "yes & it=$!; sleep 2; grep wchar /proc/$it/io >&2; kill $it; wait";
const SECONDS: f64 = 2.0;
/// As much is kept of an output, at the most, where a plan says `keep`.
const KEPT: usize = 16 << 20;

/// A way that an output goes, and the same by a shell.
struct Mode {
    name: &'static str,
    capture: Capture,
    shell: String,
    limit: &'static str,
    ratios: Vec<f64>,
    /// Bytes a second, ours, in the last turn.
    rate: f64,
}

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is
    // nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let turns =
        std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(TURNS);
    let folder = std::env::var_os("TACHO_BENCH_FOLDER")
        .map_or(env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from);
    let file = folder.join("output");
    let mut executor = ProcessExecutor::new(Arc::new(AtomicBool::new(false)));
    let mut modes = modes(&file);
    if let Some(asked) =
        std::env::args().skip(1).find(|asked| modes.iter().any(|mode| mode.name == asked))
    {
        modes.retain(|mode| mode.name == asked);
    }
    // Ours is where an output that is inherited goes: nobody is to read that, nor to wait for it.
    // We speak to standard error.
    let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null").unwrap();
    // SAFETY: both are open, and nothing of ours prints to standard output.
    let duplicate = unsafe { libc::dup2(nowhere.as_raw_fd(), libc::STDOUT_FILENO) };
    assert_eq!(duplicate, libc::STDOUT_FILENO);
    eprintln!(
        "bytes that `yes` wrote in {SECONDS} s, ours by a shell's, {turns} turns: median \
         (smallest … largest)"
    );
    let before = resident();
    for turn in 0..turns {
        for mode in &mut modes {
            take_turn(&mut executor, mode, turn % 2 == 0);
            let _ = std::fs::remove_file(&file);
        }
    }
    for Mode { name, ratios, rate, limit, .. } in &mut modes {
        ratios.sort_by(f64::total_cmp);
        let (median, low, high) = (ratios[turns / 2], ratios[0], ratios[turns - 1]);
        eprintln!(
            "  {name:<14} {median:6.3} ({low:.3} … {high:.3})  {:5.1} GB/s  {limit}",
            *rate / 1e9
        );
    }
    eprintln!("  our memory grew by {} KiB", resident().saturating_sub(before) / 1024);
}

fn modes(file: &Path) -> Vec<Mode> {
    let mode = |name, capture, shell: &str, limit| {
        let shell = format!("{{ {YES}; }} {shell}");
        Mode { name, capture, shell, limit, ratios: Vec::new(), rate: 0.0 }
    };
    let to_file = Capture::File { path: file.to_owned(), look: OutputRequest::default() };
    let cat = "| cat >/dev/null";
    vec![
        mode("nothing", Capture::Nothing, ">/dev/null", "(at least 0.98)"),
        mode("inherit", Capture::Inherit, ">/dev/null", "(at least 0.98)"),
        mode("file", to_file, &format!(">'{}'", file.display()), "(at least 0.98)"),
        mode("pipe", Capture::Read(OutputRequest::default()), cat, "(at least 1)"),
        mode("pipe, keep", Capture::Read(OutputRequest::keep(KEPT)), cat, ""),
        mode("pipe, digest", Capture::Read(OutputRequest::digest()), cat, ""),
    ]
}

/// Both sides of a mode, ours first or last.
fn take_turn(executor: &mut ProcessExecutor, mode: &mut Mode, ours_first: bool) {
    let (capture, shell) = (mode.capture.clone(), mode.shell.clone());
    let ours = |executor: &mut ProcessExecutor| written(executor, YES, capture.clone());
    let theirs = |executor: &mut ProcessExecutor| written(executor, &shell, Capture::Nothing);
    let (ours, theirs) = if ours_first {
        let ours = ours(executor);
        (ours, theirs(executor))
    } else {
        let theirs = theirs(executor);
        (ours(executor), theirs)
    };
    mode.ratios.push(ours / theirs);
    mode.rate = ours / SECONDS;
}

/// How many bytes the system says that it wrote.
fn written(executor: &mut ProcessExecutor, script: &str, stdout: Capture) -> f64 {
    let request =
        Request { timeout: Duration::from_secs(60), stdout, ..Request::new(["sh", "-c", script]) };
    let execution = executor.execute(&request);
    assert_eq!(execution.ended, ExecutionEnd::Exited(0));
    let told = String::from_utf8(execution.stderr_tail).unwrap();
    // Some shells tell beside it that `yes` was ended.
    told.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap().trim().parse().unwrap()
}

/// Our resident set, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
