//! The choice of the candidates that are changes.
//!
//! Changes and slow noise explain the same data, so they compete: the weakest candidates are
//! dropped one after the other, and at each stage the noise is estimated again from the residuals.
//! Among the stages in which every change exceeds the noise, the one that explains the series best
//! for the price of its changes is chosen.

use std::borrow::Cow;
use std::ops::Range;

use super::filter::{self, FilterShape};
use super::noise::{self, NoiseStep, SeriesNoise};
use super::series::ValueSeries;
use super::sums::Sums;

/// How many values on each side of a change are looked at, at most.
const WINDOW: usize = 100;
/// How many values there must be at a level, outliers aside.
const SHORTEST: usize = 3;
/// The shape of the noise of a longer series is estimated from this many of its values.
const SAMPLE: usize = 1200;
/// The price of a change: a factor of the logarithm of the number of values, and a constant. The
/// price is calibrated so that noise of any kind seldom pays for a change, and slow noise is not
/// taken for levels that go up and down.
const PRICE: (f64, f64) = (2.5, 1.5);
/// The usual number of changes; with more of them, each is less surprising.
const USUAL: f64 = 8.0;
/// The additional price of the first change.
const FIRST: f64 = 5.0;
/// How clear each change is to be, as the square of its standard errors, counted in the same way.
const CLEAR: (f64, f64) = (3.0, 4.0);
/// In fresh noise few values beside a change count against it as far as a series of this many has
/// them.
const MANY: f64 = 50.0;
/// The excess over the best cost, in prices of a change, at which no stage is followed further.
const HOPELESS: f64 = 20.0;

/// The choice.
pub(super) struct SegmentChoice {
    /// The first places of new levels.
    pub places: Vec<usize>,
    /// The step at each.
    pub steps: Vec<NoiseStep>,
    /// The noise under which they are judged.
    pub noise: SeriesNoise,
}

/// A series ready to be judged.
pub(super) struct Judge<'a> {
    /// The series.
    pub series: &'a ValueSeries,
    /// Values that are not to count.
    pub masked: &'a [bool],
    /// The standard deviations, NaN for what is masked.
    pub sd: Vec<f64>,
    /// One by each of them.
    pub inverse: Vec<f64>,
    sums: Sums,
    /// How many values count.
    count: f64,
}

impl<'a> Judge<'a> {
    pub fn new(series: &'a ValueSeries, masked: &'a [bool]) -> Self {
        let sd: Vec<f64> = series
            .sd
            .iter()
            .zip(masked)
            .map(|(&sd, &masked)| if masked { f64::NAN } else { sd })
            .collect();
        let inverse: Vec<f64> = sd.iter().map(|sd| 1.0 / sd).collect();
        let sums = Sums::up_to(&series.y, &inverse);
        let count = sums.of(0..series.len()).count as f64;
        Self { series, masked, sd, inverse, sums, count }
    }

    /// Chooses among candidates.
    pub fn choose(&self, mut places: Vec<usize>) -> SegmentChoice {
        let none = SegmentChoice { places: Vec::new(), steps: Vec::new(), noise: self.noise(&[]) };
        let (mut least, mut best) = (none.noise.cost, none);
        while !places.is_empty() {
            let noise = self.noise(&places);
            let stage = self.stage(&places, noise);
            let cost = self.cost(&stage);
            let strengths: Vec<f64> =
                (0..places.len()).map(|which| self.strength(&stage, which)).collect();
            let sound = strengths.iter().all(|&strength| strength >= 1.0);
            places = without_weakest(&places, &strengths, sound);
            let hopeless =
                noise.cost > least || sound && cost > least + HOPELESS * self.price_of_one();
            if sound && cost < least {
                (least, best) = (cost, stage);
            } else if hopeless {
                break;
            }
        }
        best
    }

    /// The cost of a stage: the improbability of its noise, and the price of its changes.
    pub fn cost(&self, stage: &SegmentChoice) -> f64 {
        stage.noise.cost + self.price(&stage.places, stage.noise.shape)
    }

