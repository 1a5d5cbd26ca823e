//! Values in order.

/// Sorts values in time that grows with their number where they lie about evenly: into cells of
/// equal width first, one for each value, then each cell by itself.
pub(super) fn sort(values: &mut [f64]) {
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    let cells = values.len();
    let fine = cells as f64 / (high - low);
    if !fine.is_normal() || u32::try_from(cells).is_err() {
        values.sort_unstable_by(f64::total_cmp);
        return;
    }
    // What is rounded keeps its order.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not below 0, and no more than cells"
    )]
    let cell = |x: f64| (((x - low) * fine) as usize).min(cells - 1);
    // Where each cell ends, and once it is filled from there where it begins.
    let mut bounds = vec![0_u32; cells + 1];
    for &x in values.iter() {
        bounds[cell(x)] += 1;
    }
    let mut end = 0;
    for count in &mut bounds {
        end += *count;
        *count = end;
    }
    let mut sorted = vec![0.0; cells];
    for &x in values.iter() {
        let start = &mut bounds[cell(x)];
        *start -= 1;
        sorted[*start as usize] = x;
    }
    for bound in bounds.windows(2) {
        let cell = &mut sorted[bound[0] as usize..bound[1] as usize];
        match cell {
            [one, other] if one.total_cmp(other).is_gt() => std::mem::swap(one, other),
            [] | [_] | [_, _] => {}
            _ => cell.sort_unstable_by(f64::total_cmp),
        }
    }
    values.copy_from_slice(&sorted);
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{Maker, Shape};
    use super::sort;

    #[test]
    fn all_values_are_sorted_as_the_library_does() {
        let mut maker = Maker::new(17);
        let mut all = vec![
            vec![],
            vec![1.0],
            vec![2.0; 9],
            vec![0.0, -0.0, 0.0, -0.0],
            vec![3.0, 1.0, 1.0, 2.0],
        ];
        all.push(vec![-f64::MAX, f64::MAX, 0.0, 5e-324]);
        all.push(vec![1.0, 1.0 + f64::EPSILON, 1.0]);
        for shape in
            [Shape::Gaussian, Shape::Lognormal, Shape::Bimodal, Shape::Quantised, Shape::Spikes]
        {
            all.extend([5, 100, 3000].map(|n| maker.noise(shape, n, 0.03)));
        }
        let far = [&maker.noise(Shape::Gaussian, 500, 0.03)[..], &[1e300, -1e9]].concat();
        all.push(far);
        for mut values in all {
            let mut expected = values.clone();
            expected.sort_unstable_by(f64::total_cmp);
            sort(&mut values);
            let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&values), bits(&expected));
        }
    }
}
