//! The finite values of a series, on the scale on which they are judged.

use super::robust::{self, MAD_TO_SD};
use super::{Judged, Options, Point};

/// A series as it is judged.
pub(super) struct Series {
    /// The values on their scale.
    pub y: Vec<f64>,
    /// The standard deviation of the noise of each value.
    pub sd: Vec<f64>,
    /// The index of each value among the points.
    pub index: Vec<usize>,
    /// The environment of each value.
    pub environment: Vec<u32>,
    /// Whether the scale is that of logarithms.
    pub log: bool,
}

impl Series {
    /// Takes the finite values: as logarithms when all are positive, else as they are.
    pub(super) fn of(points: &[Point], options: &Options) -> Result<Self, Judged> {
        let finite: Vec<(usize, &Point)> =
            points.iter().enumerate().filter(|(_, point)| point.value.is_finite()).collect();
        if points.is_empty() {
            return Err(Judged::Empty);
        }
        if finite.len() < options.fewest {
            return Err(Judged::TooFew { points: finite.len(), needed: options.fewest });
        }
        if finite.iter().all(|(_, point)| point.value == finite[0].1.value) {
            return Err(Judged::Constant);
        }
        let log = finite.iter().all(|(_, point)| point.value > 0.0);
        let y: Vec<f64> =
            finite.iter().map(|(_, point)| if log { point.value.ln() } else { point.value }).collect();
        let sd = vec![noise(&y); y.len()];
        Ok(Self {
            y,
            sd,
            index: finite.iter().map(|&(index, _)| index).collect(),
            environment: finite.iter().map(|(_, point)| point.environment).collect(),
            log,
        })
    }

    /// Back from the scale to the unit of the values.
    pub(super) fn unit(&self, y: f64) -> f64 {
        if self.log { y.exp() } else { y }
    }

    /// A difference of levels, as a share of the size of the level before.
    pub(super) fn effect(&self, before: f64, difference: f64) -> f64 {
        if self.log { difference.exp_m1() } else { difference / before.abs() }
    }
}

/// The standard deviation of the noise, from differences of neighbours, which hardly see the changes.
fn noise(y: &[f64]) -> f64 {
    let differences: Vec<f64> = y.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let robust = robust::deviation(&differences, 0.0) / std::f64::consts::SQRT_2;
    if robust > 0.0 {
        return robust;
    }
    // More than half of the neighbours are equal: the noise is about as large as the least step between values.
    let mut moved: Vec<f64> = differences.iter().map(|d| d.abs()).filter(|&d| d > 0.0).collect();
    robust::median(&mut moved) / (2.0 * MAD_TO_SD)
}
