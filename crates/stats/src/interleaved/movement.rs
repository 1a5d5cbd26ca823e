//! Does the host's speed move? Bartels' rank version of von Neumann's ratio test (JASA 77, 1982).

/// The one-sided normal quantile of the test: 5 %. A stricter one overlooks hosts of two speeds in
/// few rounds.
pub(super) const QUANTILE: f64 = 1.645;

/// Whether neighbours in time are more alike than chance has them.
pub(super) fn is_seen(rest: &[f64]) -> bool {
    score(rest) > QUANTILE
}

/// By how many standard errors neighbours in time are more alike than chance has them; 0 of few
/// values.
pub(super) fn score(rest: &[f64]) -> f64 {
    let n = rest.len() as f64;
    if rest.len() < 8 {
        return 0.0;
    }
    let ranks = ranks(rest);
    let mean = f64::midpoint(n, 1.0);
    let spread: f64 = ranks.iter().map(|rank| (rank - mean).powi(2)).sum();
    let steps: f64 = ranks.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
    if spread > 0.0 { (2.0 - steps / spread) * (n + 2.4).sqrt() / 2.0 } else { 0.0 }
}

/// The rank of each value; equal ones share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&one, &other| values[one].total_cmp(&values[other]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for tied in order.chunk_by(|&one, &other| values[one] == values[other]) {
        let rank = first as f64 + f64::midpoint(tied.len() as f64, 1.0);
        for &index in tied {
            ranks[index] = rank;
        }
        first += tied.len();
    }
    ranks
}
