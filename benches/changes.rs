//! How fast changes are found, beside Otava and asv: `cargo bench -p tacho-stats --bench changes`.
//!
//! Processor time of the whole process, in turns, the median of each: 1,000 series of 300 values,
//! and one of 10,000, with a step each 100 values and noise of 3 %; ours are judged again and again
//! for as long as makes the ticks of the clock small. Memory is what each of them takes at its peak
//! for one series of 10,000 and of 100,000 values, here alone. The peers are Python packages
//! (`apache-otava`, `asv`); if they are not there, a virtual environment is made under `target/`
//! with `python3 -m venv` and `pip install`, and without a network the peers are left out.
//!
//! With `TACHO_LABELLED=FILE` it says instead how good they are that are found in the labelled
//! series of that file (`changes/labelled.rs` has its format): F1, false alarms, error of the
//! place, and value by value how many alerts are taken back and how late they come. With
//! `TACHO_SIMULATED=1` it scores simulated series on which nothing was tuned (`changes/made.rs`);
//! `TACHO_SEED=SEED` draws others. `ablation.py` does so with each rule off.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

#[path = "../crates/stats/src/draw.rs"]
mod draw;
#[path = "changes/labelled.rs"]
mod labelled;
#[path = "changes/made.rs"]
mod made;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_stats::changes::{Options, SeriesValue, detect};

const TURNS: usize = 3;

/// What is judged: how many series, of so many values.
const WORK: [(usize, usize); 2] = [(1000, 300), (1, 10_000)];

/// How long a turn of ours takes at least, in seconds: the clock of a process that goes on stands
/// still for up to 10 ms.
const LONG: f64 = 0.3;

/// Peers judge as many series as make a turn bearable.
const PEER_SERIES: usize = 50;

/// Reads series from its standard input, one a line, and prints its processor time without reading
/// and importing.
const PEER: &str = r"
import sys, time
which = sys.argv[1]
series = [[float(x) for x in line.split()] for line in sys.stdin]
if which == 'otava':
    from otava.analysis import compute_change_points
    judge = lambda values: compute_change_points(values)
else:
    from asv.step_detect import detect_steps
    judge = lambda values: detect_steps(values)
start = time.process_time()
for values in series:
    judge(values)
print(time.process_time() - start)
";

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    if let Some(path) = std::env::var_os("TACHO_LABELLED") {
        return labelled::report(Path::new(&path));
    }
    if std::env::var_os("TACHO_SIMULATED").is_some() {
        let seed = std::env::var("TACHO_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
        for set in &made::SETS {
            println!("{}:", set.name);
            labelled::quality(&set.series(seed));
        }
        return;
    }
    // First, since a peak never falls.
    for length in [10_000, 100_000] {
        let before = peak();
        let series = points(&made(length, 1));
        std::hint::black_box(detect(&series, &Options::default()));
        println!("{length} values: {} KiB more at the peak", peak() - before);
    }
    let python = peers(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("change-detectors"));
    println!(
        "| series | ours | Otava | asv | Otava / ours | asv / ours \
         |\n|---|---:|---:|---:|---:|---:|"
    );
    for (count, length) in WORK {
        let series: Vec<Vec<f64>> = (0..count).map(|seed| made(length, seed as u64)).collect();
        let mut times: [Vec<f64>; 3] = Default::default();
        for _ in 0..TURNS {
            times[0].push(ours(&series));
            for (which, name) in [(1, "otava"), (2, "asv")] {
                times[which]
                    .extend(python.as_deref().and_then(|python| theirs(python, name, &series)));
            }
        }
        row(count, length, &mut times);
    }
}

/// A line of the table; a dash: it is not there.
fn row(count: usize, length: usize, times: &mut [Vec<f64>; 3]) {
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    };
    let [ours, otava, asv] = times.each_mut().map(median);
    let show =
        |time: Option<f64>| time.map_or("–".to_owned(), |time| format!("{:.1} ms", 1e3 * time));
    let ratio = |time: Option<f64>| {
        time.zip(ours).map_or("–".to_owned(), |(time, ours)| format!("{:.1}", time / ours))
    };
    let cells = [show(ours), show(otava), show(asv), ratio(otava), ratio(asv)];
    println!("| {count} of {length} | {} |", cells.join(" | "));
}

/// A level that goes up and down by 5 % in noise of 3 %.
fn made(length: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut noise = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    (0..length)
        .map(|i| 100.0 * (1.0 + 0.05 * ((i / 100) % 2) as f64) * (0.03 * noise()).exp())
        .collect()
}

fn points(values: &[f64]) -> Vec<SeriesValue> {
    values.iter().copied().map(SeriesValue::of).collect()
}

fn ours(series: &[Vec<f64>]) -> f64 {
    let (start, mut times) = (processor_time(), 0.0);
    loop {
        for values in series {
            std::hint::black_box(detect(&points(values), &Options::default()));
        }
        times += 1.0;
        let passed = processor_time() - start;
        if passed >= LONG {
            return passed / times;
        }
    }
}

/// The processor time of a peer, for as many series; nothing when it does not work here.
fn theirs(python: &Path, name: &str, series: &[Vec<f64>]) -> Option<f64> {
    let some = &series[..series.len().min(PEER_SERIES)];
    let mut child = Command::new(python)
        .args(["-c", PEER, name])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    for values in some {
        let line: Vec<String> = values.iter().map(f64::to_string).collect();
        writeln!(input, "{}", line.join(" ")).ok()?;
    }
    drop(input);
    let output = child.wait_with_output().ok()?;
    let time: f64 = String::from_utf8_lossy(&output.stdout).trim().parse().ok()?;
    Some(time * series.len() as f64 / some.len() as f64)
}

/// A Python that has the peers: made once.
fn peers(folder: &Path) -> Option<PathBuf> {
    let python = folder.join("bin/python");
    let works = |python: &Path| {
        let check = "import otava.analysis, asv.step_detect";
        Command::new(python)
            .args(["-c", check])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if !works(&python) {
        Command::new("python3").args(["-m", "venv"]).arg(folder).status().ok()?;
        let pip = ["-m", "pip", "install", "--quiet", "apache-otava", "asv"];
        Command::new(&python).args(pip).status().ok()?;
    }
    if works(&python) {
        return Some(python);
    }
    println!(
        "Otava and asv are not here: `{} -m pip install apache-otava asv` did not work",
        python.display()
    );
    None
}

/// The processor time of this process so far, in seconds.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    stat.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// The most memory that this process ever had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
