//! The shift between the same quantile of two sets of samples, between two order statistics.

use crate::distribution::hypergeometric;

/// One rank of each side, from 1: that the first is above the second has at most this chance when
/// nothing differs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ranks {
    b: usize,
    a: usize,
    chance: f64,
}

/// Below this is the shift of `b`'s `p`-quantile against `a`'s at most with the chance `level`;
/// both ascending.
///
/// A low order statistic of `b` against a high one of `a`, whose chance to be the larger is counted
/// out: the precedence test (Nelson, "Tables for a Precedence Life Test", Technometrics 5 (1963)),
/// turned into a bound for populations that differ by a shift. `None` with too few samples.
pub(super) fn bound_below(a: &[f64], b: &[f64], p: f64, level: f64) -> Option<f64> {
    let ranks = path(a.len(), b.len(), p).find(|ranks| ranks.chance <= level)?;
    Some(b[ranks.b - 1] - a[ranks.a - 1])
}

/// The chance of a `p`-quantile of `b` so far above `a`'s when nothing differs; both ascending.
pub(super) fn above(a: &[f64], b: &[f64], p: f64) -> f64 {
    let apart = path(a.len(), b.len(), p).take_while(|ranks| b[ranks.b - 1] > a[ranks.a - 1]);
    apart.last().map_or(1.0, |ranks| ranks.chance)
}

/// Pairs of ranks from those next to the quantile outwards, always the side's turn that is nearer
/// to it.
fn path(a: usize, b: usize, p: f64) -> impl Iterator<Item = Ranks> {
    let place = |n: usize| p * (n.max(1) - 1) as f64 + 1.0;
    let (place_a, place_b) = (place(a), place(b));
    let start = (rank(place_b.floor(), b), rank(place_a.ceil(), a));
    let first = (a > 0 && b > 0).then_some(start);
    let steps = std::iter::successors(first, move |&(low, high)| {
        let (below, above) =
            ((place_b - low as f64) / b as f64, (high as f64 - place_a) / a as f64);
        match (low > 1, high < a) {
            (true, next) if below < above || !next => Some((low - 1, high)),
            (_, true) => Some((low, high + 1)),
            _ => None,
        }
    });
    steps.map(move |(low, high)| Ranks { b: low, a: high, chance: chance(a, b, high, low) })
}

/// Places are between 1 and `n`.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn rank(place: f64, n: usize) -> usize {
    (place as usize).clamp(1, n.max(1))
}

/// The chance that the `low`-th of `b` is above the `high`-th of `a`: of the lowest `high + low -
/// 1` of all, at least `high` are of `a`.
fn chance(a: usize, b: usize, high: usize, low: usize) -> f64 {
    let lowest = high + low - 1;
    (high..=lowest).map(|k| hypergeometric(k, lowest, a, a + b)).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_smallest_it_is_how_many_of_the_other_come_first() {
        // The lowest five of all are all of `a`: C(10, 5) of C(15, 5) …
        let expected = 252.0 / 3003.0;
        assert!((chance(10, 5, 5, 1) - expected).abs() < 1e-12);
        let a: Vec<f64> = (0..10).map(f64::from).collect();
        let b: Vec<f64> = (0..10).map(|i| f64::from(i) + 4.5).collect();
        // … and of ten against ten: C(10, 5) of C(20, 5).
        assert!((above(&a, &b, 0.0) - 252.0 / 15504.0).abs() < 1e-12);
        assert_eq!(bound_below(&a, &b, 0.0, 0.025), Some(0.5));
        assert_eq!(bound_below(&a, &b, 0.0, 1e-9), None);
    }

    #[test]
    fn the_path_widens_and_its_chance_falls() {
        for (a, b, p) in [(10, 10, 0.5), (15, 7, 0.1), (3, 30, 0.9), (1, 1, 0.5)] {
            let path: Vec<Ranks> = path(a, b, p).collect();
            assert!(
                path.windows(2).all(|two| two[1].chance < two[0].chance && two[1].b <= two[0].b),
                "{path:?}"
            );
            assert_eq!(path.last().map(|last| (last.b, last.a)), Some((1, a)));
        }
        assert_eq!(path(0, 3, 0.5).count(), 0);
    }
}
