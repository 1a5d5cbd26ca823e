//! The rules of a comparison, on data made by hand.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

fn samples(values: &[f64]) -> Vec<SampleValue> {
    (0..).zip(values).map(|(round, &value)| SampleValue::new(value).in_round(round)).collect()
}

/// Ten values around this, one per cent apart from end to end.
pub(super) fn around(centre: f64) -> Vec<SampleValue> {
    let places = [3.0, -1.0, 4.0, 1.0, -5.0, -2.0, 0.0, 5.0, -4.0, 2.0];
    samples(&places.map(|place| centre * (1.0 + 0.001 * place)))
}

pub(super) fn compared(a: &[SampleValue], b: &[SampleValue], rules: ComparisonRules) -> Comparison {
    compare(&Sides { a, b, control: &[] }, &rules, Look::only(a.len(), 0.05))
}

fn verdict(a: &[SampleValue], b: &[SampleValue]) -> Verdict {
    compared(a, b, ComparisonRules::default()).verdict
}

#[test]
fn the_four_verdicts() {
    let a = around(100.0);
    assert_eq!(verdict(&a, &around(110.0)), Verdict::Slower);
    assert_eq!(verdict(&a, &around(90.0)), Verdict::Faster);
    assert_eq!(verdict(&a, &around(100.1)), Verdict::Same);
    assert_eq!(verdict(&a, &samples(&[100.0, 130.0, 80.0, 105.0, 99.0, 90.0])), Verdict::Unclear);
}

#[test]
fn of_throughput_more_is_better() {
    let rules = ComparisonRules { better: Better::Higher, ..ComparisonRules::default() };
    assert_eq!(compared(&around(100.0), &around(110.0), rules).verdict, Verdict::Faster);
    assert_eq!(compared(&around(100.0), &around(90.0), rules).verdict, Verdict::Slower);
    assert_eq!(compared(&around(100.0), &around(100.0), rules).verdict, Verdict::Same);
}

#[test]
fn significance_and_size_are_two_things() {
    let steady = |value: f64| samples(&[value; 12]);
    let exact = ComparisonRules { resolution: Some(0.0), ..ComparisonRules::default() };
    let small = compared(&steady(1000.0), &steady(1002.0), exact);
    assert_eq!((small.verdict, small.significant, small.size), (Verdict::Same, true, Size::Within));
    let large = compared(&around(100.0), &around(110.0), exact);
    assert_eq!((large.significant, large.size), (true, Size::Beyond));
    let open = compared(&around(100.0), &around(101.0), exact);
    assert_eq!((open.verdict, open.size), (Verdict::Slower, Size::Open));
}

#[test]
fn five_samples_can_tell_and_four_can_not() {
    let (a, b) = (around(100.0), around(120.0));
    assert_eq!(verdict(&a[..5], &b[..5]), Verdict::Slower);
    let few = compared(&a[..3], &b[..3], ComparisonRules::default());
    assert_eq!((few.verdict, few.estimate.unwrap().interval), (Verdict::Unclear, None));
    assert!(few.notes.contains(&Note::Few));
    assert!(few.estimate.unwrap().ratio.is_some(), "a ratio without an interval");
}

#[test]
fn nothing_is_compared_with_nothing() {
    for (a, b) in [(vec![], vec![]), (around(1.0), vec![]), (vec![], samples(&[f64::NAN]))] {
        let compared = compared(&a, &b, ComparisonRules::default());
        assert_eq!((compared.verdict, compared.estimate), (Verdict::Unclear, None));
    }
}

#[test]
fn nothing_is_said_of_a_side_without_values_whatever_was_compared_before() {
    let a = &around(100.0)[..6];
    assert_eq!(verdict(a, a), Verdict::Same);
    for (a, b) in [(a, &[][..]), (&[], a)] {
        let none = compare(
            &Sides { a, b, control: &[] },
            &ComparisonRules::default(),
            Look::only(6, 0.05),
        );
        assert_eq!((none.verdict, none.more), (Verdict::Unclear, None));
    }
}

