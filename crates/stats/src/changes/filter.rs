//! The filter that separates slow noise from fresh, and how likely values are by it.
//!
//! What a Kalman filter takes of each value depends on which values there are, and not on what they
//! are (Durbin & Koopman, "Time Series Analysis by State Space Methods", 2012, 2.2). So it is
//! worked out once for a series, however often other levels are taken from its values; and where no
//! value is missing it soon stays the same.

/// A shape of noise over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FilterShape {
    /// The share of its last value that the slow part keeps.
    pub memory: f64,
    /// The slow part's share of the variance.
    pub slow: f64,
}

/// No slow part.
pub(super) const WHITE: FilterShape = FilterShape { memory: 0.0, slow: 0.0 };

/// A variance that moves by no more than this share of it stands.
const STANDS: f64 = 1e-14;

/// How many shapes are filtered at once: as many as a processor works on while the first of them
/// waits for its last value.
const LANES: usize = 8;

/// This many values of a filter that stands are seen together.
const TOGETHER: usize = 4;

/// After this many values it is looked whether a group of shapes is given up.
const LOOKS: usize = 64;

/// Before the product of this many variances, each above 1e-4 and below 1.1, could leave the range
/// of numbers.
const FACTORS: usize = 64;

/// The filter of one shape, and what it makes of the next value.
#[derive(Clone, Copy)]
pub(super) struct LevelFilter {
    pub memory: f64,
    fresh: f64,
    drive: f64,
    /// That of the slow part, before the next value is seen.
    variance: f64,
    /// One by the variance of the next value.
    pub inverse: f64,
    /// The share of its surprise that the next value adds to the slow part.
    gain: f64,
    stands: bool,
}

impl LevelFilter {
    /// Before the first value.
    pub fn of(FilterShape { memory, slow }: FilterShape) -> Self {
        let drive = slow * (1.0 - memory * memory);
        let (variance, fresh) = (slow, 1.0 - slow);
        let nothing =
            Self { memory, fresh, drive, variance, inverse: 0.0, gain: 0.0, stands: false };
        nothing.before(variance)
    }

    /// After a value.
    pub fn seen(&mut self) {
        if !self.stands {
            let left = self.variance * (1.0 - self.gain);
            let next = self.before(self.memory * self.memory * left + self.drive);
            let stands = (next.variance - self.variance).abs() <= STANDS * next.variance;
            *self = Self { stands, ..next };
        }
    }

    /// After a value that is missing.
    pub fn missed(&mut self) {
        *self = self.before(self.memory * self.memory * self.variance + self.drive);
    }

    /// Once it stands: the squares of the surprises of the values before the first that is missing,
    /// and how many these are.
    fn standing(&self, values: &[f64], mean: &mut f64) -> (f64, usize) {
        let (keep, take) = self.keeps();
        let count = values.iter().position(|value| value.is_nan()).unwrap_or(values.len());
        let (some, rest) = values[..count].as_chunks::<TOGETHER>();
        let mut kept = [1.0; TOGETHER];
        (1..TOGETHER).for_each(|i| kept[i] = kept[i - 1] * keep);
        let mut squares = [0.0; TOGETHER];
        for values in some {
            // What these values themselves make of what is expected does not wait for the values
            // before them.
            let mut own = 0.0;
            for i in 0..TOGETHER {
                let error = values[i] - (kept[i] * *mean + own);
                squares[i] += error * error;
                own = keep * own + take * values[i];
            }
            *mean = kept[TOGETHER - 1] * keep * *mean + own;
        }
        for value in rest {
            squares[0] += (value - *mean).powi(2);
            *mean = keep * *mean + take * value;
        }
        (squares.iter().sum::<f64>() * self.inverse, count)
    }

    /// The filter before each of the first values, none of which is missing: of this many, or until
    /// it stands.
    pub fn opening(shape: FilterShape, most: usize) -> Vec<Self> {
        let next = |filter: &Self| {
            let mut next = *filter;
            next.seen();
            (!filter.stands).then_some(next)
        };
        std::iter::successors(Some(Self::of(shape)), next).take(most).collect()
    }

    /// What is expected of the next value: this much of what was of this one, and this much of this
    /// one.
    pub fn keeps(&self) -> (f64, f64) {
        let take = self.memory * self.gain;
        (self.memory - take, take)
    }

    fn before(self, variance: f64) -> Self {
        let inverse = 1.0 / (variance + self.fresh);
        Self { variance, inverse, gain: variance * inverse, stands: false, ..self }
    }
}

/// What a shape makes of values: the sum of the squares of all surprises, each by its variance, and
/// of the logarithms of these variances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surprise {
    pub squares: f64,
    pub logs: f64,
}

