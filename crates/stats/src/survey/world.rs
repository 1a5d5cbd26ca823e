//! Histories to look through, simulated with a fixed seed; shared with `benches/place.rs`.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::draw::gaussian;

use super::{Candidates, PlaceStatus, Survey, SurveyRules, batch, survey};
use crate::history::{HistoryExecution, RunReading, readings};

/// Rounds of each batch.
const ROUNDS: u32 = 10;

/// One history on one host.
pub struct SurveyWorld {
    pub candidates: usize,
    /// From which candidate on, by how much (logarithm).
    pub steps: Vec<(usize, f64)>,
    /// The standard deviation of a sample.
    pub noise: f64,
    /// That of the host from run to run.
    pub drift: f64,
    /// What cannot be built.
    pub broken: BTreeSet<usize>,
    /// Where something besides the program is known to change.
    pub edges: BTreeSet<usize>,
    rng: ChaCha8Rng,
}

/// What came of looking through one.
#[derive(Debug)]
pub struct SurveyResult {
    pub survey: Survey,
    pub readings: Vec<RunReading>,
    pub unusable: BTreeSet<usize>,
    /// Builds tried.
    pub builds: usize,
    pub samples: usize,
}

impl SurveyWorld {
    /// This many changes of 5 to 50 % at random places, up or down.
    pub fn new(candidates: usize, changes: usize, noise: f64, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut steps: Vec<(usize, f64)> = Vec::new();
        while steps.len() < changes {
            let at = rng.random_range(1..candidates);
            let size = 0.05 * 10.0_f64.powf(rng.random::<f64>());
            let effect = if rng.random::<bool>() { size.ln_1p() } else { -size.ln_1p() };
            if steps.iter().all(|step| step.0.abs_diff(at) > 1) {
                steps.push((at, effect));
            }
        }
        steps.sort_by_key(|step| step.0);
        Self {
            candidates,
            steps,
            noise,
            drift: 0.0,
            broken: BTreeSet::new(),
            edges: BTreeSet::new(),
            rng,
        }
    }

    /// The host is otherwise in each run.
    pub fn drifting(self, drift: f64) -> Self {
        Self { drift, ..self }
    }

    /// These cannot be built.
    pub fn broken(self, broken: impl IntoIterator<Item = usize>) -> Self {
        Self { broken: broken.into_iter().collect(), ..self }
    }

    /// Executes a candidate in a run that is off by this much.
    pub fn sample(&mut self, at: usize, off: f64) -> f64 {
        let steps: f64 = self.steps.iter().filter(|step| step.0 <= at).map(|step| step.1).sum();
        100.0 * (steps + off + self.noise * gaussian(&mut self.rng)).exp()
    }

    /// How far the host is off in the next run.
    pub fn off(&mut self) -> f64 {
        self.drift * gaussian(&mut self.rng)
    }
}

/// Looks through a history until all is known, or this many builds are made.
pub fn explore(world: &mut SurveyWorld, rules: &SurveyRules, most: usize) -> SurveyResult {
    let nothing = SurveyResult {
        survey: Survey::default(),
        readings: Vec::new(),
        unusable: BTreeSet::new(),
        builds: 0,
        samples: 0,
    };
    resume(world, rules, most, nothing)
}

/// Goes on with what is known, until all is, or this many builds are made.
pub fn resume(
    world: &mut SurveyWorld,
    rules: &SurveyRules,
    most: usize,
    mut explored: SurveyResult,
) -> SurveyResult {
    let first = explored.readings.iter().map(|reading| reading.run + 1).max().unwrap_or(0);
    for run in first..first + 200 {
        let (unusable, edges) = (&explored.unusable, &world.edges);
        let candidates = Candidates { unusable, edges };
        explored.survey = survey(candidates, &explored.readings, rules);
        let next = batch(std::slice::from_ref(&explored.survey), most - explored.builds);
        if next.is_empty() {
            return explored;
        }
        explored.builds += next.build.len();
        let off = world.off();
        let mut executions = Vec::new();
        for at in next.build.into_iter().chain(next.again) {
            if world.broken.contains(&at) {
                explored.unusable.insert(at);
                continue;
            }
            for round in 0..ROUNDS {
                let ln = world.sample(at, off).ln();
                executions.push(HistoryExecution { revision: at, layout: 0, round, ln });
            }
        }
        explored.samples += executions.len();
        explored.readings.extend(readings(run, &executions));
    }
    panic!("no end: {:?}", explored.survey)
}

/// How many of the changes are pinned, and how many places are pinned where nothing changed.
pub fn score(world: &SurveyWorld, survey: &Survey) -> (usize, usize) {
    let is_true = |place: &&super::ChangePlace| {
        world.steps.iter().any(|step| place.good < step.0 && step.0 <= place.bad)
    };
    let pinned = survey
        .places
        .iter()
        .filter(|place| place.known == PlaceStatus::Pinned && place.is_reported);
    let right = pinned.clone().filter(is_true).count();
    (right, pinned.count() - right)
}