#[test]
fn what_never_varies_is_the_same_or_not() {
    let exact = ComparisonRules { resolution: Some(0.0), ..ComparisonRules::default() };
    let steady = |value: f64| samples(&[value; 8]);
    assert_eq!(compared(&steady(7.0), &steady(7.0), exact).verdict, Verdict::Same);
    assert_eq!(compared(&steady(7.0), &steady(8.0), exact).verdict, Verdict::Slower);
    let zeros = compared(&steady(0.0), &steady(0.0), exact);
    assert_eq!(zeros.verdict, Verdict::Same);
    assert_eq!(judge_together(&[zeros], 0.05), [Verdict::Same], "and is believed");
}

#[test]
fn what_never_varies_differs_for_certain_as_soon_as_ranks_tell() {
    let of = |value: f64, n: usize| samples(&vec![value; n]);
    for (a, b) in [(0.0, 100.0), (28.0, 34.0), (-5.0, -3.0), (-1.0, 1.0), (1000.0, 1000.1)] {
        for (n, is_enough) in [(1, false), (2, false), (3, false), (4, true), (5, true), (10, true)]
        {
            let rules = ComparisonRules { margin: 0.0, ..ComparisonRules::default() };
            let [up, down] = [(a, b), (b, a)].map(|(a, b)| compared(&of(a, n), &of(b, n), rules));
            let reported =
                if is_enough { [Verdict::Slower, Verdict::Faster] } else { [Verdict::Unclear; 2] };
            assert_eq!([up.verdict, down.verdict], reported, "{n} times {a} and {b}: {up:?}");
            assert_eq!(judge_together(std::slice::from_ref(&up), 0.05), [reported[0]]);
            let more = (!is_enough).then(|| 4 - n);
            assert_eq!(up.more.map(|more| more.rounds), more, "{n} times {a} and {b}");
            let difference = up.estimate.unwrap().difference_interval;
            let is_near = |end: f64| (end - (b - a)).abs() < 1e-9;
            assert!(
                difference.is_none_or(|(low, high)| is_near(low) && is_near(high)),
                "{difference:?}"
            );
            assert_eq!(up.notes.contains(&Note::Few), !is_enough);
            assert!(!up.notes.iter().any(|note| matches!(note, Note::Coarse(_))), "{:?}", up.notes);
        }
    }
    let bytes = compared(&of(28.0, 6), &of(34.0, 6), ComparisonRules::default()).estimate.unwrap();
    let (low, high) = bytes.interval.unwrap();
    assert!((low - 34.0 / 28.0).abs() < 1e-12 && (high - low).abs() < 1e-12, "{low} {high}");
    for n in [1, 2, 3, 4] {
        assert!(!compared(&of(0.0, n), &of(0.0, n), ComparisonRules::default()).verdict.differs());
    }
    for (n, verdict) in [(5, Verdict::Same), (10, Verdict::Same)] {
        let zeros = compared(&of(0.0, n), &of(0.0, n), ComparisonRules::default());
        assert_eq!(judge_together(&[zeros], 0.05), [verdict], "{n} zeros");
    }
}

#[test]
fn one_side_that_never_varies_is_told_from_one_that_does() {
    let noisy = [101.0, 104.0, 99.0, 103.0, 100.0, 98.0, 102.0, 97.0, 105.0, 96.0];
    for (still, verdict) in
        [(0.0, Verdict::Slower), (80.0, Verdict::Slower), (120.0, Verdict::Faster)]
    {
        for (n, verdict) in [(3, Verdict::Unclear), (5, verdict), (10, verdict)] {
            let reported = compared(
                &samples(&[still; 10][..n]),
                &samples(&noisy[..n]),
                ComparisonRules::default(),
            );
            assert_eq!(reported.verdict, verdict, "{n} times {still}: {reported:?}");
            assert!(n > 3 || reported.more.is_none(), "noise may be any: {:?}", reported.more);
        }
    }
    let among = compared(&samples(&[100.5; 10]), &samples(&noisy), ComparisonRules::default());
    assert_eq!(among.verdict, Verdict::Unclear);
}

