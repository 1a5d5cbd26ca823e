//! Sides that were not measured in the same run, judged as whole comparisons are.

use super::choice::{ChoiceReason, EstimatorChoice};
use super::comparison::{ComparisonRules, Note, RankTest, SampleSizes};
use super::means::t_above;
use super::modes::SharedModes;
use super::order::sorted;
use super::run_effect::{
    RunEffectPrior, RunsComparison, compare_over_runs, deviation_of_one, means_over_runs,
    median_between_runs, variance_of_one,
};
use super::sample::{SampleValue, Scale, finite};
use super::{Comparison, Estimate, Estimator, Look, Size, Verdict, ranks};
use crate::Bound;
use crate::distribution::student_quantile;

/// Fewer values of a run do not show how much they vary.
const KNOWN: usize = 4;

/// Compares one run of A with one of B: they may be weeks apart, or what another tool wrote of
/// them.
///
/// The interval includes the variation between runs of one program, which `prior` gives. Two sides
/// of zeros are the same; if only some values are zero or negative, the difference is compared.
/// With modes the means are compared. Another run's mean may be anywhere between the modes, so the
/// prior includes the variation of the values. For a single count a run, the prior is the variation
/// between counts of one program. A run of fewer than four values is assumed to vary as the other
/// one does; if both have fewer, there is no result.
#[must_use]
pub fn compare_earlier(
    a: &[SampleValue],
    b: &[SampleValue],
    rules: &ComparisonRules,
    prior: RunEffectPrior,
    error: f64,
) -> Comparison {
    let (a, b) = (finite(a), finite(b));
    let prior = with_unknown_noise([&a, &b], rules, prior);
    let Some(prior) = prior else { return unknown(&a, &b, error) };
    let modes = modes(&a, &b);
    let over = match &modes {
        Some(_) => means_over_runs([&[&a], &[&b]], with_modes([&a, &b], prior), error),
        None => compare_over_runs(&[&a], &[&b], prior, error),
    };
    let estimate = over.map(|over| estimate(&over, &a, rules.margin));
    let estimate = estimate.or_else(|| by_difference(&a, &b, prior, (rules.margin, error)));
    // The variation that modes add is no difference between runs.
    let between = over.map(|over| if modes.is_some() { prior.deviation } else { over.deviation });
    let mut notes = notes(between, estimate.as_ref(), prior);
    // As where both are counted today.
    if let Some(over) = over.filter(|_| rules.once.is_some()) {
        notes = vec![Note::Once(over.deviation)];
    }
    let limited = [&a, &b].map(|side| side.iter().filter(|sample| !sample.is_exact()).count());
    if limited != [0, 0] {
        notes.push(Note::Limited(limited[0], limited[1]));
    }
    let verdict = estimate.map(|it| Verdict::of(&it, rules.better, rules.margin));
    Comparison {
        verdict: verdict.unwrap_or(Verdict::Unclear),
        significant: estimate.is_some_and(|estimate| estimate.is_significant()),
        size: estimate.map_or(Size::Open, |estimate| Size::of(&estimate, rules.margin)),
        estimate,
        detectable: over.filter(|_| limited == [0, 0]).map(|over| detectable(&over, error)),
        fewest: None,
        modes,
        notes,
        ..unknown(&a, &b, error)
    }
}

/// The variation between runs plus the noise of a run with few values, which do not show their
/// noise. The noise of the other side is used then; `None` if neither side shows it.
///
/// Counts have no noise.
fn with_unknown_noise(
    sides: [&[SampleValue]; 2],
    rules: &ComparisonRules,
    prior: RunEffectPrior,
) -> Option<RunEffectPrior> {
    let fewest = sides[0].len().min(sides[1].len());
    if fewest >= KNOWN || rules.once.is_some() || rules.resolution.is_some() {
        return Some(prior);
    }
    let larger = sides.into_iter().find(|side| side.len() >= KNOWN)?;
    let noise = variance_of_one(larger) / fewest.max(1) as f64;
    Some(RunEffectPrior { deviation: prior.deviation.hypot(noise.sqrt()), ..prior })
}

