//! How sharp the estimate of interleaved programs is: `cargo bench -p tacho-stats --bench
//! interleaved`.
//!
//! With `TACHO_TWO_SPEEDS=FILE` it reads recorded executions of programs whose work is known
//! (tab-separated: set, round, program, seconds, end) and prints, for windows of 10, 20 and 30
//! rounds, the root mean square error of the estimated levels beside that of medians, minima and
//! rounds taken off; then how often intervals of 95 % hold the truth. Without a file it prints the
//! time for 100,000 samples of 50 programs.
//! `TACHO_ESTIMATORS=TRIALS` compares on simulated hosts by each way to take a ratio;
//! `TACHO_DUET=TRIALS` the same of programs that are executed at the same time.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::collections::BTreeMap;
use std::time::Instant;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_stats::interleaved::{Contrast, Fit, InterleavedExecution};
use tacho_stats::summary::median;

#[path = "../crates/stats/src/draw.rs"]
mod draw;
#[path = "interleaved/duets.rs"]
mod duets;
#[path = "interleaved/estimators.rs"]
mod estimators;
#[allow(dead_code, reason = "shared with the tests")]
#[path = "../crates/stats/src/interleaved/simulated.rs"]
mod simulated;

/// The programs' work in each set of the file.
const WORK: [(&str, &[f64]); 7] = [
    ("twelve", &[1.00, 1.00, 1.02, 1.02, 1.08, 1.08, 1.04, 1.04, 1.00, 1.20, 1.00, 1.01]),
    ("pair-1", &[1.00, 1.08]),
    ("pair-2", &[1.00, 1.08]),
    ("pair-3", &[1.00, 1.08]),
    ("cpu10", &[1.00, 1.00, 1.01, 1.02, 1.05, 1.00]),
    ("cpu50", &[1.00, 1.00, 1.01, 1.02, 1.05, 1.00]),
    ("cpu200", &[1.00, 1.00, 1.01, 1.02, 1.05, 1.00]),
];
const LENGTHS: [usize; 3] = [10, 20, 30];

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    if let Some(path) = std::env::var_os("TACHO_TWO_SPEEDS") {
        let sets = read(&std::fs::read_to_string(path).unwrap());
        errors(&sets);
        coverage(&sets);
        power(&sets);
        dealt_coverage(&sets);
        return;
    }
    if let Ok(trials) = std::env::var("TACHO_ESTIMATORS") {
        estimators::table(trials.parse().unwrap());
        return;
    }
    if let Ok(trials) = std::env::var("TACHO_DUET") {
        duets::table(trials.parse().unwrap());
        return;
    }
    speed();
}

/// The sets, each in order of time.
fn read(text: &str) -> BTreeMap<String, Vec<InterleavedExecution>> {
    let mut sets: BTreeMap<String, Vec<InterleavedExecution>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let value = fields[3].parse::<f64>().unwrap().ln();
        let (round, program) = (fields[1].parse().unwrap(), fields[2].parse().unwrap());
        sets.entry(fields[0].to_owned()).or_default().push(InterleavedExecution {
            program,
            round,
            value,
        });
    }
    sets
}

/// Windows of so many rounds, each beginning half a window after the one before.
fn windows(all: &[InterleavedExecution], rounds: usize) -> Vec<Vec<InterleavedExecution>> {
    let by_round: Vec<&[InterleavedExecution]> =
        all.chunk_by(|one, other| one.round == other.round).collect();
    let starts = (0..).map(|n| n * rounds / 2).take_while(|start| start + rounds <= by_round.len());
    starts.map(|start| by_round[start..start + rounds].concat()).collect()
}

type Estimator = fn(&[InterleavedExecution], usize) -> Vec<f64>;

