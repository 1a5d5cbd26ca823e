//! Weighted differences of programs, solved: a graph's Laplacian by conjugate gradients.

/// A symmetric system whose rows sum to zero: effects are known up to a constant.
pub(super) struct Laplacian {
    size: usize,
    /// Row after row.
    entries: Vec<f64>,
    right: Vec<f64>,
}

impl Laplacian {
    pub fn new(size: usize) -> Self {
        Self { size, entries: vec![0.0; size * size], right: vec![0.0; size] }
    }

    /// That `b` is above `a` by `difference`, with this weight.
    pub fn add(&mut self, (a, b): (usize, usize), weight: f64, difference: f64) {
        self.entries[a * self.size + a] += weight;
        self.entries[b * self.size + b] += weight;
        self.entries[a * self.size + b] -= weight;
        self.entries[b * self.size + a] -= weight;
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
        for _ in 0..2 * self.size {
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
        let of = |(at, value): (usize, &f64)| {
            let diagonal = self.entries[at * self.size + at];
            if diagonal > 0.0 { value / diagonal } else { 0.0 }
        };
        values.iter().enumerate().map(of).collect()
    }

    fn times(&self, values: &[f64]) -> Vec<f64> {
        self.entries.chunks_exact(self.size).map(|row| dot(row, values)).collect()
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
