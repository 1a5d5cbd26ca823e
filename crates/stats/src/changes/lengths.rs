//! Reports do not depend on the length of their series.

use super::simulated::{Maker, Shape};
use super::{Kind, detect_values};

/// What is reported of these values: places and kinds.
fn detected(values: &[f64]) -> Vec<(usize, Kind)> {
    let found = detect_values(values).changes;
    found.iter().map(|change| (change.index, change.kind)).collect()
}

/// Gaussian noise of 1 % around 100, and this many values times a factor from a place on.
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
            let is_detected = LENGTHS.map(|n| {
                let detected = detected(&values[..n]);
                detected.contains(&(50, Kind::DipStart))
                    && detected.contains(&(50 + length, Kind::DipEnd))
            });
            found
                .iter_mut()
                .zip(is_detected)
                .for_each(|(found, is_detected)| *found += usize::from(is_detected));
            lost += usize::from(is_detected.windows(2).any(|pair| pair[0] && !pair[1]));
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
        let places: Vec<usize> = detected(&values).iter().map(|detected| detected.0).collect();
        places == [100, 103, 300, 303]
    });
    let found = found.count();
    println!("{found} of 20");
    assert!(found >= 14, "{found} of 20");
}

/// A level that was seen is not lost because one or two values beside it are of another, which is
/// not known yet.
#[test]
fn one_or_two_far_values_at_an_end_hide_no_step() {
    let noise = |maker: &mut Maker, parts: &[(f64, usize)]| -> Vec<f64> {
        let levels = parts.iter().flat_map(|&(level, length)| std::iter::repeat_n(level, length));
        let count = parts.iter().map(|part| part.1).sum();
        maker
            .noise(Shape::Gaussian, count, 0.005)
            .into_iter()
            .zip(levels)
            .map(|(x, level)| x * level)
            .collect()
    };
    let cases: [(&[(f64, usize)], usize); 9] = [
        (&[(103.0, 2), (130.0, 10), (150.0, 4)], 12),
        (&[(50.0, 1), (100.0, 10), (120.0, 8)], 11),
        (&[(50.0, 2), (100.0, 10), (120.0, 8)], 12),
        (&[(80.0, 2), (100.0, 20), (120.0, 20)], 22),
        (&[(100.0, 8), (120.0, 8), (150.0, 2)], 8),
        (&[(100.0, 8), (120.0, 8), (200.0, 2)], 8),
        (&[(100.0, 20), (120.0, 10), (200.0, 2)], 20),
        (&[(100.0, 20), (120.0, 10), (200.0, 1)], 20),
        (&[(100.0, 60), (120.0, 30), (70.0, 2)], 60),
    ];
    let mut all = Vec::new();
    for (seed, (parts, place)) in (140..).zip(cases) {
        let mut maker = Maker::new(seed);
        let found = (0..50)
            .filter(|_| detected(&noise(&mut maker, parts)).contains(&(place, Kind::Step)))
            .count();
        println!("{parts:?}: {found} of 50");
        all.push(found);
    }
    assert!(all.iter().all(|&found| found >= 43), "{all:?} of 50");
}

#[test]
fn spikes_are_no_dips_however_many_values_there_are() {
    for (seed, n) in (135..).zip([300, 1000]) {
        let mut maker = Maker::new(seed);
        let alarmed =
            (0..100).filter(|_| !detected(&maker.noise(Shape::Spikes, n, 0.03)).is_empty()).count();
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
        !detected(&values).is_empty()
    });
    let alarmed = alarmed.count();
    println!("{alarmed} of 100");
    assert!(alarmed <= 1, "{alarmed} of 100");
}

#[test]
fn steps_in_short_series_are_found() {
    // How many of 200 series a clear step is found in, and how many without one are alarmed.
    for (seed, (n, deviations, least)) in
        (260..).zip([(8, 6.0, 180), (10, 4.0, 150), (14, 4.0, 180)])
    {
        let mut maker = Maker::new(seed);
        let mut noise = || maker.noise(Shape::Gaussian, n, 0.01);
        let alarmed = (0..200).filter(|_| !detected(&noise()).is_empty()).count();
        let found = (0..200).filter(|_| {
            let mut values = noise();
            values[n / 2..].iter_mut().for_each(|value| *value *= 1.0 + 0.01 * deviations);
            detected(&values).iter().any(|(place, _)| place.abs_diff(n / 2) <= 1)
        });
        let found = found.count();
        println!(
            "{n} values, {deviations} standard deviations: {found} found, {alarmed} alarmed of 200"
        );
        assert!(found >= least && alarmed <= 5, "{n}, {deviations}: {found}, {alarmed}");
    }
}