    /// The cost of these places after a curve is subtracted from the values.
    pub fn cost_beside(&self, curve: &[f64], places: &[usize]) -> f64 {
        let rest = self.series.less(&self.series.y, curve);
        let beside = Judge::new(&rest, self.masked);
        beside.cost(&beside.at(places))
    }

    /// The steps at these places, and the noise around them.
    pub fn at(&self, places: &[usize]) -> SegmentChoice {
        self.stage(places, self.noise(places))
    }

    /// The steps at these places in this noise.
    fn stage(&self, places: &[usize], noise: SeriesNoise) -> SegmentChoice {
        let steps = (0..places.len())
            .map(|which| self.step(places, which, places[which], &noise))
            .collect();
        SegmentChoice { places: places.to_vec(), steps, noise }
    }

    /// The most likely noise when the level changes at these places.
    pub fn noise(&self, places: &[usize]) -> SeriesNoise {
        let standard = self.standard(places);
        let likeliest = noise::likeliest(&sampled(&standard));
        if standard.len() > SAMPLE {
            noise::likelihood(&standard, likeliest.shape)
        } else {
            likeliest
        }
    }

    /// The values less the weighted mean of their level, in standard deviations; NaN for what is
    /// masked.
    pub fn standard(&self, places: &[usize]) -> Vec<f64> {
        let mut standard = Vec::with_capacity(self.series.len());
        let (starts, ends) = (
            [0].into_iter().chain(places.iter().copied()),
            places.iter().copied().chain([self.series.len()]),
        );
        for (start, end) in starts.zip(ends) {
            let (y, inverse) = (&self.series.y[start..end], &self.inverse[start..end]);
            let level = self.sums.mean(start..end);
            standard.extend(y.iter().zip(inverse).map(|(y, inverse)| (y - level) * inverse));
        }
        standard
    }

    /// The step at `place` in the stretch around one of the places that is clear of the others.
    pub fn step(
        &self,
        places: &[usize],
        which: usize,
        place: usize,
        noise: &SeriesNoise,
    ) -> NoiseStep {
        self.step_within(&self.near(places, which, place..place + 1), place, noise)
    }

    /// The stretch around a change that is clear of the others: this much of it as is looked at for
    /// a step at any of these places.
    pub fn near(&self, places: &[usize], which: usize, at: Range<usize>) -> Range<usize> {
        let (before, after) = self.around(places, which);
        before.max(at.start.saturating_sub(WINDOW))..after.min(at.end - 1 + WINDOW)
    }

    /// The step at `place` within that stretch.
    pub fn step_within(
        &self,
        stretch: &Range<usize>,
        place: usize,
        noise: &SeriesNoise,
    ) -> NoiseStep {
        let (first, end) = (stretch.start, stretch.end);
        if noise.shape == filter::WHITE {
            let (before, after) = (self.sums.of(first..place), self.sums.of(place..end));
            return noise::plain_step(self.sums.origin, before, after, noise);
        }
        let (y, inverse) = (&self.series.y[first..end], &self.inverse[first..end]);
        noise::step(y, inverse, place - first, noise)
    }

    /// The start of the level before, and the end of the level after.
    pub fn around(&self, places: &[usize], which: usize) -> (usize, usize) {
        let before = if which > 0 { places[which - 1] } else { 0 };
        (before, places.get(which + 1).copied().unwrap_or(self.series.len()))
    }

    /// How clear a step is, as a multiple of the least that counts.
    fn strength(&self, stage: &SegmentChoice, which: usize) -> f64 {
        let (before, after) = self.around(&stage.places, which);
        let place = stage.places[which];
        let fewest = self.sums.of(before..place).count.min(self.sums.of(place..after).count);
        if fewest < SHORTEST {
            return 0.0;
        }
        let clarity = self.clarity(&stage.steps[which], stage.places.len());
        let (n, left, right) =
            (self.series.len() as f64, (place - before) as f64, (after - place) as f64);
        let clear = CLEAR.0 * n.ln() + CLEAR.1 + (left * right / (left + right) / n).ln();
        // A change of which few values are seen needs to be clearer. In a short series all are few.
        let few = if stage.noise.shape == filter::WHITE { (n / MANY).min(1.0) } else { 1.0 };
        clarity / clear.sqrt() / (1.0 + few / fewest as f64)
    }

