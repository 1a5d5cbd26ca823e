//! How a comparison is worked out.

use super::choice::{ChoiceReason, EstimatorChoice};
use super::comparison::{Comparison, ComparisonRules, Note, RankTest, SampleSizes, Sides};
use super::estimate::BoundContrasts;
use super::modes::{DIRECTIONS, ModeComparison, SharedModes, SplitSides, borne_out};
use super::resolution::Clock;
use super::sample::{self, SampleValue, Scale};
use super::sample_size::{MoreSamples, more};
use super::{Estimate, Estimator, Look, Size, Verdict, ranks};
use crate::distribution::normal_quantile;

/// Orders within fewer rounds are too few for an interval by neighbours.
const ENOUGH: usize = 6;
/// What levels of modes have of the error; shares have the rest.
const OF_LEVELS: f64 = 0.5;

/// All that is worked with: samples as they are compared, which of modes are their levels.
pub(super) struct ComparisonWork {
    a: Vec<SampleValue>,
    b: Vec<SampleValue>,
    control: Vec<SampleValue>,
    scale: Scale,
    both: BoundContrasts,
    /// Where levels of modes are compared, what was measured: B against A, and the control.
    measured: Option<[BoundContrasts; 2]>,
    modes: Option<SharedModes>,
    rules: ComparisonRules,
    look: Look,
    clock: Clock,
}

/// What is reported of the ratio.
struct Ratios {
    first: Option<Estimate>,
    second: Option<Estimate>,
    control: Option<Estimate>,
    choice: EstimatorChoice,
    modes: Option<SharedModes>,
    /// Whether the levels decide, and the means beside them do not point the same way: then there
    /// is no direction.
    is_open: bool,
}

impl ComparisonWork {
    pub fn new(sides: &Sides, rules: &ComparisonRules, look: Look) -> Self {
        let [a, b, control] = [sides.a, sides.b, sides.control].map(sample::finite);
        let scale = Scale::of(&[&a, &b, &control]);
        let both = BoundContrasts::with_control(scale, &a, &b, &control, rules.seed);
        let clock = Clock::of(scale, &a, &b, rules.resolution);
        // A limit that was reached is no level of the program's.
        let is_exact = limited(&a) + limited(&b) + limited(&control) == 0;
        // Modes that come and go with the host's speed are the host's.
        let is_moving = both.interleaved().is_some_and(|both| both.fit().moves);
        let apart = if is_exact && !is_moving {
            SplitSides::of(both.a(), both.b(), clock.compared_step)
        } else {
            None
        };
        let work = Self {
            a,
            b,
            control,
            scale,
            both,
            measured: None,
            modes: None,
            rules: *rules,
            look,
            clock,
        };
        match apart {
            Some(apart) => work.with_modes(&apart),
            None => work,
        }
    }

    /// Levels and shares are compared apart, each with half of the error: a median between two
    /// modes means nothing.
    fn with_modes(self, apart: &SplitSides) -> Self {
        let numbers = [self.a.len(), self.b.len()];
        let detected = |detected: ModeComparison| Some(apart.modes(self.scale, numbers, detected));
        let is_given = matches!(
            self.rules.estimator,
            Some(Estimator::Mean | Estimator::Minimum | Estimator::Runs)
        );
        if is_given || self.both.has_levels() {
            return Self { modes: detected(ModeComparison::Given), ..self };
        }
        if apart.is_of_rounds(self.scale, &self.a, &self.b) {
            return Self { modes: detected(ModeComparison::Rounds), ..self };
        }
        let levelled = apart.levelled(self.scale, [&self.a, &self.b, &self.control]);
        // Levels near zero have no ratio.
        let Some([a, b, control]) = levelled.filter(|_| self.scale == Scale::Ratio) else {
            return Self { modes: detected(ModeComparison::Means), ..self };
        };
        let modes = detected(ModeComparison::Levels);
        let with = |one: &[SampleValue], other: &[SampleValue]| {
            BoundContrasts::of(self.scale, one, other, self.rules.seed)
        };
        let (of_control, both) = (with(&self.a, &self.control), with(&a, &b));
        let clock = Clock::of(self.scale, &a, &b, Some(self.clock.step));
        let look = Look {
            level: OF_LEVELS * self.look.level,
            share: OF_LEVELS * self.look.share,
            ..self.look
        };
        Self {
            a,
            b,
            control,
            measured: Some([self.both, of_control]),
            both,
            modes,
            look,
            clock,
            ..self
        }
    }