/// The comparison where noise is not known: nothing is reported.
fn unknown(a: &[SampleValue], b: &[SampleValue], error: f64) -> Comparison {
    let fewest = a.len().min(b.len());
    Comparison {
        verdict: Verdict::Unclear,
        significant: false,
        size: Size::Open,
        estimate: None,
        second: None,
        choice: EstimatorChoice::plain(Estimator::Runs, ChoiceReason::Earlier),
        rank_test: rank_test(a, b),
        counts: SampleSizes { a: a.len(), b: b.len(), rounds: fewest },
        control: None,
        detectable: None,
        // More samples of the same runs would not settle it.
        more: None,
        fewest: Some(KNOWN),
        modes: None,
        notes: vec![Note::Few],
        look: Look::only(fewest, error),
    }
}

/// The modes of both, where all values are positive and exact.
fn modes(a: &[SampleValue], b: &[SampleValue]) -> Option<SharedModes> {
    let is_exact = |sample: &SampleValue| sample.value > 0.0 && sample.is_exact();
    let logs = |side: &[SampleValue]| {
        sorted(&side.iter().map(|sample| Scale::Ratio.of_value(sample.value)).collect::<Vec<_>>())
    };
    let are_exact = a.iter().chain(b).all(is_exact);
    are_exact.then(|| SharedModes::of(Scale::Ratio, &logs(a), &logs(b), 0.0)).flatten()
}

/// The variation between means of runs, for programs that may be in either mode during the other
/// run. The degrees of freedom are Satterthwaite's (Biometrics Bulletin 2, 1946), as more is known
/// of how far modes are apart than of runs.
fn with_modes(sides: [&[SampleValue]; 2], prior: RunEffectPrior) -> RunEffectPrior {
    let apart = sides.map(deviation_of_one).into_iter().fold(0.0, f64::max);
    let values = sides.map(<[SampleValue]>::len).into_iter().min().unwrap_or(0);
    let [of_runs, of_modes] = [prior.deviation, apart].map(|deviation| deviation.powi(2));
    let terms = of_runs.powi(2) / prior.freedom + of_modes.powi(2) / values as f64;
    let freedom = (of_runs + of_modes).powi(2) / terms;
    RunEffectPrior { deviation: prior.deviation.hypot(apart), freedom, ..prior }
}

pub(super) fn estimate(over: &RunsComparison, a: &[SampleValue], margin: f64) -> Estimate {
    let (low, high) = over.interval;
    let mut values: Vec<f64> = a.iter().map(|sample| sample.value).collect();
    values.sort_by(f64::total_cmp);
    let centre = super::order::quantile(&values, 0.5).unwrap_or(0.0);
    let beside = margin.ln_1p() - over.ratio.ln().abs();
    // A centre without an upper bound gives no difference.
    let is_known = a.iter().all(SampleValue::is_exact);
    let end = |ratio: f64, without: f64, is_open: bool| {
        if is_open && !is_known { without } else { centre * (ratio - 1.0) }
    };
    let ends = |low: f64, high: f64| {
        (end(low, f64::NEG_INFINITY, low < 1.0), end(high, f64::INFINITY, high > 1.0))
    };
    Estimate {
        estimator: Estimator::Runs,
        ratio: Some(over.ratio),
        ratio_bound: over.bound,
        interval: Some(over.interval),
        repeated: Some(over.interval),
        difference: centre * (over.ratio - 1.0),
        difference_bound: match over.bound {
            bound if is_known => bound,
            Bound::AtMost if over.ratio <= 1.0 => Bound::AtMost,
            _ => Bound::Unknown,
        },
        difference_interval: Some(ends(low, high)),
        repeated_difference: Some(ends(low, high)),
        p: over.p.min(1.0),
        p_same: t_above(beside, over.standard_error, over.freedom),
    }
}