fn errors(sets: &BTreeMap<String, Vec<InterleavedExecution>>) {
    let estimators: [(&str, Estimator); 4] = [
        ("medians", |all, programs| each(all, programs, |values| median(values).unwrap())),
        ("minima", |all, programs| {
            each(all, programs, |values| values.iter().copied().fold(f64::INFINITY, f64::min))
        }),
        ("rounds taken off", polished),
        ("tacho", |all, programs| Fit::of(all, programs).unwrap().effects),
    ];
    println!(
        "root mean square error of levels, in 0.0001 of a logarithm, after 10, 20 and 30 rounds"
    );
    print!("{:18}", "");
    for (name, _) in WORK {
        print!("{name:>16}");
    }
    println!("  geometric mean");
    for (name, estimator) in estimators {
        print!("{name:18}");
        let mut logs = Vec::new();
        for (set, work) in WORK {
            let cells = LENGTHS.map(|rounds| {
                let all = windows(&sets[set], rounds);
                let squares: f64 =
                    all.iter().map(|window| error(&estimator(window, work.len()), work)).sum();
                (squares / all.len() as f64).sqrt()
            });
            logs.extend(cells.map(f64::ln));
            print!("{:>16}", cells.map(|cell| format!("{:.0}", 1e4 * cell)).join(" "));
        }
        println!("{:10.0}", 1e4 * (logs.iter().sum::<f64>() / logs.len() as f64).exp());
    }
}

/// The mean square of what effects are off; of two programs that of their difference.
fn error(effects: &[f64], work: &[f64]) -> f64 {
    let truth: Vec<f64> = work.iter().map(|work| work.ln()).collect();
    if let ([a, b], [of_a, of_b]) = (effects, &truth[..]) {
        return (b - a - (of_b - of_a)).powi(2);
    }
    let off: Vec<f64> = effects.iter().zip(&truth).map(|(effect, truth)| effect - truth).collect();
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    off.iter().map(|off| (off - mean).powi(2)).sum::<f64>() / off.len() as f64
}

fn each(all: &[InterleavedExecution], programs: usize, of: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let values = |program| {
        let of_program = all.iter().filter(move |it| it.program == program);
        of_program.map(|it| it.value).collect::<Vec<_>>()
    };
    (0..programs).map(|program| of(&values(program))).collect()
}

/// Median polish.
fn polished(all: &[InterleavedExecution], programs: usize) -> Vec<f64> {
    let mut effects = vec![0.0; programs];
    for _ in 0..15 {
        let mut rest = Vec::new();
        for round in all.chunk_by(|one, other| one.round == other.round) {
            let values: Vec<f64> = round.iter().map(|it| it.value - effects[it.program]).collect();
            let middle = median(&values).unwrap();
            rest.extend(
                round.iter().map(|it| InterleavedExecution { value: it.value - middle, ..*it }),
            );
        }
        effects = each(&rest, programs, |values| median(values).unwrap());
    }
    effects
}

/// How often intervals hold the truth: of two programs that of their difference, else of each
/// program beside the first; and errors by the fit.
fn coverage(sets: &BTreeMap<String, Vec<InterleavedExecution>>) {
    println!(
        "intervals of 95 %: share that holds the truth, and the middle half width, after 10, 20, \
         30 rounds"
    );
    for (set, work) in WORK {
        print!("{set:8}");
        for rounds in LENGTHS {
            let (mut held, mut by_error, mut all, mut widths) = (0, 0, 0, Vec::new());
            for window in windows(&sets[set], rounds) {
                let fit = Fit::of(&window, work.len()).unwrap();
                for b in 1..work.len() {
                    let pair: Vec<InterleavedExecution> = window
                        .iter()
                        .filter(|it| it.program == 0 || it.program == b)
                        .map(|it| InterleavedExecution {
                            program: usize::from(it.program == b),
                            ..*it
                        })
                        .collect();
                    let contrast = Contrast::of(&pair).unwrap();
                    let (low, high) = (contrast.bound_below(0.025), contrast.bound_above(0.025));
                    let truth = (work[b] / work[0]).ln();
                    held += u32::from(low <= truth && truth <= high);
                    widths.push((high - low) / 2.0);
                    let error = fit.errors[0].hypot(fit.errors[b]);
                    by_error +=
                        u32::from((fit.effects[b] - fit.effects[0] - truth).abs() <= 1.96 * error);
                    all += 1;
                }
            }
            let share = |held: u32| f64::from(held) / f64::from(all);
            print!(
                "   {:.2} ±{:.4} ({:.2})",
                share(held),
                median(&widths).unwrap(),
                share(by_error)
            );
        }
        println!();
    }
}