#[test]
fn the_rank_test_beside_what_never_varies_says_the_same() {
    let steady = |value: f64| samples(&[value; 30]);
    let reported = compared(&steady(0.0), &steady(100.0), ComparisonRules::default());
    let (RankTest::MannWhitney(by_rank) | RankTest::Wilcoxon(by_rank)) = reported.rank_test;
    assert!(reported.p() < 1e-6 && by_rank < 1e-6, "{} {by_rank}", reported.p());
}

#[test]
fn what_steps_hide_is_settled_by_no_number_of_rounds() {
    let coarse = ComparisonRules { resolution: Some(4.0), ..ComparisonRules::default() };
    let hidden = compared(&samples(&[100.0; 12]), &samples(&[100.0; 12]), coarse);
    assert_eq!((hidden.verdict, hidden.more), (Verdict::Unclear, None));
}

#[test]
fn zeros_are_compared_by_difference() {
    let faults = samples(&[0.0, 2.0, 0.0, 1.0, 3.0, 0.0, 1.0, 2.0]);
    let many = samples(&[40.0, 42.0, 39.0, 41.0, 45.0, 40.0, 38.0, 41.0]);
    let compared = compared(&faults, &many, ComparisonRules::default());
    assert_eq!(compared.verdict, Verdict::Slower);
    assert!(compared.notes.contains(&Note::ByDifference));
    let (low, high) = compared.estimate.unwrap().difference_interval.unwrap();
    assert!(low > 30.0 && high < 50.0, "{low} {high}");
    let negative = samples(&[-1.0, -2.0, -1.5, -1.2, -1.8, -1.1]);
    let none = compare(
        &Sides { a: &negative, b: &negative, control: &[] },
        &ComparisonRules::default(),
        Look::only(6, 0.05),
    );
    assert_eq!(none.estimate.unwrap().ratio, None, "no ratio to a negative centre");
}

#[test]
fn what_may_be_below_zero_has_no_ratio() {
    // A net time of next to nothing: in some rounds the shell alone took longer.
    let a = samples(&[0.4, -0.3, 0.2, 0.5, -0.1, 0.3, 0.1, 0.6]);
    let b = samples(&[-0.2, 0.5, -0.4, 0.1, 0.3, -0.3, 0.2, 0.0]);
    let none = compared(&a, &b, ComparisonRules::default()).estimate.unwrap();
    assert_eq!((none.ratio, none.interval, none.repeated), (None, None, None), "{none:?}");
    let (low, high) = none.difference_interval.unwrap();
    assert!(low < none.difference && none.difference < high && low < 0.0, "{none:?}");
    // Of six values the median may be anything between the least and the largest: 0, too.
    let few = [9.0, 10.0, 0.0, 11.0, 10.0, 9.0];
    let (few, many) = (samples(&few), samples(&[21.0, 19.0, 20.0, 20.0, 22.0, 18.0].repeat(2)));
    let none = compared(&few, &many[..6], ComparisonRules::default());
    assert_eq!((none.verdict, none.estimate.unwrap().interval), (Verdict::Slower, None));
    let more = samples(&[9.0, 10.0, 0.0, 11.0, 10.0, 9.0, 10.0, 9.5, 10.5, 9.8, 10.2, 9.9]);
    let (low, high) =
        compared(&more, &many, ComparisonRules::default()).estimate.unwrap().interval.unwrap();
    assert!(0.0 < low && low < 2.0 && high > 2.0, "{low} {high}");
}

