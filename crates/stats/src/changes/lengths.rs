//! What is told does not hang on how long the series is in which it stands.

use super::simulated::{Maker, Shape};
use super::{Kind, Options, Point, detect};

/// What is told of these values: places and kinds.
fn told(values: &[f64]) -> Vec<(usize, Kind)> {
    let points: Vec<Point> = values.iter().copied().map(Point::of).collect();
    let found = detect(&points, &Options::default()).changes;
    found.iter().map(|change| (change.index, change.kind)).collect()
}

/// Gaussian noise of 1 % around 100, and so many values times a factor from a place on.
fn dip(maker: &mut Maker, n: usize, place: usize, length: usize, factor: f64) -> Vec<f64> {
    let mut values = maker.noise(Shape::Gaussian, n, 0.01);
    values[place..place + length].iter_mut().for_each(|value| *value *= factor);
    values
}

#[test]
fn a_dip_is_told_however_long_its_series_grows() {
    const LENGTHS: [usize; 9] = [80, 120, 160, 200, 300, 500, 800, 1300, 2000];
    for (seed, (length, factor)) in (130..).zip([(3, 2.0), (3, 1.1), (4, 1.5)]) {
        let mut maker = Maker::new(seed);
        let mut found = [0; LENGTHS.len()];
        let mut lost = 0;
        for _ in 0..20 {
            let values = dip(&mut maker, 2000, 50, length, factor);
            let is_told = LENGTHS.map(|n| {
                let told = told(&values[..n]);
                told.contains(&(50, Kind::DipStart)) && told.contains(&(50 + length, Kind::DipEnd))
            });
            found.iter_mut().zip(is_told).for_each(|(found, is_told)| *found += usize::from(is_told));
            lost += usize::from(is_told.windows(2).any(|pair| pair[0] && !pair[1]));
        }
        println!("{length} values by {factor}: {found:?} of 20, {lost} lost");
        assert!(
            found.iter().all(|&found| found >= 18) && lost <= 1,
            "{length} by {factor}: {found:?}, {lost}"
        );
    }
}

#[test]
fn two_dips_do_not_hide_each_other() {
    let mut maker = Maker::new(134);
    let found = (0..20).filter(|_| {
        let mut values = dip(&mut maker, 400, 100, 3, 1.2);
        values[300..303].iter_mut().for_each(|value| *value *= 1.2);
        let places: Vec<usize> = told(&values).iter().map(|told| told.0).collect();
        places == [100, 103, 300, 303]
    });
    let found = found.count();
    println!("{found} of 20");
    assert!(found >= 14, "{found} of 20");
}

#[test]
fn spikes_are_no_dips_however_many_values_there_are() {
    for (seed, n) in (135..).zip([300, 1000]) {
        let mut maker = Maker::new(seed);
        let alarmed = (0..100).filter(|_| !told(&maker.noise(Shape::Spikes, n, 0.03)).is_empty()).count();
        println!("{alarmed} of 100 with {n} values");
        assert!(alarmed <= 1, "{alarmed} of 100 with {n} values");
    }
}

/// Spikes of all sizes, which are no mode.
#[test]
fn spikes_of_all_sizes_are_no_dips_either() {
    let mut maker = Maker::new(137);
    let alarmed = (0..100).filter(|_| {
        let mut values = maker.noise(Shape::Gaussian, 400, 0.01);
        for value in &mut values {
            *value *= if maker.uniform() < 0.03 { 1.1 + 0.9 * maker.uniform() } else { 1.0 };
        }
        !told(&values).is_empty()
    });
    let alarmed = alarmed.count();
    println!("{alarmed} of 100");
    assert!(alarmed <= 1, "{alarmed} of 100");
}
