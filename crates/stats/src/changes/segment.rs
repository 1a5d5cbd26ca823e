//! Where the level may have changed: optimal partitioning under a bounded cost.
//!
//! Fearnhead & Rigaill, "Changepoint Detection in the Presence of Outliers", JASA 114 (2019): the
//! cost of a value at a level is the square of its distance in standard deviations, but never above
//! that of an outlier, so that no single value can pay for a level of its own. The best partition
//! of every prefix is had by functional pruning: the cost of the best partition as a function of
//! the last level is kept as pieces.
//!
//! Where values go to and fro between modes, a value may be at the level or at a mode of it, for a
//! price.

use super::second_level::SecondLevel;
use super::series::ValueSeries;

/// On `low..high` of levels, the best partition costs `a·θ² + b·θ + c` and its last level begins at
/// `start`.
#[derive(Clone, Copy)]
struct SegmentPiece {
    low: f64,
    high: f64,
    a: f64,
    b: f64,
    c: f64,
    start: usize,
}

impl SegmentPiece {
    fn at(&self, level: f64) -> f64 {
        (self.a * level + self.b) * level + self.c
    }

    fn less(&self, less: f64) -> Self {
        Self { c: self.c - less, ..*self }
    }

    fn is_below(&self, ceiling: f64) -> bool {
        self.at(self.low) < ceiling && self.at(self.high) < ceiling
    }

    fn least(&self) -> f64 {
        if self.a > 0.0 {
            self.at((-self.b / (2.0 * self.a)).clamp(self.low, self.high))
        } else {
            self.c
        }
    }

    /// Whether the cost is least within the piece: at its ends it only is where all levels end,
    /// since costs bend down wherever two pieces meet.
    fn is_least_within(&self) -> bool {
        let slope = |level: f64| 2.0 * self.a * level + self.b;
        slope(self.low) <= 0.0 && slope(self.high) >= 0.0
    }
}

/// What a value costs at levels up to `high`: `a·θ² - b·θ + c`.
#[derive(Clone, Copy)]
struct SegmentStretch {
    high: f64,
    a: f64,
    b: f64,
    c: f64,
}

impl SegmentStretch {
    /// A piece within it, with what the value costs there.
    #[inline]
    fn under(&self, piece: SegmentPiece) -> SegmentPiece {
        SegmentPiece { a: piece.a + self.a, b: piece.b - self.b, c: piece.c + self.c, ..piece }
    }
}