/// How often a difference is seen at 5 %, two-sided: what is left of real executions beside their
/// programs, in the order of time, dealt at random to two programs in each round, or to one and
/// twice to another.
fn power(sets: &BTreeMap<String, Vec<InterleavedExecution>>) {
    println!(
        "seen at 5 %, in percent of 280 stretches, of differences of 0, 1, 2, 5, 8, 20, 50 and \
         100 %"
    );
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for (members, name) in [(2, "A B"), (3, "A A B")] {
        for rounds in [6, 10, 20, 30, 60, 90] {
            print!("{name:6} {rounds:3} rounds");
            for percent in [0, 1, 2, 5, 8, 20, 50, 100] {
                let (mut seen, mut all) = (0, 0);
                for (set, work) in WORK {
                    let rest: Vec<f64> =
                        sets[set].iter().map(|it| it.value - work[it.program].ln()).collect();
                    let length = members * rounds;
                    if length > rest.len() {
                        continue;
                    }
                    for _ in 0..40 {
                        let start = rng.random_range(0..=rest.len() - length);
                        let by = (1.0 + f64::from(percent) / 100.0).ln();
                        let stretch = dealt(&rest[start..start + length], members, by, &mut rng);
                        let contrast = Contrast::of(&stretch).unwrap();
                        let least = contrast.chance_above(0.0).min(contrast.chance_below(0.0));
                        seen += u32::from(2.0 * least <= 0.05);
                        all += 1;
                    }
                }
                print!("{:6.1}", 100.0 * f64::from(seen) / f64::from(all));
            }
            println!();
        }
    }
}

/// How often an interval of 95 % holds a difference of 2 % in real executions that were dealt to
/// A, A and B, and how often the estimate is at an end of it.
fn dealt_coverage(sets: &BTreeMap<String, Vec<InterleavedExecution>>) {
    println!("A A B dealt to real executions, 2 %: share held, at an end, middle half width");
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for rounds in [6, 10, 20, 30] {
        let (mut held, mut edge, mut all, mut widths) = (0, 0, 0, Vec::new());
        for (set, work) in WORK {
            let rest: Vec<f64> =
                sets[set].iter().map(|it| it.value - work[it.program].ln()).collect();
            let length = 3 * rounds;
            for _ in 0..if length > rest.len() { 0 } else { 150 } {
                let start = rng.random_range(0..=rest.len() - length);
                let stretch = dealt(&rest[start..start + length], 3, 0.02, &mut rng);
                let contrast = Contrast::of(&stretch).unwrap();
                let (low, high) = (contrast.bound_below(0.025), contrast.bound_above(0.025));
                held += u32::from(low <= 0.02 && 0.02 <= high);
                let shift = contrast.shift();
                edge += u32::from((shift - low).min(high - shift) < 0.02 * (high - low));
                widths.push((high - low) / 2.0);
                all += 1;
            }
        }
        let share = |count: u32| f64::from(count) / f64::from(all);
        println!(
            "{rounds:3} rounds  {:.3}  {:.3}  {:.4}",
            share(held),
            share(edge),
            median(&widths).unwrap()
        );
    }
}

fn dealt(rest: &[f64], members: usize, by: f64, rng: &mut ChaCha8Rng) -> Vec<InterleavedExecution> {
    let mut all = Vec::new();
    for (round, values) in (0..).zip(rest.chunks_exact(members)) {
        let second = rng.random_range(0..members);
        for (at, value) in values.iter().enumerate() {
            let value = value + if at == second { by } else { 0.0 };
            all.push(InterleavedExecution { program: usize::from(at == second), round, value });
        }
    }
    all
}

/// 100,000 samples of 50 programs on a host of two speeds.
fn speed() {
    for (programs, rounds) in [(50, 2000), (1000, 20), (2000, 20), (4000, 20)] {
        let all = two_speeds(programs, rounds);
        let times: Vec<f64> = (0..7)
            .map(|_| {
                let began = Instant::now();
                std::hint::black_box(Fit::of(&all, programs));
                began.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        let middle = median(&times).unwrap();
        println!("{} samples of {programs} programs: {middle:.0} ms (median of 7)", all.len());
    }
}

/// So many rounds on a host of two speeds.
fn two_speeds(programs: usize, rounds: u32) -> Vec<InterleavedExecution> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut slow = false;
    let mut all = Vec::new();
    for round in 0..rounds {
        let mut order: Vec<usize> = (0..programs).collect();
        order.shuffle(&mut rng);
        for program in order {
            slow ^= rng.random::<f64>() < 0.02;
            let noise: f64 = (0..6).map(|_| rng.random::<f64>() - 0.5).sum::<f64>() * 0.014;
            let value = 1e-4 * program as f64 + if slow { 0.5 } else { 0.0 } + noise;
            all.push(InterleavedExecution { program, round, value });
        }
    }
    all
}
