//! Steps between values that stand still and others, which are noisy, coarse or at one of two
//! values.

use super::detect_values;
use super::simulated::{Maker, Shape};

/// In how many of 100 pairs of levels, either way round, the step between them is reported and no
/// other.
fn reported(seed: u64, still: (usize, f64), other: impl Fn(&mut Maker) -> Vec<f64>) -> [usize; 2] {
    let mut maker = Maker::new(seed);
    let both = (0..100).map(|_| {
        let values = [vec![still.1; still.0], other(&mut maker)].concat();
        let reversed: Vec<f64> = values.iter().rev().copied().collect();
        [(values, still.0), (reversed, 0)].map(|(values, place)| {
            let place = if place == 0 { values.len() - still.0 } else { place };
            let changes = detect_values(&values).changes;
            usize::from(changes.len() == 1 && changes[0].index.abs_diff(place) <= 1)
        })
    });
    both.fold([0, 0], |sums, now| [sums[0] + now[0], sums[1] + now[1]])
}

/// One of two values, the second with this share.
fn two_valued(maker: &mut Maker, n: usize, values: [f64; 2], share: f64) -> Vec<f64> {
    (0..n).map(|_| values[usize::from(maker.uniform() < share)]).collect()
}

#[test]
fn steps_to_one_of_two_values_are_told() {
    for (seed, (still, n, values, share)) in (220..).zip([
        (40, 40, [200.0, 220.0], 0.3),
        (40, 100, [200.0, 220.0], 0.3),
        (40, 300, [200.0, 220.0], 0.3),
        (40, 100, [200.0, 220.0], 0.5),
        (200, 200, [200.0, 201.0], 0.5),
        (60, 120, [1100.0, 1101.0], 0.5),
        (100, 100, [1e5, 2e5], 0.5),
    ]) {
        let reported = reported(seed, (still, 100.0), |maker| two_valued(maker, n, values, share));
        println!(
            "{still} times 100, {n} of {values:?}, {share} of the second: {reported:?} of 100"
        );
        assert!(
            reported.iter().all(|&reported| reported >= 94),
            "{still}, {n} of {values:?}: {reported:?} of 100"
        );
    }
}

#[test]
fn steps_to_coarse_values_are_told_however_large() {
    for (seed, level) in (230..).zip([1e3, 1e4, 1e5, 1e6]) {
        let coarse = |maker: &mut Maker| -> Vec<f64> {
            let noise = maker.noise(Shape::Gaussian, 100, 0.03).into_iter();
            noise.map(|value| (value / 5.0).round() * 5.0 * level / 100.0).collect()
        };
        let reported = reported(seed, (20, 100.0), coarse);
        println!("to {level}: {reported:?} of 100");
        assert!(reported.iter().all(|&reported| reported >= 94), "to {level}: {reported:?} of 100");
    }
}

#[test]
fn steps_to_nothing_are_told() {
    // Where noise is wide some are taken for noise that is slow, as values that stand still are.
    let cases = [(20, 0.1, 94), (50, 0.1, 94), (150, 0.1, 94), (150, 0.2, 88), (500, 0.1, 90)];
    for (seed, (n, sd, least)) in (240..).zip(cases) {
        let noisy = |maker: &mut Maker| (0..n).map(|_| 5.0 + 5.0 * sd * maker.gaussian()).collect();
        let reported = reported(seed, (n, 0.0), noisy);
        println!("{n} of 5, and as many of 0: {reported:?} of 100");
        assert!(
            reported.iter().all(|&reported| reported >= least),
            "{n}, {sd}: {reported:?} of 100"
        );
    }
}

#[test]
fn a_step_between_values_that_stand_still_begins_with_the_first_that_left() {
    for (before, between, after) in [
        ((40, 1341.0), vec![1170.0, 1171.0], (38, 1178.0)),
        ((40, 1341.0), vec![1190.0], (38, 1178.0)),
        ((40, 250.0), vec![210.0, 209.0], (20, 206.0)),
        ((200, 1341.0), vec![1170.0, 1171.0], (200, 1178.0)),
        ((300, 1087.0), vec![950.0, 950.0], (400, 963.0)),
    ] {
        let values = [vec![before.1; before.0], between.clone(), vec![after.1; after.0]].concat();
        let back: Vec<f64> = values.iter().rev().copied().collect();
        for (values, place) in [(values, before.0), (back, after.0 + between.len())] {
            let changes = detect_values(&values).changes;
            let places: Vec<(usize, _)> =
                changes.iter().map(|one| (one.index, one.range.clone())).collect();
            assert!(
                places.len() == 1 && places[0].0 == place,
                "{before:?} {between:?} {after:?}: {places:?}"
            );
        }
    }
}

#[test]
fn each_step_between_exact_values_is_found_with_its_own_size() {
    let values = [vec![8.3; 6], vec![11.707; 8], vec![10.737; 4], vec![11.13; 7]].concat();
    let found = detect_values(&values).changes;
    let places: Vec<usize> = found.iter().map(|change| change.index).collect();
    assert_eq!(places, [6, 14, 18]);
    assert!((found[1].effect - (10.737 / 11.707 - 1.0)).abs() < 1e-6, "{found:?}");
}
