//! Where the level may have changed: optimal partitioning under a bounded cost.
//!
//! Fearnhead & Rigaill, "Changepoint Detection in the Presence of Outliers", JASA 114 (2019): the cost of a value
//! at a level is the square of its distance in standard deviations, but never above that of an outlier, so
//! that no single value can pay for a level of its own. The best partition of every prefix is had by
//! functional pruning: the cost of the best partition as a function of the last level is kept as pieces.
//!
//! Where values go to and fro between modes, a value may be at the level or at a mode of it, for a price.

use super::modes::Mode;
use super::series::Series;

/// On `low..high` of levels, the best partition costs `a·θ² + b·θ + c` and its last level begins at `start`.
#[derive(Clone, Copy)]
struct Piece {
    low: f64,
    high: f64,
    a: f64,
    b: f64,
    c: f64,
    start: usize,
}

impl Piece {
    fn at(&self, level: f64) -> f64 {
        (self.a * level + self.b) * level + self.c
    }

    fn least(&self) -> f64 {
        if self.a > 0.0 { self.at((-self.b / (2.0 * self.a)).clamp(self.low, self.high)) } else { self.c }
    }

    /// Whether the cost is least within the piece: at its ends it only is where all levels end, since costs bend down wherever two
    /// pieces meet.
    fn is_least_within(&self) -> bool {
        let slope = |level: f64| 2.0 * self.a * level + self.b;
        slope(self.low) <= 0.0 && slope(self.high) >= 0.0
    }
}

/// The levels at which a value is no outlier, and what it costs there.
#[derive(Clone, Copy)]
struct Well {
    low: f64,
    high: f64,
    /// Its cost is `a·θ² - b·θ + c`.
    a: f64,
    b: f64,
    c: f64,
}

impl Well {
    /// A piece within it, with what the value costs there.
    fn under(&self, piece: Piece) -> Piece {
        Piece { a: piece.a + self.a, b: piece.b - self.b, c: piece.c + self.c, ..piece }
    }
}

/// The first places of all levels but the first, in order.
///
/// A value beyond `outlier` standard deviations costs no more than one there, a further level `penalty`.
pub(super) fn segment(series: &Series, modes: &[Mode], outlier: f64, penalty: f64) -> Vec<usize> {
    let starts = best_starts(series, modes, outlier, penalty);
    let mut places = Vec::new();
    let mut end = series.len();
    while end > 0 {
        end = starts[end - 1];
        if end > 0 {
            places.push(end);
        }
    }
    places.reverse();
    places
}

/// For each place, where the last level of the best partition up to and with it begins.
fn best_starts(series: &Series, modes: &[Mode], outlier: f64, penalty: f64) -> Vec<usize> {
    // Levels are counted from the first value, so that squares stay small.
    let origin = series.y[0];
    let (low, high) = series
        .y
        .iter()
        .fold((0.0_f64, 0.0_f64), |(low, high), &value| (low.min(value - origin), high.max(value - origin)));
    let mut pieces = vec![Piece { low, high, a: 0.0, b: 0.0, c: 0.0, start: 0 }];
    let mut spare = Vec::new();
    let mut wells = Vec::new();
    let mut starts = Vec::with_capacity(series.len());
    let mut least = 0.0;
    for (place, (&value, &sd)) in series.y.iter().zip(&series.sd).enumerate() {
        dig(value - origin, sd, outlier, modes, &mut wells);
        // No level begins with the first value.
        let ceiling = if place > 0 { penalty } else { f64::INFINITY };
        let adding = Adding::to(&pieces, &wells, outlier * outlier, &mut spare);
        let start;
        (least, start) = adding.all(&pieces, least, ceiling, place);
        std::mem::swap(&mut pieces, &mut spare);
        starts.push(start);
    }
    starts
}

/// The wells of a value, in order and apart.
fn dig(value: f64, sd: f64, outlier: f64, modes: &[Mode], wells: &mut Vec<Well>) {
    wells.clear();
    let mut push = |value: f64, price: f64| {
        let reach = (outlier * outlier - price).max(0.0).sqrt() * sd;
        let a = 1.0 / (sd * sd);
        let (b, c) = (2.0 * a * value, a * value * value + price);
        wells.push(Well { low: value - reach, high: value + reach, a, b, c });
    };
    push(value, 0.0);
    for mode in modes {
        push(value - mode.offset, mode.price());
    }
    wells.sort_unstable_by(|one, other| one.low.total_cmp(&other.low));
}

/// Where in the piece the cost is below the ceiling.
fn below(piece: &Piece, ceiling: f64) -> Option<(f64, f64)> {
    if piece.a <= 0.0 {
        return (piece.c < ceiling).then_some((piece.low, piece.high));
    }
    if piece.at(piece.low) < ceiling && piece.at(piece.high) < ceiling {
        return Some((piece.low, piece.high));
    }
    let middle = -piece.b / (2.0 * piece.a);
    let square = middle * middle - (piece.c - ceiling) / piece.a;
    if square <= 0.0 {
        return None;
    }
    let (left, right) = ((middle - square.sqrt()).max(piece.low), (middle + square.sqrt()).min(piece.high));
    (left < right).then_some((left, right))
}

