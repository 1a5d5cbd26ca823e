//! Medians of few numbers.

/// The median; 0 of nothing.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    values.sort_unstable_by(f64::total_cmp);
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

/// The standard deviation of Gaussian noise around 0 with this median of distances from 0.
pub(super) fn deviation(values: &[f64]) -> f64 {
    1.4826 * median(values.iter().map(|value| value.abs()).collect())
}
