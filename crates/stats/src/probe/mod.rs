//! Whether a difference of two programs depends on the state of the machine.
//!
//! Both programs are executed in rounds: next to each other as usual, and next to each other under
//! each of several disturbances. Executions that are neighbours in time share the host's speed, so
//! each round gives one difference of the two for each state, and one difference of differences for
//! each disturbance. The rounds are combined in a trimmed mean with Student's interval, which a few
//! extreme rounds do not move.
//!
//! The question for a disturbance is one number, `kept`: the difference under it less half of the
//! usual one. Above 0 the difference holds; below 0 more than half of it is gone. Both have an
//! error of at most [`ProbeRules::error`]: *depends* over all disturbances and looks together,
//! *holds* over all looks, since a difference is upheld only where each disturbance upholds it.
//!
//! Shapes and units: values are in the metric's unit, by round; results are ratios of B to A.

mod judge;
#[cfg(test)]
mod simulations;
mod trimmed;
#[cfg(test)]
mod world;

pub use judge::{judge_levels, judge_pair};

use std::collections::BTreeMap;

/// The values in one state of the machine: the value of each program by the round.
#[derive(Clone, Debug, Default)]
pub struct ProbeValues {
    /// The values of A.
    pub a: BTreeMap<u32, f64>,
    /// The values of B; empty if A is alone.
    pub b: BTreeMap<u32, f64>,
}

/// The rules by which a probe is judged.
#[derive(Clone, Copy, Debug)]
pub struct ProbeRules {
    /// Up to which difference two are the same, as a share.
    pub margin: f64,
    /// The error of a whole probe, on either side.
    pub error: f64,
    /// Rounds at the most: how often samples are [looked at](probe_looks) follows from them.
    pub most: usize,
}

/// The error of a probe where nothing else is said.
pub const PROBE_ERROR: f64 = 0.01;

/// The error of the intervals that are shown, all disturbances together.
pub const SHOWN_ERROR: f64 = 0.05;

/// The share of the error that the last look has; the others divide the rest.
const LAST_LOOK: f64 = 0.7;

/// How much of the usual difference must be left under a disturbance.
pub const KEPT: f64 = 0.5;

/// A ratio with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioBounds {
    /// The estimate.
    pub ratio: f64,
    /// Its interval, 95 % for all disturbances together.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The difference of two programs in the usual state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsualDifference {
    /// They differ, by more than the margin may be.
    Differs,
    /// They differ by less than the margin.
    Same,
    /// Neither is known.
    Unknown,
}

/// The fate of a difference under a disturbance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// The difference appears only under the disturbance.
    Appears,
    /// The difference disappears.
    Gone,
    /// The difference persists.
    Holds,
    /// There is no difference, with or without the disturbance.
    NoneEither,
    /// Less than half of it is left.
    Smaller,
    /// The difference is reversed.
    Turned,
    /// Noise hides it.
    Unknown,
}

impl Dependence {
    /// Whether the difference depends on the disturbance.
    #[must_use]
    pub fn depends(self) -> bool {
        matches!(self, Self::Appears | Self::Gone | Self::Smaller | Self::Turned)
    }
}

/// The effect of a disturbance.
#[derive(Clone, Debug, PartialEq)]
pub struct DisturbanceEffect {
    /// B by A under it.
    pub ratio: Option<RatioBounds>,
    /// That ratio divided by the usual one.
    pub change: Option<RatioBounds>,
    /// The level of each program divided by its usual one.
    pub levels: [Option<RatioBounds>; 2],
    /// The fate of the difference.
    pub dependence: Dependence,
    /// Rounds that have all that was compared.
    pub rounds: usize,
}

/// The result of a probe of two programs.
#[derive(Clone, Debug, PartialEq)]
pub struct PairProbe {
    /// B by A in the usual state.
    pub usual: Option<RatioBounds>,
    /// The meaning of the usual difference.
    pub difference: UsualDifference,
    /// One for each disturbance.
    pub effects: Vec<DisturbanceEffect>,
}

/// The effect of a disturbance on the level of one program.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelEffect {
    /// The level by the usual one.
    pub level: Option<RatioBounds>,
    /// Whether the ratio differs from 1 by more than the margin (`Some(true)`) or by less
    /// (`Some(false)`); `None` if unknown.
    pub differs: Option<bool>,
    /// Rounds that have both.
    pub rounds: usize,
}

impl ProbeRules {
    /// The error of a look after that number of rounds.
    fn error_after(&self, rounds: usize) -> f64 {
        match probe_looks(self.most).len() {
            1 => self.error,
            _ if rounds >= self.most => LAST_LOOK * self.error,
            looks => (1.0 - LAST_LOOK) * self.error / (looks - 1) as f64,
        }
    }
}

/// After which rounds samples are looked at, of that number at the most.
#[must_use]
pub fn probe_looks(most: usize) -> Vec<usize> {
    const FIRST: usize = 6;
    let mut looks = Vec::new();
    let mut next = FIRST;
    while 5 * next < 4 * most {
        looks.push(next);
        next += (next / 2).max(1);
    }
    looks.push(most);
    looks
}
