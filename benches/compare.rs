//! What a comparison finds: `cargo bench -p tacho-stats --bench compare`, beside tests of the same error.
//!
//! Simulated with a fixed seed, in each kind of noise, A against A and planted slow-downs: how often B is told to differ,
//! and after how many rounds of at most thirty. *Ours* looks at fixed times and stops when it is settled, without and
//! with a control; the *rank test* is Mann & Whitney's of all thirty rounds; the *sign test* may be looked at after each round. All at
//! 5 %. The executions of a control count: with one, a round is three executions and not two.

#![allow(clippy::unwrap_used, reason = "a benchmark may fail")]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tacho_stats::PairedRatio;
use tacho_stats::compare::{Estimator, Look, Looks, RankTest, Rules, Sample, Sides, Verdict, compare};

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../crates/stats/src/compare/noise.rs"]
mod noise;

use noise::Noise;

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
    // What cargo passes to every benchmark, and what `cargo test --benches` does not: then there is nothing to do.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let trials: u32 = std::env::var("TACHO_TRIALS").map_or(200, |trials| trials.parse().unwrap());
    let looks = Looks::planned(ROUNDS, ERROR);
    println!("{trials} trials each, ten times as many of no effect; told in so many rounds");
    println!("| noise | effect | ours | with a control | rank test | sign test |\n|---|---|---|---|---|---|");
    for (stream, noise) in (0..).zip(Noise::ALL) {
        for (substream, percent) in (0..).zip([0.0, 1.0, 2.0, 5.0, 10.0]) {
            // A rate of five of a hundred needs more trials to be seen than one of fifty.
            let trials = if percent == 0.0 { 10 * trials } else { trials };
            let mut found: [Found; 4] = Default::default();
            let mut rng = ChaCha8Rng::seed_from_u64(10 * stream + substream);
            for seed in 0..trials {
                trial(noise, 100.0 + percent, seed.into(), &looks, &mut found, &mut rng);
            }
            let cells = found.map(|found| found.line(trials)).join(" | ");
            println!("| {noise:?} | {percent} % | {cells} |");
        }
    }
}

fn trial(noise: Noise, takes: f64, seed: u64, looks: &Looks, found: &mut [Found; 4], rng: &mut ChaCha8Rng) {
    let [alone, controlled] = [&[100.0, takes][..], &[100.0, takes, 100.0]].map(|t| session(noise, t, rng));
    for (found, sides) in found.iter_mut().zip([&alone, &controlled]) {
        let (told, until) = ours(sides, seed, looks);
        found.add(told, until);
    }
    found[2].add(rank_test(&alone), ROUNDS);
    found[3].add(sign_test(&alone), ROUNDS);
}

/// After how many rounds a difference is told, if it is, and after how many it ended.
fn ours(sides: &[Vec<Sample>], seed: u64, looks: &Looks) -> (Option<usize>, usize) {
    let rules = Rules { seed, ..Rules::default() };
    for &look in looks.all() {
        let side = |index: usize| sides.get(index).map_or(&[][..], |side| &side[..look.rounds]);
        let verdict = compare(&Sides { a: side(0), b: side(1), control: side(2) }, &rules, look).verdict;
        if verdict != Verdict::Unclear {
            return (verdict.differs().then_some(look.rounds), look.rounds);
        }
    }
    (None, ROUNDS)
}

fn rank_test(sides: &[Vec<Sample>]) -> Option<usize> {
    let rules = Rules { estimator: Some(Estimator::AllRatios), ..Rules::default() };
    let sides = Sides { a: &sides[0], b: &sides[1], control: &[] };
    match compare(&sides, &rules, Look::only(ROUNDS, ERROR)).rank_test {
        RankTest::MannWhitney(p) | RankTest::Wilcoxon(p) => (p <= ERROR).then_some(ROUNDS),
    }
}

fn sign_test(sides: &[Vec<Sample>]) -> Option<usize> {
    let pairs: Vec<(f64, f64)> = sides[0].iter().zip(&sides[1]).map(|(a, b)| (a.value, b.value)).collect();
    (1..=ROUNDS).find(|&rounds| PairedRatio::of(&pairs[..rounds]).is_some_and(|r| r.evidence >= 1.0 / ERROR))
}

/// Programs that take so long each, in rounds of random order.
fn session(noise: Noise, takes: &[f64], rng: &mut ChaCha8Rng) -> Vec<Vec<Sample>> {
    let mut order: Vec<usize> = Vec::new();
    for _ in 0..ROUNDS {
        let mut round: Vec<usize> = (0..takes.len()).collect();
        for last in (1..round.len()).rev() {
            round.swap(last, rng.random_range(0..=last));
        }
        order.extend(round);
    }
    let values = noise.session(order.len(), rng, |slot| takes[order[slot]]);
    let mut sides = vec![Vec::new(); takes.len()];
    for (slot, (&side, value)) in order.iter().zip(values).enumerate() {
        sides[side].push(Sample::new(value).in_round(u32::try_from(slot / takes.len()).unwrap()));
    }
    sides
}
