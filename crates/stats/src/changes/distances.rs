//! What is reported does not hang on how far apart the modes of a series lie.

use super::detect_values;
use super::simulated::Maker;

/// How far apart both modes lie, in standard deviations of the noise at each.
const APART: [f64; 10] = [5.0, 6.8, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 60.0, 1000.0];

/// What modes lie apart, on the scale of logarithms.
const GAP: f64 = 0.061;

/// How many series each.
const SERIES: usize = 200;

/// How often, in percent, series with such a share of their values in the upper mode are reported
/// as a change of the right kind.
fn reported(
    n: usize,
    (share, gap): (f64, f64),
    step: (usize, f64),
    is_it: impl Fn(&[usize]) -> bool,
) -> [f64; APART.len()] {
    APART.map(|apart| {
        let mut maker = Maker::new(210);
        let count = (0..SERIES).filter(|_| {
            let mut values = maker.two_modes(n, share, gap, gap.abs() / apart);
            values[step.0..].iter_mut().for_each(|value| *value *= step.1);
            let found = detect_values(&values).changes;
            is_it(&found.iter().map(|change| change.index).collect::<Vec<_>>())
        });
        count.count() as f64 * 100.0 / SERIES as f64
    })
}

#[test]
fn series_without_a_change_seldom_alarm() {
    // Of 200 series 2 may; some more of short ones, of whose noise less is known.
    for (n, share, gap, most) in [
        (300, 0.3, GAP, 1.0),
        (300, 0.3, -GAP, 1.0),
        (100, 0.3, GAP, 2.5),
        (300, 0.5, GAP, 2.5),
        (1000, 0.5, GAP, 2.5),
    ] {
        let reported = reported(n, (share, gap), (n, 1.0), |places| !places.is_empty());
        println!("{n} values, {share} of them {gap} above: {reported:?} %");
        assert!(
            reported.iter().all(|reported| *reported <= most),
            "{n} values, {share} of them {gap} above: {reported:?} %"
        );
    }
}

#[test]
fn steps_half_way_are_told_where_they_are() {
    for (n, factor, least) in
        [(100, 2.0, 99.0), (300, 2.0, 99.0), (60, 1.5, 98.0), (300, 0.9, 98.0), (300, 1.2, 98.0)]
    {
        let reported = reported(n, (0.3, GAP), (n / 2, factor), |places| {
            places.iter().any(|at| at.abs_diff(n / 2) <= 2)
        });
        println!("{n} values, times {factor}: {reported:?} %");
        assert!(
            reported.iter().all(|reported| *reported >= least),
            "{n} values, times {factor}: {reported:?} %"
        );
    }
}
