//! A against B, with everything that is said of it.

use super::estimate::Both;
use super::sample::{self, Sample, Scale};
use super::{Better, Estimate, Estimator, Look, Size, Verdict};

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
    /// The step of the clock; 0 where values are exact; `None` leaves it to the values.
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
    /// Whether there is a difference, however small.
    pub significant: bool,
    /// How large it is, whether certain or not.
    pub size: Size,
    /// The one that decides.
    pub estimate: Option<Estimate>,
    /// Another one, for whoever doubts.
    pub second: Option<Estimate>,
    /// Samples of A, of B, and rounds with both.
    pub counts: Counts,
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

/// Compares, as this look may.
#[must_use]
pub fn compare(sides: &Sides, rules: &Rules, look: Look) -> Comparison {
    let (a, b) = (sample::finite(sides.a), sample::finite(sides.b));
    let scale = Scale::of(&[&a, &b]);
    let both = Both::of(scale, &a, &b, rules.seed);
    let counts = Counts { a: a.len(), b: b.len(), rounds: sample::rounds(&a, &b).len() };
    let estimator = rules.estimator.unwrap_or(Estimator::AllRatios);
    let second = if estimator == Estimator::Median { Estimator::AllRatios } else { Estimator::Median };
    let margin = rules.margin.ln_1p();
    let estimate = both.estimate(estimator, look.level, margin, 0.0);
    let verdict = estimate.map_or(Verdict::Unclear, |e| Verdict::of(&e, rules.better, rules.margin));
    Comparison {
        verdict,
        significant: estimate.is_some_and(|estimate| estimate.sign() != 0),
        size: estimate.map_or(Size::Open, |estimate| Size::of(&estimate, rules.margin)),
        estimate,
        second: both.estimate(second, look.level, margin, 0.0),
        counts,
    }
}