/// A net time that is next to nothing, and may be anything of its size: what is divided by its
/// median is as unsure as that.
#[test]
fn what_is_divided_by_is_known() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut around = |level: f64| -> Vec<SampleValue> {
        let noise = |rng: &mut ChaCha8Rng| (0..12).map(|_| rng.random::<f64>() - 0.5).sum::<f64>();
        (0..20).map(|round| SampleValue::new(level + noise(&mut rng)).in_round(round)).collect()
    };
    // The ratio is 20 in truth. Where one is reported, its interval holds it as often as it says.
    for (level, seldom) in [(0.1, 0..=20), (2.0, 190..=200), (8.0, 190..=200)] {
        let (mut reported, mut held) = (0, 0);
        for _ in 0..200 {
            let (a, mut b) = (around(level), around(20.0 * level));
            b[0].value = -1.0;
            let estimate = compared(&a, &b, ComparisonRules::default()).estimate.unwrap();
            let Some((low, high)) = estimate.interval else { continue };
            reported += 1;
            held += usize::from(low <= 20.0 && 20.0 <= high);
        }
        println!("{level}: {reported} of 200 reported, {held} hold the truth");
        assert!(seldom.contains(&reported), "{level}: {reported} of 200 reported");
        // Where A is hardly ever clear of zero, those few times are luck.
        assert!(
            reported < 100 || held * 100 >= reported * 93,
            "{level}: {held} of {reported} hold the truth"
        );
    }
}

/// Thirty rounds of a program that is so often in its upper mode, a fifth above the lower one, at
/// that level.
fn two_modes(share: f64, level: f64, stream: u64) -> Vec<SampleValue> {
    let mut rng = ChaCha8Rng::seed_from_u64(stream);
    let value = |rng: &mut ChaCha8Rng| {
        let upper = if rng.random::<f64>() < share { 1.2 } else { 1.0 };
        level * upper * (1.0 + 0.01 * rng.random::<f64>())
    };
    (0..30).map(|round| SampleValue::new(value(&mut rng)).in_round(round)).collect()
}

/// The same program as A and as its control, and another.
fn with_modes(share: f64, b: (f64, f64), stream: u64) -> Comparison {
    let [a, control] = [0, 1].map(|n| two_modes(share, 100.0, 3 * stream + n));
    let b = two_modes(b.0, b.1, 3 * stream + 2);
    let sides = Sides { a: &a, b: &b, control: &control };
    compare(&sides, &ComparisonRules::default(), Look::only(30, 0.05))
}

#[test]
fn modes_are_compared_by_the_means() {
    let compared = with_modes(0.2, (0.8, 100.0), 1);
    let modes = compared.modes.unwrap();
    assert!(modes.difference.0 > 0.2 && modes.p < 0.01, "{modes:?}");
    let first = compared.estimate.unwrap();
    assert_eq!((first.estimator, compared.choice.because), (Estimator::Mean, ChoiceReason::Modes));
    let (low, high) = first.interval.unwrap();
    assert!(1.0 < low && low < 1.12 && 1.12 < high, "0.6 of a fifth: {low} {high}");
    assert_eq!(compared.verdict, Verdict::Slower);
    assert_eq!(with_modes(0.8, (0.2, 100.0), 1).verdict, Verdict::Faster);
    let levels = with_modes(0.4, (0.4, 115.0), 2);
    let (low, high) = levels.estimate.unwrap().interval.unwrap();
    assert!(low < 1.15 && 1.15 < high && levels.verdict == Verdict::Slower, "{low} {high}");
}

#[test]
fn what_is_slow_more_often_is_not_faster_though_its_levels_fell() {
    // 3 % lower levels, and in the upper mode in half of the rounds where it was a fifth.
    let all: Vec<Comparison> = (0..12).map(|stream| with_modes(0.2, (0.5, 97.0), stream)).collect();
    assert!(all.iter().all(|it| it.verdict != Verdict::Faster));
}

#[test]
fn the_same_levels_are_not_the_same_program() {
    // In ten executions more or less: the levels are within the margin, the means are not.
    let reported: Vec<Verdict> =
        (0..20).map(|stream| with_modes(0.4, (0.4, 100.0), stream).verdict).collect();
    assert!(reported.iter().all(|verdict| *verdict != Verdict::Same), "{reported:?}");
    let more = (0..20).filter_map(|stream| with_modes(0.4, (0.4, 100.0), stream).more);
    assert!(more.filter(|more| more.rounds >= 100).count() >= 15, "a mean of modes is known late");
}

