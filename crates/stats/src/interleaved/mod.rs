//! The differences of programs that were executed in turns, on a host whose speed moves.
//!
//! An idle virtual machine, a processor that boosts and a busy neighbour have one thing in common:
//! the host runs all programs at one speed for a while, and then at another. Executions next to
//! each other in time share that speed. So the estimate uses differences between neighbours:
//!
//! `ln value = program + path of the host + noise`
//!
//! The model makes no assumption about the path. [`Fit`] weighs the differences of neighbours by
//! how far out they are, so that a pair across a jump of the path counts for little. Where ranks
//! show no movement of the host, it fits each program on its own instead, which loses nothing on a
//! steady host. [`Contrast`] tests and bounds a difference of two programs by the random order
//! within rounds, which needs no model of the path at all.
//!
//! Shapes and units: values are natural logarithms, effects are differences of them, executions are
//! in order of time.

mod contrast;
mod fit;
mod flat;
mod movement;
mod neighbours;
mod path;
mod permutation;
mod polish;
mod shared;
mod solve;

pub use contrast::Contrast;
pub use fit::{Fit, InterleavedExecution};
pub use movement::MovementQuestion;
pub use path::{Spell, spells};

use crate::distribution::student_quantile;
use crate::summary::{median, median_interval};
use fit::{EXACT, rest, spread};

/// Few executions of fewer programs can agree by chance on a host that changes its speed with each
/// of them: levels then seem to be known much better than they are.
const FEWEST_PROGRAMS: usize = 4;
/// Fewer executions do not show how well a level is known.
const FEWEST_EXECUTIONS: usize = 6;
/// Where the interval of the median of corrected values is this many times as wide as that of the
/// level, for half of the programs, what the host did was not corrected. By simulation that is so
/// in 1 of 100 runs where the correction works, and in 9 of 10 where time slices delay executions.
const UNCORRECTED: f64 = 2.5;

/// Values at the host's usual speed, as logarithms.
#[derive(Clone, Debug, PartialEq)]
pub struct UsualSpeedValues {
    /// One of each execution.
    pub values: Vec<f64>,
    /// Of each program how far the 95 % interval of its level reaches to either side, beside the
    /// usual speed that all have in common: Student's t times the [standard
    /// error](Fit::variances). `None` where the values were not corrected, and where programs or
    /// executions are too few.
    pub reaches: Vec<Option<f64>>,
}

impl Fit {
    /// Fits executions of programs `0..programs`, in order of time. `None` where a program has no
    /// execution or a value is not finite.
    #[must_use]
    pub fn of(executions: &[InterleavedExecution], programs: usize) -> Option<Self> {
        let mut counts = vec![0_usize; programs];
        for execution in executions {
            if !execution.value.is_finite() {
                return None;
            }
            *counts.get_mut(execution.program)? += 1;
        }
        if programs == 0 || counts.contains(&0) {
            return None;
        }
        let start = polish::effects(executions, programs);
        if is_exact(&rest(executions, &start)) {
            return Some(flat::fit(executions, &counts, &start));
        }
        let movement = movement(executions, &start, programs);
        let fit = if MovementQuestion::Once.is_met(movement) {
            neighbours::fit(executions, &counts, &start)
        } else {
            flat::fit(executions, &counts, &start)
        };
        Some(Self { movement, ..fit })
    }

    /// Fits each program on its own, as on a host whose speed does not move.
    #[must_use]
    pub(crate) fn of_steady(executions: &[InterleavedExecution], programs: usize) -> Self {
        let mut counts = vec![0_usize; programs];
        for execution in executions {
            counts[execution.program] += 1;
        }
        flat::fit(executions, &counts, &polish::effects(executions, programs))
    }

    /// Whether the host's speed moves: neighbours in time are more alike than by chance. Only then
    /// can single values be corrected; on a host that changes from one execution to the next they
    /// cannot.
    #[must_use]
    pub fn host_moves(&self, asked: MovementQuestion) -> bool {
        asked.is_met(self.movement)
    }

    /// How much longer executions take at the host's slow speed than at its fast one, as a share:
    /// its path's 90th percentile by the 10th.
    #[must_use]
    pub fn uneven(&self) -> f64 {
        spread(&path::smooth(&self.rest)).exp_m1()
    }

