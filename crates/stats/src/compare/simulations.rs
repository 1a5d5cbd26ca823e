//! What the rules promise, simulated.

use std::collections::BTreeMap;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::estimate::BoundContrasts;
use super::noise::RatioNoise;
use super::*;
use crate::draw::gaussian;
use crate::interleaved::simulated::{Movement, SimulatedHost};

/// Sessions of the programs one after another in rounds of random order; `speeds` is what each
/// takes in quiet.
fn session(
    noise: RatioNoise,
    rounds: u32,
    speeds: &[f64],
    rng: &mut ChaCha8Rng,
) -> Vec<Vec<SampleValue>> {
    let mut order = Vec::new();
    for _ in 0..rounds {
        let mut round: Vec<usize> = (0..speeds.len()).collect();
        for last in (1..round.len()).rev() {
            round.swap(last, rng.random_range(0..=last));
        }
        order.extend(round);
    }
    let values = noise.session(order.len(), rng, |slot| speeds[order[slot]]);
    let mut sides = vec![Vec::new(); speeds.len()];
    for (slot, (&side, value)) in order.iter().zip(values).enumerate() {
        let place = |of: usize| u32::try_from(of).unwrap();
        let sample = SampleValue::new(value).in_round(place(slot / speeds.len()));
        sides[side].push(sample.at(place(slot % speeds.len())));
    }
    sides
}

/// Of so many comparisons, each looked at until it was clear: how many told a difference, and in
/// how many the interval that was shown at the end had the truth.
#[derive(Clone, Copy, Debug, Default)]
struct Ended {
    trials: f64,
    detected: f64,
    covered: f64,
}

impl Ended {
    fn of(noise: RatioNoise, effect: f64, trials: u64) -> Self {
        let looks = Looks::planned(30, 0.05);
        let mut rng = ChaCha8Rng::seed_from_u64(1 + noise as u64);
        let mut ended = Self { trials: trials as f64, ..Self::default() };
        for _ in 0..trials {
            let sides = session(noise, 30, &[100.0, 100.0 * effect, 100.0], &mut rng);
            let rules = ComparisonRules::default();
            let looked = looks.all().iter().map(|&look| {
                let [a, b, control] = [0, 1, 2].map(|side| &sides[side][..look.rounds]);
                compare(&Sides { a, b, control }, &rules, look)
            });
            let mut all =
                looked.skip_while(|it| it.verdict == Verdict::Unclear && it.look.rounds < 30);
            let last = all.next().unwrap();
            let (low, high) = last.estimate.unwrap().interval.unwrap();
            ended.detected += f64::from(u8::from(last.verdict.differs()));
            ended.covered += f64::from(u8::from(low <= effect && effect <= high));
        }
        ended
    }

    fn and(self, other: Self) -> Self {
        let Self { trials, detected, covered } = other;
        Self {
            trials: self.trials + trials,
            detected: self.detected + detected,
            covered: self.covered + covered,
        }
    }

    /// The share that was told, and so many standard errors of a share of 5 %.
    fn detected(&self, errors: f64) -> (f64, f64) {
        (self.detected / self.trials, errors * (0.05 * 0.95 / self.trials).sqrt())
    }

    /// The share that was covered, and so many standard errors of a share of 95 %.
    fn covered(&self, errors: f64) -> (f64, f64) {
        (self.covered / self.trials, errors * (0.05 * 0.95 / self.trials).sqrt())
    }
}

#[test]
fn what_is_told_and_shown_is_right_as_often_as_is_said_though_it_is_looked_at_until_it_is_clear() {
    let trials = std::env::var("TACHO_TRIALS").map_or(70, |trials| trials.parse().unwrap());
    let (mut same, mut all) = (Ended::default(), Ended::default());
    for noise in RatioNoise::ALL {
        let of = [1.0, 1.01, 1.03].map(|effect| Ended::of(noise, effect, trials));
        let shares = of.map(|ended| format!("{:.1} %", 100.0 * ended.covered / ended.trials));
        println!(
            "{noise:?}: found {:.1} %, covered {}",
            100.0 * of[0].detected / of[0].trials,
            shares.join(", ")
        );
        let (rate, off) = of[0].detected(2.0);
        assert!(rate <= 0.05 + off, "{noise:?}: {rate}");
        let apart = of[1].and(of[2]);
        let (share, off) = apart.covered(2.0);
        assert!((0.93 - off..=0.97 + off).contains(&share), "{noise:?}: {share}");
        (same, all) = (same.and(of[0]), all.and(apart));
    }
    let (rate, off) = same.detected(2.0);
    assert!(rate <= 0.02 + off, "{rate}");
    // An interval holds equal programs wherever the verdict is no difference.
    let (share, _) = same.covered(0.0);
    assert!(share >= 0.96, "{share}");
    let (share, off) = all.covered(1.0);
    assert!((0.93 - off..=0.97 + off).contains(&share), "{share}");
}