/// That of one shape. What is NaN is missing.
pub(super) fn surprise(values: &[f64], shape: FilterShape) -> Surprise {
    let (mut filter, mut mean, mut squares) = (LevelFilter::of(shape), 0.0, 0.0);
    let mut variances = Product::default();
    let mut left = values;
    while let Some((&value, others)) = left.split_first() {
        if filter.stands {
            let (now, count) = filter.standing(left, &mut mean);
            squares += now;
            variances.ln -= count as f64 * filter.inverse.ln();
            left = &left[count..];
            filter.stands = false;
            continue;
        }
        left = others;
        if value.is_nan() {
            mean *= shape.memory;
            filter.missed();
            continue;
        }
        let error = value - mean;
        squares += error * error * filter.inverse;
        variances.divide(filter.inverse);
        mean = shape.memory * (mean + filter.gain * error);
        filter.seen();
    }
    Surprise { squares, logs: variances.ln() }
}

/// The filters of several shapes, for all sequences in which the same values are missing.
pub(super) struct Filters(Vec<FilterGroup>);

impl Filters {
    /// Those of these shapes.
    pub fn of(shapes: &[FilterShape], is_missing: &[bool]) -> Self {
        Self(shapes.chunks(LANES).map(|some| FilterGroup::of(some, is_missing)).collect())
    }

    pub fn groups(&self) -> &[FilterGroup] {
        &self.0
    }
}

/// Some of them, side by side.
pub(super) struct FilterGroup {
    shapes: [FilterShape; LANES],
    memory: [f64; LANES],
    /// What `memory * gain` is less than `memory`, by one by the variance.
    kept: [f64; LANES],
    /// One by the variance of each value, until all filters stand for good.
    inverse: Vec<[f64; LANES]>,
    /// That of each value from then on.
    standing: [f64; LANES],
    logs: [f64; LANES],
}

impl FilterGroup {
    /// Of no more than [`LANES`] shapes: the first one fills up.
    fn of(some: &[FilterShape], is_missing: &[bool]) -> Self {
        let shapes = std::array::from_fn(|lane| some.get(lane).copied().unwrap_or(some[0]));
        let mut filters = shapes.map(LevelFilter::of);
        let mut variances: [Product; LANES] = Default::default();
        let gaps = is_missing.iter().rposition(|is_missing| *is_missing).map_or(0, |last| last + 1);
        let mut inverse = Vec::new();
        for (place, &is_missing) in is_missing.iter().enumerate() {
            if place >= gaps && filters.iter().all(|filter| filter.stands) {
                break;
            }
            inverse.push(filters.map(|filter| filter.inverse));
            for (filter, variances) in filters.iter_mut().zip(&mut variances) {
                if is_missing {
                    filter.missed();
                } else {
                    variances.divide(filter.inverse);
                    filter.seen();
                }
            }
        }
        let standing = filters.map(|filter| filter.inverse);
        for (variances, standing) in variances.iter_mut().zip(standing) {
            (inverse.len()..is_missing.len()).for_each(|_| variances.divide(standing));
        }
        Self {
            shapes,
            memory: shapes.map(|shape| shape.memory),
            kept: shapes.map(|shape| shape.memory * (1.0 - shape.slow)),
            inverse,
            standing,
            logs: variances.map(|variances| variances.ln()),
        }
    }

    /// What each shape makes of the values; nothing where the squares of all become more than what
    /// `most` makes of their logarithms. What is missing is NaN.
    pub fn surprises(
        &self,
        values: &[f64],
        most: impl Fn(f64) -> f64,
    ) -> Option<[(FilterShape, Surprise); LANES]> {
        let squares = self.squares(values, &self.logs.map(most))?;
        Some(std::array::from_fn(|lane| {
            (self.shapes[lane], Surprise { squares: squares[lane], logs: self.logs[lane] })
        }))
    }

    fn squares(&self, values: &[f64], most: &[f64; LANES]) -> Option<[f64; LANES]> {
        let is_much = |told: &FilterVerdict| {
            told.squares.iter().zip(most).all(|(squares, most)| squares > most)
        };
        let (first, later) = values.split_at(self.inverse.len());
        let mut told = FilterVerdict::default();
        for (values, inverse) in first.chunks(LOOKS).zip(self.inverse.chunks(LOOKS)) {
            self.see(values, inverse, &mut told);
            if is_much(&told) {
                return None;
            }
        }
        for values in later.chunks(LOOKS) {
            self.see_standing(values, &mut told);
            if is_much(&told) {
                return None;
            }
        }
        Some(told.squares)
    }

