//! A against B, with everything that is said of it.

use super::choice::{self, Choice};
use super::estimate::Both;
use super::modes::Modes;
use super::more::{More, more};
use super::relabel::Null;
use super::resolution::Clock;
use super::sample::{self, Sample, Scale};
use super::{Better, Estimate, Estimator, Look, Size, Verdict, ranks};
use crate::distribution::normal_quantile;

/// What is compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sides<'a> {
    /// What the other is compared with.
    pub a: &'a [Sample],
    /// What is compared.
    pub b: &'a [Sample],
    /// A a second time, measured as B was; empty where there is none.
    pub control: &'a [Sample],
}

/// How to compare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Which way is better.
    pub better: Better,
    /// The ratio up to which two are the same is 1 + this.
    pub margin: f64,
    /// How the ratio is taken; `None` leaves it to the control.
    pub estimator: Option<Estimator>,
    /// The step of the clock, in the metric's unit; 0 where values are exact, as counts are; `None` finds it.
    pub resolution: Option<f64>,
    /// Where drawing begins: the same seed, the same result.
    pub seed: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { better: Better::Lower, margin: 0.01, estimator: None, resolution: None, seed: 0 }
    }
}

/// What is said of B against A.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// In a word.
    pub verdict: Verdict,
    /// Whether there is a difference, however small: whether the interval that is shown excludes none.
    pub significant: bool,
    /// How large it is, whether certain or not.
    pub size: Size,
    /// The one that decides; absent when a side has no samples.
    pub estimate: Option<Estimate>,
    /// Another one, for whoever doubts.
    pub second: Option<Estimate>,
    /// Which decides, and why.
    pub choice: Choice,
    /// The rank test beside it.
    pub rank_test: RankTest,
    /// Samples of A, of B, and rounds with both.
    pub counts: Counts,
    /// What the control differs from A, by the estimator that decides: what is seen when nothing differs.
    pub control: Option<Estimate>,
    /// The smallest difference that this run would have told with a chance of 80 %: 0.02 is 2 % either way, by ratio.
    pub detectable: Option<f64>,
    /// How many more would settle it, when it is unclear.
    pub more: Option<More>,
    /// Several modes, if a side has them.
    pub modes: Option<Modes>,
    /// What should be said beside.
    pub notes: Vec<Note>,
    /// The look's level and share, by which the rows of a family are judged together.
    pub look: Look,
}

/// How many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Samples of A.
    pub a: usize,
    /// Samples of B.
    pub b: usize,
    /// Rounds with both.
    pub rounds: usize,
}

/// A test that knows only which is larger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RankTest {
    /// Mann & Whitney's, of all samples: its two-sided chance.
    MannWhitney(f64),
    /// Wilcoxon's of signed ranks, of the rounds: its two-sided chance.
    Wilcoxon(f64),
}

/// What should be said beside a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Note {
    /// Some values are zero or negative: compared by difference, the ratio is that to A's centre.
    ByDifference,
    /// So many of A's and of B's samples reached a limit.
    Limited(usize, usize),
    /// The clock's step, in the metric's unit, is so coarse that the interval was widened by it.
    Coarse(f64),
    /// The second estimate says the opposite for certain: no verdict.
    Contradicted,
    /// The control differs from A for certain, and no less than B does: no verdict.
    NotBeyondControl,
    /// The sides are of different runs: what runs of one program differ by, as a relative standard deviation, is in the interval;
    /// `assumed` where too little is known of the host to tell it.
    BetweenRuns {
        /// The standard deviation.
        deviation: f64,
        /// Whether it is that of hosts of which nothing is known.
        assumed: bool,
    },
    /// The sides are of different runs, and some values are zero or negative, which have no ratio.
    NotPositive,
    /// Both were executed at the same time on two CPUs, of which one has so many times as much of the metric as the other: taken
    /// away before.
    Places(f64),
    /// Too few samples for an interval at this look.
    Few,
}

/// Compares, as this look may.
#[must_use]
pub fn compare(sides: &Sides, rules: &Rules, look: Look) -> Comparison {
    Work::new(sides, rules, look).finish()
}

/// All that is worked with.
struct Work {
    a: Vec<Sample>,
    b: Vec<Sample>,
    control: Vec<Sample>,
    scale: Scale,
    both: Both,
    rules: Rules,
    look: Look,
    clock: Clock,
}

impl Work {
    fn new(sides: &Sides, rules: &Rules, look: Look) -> Self {
        let [a, b, control] = [sides.a, sides.b, sides.control].map(sample::finite);
        let scale = Scale::of(&[&a, &b, &control]);
        let both = Both::of(scale, &a, &b, rules.seed);
        let clock = Clock::of(scale, &a, &b, rules.resolution);
        Self { a, b, control, scale, both, rules: *rules, look, clock }
    }

