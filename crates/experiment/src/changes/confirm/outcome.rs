//! The outcome of a confirmation, from the samples of both sides of a change.

use tacho_record::{Change, Metric, Outcome, RepeatMeasurement, Sample};
use tacho_stats::compare::{
    Comparison, ComparisonRules, Look, SampleValue, Sides, Verdict, compare, judge_together,
};
use tacho_stats::{Bound, BoundedValue};

use crate::analysis::estimator::resolution;
use crate::analysis::execution_times::busy_share;
use crate::changes::FALSE_SHARE;

/// A change is not reproduced when no more than this share of it can be there, of the logarithms of
/// its ratio.
const LEFT: f64 = 0.25;

/// The samples of both sides of a change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfirmationSamples {
    before: Vec<SampleValue>,
    after: Vec<SampleValue>,
    /// The number of layouts of each side; 0 for a single build.
    layouts: u32,
    /// Whether the size of the environment varied.
    environments: bool,
    /// The step of the metric's values, where it is known; 0 of counts.
    resolution: Option<f64>,
    /// Busy time by wall time of both sides; `None` if one of them is not read.
    busy_share: Option<f64>,
    /// How the first execution failed that did.
    failure: Option<String>,
}

/// The finding.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfirmationFinding {
    /// In a word.
    pub outcome: ConfirmationVerdict,
    /// In numbers.
    pub again: RepeatMeasurement,
    /// How it was measured, where one build alone differed.
    pub how: Option<String>,
    /// Whether the commit is surely the cause, and not the layout of one build.
    pub is_commits: bool,
    /// Busy time by wall time of both sides; `None` if one of them is not read.
    pub busy_share: Option<f64>,
}

/// The verdict of measuring both sides again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmationVerdict {
    /// They differ as was found.
    Confirmed,
    /// They do not.
    NotReproduced,
    /// The samples are not conclusive.
    Open {
        /// After this number of rounds they probably would be, if that is known.
        rounds: Option<u32>,
        /// In this number of layouts, where each side has several and more rounds would not.
        layouts: Option<u32>,
    },
}

impl ConfirmationSamples {
    /// The counting values of a metric among these samples, which are those of each build of both
    /// sides.
    #[must_use]
    pub fn of(metric: &Metric, before: &[Vec<Sample>], after: &[Vec<Sample>]) -> Self {
        let all = || before.iter().chain(after).flatten();
        let busy_share = busy_share(all());
        let reported = all().filter(|sample| sample.outcome.is_failure());
        let failure =
            reported.filter_map(|sample| sample.outcome.described()).map(|(line, _)| line).next();
        let layouts = before.len().min(after.len());
        let layouts = if layouts > 1 { u32::try_from(layouts).unwrap_or(u32::MAX) } else { 0 };
        let (before, after) = (in_layouts(metric, before), in_layouts(metric, after));
        let resolution = resolution(metric, [&before, &after]);
        Self { before, after, layouts, environments: false, resolution, busy_share, failure }
    }

    /// The same, of environments of another size each time.
    #[must_use]
    pub fn in_environments(self, environments: bool) -> Self {
        Self { environments, ..self }
    }

    /// How many samples there are of the side that has fewer.
    fn fewest(&self) -> usize {
        self.before.len().min(self.after.len())
    }
}

/// The samples of a side, each in its layout where there are several.
fn in_layouts(metric: &Metric, builds: &[Vec<Sample>]) -> Vec<SampleValue> {
    if let [build] = builds {
        return counting(metric, build);
    }
    let of = |(layout, build): (u32, &Vec<Sample>)| {
        counting(metric, build).into_iter().map(move |sample| sample.of_layout(layout))
    };
    (0..).zip(builds).flat_map(of).collect()
}

/// The samples of a build, each in its round, so that those of one round are compared with each
/// other.
fn counting(metric: &Metric, taken: &[Sample]) -> Vec<SampleValue> {
    let counted = taken.iter().filter(|sample| sample.place.round > 0);
    let one = |taken: &Sample| {
        let sample = match taken.outcome {
            Outcome::Valid => SampleValue::new(taken.value(&metric.name)?),
            Outcome::LimitReached { .. } => SampleValue::new(taken.bound(metric)?).at_least(),
            _ => return None,
        };
        Some(sample.in_round(taken.place.round).at(taken.place.position))
    };
    counted.filter_map(one).collect()
}

/// Judges changes that were measured together; why nothing can be said of one where its samples are
/// missing.
#[must_use]
pub fn say(
    measured: &[(&Change, &ConfirmationSamples)],
    run: i64,
) -> Vec<Result<ConfirmationFinding, String>> {
    let compared: Vec<Comparison> =
        measured.iter().map(|(change, samples)| comparison(change, samples)).collect();
    let verdicts = judge_together(&compared, FALSE_SHARE);
    let all = measured.iter().zip(compared.iter().zip(verdicts));
    all.map(|((change, samples), (comparison, verdict))| {
        said(change, samples, comparison, verdict, run)
    })
    .collect()
}