fn notes(deviation: Option<f64>, estimate: Option<&Estimate>, prior: RunEffectPrior) -> Vec<Note> {
    let between = |deviation| Note::BetweenRuns { deviation, assumed: prior.assumed };
    match (deviation, estimate) {
        (Some(deviation), _) => vec![between(deviation)],
        // Runs of zeros do not differ.
        (None, Some(it)) if it.difference_interval == Some((0.0, 0.0)) => vec![Note::ByDifference],
        (None, Some(_)) => vec![between(prior.deviation), Note::ByDifference],
        (None, None) => vec![Note::Few],
    }
}

/// The estimate for values of which some are zero or below, which have no ratio.
///
/// The variation between runs is a share, so it excludes nothing near zero. So the samples must
/// also differ by rank. `None` if there are too few samples for that, or if some reached a limit.
fn by_difference(
    a: &[SampleValue],
    b: &[SampleValue],
    prior: RunEffectPrior,
    (margin, error): (f64, f64),
) -> Option<Estimate> {
    if !a.iter().chain(b).all(SampleValue::is_exact) {
        return None;
    }
    let [a, b] =
        [a, b].map(|run| sorted(&run.iter().map(|sample| sample.value).collect::<Vec<_>>()));
    let fewest = a.len().min(b.len());
    if a.iter().chain(&b).all(|value| *value == 0.0) {
        let p_same = 0.5_f64.powi(i32::try_from(fewest).unwrap_or(i32::MAX));
        return (fewest >= super::FEWEST).then(|| difference(0.0, 0.0, 0.0, [1.0, p_same]));
    }
    ranks::shift_rank(a.len(), b.len(), error / 2.0)?;
    let (of_a, of_b) = (median_between_runs(&a, prior)?, median_between_runs(&b, prior)?);
    let (shift, standard_error) = (of_b.0 - of_a.0, (of_a.1 + of_b.1).sqrt());
    let by_rank = 2.0 * ranks::rank_sum_above(&a, &b).min(ranks::rank_sum_above(&b, &a));
    let p = (2.0 * t_above(shift.abs(), standard_error, prior.freedom)).max(by_rank).min(1.0);
    let reach = student_quantile(1.0 - error / 2.0, prior.freedom) * standard_error;
    // The interval shows no difference that ranks do not show.
    let reach = if p > error { reach.max(shift.abs()) } else { reach };
    let beside = margin * of_a.0.max(0.0) - shift.abs();
    let p_same = t_above(beside, standard_error, prior.freedom);
    Some(difference(of_a.0, shift, reach, [p, p_same]))
}

/// B above a centre of A, give or take `reach`, with the chances of a difference and of none.
fn difference(centre: f64, shift: f64, reach: f64, [p, p_same]: [f64; 2]) -> Estimate {
    let interval = (shift - reach, shift + reach);
    let is_ratio = centre > 0.0 && centre + interval.0 >= 0.0;
    let ratio = |by: f64| 1.0 + by / centre;
    let ratios = is_ratio.then(|| (ratio(interval.0), ratio(interval.1)));
    Estimate {
        estimator: Estimator::Runs,
        ratio: is_ratio.then(|| ratio(shift)),
        ratio_bound: Bound::Exact,
        interval: ratios,
        repeated: ratios,
        difference: shift,
        difference_bound: Bound::Exact,
        difference_interval: Some(interval),
        repeated_difference: Some(interval),
        p,
        p_same,
    }
}

/// The difference that four of five such comparisons would detect.
pub(super) fn detectable(over: &RunsComparison, error: f64) -> f64 {
    let reach =
        student_quantile(1.0 - error / 2.0, over.freedom) + student_quantile(0.8, over.freedom);
    (reach * over.standard_error).exp_m1()
}

