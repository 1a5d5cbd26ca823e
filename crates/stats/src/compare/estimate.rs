//! A ratio with its interval.

use super::contrast::{DirectedContrast, RunContrast};
use super::sample::{SampleValue, Scale};
use super::{Estimator, Look, MoreSamples, order};
use crate::{Bound, BoundedValue, Summary, interleaved};

/// From this many samples on there is an interval by any ratio, at each look.
const MOST_FEW: usize = 50;

/// How many times A's value B's is, by one estimator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// How it was taken.
    pub estimator: Estimator,
    /// B by A; absent where some are zero or negative and A's median may be too, or an end of an
    /// interval would be negative.
    pub ratio: Option<f64>,
    /// The bound that the ratio is if samples reached a limit: a lower bound if only B's did, an
    /// upper bound if only A's did.
    pub ratio_bound: Bound,
    /// The interval of the ratio, with the requested confidence, if this is the last look; absent
    /// with too few samples. One end is 0 or infinite if samples at limits leave it unbounded.
    /// The interval never claims more than the verdict.
    pub interval: Option<(f64, f64)>,
    /// The interval of the ratio at all looks together, with that confidence: a repeated confidence
    /// interval, which gives the verdict.
    pub repeated: Option<(f64, f64)>,
    /// B − A, in the metric's unit.
    pub difference: f64,
    /// The bound that the difference is.
    pub difference_bound: Bound,
    /// The interval of the difference, as `interval`.
    pub difference_interval: Option<(f64, f64)>,
    /// The interval of the difference, as `repeated`.
    pub repeated_difference: Option<(f64, f64)>,
    /// The chance of so large a difference, either way, if there is no real one.
    pub p: f64,
    /// The chance to see both ends of the margin as far away as here when B is just outside: the
    /// test of *same*.
    pub p_same: f64,
}

impl Estimate {
    /// The ratio, with what is known by it: the one that is shown.
    #[must_use]
    pub fn known_ratio(&self) -> Option<BoundedValue> {
        self.ratio.map(|value| BoundedValue { value, bound: self.ratio_bound })
    }

    /// The difference, with what is known by it.
    #[must_use]
    pub fn known_difference(&self) -> BoundedValue {
        BoundedValue { value: self.difference, bound: self.difference_bound }
    }
}

/// Both sides, looked at from below and from above.
pub(super) struct BoundContrasts {
    stated: RunContrast,
    up: RunContrast,
    down: RunContrast,
    /// Whether no sample reached a limit: then all three are equal.
    is_exact: bool,
}

impl BoundContrasts {
    /// The contrasts of both sides. Executions of the control are as informative about A as its
    /// own: neighbours and all ratios count them.
    pub fn of(scale: Scale, a: &[SampleValue], b: &[SampleValue], control: &[SampleValue]) -> Self {
        let neighbours = DirectedContrast::of(scale, a, b, control);
        let reversed = neighbours.as_ref().map(DirectedContrast::reversed);
        let is_exact = a.iter().chain(b).chain(control).all(SampleValue::is_exact);
        let (a, b) = ([a, control], [b, &[]]);
        Self {
            stated: RunContrast {
                neighbours: neighbours.clone(),
                ..RunContrast::stated(scale, [a, b])
            },
            up: RunContrast { neighbours, ..RunContrast::against(scale, [a, b]) },
            down: RunContrast { neighbours: reversed, ..RunContrast::against(scale, [b, a]) },
            is_exact,
        }
    }

    /// Both sides in order of time, where that is known.
    pub fn interleaved(&self) -> Option<&interleaved::Contrast> {
        self.stated.neighbours.as_ref().map(|it| it.both.as_ref())
    }

    /// A's values as compared, ascending.
    pub fn a(&self) -> &[f64] {
        &self.stated.a
    }

    /// How many values the side has that has fewer.
    fn fewest(&self) -> i32 {
        i32::try_from(self.stated.a.len().min(self.stated.b.len())).unwrap_or(i32::MAX)
    }

    /// B's.
    pub fn b(&self) -> &[f64] {
        &self.stated.b
    }

    /// A's median, as compared.
    pub fn centre_of_a(&self) -> Option<f64> {
        order::quantile(&self.stated.a, 0.5)
    }

    /// The reference of a difference as a share: A's location by this estimator, if it has one.
    fn centre_by(&self, estimator: Estimator) -> Option<f64> {
        let is_ratio = self.stated.scale == Scale::Ratio;
        let own = match self.interleaved().filter(|_| estimator == Estimator::Neighbours) {
            Some(both) => Some(both.levels()[0]),
            None => estimator.location_of_a(&self.stated).filter(|_| is_ratio),
        };
        own.or_else(|| self.centre_of_a())
    }

