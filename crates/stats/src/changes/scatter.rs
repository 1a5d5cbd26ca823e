//! Changes of how the values scatter around their level: how widely, and how often at a second one.

use super::choose::SegmentChoice;
use super::finding::{DetectedChange, Kind};
use super::judge;
use super::levels::SegmentLevels;
use super::scale::{FARTHEST, MEAN_DISTANCE};
use super::second_level::SecondLevel;
use super::series::ValueSeries;
use super::stretches::stretches;
use crate::robust;

/// The shortest stretch.
const SHORTEST: usize = 15;

/// The gain that a change of the spread needs in twice the log likelihood: a constant, and a factor
/// of the logarithm of the number of values.
const PRICE: (f64, f64) = (12.0, 3.0);

/// The least ratio of two spreads that is reported.
const LEAST: f64 = 1.3;

/// A change of scatter between two stretches.
struct ScatterSplit {
    place: usize,
    range: (usize, usize),
    gain: f64,
}

/// Changes of the spread.
///
/// If the noise is mostly slow, the residuals around the levels show how the levels wander, not how
/// wide values spread.
pub(super) fn spreads(
    series: &ValueSeries,
    levels: &SegmentLevels,
    choice: &SegmentChoice,
) -> Vec<DetectedChange> {
    if choice.noise.shape.memory > 0.8 && choice.noise.shape.slow > 0.3 {
        return Vec::new();
    }
    let typical = robust::median_of(&series.sd);
    let distances: Vec<f64> =
        levels.residual.iter().map(|residual| (residual / typical).abs().min(FARTHEST)).collect();
    let sums = summed(&distances);
    let usual = sums[series.len()] / series.len() as f64;
    // If a few outliers determine the mean, a stretch without outliers only shows that one of them
    // is missing.
    let known = excess(&distances, &[]).max(1.0);
    let mean = |first: usize, end: usize| {
        let sum = sums[end] - sums[first] + known * usual;
        (sum / ((end - first) as f64 + known)).max(0.05)
    };
    let cost = |first: usize, end: usize| 2.0 * (end - first) as f64 * mean(first, end).ln();
    let splits = splits(series.len(), cost);
    let excess = excess(&distances, &splits).max(1.0);
    let change = |(first, mut split, end): (usize, ScatterSplit, usize)| {
        split.gain /= excess;
        if split.gain <= price(series.len()) {
            return None;
        }
        let (before, after) = (mean(first, split.place), mean(split.place, end));
        let squares =
            relative(&distances[first..split.place]) + relative(&distances[split.place..end]);
        let (ratio, error) = ((after / before).ln(), squares.sqrt());
        let unit = |mean: f64| {
            let sd = mean / MEAN_DISTANCE * typical;
            if series.log { sd * series.unit_at(split.place, levels.at(split.place)) } else { sd }
        };
        (ratio.abs() >= LEAST.ln().max(1.96 * error)).then(|| {
            detected(
                series,
                &split,
                Kind::Spread,
                (unit(before), unit(after)),
                [ratio, ratio - 1.96 * error, ratio + 1.96 * error].map(f64::exp_m1),
            )
        })
    };
    splits.into_iter().filter_map(change).collect()
}

/// How many times wider distances vary within the stretches than the likelihood of [`spreads`] has
/// it, where their variance is the square of their mean.
///
/// An example is a coarse clock whose values seldom differ: most distances are 0, a few are one
/// step of the clock, and the evidence of a few more steps is that many times less
/// (quasi-likelihood: `McCullagh` & Nelder, "Generalized Linear Models", 1989, chapter 9).
fn excess(distances: &[f64], splits: &[(usize, ScatterSplit, usize)]) -> f64 {
    let places = splits.iter().map(|(_, split, _)| split.place);
    let bounds: Vec<usize> = [0].into_iter().chain(places).chain([distances.len()]).collect();
    let (mut around, mut square) = (0.0, 0.0);
    for stretch in bounds.windows(2).map(|bounds| &distances[bounds[0]..bounds[1]]) {
        let mean = stretch.iter().sum::<f64>() / stretch.len() as f64;
        around += stretch.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        square += stretch.len() as f64 * mean * mean;
    }
    if square > 0.0 { around / square } else { 1.0 }
}

