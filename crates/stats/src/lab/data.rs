//! The data of a lab, and the causes of its changes.

use std::ops::RangeInclusive;

/// The series and the reference of all hosts.
#[derive(Clone, Debug, Default)]
pub struct LabNumbers {
    /// All series.
    pub series: Vec<LabSeries>,
    /// The levels of fixed programs, by host.
    pub references: Vec<Vec<ReferenceLevel>>,
}

/// A series on one host, with the changes that were found in it.
#[derive(Clone, Debug)]
pub struct LabSeries {
    /// The host: an index of [`LabNumbers::references`], if it has any.
    pub host: usize,
    /// The benchmark; the same on all hosts.
    pub benchmark: usize,
    /// The metric; the same on all hosts.
    pub metric: usize,
    /// The response of the values to a slower machine.
    pub response: SlowResponse,
    /// Its values, in order of place.
    pub values: Vec<LabValue>,
    /// The changes of its level, in order.
    pub changes: Vec<LabChange>,
}

/// The response of a metric's values to a slower machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowResponse {
    /// They rise, as times do.
    Rise,
    /// They fall, as rates do.
    Fall,
    /// The values stay the same, as sizes and counts.
    Stay,
}

/// One value of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct LabValue {
    /// The place of the revision in history; the same on all hosts.
    pub place: usize,
    /// The runs that measured it; numbers that rise with time.
    pub runs: Vec<u32>,
    /// Its natural logarithm.
    pub ln: f64,
}

/// A change of the level of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct LabChange {
    /// The first place at the new level.
    pub place: usize,
    /// The places that may as well be the first.
    pub range: RangeInclusive<usize>,
    /// The natural logarithm of the level after by that before.
    pub effect: f64,
    /// The standard error of that.
    pub error: f64,
}

/// The level of one fixed program in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceLevel {
    /// The program.
    pub program: u32,
    /// The run.
    pub run: u32,
    /// The natural logarithm of its level.
    pub ln: f64,
    /// The variance of that by the noise of its samples.
    pub variance: f64,
}

/// The cause of a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LabCause {
    /// The program's, as far as is known.
    Program,
    /// The machine's.
    Machine(MachineEvidence),
}

/// Why a change is the machine's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MachineEvidence {
    /// How the reference moved with it, if it did.
    pub reference: Option<ReferenceMove>,
    /// How many benchmarks of the host changed there,
    pub changed: usize,
    /// of how many that were measured on both sides.
    pub measured: usize,
    /// How many series changed there on this host and stayed as they were on others.
    pub denied: usize,
}

/// How the reference moved at a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceMove {
    /// The program that shows it best; `None`: all together.
    pub program: Option<u32>,
    /// By how much: a natural logarithm, positive where the machine became slower.
    pub effect: f64,
    /// The standard error of that.
    pub error: f64,
    /// The largest move of a program in this direction.
    pub largest: f64,
}

impl SlowResponse {
    /// The sign of what values do when the machine becomes slower.
    pub(super) fn sign(self) -> Option<f64> {
        match self {
            Self::Rise => Some(1.0),
            Self::Fall => Some(-1.0),
            Self::Stay => None,
        }
    }
}
