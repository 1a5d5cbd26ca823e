//! Where the level changed: all ways to cut the history into levels, weighed against each other.
//!
//! Fearnhead, "Exact and efficient Bayesian inference for multiple changepoint problems",
//! Statistics and Computing 16 (2006): with a Gaussian level in each stretch, drawn anew at each
//! change, the sums over all ways are exact and take the square of the number of measured
//! candidates. Between two measured candidates the chance of a change grows with how many lie
//! between them.

use super::align::Level;

/// How many changes a history is expected to have, before anything is known.
const EXPECTED: f64 = 3.0;
/// Builds of the same speed differ at least by this share of what is looked for: no two are laid
/// out alike.
const ALIKE: f64 = 0.1;
/// How often the differences between builds are estimated from the levels found with them.
const TURNS: usize = 3;

/// What is believed of the history.
#[derive(Clone, Debug, Default)]
pub(super) struct Belief {
    /// Of each measured candidate but the first, how likely the level changed between the one
    /// before and it.
    pub changed: Vec<f64>,
    /// The likeliest cut: where levels begin, as indexes of what was measured, 0 left out.
    pub cut: Vec<usize>,
    sums: Sums,
}

/// A level, and how well it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mean {
    pub value: f64,
    pub variance: f64,
}

impl Belief {
    /// What is believed, and how far builds differ where nothing changed.
    pub fn settled(levels: &[Level], candidates: usize, least: f64) -> (Self, f64) {
        let mut between = ALIKE * least;
        let mut belief = Self::of(levels, candidates, least, between);
        for _ in 0..TURNS {
            let estimate = belief.between(levels).max(ALIKE * least);
            if (estimate - between).abs() < 0.05 * between {
                break;
            }
            between = estimate;
            belief = Self::of(levels, candidates, least, between);
        }
        (belief, between)
    }

    fn of(levels: &[Level], candidates: usize, least: f64, between: f64) -> Self {
        let sums = Sums::new(levels, least, between);
        let n = levels.len();
        if n == 0 {
            return Self { sums, ..Self::default() };
        }
        let chance = Chances::new(levels, candidates);
        let stretch = |from: usize, to: usize| sums.evidence(from, to) + chance.none(from, to);
        let (before, best) = prefixes(n, &chance.some, stretch);
        let mut after = vec![f64::NEG_INFINITY; n + 1];
        after[n] = 0.0;
        for from in (0..n).rev() {
            let ways = (from + 1..=n).map(|to| {
                let next = if to == n { 0.0 } else { chance.some[to] + after[to] };
                stretch(from, to) + next
            });
            after[from] = log_sum(ways);
        }
        let all = before[n];
        let changed =
            (1..n).map(|at| (before[at] + chance.some[at] + after[at] - all).exp()).collect();
        Self { changed, cut: best, sums }
    }

    /// The level that holds from one measured candidate to before another, by their indexes.
    pub fn mean(&self, from: usize, to: usize) -> Mean {
        let (weight, sum, _) = self.sums.of(from, to);
        Mean { value: sum / weight, variance: 1.0 / weight }
    }

    /// The stretch of one level that holds this measured candidate.
    pub fn stretch(&self, at: usize, measured: usize) -> (usize, usize) {
        let after = self.cut.partition_point(|cut| *cut <= at);
        let from = after.checked_sub(1).map_or(0, |before| self.cut[before]);
        (from, self.cut.get(after).copied().unwrap_or(measured))
    }

    /// How far builds of one level differ, beyond their noise: what is left of the squares of their
    /// distances.
    fn between(&self, levels: &[Level]) -> f64 {
        let mut edges = vec![0];
        edges.extend(&self.cut);
        edges.push(levels.len());
        let (mut squares, mut noise, mut freedom) = (0.0, 0.0, 0.0);
        for edge in edges.windows(2) {
            let mean = self.mean(edge[0], edge[1]).value;
            let stretch = &levels[edge[0]..edge[1]];
            squares += stretch.iter().map(|level| (level.value - mean).powi(2)).sum::<f64>();
            let of_mean = 1.0 - 1.0 / stretch.len() as f64;
            noise += stretch.iter().map(|level| level.variance * of_mean).sum::<f64>();
            freedom += stretch.len() as f64 - 1.0;
        }
        if freedom < 3.0 { 0.0 } else { ((squares - noise) / freedom).max(0.0).sqrt() }
    }
}

/// The logarithm of the sum over all cuts of what comes before each place, and the likeliest cut of
/// all.
fn prefixes(
    n: usize,
    some: &[f64],
    stretch: impl Fn(usize, usize) -> f64,
) -> (Vec<f64>, Vec<usize>) {
    let mut before = vec![f64::NEG_INFINITY; n + 1];
    let mut best = vec![(f64::NEG_INFINITY, 0); n + 1];
    (before[0], best[0]) = (0.0, (0.0, 0));
    for to in 1..=n {
        let begins = |from: usize| if from == 0 { 0.0 } else { some[from] };
        let way = |from: usize| begins(from) + stretch(from, to);
        let ways: Vec<f64> = (0..to).map(way).collect();
        before[to] = log_sum((0..to).map(|from| before[from] + ways[from]));
        for (from, way) in ways.iter().enumerate() {
            let whole = best[from].0 + way;
            if whole > best[to].0 {
                best[to] = (whole, from);
            }
        }
    }
    let (mut cut, mut at) = (Vec::new(), n);
    while best[at].1 > 0 {
        at = best[at].1;
        cut.push(at);
    }
    cut.reverse();
    (before, cut)
}