#[test]
fn of_modes_what_was_requested_is_compared() {
    // Half are at 100, the others at 120 of A and at 160 of B.
    let side = |upper: f64| -> Vec<SampleValue> {
        let is_low = |n: u32| if upper < 130.0 { n.is_multiple_of(2) } else { n % 4 < 2 };
        let value =
            |n: u32| if is_low(n) { 100.0 } else { upper } * (1.0 + 0.001 * f64::from(n * 7 % 11));
        (0..40).map(|n| SampleValue::new(value(n)).in_round(n)).collect()
    };
    let reported = compared(&side(120.0), &side(160.0), ComparisonRules::default());
    assert_eq!(reported.verdict, Verdict::Slower);
    assert_eq!(reported.estimate.unwrap().estimator, Estimator::Mean);
    let asked =
        ComparisonRules { estimator: Some(Estimator::Minimum), ..ComparisonRules::default() };
    let asked = compared(&side(120.0), &side(160.0), asked);
    assert_eq!((asked.modes.is_some(), asked.choice.because), (true, ChoiceReason::Asked));
}

#[test]
fn samples_at_a_limit_are_no_mode() {
    let mut b = two_modes(0.0, 100.0, 5);
    for sample in &mut b[..8] {
        *sample = SampleValue { value: 150.0, ..*sample }.at_least();
    }
    assert_eq!(compared(&two_modes(0.0, 100.0, 6), &b, ComparisonRules::default()).modes, None);
}

#[test]
fn what_is_stuck_at_zero_decides_nothing() {
    // A tenth and more of the executions used no time of the kernel's that its clock could see.
    let side = |stream: u64| -> Vec<SampleValue> {
        let mut rng = ChaCha8Rng::seed_from_u64(stream);
        let value = |round: u32, rng: &mut ChaCha8Rng| {
            let value = if round.is_multiple_of(4) {
                0.0
            } else {
                400_000.0 + rng.random::<f64>() * 400_000.0
            };
            SampleValue::new(value).in_round(round)
        };
        (0..30).map(|round| value(round, &mut rng)).collect()
    };
    let (a, b, control) = (side(1), side(2), side(3));
    let sides = Sides { a: &a, b: &b, control: &control };
    let compared = compare(&sides, &ComparisonRules::default(), Look::only(30, 0.05));
    let estimator = compared.choice.estimator;
    assert_ne!(estimator, Estimator::Minimum);
    assert!(compared.detectable.is_some_and(|it| it > 0.01), "{:?}", compared.detectable);
    let zeros = samples(&[0.0; 8]);
    let sides = Sides { a: &zeros, b: &zeros, control: &zeros };
    assert_eq!(compare(&sides, &ComparisonRules::default(), Look::only(8, 0.05)).detectable, None);
}

#[test]
fn a_limit_that_was_reached_counts_against_the_claim() {
    let a = around(100.0);
    let mut b = around(110.0);
    for sample in &mut b[..3] {
        *sample = SampleValue { value: 150.0, ..*sample }.at_least();
    }
    let slower = compared(&a, &b, ComparisonRules::default());
    assert_eq!(slower.verdict, Verdict::Slower);
    assert!(slower.notes.contains(&Note::Limited(0, 3)));
    let all: Vec<SampleValue> =
        around(150.0).iter().map(|s| SampleValue { value: 150.0, ..*s }.at_least()).collect();
    let interval =
        compared(&a, &all, ComparisonRules::default()).estimate.unwrap().interval.unwrap();
    assert!(interval.0 > 1.4 && interval.1 == f64::INFINITY, "{interval:?}");
    assert_eq!(verdict(&all, &all), Verdict::Unclear, "both at the limit: nothing is known");
}

#[test]
fn a_clock_coarser_than_the_margin_cannot_say_the_same() {
    let ticks = samples(&[100.0; 12]);
    let coarse = ComparisonRules { resolution: Some(4.0), ..ComparisonRules::default() };
    let unclear = compared(&ticks, &ticks, coarse);
    assert_eq!(
        (unclear.verdict, unclear.notes.contains(&Note::Coarse(4.0))),
        (Verdict::Unclear, true)
    );
    let fine = ComparisonRules { resolution: Some(0.1), ..ComparisonRules::default() };
    assert_eq!(compared(&ticks, &ticks, fine).verdict, Verdict::Same);
}