fn comparison(change: &Change, samples: &ConfirmationSamples) -> Comparison {
    let sides = Sides { a: &samples.before, b: &samples.after, control: &[] };
    let rules = ComparisonRules {
        margin: margin(change),
        resolution: samples.resolution,
        ..ComparisonRules::default()
    };
    compare(&sides, &rules, Look::only(samples.fewest(), 0.05))
}

/// Up to which difference nothing is left of the change: as a ratio beyond 1.
fn margin(change: &Change) -> f64 {
    let Some(effect) = change.finding.effect else { return ComparisonRules::default().margin };
    let ratio = if effect > -1.0 { effect.ln_1p().abs() } else { f64::INFINITY };
    // A value that fell to zero or below is compared by difference: the share itself is used.
    if ratio.is_finite() { (LEFT * ratio).exp_m1() } else { LEFT * effect.abs() }
}

fn said(
    change: &Change,
    samples: &ConfirmationSamples,
    comparison: &Comparison,
    verdict: Verdict,
    run: i64,
) -> Result<ConfirmationFinding, String> {
    if samples.fewest() == 0 {
        let why = samples.failure.clone().unwrap_or_else(|| "no values are left".to_owned());
        return Err(format!("no execution of a side counts: {why}"));
    }
    let rose = change.finding.after > change.finding.before;
    let outcome = match verdict {
        Verdict::Slower if rose => ConfirmationVerdict::Confirmed,
        Verdict::Faster if !rose => ConfirmationVerdict::Confirmed,
        Verdict::Faster | Verdict::Slower | Verdict::Same => ConfirmationVerdict::NotReproduced,
        Verdict::Unclear => open(samples, comparison),
    };
    let finite = |number: f64| Some(number).filter(|number| number.is_finite());
    let estimate = comparison.estimate;
    let interval = estimate.and_then(|it| it.interval);
    let known = estimate.and_then(|it| it.known_ratio());
    let limited =
        |side: &[SampleValue]| side.iter().filter(|sample| sample.bound != Bound::Exact).count();
    let limited = [&samples.before, &samples.after]
        .map(|side| u32::try_from(limited(side)).unwrap_or(u32::MAX));
    let again = RepeatMeasurement {
        run,
        samples: u32::try_from(samples.fewest()).unwrap_or(u32::MAX),
        differs: match outcome {
            ConfirmationVerdict::Confirmed => Some(true),
            ConfirmationVerdict::NotReproduced => Some(false),
            ConfirmationVerdict::Open { .. } => None,
        },
        effect: known.and_then(BoundedValue::if_known).and_then(|ratio| finite(ratio - 1.0)),
        interval: interval.and_then(|(low, high)| finite(low - 1.0).zip(finite(high - 1.0))),
        limited: if known.is_some_and(|it| it.if_exact().is_none()) { limited } else { [0, 0] },
        layouts: samples.layouts,
        environments: samples.environments,
    };
    let busy_share = samples.busy_share;
    Ok(ConfirmationFinding { outcome, again, how: None, is_commits: false, busy_share })
}

/// Neither is clear, and what would probably make it so.
fn open(samples: &ConfirmationSamples, comparison: &Comparison) -> ConfirmationVerdict {
    let needed = rounds(samples, comparison);
    if samples.layouts == 0 {
        return ConfirmationVerdict::Open { rounds: needed, layouts: None };
    }
    // As many times as many layouts, not as many executions of the same ones.
    let done = samples.fewest().max(1) as u64;
    let layouts =
        needed.map(|needed| (u64::from(needed) * u64::from(samples.layouts)).div_ceil(done));
    let layouts = layouts.and_then(|layouts| u32::try_from(layouts).ok());
    ConfirmationVerdict::Open { rounds: None, layouts }
}

