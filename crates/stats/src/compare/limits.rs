//! What is said of samples that reached a limit, against what would have been said of the same
//! without one.

use proptest::prelude::*;

use super::rule_tests::{around, compared};
use super::{ComparisonRules, Estimator, Look, SampleValue, Scale, Sides, Verdict, compare};
use crate::{Bound, BoundedValue};

/// The same, cut off at a limit.
fn cut(whole: &[f64], limit: f64) -> Vec<SampleValue> {
    let one = |(round, value): (u32, &f64)| {
        let sample = SampleValue::new(value.min(limit)).in_round(round);
        if *value > limit { sample.at_least() } else { sample }
    };
    (0..).zip(whole).map(one).collect()
}

fn by(estimator: Estimator, a: &[SampleValue], b: &[SampleValue]) -> super::Estimate {
    let rules = ComparisonRules {
        estimator: Some(estimator),
        resolution: Some(0.0),
        ..ComparisonRules::default()
    };
    compare(&Sides { a, b, control: &[] }, &rules, Look::only(a.len(), 0.05)).estimate.unwrap()
}

/// Whether the truth may be what is known.
fn is_borne_out(known: BoundedValue, truth: f64) -> bool {
    let little = 1e-9 * truth.abs().max(1.0);
    match known.bound {
        Bound::Exact => (known.value - truth).abs() <= little,
        Bound::AtLeast => truth >= known.value - little,
        Bound::AtMost => truth <= known.value + little,
        Bound::Unknown => true,
    }
}

proptest! {
    #[test]
    fn a_bound_holds_whatever_would_have_been(
        a in prop::collection::vec(1.0..100.0_f64, 8),
        b in prop::collection::vec(1.0..100.0_f64, 8),
        (limit_a, limit_b) in (5.0..130.0_f64, 5.0..130.0_f64),
        less in prop_oneof![Just(0.0), Just(50.0)],
    ) {
        let lowered = |side: &[f64]| side.iter().map(|value| value - less).collect::<Vec<_>>();
        let (a, b) = (lowered(&a), lowered(&b));
        let (cut_a, cut_b) = (cut(&a, limit_a - less), cut(&b, limit_b - less));
        // By another scale it is another question.
        let scale = |a: &[SampleValue], b: &[SampleValue]| Scale::of(&[a, b]);
        let (whole_a, whole_b) = (cut(&a, f64::INFINITY), cut(&b, f64::INFINITY));
        prop_assume!(scale(&whole_a, &whole_b) == scale(&cut_a, &cut_b));
        for estimator in Estimator::ALL {
            let truth = by(estimator, &whole_a, &whole_b);
            let said = by(estimator, &cut_a, &cut_b);
            prop_assert!(
                is_borne_out(said.known_difference(), truth.difference),
                "{estimator:?}: {said:?} for {truth:?}"
            );
            if let Some((said, truth)) = said.known_ratio().zip(truth.ratio) {
                prop_assert!(is_borne_out(said, truth), "{estimator:?}: {said:?} for {truth}");
            }
        }
    }
}

#[test]
fn one_side_at_a_limit_has_one_open_end_and_both_have_two() {
    let a = around(100.0);
    let all: Vec<SampleValue> =
        around(150.0).iter().map(|s| SampleValue { value: 150.0, ..*s }.at_least()).collect();
    for estimator in Estimator::ALL {
        let rules = ComparisonRules { estimator: Some(estimator), ..ComparisonRules::default() };
        let estimate =
            |a: &[SampleValue], b: &[SampleValue]| compared(a, b, rules).estimate.unwrap();
        let slower = estimate(&a, &all);
        assert_eq!((slower.ratio_bound, slower.difference_bound), (Bound::AtLeast, Bound::AtLeast));
        let faster = estimate(&all, &a);
        assert_eq!((faster.ratio_bound, faster.difference_bound), (Bound::AtMost, Bound::AtMost));
        assert_eq!(faster.reach(), None, "there is no end to reach");
        let open = estimate(&all, &all);
        assert_eq!(open.known_ratio().and_then(BoundedValue::if_known), None, "{open:?}");
        // Too few for an interval of some estimators; where there is one, nothing bounds it on that
        // side.
        assert!(slower.interval.is_none_or(|(_, high)| high == f64::INFINITY), "{slower:?}");
        assert!(faster.interval.is_none_or(|(low, _)| low == 0.0), "{faster:?}");
        assert!(open.interval.is_none_or(|ends| ends == (0.0, f64::INFINITY)), "{open:?}");
    }
    let detected = compared(&all, &a, ComparisonRules::default());
    assert_eq!((detected.verdict, detected.detectable), (Verdict::Faster, None));
}

#[test]
fn of_a_centre_that_may_be_anything_above_no_difference_has_an_end() {
    // Six of ten of A reached the limit: the smallest are known, the median is not.
    let a: Vec<SampleValue> = around(100.0)
        .iter()
        .enumerate()
        .map(|(n, s)| if n < 6 { s.at_least() } else { *s })
        .collect();
    let b: Vec<SampleValue> = around(99.0);
    let estimate = by(Estimator::AllRatios, &a, &b);
    assert_eq!(estimate.ratio_bound, Bound::AtMost);
    assert_eq!(estimate.difference_interval.unwrap().0, f64::NEG_INFINITY);
}