    /// The standard errors of a step, fewer where few values show how large the noise is.
    ///
    /// Student's t made about normal: Wallace, "Bounds on Normal Approximations to Student's and
    /// the Chi-Square Distributions" (1959).
    pub fn clarity(&self, step: &NoiseStep, changes: usize) -> f64 {
        let freedom = (self.count - changes as f64 - 2.0).max(1.0);
        (freedom * (step.z().powi(2) / freedom).ln_1p()).sqrt()
    }

    /// The price of changes at these places, with noise of this shape.
    ///
    /// The modified Bayes information criterion of Zhang & Siegmund, "A Modified Bayes Information
    /// Criterion with Applications to the Analysis of Comparative Genomic Hybridization Data",
    /// Biometrics 63 (2007), which is dearer for even levels than for short ones between long ones,
    /// at [`PRICE`]. Changes among slow noise have no [`rebate`]: a level that wanders would be
    /// called as many.
    fn price(&self, places: &[usize], shape: FilterShape) -> f64 {
        let n = self.series.len();
        let bounds: Vec<usize> = [0].into_iter().chain(places.iter().copied()).chain([n]).collect();
        let shares = bounds.windows(2).map(|bound| ((bound[1] - bound[0]) as f64 / n as f64).ln());
        let first = if places.is_empty() { 0.0 } else { FIRST };
        let rebate = if shape == filter::WHITE { rebate(places.len()) } else { 0.0 };
        places.len() as f64 * self.price_of_one() + shares.sum::<f64>() + first - rebate
    }

    fn price_of_one(&self) -> f64 {
        PRICE.0 * (self.series.len() as f64).ln() + PRICE.1
    }
}

/// The rebate on the price of this many changes: the rate of changes is unknown, and estimated from
/// them.
///
/// If their rate has a gamma distribution of shape [`USUAL`] and any scale, their number has a
/// negative binomial one (Greenwood & Yule, "An Inquiry into the Nature of Frequency
/// Distributions", 1920).
fn rebate(changes: usize) -> f64 {
    (0..changes).map(|before| 2.0 * (before as f64 / USUAL).ln_1p()).sum()
}

/// The values that show the shape of the noise: all, or blocks spread over a long series.
fn sampled(all: &[f64]) -> Cow<'_, [f64]> {
    if all.len() <= SAMPLE {
        return Cow::Borrowed(all);
    }
    let block = SAMPLE / 4;
    (0..4).flat_map(|k| all[k * (all.len() - block) / 3..][..block].iter().copied()).collect()
}

/// The places without the weakest: one of few, some of many, and of many that are all sound half.
fn without_weakest(places: &[usize], strengths: &[f64], sound: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&one, &other| strengths[one].total_cmp(&strengths[other]));
    let mut left = if places.len() > 8 { places.len() / if sound { 2 } else { 8 } } else { 1 };
    let mut dropped = vec![false; places.len()];
    for which in order {
        // Without its neighbour a change has another size.
        let beside =
            which > 0 && dropped[which - 1] || which + 1 < places.len() && dropped[which + 1];
        if left > 0 && !beside && (sound || strengths[which] < 1.0) {
            dropped[which] = true;
            left -= 1;
        }
    }
    places.iter().zip(dropped).filter(|(_, dropped)| !dropped).map(|(&place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::{FIRST, PRICE, USUAL, rebate};

    #[test]
    fn the_prices_are_those_of_the_method() {
        let said =
            format!("less {} ln n + {} a change and {FIRST} for the first", PRICE.0, PRICE.1);
        let method = include_str!("../../../../docs/src/method/changes.md");
        let method = method.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(method.contains(&said), "docs/src/method/changes.md does not say `{said}`");
        let said = format!("the k-th costs 2 ln(1 + (k − 1)/{USUAL}) less");
        assert!(method.contains(&said), "docs/src/method/changes.md does not say `{said}`");
        assert!(rebate(1) == 0.0 && (rebate(9) - rebate(8) - 2.0 * 2.0_f64.ln()).abs() < 1e-9);
    }
}
