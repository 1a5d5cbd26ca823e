//! A against B, with everything that is said of it.

use super::choice::EstimatorChoice;
use super::modes::SharedModes;
use super::sample::SampleValue;
use super::sample_size::{MoreSamples, settling};
use super::{Better, Estimate, Estimator, Look, RunEffectPrior, Size, Verdict};
use crate::waiting::WaitedShare;

/// The sides of a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sides<'a> {
    /// The baseline.
    pub a: &'a [SampleValue],
    /// The program compared with the baseline.
    pub b: &'a [SampleValue],
    /// A a second time, measured as B was; empty if there is no control.
    pub control: &'a [SampleValue],
}

/// How to compare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparisonRules {
    /// Which way is better.
    pub better: Better,
    /// The ratio up to which two are the same is 1 + this.
    pub margin: f64,
    /// How the ratio is taken; `None` leaves it to the host and the modes.
    pub estimator: Option<Estimator>,
    /// The step of the clock, in the metric's unit; 0 where values are exact, as counts are; `None`
    /// finds it.
    pub resolution: Option<f64>,
    /// The variation between single values of one program, if there can be no more values; `None`
    /// if more rounds give more values.
    pub once: Option<RunEffectPrior>,
}

impl Default for ComparisonRules {
    fn default() -> Self {
        Self { better: Better::Lower, margin: 0.01, estimator: None, resolution: None, once: None }
    }
}

/// The result of B against A.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// In a word.
    pub verdict: Verdict,
    /// Whether there is a difference, however small: whether the displayed interval excludes no
    /// difference.
    pub significant: bool,
    /// How large it is, whether certain or not.
    pub size: Size,
    /// The one that decides; absent when a side has no samples.
    pub estimate: Option<Estimate>,
    /// Another estimate, for comparison.
    pub second: Option<Estimate>,
    /// The deciding estimator, and the reason.
    pub choice: EstimatorChoice,
    /// The rank test beside it.
    pub rank_test: RankTest,
    /// Samples of A, of B, and rounds with both.
    pub counts: SampleSizes,
    /// The difference of the control from A, by the deciding estimator: the difference seen without
    /// a real one.
    pub control: Option<Estimate>,
    /// The smallest difference that this run would have detected with a chance of 80 %: 0.02 is 2 %
    /// either way, by ratio.
    pub detectable: Option<f64>,
    /// How many more would decide, when it is unclear.
    pub more: Option<MoreSamples>,
    /// If there is no interval yet: the number of samples of each side that gives one.
    pub fewest: Option<usize>,
    /// Several modes, if a side has them.
    pub modes: Option<SharedModes>,
    /// The remarks.
    pub notes: Vec<Note>,
    /// The look's level and share, by which the rows of a family are judged together.
    pub look: Look,
}

impl Comparison {
    /// How long each side waited for a CPU, where that is against a verdict.
    #[must_use]
    pub fn waited(&self) -> Option<WaitNote> {
        self.notes
            .iter()
            .find_map(|note| if let Note::Waited(it) = note { Some(*it) } else { None })
    }

    /// The number of further samples that would decide whether B's ratio to A is above or below
    /// this one. `None` if a side is of an earlier run, if a certain obstacle prevents a verdict,
    /// or if steps or limits hide the variation.
    #[must_use]
    pub fn more_against(&self, ratio: f64) -> Option<MoreSamples> {
        let hides = |note: &Note| {
            note.is_refuting()
                || matches!(
                    note,
                    Note::BetweenRuns { .. } | Note::Coarse(_) | Note::Limited(..) | Note::Once(_)
                )
        };
        let estimate = self.estimate.filter(|_| !self.notes.iter().any(hides))?;
        let ((low, high), found) = estimate.repeated.zip(estimate.ratio)?;
        let rounds = self.counts.a.min(self.counts.b);
        let away = (found / ratio).ln();
        settling(rounds, away.abs(), (low.ln(), high.ln()), self.look.level)
    }
}

/// How many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleSizes {
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

/// A remark beside a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Note {
    /// Some values are zero or negative: compared by difference, the ratio is that to A's centre.
    ByDifference,
    /// The numbers of A's and of B's samples that reached a limit.
    Limited(usize, usize),
    /// The clock's step, in the metric's unit, is so coarse that the interval was widened by it.
    Coarse(f64),
    /// The second estimate says the opposite for certain: no verdict.
    Contradicted,
    /// The control differs from A for certain, by as much as B or more: no verdict.
    NotBeyondControl,
    /// The sides are of different runs: what runs of one program differ by, as a relative standard
    /// deviation, is in the interval; `assumed` where too little is known of the host to say.
    BetweenRuns {
        /// The standard deviation.
        deviation: f64,
        /// Whether the deviation is the assumption for unknown hosts.
        assumed: bool,
    },
    /// Both were executed at the same time on two CPUs, of which one has this many times as much of
    /// the metric as the other: taken away before.
    Places(f64),
    /// Too few samples for an interval at this look.
    Few,
    /// Counted once a side: what counts of one program differ by, as a relative standard deviation,
    /// is in the interval.
    Once(f64),
    /// Programs waited for a CPU that others used, which may have brought about what wall times
    /// say: no verdict.
    Waited(WaitNote),
    /// Some values are apart from the others, and are too few to distinguish two modes from
    /// outliers: the sides are not called the same yet.
    MayHaveModes,
}

/// How long programs waited for a CPU, and what their CPU times say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaitNote {
    /// The time of waiting by all time, of A and of B: 0.97 is 97 %.
    pub shares: [WaitedShare; 2],
    /// The ratio of B's CPU time to A's with its interval, if there is one.
    pub by_cpu: Option<(f64, (f64, f64))>,
}

impl Comparison {
    /// Whether more samples may show that a side has two modes, which then decide the ratio.
    #[must_use]
    pub fn may_have_modes(&self) -> bool {
        self.notes.contains(&Note::MayHaveModes)
    }
}

impl Note {
    /// In a word: `not-beyond-control`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ByDifference => "by-difference",
            Self::Limited(..) => "limited",
            Self::Coarse(_) => "coarse",
            Self::Contradicted => "contradicted",
            Self::NotBeyondControl => "not-beyond-control",
            Self::BetweenRuns { .. } => "between-runs",
            Self::Places(_) => "places",
            Self::Few => "few",
            Self::Once(_) => "once",
            Self::Waited(_) => "waited",
            Self::MayHaveModes => "may-have-modes",
        }
    }

    /// Whether another certain fact contradicts a verdict, so that more samples of the same kind
    /// give none.
    #[must_use]
    pub fn is_refuting(&self) -> bool {
        matches!(self, Self::Contradicted | Self::NotBeyondControl | Self::Waited(_))
    }
}
