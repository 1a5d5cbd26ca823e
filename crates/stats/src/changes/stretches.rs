//! Binary segmentation: a sequence in stretches, by any cost.

/// At how many places of a stretch it is tried at first.
const LOOKED_AT: usize = 256;

/// The bounds of the stretches, both ends included.
///
/// A stretch of at least twice `shortest` is split where that gains most, when it gains more than
/// `price` (Scott & Knott, "A Cluster Analysis Method for Grouping Means in the Analysis of
/// Variance", Biometrics 30, 1974).
pub(super) fn stretches(
    n: usize,
    shortest: usize,
    price: f64,
    cost: &impl Fn(usize, usize) -> f64,
) -> Vec<usize> {
    let (mut bounds, mut todo) = (vec![0, n], vec![(0, n)]);
    while let Some((first, end)) = todo.pop() {
        if let Some((gain, place)) = split(first, end, shortest, cost)
            && gain > price
        {
            bounds.push(place);
            todo.extend([(first, place), (place, end)]);
        }
    }
    bounds.sort_unstable();
    bounds
}

/// The best place to split a stretch, and the gain.
fn split(
    first: usize,
    end: usize,
    shortest: usize,
    cost: &impl Fn(usize, usize) -> f64,
) -> Option<(f64, usize)> {
    let all = cost(first, end);
    let last = end.checked_sub(shortest)?;
    let best = |places: &mut dyn Iterator<Item = usize>| {
        places
            .map(|place| (all - cost(first, place) - cost(place, end), place))
            .max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)))
    };
    // In a long stretch some places first, then those around the best of them.
    let stride = (end - first).div_ceil(LOOKED_AT);
    let (_, rough) = best(&mut (first + shortest..=last).step_by(stride))?;
    best(&mut ((first + shortest).max(rough.saturating_sub(stride))..=last.min(rough + stride)))
}
