//! Weighted differences of programs, solved: a graph's Laplacian by conjugate gradients.

/// A symmetric system whose rows sum to zero: effects are known up to a constant.
pub(super) struct Laplacian {
    diagonal: Vec<f64>,
    right: Vec<f64>,
    weights: Weights,
}

/// The weights off the diagonal. Of few programs a table is the quickest, as many pairs are of the
/// same two; of many the pairs themselves, since most entries of a table would be zero.
enum Weights {
    /// Row after row.
    Table(Vec<f64>),
    Pairs(Vec<(usize, usize, f64)>),
}

impl Laplacian {
    /// For `size` programs and about this number of pairs.
    pub fn new(size: usize, pairs: usize) -> Self {
        let weights = if size * size <= pairs {
            Weights::Table(vec![0.0; size * size])
        } else {
            Weights::Pairs(Vec::with_capacity(pairs))
        };
        Self { diagonal: vec![0.0; size], right: vec![0.0; size], weights }
    }

    /// Adds the equation that `b` is above `a` by `difference`, with this weight.
    pub fn add(&mut self, (a, b): (usize, usize), weight: f64, difference: f64) {
        self.diagonal[a] += weight;
        self.diagonal[b] += weight;
        let size = self.diagonal.len();
        match &mut self.weights {
            Weights::Table(table) => {
                table[a * size + b] += weight;
                table[b * size + a] += weight;
            }
            Weights::Pairs(pairs) => pairs.push((a, b, weight)),
        }
        self.right[b] += weight * difference;
        self.right[a] -= weight * difference;
    }

    /// The effects, starting from a guess of mean 0. Hestenes & Stiefel (1952), preconditioned by
    /// the diagonal.
    pub fn solve(&self, mut effects: Vec<f64>) -> Vec<f64> {
        let mut rest: Vec<f64> =
            self.times(&effects).iter().zip(&self.right).map(|(is, to)| to - is).collect();
        let mut scaled = self.scaled(&rest);
        let mut direction = scaled.clone();
        let mut size = dot(&rest, &scaled);
        let enough = 1e-16 * dot(&self.right, &self.scaled(&self.right));
        for _ in 0..2 * self.diagonal.len() {
            let moved = self.times(&direction);
            let curve = dot(&direction, &moved);
            if size <= enough || curve <= 0.0 {
                break;
            }
            let step = size / curve;
            effects.iter_mut().zip(&direction).for_each(|(effect, way)| *effect += step * way);
            rest.iter_mut().zip(&moved).for_each(|(rest, moved)| *rest -= step * moved);
            scaled = self.scaled(&rest);
            let before = std::mem::replace(&mut size, dot(&rest, &scaled));
            let keep = size / before;
            direction.iter_mut().zip(&scaled).for_each(|(way, scaled)| *way = scaled + keep * *way);
        }
        super::polish::centred(effects)
    }

    /// The diagonal's inverse: what the variance of one effect would be if all others were known.
    fn scaled(&self, values: &[f64]) -> Vec<f64> {
        let of = |(value, diagonal): (&f64, &f64)| {
            if *diagonal > 0.0 { value / diagonal } else { 0.0 }
        };
        values.iter().zip(&self.diagonal).map(of).collect()
    }

    fn times(&self, values: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> =
            values.iter().zip(&self.diagonal).map(|(value, diagonal)| value * diagonal).collect();
        match &self.weights {
            Weights::Table(table) => {
                for (row, of) in table.chunks_exact(values.len()).zip(&mut product) {
                    *of -= dot(row, values);
                }
            }
            Weights::Pairs(pairs) => {
                for &(a, b, weight) in pairs {
                    product[a] -= weight * values[b];
                    product[b] -= weight * values[a];
                }
            }
        }
        product
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_and_pairs_solve_alike() {
        // 0 to 1 is 1, 1 to 2 is 2, and 0 to 2 as 3.3 with a tenth of the weight.
        let solved = [9, 0].map(|pairs| {
            let mut system = Laplacian::new(3, pairs);
            system.add((0, 1), 1.0, 1.0);
            system.add((1, 2), 1.0, 2.0);
            system.add((0, 2), 0.1, 3.3);
            system.solve(vec![0.0; 3])
        });
        for effects in &solved {
            // The loop of 0.3 is shared by 1, 1 and 1 / 0.1 of resistance.
            let [first, second] = [effects[1] - effects[0], effects[2] - effects[1]];
            assert!((first - 1.025).abs() < 1e-9 && (second - 2.025).abs() < 1e-9, "{effects:?}");
            assert!(effects.iter().sum::<f64>().abs() < 1e-9);
        }
        assert!(solved[0].iter().zip(&solved[1]).all(|(one, other)| (one - other).abs() < 1e-9));
    }
}
