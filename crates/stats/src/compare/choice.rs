//! The choice of the estimator that decides. It depends on whether the host's speed moves and
//! whether a side has two modes, never on the difference of A and B.

use super::Estimator;
use super::estimate::BoundContrasts;
use crate::interleaved::{Contrast, MovementQuestion};

/// Orders within fewer rounds are too few for an interval by neighbours.
const ENOUGH: usize = 6;

/// Why this estimator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceReason {
    /// The estimator was requested.
    Asked,
    /// The host's speed moved, so that executions next to each other in time are compared.
    HostMoves,
    /// Nothing shows that the host's speed moved, or a side does not share its path, so that all
    /// executions are compared.
    Steady,
    /// Several layouts were executed: each has its median.
    Levels,
    /// A side was measured in another run, where there is no other.
    Earlier,
    /// Both were executed at the same time: a pair is a round.
    Duet,
    /// A side has two modes, or most values are equal and some are not: the mean depends on how
    /// often each occurs, while a median is between them or at one of them.
    Modes,
}

/// The estimator that decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimatorChoice {
    /// The one.
    pub estimator: Estimator,
    /// Why.
    pub because: ChoiceReason,
    /// How uneven the host was: its slow speed takes this share longer than its fast one (0.78 is
    /// 78 %; the 90th percentile of its path by the 10th). Absent where the order of executions is
    /// not known, and where nothing shows that its speed moved.
    pub uneven: Option<f64>,
    /// How many times as many samples would be needed if neighbours were not compared; absent where
    /// they were not.
    pub gain: Option<f64>,
    /// The level of each side at the host's usual speed, in the metric's unit: their ratio is the
    /// one of neighbours. Absent where those were not compared.
    pub levels: Option<[f64; 2]>,
}

impl EstimatorChoice {
    /// The one that was requested; else the medians of layouts, the means of modes, neighbours in
    /// time where the host's speed moves, or all executions.
    pub(super) fn of(
        asked: Option<Estimator>,
        both: &BoundContrasts,
        has_modes: bool,
        level: f64,
    ) -> Self {
        let in_order = both.interleaved();
        let choice = match (asked, in_order) {
            (Some(estimator), _) => Self::plain(estimator, ChoiceReason::Asked),
            (None, _) if both.has_levels() => Self::plain(Estimator::Median, ChoiceReason::Levels),
            (None, _) if has_modes || both.hides_what_differs(level) => {
                Self::plain(Estimator::Mean, ChoiceReason::Modes)
            }
            (None, Some(host)) if neighbours_decide(host) && has_interval(both, level) => {
                let choice = Self::plain(Estimator::Neighbours, ChoiceReason::HostMoves);
                let levels = host.levels().map(f64::exp);
                let gain = Some(host.fit().gain()).filter(|gain| gain.is_finite());
                Self { gain, levels: Some(levels), ..choice }
            }
            (None, _) => Self::plain(Estimator::AllRatios, ChoiceReason::Steady),
        };
        let moving = in_order.filter(|host| host.fit().host_moves(MovementQuestion::Once));
        Self { uneven: moving.map(|host| host.fit().uneven()), ..choice }
    }

    pub(super) fn plain(estimator: Estimator, because: ChoiceReason) -> Self {
        Self { estimator, because, uneven: None, gain: None, levels: None }
    }
}

/// Whether neighbours are to be compared.
fn neighbours_decide(host: &Contrast) -> bool {
    host.fit().by_neighbours && host.rounds() >= ENOUGH && host.share_path()
}

/// Whether the orders of few rounds bound the ratio at this look.
fn has_interval(both: &BoundContrasts, level: f64) -> bool {
    both.bounds(Estimator::Neighbours, level).is_some()
}

#[cfg(test)]
mod tests {
    use crate::compare::{ComparisonRules, Look, SampleValue, Sides, Verdict, compare};
    use crate::interleaved::simulated::{Movement, SimulatedHost};

    #[test]
    fn ratio_and_difference_are_those_of_the_levels_at_the_usual_speed() {
        let spells = Movement::Spells { apart: 0.56, length: 10.0, share: 0.3 };
        let all = SimulatedHost::new(spells, 7).rounds(&[4.0, 4.05], 30);
        let side = |program: usize| -> Vec<SampleValue> {
            let own = (0..).zip(&all).filter(|(_, it)| it.program == program);
            own.map(|(at, it)| SampleValue::new(it.value.exp()).in_round(it.round).at(at)).collect()
        };
        let sides = Sides { a: &side(0), b: &side(1), control: &[] };
        let found = compare(&sides, &ComparisonRules::default(), Look::only(30, 0.05));
        let (Some([a, b]), Some(estimate)) = (found.choice.levels, found.estimate) else {
            panic!("{found:?}")
        };
        assert!((a.ln() - 4.0).abs() < 0.05, "the faster speed is the usual one: {a}");
        assert!((b / a - estimate.ratio.unwrap()).abs() < 1e-9, "{estimate:?}");
        assert!((b - a - estimate.difference).abs() < 1e-9, "{estimate:?}");
    }

    #[test]
    fn values_of_which_most_are_zero_are_compared_by_their_means() {
        let side = |others: u32| -> Vec<SampleValue> {
            let value = |round: u32| if round <= others { 4e6 } else { 0.0 };
            (1..=20).map(|round| SampleValue::new(value(round)).in_round(round)).collect()
        };
        let found = |a: u32, b: u32, control: u32| {
            let sides = Sides { a: &side(a), b: &side(b), control: &side(control) };
            let found = compare(&sides, &ComparisonRules::default(), Look::only(20, 0.05));
            (found.verdict, found.estimate.unwrap())
        };
        let (verdict, estimate) = found(0, 2, 4);
        let (low, high) = estimate.difference_interval.unwrap();
        assert_eq!(verdict, Verdict::Unclear);
        assert!(low < 0.0 && high > 0.0, "{estimate:?}");
        // That some of A's own values differ is no reason to call both the same either.
        assert_eq!(found(2, 2, 0).0, Verdict::Unclear);
        assert_eq!(found(0, 0, 0).0, Verdict::Same);
    }
}
