//! How a comparison is worked out.

use super::choice::EstimatorChoice;
use super::comparison::{Comparison, ComparisonRules, Note, RankTest, SampleSizes, Sides};
use super::estimate::BoundContrasts;
use super::modes::{SharedModes, may_be_two};
use super::order::sorted;
use super::resolution::Clock;
use super::sample::{self, SampleValue, Scale};
use super::sample_size::{MoreSamples, more};
use super::{Estimate, Estimator, Look, Size, Verdict, ranks};
use crate::distribution::normal_quantile;
use crate::interleaved::MovementQuestion;

/// Modes this many times as far apart as the host's speed moves are a program's own.
const FAR: f64 = 2.0;

/// All that is worked with.
pub(super) struct ComparisonWork {
    a: Vec<SampleValue>,
    b: Vec<SampleValue>,
    control: Vec<SampleValue>,
    scale: Scale,
    both: BoundContrasts,
    modes: Option<SharedModes>,
    /// Whether a side may have two modes, but too few values to show them.
    may_have_modes: bool,
    rules: ComparisonRules,
    look: Look,
    clock: Clock,
}

impl ComparisonWork {
    pub fn new(sides: &Sides, rules: &ComparisonRules, look: Look) -> Self {
        let [a, b, control] = [sides.a, sides.b, sides.control].map(sample::finite);
        let scale = Scale::of(&[&a, &b, &control]);
        let both = BoundContrasts::of(scale, &a, &b, &control);
        let clock = Clock::of(scale, &a, &b, rules.resolution);
        // A limit that was reached is no level of the program's.
        let is_exact = limited(&a) + limited(&b) + limited(&control) == 0;
        let step = clock.compared_step;
        let own = own_modes(scale, &both, step).filter(|_| is_exact);
        let sides = match own {
            None if is_exact => without_path(&both),
            _ => Default::default(),
        };
        let modes = own
            .or_else(|| SharedModes::of(scale, &sides[0], &sides[1], step))
            .or_else(|| both_have_modes(scale, &both, step).filter(|_| is_exact));
        let matters = rules.margin.ln_1p();
        let may_have_modes = scale == Scale::Ratio
            && modes.is_none()
            && sides.iter().any(|it| may_be_two(it, step, matters));
        Self { a, b, control, scale, both, modes, may_have_modes, rules: *rules, look, clock }
    }

    pub fn finish(self) -> Comparison {
        let asked = self.rules.estimator;
        let choice = EstimatorChoice::of(asked, &self.both, self.modes.is_some(), self.level());
        let by = choice.estimator;
        let estimate = self.estimate(&self.both, by);
        let second = self.estimate(&self.both, self.second(by));
        let control = self.estimate(&self.of_control(by), by);
        let notes = self.notes(estimate.as_ref(), second.as_ref(), control.as_ref());
        let is_refuted = notes.iter().any(Note::is_refuting);
        let verdict = match &estimate {
            Some(estimate) if !is_refuted => {
                Verdict::of(estimate, self.rules.better, self.rules.margin)
            }
            _ => Verdict::Unclear,
        };
        let verdict =
            if verdict == Verdict::Same { self.same_for_all(by, &notes) } else { verdict };
        Comparison {
            verdict,
            significant: estimate.is_some_and(|estimate| estimate.is_significant()),
            size: estimate.map_or(Size::Open, |estimate| Size::of(&estimate, self.rules.margin)),
            detectable: self.detectable(by),
            more: (verdict == Verdict::Unclear).then(|| self.more(by, &notes)).flatten(),
            fewest: self.fewest(by).filter(|_| notes.contains(&Note::Few)),
            rank_test: self.rank_test(by),
            counts: SampleSizes {
                a: self.a.len(),
                b: self.b.len(),
                rounds: sample::rounds(&self.a, &self.b).len(),
            },
            look: self.look,
            estimate,
            second,
            choice,
            control,
            modes: self.modes,
            notes,
        }
    }