    /// Sees some values more, one by the variance of each of which is given.
    fn see(&self, values: &[f64], inverse: &[[f64; LANES]], told: &mut FilterVerdict) {
        let Self { memory, kept, .. } = self;
        let FilterVerdict { mut ahead, mut back, mut squares } = *told;
        for (&value, inverse) in values.iter().zip(inverse) {
            if value.is_nan() {
                // Nothing is seen, and forgotten all the same.
                for lane in 0..LANES {
                    ahead[lane] = memory[lane] * (ahead[lane] - back[lane]);
                    back[lane] = 0.0;
                }
                continue;
            }
            for lane in 0..LANES {
                let error = (value - ahead[lane]) + back[lane];
                let surprise = error * inverse[lane];
                squares[lane] += error * surprise;
                ahead[lane] = memory[lane] * value;
                back[lane] = kept[lane] * surprise;
            }
        }
        *told = FilterVerdict { ahead, back, squares };
    }

    /// The same where the variance of each is the standing one; none is missing.
    fn see_standing(&self, values: &[f64], told: &mut FilterVerdict) {
        let Self { memory, kept, standing, .. } = self;
        let back_by: [f64; LANES] = std::array::from_fn(|lane| kept[lane] * standing[lane]);
        let (mut ahead, mut back, mut squares) = (told.ahead, told.back, [0.0; LANES]);
        for &value in values {
            for lane in 0..LANES {
                let error = (value - ahead[lane]) + back[lane];
                squares[lane] += error * error;
                ahead[lane] = memory[lane] * value;
                back[lane] = back_by[lane] * error;
            }
        }
        for lane in 0..LANES {
            squares[lane] = told.squares[lane] + squares[lane] * standing[lane];
        }
        *told = FilterVerdict { ahead, back, squares };
    }
}

/// What some filters know after a value, and what they learned from all values.
///
/// The next value is expected at `ahead` less `back`: at what is kept of this one, less what is
/// kept of its surprise for being fresh. The one does not wait for the other.
#[derive(Clone, Copy, Default)]
struct FilterVerdict {
    ahead: [f64; LANES],
    back: [f64; LANES],
    squares: [f64; LANES],
}

/// The logarithm of a long product of variances, one by each of which is given.
struct Product {
    ln: f64,
    rest: f64,
    factors: usize,
}

impl Default for Product {
    fn default() -> Self {
        Self { ln: 0.0, rest: 1.0, factors: 0 }
    }
}

impl Product {
    fn divide(&mut self, inverse: f64) {
        self.rest *= inverse;
        self.factors += 1;
        if self.factors.is_multiple_of(FACTORS) {
            self.ln -= self.rest.ln();
            self.rest = 1.0;
        }
    }

    fn ln(&self) -> f64 {
        self.ln - self.rest.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The filter as the book has it, one value after the other.
    fn by_the_book(values: &[f64], FilterShape { memory, slow }: FilterShape) -> (f64, f64) {
        let (mut mean, mut variance, mut squares, mut logs) = (0.0, slow, 0.0, 0.0);
        for &value in values {
            let total = variance + 1.0 - slow;
            let seen = if value.is_nan() { 0.0 } else { 1.0 };
            let error = if value.is_nan() { 0.0 } else { value - mean };
            squares += error * error / total;
            logs += seen * total.ln();
            mean = memory * (mean + seen * variance / total * error);
            variance = memory * memory * variance * (1.0 - seen * variance / total);
            variance += slow * (1.0 - memory * memory);
        }
        (squares, logs)
    }

    #[test]
    fn all_ways_to_filter_are_that_of_the_book() {
        let value = |i: i32| f64::from((i * 7919) % 101) / 50.0 - 1.0 + f64::from(i / 500);
        let shapes = [(0.3, 0.4), (0.5, 1.0), (0.98, 0.1), (0.996, 0.15), (0.996, 1.0)];
        let shapes = shapes.map(|(memory, slow)| FilterShape { memory, slow });
        let gaps: [fn(i32) -> bool; 3] =
            [|_| false, |i| i % 7 == 3, |i| i < 4 || (900..1300).contains(&i)];
        for gap in gaps {
            let values: Vec<f64> =
                (0..2000).map(|i| if gap(i) { f64::NAN } else { value(i) }).collect();
            let is_missing: Vec<bool> = values.iter().map(|value| value.is_nan()).collect();
            let filters = Filters::of(&shapes, &is_missing);
            let all = filters
                .groups()
                .iter()
                .filter_map(|group| group.surprises(&values, |_| f64::INFINITY));
            let all: Vec<(FilterShape, Surprise)> = all.flatten().collect();
            for shape in shapes {
                let (squares, logs) = by_the_book(&values, shape);
                let is_right = |one: &Surprise| {
                    (one.squares / squares - 1.0).abs() < 1e-9 && (one.logs - logs).abs() < 1e-6
                };
                assert!(is_right(&surprise(&values, shape)), "{shape:?}");
                assert!(
                    all.iter().any(|(other, one)| *other == shape && is_right(one)),
                    "{shape:?}"
                );
            }
        }
    }
}
