//! Simulated labs in which it is known whose each change is; shared with `benches/`.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::draw::gaussian;

/// How often a program of the reference is executed in each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceUse {
    /// No reference.
    Off,
    /// Once in four runs each, on average: a short run in cheap mode.
    Cheap,
    /// Ten times.
    Full,
}

/// A lab: series on hosts, one revision each night. Sizes are logarithms.
#[derive(Clone, Copy, Debug)]
pub struct LabWorld {
    pub hosts: usize,
    pub series: usize,
    pub nights: usize,
    /// The noise of a value.
    pub noise: f64,
    /// What all of one host has in common in one night.
    pub run: f64,
    /// The middle size of what the machine's step does to a series; 0 without a step.
    pub machine: f64,
    /// How many programs change, each at a night of its own …
    pub changes: usize,
    /// … and how many in the night in which the machine does.
    pub same_night: usize,
    pub beside: ReferenceUse,
}

/// A step planted at a place of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantedStep {
    pub host: usize,
    pub series: usize,
    pub night: usize,
    pub machine: f64,
    pub program: f64,
}

/// A lab that was drawn.
#[derive(Debug)]
pub struct DrawnLab {
    /// Logarithms by host, series and night.
    pub values: Vec<Vec<Vec<f64>>>,
    /// Host, program, night, logarithm and variance.
    pub reference: Vec<(usize, u32, usize, f64, f64)>,
    pub planted: Vec<PlantedStep>,
}

/// The noise of one execution of a fixed program.
const OF_REFERENCE: f64 = 0.015;
const PROGRAMS: u32 = 6;

impl LabWorld {
    pub fn draw(&self, seed: u64) -> DrawnLab {
        let mut draw = LabChance(ChaCha8Rng::seed_from_u64(seed));
        let night = self.nights / 4 + (draw.even() * self.nights as f64 / 2.0) as usize;
        let sign = if draw.even() < 0.5 { -1.0 } else { 1.0 };
        let planted = self.plant(&mut draw, (night, sign));
        let mut values = vec![vec![vec![0.0; self.nights]; self.series]; self.hosts];
        for one in &planted {
            for value in &mut values[one.host][one.series][one.night..] {
                *value += one.machine + one.program;
            }
        }
        let mut reference = Vec::new();
        for (host, of_host) in values.iter_mut().enumerate() {
            let nights: Vec<f64> = (0..self.nights).map(|_| self.run * draw.normal()).collect();
            for series in of_host {
                let response = 0.5 + draw.even();
                for (value, night) in series.iter_mut().zip(&nights) {
                    *value += response * night + self.noise * draw.normal();
                }
            }
            let step = (night, if host == 0 { sign } else { 0.0 });
            self.execute(&mut draw, host, &nights, step, &mut reference);
        }
        DrawnLab { values, reference, planted }
    }

    /// The machine's step on the first host, and the programs' on all.
    fn plant(&self, draw: &mut LabChance, (night, slower): (usize, f64)) -> Vec<PlantedStep> {
        let mut all = Vec::new();
        for series in 0..self.series {
            if self.machine > 0.0 {
                let machine = slower * self.unequal(draw);
                all.push(PlantedStep { host: 0, series, night, machine, program: 0.0 });
            }
        }
        for change in 0..self.changes + self.same_night {
            let series = change % self.series;
            let own = 20 + (draw.even() * (self.nights - 40) as f64) as usize;
            let night = if change < self.same_night { night } else { own };
            let sign = if draw.even() < 0.5 { -1.0 } else { 1.0 };
            let size = sign * (0.05_f64.ln() + draw.even() * 4.0_f64.ln()).exp();
            for host in 0..self.hosts {
                let program = size * (0.8 + 0.4 * draw.even());
                let is_there = |one: &&mut PlantedStep| {
                    (one.host, one.series, one.night) == (host, series, night)
                };
                match all.iter_mut().find(is_there) {
                    Some(one) => one.program += program,
                    None => all.push(PlantedStep { host, series, night, machine: 0.0, program }),
                }
            }
        }
        all
    }

    /// Of the machine's step, from a third to three times the middle size for most.
    fn unequal(&self, draw: &mut LabChance) -> f64 {
        self.machine * (0.55 * draw.normal()).exp()
    }

    fn execute(
        &self,
        draw: &mut LabChance,
        host: usize,
        nights: &[f64],
        (step, slower): (usize, f64),
        all: &mut Vec<(usize, u32, usize, f64, f64)>,
    ) {
        for program in 0..PROGRAMS {
            let response = 0.5 + draw.even();
            let moved = slower * self.unequal(draw);
            for (night, effect) in nights.iter().enumerate() {
                let count = match self.beside {
                    ReferenceUse::Off => 0.0,
                    ReferenceUse::Cheap => f64::from(u8::from(draw.even() < 0.25)),
                    ReferenceUse::Full => 10.0,
                };
                if count > 0.0 {
                    let error = OF_REFERENCE / count.sqrt();
                    let level = if night >= step { moved } else { 0.0 };
                    let ln = level + response * effect + error * draw.normal();
                    all.push((host, program, night, ln, error * error));
                }
            }
        }
    }
}

/// Numbers by chance.
struct LabChance(ChaCha8Rng);

impl LabChance {
    fn even(&mut self) -> f64 {
        self.0.random()
    }

    fn normal(&mut self) -> f64 {
        gaussian(&mut self.0)
    }
}