/// A side of Gaussian noise with the standard deviation 1 around that centre, by a clock with steps
/// of so many.
fn by_clock(centre: f64, step: f64, rounds: u32, rng: &mut ChaCha8Rng) -> Vec<SampleValue> {
    let value = |rng: &mut ChaCha8Rng| ((centre + gaussian(rng)) / step).round() * step;
    (0..rounds).map(|round| SampleValue::new(value(rng)).in_round(round)).collect()
}

#[test]
fn a_clock_with_steps_like_its_noise_is_known_by_its_values() {
    // At steps of twice the noise most values are one of two or three. Where a clock begins is
    // drawn each time.
    let trials = 400;
    for step in [0.5, 1.0, 2.0, 3.0] {
        for (rounds, effect) in [(10, 0.0), (10, 1.0), (30, 0.0), (30, 1.0)] {
            let mut rng = ChaCha8Rng::seed_from_u64(9);
            let (mut covered, mut detected) = (0.0, 0.0);
            for _ in 0..trials {
                let centre = 100.0 + step * rng.random::<f64>();
                let [a, b, control] = [centre, centre + effect, centre]
                    .map(|centre| by_clock(centre, step, rounds, &mut rng));
                let sides = Sides { a: &a, b: &b, control: &control };
                let rules = ComparisonRules::default();
                let compared = compare(&sides, &rules, Look::only(rounds as usize, 0.05));
                let (low, high) = compared.estimate.unwrap().difference_interval.unwrap();
                covered += f64::from(u8::from(low <= effect + 1e-9 && effect - 1e-9 <= high));
                detected += f64::from(u8::from(compared.verdict.differs()));
            }
            let (covered, detected) = (covered / f64::from(trials), detected / f64::from(trials));
            println!(
                "steps of {step}, {rounds} rounds, {effect}: covered {covered}, found {detected}"
            );
            // 95 and 5 %, and two standard errors of 400 trials.
            assert!(
                covered >= 0.95 - 0.022,
                "steps of {step}, {rounds} rounds, {effect}: {covered}"
            );
            assert!(
                effect > 0.0 || detected <= 0.05 + 0.022,
                "steps of {step}, {rounds} rounds: {detected}"
            );
        }
    }
}

/// The same samples, each round executed in an order of its own.
fn in_order(mut sides: [Vec<SampleValue>; 3], rng: &mut ChaCha8Rng) -> [Vec<SampleValue>; 3] {
    for round in 0..sides[0].len() {
        let mut places = [0, 1, 2];
        places.shuffle(rng);
        for (side, place) in sides.iter_mut().zip(places) {
            side[round] = side[round].at(place);
        }
    }
    sides
}

#[test]
fn programs_with_modes_differ_as_seldom_as_is_said() {
    let trials = 300;
    let detected = |shares: [f64; 2], level: f64| {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut order = ChaCha8Rng::seed_from_u64(8);
        let detected = |_: u64| {
            let mut side = |share: f64, level: f64| -> Vec<SampleValue> {
                let mut value = || {
                    let upper = if rng.random::<f64>() < share { 0.1 } else { 0.0 };
                    level * (upper + 0.01 * gaussian(&mut rng)).exp()
                };
                (0..30).map(|round| SampleValue::new(value()).in_round(round)).collect()
            };
            let [a, b, control] = in_order(
                [side(shares[0], 100.0), side(shares[1], level), side(shares[0], 100.0)],
                &mut order,
            );
            let sides = Sides { a: &a, b: &b, control: &control };
            let compared = compare(&sides, &ComparisonRules::default(), Look::only(30, 0.05));
            compared.verdict
        };
        let all: Vec<Verdict> = (0..trials).map(detected).collect();
        let count =
            |wanted: Verdict| all.iter().filter(|it| **it == wanted).count() as f64 / trials as f64;
        [Verdict::Slower, Verdict::Faster].map(count)
    };
    for share in [0.2, 0.5] {
        let [slower, faster] = detected([share; 2], 100.0);
        // 5 %, and two standard errors of 300 trials.
        assert!(slower + faster <= 0.05 + 0.025, "{share}: {slower} {faster}");
    }
    let [slower, faster] = detected([0.25, 0.75], 100.0);
    println!("other shares: {slower} slower");
    assert!(slower >= 0.85 && faster <= 0.01, "other shares: {slower} {faster}");
    let [slower, faster] = detected([0.3; 2], 102.0);
    println!("levels 2 % apart: {slower} slower");
    assert!(slower >= 0.3 && faster <= 0.01, "other levels: {slower} {faster}");
    let [slower, faster] = detected([0.3; 2], 105.0);
    println!("levels 5 % apart: {slower} slower");
    assert!(slower >= 0.85 && faster <= 0.01, "levels far apart: {slower} {faster}");
}

