//! The program or the machine: whose the changes of a lab's series are.
//!
//! A lab measures series on one or more hosts, run after run. [`causes`] takes the changes that the
//! detector found in each series and says of each whether the program made it, or the machine.
//! Evidence is of two kinds: fixed programs that were executed in each run (`reference`), and other
//! series, those of the same host at the same time and the same ones on other hosts (`group`).
//! Nothing is corrected: values stay what they are. The rules are in `docs/src/method/reference.md`.

use std::ops::RangeInclusive;

mod group;
mod reference;
mod window;

use group::{Elsewhere, Group};
use reference::{ALONE, TOGETHER, Tracks};
use window::Sides;

/// The series and the reference of all hosts.
#[derive(Clone, Debug, Default)]
pub struct Lab {
    /// All series.
    pub series: Vec<LabSeries>,
    /// What fixed programs took, by host.
    pub references: Vec<Vec<ReferenceLevel>>,
}

/// A series on one host, with the changes that were found in it.
#[derive(Clone, Debug)]
pub struct LabSeries {
    /// The host: an index of [`Lab::references`], if it has any.
    pub host: usize,
    /// The benchmark; the same on all hosts.
    pub benchmark: usize,
    /// The metric; the same on all hosts.
    pub metric: usize,
    /// What the values do when the machine becomes slower.
    pub response: Response,
    /// Its values, in order of place.
    pub values: Vec<LabValue>,
    /// The changes of its level, in order.
    pub changes: Vec<LabChange>,
}

/// What the values of a metric do when the machine becomes slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// They rise, as times do.
    Rise,
    /// They fall, as rates do.
    Fall,
    /// Nothing, as sizes and counts.
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

/// What one fixed program took in one run.
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

/// Whose a change is.
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
    /// The program that shows it best; none: all together.
    pub program: Option<u32>,
    /// By how much: a natural logarithm, positive where the machine became slower.
    pub effect: f64,
    /// The standard error of that.
    pub error: f64,
    /// The largest move of a program in this direction.
    pub largest: f64,
}

/// A change explained by a move of the reference may be that many times as large: programs respond
/// unequally.
const UNEQUAL: f64 = 3.0;

/// Says of each change of each series whose it is.
#[must_use]
pub fn causes(lab: &Lab) -> Vec<Vec<LabCause>> {
    let judging = Judging::of(lab);
    let of = |(which, series): (usize, &LabSeries)| {
        series.changes.iter().map(|change| judging.cause(which, change)).collect()
    };
    lab.series.iter().enumerate().map(of).collect()
}

/// A lab with what its references say.
struct Judging<'a> {
    lab: &'a Lab,
    /// By host.
    tracks: Vec<Tracks>,
}

impl<'a> Judging<'a> {
    fn of(lab: &'a Lab) -> Self {
        Self { lab, tracks: lab.references.iter().map(|levels| Tracks::of(levels)).collect() }
    }

    fn cause(&self, which: usize, change: &LabChange) -> LabCause {
        let series = &self.lab.series[which];
        let elsewhere = self.elsewhere(which, change);
        let group = self.group(series, change);
        if elsewhere.shown > 0 || !group.holds(series, change) {
            return LabCause::Program;
        }
        let better = if group.is_common() { TOGETHER } else { ALONE };
        let shift = (change.effect, change.error);
        let reference = self.explanation(series, &change.range, shift, better);
        if reference.is_none() && !group.coincides() {
            return LabCause::Program;
        }
        let Group { changed, measured, denied, .. } = group;
        LabCause::Machine(MachineEvidence { reference, changed, measured, denied })
    }

    /// How the reference moved there, if that explains a difference of the series and its error.
    fn explanation(
        &self,
        series: &LabSeries,
        range: &RangeInclusive<usize>,
        (effect, error): (f64, f64),
        better: f64,
    ) -> Option<ReferenceMove> {
        let direction = effect.signum() * series.response.sign()?;
        let tracks = self.tracks.get(series.host)?;
        let moved = tracks.moved(&Sides::of(series, range), range, (direction, better))?;
        (effect.abs() - 2.0 * error <= UNEQUAL * moved.largest.abs()).then_some(moved)
    }

    /// What other hosts say of a change.
    fn elsewhere(&self, which: usize, change: &LabChange) -> Elsewhere {
        let own = &self.lab.series[which];
        let is_same = |other: &&LabSeries| {
            other.host != own.host && (other.benchmark, other.metric) == (own.benchmark, own.metric)
        };
        let mut elsewhere = Elsewhere::default();
        for other in self.lab.series.iter().filter(is_same) {
            let Some((shift, error)) = Sides::of(other, &change.range).shift() else { continue };
            let its_machine =
                self.explanation(other, &change.range, (shift, error), ALONE).is_some();
            elsewhere.add(change, (shift, error), its_machine);
        }
        elsewhere
    }

    /// The changes of the host at about the same place.
    fn group(&self, series: &LabSeries, change: &LabChange) -> Group {
        let mut group = Group::default();
        for (which, other) in self.lab.series.iter().enumerate() {
            if other.host == series.host && Sides::of(other, &change.range).are_known() {
                group.measure(other);
                if let Some(like) = group::at_same_place(other, change) {
                    group.add(other, like, self.elsewhere(which, like));
                }
            }
        }
        group.complete();
        group
    }
}

impl Response {
    /// The sign of what values do when the machine becomes slower.
    fn sign(self) -> Option<f64> {
        match self {
            Self::Rise => Some(1.0),
            Self::Fall => Some(-1.0),
            Self::Stay => None,
        }
    }
}

#[cfg(test)]
mod tests;