    /// The ends of A's median, by which a difference is divided: its 95 % interval, of fewer than
    /// six values their range; only where all of it is above zero.
    fn divisor(&self) -> Option<(f64, f64)> {
        let a = &self.stated.a;
        let ends = Summary::of(a).and_then(|summary| summary.interval);
        let ends = ends.or_else(|| a.first().copied().zip(a.last().copied()));
        ends.filter(|(low, _)| *low > 0.0)
    }

    /// The ends of the ratio. The ends of a difference are divided by the end of A's median that
    /// makes them largest.
    fn ratios(&self, (low, high): (f64, f64)) -> Option<(f64, f64)> {
        if self.stated.scale == Scale::Ratio {
            return Some((low.exp(), high.exp()));
        }
        let (least, most) = self.divisor()?;
        let by = |shift: f64, is_low: bool| if (shift > 0.0) == is_low { most } else { least };
        Some((1.0 + low / by(low, true), 1.0 + high / by(high, false)))
    }

    /// Whether A's median is exact: it would not change if the cut-off values were larger.
    fn knows_centre_of_a(&self) -> bool {
        self.is_exact || order::quantile(&self.up.a, 0.5) == order::quantile(&self.down.b, 0.5)
    }

    /// The bound that the shift is. Every estimator rises with each value of B and falls with each
    /// value of A. So the shift is between its values with A as high and B as low as possible, and
    /// the reverse.
    fn bound(&self, estimator: Estimator, shift: f64) -> Bound {
        if self.is_exact {
            return Bound::Exact;
        }
        let is_least = estimator.shift(&self.up) == Some(shift);
        let is_most = estimator.shift(&self.down) == Some(-shift);
        match (is_least, is_most) {
            (true, true) => Bound::Exact,
            (true, false) => Bound::AtLeast,
            (false, true) => Bound::AtMost,
            (false, false) => Bound::Unknown,
        }
    }

    /// The bounds that ratio and difference are: one of them follows from the shift and A's centre,
    /// which may be unknown. A larger centre lowers a ratio below 1 further.
    fn bounds_of(&self, estimator: Estimator, shift: f64) -> [Bound; 2] {
        let bound = self.bound(estimator, shift);
        if self.knows_centre_of_a() {
            return [bound; 2];
        }
        let is_below = bound == Bound::AtMost && shift <= 0.0;
        let with_centre = if is_below { Bound::AtMost } else { Bound::Unknown };
        match self.stated.scale {
            Scale::Ratio => [bound, with_centre],
            Scale::Difference => [Bound::Unknown, bound],
        }
    }

    /// Whether the middle of all pairs is 0 whatever the difference, since most values of both
    /// sides are equal.
    pub fn hides_what_differs(&self, level: f64) -> bool {
        let [a, b] = &self.stated.pooled;
        self.stated.scale == Scale::Difference
            && a.iter().chain(b).any(|value| Some(value) != a.first())
            && self.bounds(Estimator::AllRatios, level) == Some((0.0, 0.0))
    }

    /// Whether samples come in levels.
    pub fn has_levels(&self) -> bool {
        self.stated.layouts.is_some()
    }

    /// B against A, and A against B.
    pub fn directions(&self) -> [&RunContrast; 2] {
        [&self.up, &self.down]
    }

    /// The shift of B against A.
    pub fn shift(&self, estimator: Estimator) -> Option<f64> {
        estimator.shift(&self.stated)
    }

    /// How many more rounds have an interval, of sides that do not vary: whatever it says, it says
    /// for certain.
    pub fn until_an_interval(&self, estimator: Estimator, level: f64) -> Option<MoreSamples> {
        let varies = |side: &[f64]| side.first() != side.last();
        let have = usize::try_from(self.fewest()).ok().filter(|&fewest| fewest > 0)?;
        if varies(&self.stated.a) || varies(&self.stated.b) {
            return None;
        }
        self.fewest_with_an_interval(estimator, level)
            .map(|rounds| MoreSamples { rounds: rounds - have })
    }

    /// From how many rounds on there is an interval, of samples that have none and come in no
    /// levels.
    pub fn fewest_with_an_interval(&self, estimator: Estimator, level: f64) -> Option<usize> {
        let have = usize::try_from(self.fewest()).ok().filter(|_| !self.has_levels())?;
        let has_control = self.stated.pooled[0].len() > self.stated.a.len();
        (have + 1..=MOST_FEW).find(|&rounds| {
            let alike = RunContrast::alike(self.stated.scale, rounds, has_control);
            let estimator = if estimator.is_paired() { Estimator::RoundRatios } else { estimator };
            estimator.bound_below(&alike, level).is_some()
        })
    }

    /// The interval of the shift; each end misses with probability at most `level`.
    pub fn bounds(&self, estimator: Estimator, level: f64) -> Option<(f64, f64)> {
        self.between(estimator, (level, level))
    }

