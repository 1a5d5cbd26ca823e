//! Intervals as bars over a common axis.

use tacho_stats::probe::RatioBounds;

/// An axis of ratios, logarithmic.
pub struct Axis {
    low: f64,
    high: f64,
    width: usize,
}

impl Axis {
    /// An axis for all of these, with 1 on it.
    pub fn of(all: impl Iterator<Item = RatioBounds>, width: usize) -> Self {
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        for it in all {
            // A very wide interval leaves no room for the others.
            let (near, reach) = (it.ratio.ln(), 1.0);
            low = low.min(it.low.ln().max(near - reach));
            high = high.max(it.high.ln().min(near + reach));
        }
        let room = 0.02_f64.max(0.05 * (high - low));
        Self { low: low - room, high: high + room, width }
    }

    fn column(&self, ratio: f64) -> usize {
        let share = (ratio.ln() - self.low) / (self.high - self.low);
        let edge = |column: usize| (column as f64 + 0.5) / (self.width as f64 - 1.0);
        (0..self.width - 1).find(|column| share < edge(*column)).unwrap_or(self.width - 1)
    }

    /// The interval of a ratio; `│` is 1.
    pub fn draw(&self, shown: Option<RatioBounds>) -> String {
        let mut cells = vec![' '; self.width];
        if let Some(it) = shown {
            let (from, to) = (self.column(it.low), self.column(it.high));
            cells[from..=to].fill('─');
        }
        cells[self.column(1.0)] = '│';
        if let Some(it) = shown {
            cells[self.column(it.ratio)] = '●';
        }
        cells.into_iter().collect()
    }

    /// The ends of the axis.
    pub fn scale(&self) -> String {
        format!(
            "picture: axis from {:.3} to {:.3}; all intervals hold at once (95 %); │ is 1",
            self.low.exp(),
            self.high.exp()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_stand_where_their_ratios_are() {
        let one = |ratio: f64, low: f64, high: f64| RatioBounds { ratio, low, high };
        let all = [one(2.0, 1.9, 2.1), one(1.0, 0.95, 1.05)];
        let axis = Axis::of(all.into_iter(), 21);
        let [first, second] = all.map(|it| axis.draw(Some(it)));
        assert!(first.trim_end().ends_with('─') && first.contains("●") && first.contains('│'));
        assert!(second.find('●') < first.find('●'));
        assert_eq!(first.chars().count(), 21);
        assert_eq!(axis.draw(None).trim(), "│");
    }
}
