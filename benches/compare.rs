//! What a comparison finds: `cargo bench -p tacho-stats --bench compare`, beside tests of the same
//! error.
//!
//! Simulated with a fixed seed, in each kind of noise, A against A and planted slow-downs: how
//! often B is told to differ, and after how many rounds of at most thirty. *Ours* looks at fixed
//! times and stops when it is settled, without and with a control; the *rank test* is Mann &
//! Whitney's of all thirty rounds; the *sign test* may be looked at after each round. All at 5 %.
//! The executions of a control count: with one, a round is three executions and not two.
//!
//! `TACHO_TABLES=noise` is that; `power` asks the same of a shifted lognormal, and of executions
//! that were really measured: those whose times stand in the file `TACHO_TIMES`, one a line in
//! their order. Each trial takes as many in a row as it needs, from anywhere, gives them to both
//! sides and the control, and has B's take longer. `TACHO_TRIALS` (200) is for each row.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_stats::compare::{
    Comparison, ComparisonRules, Estimator, Look, Looks, RankTest, SampleValue, Sides, Verdict,
    compare,
};

#[path = "../crates/stats/src/draw.rs"]
mod draw;
#[allow(dead_code, reason = "shared with the tests")]
#[path = "../crates/stats/src/compare/noise.rs"]
mod noise;

use noise::RatioNoise;

const ROUNDS: usize = 30;
const ERROR: f64 = 0.05;

/// How often a difference was told, and after how many rounds on average.
#[derive(Default)]
struct Found {
    told: f64,
    rounds: f64,
}

impl Found {
    fn add(&mut self, told: Option<usize>, until: usize) {
        self.told += f64::from(u8::from(told.is_some()));
        self.rounds += told.unwrap_or(until) as f64;
    }

    fn line(&self, trials: u32) -> String {
        let of = |sum: f64| sum / f64::from(trials);
        format!("{:5.1} % in {:4.1}", 100.0 * of(self.told), of(self.rounds))
    }
}

fn main() {
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is
    // nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let trials: u32 = std::env::var("TACHO_TRIALS").map_or(200, |trials| trials.parse().unwrap());
    let tables = std::env::var("TACHO_TABLES").unwrap_or_else(|_| "noise,power".to_owned());
    for table in tables.split(',') {
        match table {
            "noise" => of_noise(trials),
            "power" => of_power(trials),
            other => println!("there is no table `{other}`"),
        }
    }
}

/// In each kind of noise.
fn of_noise(trials: u32) {
    let looks = Looks::planned(ROUNDS, ERROR);
    println!("{trials} trials each, ten times as many of no effect; told in so many rounds");
    println!(
        "| noise | effect | ours | with a control | rank test | sign test \
         |\n|---|---|---|---|---|---|"
    );
    for (stream, noise) in (0..).zip(RatioNoise::ALL) {
        for (substream, percent) in (0..).zip([0.0, 1.0, 2.0, 5.0, 10.0]) {
            // A rate of five of a hundred needs more trials to be seen than one of fifty.
            let trials = if percent == 0.0 { 10 * trials } else { trials };
            let mut found: [Found; 4] = Default::default();
            let mut rng = ChaCha8Rng::seed_from_u64(10 * stream + substream);
            for _ in 0..trials {
                trial(noise, 100.0 + percent, &looks, &mut found, &mut rng);
            }
            let cells = found.map(|found| found.line(trials)).join(" | ");
            println!("| {noise:?} | {percent} % | {cells} |");
        }
    }
}

fn trial(
    noise: RatioNoise,
    takes: f64,
    looks: &Looks,
    found: &mut [Found; 4],
    rng: &mut ChaCha8Rng,
) {
    let [alone, controlled] = [&[100.0, takes][..], &[100.0, takes, 100.0]].map(|takes| {
        session(takes.len(), rng, |order, rng| {
            noise.session(order.len(), rng, |slot| takes[order[slot]])
        })
    });
    for (found, sides) in found.iter_mut().zip([&alone, &controlled]) {
        let ended = ours(sides, looks);
        let rounds = ended.look.rounds;
        found.add(ended.verdict.differs().then_some(rounds), rounds);
    }
    found[2].add(rank_test(&alone), ROUNDS);
    found[3].add(sign_test(&alone), ROUNDS);
}

/// Where it ended: with a verdict, or with all rounds.
fn ours(sides: &[Vec<SampleValue>], looks: &Looks) -> Comparison {
    let rules = ComparisonRules::default();
    let mut looked = looks.all().iter().map(|&look| {
        let side = |index: usize| sides.get(index).map_or(&[][..], |side| &side[..look.rounds]);
        compare(&Sides { a: side(0), b: side(1), control: side(2) }, &rules, look)
    });
    looked.find(|it| it.verdict != Verdict::Unclear || it.look.rounds == ROUNDS).unwrap()
}

fn rank_test(sides: &[Vec<SampleValue>]) -> Option<usize> {
    let rules =
        ComparisonRules { estimator: Some(Estimator::AllRatios), ..ComparisonRules::default() };
    let sides = Sides { a: &sides[0], b: &sides[1], control: &[] };
    match compare(&sides, &rules, Look::only(ROUNDS, ERROR)).rank_test {
        RankTest::MannWhitney(p) | RankTest::Wilcoxon(p) => (p <= ERROR).then_some(ROUNDS),
    }
}