/// The shares of *faster* and *slower* of a program at this level that is so often in a mode 22 %
/// above, against one at 1.
fn of_falling_levels(level: f64, shares: [f64; 2], trials: u64) -> [f64; 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut side = |share: f64, level: f64| -> Vec<SampleValue> {
        let mut value = || {
            let upper = if rng.random::<f64>() < share { 1.22 } else { 1.0 };
            level * upper * (0.005 * gaussian(&mut rng)).exp()
        };
        (0..30).map(|round| SampleValue::new(value()).in_round(round)).collect()
    };
    let looks = Looks::planned(30, 0.05);
    let mut order = ChaCha8Rng::seed_from_u64(12);
    let detected = |_: u64| {
        let [a, b, control] = in_order(
            [side(shares[0], 1.0), side(shares[1], level), side(shares[0], 1.0)],
            &mut order,
        );
        let mut verdicts = looks.all().iter().map(|&look| {
            let [a, b, control] = [&a, &b, &control].map(|side| &side[..look.rounds]);
            compare(&Sides { a, b, control }, &ComparisonRules::default(), look).verdict
        });
        verdicts.find(|verdict| *verdict != Verdict::Unclear).unwrap_or(Verdict::Unclear)
    };
    let all: Vec<Verdict> = (0..trials).map(detected).collect();
    [Verdict::Faster, Verdict::Slower]
        .map(|wanted| all.iter().filter(|it| **it == wanted).count() as f64 / trials as f64)
}

#[test]
fn what_is_slow_more_often_is_seldom_faster_though_its_levels_fell() {
    // The means are 8 and 2 % higher. In fewer than 12 rounds no modes are seen, and the lower end
    // of both falls.
    let trials = 80;
    for (level, shares, most) in [(0.95, [0.2, 0.85], 0.025), (0.97, [0.3, 0.55], 0.15)] {
        let [faster, slower] = of_falling_levels(level, shares, trials);
        println!("{level} {shares:?}: {faster} faster, {slower} slower");
        assert!(faster <= most, "{level} {shares:?}: {faster}");
    }
    for share in [0.2, 0.3] {
        let [faster, slower] = of_falling_levels(0.95, [share; 2], trials);
        println!("{share}: {faster} faster, {slower} slower");
        assert!(faster >= 0.5 && slower <= 0.025, "the same shares, {share}: {faster} {slower}");
    }
}

#[test]
fn of_a_family_of_dependent_metrics_few_that_are_told_are_wrong() {
    // Twenty benchmarks of which five are slower by 8 %, each with three metrics that share most of
    // their noise.
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let rules =
        ComparisonRules { estimator: Some(Estimator::AllRatios), ..ComparisonRules::default() };
    let trials = 100;
    let (mut wrong_share, mut found) = (0.0, 0);
    for _ in 0..trials {
        let mut rows = Vec::new();
        for benchmark in 0..20 {
            let takes = if benchmark < 5 { 108.0 } else { 100.0 };
            let common: [Vec<f64>; 2] =
                [0, 1].map(|_| (0..10).map(|_| gaussian(&mut rng)).collect());
            for _ in 0..3 {
                let [a, b] = [(100.0, &common[0]), (takes, &common[1])].map(|(takes, common)| {
                    let value =
                        |z: &f64| takes * (0.02 * (0.9 * z + 0.44 * gaussian(&mut rng))).exp();
                    common.iter().map(value).map(SampleValue::new).collect::<Vec<_>>()
                });
                rows.push(compare(
                    &Sides { a: &a, b: &b, control: &[] },
                    &rules,
                    Look::only(10, 0.05),
                ));
            }
        }
        let detected = judge_together(&rows, 0.05);
        let count = |rows: std::ops::Range<usize>| {
            detected[rows].iter().filter(|verdict| verdict.differs()).count()
        };
        let (right, wrong) = (count(0..15), count(15..60));
        wrong_share += wrong as f64 / (wrong + right).max(1) as f64 / f64::from(trials);
        found += right;
    }
    assert!(wrong_share <= 0.05, "{wrong_share} of those found are wrong");
    assert!(found >= 1400, "{found} of 1,500 found");
}