    /// The same, with a chance for each end.
    fn between(&self, estimator: Estimator, (low, high): (f64, f64)) -> Option<(f64, f64)> {
        // Less than nothing by nothing is nothing: no `-0`.
        Some((
            estimator.bound_below(&self.up, low)?,
            0.0 - estimator.bound_below(&self.down, high)?,
        ))
    }

    /// The estimate at this look, with a margin on the scale of values, and with what the clock may
    /// be wrong by on it.
    pub fn estimate(
        &self,
        estimator: Estimator,
        look: &Look,
        margin: f64,
        resolution: f64,
    ) -> Option<Estimate> {
        let shift = estimator.shift(&self.stated)?;
        let wider = |(low, high)| (low - resolution, high + resolution);
        let repeated = self.bounds(estimator, look.level / 2.0).map(wider);
        let shown = repeated.and_then(|repeated| {
            let ends = ends(repeated, look, margin);
            let last = self.between(estimator, ends).map(wider)?;
            Some(if says_more(last, repeated, margin) { repeated } else { last })
        });
        let above = |by: f64| estimator.chance_above(&self.up, by);
        let below = |by: f64| estimator.chance_above(&self.down, by);
        let centre = self.centre_by(estimator)?;
        let ratios = |ends| self.ratios(ends);
        let differences = |ends| self.differences(centre, ends);
        let [ratio_bound, difference_bound] = self.bounds_of(estimator, shift);
        let p = (2.0 * above(resolution).min(below(resolution))).min(1.0);
        // A side that may be at zero or below has no ratio to speak of.
        let positive =
            |of: Option<(f64, f64)>| of.and_then(ratios).is_none_or(|(low, _)| low >= 0.0);
        let is_ratio = self.stated.scale == Scale::Ratio
            || self.divisor().is_some()
                && self.ratio(centre, shift).is_some_and(|ratio| ratio >= 0.0)
                && positive(shown)
                && positive(repeated);
        let ratios = |of: Option<(f64, f64)>| of.filter(|_| is_ratio).and_then(ratios);
        Some(Estimate {
            estimator,
            ratio: self.ratio(centre, shift).filter(|_| is_ratio),
            ratio_bound,
            interval: ratios(shown),
            repeated: ratios(repeated),
            difference: self.difference(centre, shift),
            difference_bound,
            difference_interval: shown.map(differences),
            repeated_difference: repeated.map(differences),
            p,
            // Without a ratio there is no margin. If all values are equal, `p_same` is the
            // probability that all would be equal if each were equal half of the time.
            p_same: match (self.stated.scale, repeated) {
                (Scale::Difference, Some((0.0, 0.0))) => 0.5_f64.powi(self.fewest()),
                _ => above(-margin + resolution).max(below(-margin + resolution)),
            },
        })
    }

    fn ratio(&self, centre: f64, shift: f64) -> Option<f64> {
        match self.stated.scale {
            Scale::Ratio => Some(shift.exp()),
            Scale::Difference => (centre > 0.0).then(|| 1.0 + shift / centre),
        }
    }

    /// The ends of the difference. If A's centre is known only from below, so is the size of a
    /// difference: a larger centre makes it larger.
    fn differences(&self, centre: f64, (low, high): (f64, f64)) -> (f64, f64) {
        let (least, most) = (self.difference(centre, low), self.difference(centre, high));
        if self.stated.scale == Scale::Difference || self.knows_centre_of_a() {
            return (least, most);
        }
        (
            if low < 0.0 { f64::NEG_INFINITY } else { least },
            if high > 0.0 { f64::INFINITY } else { most },
        )
    }

    fn difference(&self, centre: f64, shift: f64) -> f64 {
        match self.stated.scale {
            Scale::Ratio => centre.exp() * shift.exp_m1(),
            Scale::Difference => shift,
        }
    }
}

/// How often either end may miss of what is shown at this look.
fn ends((low, high): (f64, f64), look: &Look, margin: f64) -> (f64, f64) {
    match () {
        () if is_within((low, high), margin) => (look.error / 2.0, look.error / 2.0),
        () if low > 0.0 => (look.ends.near, look.ends.far),
        () if high < 0.0 => (look.ends.far, look.ends.near),
        () => (look.error / 2.0, look.error / 2.0),
    }
}

fn is_within((low, high): (f64, f64), margin: f64) -> bool {
    low >= -margin && high <= margin
}

/// Whether the last look alone would show a difference, or no difference, while all looks together
/// do not.
fn says_more(last: (f64, f64), repeated: (f64, f64), margin: f64) -> bool {
    let differs = |(low, high): (f64, f64)| low > 0.0 || high < 0.0;
    !is_within(repeated, margin) && (is_within(last, margin) || differs(last) && !differs(repeated))
}