/// The first places of all levels but the first, in order.
///
/// A value beyond `outlier` standard deviations costs no more than one there, a further level
/// `penalty`.
pub(super) fn segment(
    series: &ValueSeries,
    modes: &[SecondLevel],
    outlier: f64,
    penalty: f64,
) -> Vec<usize> {
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
fn best_starts(
    series: &ValueSeries,
    modes: &[SecondLevel],
    outlier: f64,
    penalty: f64,
) -> Vec<usize> {
    // Levels are counted from the first value, so that squares stay small.
    let origin = series.y[0];
    let ends = series.y.iter().fold((0.0_f64, 0.0_f64), |(low, high), &value| {
        (low.min(value - origin), high.max(value - origin))
    });
    let nothing = SegmentPiece { low: ends.0, high: ends.1, a: 0.0, b: 0.0, c: 0.0, start: 0 };
    let (mut pieces, mut count) = (vec![nothing], 1);
    let mut spare = Vec::new();
    let (mut wells, mut stretches) = (Vec::new(), Vec::new());
    let mut starts = Vec::with_capacity(series.len());
    let mut best = LeastCost { cost: 0.0, start: 0 };
    for (start, (&value, &sd)) in series.y.iter().zip(&series.sd).enumerate() {
        if modes.is_empty() {
            around(value - origin, sd, outlier, &mut stretches);
        } else {
            dig(value - origin, sd, outlier, modes, &mut wells);
            all_levels(&wells, outlier * outlier, &mut stretches);
        }
        // No level begins with the first value.
        let ceiling = if start > 0 { penalty } else { f64::INFINITY };
        let new = SegmentPiece { c: ceiling, start, ..nothing };
        // All pieces, a new level before each of them and behind, and each of both rows divided by
        // all stretches.
        let most = 2 * (count + stretches.len()) + 1;
        if spare.len() < most {
            spare.resize(2 * most, nothing);
        }
        (best, count) =
            PieceUpdate::to(&stretches, ends, &mut spare).all(&pieces[..count], best.cost, &new);
        std::mem::swap(&mut pieces, &mut spare);
        starts.push(best.start);
    }
    starts
}

/// What a value costs at all levels where there are no modes.
fn around(value: f64, sd: f64, outlier: f64, stretches: &mut Vec<SegmentStretch>) {
    let (a, reach, c) = (1.0 / (sd * sd), outlier * sd, outlier * outlier);
    let outside = |high| SegmentStretch { high, a: 0.0, b: 0.0, c };
    let well = SegmentStretch { high: value + reach, a, b: 2.0 * a * value, c: a * value * value };
    stretches.clear();
    stretches.extend_from_slice(&[outside(value - reach), well, outside(f64::INFINITY)]);
}

/// Where a value is no outlier, in order: from which level on, and what it costs from there.
fn dig(
    value: f64,
    sd: f64,
    outlier: f64,
    modes: &[SecondLevel],
    wells: &mut Vec<(f64, SegmentStretch)>,
) {
    let a = 1.0 / (sd * sd);
    let well = |middle: f64, least: f64| {
        let reach = (outlier * outlier - least).max(0.0).sqrt() * sd;
        let (b, c) = (2.0 * a * middle, a * middle * middle + least);
        (middle - reach, SegmentStretch { high: middle + reach, a, b, c })
    };
    wells.clear();
    wells.push(well(value, 0.0));
    wells.extend(modes.iter().map(|mode| well(value - mode.offset, mode.price)));
    wells.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
}

/// What a value costs at all levels: within wells, and `bound` between them.
fn all_levels(wells: &[(f64, SegmentStretch)], bound: f64, stretches: &mut Vec<SegmentStretch>) {
    stretches.clear();
    let outside = |high| SegmentStretch { high, a: 0.0, b: 0.0, c: bound };
    let mut at = f64::NEG_INFINITY;
    for &(low, well) in wells {
        if well.high <= at {
            continue;
        }
        if low > at {
            stretches.push(outside(low));
        }
        stretches.push(well);
        at = well.high;
    }
    stretches.push(outside(f64::INFINITY));
}

/// Where in the piece the cost is below the ceiling.
fn below(piece: &SegmentPiece, ceiling: f64) -> Option<(f64, f64)> {
    // What is flat costs the same everywhere.
    if piece.a <= 0.0 {
        return (piece.c < ceiling).then_some((piece.low, piece.high));
    }
    if piece.is_below(ceiling) {
        return Some((piece.low, piece.high));
    }
    let middle = -piece.b / (2.0 * piece.a);
    let square = middle * middle - (piece.c - ceiling) / piece.a;
    if square <= 0.0 {
        return None;
    }
    let reach = square.sqrt();
    let (left, right) = (middle - reach, middle + reach);
    let left = if left > piece.low { left } else { piece.low };
    let right = if right < piece.high { right } else { piece.high };
    (left < right).then_some((left, right))
}

/// The least cost so far, and where its last level begins.
#[derive(Clone, Copy)]
struct LeastCost {
    cost: f64,
    start: usize,
}

impl LeastCost {
    /// `ends` are those of all levels.
    #[inline]
    fn see(&mut self, piece: &SegmentPiece, ends: (f64, f64)) {
        if piece.is_least_within() || piece.low <= ends.0 || piece.high >= ends.1 {
            self.take(piece);
        }
    }

    #[inline]
    fn take(&mut self, piece: &SegmentPiece) {
        let cost = piece.least();
        if cost < self.cost {
            *self = Self { cost, start: piece.start };
        }
    }
}

/// What the pieces become with one value more.
struct PieceUpdate<'a> {
    /// What the value costs, from where it was come to on.
    stretches: &'a [SegmentStretch],
    /// Where all levels end.
    ends: (f64, f64),
    /// Room for all, and how many there are.
    out: &'a mut [SegmentPiece],
    count: usize,
    best: LeastCost,
}

impl<'a> PieceUpdate<'a> {
    fn to(stretches: &'a [SegmentStretch], ends: (f64, f64), out: &'a mut [SegmentPiece]) -> Self {
        let best = LeastCost { cost: f64::INFINITY, start: 0 };
        Self { stretches, ends, out, count: 0, best }
    }

    /// The pieces, `less` this much, under a level that begins with this value; the least cost so
    /// far is 0.
    fn all(mut self, pieces: &[SegmentPiece], less: f64, new: &SegmentPiece) -> (LeastCost, usize) {
        // A level that costs more than an outlier is not the best where it begins.
        let is_dear = self.stretches.last().is_some_and(|outside| new.c >= outside.c);
        // Neighbours that are both above it are one, that begins here.
        let mut above = self.ends.0;
        let mut left = pieces;
        while let [first, others @ ..] = left {
            left = others;
            let piece = first.less(less);
            let Some((low, high)) = below(&piece, new.c) else { continue };
            if above < low {
                self.put(SegmentPiece { low: above, high: low, ..*new });
            }
            self.add(SegmentPiece { low, high, ..piece });
            above = high;
            if high == first.high {
                left = &left[self.whole(left, less, new.c)..];
                above = self.out[self.count - 1].high;
            }
        }
        if above < self.ends.1 {
            let high = self.ends.1;
            self.put(SegmentPiece { low: above, high, ..*new });
        }
        if !is_dear {
            self.see(0);
        }
        (self.best, self.count)
    }