#[test]
fn intervals_of_levels_cover_as_often_as_they_say() {
    let trials = 300;
    for (units, of_unit) in [(3, 0.02), (5, 0.02), (10, 0.005)] {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut side = |takes: f64| -> Vec<SampleValue> {
            let values = |unit: u32| {
                let shift = of_unit * gaussian(&mut rng);
                let values = (0..10).map(|_| takes * (shift + 0.02 * gaussian(&mut rng)).exp());
                values.map(|value| SampleValue::new(value).of_layout(unit)).collect::<Vec<_>>()
            };
            (0..units).flat_map(values).collect()
        };
        let covered = (0..trials).filter(|_| {
            let both = BoundContrasts::of(Scale::Ratio, &side(100.0), &side(105.0), &[]);
            let (low, high) = both.bounds(Estimator::Median, 0.025).unwrap();
            (low.exp()..=high.exp()).contains(&1.05)
        });
        let share = covered.count() as f64 / f64::from(trials);
        println!("{units} layouts: {share}");
        // 95 %, and three standard errors of 300 trials.
        assert!((0.912..=0.988).contains(&share), "{units} layouts of ten values: {share}");
    }
}

#[test]
fn so_many_more_settle_it_mostly() {
    let (mut asked, mut settled) = (0, 0);
    let rules =
        ComparisonRules { estimator: Some(Estimator::AllRatios), ..ComparisonRules::default() };
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..200 {
        let effect = 1.0 + 0.02 * gaussian(&mut rng);
        let sides = session(RatioNoise::Gaussian, 800, &[100.0, 100.0 * effect], &mut rng);
        let until = |rounds: usize| {
            let sides = Sides { a: &sides[0][..rounds], b: &sides[1][..rounds], control: &[] };
            compare(&sides, &rules, Look::only(rounds, 0.05))
        };
        let Some(more) = until(10).more.filter(|more| more.rounds <= 790) else { continue };
        asked += 1;
        settled += u32::from(until(10 + more.rounds).verdict != Verdict::Unclear);
    }
    // About four of five, said of differences of 2 % in noise of 2 %: what ten rounds seem to show
    // is off itself.
    let share = f64::from(settled) / f64::from(asked);
    assert!((0.65..=0.95).contains(&share), "{settled} of {asked}");
}

#[test]
fn intervals_cover_as_often_as_they_say() {
    let trials = 1000;
    for noise in RatioNoise::ALL.into_iter().filter(|noise| noise.is_independent()) {
        for rounds in [5, 10, 15, 30] {
            let mut covered = BTreeMap::new();
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            for _ in 0..trials {
                let sides = session(noise, rounds, &[100.0, 105.0], &mut rng);
                for estimator in [Estimator::RoundRatios, Estimator::AllRatios, Estimator::Median] {
                    let rules =
                        ComparisonRules { estimator: Some(estimator), ..Default::default() };
                    let sides = Sides { a: &sides[0], b: &sides[1], control: &[] };
                    let compared =
                        compare(&sides, &rules, Look::only(rounds as usize, 0.05)).estimate;
                    let Some((low, high)) = compared.and_then(|it| it.interval) else { continue };
                    *covered.entry(estimator).or_insert(0) +=
                        u32::from((low..=high).contains(&1.05));
                }
            }
            for (estimator, covered) in covered {
                let share = f64::from(covered) / f64::from(trials);
                // 93 to 97 %, and a standard error of 1000 trials; the exact ones of five and six
                // samples are wider, and so is what coarse steps hide.
                let is_wider = rounds == 5 || noise == RatioNoise::Quantised;
                let most = if is_wider { 1.0 } else { 0.982 };
                println!("{noise:?}, {rounds} rounds, {estimator:?}: {share}");
                assert!(
                    (0.923..=most).contains(&share),
                    "{noise:?}, {rounds} rounds, {estimator:?}: {share}"
                );
            }
        }
    }
}