    /// A against its control. If neighbours decide, B's executions show the host's path as well as
    /// A's do, after B's difference is subtracted.
    fn of_control(&self, estimator: Estimator) -> BoundContrasts {
        // By A alone: what the control differs by must not be in it.
        let of_a = || BoundContrasts::of(self.scale, &self.a, &self.b, &[]);
        let shift = (estimator == Estimator::Neighbours)
            .then(|| of_a().shift(Estimator::Neighbours))
            .flatten();
        let moved = |shift: f64| {
            let one = |sample: &SampleValue| SampleValue {
                value: sample.value * (-shift).exp(),
                ..*sample
            };
            self.b.iter().map(one).collect::<Vec<_>>()
        };
        let beside = shift.map(moved).unwrap_or_default();
        BoundContrasts::of(self.scale, &self.a, &self.control, &beside)
    }

    /// *Same*, unless that is known of the low end alone: a program may have the same fastest
    /// executions as another, and yet be slow more often. Then the ratio of all pairs must be
    /// within the margin too, or with two modes that of the means.
    fn same_for_all(&self, estimator: Estimator, notes: &[Note]) -> Verdict {
        if notes.contains(&Note::MayHaveModes) {
            return Verdict::Unclear;
        }
        let of_all = match estimator {
            Estimator::Minimum if self.modes.is_some() => Estimator::Mean,
            Estimator::Minimum => Estimator::AllRatios,
            _ => return Verdict::Same,
        };
        let of_all = self.estimate(&self.both, of_all);
        let of_all = of_all.map(|all| Verdict::of(&all, self.rules.better, self.rules.margin));
        if of_all == Some(Verdict::Same) { Verdict::Same } else { Verdict::Unclear }
    }

    fn level(&self) -> f64 {
        self.look.level / 2.0
    }

    /// The second estimator: the median, unless it is the first one or is between two modes.
    fn second(&self, first: Estimator) -> Estimator {
        match first {
            Estimator::Median if self.both.has_levels() => Estimator::Mean,
            Estimator::Median | Estimator::Mean => Estimator::AllRatios,
            _ if self.modes.is_some() => Estimator::Mean,
            _ => Estimator::Median,
        }
    }

    fn estimate(&self, both: &BoundContrasts, estimator: Estimator) -> Option<Estimate> {
        both.estimate(estimator, &self.look, self.margin(), self.clock.error_of(estimator))
    }

    /// As values are compared.
    fn margin(&self) -> f64 {
        match self.scale {
            Scale::Ratio => self.rules.margin.ln_1p(),
            Scale::Difference => {
                self.rules.margin * self.both.centre_of_a().unwrap_or(0.0).max(0.0)
            }
        }
    }

    /// `None` if samples reached limits, which hide the variation of values.
    fn detectable(&self, estimator: Estimator) -> Option<f64> {
        if limited(&self.a) + limited(&self.b) > 0 {
            return None;
        }
        let (low, high) = self.both.bounds(estimator, self.level())?;
        let power = 1.0 + normal_quantile(0.8) / normal_quantile(1.0 - self.level());
        let shift = (high - low) / 2.0 * power + self.clock.error_of(estimator);
        match self.scale {
            Scale::Ratio => Some(shift.exp_m1()),
            // The shift is 0 because most values are the same, which shows no smallest difference.
            Scale::Difference if shift <= 0.0 => None,
            Scale::Difference => {
                let centre = self.both.centre_of_a().filter(|&centre| centre > 0.0);
                centre.map(|centre| shift / centre)
            }
        }
        .filter(|detectable| detectable.is_finite())
    }

    fn more(&self, estimator: Estimator, notes: &[Note]) -> Option<MoreSamples> {
        // The more there are, the surer is the one that is in the way.
        if notes.iter().any(Note::is_refuting) {
            return None;
        }
        let rounds = self.a.len().min(self.b.len());
        let level = self.look.level;
        let Some(bounds) = self.both.bounds(estimator, self.level()) else {
            let is_exact = limited(&self.a) + limited(&self.b) == 0;
            return is_exact
                .then(|| self.both.until_an_interval(estimator, self.level()))
                .flatten();
        };
        let within = [self.margin(), self.clock.error_of(estimator)];
        more(rounds, self.both.shift(estimator)?, bounds, within, level)
    }

