//! Histories to bisect, simulated with a fixed seed; shared with `benches/bisect.rs`.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::draw::gaussian;

use super::{
    BisectionRules, Bisector, BisectorOutcome, NextStep, Observation, ObservedValues, Portion,
    UnusableReason,
};

/// How values scatter, in the order of executions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorldScatter {
    /// Not at all.
    None,
    /// Gaussian, with this standard deviation.
    Gaussian(f64),
    /// Skewed to the right.
    Lognormal,
    /// One per cent, and one of ten takes 60 % longer.
    Bimodal,
    /// One per cent, on a level that wanders and comes back, with this standard deviation.
    Drifting(f64),
    /// One per cent, on a host of two speeds this far apart, each kept for this many samples on
    /// average.
    TwoSpeeds(f64, f64),
    /// A command that fails (1) or passes (0), with these rates before and after the step.
    Failing(f64, f64),
}

/// One history on one host.
pub struct BisectWorld {
    pub candidates: usize,
    /// From which revision on, by how much (logarithm).
    pub steps: Vec<(usize, f64)>,
    pub scatter: WorldScatter,
    /// Which cannot be built.
    pub broken: Vec<bool>,
    /// What each build adds by its layout.
    pub layout: Vec<f64>,
    pub build_cost: f64,
    /// From which sample on the host is slower, and by how much.
    pub slower: Option<(usize, f64)>,
    pub built: Vec<bool>,
    pub samples: usize,
    /// This many samples a level that wanders takes to come back.
    pub drift_lasts: f64,
    drift: f64,
    rng: ChaCha8Rng,
}

impl BisectWorld {
    /// One step somewhere.
    pub fn new(candidates: usize, step: f64, scatter: WorldScatter, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let at = rng.random_range(1..candidates);
        let drift =
            if let WorldScatter::Drifting(sd) = scatter { sd * gaussian(&mut rng) } else { 0.0 };
        Self {
            candidates,
            steps: vec![(at, (1.0 + step).ln())],
            scatter,
            broken: vec![false; candidates],
            layout: vec![0.0; candidates],
            build_cost: 10.0,
            slower: None,
            built: vec![false; candidates],
            samples: 0,
            drift_lasts: 50.0,
            drift,
            rng,
        }
    }

    /// This share cannot be built, in rows of five on average; the ends can.
    pub fn with_broken(mut self, share: f64) -> Self {
        let mut broken = self.rng.random::<f64>() < share;
        for at in 1..self.candidates - 1 {
            let change = if broken { 0.2 } else { 0.2 * share / (1.0 - share) };
            broken ^= self.rng.random::<f64>() < change;
            self.broken[at] = broken;
        }
        self
    }

    /// Each build is otherwise by chance, with this standard deviation.
    pub fn with_layout(mut self, sd: f64) -> Self {
        for at in 0..self.candidates {
            self.layout[at] = sd * gaussian(&mut self.rng);
        }
        self
    }

    /// A second step elsewhere.
    pub fn with_step(mut self, step: f64) -> Self {
        let first = self.steps[0].0;
        let mut at = first;
        while at.abs_diff(first) < 2 {
            at = self.rng.random_range(1..self.candidates);
        }
        self.steps.push((at, (1.0 + step).ln()));
        self
    }

    /// The revision that a bisection can at best name for this one.
    pub fn first_usable(&self, at: usize) -> usize {
        (at..self.candidates).find(|at| !self.broken[*at]).unwrap_or(at)
    }

    /// Builds a revision where it was not; false where it cannot be.
    pub fn build(&mut self, revision: usize) -> bool {
        if !self.built[revision] {
            self.built[revision] = true;
            (0..5).for_each(|_| self.wander());
        }
        !self.broken[revision]
    }

    pub fn builds(&self) -> usize {
        self.built.iter().filter(|built| **built).count()
    }

    /// One sample takes 1, a build what it costs.
    pub fn cost(&self) -> f64 {
        self.samples as f64 + self.build_cost * self.builds() as f64
    }

    fn wander(&mut self) {
        if let WorldScatter::TwoSpeeds(apart, lasts) = self.scatter
            && self.rng.random::<f64>() < 1.0 / lasts
        {
            self.drift = if self.drift > 0.0 { 0.0 } else { apart };
        }
        if let WorldScatter::Drifting(sd) = self.scatter {
            let keeps = (-1.0 / self.drift_lasts).exp();
            self.drift =
                keeps * self.drift + sd * (1.0 - keeps * keeps).sqrt() * gaussian(&mut self.rng);
        }
    }

    /// What one execution takes.
    pub fn sample(&mut self, revision: usize) -> f64 {
        self.samples += 1;
        self.wander();
        if let WorldScatter::Failing(before, after) = self.scatter {
            let changed = self.steps.iter().any(|step| step.1 != 0.0 && step.0 <= revision);
            let rate = if changed { after } else { before };
            return f64::from(u8::from(self.rng.random::<f64>() < rate));
        }
        let z = gaussian(&mut self.rng);
        let noise = match self.scatter {
            WorldScatter::None | WorldScatter::Failing(..) => 0.0,
            WorldScatter::Gaussian(sd) => sd * z,
            WorldScatter::Lognormal => (1.0 + 0.03 * (z.exp() - 1.0)).ln(),
            WorldScatter::Bimodal => {
                0.01 * z + if self.rng.random::<f64>() < 0.1 { 1.6f64.ln() } else { 0.0 }
            }
            WorldScatter::Drifting(_) | WorldScatter::TwoSpeeds(..) => 0.01 * z + self.drift,
        };
        let steps: f64 =
            self.steps.iter().filter(|step| step.0 <= revision).map(|step| step.1).sum();
        let slower = self.slower.map_or(0.0, |(at, by)| if self.samples > at { by } else { 0.0 });
        100.0 * (noise + steps + slower + self.layout[revision]).exp()
    }
}

/// Bisects a simulated history.
pub fn bisect(world: &mut BisectWorld, rules: BisectionRules) -> BisectorOutcome {
    go_on(Bisector::new(rules, world.candidates).unwrap(), world)
}

/// Goes on with a bisection until it is over.
pub fn go_on(mut bisection: Bisector, world: &mut BisectWorld) -> BisectorOutcome {
    loop {
        let portions = match bisection.next() {
            NextStep::Finished(outcome) => return *outcome,
            NextStep::Measure(portions) => portions,
        };
        for portion in portions {
            let observation = observe(world, portion);
            let unusable = matches!(observation.seen, ObservedValues::Unusable(_));
            bisection.observe(&observation);
            if unusable {
                break;
            }
        }
        assert!(world.samples < 50_000, "no end: {:?}", world.steps);
    }
}

/// What is seen of a portion.
pub fn observe(world: &mut BisectWorld, portion: Portion) -> Observation {
    let new = !world.built[portion.revision];
    let usable = world.build(portion.revision);
    let samples = (0..portion.samples).map(|_| world.sample(portion.revision));
    Observation {
        revision: portion.revision,
        seen: if usable {
            ObservedValues::Samples(samples.collect())
        } else {
            ObservedValues::Unusable(UnusableReason::NotBuilt)
        },
        build: new.then_some(world.build_cost),
        executing: if usable { portion.samples as f64 } else { 0.0 },
    }
}
