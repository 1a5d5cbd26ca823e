//! The cause of each change, from all evidence.

use std::ops::RangeInclusive;

use super::data::{LabCause, LabChange, LabNumbers, LabSeries, MachineEvidence, ReferenceMove};
use super::group::{self, LabGroup, OtherHosts};
use super::reference::{ALONE, LevelTracks, TOGETHER};
use super::window::LabSides;

/// A change explained by a move of the reference may be that many times as large: programs respond
/// unequally.
const UNEQUAL: f64 = 3.0;

/// Says of each change of each series whose it is.
#[must_use]
pub fn causes(lab: &LabNumbers) -> Vec<Vec<LabCause>> {
    let judging = LabJudging::of(lab);
    let of = |(which, series): (usize, &LabSeries)| {
        series.changes.iter().map(|change| judging.cause(which, change)).collect()
    };
    lab.series.iter().enumerate().map(of).collect()
}

/// A lab with what its references say.
struct LabJudging<'a> {
    lab: &'a LabNumbers,
    /// By host.
    tracks: Vec<LevelTracks>,
}

impl<'a> LabJudging<'a> {
    fn of(lab: &'a LabNumbers) -> Self {
        Self { lab, tracks: lab.references.iter().map(|levels| LevelTracks::of(levels)).collect() }
    }

    fn cause(&self, which: usize, change: &LabChange) -> LabCause {
        let series = &self.lab.series[which];
        if LabSides::of(series, &change.range).share_a_run() {
            return LabCause::Program;
        }
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
        let LabGroup { changed, measured, denied, .. } = group;
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
        let moved = tracks.moved(&LabSides::of(series, range), range, (direction, better))?;
        (effect.abs() - 2.0 * error <= UNEQUAL * moved.largest.abs()).then_some(moved)
    }

    /// The evidence of other hosts about a change.
    fn elsewhere(&self, which: usize, change: &LabChange) -> OtherHosts {
        let own = &self.lab.series[which];
        let is_same = |other: &&LabSeries| {
            other.host != own.host && (other.benchmark, other.metric) == (own.benchmark, own.metric)
        };
        let mut elsewhere = OtherHosts::default();
        for other in self.lab.series.iter().filter(is_same) {
            let Some((shift, error)) = LabSides::of(other, &change.range).shift() else { continue };
            let its_machine =
                self.explanation(other, &change.range, (shift, error), ALONE).is_some();
            elsewhere.add(change, (shift, error), its_machine);
        }
        elsewhere
    }

    /// The changes of the host at about the same place.
    fn group(&self, series: &LabSeries, change: &LabChange) -> LabGroup {
        let mut group = LabGroup::default();
        for (which, other) in self.lab.series.iter().enumerate() {
            if other.host == series.host && LabSides::of(other, &change.range).are_known() {
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