fn rank_test(a: &[SampleValue], b: &[SampleValue]) -> RankTest {
    let values = |side: &[SampleValue]| {
        let mut values: Vec<f64> = side.iter().map(|sample| sample.value).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let (a, b) = (values(a), values(b));
    let one_sided = ranks::rank_sum_above(&a, &b).min(ranks::rank_sum_above(&b, &a));
    RankTest::MannWhitney((2.0 * one_sided).min(1.0))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::{COUNTED, judge_together};
    use super::*;
    use crate::draw::gaussian;

    fn side(centre: f64) -> Vec<SampleValue> {
        (0..20).map(|n| SampleValue::new(centre * (1.0 + 0.0001 * f64::from(n)))).collect()
    }

    #[test]
    fn of_modes_a_run_may_be_in_either() {
        let of = |share: u32, level: f64| -> Vec<SampleValue> {
            let value =
                |n: u32| if n % 10 < share { 1.2 } else { 1.0 } * (1.0 + 0.001 * f64::from(n % 7));
            (0..30).map(|n| SampleValue::new(level * value(n))).collect()
        };
        let known = RunEffectPrior { deviation: 0.001, freedom: 9.0, assumed: false };
        let compared = |b: &[SampleValue]| {
            compare_earlier(&of(3, 1.0), b, &ComparisonRules::default(), known, 0.05)
        };
        for (share, level, verdict) in [
            (3, 1.0, Verdict::Unclear),
            (8, 1.0, Verdict::Unclear),
            (5, 0.97, Verdict::Unclear),
            (3, 1.5, Verdict::Slower),
            (5, 0.6, Verdict::Faster),
        ] {
            let compared = compared(&of(share, level));
            assert_eq!(compared.verdict, verdict, "{share} {level}: {compared:?}");
            assert!(compared.modes.is_some());
        }
    }

    #[test]
    fn runs_that_are_in_either_mode_more_often_are_seldom_called_different() {
        let mut rng = ChaCha8Rng::seed_from_u64(19);
        let mut run = |gap: f64| -> Vec<SampleValue> {
            let (of_run, share) = (0.045 * gaussian(&mut rng), 0.2 + 0.6 * rng.random::<f64>());
            let mut value = || {
                let upper = if rng.random::<f64>() < share { gap } else { 0.0 };
                SampleValue::new((of_run + upper + 0.01 * gaussian(&mut rng)).exp())
            };
            (0..30).map(|_| value()).collect()
        };
        for gap in [0.1, 0.2, 0.5] {
            let differs = |_: &u32| {
                let (a, b, rules) = (run(gap), run(gap), ComparisonRules::default());
                let judged = compare_earlier(&a, &b, &rules, RunEffectPrior::UNKNOWN, 0.05);
                judged.verdict.differs()
            };
            let detected = (0..400).filter(differs).count();
            println!("modes {gap} apart: {detected} of 400");
            // 5 %, and two standard errors of 400 trials.
            assert!(detected <= 29, "{gap}: {detected} of 400");
        }
    }

    #[test]
    fn nothing_but_zeros_is_the_same_and_other_zeros_are_compared_by_difference() {
        let side = |values: &[f64]| {
            values.iter().map(|&value| SampleValue::new(value)).collect::<Vec<_>>()
        };
        let of = |a: &[f64], b: &[f64]| {
            compare_earlier(
                &side(a),
                &side(b),
                &ComparisonRules::default(),
                RunEffectPrior::UNKNOWN,
                0.05,
            )
        };
        let zeros = of(&[0.0; 6], &[0.0; 8]);
        assert_eq!((zeros.verdict, zeros.estimate.and_then(|it| it.ratio)), (Verdict::Same, None));
        assert_eq!(judge_together(&[zeros], 0.05), [Verdict::Same], "and is believed");
        let few = of(&[0.0; 3], &[0.0; 3]);
        assert_eq!((few.verdict, few.notes), (Verdict::Unclear, vec![Note::Few]));
        let between = Note::BetweenRuns { deviation: 0.045, assumed: true };
        for (a, b, verdict) in [
            ([0.0; 6], [100.0; 6], Verdict::Slower),
            ([100.0; 6], [0.0; 6], Verdict::Faster),
            ([-5.0; 6], [-3.0; 6], Verdict::Slower),
            ([-5.0; 6], [-4.9; 6], Verdict::Unclear),
            ([0.0, 1.0, 2.0, 1.0, 1.0, 0.0], [3.0; 6], Verdict::Slower),
            ([0.0, 1.0, 2.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0, 2.0, 3.0], Verdict::Unclear),
        ] {
            let detected = of(&a, &b);
            assert_eq!(detected.verdict, verdict, "{a:?} {b:?}: {detected:?}");
            assert_eq!(detected.notes, [between, Note::ByDifference]);
            assert_eq!(judge_together(std::slice::from_ref(&detected), 0.05), [verdict]);
            let (low, high) = detected.estimate.unwrap().difference_interval.unwrap();
            assert_eq!(verdict.differs(), low > 0.0 || high < 0.0, "{low} {high}");
        }
        assert_eq!(of(&[0.0; 3], &[100.0; 3]).notes, [Note::Few], "by rank three tell nothing");
        assert_eq!(of(&[0.0; 4], &[100.0; 4]).verdict, Verdict::Slower);
    }

    /// How many of a thousand parts each happened: a count that is 0 now and then.
    fn counts(expected: f64, rng: &mut ChaCha8Rng) -> Vec<SampleValue> {
        let expected = expected * (0.045 * gaussian(rng)).exp();
        let count = |rng: &mut ChaCha8Rng| {
            (0..1000).filter(|_| rng.random::<f64>() < expected / 1000.0).count()
        };
        (0..15).map(|_| SampleValue::new(count(rng) as f64)).collect()
    }

    #[test]
    fn counts_of_which_some_are_zero_are_told_apart_as_seldom_as_is_said() {
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let trials = 300;
        let detected = |sides: [f64; 2], rng: &mut ChaCha8Rng| {
            let detected = (0..trials).filter(|_| {
                let [a, b] = sides.map(|expected| counts(expected, rng));
                let rules = ComparisonRules::default();
                let compared = compare_earlier(&a, &b, &rules, RunEffectPrior::UNKNOWN, 0.05);
                compared.estimate.is_some_and(|estimate| estimate.p <= 0.05)
            });
            detected.count() as f64 / f64::from(trials)
        };
        for expected in [0.3, 1.0, 3.0] {
            let rate = detected([expected; 2], &mut rng);
            assert!(rate <= 0.05 + 0.025, "{expected}: {rate}");
        }
        let found = detected([0.3, 6.0], &mut rng);
        assert!(found >= 0.95, "{found}");
    }

    #[test]
    fn few_values_of_a_run_are_as_noisy_as_those_beside_them() {
        let mut rng = ChaCha8Rng::seed_from_u64(17);
        let run = |n: usize, noise: f64, rng: &mut ChaCha8Rng| -> Vec<SampleValue> {
            let of_run = 0.045 * gaussian(rng);
            (0..n).map(|_| SampleValue::new((of_run + noise * gaussian(rng)).exp())).collect()
        };
        for (n, m, noise) in [(1, 20, 0.2), (20, 1, 0.3), (2, 20, 0.3), (3, 30, 0.1), (4, 4, 0.2)] {
            let detected = (0..400).filter(|_| {
                let (a, b) = (run(n, noise, &mut rng), run(m, noise, &mut rng));
                let judged = compare_earlier(
                    &a,
                    &b,
                    &ComparisonRules::default(),
                    RunEffectPrior::UNKNOWN,
                    0.05,
                );
                matches!(judged.verdict, Verdict::Faster | Verdict::Slower)
            });
            let detected = detected.count();
            println!("{n} against {m}, {noise}: {detected} of 400");
            assert!(detected <= 29, "{n} against {m}, {noise}: {detected} of 400");
        }
        for (n, m) in [(1, 1), (2, 2), (1, 3)] {
            let (a, b) = (run(n, 0.01, &mut rng), run(m, 0.01, &mut rng));
            let judged =
                compare_earlier(&a, &b, &ComparisonRules::default(), RunEffectPrior::UNKNOWN, 0.05);
            assert_eq!(
                (judged.verdict, judged.fewest),
                (Verdict::Unclear, Some(4)),
                "nothing tells the noise"
            );
        }
    }

    #[test]
    fn what_is_counted_once_is_known_as_well_as_where_both_are_counted_today() {
        let rules = ComparisonRules {
            resolution: Some(0.0),
            once: Some(COUNTED),
            ..ComparisonRules::default()
        };
        for (b, verdict) in
            [(1e6, Verdict::Same), (1.002e6, Verdict::Same), (1.02e6, Verdict::Slower)]
        {
            let [a, b] = [1e6, b].map(|count| [SampleValue::new(count).in_round(1)]);
            let sides = super::super::Sides { a: &a, b: &b, control: &[] };
            let today =
                super::super::compare(&sides, &rules, Look { level: 0.05, ..Look::only(6, 0.05) });
            let kept = compare_earlier(&a, &b, &rules, COUNTED, 0.05);
            let interval = |it: &Comparison| it.estimate.and_then(|it| it.interval);
            assert_eq!((kept.verdict, interval(&kept)), (verdict, interval(&today)));
            assert_eq!(kept.notes, today.notes);
            // Builds that counted alike in three other runs each.
            let seen = RunEffectPrior { deviation: 0.0, freedom: 4.0, assumed: false };
            let (low, high) =
                interval(&compare_earlier(&a, &b, &rules, COUNTED.with(Some(seen)), 0.05)).unwrap();
            assert!(
                low < high && (high / low).ln() > 0.4 * 0.0078,
                "never as if there was nothing: {low} {high}"
            );
        }
    }

    #[test]
    fn what_runs_differ_by_is_in_the_verdict() {
        let rules = ComparisonRules::default();
        let of = |b: f64, prior| compare_earlier(&side(100.0), &side(b), &rules, prior, 0.05);
        let ten = of(110.0, RunEffectPrior::UNKNOWN);
        assert_eq!(ten.verdict, Verdict::Unclear, "samples alone would be sure: {ten:?}");
        assert!(matches!(ten.rank_test, RankTest::MannWhitney(p) if p < 1e-6));
        let assumed = |note: &Note| matches!(note, Note::BetweenRuns { assumed: true, .. });
        assert!(ten.notes.iter().any(assumed), "{:?}", ten.notes);
        assert_eq!(of(125.0, RunEffectPrior::UNKNOWN).verdict, Verdict::Slower);
        assert_eq!(of(80.0, RunEffectPrior::UNKNOWN).verdict, Verdict::Faster);
        let quiet = RunEffectPrior { deviation: 0.001, freedom: 20.0, assumed: false };
        assert_eq!(of(110.0, quiet).verdict, Verdict::Slower);
        let same = of(100.1, quiet);
        assert_eq!(same.verdict, Verdict::Same);
        assert!(same.p_same() < 0.001 && same.p() > 0.3, "{same:?}");
        let detectable = of(100.0, RunEffectPrior::UNKNOWN).detectable.unwrap();
        // (2.776 + 0.941) · √2 · 4.5 %
        assert!((detectable - 0.267).abs() < 0.005, "{detectable}");
    }

    #[test]
    fn nothing_is_unclear() {
        let zero = [SampleValue::new(0.0)];
        for (a, b) in [(&zero[..], &side(1.0)[..]), (&[], &side(1.0)), (&[], &[])] {
            let compared =
                compare_earlier(a, b, &ComparisonRules::default(), RunEffectPrior::UNKNOWN, 0.05);
            assert_eq!((compared.verdict, compared.estimate), (Verdict::Unclear, None));
        }
    }
}
