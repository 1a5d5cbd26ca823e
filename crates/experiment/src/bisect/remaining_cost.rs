//! The remaining cost of a small effect in noise, from the noise that both ends show.

use tacho_record::Bisection;
use tacho_record::bisection::{BisectionState, Stage, ValueSource};
use tacho_report::bisection::noise;

use super::expected_cost::samples_of;

/// Fewer samples are soon taken.
const MANY: f64 = 500.0;
/// Values that vary by this many times as much as expected make the expectation wrong: the samples
/// that are needed grow with the square.
const MORE: f64 = 1.5;
/// The fewest samples of each end by which a time is forecast: of fewer, one outlier makes hours of
/// seconds.
const BASIS: usize = 12;

/// The remaining cost of a long bisection; `sd` is the standard deviation of a sample on the scale
/// of the effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RemainingCost {
    /// Values vary more than was expected, and the expected cost is wrong.
    NoisierThanExpected {
        /// How values vary.
        sd: f64,
    },
    /// A change of the least effect may take many samples.
    Many {
        /// How values vary.
        sd: f64,
        /// About how many samples.
        samples: f64,
        /// Seconds that they take, builds left out.
        seconds: f64,
        /// Whether the cost exceeds the budget.
        is_over_budget: bool,
    },
}

impl RemainingCost {
    /// The remaining cost of a bisection that does not show yet whether anything changed;
    /// `expected` is the expected variation of values. `None` if the ends have too few samples, or
    /// if a few more suffice.
    #[must_use]
    pub fn of(bisection: &Bisection, expected: Option<f64>) -> Option<Self> {
        let standing = &bisection.standing;
        let is_proving =
            standing.found.is_none() && standing.stage == Stage::Proving && has_basis(bisection);
        let sd = noise(bisection).filter(|_| is_proving)?;
        let samples =
            samples_of(&bisection.asked, None, 0.0, sd).filter(|samples| *samples >= MANY)?;
        if expected.is_some_and(|expected| sd > MORE * expected) {
            return Some(Self::NoisierThanExpected { sd });
        }
        let spent = if bisection.asked.of == ValueSource::Build {
            standing.building
        } else {
            standing.executing
        };
        let seconds = samples * spent / standing.samples.max(1) as f64;
        let is_over_budget = bisection.asked.own_budget().is_some_and(|budget| seconds > budget);
        Some(Self::Many { sd, samples, seconds, is_over_budget })
    }
}

/// Whether both ends have enough samples, and these do not show a change yet. A change that they
/// show is found soon, whatever the least effect.
fn has_basis(bisection: &Bisection) -> bool {
    let BisectionState { ends, ladder, change, .. } = &bisection.standing;
    let has_enough = |place: usize| {
        let rung = ladder.iter().find(|it| it.is_of(place));
        rung.is_some_and(|rung| rung.samples >= BASIS)
    };
    let is_open = |(low, high): (f64, f64)| low <= 0.0 && 0.0 <= high;
    has_enough(ends.0)
        && has_enough(ends.1)
        && change.as_ref().is_none_or(|change| is_open(change.interval))
}

#[cfg(test)]
mod tests {
    use tacho_record::bisection::BisectionRequest;

    use super::super::example::bisection;
    use super::*;

    /// One with so many samples of each end, which vary by that.
    fn with_ends(stage: &str, taken: usize, sd: f64) -> Bisection {
        let rung = |place: usize| {
            serde_json::json!({
                "place": place, "revision": "r", "same_to": place, "samples": taken, "level": 1e9,
                "error": sd / (taken as f64).sqrt()
            })
        };
        let mut bisection = bisection(stage);
        bisection.standing.ladder = serde_json::from_value([rung(0), rung(9999)].into()).unwrap();
        bisection.standing.executing = bisection.standing.samples as f64 * 2.0;
        bisection
    }

    #[test]
    fn a_change_within_noise_takes_long() {
        let of = |sd: f64, taken: usize, stage: &str, expected: Option<f64>| {
            RemainingCost::of(&with_ends(stage, taken, sd), expected)
        };
        let Some(RemainingCost::Many { sd, samples, seconds, is_over_budget }) =
            of(0.1, 12, "proving", Some(0.09))
        else {
            panic!("it takes many samples")
        };
        assert!((sd - 0.1).abs() < 1e-9 && (5050.0..5150.0).contains(&samples), "{sd} {samples}");
        assert!((seconds - 2.0 * samples).abs() < 1e-6 && !is_over_budget);
        let noisier = of(0.1, 12, "proving", Some(0.01));
        assert!(matches!(noisier, Some(RemainingCost::NoisierThanExpected { .. })), "{noisier:?}");
        assert_eq!(of(0.1, 11, "proving", None), None, "too few samples");
        assert_eq!(of(0.02, 12, "proving", None), None, "few more will do");
        assert_eq!(of(0.1, 12, "searching", None), None, "the ends differ");
    }

    #[test]
    fn a_budget_that_is_too_short_is_seen() {
        let is_over = |budget: f64| {
            let mut bisection = with_ends("proving", 12, 0.1);
            bisection.asked.budget = Some(budget);
            let cost = RemainingCost::of(&bisection, None);
            matches!(cost, Some(RemainingCost::Many { is_over_budget: true, .. }))
        };
        assert!(is_over(3600.0) && !is_over(36_000.0));
    }

    #[test]
    fn a_change_that_the_ends_show_is_soon_found() {
        let mut bisection = with_ends("proving", 12, 0.1 * 12_f64.sqrt());
        let mut with = |interval: (f64, f64)| {
            let change = serde_json::json!({ "estimate": 0.9, "interval": interval });
            bisection.standing.change = serde_json::from_value(change).unwrap();
            RemainingCost::of(&bisection, None).is_some()
        };
        assert!(with((-0.2, 2.0)) && !with((0.3, 1.5)));
    }

    #[test]
    fn samples_agree_with_what_was_simulated() {
        // Standard deviation, step, and samples as in `docs/src/method`.
        for (sd, step, simulated) in
            [(0.01, 0.02, 89.0), (0.01, 0.05, 32.0), (0.03, 0.05, 113.0), (0.1, 0.2, 99.0)]
        {
            let asked = BisectionRequest { least: step, ..bisection("proving").asked };
            let said = samples_of(&asked, None, 0.0, sd).unwrap();
            assert!((said / simulated - 1.0_f64).abs() < 0.25, "{said} {simulated}");
        }
    }
}