    fn finish(self) -> Comparison {
        let (choice, null) = self.choose();
        let estimate = self.estimate(&self.both, choice.estimator);
        let modes = Modes::of(self.scale, self.both.a(), self.both.b(), self.clock.compared_step);
        let second = self.estimate(&self.both, self.second(choice.estimator, modes.is_some()));
        let of_control = Both::of(self.scale, &self.a, &self.control, self.rules.seed);
        let control = self.estimate(&of_control, choice.estimator);
        let notes = self.notes(estimate.as_ref(), second.as_ref(), control.as_ref());
        let is_refuted = notes.iter().any(|n| matches!(n, Note::Contradicted | Note::NotBeyondControl));
        let verdict = match &estimate {
            Some(estimate) if !is_refuted => Verdict::of(estimate, self.rules.better, self.rules.margin),
            _ => Verdict::Unclear,
        };
        let verdict = if verdict == Verdict::Same { self.same_for_all(choice.estimator) } else { verdict };
        Comparison {
            verdict,
            significant: estimate.is_some_and(|estimate| estimate.is_significant()),
            size: estimate.map_or(Size::Open, |estimate| Size::of(&estimate, self.rules.margin)),
            detectable: self.detectable(choice.estimator, null.as_ref()),
            more: (verdict == Verdict::Unclear).then(|| self.more(choice.estimator)).flatten(),
            rank_test: self.rank_test(choice.estimator),
            counts: Counts {
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

    /// *Same*, unless that is known of the low end alone: a program may have the same fastest executions as another,
    /// and yet be slow more often. Then the ratio of all must be within the margin too.
    fn same_for_all(&self, estimator: Estimator) -> Verdict {
        if !matches!(estimator, Estimator::Minimum | Estimator::LowDecile) {
            return Verdict::Same;
        }
        let of_all = self.estimate(&self.both, Estimator::AllRatios);
        let of_all = of_all.map(|all| Verdict::of(&all, self.rules.better, self.rules.margin));
        if of_all == Some(Verdict::Same) { Verdict::Same } else { Verdict::Unclear }
    }

    fn level(&self) -> f64 {
        self.look.level / 2.0
    }

    fn choose(&self) -> (Choice, Option<Null>) {
        if let Some(choice) = Choice::given(self.rules.estimator, self.both.has_levels()) {
            return (choice, None);
        }
        let (null, is_control) =
            choice::null(self.scale, &self.a, &self.b, &self.control, self.level(), self.rules.seed);
        (Choice::by(self.scale, &null, is_control, self.level()), Some(null))
    }

    /// The median beside all others; where it lies between modes, or is itself the first, another.
    fn second(&self, first: Estimator, has_modes: bool) -> Estimator {
        match first {
            Estimator::Median if self.both.has_levels() => Estimator::Mean,
            Estimator::Median | Estimator::Mean => Estimator::AllRatios,
            _ if has_modes => Estimator::Mean,
            _ => Estimator::Median,
        }
    }

    fn estimate(&self, both: &Both, estimator: Estimator) -> Option<Estimate> {
        both.estimate(estimator, &self.look, self.margin(), self.clock.error)
    }

    /// As values are compared.
    fn margin(&self) -> f64 {
        match self.scale {
            Scale::Ratio => self.rules.margin.ln_1p(),
            Scale::Difference => self.rules.margin * self.both.centre_of_a().unwrap_or(0.0).max(0.0),
        }
    }

    fn detectable(&self, estimator: Estimator, null: Option<&Null>) -> Option<f64> {
        let from_null = || null.and_then(|null| null.detectable(estimator, self.level()));
        let from_width = || {
            let (low, high) = self.both.bounds(estimator, self.level())?;
            Some((high - low) / 2.0 * (1.0 + normal_quantile(0.8) / normal_quantile(1.0 - self.level())))
        };
        let shift = from_null().or_else(from_width)? + self.clock.error;
        match self.scale {
            Scale::Ratio => Some(shift.exp_m1()),
            // Nothing moved, as most values are the same: that tells no smallest difference.
            Scale::Difference if shift <= 0.0 => None,
            Scale::Difference => {
                self.both.centre_of_a().filter(|&centre| centre > 0.0).map(|centre| shift / centre)
            }
        }
        .filter(|detectable| detectable.is_finite())
    }

    fn more(&self, estimator: Estimator) -> Option<More> {
        let bounds = self.both.bounds(estimator, self.level())?;
        let rounds = self.a.len().min(self.b.len());
        more(rounds, self.both.shift(estimator)?, bounds, self.margin(), self.look.level)
    }

    fn rank_test(&self, estimator: Estimator) -> RankTest {
        let two_sided = |p: [f64; 2]| (2.0 * p[0].min(p[1])).min(1.0);
        let [up, down] = self.both.directions();
        if estimator.is_paired() {
            RankTest::Wilcoxon(two_sided([up, down].map(|way| ranks::signed_ranks_above(&way.rounds))))
        } else {
            RankTest::MannWhitney(two_sided([up, down].map(|way| ranks::rank_sum_above(&way.a, &way.b))))
        }
    }

    fn notes(
        &self,
        first: Option<&Estimate>,
        second: Option<&Estimate>,
        control: Option<&Estimate>,
    ) -> Vec<Note> {
        let limited = |side: &[Sample]| side.iter().filter(|sample| sample.low() != sample.high()).count();
        let (a, b) = (limited(&self.a), limited(&self.b));
        let sign = |estimate: Option<&Estimate>| estimate.map_or(0, Estimate::sign);
        let opposite = sign(first) * sign(second) < 0;
        let far = |estimate: &Estimate| estimate.difference.abs();
        let not_beyond = sign(control) != 0 && first.zip(control).is_some_and(|(b, a)| far(b) <= far(a));
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