    /// Adds the first pieces that stay whole, and within the stretch that was come to; says how
    /// many. Each begins where the one before it ends.
    fn whole(&mut self, pieces: &[SegmentPiece], less: f64, ceiling: f64) -> usize {
        let Some(&stretch) = self.stretches.first() else { return 0 };
        let (ends, mut best, mut run) = (self.ends, self.best, 0);
        for (piece, out) in pieces.iter().zip(&mut self.out[self.count..]) {
            let piece = piece.less(less);
            // Where it begins it is as high as the one before it, which is below.
            if piece.high > stretch.high || piece.at(piece.high) >= ceiling {
                break;
            }
            *out = stretch.under(piece);
            if out.is_least_within() {
                best.take(out);
            }
            run += 1;
        }
        // None but the last of them can be where all levels end.
        if let Some(last) = self.out[self.count..self.count + run].last() {
            best.see(last, ends);
        }
        (self.best, self.count) = (best, self.count + run);
        run
    }

    /// A piece above all that were added before, with what the value costs there.
    fn add(&mut self, piece: SegmentPiece) {
        let first = self.count;
        self.put(piece);
        self.see(first);
    }

    /// Looks whether one of the pieces that were added, from this many on, is the best.
    fn see(&mut self, first: usize) {
        for piece in &self.out[first..self.count] {
            self.best.see(piece, self.ends);
        }
    }

    /// The same, and not seen whether it is the best.
    fn put(&mut self, mut piece: SegmentPiece) {
        while let [stretch, later @ ..] = self.stretches {
            if stretch.high > piece.low {
                let part = stretch.under(SegmentPiece { high: stretch.high, ..piece });
                let out = &mut self.out[self.count];
                self.count += 1;
                if stretch.high >= piece.high {
                    *out = SegmentPiece { high: piece.high, ..part };
                    return;
                }
                *out = part;
                piece.low = stretch.high;
            }
            self.stretches = later;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated::Maker;
    use super::super::{Options, SeriesValue};
    use super::*;

    const OUTLIER: f64 = 3.0;
    const PENALTY: f64 = 6.0;

    /// The least bounded cost of these values at any one level, up to the fineness of the levels
    /// that are tried.
    fn cost(series: &ValueSeries, modes: &[SecondLevel], from: usize, to: usize) -> f64 {
        let one = |i: usize, level: f64| {
            let far = |offset: f64| ((series.y[i] - level - offset) / series.sd[i]).powi(2);
            let at_modes = modes.iter().map(|mode| far(mode.offset) + mode.price);
            at_modes.fold(far(0.0), f64::min).min(OUTLIER * OUTLIER)
        };
        let at = |level: f64| -> f64 { (from..to).map(|i| one(i, level)).sum() };
        // No level is beyond all values.
        let (low, high) = series
            .y
            .iter()
            .fold((f64::MAX, f64::MIN), |(low, high), y| (low.min(*y), high.max(*y)));
        (0..=400)
            .map(|k| at(low + (high - low) * f64::from(k) / 400.0))
            .fold(f64::INFINITY, f64::min)
    }

    /// Fourteen values at two levels, some of them far off.
    fn made(maker: &mut Maker) -> ValueSeries {
        let level = |i: usize| if (5..9).contains(&i) { 1.8 } else { 0.0 };
        let value = |i: usize| {
            let far = if maker.uniform() < 0.2 { 3.0 } else { 0.0 };
            SeriesValue::of((level(i) + far + 0.3 * maker.gaussian()).exp())
        };
        let points: Vec<SeriesValue> = (0..14).map(value).collect();
        let mut series =
            ValueSeries::of(&points, &Options::default()).unwrap_or_else(|why| panic!("{why:?}"));
        series.sd.fill(0.3);
        series
    }

    #[test]
    fn no_partition_is_better() {
        let mut maker = Maker::new(11);
        // As far apart as modes are: more than twice an outlier.
        let modes = [SecondLevel::of(3.0, 0.2), SecondLevel::of(-2.0, 0.3)];
        for modes in [&[], &modes[..1], &modes[..]] {
            for _ in 0..40 {
                let series = made(&mut maker);
                let mut least = vec![0.0];
                for end in 1..=14 {
                    let with = |from: usize| {
                        least[from]
                            + cost(&series, modes, from, end)
                            + if from > 0 { PENALTY } else { 0.0 }
                    };
                    least.push((0..end).map(with).fold(f64::INFINITY, f64::min));
                }
                let places = segment(&series, modes, OUTLIER, PENALTY);
                let bounds = [&[0], &places[..], &[14]].concat();
                let found: f64 =
                    bounds.windows(2).map(|bound| cost(&series, modes, bound[0], bound[1])).sum();
                let found = found + PENALTY * places.len() as f64;
                assert!((found - least[14]).abs() < 0.05, "{places:?}: {found} and {}", least[14]);
            }
        }
    }
}