/// How likely the level changes between neighbours of those that were measured, as logarithms.
struct Chances {
    /// That it does, before each.
    some: Vec<f64>,
    /// That it does not, up to each, summed.
    none: Vec<f64>,
}

impl Chances {
    fn new(levels: &[Level], candidates: usize) -> Self {
        let each = (EXPECTED / candidates.max(2) as f64).min(0.5);
        let width = |at: usize| if at == 0 { 1 } else { levels[at].at - levels[at - 1].at };
        let none: Vec<f64> =
            (0..levels.len()).map(|at| width(at) as f64 * (-each).ln_1p()).collect();
        let some = none.iter().map(|none| (-none.exp_m1()).ln()).collect();
        let mut sum = 0.0;
        let none = none.into_iter().map(|none| {
            sum += none;
            sum
        });
        Self { some, none: none.collect() }
    }

    /// That it does not between the first and the last of a stretch.
    fn none(&self, from: usize, to: usize) -> f64 {
        self.none[to - 1] - self.none[from]
    }
}

/// Sums of weights, weighted values and their squares, up to each of those that were measured.
#[derive(Clone, Debug, Default)]
struct Sums {
    up_to: Vec<(f64, f64, f64)>,
    /// The logarithms of the weights, summed.
    logs: Vec<f64>,
    /// Where levels are, before anything is known, and how widely.
    middle: f64,
    wide: f64,
}

impl Sums {
    fn new(levels: &[Level], least: f64, between: f64) -> Self {
        let middle =
            levels.iter().map(|level| level.value).sum::<f64>() / levels.len().max(1) as f64;
        let squares: f64 = levels.iter().map(|level| (level.value - middle).powi(2)).sum();
        let wide = (2.0 * least).powi(2) + squares / levels.len().max(1) as f64;
        let mut up_to = vec![(0.0, 0.0, 0.0)];
        let mut logs = vec![0.0];
        for (level, at) in levels.iter().zip(0..) {
            let weight = 1.0 / (level.variance + between * between);
            let value = level.value - middle;
            let (weights, values, squares) = up_to[at];
            up_to.push((
                weights + weight,
                values + weight * value,
                squares + weight * value * value,
            ));
            logs.push(logs[at] + weight.ln());
        }
        Self { up_to, logs, middle, wide }
    }

    /// The weight, weighted value and weighted square of a stretch; the values on their own scale.
    fn of(&self, from: usize, to: usize) -> (f64, f64, f64) {
        let ((w, s, q), (w0, s0, q0)) = (self.up_to[to], self.up_to[from]);
        (w - w0, s - s0 + self.middle * (w - w0), q - q0)
    }

    /// The logarithm of how likely the values of a stretch are, if it has one level.
    fn evidence(&self, from: usize, to: usize) -> f64 {
        let ((w, s, q), (w0, s0, q0)) = (self.up_to[to], self.up_to[from]);
        let (weight, sum, square) = (w - w0, s - s0, q - q0);
        let known = 1.0 + self.wide * weight;
        let logs = self.logs[to] - self.logs[from];
        0.5 * (logs - known.ln() - square + sum * sum * self.wide / known)
    }
}

/// The logarithm of the sum of numbers given by their logarithms.
fn log_sum(logs: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = logs.collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(values: &[f64]) -> Vec<Level> {
        let level = |(at, value): (usize, &f64)| Level {
            at: 10 * at,
            value: *value,
            variance: 1e-4,
            samples: 10,
        };
        values.iter().enumerate().map(level).collect()
    }

    #[test]
    fn sums_over_all_cuts_are_those_of_all_cuts() {
        let levels = levels(&[0.0, 0.01, 0.06, 0.05, -0.02]);
        let belief = Belief::of(&levels, 41, 0.05, 0.005);
        let (sums, chance) = (Sums::new(&levels, 0.05, 0.005), Chances::new(&levels, 41));
        let (mut all, mut each) = (0.0, [0.0; 4]);
        for cuts in 0..16_usize {
            let edges: Vec<usize> = [0]
                .into_iter()
                .chain((1..5).filter(|at| cuts >> (at - 1) & 1 == 1))
                .chain([5])
                .collect();
            let stretches =
                edges.windows(2).map(|e| sums.evidence(e[0], e[1]) + chance.none(e[0], e[1]));
            let begins = edges[1..edges.len() - 1].iter().map(|at| chance.some[*at]);
            let way = (stretches.sum::<f64>() + begins.sum::<f64>()).exp();
            all += way;
            (0..4).filter(|at| cuts >> at & 1 == 1).for_each(|at| each[at] += way);
        }
        for (changed, each) in belief.changed.iter().zip(each) {
            assert!((changed - each / all).abs() < 1e-9, "{belief:?}");
        }
    }

    #[test]
    fn a_step_is_believed_where_it_is_and_nothing_elsewhere() {
        let (belief, between) =
            Belief::settled(&levels(&[0.0, 0.01, -0.01, 0.2, 0.21, 0.19]), 51, 0.05);
        assert_eq!(belief.cut, [3]);
        assert!(belief.changed[2] > 0.999 && belief.changed[0] < 0.1, "{belief:?}");
        assert!((belief.mean(3, 6).value - 0.2).abs() < 1e-9 && between < 0.01, "{belief:?}");
        assert_eq!((belief.stretch(1, 6), belief.stretch(4, 6)), ((0, 3), (3, 6)));
    }

    #[test]
    fn of_nothing_nothing_is_believed() {
        let (belief, _) = Belief::settled(&[], 10, 0.05);
        assert!(belief.changed.is_empty() && belief.cut.is_empty());
        assert!(Belief::settled(&levels(&[0.3]), 10, 0.05).0.cut.is_empty());
    }
}