/// In how many rounds they probably would be conclusive.
fn rounds(samples: &ConfirmationSamples, comparison: &Comparison) -> Option<u32> {
    let done = samples.fewest();
    // Alone it would be reported; among all of these it needs to be surer.
    let alone = comparison.verdict != Verdict::Unclear;
    let more = comparison.more.map(|more| more.rounds).or(alone.then_some(done));
    u32::try_from(done + more?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::tests::change;

    /// Twenty rounds of both sides with these levels and this much noise: fixed, and another on
    /// each side.
    fn measured(before: f64, after: f64, noise: f64) -> ConfirmationSamples {
        let side = |level: f64, seed: u32| {
            let wobble = |round: u32| f64::from((round * seed) % 101) / 101.0 - 0.5;
            (1..=20)
                .map(|round| {
                    SampleValue::new(level * (1.0 + noise * wobble(round))).in_round(round)
                })
                .collect()
        };
        ConfirmationSamples {
            before: side(before, 7919),
            after: side(after, 104_729),
            ..ConfirmationSamples::default()
        }
    }

    fn outcome(effect: f64, samples: &ConfirmationSamples) -> ConfirmationVerdict {
        let change = change("c", "r1", "r2", effect);
        say(&[(&change, samples)], 1)[0].as_ref().unwrap().outcome
    }

    #[test]
    fn what_differs_as_was_found_is_confirmed() {
        assert_eq!(outcome(0.2, &measured(100.0, 120.0, 0.04)), ConfirmationVerdict::Confirmed);
        assert_eq!(outcome(-0.2, &measured(100.0, 80.0, 0.04)), ConfirmationVerdict::Confirmed);
        assert_eq!(
            outcome(0.2, &measured(100.0, 110.0, 0.04)),
            ConfirmationVerdict::Confirmed,
            "half of it is something"
        );
    }

    #[test]
    fn what_does_not_differ_or_the_other_way_is_not_reproduced() {
        assert_eq!(outcome(0.2, &measured(100.0, 100.0, 0.04)), ConfirmationVerdict::NotReproduced);
        assert_eq!(outcome(0.2, &measured(100.0, 80.0, 0.04)), ConfirmationVerdict::NotReproduced);
        assert_eq!(
            outcome(0.2, &measured(100.0, 102.0, 0.004)),
            ConfirmationVerdict::NotReproduced,
            "a tenth is left"
        );
    }

    #[test]
    fn what_is_too_noisy_stays_open_and_says_how_many_rounds_it_would_take() {
        let ConfirmationVerdict::Open { rounds, .. } = outcome(0.02, &measured(100.0, 101.0, 0.3))
        else {
            panic!("a fiftieth in so much noise")
        };
        assert!(rounds.is_some_and(|rounds| rounds > 20), "{rounds:?}");
    }

    #[test]
    fn the_numbers_are_those_of_the_samples_alone() {
        let change = change("c", "r1", "r2", 0.2);
        let samples = measured(100.0, 115.0, 0.02);
        let again = say(&[(&change, &samples)], 9)[0].clone().unwrap().again;
        assert_eq!((again.run, again.samples, again.differs), (9, 20, Some(true)));
        assert!((again.effect.unwrap() - 0.15).abs() < 0.01, "{again:?}");
        let (low, high) = again.interval.unwrap();
        assert!(low < 0.15 && 0.15 < high, "{again:?}");
    }

    #[test]
    fn an_effect_that_reached_a_limit_is_a_bound() {
        let change = change("c", "r1", "r2", 0.2);
        let cut = |side: &[SampleValue]| -> Vec<SampleValue> {
            side.iter().map(|sample| sample.at_least()).collect()
        };
        let plain = measured(100.0, 130.0, 0.02);
        let again =
            |samples: &ConfirmationSamples| say(&[(&change, samples)], 9)[0].clone().unwrap().again;
        assert_eq!(again(&plain).limited, [0, 0]);
        let after = ConfirmationSamples { after: cut(&plain.after), ..plain.clone() };
        assert_eq!((again(&after).limited, again(&after).differs), ([0, 20], Some(true)));
        let both = ConfirmationSamples { before: cut(&plain.before), ..after };
        assert_eq!(
            (again(&both).limited, again(&both).effect, again(&both).differs),
            ([20, 20], None, None)
        );
    }

    /// Five layouts of ten rounds on both sides, the layouts apart by this much.
    fn in_layouts(before: f64, after: f64, luck: f64) -> ConfirmationSamples {
        let side = |level: f64, seed: u32| {
            let lucky = move |layout: u32| f64::from((layout + 1) * seed % 11) / 11.0 - 0.5;
            let wobble = move |round: u32| f64::from((round * seed) % 101) / 101.0 - 0.5;
            let value = move |layout, round| {
                level * (1.0 + luck * lucky(layout)) * (1.0 + 0.004 * wobble(round))
            };
            let one = move |layout: u32| {
                (1..=10).map(move |round| {
                    SampleValue::new(value(layout, round)).in_round(round).of_layout(layout)
                })
            };
            (0..5).flat_map(one).collect()
        };
        ConfirmationSamples {
            before: side(before, 7919),
            after: side(after, 104_729),
            layouts: 5,
            environments: true,
            ..ConfirmationSamples::default()
        }
    }

    #[test]
    fn over_layouts_their_luck_is_the_noise() {
        assert_eq!(outcome(0.05, &in_layouts(100.0, 105.0, 0.01)), ConfirmationVerdict::Confirmed);
        assert_eq!(
            outcome(0.05, &in_layouts(100.0, 100.0, 0.005)),
            ConfirmationVerdict::NotReproduced
        );
        let ConfirmationVerdict::Open { rounds: None, layouts: Some(layouts) } =
            outcome(0.02, &in_layouts(100.0, 102.0, 0.1))
        else {
            panic!("luck of 3 % beside 2 %")
        };
        assert!(layouts > 5, "{layouts}");
        let change = change("c", "r1", "r2", 0.05);
        let samples = in_layouts(100.0, 105.0, 0.01);
        let again = say(&[(&change, &samples)], 9)[0].clone().unwrap().again;
        assert_eq!((again.layouts, again.environments, again.samples), (5, true, 50));
    }

    #[test]
    fn without_samples_nothing_is_said() {
        let change = change("c", "r1", "r2", 0.2);
        let failure = Some("exit 1".to_owned());
        let none = ConfirmationSamples { before: vec![], failure, ..measured(1.0, 1.0, 0.0) };
        let why = say(&[(&change, &none)], 1)[0].clone().unwrap_err();
        assert_eq!(why, "no execution of a side counts: exit 1");
    }
}