/// What the pieces become with one value more.
struct Adding<'a> {
    wells: &'a [Well],
    /// What a value in none of them costs.
    bound: f64,
    /// Where all levels end.
    ends: (f64, f64),
    out: &'a mut Vec<Piece>,
    /// The least cost so far, and where its last level begins.
    best: (f64, usize),
}

impl<'a> Adding<'a> {
    fn to(pieces: &[Piece], wells: &'a [Well], bound: f64, out: &'a mut Vec<Piece>) -> Self {
        out.clear();
        let ends = (pieces[0].low, pieces[pieces.len() - 1].high);
        Self { wells, bound, ends, out, best: (f64::INFINITY, 0) }
    }

    /// The pieces, `less` so much, under the ceiling of beginning a new level with this value; the least cost so far is 0.
    fn all(mut self, pieces: &[Piece], less: f64, ceiling: f64, start: usize) -> (f64, usize) {
        let flat = |low, high| Piece { low, high, a: 0.0, b: 0.0, c: ceiling, start };
        // Neighbours that are both above it are one, that begins here.
        let mut above = self.ends.0;
        for piece in pieces {
            let piece = Piece { c: piece.c - less, ..*piece };
            let Some((left, right)) = below(&piece, ceiling) else { continue };
            if above < left {
                self.add(flat(above, left));
            }
            self.add(Piece { low: left, high: right, ..piece });
            above = right;
        }
        if above < self.ends.1 {
            self.add(flat(above, self.ends.1));
        }
        self.best
    }

    /// A piece, with what the value costs there.
    #[inline]
    fn add(&mut self, piece: Piece) {
        match self.wells {
            [well] if well.low <= piece.low && piece.high <= well.high => self.push(well.under(piece)),
            [well] if piece.high <= well.low || well.high <= piece.low => {
                self.push(Piece { c: piece.c + self.bound, ..piece });
            }
            _ => self.divide(piece),
        }
    }

    /// The same of a piece that is in wells and outside of them.
    fn divide(&mut self, piece: Piece) {
        let mut at = piece.low;
        for well in self.wells {
            let (low, high) = (well.low.max(at), well.high.min(piece.high));
            if low >= high {
                continue;
            }
            if low > at {
                self.push(Piece { low: at, high: low, c: piece.c + self.bound, ..piece });
            }
            self.push(well.under(Piece { low, high, ..piece }));
            at = high;
        }
        if at < piece.high {
            self.push(Piece { low: at, c: piece.c + self.bound, ..piece });
        }
    }

    #[inline]
    fn push(&mut self, piece: Piece) {
        if piece.is_least_within() || piece.low <= self.ends.0 || piece.high >= self.ends.1 {
            let cost = piece.least();
            if cost < self.best.0 {
                self.best = (cost, piece.start);
            }
        }
        self.out.push(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::Maker;
    use super::super::{Options, Point};
    use super::*;

    const OUTLIER: f64 = 3.0;
    const PENALTY: f64 = 6.0;

    /// The least bounded cost of these values at any one level, up to the fineness of the levels that are tried.
    fn cost(series: &Series, from: usize, to: usize) -> f64 {
        let at = |level: f64| -> f64 {
            (from..to).map(|i| ((series.y[i] - level) / series.sd[i]).powi(2).min(OUTLIER * OUTLIER)).sum()
        };
        (0..=400).map(|k| at(-2.0 + 0.02 * f64::from(k))).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn no_partition_is_better() {
        let mut maker = Maker::new(11);
        for _ in 0..40 {
            let level = |i: usize| if (5..9).contains(&i) { 1.8 } else { 0.0 };
            let values: Vec<f64> = (0..14)
                .map(|i| {
                    let far = if maker.uniform() < 0.1 { 3.0 } else { 0.0 };
                    (level(i) + far + 0.3 * maker.gaussian()).exp()
                })
                .collect();
            let points: Vec<Point> = values.into_iter().map(Point::of).collect();
            let mut series = Series::of(&points, &Options::default()).unwrap_or_else(|why| panic!("{why:?}"));
            series.sd.fill(0.3);
            let mut least = vec![0.0];
            for end in 1..=14 {
                let with = |from: usize| {
                    least[from] + cost(&series, from, end) + if from > 0 { PENALTY } else { 0.0 }
                };
                least.push((0..end).map(with).fold(f64::INFINITY, f64::min));
            }
            let places = segment(&series, &[], OUTLIER, PENALTY);
            let bounds = [&[0], &places[..], &[14]].concat();
            let found: f64 = bounds.windows(2).map(|bound| cost(&series, bound[0], bound[1])).sum();
            let found = found + PENALTY * places.len() as f64;
            assert!((found - least[14]).abs() < 0.05, "{places:?}: {found} and {}", least[14]);
        }
    }
}
