//! The effect of a quirk alone on the numbers, in words.

use tacho_record::{QuirkEdge, short_name};

use crate::comparison::ComparedRow;
use crate::words::{effect, effect_interval};

/// The effect of a quirk alone on a metric of a benchmark, at one edge of its range.
#[derive(Clone, Debug)]
pub struct QuirkEffect {
    /// The quirk and the edge.
    pub edge: QuirkEdge,
    /// The revision that was built with and without it, by its full name.
    pub at: String,
    /// The run that compared both.
    pub run: i64,
    /// The host's name.
    pub host: String,
    /// With the quirk against without it.
    pub row: ComparedRow,
}

impl QuirkEffect {
    /// The ratio; `None` if samples reached limits, since the edge's part of a change is then
    /// unknown.
    fn known(&self) -> Option<f64> {
        self.row.comparison.estimate?.known_ratio()?.if_exact()
    }

    /// The effect of the edge alone on the level: the level with the quirk by the one without at
    /// its start, the inverse at its end.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let ratio = self.known()?;
        Some(if self.edge.begins { ratio } else { 1.0 / ratio })
    }

    /// The 95 % interval of the ratio.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.known()?;
        let (low, high) = self.row.comparison.estimate?.interval?;
        Some(if self.edge.begins { (low, high) } else { (1.0 / high, 1.0 / low) })
    }

    /// The residual of a change of this effect, at the same place, without the quirk.
    #[must_use]
    pub fn rest(&self, change: Option<f64>) -> Option<f64> {
        Some((1.0 + change?) / self.ratio()? - 1.0)
    }

    /// A clause: ``effect of the quirk `libc` alone: +5.0 % (+4.2 % … +5.9 %)``.
    #[must_use]
    pub fn alone(&self) -> String {
        let edge = if self.edge.begins { "the quirk" } else { "the end of the quirk" };
        let found = self.ratio().map_or("unclear".to_owned(), |it| effect(it - 1.0));
        let range = self.interval().map_or_else(String::new, |(low, high)| {
            format!(" ({})", effect_interval((low - 1.0, high - 1.0)))
        });
        format!("effect of {edge} `{}` alone: {found}{range}", self.edge.quirk)
    }

    /// The same, where it was measured, and what it leaves of a change of this effect.
    #[must_use]
    pub fn within(&self, change: Option<f64>) -> String {
        let rest = self.rest(change);
        let rest =
            rest.map_or_else(String::new, |it| format!("; the rest of the change: {}", effect(it)));
        let at = short_name(&self.at);
        format!("{}, measured at {at} in run {}{rest}", self.alone(), self.run)
    }
}