    /// From how many rounds on there is an interval, of sides of which both have samples.
    fn fewest(&self, estimator: Estimator) -> Option<usize> {
        let has_some = !self.a.is_empty() && !self.b.is_empty();
        self.both.fewest_with_an_interval(estimator, self.level()).filter(|_| has_some)
    }

    fn rank_test(&self, estimator: Estimator) -> RankTest {
        let two_sided = |p: [f64; 2]| (2.0 * p[0].min(p[1])).min(1.0);
        let [up, down] = self.both.directions();
        if estimator.is_paired() {
            RankTest::Wilcoxon(two_sided(
                [up, down].map(|way| ranks::signed_ranks_above(&way.rounds)),
            ))
        } else {
            RankTest::MannWhitney(two_sided(
                [up, down].map(|way| ranks::rank_sum_above(&way.a, &way.b)),
            ))
        }
    }

    fn notes(
        &self,
        first: Option<&Estimate>,
        second: Option<&Estimate>,
        control: Option<&Estimate>,
    ) -> Vec<Note> {
        let (a, b) = (limited(&self.a), limited(&self.b));
        let sign = |estimate: Option<&Estimate>| estimate.map_or(0, Estimate::sign);
        let opposite = sign(first) * sign(second) < 0;
        let far = |estimate: &Estimate| estimate.difference.abs();
        let not_beyond =
            sign(control) != 0 && first.zip(control).is_some_and(|(b, a)| far(b) <= far(a));
        let notes = [
            (self.scale == Scale::Difference).then_some(Note::ByDifference),
            (a + b > 0).then_some(Note::Limited(a, b)),
            (self.clock.error > 0.0).then_some(Note::Coarse(self.clock.step)),
            opposite.then_some(Note::Contradicted),
            not_beyond.then_some(Note::NotBeyondControl),
            first.is_none_or(|first| first.difference_interval.is_none()).then_some(Note::Few),
            (self.may_have_modes && self.rules.estimator.is_none() && !self.both.has_levels())
                .then_some(Note::MayHaveModes),
        ];
        notes.into_iter().flatten().collect()
    }
}

/// Modes that are so far apart that the host's speed, which moves by far less, does not make them.
/// To take its path off would take one program's modes off the other.
fn own_modes(scale: Scale, both: &BoundContrasts, step: f64) -> Option<SharedModes> {
    let moved = both.interleaved().filter(|it| it.fit().host_moves(MovementQuestion::Once))?;
    let least = FAR * moved.fit().uneven().ln_1p();
    let is_far = |modes: Option<(f64, f64)>| {
        modes.is_none_or(|(low, high)| scale.of_value(high) - scale.of_value(low) >= least)
    };
    let found = SharedModes::of(scale, both.a(), both.b(), step)?;
    (scale == Scale::Ratio && is_far(found.a) && is_far(found.b)).then_some(found)
}

/// The values that may show the modes of the programs: ascending values of both. Modes that come
/// and go with the speed of the host belong to the host, so its path is removed first. Neighbours
/// of a program with modes may also agree closely, which alone shows nothing about the host.
fn without_path(both: &BoundContrasts) -> [Vec<f64>; 2] {
    let in_order = both.interleaved().filter(|it| it.fit().host_moves(MovementQuestion::Once));
    match in_order {
        Some(in_order) => in_order.without_path().map(|side| sorted(&side)),
        None => [both.a().to_vec(), both.b().to_vec()],
    }
}

/// Modes that both sides have: each then hides those of the other, where its executions are to show
/// the speed of a host that moves.
fn both_have_modes(scale: Scale, both: &BoundContrasts, step: f64) -> Option<SharedModes> {
    let in_order = both.interleaved().filter(|it| it.fit().host_moves(MovementQuestion::Once))?;
    let [a, b] = in_order.without_slow_path()?.map(|side| sorted(&side));
    SharedModes::of(scale, &a, &b, step).filter(|found| found.a.is_some() && found.b.is_some())
}

/// How many samples reached a limit.
fn limited(side: &[SampleValue]) -> usize {
    side.iter().filter(|sample| !sample.is_exact()).count()
}
