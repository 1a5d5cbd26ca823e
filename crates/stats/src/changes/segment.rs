//! Candidates for changes of the level: optimal partitioning under a bounded cost.
//!
//! Fearnhead & Rigaill, "Changepoint Detection in the Presence of Outliers", JASA 114 (2019): the
//! cost of a value at a level is the square of its distance in standard deviations, but never above
//! that of an outlier, so that no single value can pay for a level of its own. The best partition
//! of every prefix is had by functional pruning: the cost of the best partition as a function of
//! the last level is kept as pieces.
//!
//! If values go to and fro between modes, a value may be at the level or, for a price, at a mode of
//! it.

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
}

/// The cost of a value at levels up to `high`: `a·θ² - b·θ + c`.
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
    let (mut pieces, mut spare) = (vec![nothing], Vec::new());
    let (mut wells, mut stretches) = (Vec::new(), Vec::new());
    let mut starts = Vec::with_capacity(series.len());
    let mut least = 0.0;
    for (start, (&value, &sd)) in series.y.iter().zip(&series.sd).enumerate() {
        dig(value - origin, sd, outlier, modes, &mut wells);
        all_levels(&wells, outlier * outlier, &mut stretches);
        // No level begins with the first value.
        let ceiling = if start > 0 { penalty } else { f64::INFINITY };
        let new = SegmentPiece { c: ceiling, start, ..nothing };
        add_value(&pieces, least, &new, &stretches, &mut spare);
        std::mem::swap(&mut pieces, &mut spare);
        let costs = pieces.iter().map(|piece| (piece.least(), piece.start));
        let best = costs.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or_default();
        least = best.0;
        starts.push(best.1);
    }
    starts
}

/// The levels at which a value is no outlier, in order: the level from which this holds, and the
/// cost from there.
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

/// The cost of a value at all levels: within wells, and `bound` between them.
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

/// The part of the piece in which the cost is below the ceiling.
fn below(piece: &SegmentPiece, ceiling: f64) -> Option<(f64, f64)> {
    // A flat piece costs the same everywhere.
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

/// The pieces, `less` this much, under a level that begins with this value, with what the value
/// costs.
fn add_value(
    pieces: &[SegmentPiece],
    less: f64,
    new: &SegmentPiece,
    stretches: &[SegmentStretch],
    out: &mut Vec<SegmentPiece>,
) {
    out.clear();
    let mut left = stretches;
    // Neighbours that are both above it are one, that begins here.
    let mut above = new.low;
    for piece in pieces {
        let piece = piece.less(less);
        let Some((low, high)) = below(&piece, new.c) else { continue };
        if above < low {
            left = put(SegmentPiece { low: above, high: low, ..*new }, left, out);
        }
        left = put(SegmentPiece { low, high, ..piece }, left, out);
        above = high;
    }
    if above < new.high {
        put(SegmentPiece { low: above, ..*new }, left, out);
    }
}

/// A piece above all that were added before, with what the value costs there; says which stretches
/// are left for the next.
fn put<'a>(
    mut piece: SegmentPiece,
    mut stretches: &'a [SegmentStretch],
    out: &mut Vec<SegmentPiece>,
) -> &'a [SegmentStretch] {
    while let [stretch, later @ ..] = stretches {
        if stretch.high > piece.low {
            out.push(stretch.under(SegmentPiece { high: stretch.high.min(piece.high), ..piece }));
            if stretch.high >= piece.high {
                break;
            }
            piece.low = stretch.high;
        }
        stretches = later;
    }
    stretches
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
