//! Statistics that a few wild values do not move. Slices must be finite.

/// Makes a median absolute deviation the standard deviation of Gaussian noise.
pub(super) const MAD_TO_SD: f64 = 1.4826;

/// The median; reorders the slice. 0 when it is empty.
pub(super) fn median(values: &mut [f64]) -> f64 {
    let n = values.len();
    if n == 0 {
        return 0.0;
    }
    let (below, &mut high, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    if n % 2 == 1 {
        return high;
    }
    let low = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    low + (high - low) / 2.0
}

/// The standard deviation of Gaussian noise that would have this median absolute deviation.
pub(super) fn deviation(values: &[f64], centre: f64) -> f64 {
    let mut distances: Vec<f64> = values.iter().map(|x| (x - centre).abs()).collect();
    MAD_TO_SD * median(&mut distances)
}

/// The mean without a fifth of the values at either end; reorders the slice.
///
/// Tukey & `McLaughlin`, "Less Vulnerable Confidence and Significance Procedures for Location" (1963).
pub(super) fn trimmed_mean(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let cut = values.len() / 5;
    let kept = &values[cut..values.len() - cut];
    kept.iter().sum::<f64>() / kept.len() as f64
}