fn sign_test(sides: &[Vec<SampleValue>]) -> Option<usize> {
    let is_less = sides[0].iter().zip(&sides[1]).map(|(a, b)| b.value < a.value);
    let is_less: Vec<bool> = is_less.collect();
    let less = |rounds: usize| is_less[..rounds].iter().filter(|less| **less).count();
    (1..=ROUNDS).find(|&rounds| martingale(rounds, less(rounds)) >= 1.0 / ERROR)
}

/// Of Robbins' mixture: 20 or more at any time is wrong in at most 5 % of sequences of which either
/// side is the larger with probability one half (docs/src/method/stopping.md).
fn martingale(n: usize, less: usize) -> f64 {
    const PRIOR: f64 = 3.0;
    let rising = |from: f64, steps: usize| (0..steps).map(|i| (from + i as f64).ln()).sum::<f64>();
    let odds = rising(PRIOR, less) + rising(PRIOR, n - less) - rising(2.0 * PRIOR, n);
    (odds + n as f64 * std::f64::consts::LN_2).exp()
}

/// So many programs in rounds of random order; `values` are those of executions in that order.
fn session(
    programs: usize,
    rng: &mut ChaCha8Rng,
    values: impl Fn(&[usize], &mut ChaCha8Rng) -> Vec<f64>,
) -> Vec<Vec<SampleValue>> {
    let mut order: Vec<usize> = Vec::new();
    for _ in 0..ROUNDS {
        let mut round: Vec<usize> = (0..programs).collect();
        for last in (1..round.len()).rev() {
            round.swap(last, rng.random_range(0..=last));
        }
        order.extend(round);
    }
    let values = values(&order, rng);
    let mut sides = vec![Vec::new(); programs];
    for (slot, (&side, value)) in order.iter().zip(values).enumerate() {
        sides[side].push(SampleValue::new(value).in_round(u32::try_from(slot / programs).unwrap()));
    }
    sides
}

/// What executions of one program took.
enum Times {
    /// As if noise only ever added: 98 % of the median at best, and beyond that a lognormal.
    ShiftedLognormal,
    /// In the order in which they were measured.
    Measured(Vec<f64>),
}

impl Times {
    fn name(&self) -> String {
        match self {
            Self::ShiftedLognormal => "shifted lognormal".to_owned(),
            Self::Measured(times) => format!("{} measured executions", times.len()),
        }
    }

    /// Of so many executions in a row.
    fn some(&self, number: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
        match self {
            Self::ShiftedLognormal => {
                (0..number).map(|_| 98.0 + 2.0 * draw::gaussian(rng).exp()).collect()
            }
            Self::Measured(times) => {
                let first = rng.random_range(0..times.len());
                times.iter().cycle().skip(first).take(number).copied().collect()
            }
        }
    }
}

/// What is found of a program that is slower, with a control.
fn of_power(trials: u32) {
    let mut all = vec![Times::ShiftedLognormal];
    if let Ok(file) = std::env::var("TACHO_TIMES") {
        let text = std::fs::read_to_string(file).unwrap();
        all.push(Times::Measured(
            text.split_whitespace().map(|time| time.parse().unwrap()).collect(),
        ));
    }
    println!("\n{trials} trials each, five times as many of no effect\n");
    println!(
        "| times | slower by | told | interval has the truth | rounds | rank test of {ROUNDS} \
         rounds |"
    );
    println!("|---|---|---|---|---|---|");
    for (stream, times) in (100..).zip(&all) {
        for (substream, percent) in (0..).zip([0.0, 1.0, 2.0, 5.0, 10.0]) {
            let trials = if percent == 0.0 { 5 * trials } else { trials };
            let mut rng = ChaCha8Rng::seed_from_u64(10 * stream + substream);
            let row = power(times, 1.0 + percent / 100.0, trials, &mut rng);
            println!("| {} | {percent} % | {row} |", times.name());
        }
    }
}

/// What is found where B takes so many times as long.
fn power(times: &Times, truth: f64, trials: u32, rng: &mut ChaCha8Rng) -> String {
    let looks = Looks::planned(ROUNDS, ERROR);
    let (mut found, mut by_ranks, mut covered) = (Found::default(), Found::default(), 0);
    for _ in 0..trials {
        let sides = session(3, rng, |order, rng| {
            let slower = |(time, side): (f64, &usize)| if *side == 1 { truth * time } else { time };
            times.some(order.len(), rng).into_iter().zip(order).map(slower).collect()
        });
        let ended = ours(&sides, &looks);
        let rounds = ended.look.rounds;
        found.add(ended.verdict.differs().then_some(rounds), rounds);
        by_ranks.add(rank_test(&sides), ROUNDS);
        let interval = ended.estimate.and_then(|it| it.interval);
        covered += u32::from(interval.is_some_and(|(low, high)| low <= truth && truth <= high));
    }
    let share = |number: f64| 100.0 * number / f64::from(trials);
    let rounds = found.rounds / f64::from(trials);
    let (told, covered, by_ranks) =
        (share(found.told), share(covered.into()), share(by_ranks.told));
    format!("{told:.1} % | {covered:.1} % | {rounds:.1} | {by_ranks:.1} %")
}
