//! Where the level may have changed: optimal partitioning under a bounded cost.
//!
//! Fearnhead & Rigaill, "Changepoint Detection in the Presence of Outliers", JASA 114 (2019): the cost of a value
//! at a level is the square of its distance in standard deviations, but never above that of an outlier, so
//! that no single value can pay for a level of its own. The best partition of every prefix is had by
//! functional pruning: the cost of the best partition as a function of the last level is kept as pieces.

use super::Options;
use super::series::Series;

/// On `low..high` of levels, the best partition costs `a·θ² + b·θ + c` and its last level begins at `start`.
#[derive(Clone, Copy)]
struct Piece {
    low: f64,
    high: f64,
    a: f64,
    b: f64,
    c: f64,
    start: u32,
}

impl Piece {
    fn at(&self, level: f64) -> f64 {
        (self.a * level + self.b) * level + self.c
    }

    fn least(&self) -> f64 {
        if self.a > 0.0 {
            self.at((-self.b / (2.0 * self.a)).clamp(self.low, self.high))
        } else {
            self.at(self.low).min(self.at(self.high))
        }
    }

    fn continues(&self, other: &Self) -> bool {
        self.start == other.start && self.a == other.a && self.b == other.b && self.c == other.c
    }
}

/// The first places of all levels but the first, in order.
pub(super) fn candidates(series: &Series, options: &Options) -> Vec<usize> {
    let n = series.y.len();
    let penalty = options.penalty * (n as f64).ln();
    let starts = best_starts(&series.y, &series.sd, options.outlier, penalty);
    let mut places = Vec::new();
    let mut end = n;
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
fn best_starts(y: &[f64], sd: &[f64], outlier: f64, penalty: f64) -> Vec<usize> {
    // Levels are counted from the first value, so that squares stay small.
    let origin = y[0];
    let (low, high) = y
        .iter()
        .fold((0.0_f64, 0.0_f64), |(low, high), &value| (low.min(value - origin), high.max(value - origin)));
    let mut pieces = vec![Piece { low, high, a: 0.0, b: 0.0, c: 0.0, start: 0 }];
    let mut next = Vec::new();
    let mut starts = Vec::with_capacity(y.len());
    for (place, (&value, &sd)) in y.iter().zip(sd).enumerate() {
        if place > 0 {
            cap(&pieces, penalty, u32::try_from(place).unwrap_or(u32::MAX), &mut next);
            std::mem::swap(&mut pieces, &mut next);
        }
        let best = add(&pieces, value - origin, sd, outlier, &mut next);
        std::mem::swap(&mut pieces, &mut next);
        starts.push(best.1 as usize);
        for piece in &mut pieces {
            piece.c -= best.0;
        }
    }
    starts
}

/// The pieces under the ceiling of beginning a new level here; the least cost is 0.
fn cap(pieces: &[Piece], ceiling: f64, start: u32, out: &mut Vec<Piece>) {
    out.clear();
    let mut push = |piece: Piece| match out.last_mut() {
        Some(last) if last.continues(&piece) => last.high = piece.high,
        _ => out.push(piece),
    };
    for piece in pieces {
        let flat = |low, high| Piece { low, high, a: 0.0, b: 0.0, c: ceiling, start };
        let Some((left, right)) = below(piece, ceiling) else {
            push(flat(piece.low, piece.high));
            continue;
        };
        if left > piece.low {
            push(flat(piece.low, left));
        }
        push(Piece { low: left, high: right, ..*piece });
        if right < piece.high {
            push(flat(right, piece.high));
        }
    }
}

/// Where in the piece the cost is below the ceiling.
fn below(piece: &Piece, ceiling: f64) -> Option<(f64, f64)> {
    if piece.a <= 0.0 {
        return (piece.c < ceiling).then_some((piece.low, piece.high));
    }
    let middle = -piece.b / (2.0 * piece.a);
    let square = middle * middle - (piece.c - ceiling) / piece.a;
    if square <= 0.0 {
        return None;
    }
    let (left, right) = ((middle - square.sqrt()).max(piece.low), (middle + square.sqrt()).min(piece.high));
    (left < right).then_some((left, right))
}

/// Adds the bounded cost of a value; gives the least cost and where its last level begins.
fn add(pieces: &[Piece], value: f64, sd: f64, outlier: f64, out: &mut Vec<Piece>) -> (f64, u32) {
    out.clear();
    let weight = 1.0 / (sd * sd);
    let bound = outlier * outlier;
    let (left, right) = (value - outlier * sd, value + outlier * sd);
    let mut best = (f64::INFINITY, 0);
    for piece in pieces {
        let cuts =
            [piece.low, left.clamp(piece.low, piece.high), right.clamp(piece.low, piece.high), piece.high];
        for (part, cut) in cuts.windows(2).enumerate() {
            let whole = piece.low == piece.high && part == 1;
            if cut[0] >= cut[1] && !whole {
                continue;
            }
            let mut added = Piece { low: cut[0], high: cut[1], ..*piece };
            if part == 1 {
                added.a += weight;
                added.b -= 2.0 * weight * value;
                added.c += weight * value * value;
            } else {
                added.c += bound;
            }
            let cost = added.least();
            if cost < best.0 {
                best = (cost, added.start);
            }
            match out.last_mut() {
                Some(last) if last.continues(&added) => last.high = added.high,
                _ => out.push(added),
            }
        }
    }
    best
}