/// Changes of the share of a mode; `at` says which mode each value is at.
///
/// A series that stays at a mode for a while says as much of its share as it has visits, not
/// values.
pub(super) fn shares(
    series: &ValueSeries,
    levels: &SegmentLevels,
    modes: &[SecondLevel],
    at: &[Option<usize>],
) -> Vec<DetectedChange> {
    let mut changes = Vec::new();
    for (which, mode) in modes.iter().enumerate() {
        let visited: Vec<f64> =
            at.iter().map(|at| f64::from(u8::from(*at == Some(which)))).collect();
        let visits = 1 + visited.windows(2).filter(|pair| pair[0] < pair[1]).count();
        let visited_share = visited.iter().sum::<f64>() / visited.len() as f64;
        // Without memory a visit takes 1/(1 - share) values.
        let stay = (visited.iter().sum::<f64>() / visits as f64 * (1.0 - visited_share)).max(1.0);
        let sums = summed(&visited);
        let share = |first: usize, end: usize| (sums[end] - sums[first]) / (end - first) as f64;
        let cost = |first: usize, end: usize| {
            let share = share(first, end);
            let entropy = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
            -2.0 * (end - first) as f64 * (entropy(share) + entropy(1.0 - share)) / stay
        };
        changes.extend(splits(series.len(), cost).into_iter().map(|(first, split, end)| {
            let (before, after) = (share(first, split.place), share(split.place, end));
            let variance = |share: f64, count: usize| share * (1.0 - share) * stay / count as f64;
            let error =
                (variance(before, split.place - first) + variance(after, end - split.place)).sqrt();
            let level = series.with_trend(split.place, levels.at(split.place));
            let mean = |share: f64| series.unit(level + mode.offset * share);
            let reach = 1.96 * error * mode.offset.abs();
            let effect = |by: f64| {
                series.effect(
                    level + mode.offset * before,
                    0.0,
                    mode.offset * (after - before) + by,
                )
            };
            detected(
                series,
                &split,
                Kind::ModeShare,
                (mean(before), mean(after)),
                [effect(0.0), effect(-reach), effect(reach)],
            )
        }));
    }
    changes
}

/// The gain that a change of the spread needs among this many values.
fn price(n: usize) -> f64 {
    PRICE.0 + PRICE.1 * (n as f64).ln()
}

/// The places where the spread changes, each with the bounds of the stretches before and after.
fn splits(n: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<(usize, ScatterSplit, usize)> {
    let price = price(n);
    let bounds = stretches(n, SHORTEST, price, &cost);
    let split = |bound: &[usize]| {
        let (first, place, end) = (bound[0], bound[1], bound[2]);
        let gain = |place: usize| cost(first, end) - cost(first, place) - cost(place, end);
        let best = gain(place);
        let good: Vec<usize> =
            (first + 1..end).filter(|&at| best - gain(at) <= judge::AS_GOOD).collect();
        let range = (*good.first().unwrap_or(&place), *good.last().unwrap_or(&place));
        (best > price).then_some((first, ScatterSplit { place, range, gain: best }, end))
    };
    bounds.windows(3).filter_map(split).collect()
}

fn detected(
    series: &ValueSeries,
    split: &ScatterSplit,
    kind: Kind,
    (before, after): (f64, f64),
    effect: [f64; 3],
) -> DetectedChange {
    let p = judge::p_anywhere(series.len(), split.gain.sqrt());
    DetectedChange {
        index: series.index[split.place],
        range: series.index[split.range.0]..=series.index[split.range.1],
        before,
        after,
        effect: effect[0],
        interval: (effect[1], effect[2]),
        p,
        confidence: 1.0 - p,
        kind,
    }
}

/// The sums up to each place.
fn summed(values: &[f64]) -> Vec<f64> {
    let sum = |sum: &mut f64, value: &f64| {
        *sum += value;
        Some(*sum)
    };
    [0.0].into_iter().chain(values.iter().scan(0.0, sum)).collect()
}

/// The square of the relative standard error of the mean.
fn relative(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    variance / n / (mean * mean).max(1e-12)
}

#[cfg(test)]
mod tests {
    use super::super::simulated::{Maker, Shape};
    use super::super::{Kind, detect_values};

    /// In how many of 100 series a change of the spread is reported.
    fn detected(make: impl Fn(&mut Maker) -> Vec<f64>) -> usize {
        let mut maker = Maker::new(140);
        let is_detected = |values: Vec<f64>| {
            detect_values(&values).scatter.iter().any(|change| change.kind == Kind::Spread)
        };
        (0..100).filter(|_| is_detected(make(&mut maker))).count()
    }

    #[test]
    fn a_coarse_clock_does_not_change_the_spread() {
        for (n, sd) in [60, 300]
            .into_iter()
            .flat_map(|n| [0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 1.0].map(|sd| (n, sd)))
        {
            let detected =
                detected(|maker| (0..n).map(|_| (20.0 + sd * maker.gaussian()).round()).collect());
            println!("{n} values, sd {sd} steps: {detected} %");
            assert!(detected <= 2, "{n} values, sd {sd} steps: {detected} %");
        }
    }

    #[test]
    fn what_lies_far_off_now_and_then_does_not_change_the_spread() {
        for shape in
            [Shape::Gaussian, Shape::Lognormal, Shape::Bimodal, Shape::Spikes, Shape::Quantised]
        {
            let detected = detected(|maker| maker.noise(shape, 300, 0.03));
            println!("{shape:?}: {detected} %");
            assert!(detected <= 2, "{shape:?}: {detected} %");
        }
    }

    #[test]
    fn a_spread_that_doubles_is_told() {
        for (shape, least) in
            [(Shape::Gaussian, 95), (Shape::Lognormal, 60), (Shape::Quantised, 90)]
        {
            let detected = detected(|maker| {
                [maker.noise(shape, 100, 0.01), maker.noise(shape, 100, 0.03)].concat()
            });
            println!("{shape:?}: {detected} %");
            assert!(detected >= least, "{shape:?}: {detected} %");
        }
    }
}
