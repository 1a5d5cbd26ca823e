//! Counts taken once a run, since they nearly repeat: a single value a side is as precise as counts
//! are known to repeat.

use super::across_runs;
use super::comparison::{Comparison, ComparisonRules, Note, Sides};
use super::run_effect::compare_over_runs;
use super::sample::finite;
use super::{Estimate, Estimator, Look, RunEffectPrior, Size, Verdict};

/// The prior of the variation between counts of one program: 0.1 %, as those of interpreters that
/// draw a seed of their own did under callgrind (docs/src/method/counters.md), worth five programs.
pub const COUNTED: RunEffectPrior =
    RunEffectPrior { deviation: 0.001, freedom: 4.0, assumed: true };

/// The same comparison of single counts, each count as a run of its own: the control's
/// are A's too. Unchanged where some are zero or below, or reached a limit.
pub(super) fn with_single(
    of: Comparison,
    sides: &Sides,
    rules: &ComparisonRules,
    look: Look,
) -> Comparison {
    let Some(prior) = rules.once.filter(|_| of.notes.contains(&Note::Few)) else { return of };
    let [a, b, control] = [sides.a, sides.b, sides.control].map(finite);
    if a.iter().chain(&b).chain(&control).any(|sample| sample.low() != sample.high()) {
        return of;
    }
    let of_a = [&a[..], &control].concat();
    let runs = [of_a.chunks(1).collect::<Vec<_>>(), b.chunks(1).collect()];
    let Some(over) = compare_over_runs(&runs[0], &runs[1], prior, look.level) else {
        return Comparison { more: None, fewest: None, ..of };
    };
    let estimate = across_runs::estimate(&over, &a, rules.margin);
    let estimate = Estimate { estimator: Estimator::AllRatios, ..estimate };
    let mut notes = of.notes;
    notes.retain(|note| *note != Note::Few);
    notes.push(Note::Once(over.deviation));
    Comparison {
        verdict: Verdict::of(&estimate, rules.better, rules.margin),
        significant: estimate.is_significant(),
        size: Size::of(&estimate, rules.margin),
        detectable: Some(across_runs::detectable(&over, look.level)),
        estimate: Some(estimate),
        // The count is taken once, with any number of rounds.
        more: None,
        fewest: None,
        notes,
        ..of
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::{SampleValue, compare, judge_together};
    use super::*;
    use crate::draw::gaussian;

    fn of(a: f64, b: f64, control: &[f64]) -> Comparison {
        let [a, b] = [a, b].map(|value| [SampleValue::new(value).in_round(1)]);
        let control: Vec<SampleValue> =
            control.iter().map(|&value| SampleValue::new(value).in_round(1)).collect();
        let rules = ComparisonRules {
            resolution: Some(0.0),
            once: Some(COUNTED),
            ..ComparisonRules::default()
        };
        compare(&Sides { a: &a, b: &b, control: &control }, &rules, Look::only(6, 0.05))
    }

    #[test]
    fn a_single_count_tells_what_is_more_than_counts_differ_by() {
        for control in [&[][..], &[128_162.0]] {
            for (b, verdict) in [
                (128_162.0, Verdict::Same),
                (128_362.0, Verdict::Same),
                (129_600.0, Verdict::Slower),
                (126_700.0, Verdict::Faster),
                (256_324.0, Verdict::Slower),
            ] {
                let detected = of(128_162.0, b, control);
                assert_eq!((detected.verdict, detected.more), (verdict, None), "{b}: {detected:?}");
                assert_eq!(judge_together(std::slice::from_ref(&detected), 0.05), [verdict]);
                assert!(matches!(detected.notes[..], [Note::Once(_)]), "{:?}", detected.notes);
            }
        }
        // 2.776 · √2 · 0.1 %
        let (low, high) = of(1e6, 1e6, &[]).estimate.unwrap().interval.unwrap();
        assert!((high - 1.003_934).abs() < 1e-5 && (low * high - 1.0).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn a_program_that_differs_from_itself_by_more_tells_less() {
        assert_eq!(of(1e6, 1.02e6, &[1e6]).verdict, Verdict::Slower);
        assert_eq!(of(1e6, 1.02e6, &[1.02e6]).verdict, Verdict::Unclear);
        assert_eq!((of(0.0, 5.0, &[]).verdict, of(0.0, 5.0, &[]).more), (Verdict::Unclear, None));
    }

    #[test]
    fn single_counts_of_one_program_are_told_apart_as_seldom_as_is_said() {
        let mut rng = ChaCha8Rng::seed_from_u64(10);
        let trials = 1000;
        let detected = (0..trials).filter(|_| {
            let mut count = || 1e6 * (0.001 * gaussian(&mut rng)).exp();
            let (a, b, control) = (count(), count(), count());
            of(a, b, &[control]).estimate.unwrap().is_significant()
        });
        let rate = detected.count() as f64 / f64::from(trials);
        // 5 %, and two standard errors of 1,000 trials.
        assert!(rate <= 0.05 + 0.014, "{rate}");
    }
}