    /// How many times as many executions would be as sharp with the host's path in them: the
    /// variance of path and noise by that of the noise. 1 where nothing shows that the speed moves.
    #[must_use]
    pub fn gain(&self) -> f64 {
        if !self.by_neighbours {
            return 1.0;
        }
        let noise = spread(&neighbours::without_path(&self.rest));
        if noise > 0.0 { (spread(&self.rest) / noise).powi(2).max(1.0) } else { f64::INFINITY }
    }

    /// The host's path: how much slower than usual it was at each execution, as a logarithm,
    /// without the noise of single executions.
    #[must_use]
    pub fn path(&self) -> Vec<f64> {
        path::smooth(&self.rest).into_iter().map(|level| level - self.usual).collect()
    }

    /// Each execution's value as it would have been at the host's usual speed: its program's level
    /// with what its noise adds. Unchanged where nothing shows that the speed moves.
    #[must_use]
    pub fn evened(&self, executions: &[InterleavedExecution]) -> Vec<f64> {
        if !self.by_neighbours {
            return executions.iter().map(|execution| execution.value).collect();
        }
        let levels = self.levels();
        let noise = neighbours::without_path(&self.rest);
        executions
            .iter()
            .zip(noise)
            .map(|(execution, noise)| levels[execution.program] + noise)
            .collect()
    }

    /// The same, each program's values moved together so that their median is its level: the fit
    /// knows the level more sharply than the median of single values does. Unchanged of programs
    /// that do not share the path.
    ///
    /// `None` where nothing shows that the speed moves, and where corrected values still scatter
    /// much more than levels are said to: then the host slowed single executions, or values come in
    /// steps, and the path is not what happened.
    #[must_use]
    pub fn at_usual_speed(&self, executions: &[InterleavedExecution]) -> Option<UsualSpeedValues> {
        if !self.by_neighbours {
            return None;
        }
        let programs = self.effects.len();
        let raw: Vec<f64> = executions.iter().map(|execution| execution.value).collect();
        // If the path is not known precisely enough, uncorrected values are more precise.
        let evened = if self.gain() > 1.0 { self.evened(executions) } else { raw.clone() };
        let mut found = UsualSpeedValues { values: raw, reaches: vec![None; programs] };
        let share = neighbours::share_path(self, executions);
        let (levels, variances) = (self.levels(), self.variances());
        let mut of_programs = vec![Vec::new(); programs];
        for (at, execution) in executions.iter().enumerate() {
            of_programs[execution.program].push(at);
        }
        let mut scatters = Vec::new();
        for (program, own) in of_programs.into_iter().enumerate().filter(|(one, _)| share[*one]) {
            let all: Vec<f64> = own.iter().map(|&at| evened[at]).collect();
            let off = median(&all).map_or(0.0, |median| levels[program] - median);
            for &at in &own {
                found.values[at] = evened[at] + off;
            }
            if programs >= FEWEST_PROGRAMS && own.len() >= FEWEST_EXECUTIONS {
                let student = student_quantile(0.975, own.len() as f64 - 1.0);
                let reach = student * variances[program].sqrt();
                scatters.push(reach_of(all) / reach);
                found.reaches[program] = Some(reach);
            }
        }
        median(&scatters).is_none_or(|scatter| scatter < UNCORRECTED).then_some(found)
    }

    /// The level of each program at the host's usual speed, as a logarithm: its effect above the
    /// middle of the path.
    #[must_use]
    pub fn levels(&self) -> Vec<f64> {
        self.effects.iter().map(|effect| self.usual + effect).collect()
    }
}

/// How far the 95 % interval of the median of these values reaches, on average of both sides.
fn reach_of(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    median_interval(&values, 0.95).map_or(0.0, |(low, high)| (high - low) / 2.0)
}

/// Whether there is no variation besides the programs.
fn is_exact(rest: &[f64]) -> bool {
    rest.iter().all(|value| (value - rest[0]).abs() < EXACT)
}

/// How clearly what is left beside the programs moves in time. Asked once with the fit's starting
/// effects and once with the programs' medians: either may hide a movement.
fn movement(executions: &[InterleavedExecution], start: &[f64], programs: usize) -> f64 {
    let by = |effects: &[f64]| movement::score(&rest(executions, effects));
    by(start).max(by(&polish::medians(executions, programs)))
}

#[cfg(test)]
pub(crate) mod simulated;
#[cfg(test)]
mod tests;
