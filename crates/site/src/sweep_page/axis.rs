//! The axes of a sweep's pictures: the parameter from left to right, the metric upwards.

use maud::{Markup, html};

use crate::svg::short;
use crate::view::DisplayScale;

/// The left and right ends of pictures, in their own units.
pub(super) const LEFT: f64 = 96.0;
pub(super) const WIDTH: f64 = 850.0;
/// The width of a picture.
pub(super) const WHOLE: f64 = LEFT + WIDTH + 14.0;
/// Labels of values are no nearer than this.
const APART: f64 = 44.0;
/// If gaps between values differ by this factor, the values are spaced by ratios.
const BY_RATIOS: f64 = 4.0;

/// The values of a parameter from left to right.
#[derive(Clone, Debug)]
pub(super) struct ValueAxis {
    grid: Vec<f64>,
    is_log: bool,
}

impl ValueAxis {
    /// The axis of these numbers in rising order; `None` of fewer than two.
    pub(super) fn of(grid: &[f64]) -> Option<Self> {
        let (first, last) = (*grid.first()?, *grid.last()?);
        if grid.len() < 2 || first >= last || !first.is_finite() || !last.is_finite() {
            return None;
        }
        let gaps = grid.windows(2).map(|pair| pair[1] - pair[0]);
        let narrow = gaps.clone().fold(f64::INFINITY, f64::min);
        let wide = gaps.fold(0.0, f64::max);
        Some(Self { grid: grid.to_vec(), is_log: first > 0.0 && wide >= BY_RATIOS * narrow })
    }

    /// The position of a value.
    pub(super) fn x(&self, value: f64) -> f64 {
        let along =
            |value: f64| if self.is_log { value.max(f64::MIN_POSITIVE).ln() } else { value };
        let ends = (along(self.first()), along(self.last()));
        // The first and the last value are a little inside.
        LEFT + 12.0 + (along(value) - ends.0) / (ends.1 - ends.0) * (WIDTH - 24.0)
    }

    /// The ends of a stripe around a value: the middles of the gaps beside it.
    pub(super) fn stripe(&self, value: f64) -> (f64, f64) {
        let at = self.grid.partition_point(|it| *it < value);
        let middle = |one: f64, other: f64| f64::midpoint(self.x(one), self.x(other));
        let before = at.checked_sub(1).and_then(|before| self.grid.get(before));
        let low = before.map_or(LEFT, |before| middle(*before, value));
        let high = self.grid.get(at + 1).map_or(LEFT + WIDTH, |after| middle(value, *after));
        (low, high)
    }

    fn first(&self) -> f64 {
        self.grid[0]
    }

    fn last(&self) -> f64 {
        self.grid[self.grid.len() - 1]
    }

    /// The values that have room for a label, the ends first.
    fn labels(&self) -> Vec<f64> {
        let mut places: Vec<f64> = vec![self.x(self.first()), self.x(self.last())];
        let mut labels = vec![self.first(), self.last()];
        for value in &self.grid {
            let x = self.x(*value);
            if places.iter().all(|place| (place - x).abs() >= APART) {
                places.push(x);
                labels.push(*value);
            }
        }
        labels
    }

    /// The labels below a picture of this height.
    pub(super) fn below(&self, height: f64) -> Markup {
        html! {
            @for value in self.labels() {
                text.axis x=(short(self.x(value))) y=(short(height + 20.0)) text-anchor="middle"
                    { (plain(value)) }
            }
        }
    }
}

/// A number as it is typed.
pub(super) fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A round value with its unit.
pub(super) fn round_label(scale: &DisplayScale, value: f64) -> String {
    let number = plain(value / scale.divisor);
    if scale.symbol.is_empty() { number } else { format!("{number} {}", scale.symbol) }
}

/// Values between two that are round in the unit in which they are shown: about this many.
pub(super) fn ticks(scale: &DisplayScale, (low, high): (f64, f64), about: f64) -> Vec<f64> {
    let round = round_numbers((low / scale.divisor, high / scale.divisor), about);
    round.into_iter().map(|it| it * scale.divisor).collect()
}

/// Round numbers between two, both ends inside: about this many.
pub(super) fn round_numbers((low, high): (f64, f64), about: f64) -> Vec<f64> {
    let raw = (high - low) / about;
    if raw <= 0.0 || !raw.is_finite() {
        return vec![low];
    }
    let power = 10_f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|it| it * power).into_iter().find(|it| *it >= raw);
    let step = step.unwrap_or(raw);
    let first = (low / step).ceil();
    let ticks = (0..40).map(|number| (first + f64::from(number)) * step);
    ticks.take_while(|tick| *tick <= high + step * 1e-9).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_spaced_by_ratios_have_a_logarithmic_axis() {
        let doubled = ValueAxis::of(&[1.0, 2.0, 4.0, 8.0, 16.0]).unwrap();
        assert!((doubled.x(4.0) - (LEFT + WIDTH / 2.0)).abs() < 1e-9);
        let even = ValueAxis::of(&[0.0, 1.0, 2.0, 3.0, 4.0]).unwrap();
        assert!((even.x(2.0) - (LEFT + WIDTH / 2.0)).abs() < 1e-9);
        assert!(ValueAxis::of(&[1.0]).is_none() && ValueAxis::of(&[1.0, f64::NAN]).is_none());
    }

    #[test]
    fn labels_of_many_values_do_not_touch() {
        let grid: Vec<f64> = (1..=500).map(f64::from).collect();
        let axis = ValueAxis::of(&grid).unwrap();
        let mut places: Vec<f64> = axis.labels().iter().map(|it| axis.x(*it)).collect();
        places.sort_by(f64::total_cmp);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= APART));
        assert!(places.len() > 10, "{}", places.len());
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(round_numbers((0.93, 5.2), 5.0), [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(round_numbers((0.0, 0.0), 5.0), [0.0]);
        assert_eq!(plain(1024.0), "1024");
        assert_eq!(plain(0.5), "0.5");
    }
}