    pub fn finish(self) -> Comparison {
        let choice = self.choose();
        let by = choice.estimator;
        let Ratios { first: estimate, second, control, choice, modes, is_open } =
            self.ratios(choice);
        let detectable =
            match self.measured.as_ref().filter(|_| choice.because == ChoiceReason::Modes) {
                Some([measured, _]) => self.detectable(measured, choice.estimator),
                None => self.detectable(&self.both, by),
            };
        let mut notes = self.notes(estimate.as_ref(), second.as_ref(), control.as_ref());
        let is_refuted = notes.iter().any(Note::is_refuting);
        let verdict = match &estimate {
            Some(estimate) if !is_refuted => {
                Verdict::of(estimate, self.rules.better, self.rules.margin)
            }
            _ => Verdict::Unclear,
        };
        let verdict = match verdict {
            Verdict::Same => self.same_for_all(choice.estimator),
            Verdict::Faster | Verdict::Slower if is_open => {
                notes.push(Note::MeansOpen);
                Verdict::Unclear
            }
            verdict => verdict,
        };
        Comparison {
            verdict,
            significant: estimate.is_some_and(|estimate| estimate.is_significant()),
            size: estimate.map_or(Size::Open, |estimate| Size::of(&estimate, self.rules.margin)),
            detectable,
            more: (verdict == Verdict::Unclear).then(|| self.more(by, &notes)).flatten(),
            fewest: self.fewest(by).filter(|_| notes.contains(&Note::Few)),
            rank_test: self.rank_test(choice.estimator),
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
            modes,
            notes,
        }
    }

    /// By the ratio that was chosen, with another beside it. Where shares of modes differ for
    /// certain, and the means with them, by the means, which know of shares; then the levels stand
    /// beside. Else by the levels, with a direction only where the means point there too: levels
    /// may fall while a program is slow more often.
    fn ratios(&self, choice: EstimatorChoice) -> Ratios {
        let of_control = self.of_control(choice.estimator);
        let first = self.estimate(&self.both, choice.estimator);
        let Some(([measured, measured_control], modes)) = self.measured.as_ref().zip(self.modes)
        else {
            let second = self.estimate(&self.both, self.second(choice.estimator));
            let control = self.estimate(&of_control, choice.estimator);
            return Ratios { first, second, control, choice, modes: self.modes, is_open: false };
        };
        let means = self.estimate(measured, Estimator::Mean);
        let grew = if modes.upper_share_b > modes.upper_share_a { 1 } else { -1 };
        let is_other = modes.p <= self.look.level;
        if let Some(means) = means.filter(|means| is_other && means.sign() == grew) {
            Ratios {
                first: Some(Estimate { p: means.p.max(modes.p), ..means }),
                second: first,
                control: self.estimate(measured_control, Estimator::Mean),
                choice: EstimatorChoice {
                    estimator: Estimator::Mean,
                    because: ChoiceReason::Modes,
                    ..choice
                },
                modes: Some(SharedModes { judged_by: ModeComparison::Shares, ..modes }),
                is_open: false,
            }
        } else {
            let p = first
                .zip(means)
                .map_or(1.0, |(levels, means)| borne_out(&levels, &means, OF_LEVELS));
            let p_same = means.map_or(1.0, |means| means.p_same);
            let both =
                |it: Estimate| Estimate { p: it.p.max(p), p_same: it.p_same.max(p_same), ..it };
            Ratios {
                first: first.map(both),
                second: means,
                control: self.estimate(&of_control, choice.estimator),
                choice,
                modes: Some(if is_other {
                    SharedModes { judged_by: ModeComparison::SharesOnly, ..modes }
                } else {
                    modes
                }),
                is_open: p > self.look.level,
            }
        }
    }

    /// A against its control. Where neighbours decide, B's executions show what the host did as
    /// well as A's do, once what B differs by is taken off.
    fn of_control(&self, estimator: Estimator) -> BoundContrasts {
        let shift =
            self.both.shift(Estimator::Neighbours).filter(|_| estimator == Estimator::Neighbours);
        let moved = |shift: f64| {
            let one = |sample: &SampleValue| SampleValue {
                value: sample.value * (-shift).exp(),
                ..*sample
            };
            self.b.iter().map(one).collect::<Vec<_>>()
        };
        let beside = shift.map(moved).unwrap_or_default();
        BoundContrasts::with_control(self.scale, &self.a, &self.control, &beside, self.rules.seed)
    }

    /// *Same*, unless that is known of the low end alone: a program may have the same fastest
    /// executions as another, and yet be slow more often. Then the ratio of all must be within the
    /// margin too; where there are modes that of the means, since the same levels may have other
    /// shares.
    fn same_for_all(&self, estimator: Estimator) -> Verdict {
        let is_low = estimator == Estimator::Minimum;
        let of_all = match &self.measured {
            Some([measured, _]) => self.estimate(measured, Estimator::Mean),
            None if !is_low => return Verdict::Same,
            None if self.modes.is_some() => self.estimate(&self.both, Estimator::Mean),
            None => self.estimate(&self.both, Estimator::AllRatios),
        };
        let of_all = of_all.map(|all| Verdict::of(&all, self.rules.better, self.rules.margin));
        if of_all == Some(Verdict::Same) { Verdict::Same } else { Verdict::Unclear }
    }

    fn level(&self) -> f64 {
        self.look.level / 2.0
    }

