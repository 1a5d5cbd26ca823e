//! How fast a history that was measured in rounds is judged: `cargo bench -p tacho-stats --bench
//! history`.
//!
//! `TACHO_LABELLED=FILE` scores a file of labelled histories instead (`history/labelled.rs`), and
//! `TACHO_SIMULATED=COUNT` histories that are drawn (`history/simulated.rs`), from the seed
//! `TACHO_SEED` on, `TACHO_ONLY=alarms`, `changes` or `nights` a part of that.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]

#[path = "../crates/stats/src/draw.rs"]
mod draw;
#[path = "history/labelled.rs"]
mod labelled;
#[path = "history/nights.rs"]
mod nights;
#[path = "history/simulated.rs"]
mod simulated;
#[path = "../crates/stats/src/history/world.rs"]
mod world;

use std::path::Path;
use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_stats::history::{HistoryExecution, judge, readings};

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    if let Some(path) = std::env::var_os("TACHO_LABELLED") {
        let half = std::env::var("TACHO_HALF").ok().and_then(|half| half.parse().ok());
        return labelled::report(Path::new(&path), half);
    }
    if let Some(count) = std::env::var("TACHO_SIMULATED").ok().and_then(|count| count.parse().ok())
    {
        let seed = std::env::var("TACHO_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
        let only = std::env::var("TACHO_ONLY").ok();
        return simulated::report(count, seed, only.as_deref());
    }
    memory();
    println!("| revisions | samples of each | median time | aimed at |\n|---:|---:|---:|---:|");
    for (revisions, turns, aim) in
        [(12, 200, "2 ms"), (40, 60, "10 ms"), (300, 9, "200 ms"), (1000, 3, "")]
    {
        let mut times: Vec<f64> = (0..turns).map(|seed| timed(revisions, seed)).collect();
        times.sort_by(f64::total_cmp);
        println!("| {revisions} | {ROUNDS} | {:.1} ms | {aim} |", times[times.len() / 2]);
    }
    let start = Instant::now();
    std::thread::scope(|scope| {
        for half in 0..2 {
            scope.spawn(move || (0..500).for_each(|seed| _ = timed(40, half * 500 + seed)));
        }
    });
    let took = start.elapsed().as_secs_f64();
    println!("1000 series of 40 revisions, two threads: {took:.1} s (aimed at: 5 s)");
}

/// How often each revision is executed.
const ROUNDS: u32 = 10;

/// How many milliseconds one history takes.
fn timed(revisions: usize, seed: u64) -> f64 {
    let executions = made(revisions, ROUNDS, seed);
    let start = Instant::now();
    std::hint::black_box(judge(&readings(0, &executions)));
    start.elapsed().as_secs_f64() * 1e3
}

/// Prints what longer and longer histories take at the peak: first of all, since a peak never
/// falls.
fn memory() {
    for revisions in [500, 1000, 2000, 4000] {
        let executions = made(revisions, ROUNDS, 1);
        let before = peak();
        std::hint::black_box(judge(&readings(0, &executions)));
        let more = peak() - before;
        println!("{revisions} revisions: {more} KiB more at the peak, {} in all", peak());
    }
}

/// The most memory that this process ever had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A history of one run with a step of 8 % each 10 revisions, 2 % noise and luck of 0.5 %.
fn made(revisions: usize, rounds: u32, seed: u64) -> Vec<HistoryExecution> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut noise = |size: f64| size * ((0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0);
    let mut levels = Vec::new();
    for revision in 0..revisions {
        levels.push(0.08 * f64::from(u8::from(revision / 10 % 2 == 1)) + noise(0.005));
    }
    let mut all = Vec::new();
    for round in 0..rounds {
        for (revision, level) in levels.iter().enumerate() {
            all.push(HistoryExecution { revision, layout: 0, round, ln: level + noise(0.02) });
        }
    }
    all
}
