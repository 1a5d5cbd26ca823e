//! Hosts of which the truth is known, simulated with a fixed seed; shared with `benches/probe.rs`.

use std::collections::BTreeMap;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Dependence, PROBE_ERROR, ProbeRules, ProbeValues, judge_pair, probe_looks};
use crate::draw::gaussian;

/// A host and two programs on it.
pub struct ProbeWorld {
    /// B by A as usual, as a logarithm.
    pub usual: f64,
    /// The same under each disturbance.
    pub under: Vec<f64>,
    /// What each disturbance adds to both.
    pub level: Vec<f64>,
    /// The noise of an execution, under a disturbance more of it.
    pub noise: f64,
    pub more: Vec<f64>,
    pub rounds: u32,
}

pub const DISTURBANCES: usize = 11;

impl ProbeWorld {
    /// No disturbance changes the difference; each changes the level, and some the noise.
    pub fn honest(usual: f64, noise: f64, rounds: u32) -> Self {
        let level = (0..DISTURBANCES).map(|at| 0.08 * at as f64).collect();
        let more = (0..DISTURBANCES).map(|at| if at % 4 == 3 { 3.0 } else { 1.0 }).collect();
        Self { usual, under: vec![usual; DISTURBANCES], level, noise, more, rounds }
    }

    /// One of the disturbances takes the whole effect away.
    pub fn confounded(self, at: usize) -> Self {
        let mut under = self.under;
        under[at] = 0.0;
        Self { under, ..self }
    }

    /// Values of all states: the host's speed wanders and jumps, a few executions are wild.
    pub fn measure(&self, seed: u64) -> Vec<ProbeValues> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut states = vec![ProbeValues::default(); 1 + self.under.len()];
        let mut host = 0.0;
        for round in 1..=self.rounds {
            let mut order: Vec<usize> = (0..states.len()).collect();
            order.shuffle(&mut rng);
            for state in order {
                let b_first = rng.random_bool(0.5);
                for second in [b_first, !b_first] {
                    host = 0.98 * host + 0.004 * gaussian(&mut rng);
                    if rng.random_bool(0.01) {
                        host += 0.1 * gaussian(&mut rng);
                    }
                    let (by, level, more) = match state {
                        0 => (self.usual, 0.0, 1.0),
                        at => (self.under[at - 1], self.level[at - 1], self.more[at - 1]),
                    };
                    let wild = if rng.random_bool(0.03) { rng.random_range(0.0..0.5) } else { 0.0 };
                    let noise = self.noise * more * gaussian(&mut rng) + wild;
                    let value = (host + level + noise + if second { by } else { 0.0 }).exp();
                    let of = if second { &mut states[state].b } else { &mut states[state].a };
                    of.insert(round, 1e8 * value);
                }
            }
        }
        states
    }

    /// Looks at it as a probe does: a disturbance that is decided takes part no more.
    pub fn probed(&self, seed: u64) -> Vec<Dependence> {
        let states = self.measure(seed);
        let looks = probe_looks(self.rounds as usize);
        let rules = ProbeRules { margin: 0.01, error: PROBE_ERROR, most: self.rounds as usize };
        let mut all = vec![Dependence::Unknown; self.under.len()];
        for look in looks {
            let until = |values: &ProbeValues| {
                let cut = |of: &BTreeMap<u32, f64>| {
                    of.iter()
                        .filter(|(round, _)| **round as usize <= look)
                        .map(|(round, value)| (*round, *value))
                        .collect()
                };
                ProbeValues { a: cut(&values.a), b: cut(&values.b) }
            };
            let cut: Vec<ProbeValues> = states.iter().map(until).collect();
            let probe = judge_pair(&cut[0], &cut[1..], &rules);
            for (known, now) in all.iter_mut().zip(&probe.effects) {
                if *known == Dependence::Unknown {
                    *known = now.dependence;
                }
            }
        }
        all
    }
}

/// Of that number of probes: how many say *depends*, how many *upheld*.
pub fn said_of(world: &ProbeWorld, probes: u32) -> (usize, usize) {
    let mut said = (0, 0);
    for seed in 0..probes {
        let all = world.probed(seed.into());
        said.0 += usize::from(all.iter().any(|it| it.depends()));
        said.1 += usize::from(all.iter().all(|it| *it == Dependence::Holds));
    }
    said
}
