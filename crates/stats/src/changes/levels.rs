//! Given where the level changes: the levels, and what is left.

use super::second_level::SecondLevel;
use super::series::ValueSeries;
use crate::robust;

/// The levels between places, and the values less their level.
pub(super) struct SegmentLevels {
    /// 0, the places, and the length.
    pub bounds: Vec<usize>,
    /// One level less than there are bounds.
    pub level: Vec<f64>,
    /// The values less their level.
    pub residual: Vec<f64>,
}

impl SegmentLevels {
    /// Levels that outliers do not move.
    pub fn robust(
        series: &ValueSeries,
        places: &[usize],
        modes: &[SecondLevel],
        outlier: f64,
    ) -> Self {
        Self::by(series, places, |from, to| location(series, from, to, modes, outlier))
    }

    /// Weighted means without what is masked.
    pub fn means(series: &ValueSeries, places: &[usize], masked: &[bool]) -> Self {
        Self::by(series, places, |from, to| {
            let (mut weights, mut sum) = (0.0, 0.0);
            let values = series.y[from..to].iter().zip(&series.sd[from..to]).zip(&masked[from..to]);
            for ((y, sd), _) in values.filter(|(_, masked)| !**masked) {
                let weight = 1.0 / (sd * sd);
                weights += weight;
                sum += weight * (y - series.y[from]);
            }
            series.y[from] + if weights > 0.0 { sum / weights } else { 0.0 }
        })
    }

    /// The level at a place.
    pub fn at(&self, place: usize) -> f64 {
        self.level
            [self.bounds.partition_point(|&bound| bound <= place).clamp(1, self.level.len()) - 1]
    }

    fn by(series: &ValueSeries, places: &[usize], level_of: impl Fn(usize, usize) -> f64) -> Self {
        let bounds: Vec<usize> =
            [0].into_iter().chain(places.iter().copied()).chain([series.len()]).collect();
        let mut residual = Vec::with_capacity(series.len());
        let level = bounds
            .windows(2)
            .map(|bound| {
                let level = level_of(bound[0], bound[1]);
                residual.extend(series.y[bound[0]..bound[1]].iter().map(|y| y - level));
                level
            })
            .collect();
        Self { bounds, level, residual }
    }
}

/// A level at which the bounded cost of these values is least: the median, then the mean of the
/// values that are no outliers, until it is constant.
fn location(
    series: &ValueSeries,
    from: usize,
    to: usize,
    modes: &[SecondLevel],
    outlier: f64,
) -> f64 {
    let mut level = robust::median_of(&series.y[from..to]);
    for _ in 0..10 {
        let (mut weights, mut sum) = (0.0, 0.0);
        for (&y, &sd) in series.y[from..to].iter().zip(&series.sd[from..to]) {
            let (distance, price) = nearest(y - level, sd, modes);
            if price <= outlier * outlier {
                let weight = 1.0 / (sd * sd);
                weights += weight;
                sum += weight * distance;
            }
        }
        let moved = if weights > 0.0 { sum / weights } else { 0.0 };
        level += moved;
        if moved == 0.0 || moved * moved * weights < 1e-6 {
            break;
        }
    }
    level
}

/// The distance of a residual from the level or from one of its modes, whichever costs less, and
/// that cost.
fn nearest(residual: f64, sd: f64, modes: &[SecondLevel]) -> (f64, f64) {
    modes.iter().fold((residual, (residual / sd).powi(2)), |best, mode| {
        let distance = residual - mode.offset;
        let price = (distance / sd).powi(2) + mode.price;
        if price < best.1 { (distance, price) } else { best }
    })
}

/// Moves values that are at a mode to where they would be at the level; says which mode each was
/// at.
pub(super) fn fold(
    series: &mut ValueSeries,
    levels: &SegmentLevels,
    modes: &[SecondLevel],
    outlier: f64,
) -> Vec<Option<usize>> {
    let at = |residual: f64, sd: f64| {
        let (which, distance) = modes
            .iter()
            .map(|mode| (residual - mode.offset).abs())
            .enumerate()
            .min_by(|one, other| one.1.total_cmp(&other.1))?;
        (distance < residual.abs() && distance <= (outlier + 1.0) * sd).then_some(which)
    };
    let moved: Vec<Option<usize>> =
        levels.residual.iter().zip(&series.sd).map(|(&residual, &sd)| at(residual, sd)).collect();
    for (y, which) in series.y.iter_mut().zip(&moved) {
        *y -= which.map_or(0.0, |which| modes[which].offset);
    }
    moved
}
