//! Hosts whose speed moves, simulated from a seed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::InterleavedExecution;
use crate::draw::gaussian;

/// How the host's speed moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Movement {
    Steady,
    /// Two speeds this far apart, in spells of so many executions on average, the slow one for this
    /// share of time.
    Spells {
        apart: f64,
        length: f64,
        share: f64,
    },
    /// Three speeds, each this far from the next.
    ThreeSpeeds {
        apart: f64,
        length: f64,
    },
    /// A random walk of this much an execution.
    Drift(f64),
    /// This share of executions takes up to half as long again.
    Spikes(f64),
    /// Each so many executions one is slower by this.
    Periodic {
        period: usize,
        by: f64,
    },
    /// Each execution is on one of two processors, one slower by this; the scheduler changes
    /// seldom.
    Processors(f64),
}

pub(crate) const MOVEMENTS: [Movement; 11] = [
    Movement::Steady,
    Movement::Spells { apart: 0.69, length: 100.0, share: 0.3 },
    Movement::Spells { apart: 0.2, length: 1.0, share: 0.5 },
    Movement::Spells { apart: 0.56, length: 3.0, share: 0.5 },
    Movement::Spells { apart: 0.56, length: 30.0, share: 0.5 },
    Movement::Spells { apart: 0.05, length: 300.0, share: 0.2 },
    Movement::ThreeSpeeds { apart: 0.2, length: 20.0 },
    Movement::Drift(0.01),
    Movement::Spikes(0.03),
    Movement::Periodic { period: 7, by: 0.3 },
    Movement::Processors(0.1),
];

/// A host that executes programs.
pub(crate) struct SimulatedHost {
    rng: ChaCha8Rng,
    movement: Movement,
    path: f64,
    executed: usize,
    /// The standard deviation of one execution's noise.
    pub noise: f64,
    /// How much of the host's path each program takes; all of it where none is named.
    pub responses: Vec<f64>,
    /// By how much the slow mode of each program is slower, and how often it is drawn; no modes
    /// where none is named.
    pub modes: Vec<(f64, f64)>,
}

impl SimulatedHost {
    pub fn new(movement: Movement, seed: u64) -> Self {
        let mut host = Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            movement,
            path: 0.0,
            executed: 0,
            noise: 0.01,
            responses: Vec::new(),
            modes: Vec::new(),
        };
        if let Movement::Spells { apart, share, .. } = movement {
            host.path = if host.uniform() < share { apart } else { 0.0 };
        }
        host
    }

    pub fn uniform(&mut self) -> f64 {
        self.rng.random()
    }

    pub fn gaussian(&mut self) -> f64 {
        gaussian(&mut self.rng)
    }

    /// The logarithm of what a program of this level, which takes this much of the path, takes now.
    fn execute(&mut self, level: f64, response: f64, mode: Option<(f64, f64)>) -> f64 {
        self.executed += 1;
        let mut extra = 0.0;
        match self.movement {
            Movement::Steady => {}
            Movement::Spells { apart, length, share } => {
                let stay = if self.path > 0.0 { 2.0 * share } else { 2.0 - 2.0 * share };
                if self.uniform() < 1.0 / (length * stay) {
                    self.path = if self.path > 0.0 { 0.0 } else { apart };
                }
            }
            Movement::ThreeSpeeds { apart, length } => {
                if self.uniform() < 1.0 / length {
                    self.path = apart * (3.0 * self.uniform()).floor();
                }
            }
            Movement::Drift(step) => self.path += step * self.gaussian(),
            Movement::Spikes(share) => {
                if self.uniform() < share {
                    extra = 0.5 * self.uniform();
                }
            }
            Movement::Periodic { period, by } => {
                if self.executed.is_multiple_of(period) {
                    extra = by;
                }
            }
            Movement::Processors(apart) => {
                if self.uniform() < 0.1 {
                    self.path = if self.uniform() < 0.5 { 0.0 } else { apart };
                }
            }
        }
        if let Some((by, share)) = mode
            && self.uniform() < share
        {
            extra += by;
        }
        level + response * self.path + extra + self.noise * self.gaussian()
    }

    /// So many rounds of programs of these levels, each round in an order of its own.
    pub fn rounds(&mut self, levels: &[f64], rounds: u32) -> Vec<InterleavedExecution> {
        let mut all = Vec::new();
        for round in 0..rounds {
            let mut order: Vec<usize> = (0..levels.len()).collect();
            for last in (1..order.len()).rev() {
                order.swap(last, self.rng.random_range(0..=last));
            }
            for program in order {
                let response = self.responses.get(program).copied().unwrap_or(1.0);
                let mode = self.modes.get(program).copied();
                let value = self.execute(levels[program], response, mode);
                all.push(InterleavedExecution { program, round, value });
            }
        }
        all
    }
}