#[test]
fn estimators_that_contradict_each_other_give_no_verdict() {
    // Eight of thirty are faster than A ever was, the others slower than A ever was.
    let thirty = |of: &dyn Fn(u32) -> f64| samples(&(0..30).map(of).collect::<Vec<_>>());
    let a = thirty(&|i| 100.0 + 0.01 * f64::from(i * 7 % 30));
    let b = thirty(&|i| if i % 4 == 0 { 90.0 } else { 110.0 } + 0.01 * f64::from(i * 11 % 30));
    let rules = ComparisonRules {
        estimator: Some(Estimator::Minimum),
        margin: 0.01,
        ..ComparisonRules::default()
    };
    let compared = compared(&a, &b, rules);
    assert_eq!(compared.estimate.unwrap().sign(), -1);
    assert!(compared.modes.is_some(), "its median lies in a mode: the mean is the other estimate");
    assert_eq!(
        compared.second.map(|second| (second.estimator, second.sign())),
        Some((Estimator::Mean, 1))
    );
    assert!(compared.notes.contains(&Note::Contradicted));
    assert_eq!(compared.verdict, Verdict::Unclear);
}

#[test]
fn a_difference_no_larger_than_the_controls_is_no_verdict() {
    let (a, b, control) = (around(100.0), around(103.0), around(104.0));
    let sides = Sides { a: &a, b: &b, control: &control };
    let rules =
        ComparisonRules { estimator: Some(Estimator::AllRatios), ..ComparisonRules::default() };
    let compared = compare(&sides, &rules, Look::only(10, 0.05));
    assert_eq!((compared.verdict, compared.more), (Verdict::Unclear, None));
    assert!(compared.notes.contains(&Note::NotBeyondControl));
    assert!(compared.control.unwrap().sign() > 0);
}

#[test]
fn a_family_believes_less_than_each_row_does() {
    let row = |value: f64| {
        let b: Vec<SampleValue> = around(value).into_iter().take(6).collect();
        compared(&around(100.0)[..6], &b, ComparisonRules::default())
    };
    let lone = judge_together(&[row(110.0)], 0.05);
    assert_eq!(lone, [Verdict::Slower]);
    let mut rows = vec![row(100.0); 99];
    rows.push(row(110.0));
    assert_eq!(judge_together(&rows, 0.05)[99], Verdict::Unclear, "one of a hundred at p = 0.002");
    assert_eq!(judge_together(&[], 0.05), []);
    let more = rows[99].more_among(100, 0.05).unwrap().rounds;
    assert!((2..=20).contains(&more), "significant alone, and among a hundred with {more} more");
    assert_eq!(rows[0].more_among(100, 0.05).is_some(), rows[0].verdict != Verdict::Unclear);
}

#[test]
fn the_same_fastest_executions_are_not_the_same_program() {
    // Half of the executions take 1.000 to 1.001, the others 1.35 at A and its control, 1.7 at B.
    let side = |slow: f64, stream: u64| -> Vec<SampleValue> {
        let mut rng = ChaCha8Rng::seed_from_u64(stream);
        let value = |rng: &mut ChaCha8Rng| {
            let noise = rng.random::<f64>() * 1e-3;
            if rng.random_bool(0.5) { slow + 20.0 * noise } else { 1.0 + noise }
        };
        (0..60).map(|round| SampleValue::new(value(&mut rng)).in_round(round)).collect()
    };
    let (a, b, control) = (side(1.35, 1), side(1.7, 2), side(1.35, 3));
    let compared = compare(
        &Sides { a: &a, b: &b, control: &control },
        &ComparisonRules::default(),
        Look::only(60, 0.05),
    );
    assert_ne!(compared.verdict, Verdict::Same, "{compared:?}");
}
