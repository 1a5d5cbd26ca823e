//! Simulated histories whose changes are known, for tests and the bench.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::draw::gaussian;

/// One execution: run, revision, layout, round, logarithm of the sample.
pub type SimulatedSample = (u32, usize, u32, u32, f64);

/// How a history is made. Sizes are standard deviations of logarithms.
#[derive(Clone, Copy, Debug)]
pub struct World {
    pub revisions: usize,
    pub rounds: u32,
    /// How likely a change is at a revision; a third of the changes come back after one to four
    /// revisions.
    pub rate: f64,
    pub noise: f64,
    /// What rounds have in common.
    pub shared: f64,
    /// Luck of builds, with the tails of Student's t of 4 degrees of freedom.
    pub luck: f64,
    /// The share of builds that are 5 % slower.
    pub odd: f64,
    /// What the level drifts by, a revision,
    pub drift: f64,
    /// and what it wanders by.
    pub walk: f64,
    /// How many new revisions a run has; none: all.
    pub nightly: Option<usize>,
    /// The effects of runs.
    pub run: f64,
    /// Each run measures the newest old revision again.
    pub linked: bool,
    /// The share of executions that are slower by 8 standard deviations, in one round of each run.
    pub disturbed: f64,
    /// The share of executions in another mode, 12 standard deviations slower.
    pub slow_mode: f64,
}

impl World {
    /// One run of this many revisions, without any change, drift or luck.
    pub fn still(revisions: usize) -> Self {
        Self {
            revisions,
            rounds: 10,
            rate: 0.0,
            noise: 0.01,
            shared: 0.01,
            luck: 0.0,
            odd: 0.0,
            drift: 0.0,
            walk: 0.0,
            nightly: None,
            run: 0.0,
            linked: true,
            disturbed: 0.0,
            slow_mode: 0.0,
        }
    }

    /// A history as they come: length, noise and luck are drawn.
    pub fn drawn(seed: u64, rate: f64) -> Self {
        let mut draw = Draw::new(seed ^ 0x5eed);
        let even = |draw: &mut Draw, least: f64, most: f64| {
            (least.ln() + draw.even() * (most / least).ln()).exp()
        };
        Self {
            revisions: even(&mut draw, 5.0, 41.0) as usize,
            rounds: 5 + (draw.even() * 7.0) as u32,
            rate,
            noise: even(&mut draw, 0.003, 0.03),
            shared: [0.0, 0.01, 0.05][(draw.even() * 3.0) as usize],
            luck: [0.0, 0.003, 0.01, 0.03][(draw.even() * 4.0) as usize],
            ..Self::still(0)
        }
    }

    /// Draws one: its executions in the order of time, and its changes with their sizes.
    pub fn history(&self, seed: u64) -> (Vec<SimulatedSample>, Vec<(usize, f64)>) {
        let mut draw = Draw::new(seed);
        let (levels, changes) = self.levels(&mut draw);
        let builds: Vec<f64> = levels.iter().map(|level| level + self.build(&mut draw)).collect();
        let mut all = Vec::new();
        let nightly = self.nightly.unwrap_or(self.revisions).max(1);
        for (run, first) in (0..self.revisions).step_by(nightly).enumerate() {
            let from = if self.linked { first.saturating_sub(1) } else { first };
            let effect = self.run * draw.normal();
            let hit = (draw.even() * f64::from(self.rounds)) as u32;
            for round in 0..self.rounds {
                let shared = self.shared * draw.normal();
                for (revision, build) in builds.iter().enumerate().take(first + nightly).skip(from)
                {
                    let slow = round == hit && draw.even() < self.disturbed;
                    let slow = if slow { 8.0 * self.noise } else { 0.0 };
                    let mode = if self.slow_mode > 0.0 && draw.even() < self.slow_mode {
                        12.0 * self.noise
                    } else {
                        0.0
                    };
                    let ln = build + effect + shared + slow + mode + self.noise * draw.normal();
                    all.push((run as u32, revision, 0, round, ln));
                }
            }
        }
        (all, changes)
    }

    fn levels(&self, draw: &mut Draw) -> (Vec<f64>, Vec<(usize, f64)>) {
        let (mut level, mut wander, mut back) = (0.0_f64, 0.0, None::<(usize, f64)>);
        let (mut levels, mut changes) = (Vec::new(), Vec::new());
        for revision in 0..self.revisions {
            if let Some((_, size)) = back.filter(|(when, _)| *when == revision) {
                level -= size;
                changes.push((revision, -size));
                back = None;
            } else if revision > 0 && draw.even() < self.rate {
                let sign = if draw.even() < 0.5 { -1.0 } else { 1.0 };
                let size = sign * (0.01_f64.ln() + draw.even() * 70.0_f64.ln()).exp();
                level += size;
                changes.push((revision, size));
                let stays = 1 + (draw.even() * 4.0) as usize;
                back = (draw.even() < 0.33).then_some((revision + stays, size));
            }
            wander += self.drift + self.walk * draw.normal();
            levels.push(level + wander);
        }
        (levels, changes)
    }

    fn build(&self, draw: &mut Draw) -> f64 {
        let chi: f64 = (0..4).map(|_| draw.normal().powi(2)).sum();
        let odd = if draw.even() < self.odd { 0.05 } else { 0.0 };
        self.luck * draw.normal() / (chi / 4.0).sqrt() / 2.0_f64.sqrt() + odd
    }
}

/// Numbers by chance.
struct Draw(ChaCha8Rng);

impl Draw {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn even(&mut self) -> f64 {
        self.0.random()
    }

    fn normal(&mut self) -> f64 {
        gaussian(&mut self.0)
    }
}