#[test]
fn on_a_steady_host_nothing_is_lost() {
    // The best estimate of normal noise: the mean of B by that of A and its control.
    let mean = |side: &[&[SampleValue]]| {
        let all: Vec<f64> = side.concat().iter().map(|sample| sample.value.ln()).collect();
        all.iter().sum::<f64>() / all.len() as f64
    };
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut ours, mut best, mut covered) = (0.0, 0.0, 0);
    let trials = 1000;
    for _ in 0..trials {
        let sides = session(RatioNoise::Gaussian, 20, &[100.0, 105.0, 100.0], &mut rng);
        let [a, b, control] = [0, 1, 2].map(|side| sides[side].as_slice());
        let compared =
            compare(&Sides { a, b, control }, &ComparisonRules::default(), Look::only(20, 0.05));
        let estimate = compared.estimate.unwrap();
        ours += (estimate.ratio.unwrap() / 1.05).ln().powi(2);
        best += (mean(&[b]) - mean(&[a, control]) - 1.05_f64.ln()).powi(2);
        let (low, high) = estimate.interval.unwrap();
        covered += u32::from((low..=high).contains(&1.05));
    }
    let (loss, share) = ((ours / best).sqrt(), f64::from(covered) / f64::from(trials));
    assert!(loss <= 1.05, "{loss:.3} times the error of the best estimate");
    assert!((0.93..=0.97).contains(&share), "{share}");
}

/// A, B and a control of these levels on a host of two speeds, in 30 rounds.
fn on_two_speeds(seed: u64, levels: [f64; 3], noise: f64) -> [Vec<SampleValue>; 3] {
    let spells = Movement::Spells { apart: 0.1, length: 20.0, share: 0.5 };
    let mut host = SimulatedHost::new(spells, seed);
    host.noise = noise;
    let mut sides = [Vec::new(), Vec::new(), Vec::new()];
    for (place, it) in (0..).zip(host.rounds(&levels, 30)) {
        sides[it.program].push(SampleValue::new(it.value.exp()).in_round(it.round).at(place));
    }
    sides
}

fn compared(sides: &[Vec<SampleValue>; 3]) -> Comparison {
    let [a, b, control] = [0, 1, 2].map(|side| sides[side].as_slice());
    let sides = Sides { a, b, control };
    compare(&sides, &ComparisonRules::default(), Look::only(30, 0.05))
}

#[test]
fn a_control_differs_by_what_it_differs_though_neighbours_decide() {
    let of = |seed: u64| {
        let found = compared(&on_two_speeds(700 + seed, [0.0, 0.05, 0.02], 0.01));
        let is_by_neighbours = found.choice.estimator == crate::compare::Estimator::Neighbours;
        is_by_neighbours.then(|| found.control.unwrap().ratio.unwrap().ln())
    };
    let all: Vec<f64> = (0..80).filter_map(of).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    println!("{mean:.4} of {}", all.len());
    // One has a standard error of 0.003 at the most.
    assert!(all.len() > 40 && (mean - 0.02).abs() < 0.0015, "{mean} of {}", all.len());
}

#[test]
fn what_a_coarse_clock_hides_is_not_the_same_on_a_host_that_moves() {
    let (mut held, mut same, hosts) = (0, 0, 100);
    for seed in 0..hosts {
        let mut sides = on_two_speeds(800 + seed, [0.0, 0.02, 0.0], 0.005);
        for sample in sides.iter_mut().flatten() {
            sample.value = (sample.value * 25.0).round() / 25.0;
        }
        let found = compared(&sides);
        let (low, high) = found.estimate.unwrap().interval.unwrap();
        held += u32::from((low..=high).contains(&0.02_f64.exp()));
        same += u32::from(found.verdict == Verdict::Same);
    }
    println!("{held} held, {same} the same of {hosts}");
    assert!(held >= 93 && same <= 5, "{held} held, {same} the same of {hosts}");
}