    /// The estimator, by what is known of the host: neighbours in time where its speed moves, else
    /// all executions.
    fn choose(&self) -> EstimatorChoice {
        let of_both = self.both.interleaved();
        let choice = match (self.rules.estimator, of_both) {
            _ if self.modes.is_some_and(|modes| modes.judged_by == ModeComparison::Means) => {
                EstimatorChoice::plain(Estimator::Mean, ChoiceReason::Modes)
            }
            (Some(estimator), _) => EstimatorChoice::plain(estimator, ChoiceReason::Asked),
            (None, _) if self.both.has_levels() => {
                EstimatorChoice::plain(Estimator::Median, ChoiceReason::Levels)
            }
            (None, Some(both)) if both.fit().moves && both.rounds() >= ENOUGH => {
                let choice = EstimatorChoice::plain(Estimator::Neighbours, ChoiceReason::HostMoves);
                EstimatorChoice { gain: self.gain(), ..choice }
            }
            (None, _) => EstimatorChoice::plain(Estimator::AllRatios, ChoiceReason::Steady),
        };
        EstimatorChoice { uneven: of_both.map(|both| both.fit().uneven()), ..choice }
    }

    /// How many times as many samples all ratios would need.
    fn gain(&self) -> Option<f64> {
        let width = |estimator: Estimator| {
            self.both.bounds(estimator, self.level()).map(|(low, high)| high - low)
        };
        let (all, neighbours) = (width(Estimator::AllRatios)?, width(Estimator::Neighbours)?);
        Some((all / neighbours).powi(2)).filter(|gain| gain.is_finite())
    }

    /// The median beside all others; where it lies between modes, or is itself the first, another.
    fn second(&self, first: Estimator) -> Estimator {
        match first {
            Estimator::Median if self.both.has_levels() => Estimator::Mean,
            Estimator::Median | Estimator::Mean => Estimator::AllRatios,
            _ if self.modes.is_some() => Estimator::Mean,
            _ => Estimator::Median,
        }
    }

    fn estimate(&self, both: &BoundContrasts, estimator: Estimator) -> Option<Estimate> {
        both.estimate(estimator, &self.look, self.margin(), self.clock.error)
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

    /// Nothing of what reached limits: they hide how far values vary.
    fn detectable(&self, both: &BoundContrasts, estimator: Estimator) -> Option<f64> {
        if limited(&self.a) + limited(&self.b) > 0 {
            return None;
        }
        let (low, high) = both.bounds(estimator, self.level())?;
        let power = 1.0 + normal_quantile(0.8) / normal_quantile(1.0 - self.level());
        let shift = (high - low) / 2.0 * power + self.clock.error;
        match self.scale {
            Scale::Ratio => Some(shift.exp_m1()),
            // Nothing moved, as most values are the same: that shows no smallest difference.
            Scale::Difference if shift <= 0.0 => None,
            Scale::Difference => {
                both.centre_of_a().filter(|&centre| centre > 0.0).map(|centre| shift / centre)
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
        let of = |both: &BoundContrasts, estimator: Estimator, level: f64| {
            let Some(bounds) = both.bounds(estimator, level / 2.0) else {
                let is_exact = limited(&self.a) + limited(&self.b) == 0;
                return is_exact.then(|| both.until_an_interval(estimator, level / 2.0)).flatten();
            };
            more(rounds, both.shift(estimator)?, bounds, [self.margin(), self.clock.error], level)
        };
        if let Some([measured, _]) =
            self.measured.as_ref().filter(|_| notes.contains(&Note::MeansOpen))
        {
            // The more there are, the surer do they point to opposite sides.
            let is_opposite = self.both.shift(estimator)? * measured.shift(Estimator::Mean)? <= 0.0;
            let level = self.look.level * DIRECTIONS / OF_LEVELS;
            return of(measured, Estimator::Mean, level).filter(|_| !is_opposite);
        }
        let of = |both: &BoundContrasts, estimator: Estimator| of(both, estimator, self.look.level);
        let levels = of(&self.both, estimator)?;
        // The same they are only if the means are, too.
        let is_near = self.both.shift(estimator)?.abs() <= self.margin() / 2.0;
        match self.measured.as_ref().filter(|_| is_near) {
            Some([measured, _]) => of(measured, Estimator::Mean)
                .filter(|means| means.rounds > levels.rounds)
                .or(Some(levels)),
            None => Some(levels),
        }
    }

    /// From how many rounds on there is an interval, of sides of which both have samples.
    fn fewest(&self, estimator: Estimator) -> Option<usize> {
        let has_some = !self.a.is_empty() && !self.b.is_empty();
        self.both.fewest_with_an_interval(estimator, self.level()).filter(|_| has_some)
    }

    fn rank_test(&self, estimator: Estimator) -> RankTest {
        let two_sided = |p: [f64; 2]| (2.0 * p[0].min(p[1])).min(1.0);
        let [up, down] =
            self.measured.as_ref().map_or(&self.both, |[measured, _]| measured).directions();
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
        ];
        notes.into_iter().flatten().collect()
    }
}

/// How many samples reached a limit.
fn limited(side: &[SampleValue]) -> usize {
    side.iter().filter(|sample| !sample.is_exact()).count()
}
