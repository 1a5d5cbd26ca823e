//! What a curve says, in sentences.

use tacho_record::{Direction, Metric};
use tacho_stats::sweep::{SweepCurve, SweepShape};

use super::names::ValueNames;
use crate::output::text;

/// A curve with what names its values.
pub struct NamedCurve<'a> {
    pub names: &'a ValueNames,
    pub metric: &'a Metric,
    pub curve: &'a SweepCurve,
    /// The commands in the curve, by their place in it.
    pub places: &'a [usize],
    /// The median of each value in the curve.
    pub medians: &'a [f64],
    /// What would distinguish the values where none stands out from the best one.
    pub way_out: String,
}

impl NamedCurve<'_> {
    /// A line each: the best value, the plateau, the shape, the knee, what the default costs.
    pub fn lines(&self) -> Vec<String> {
        let curve = self.curve;
        let best = format!(
            "best: {}, {}",
            self.name(curve.best),
            self.metric.unit.show(self.medians[curve.best])
        );
        let lines = [Some(best), Some(self.plateau()), self.dips(), self.knee(), self.default()];
        lines.into_iter().flatten().collect()
    }

    fn name(&self, place: usize) -> String {
        format!("`{}`", text::cut(&self.names.label(self.places[place]), 40))
    }

    /// The values that cannot be distinguished from the best one, and what all may differ by.
    fn plateau(&self) -> String {
        let (curve, all) = (self.curve, self.places.len());
        let most = curve.costs.iter().map(|cost| cost.interval.1).fold(0.0, f64::max);
        match curve.shape {
            _ if all < 2 => "plateau: there is one value alone".to_owned(),
            SweepShape::Flat => {
                format!(
                    "flat: no value is more than {} worse than the best",
                    text::percent(most.exp_m1())
                )
            }
            SweepShape::Unresolved if most.is_infinite() => {
                "unclear: one execution of each value does not show how much they vary: `-r 10` \
                 executes each ten times"
                    .to_owned()
            }
            SweepShape::Unresolved => format!(
                "unclear: no value can be distinguished from the best. Some may be up to {} \
                 worse: {}",
                text::percent(most.exp_m1()),
                self.way_out
            ),
            SweepShape::Varied if curve.plateau.len() == 1 => {
                format!("plateau: {} alone (95 % confidence)", self.runs(&curve.plateau))
            }
            SweepShape::Varied => format!(
                "plateau: {} of {} values cannot be distinguished from the best, with 95 % \
                 confidence: {}",
                curve.plateau.len(),
                all,
                self.runs(&curve.plateau)
            ),
        }
    }

    /// Places in a row as their ends: `256 … 8192`.
    fn runs(&self, places: &[usize]) -> String {
        let is_ordered = !self.curve.minima.is_empty();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for place in places {
            match runs.last_mut().filter(|run| is_ordered && run.1 + 1 == *place) {
                Some(run) => run.1 = *place,
                None => runs.push((*place, *place)),
            }
        }
        let shown = |(from, to): &(usize, usize)| match to - from {
            0 => self.name(*from),
            1 => format!("{}, {}", self.name(*from), self.name(*to)),
            _ => format!("{} … {}", self.name(*from), self.name(*to)),
        };
        runs.iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    fn dips(&self) -> Option<String> {
        let minima = &self.curve.minima;
        let names: Vec<String> = minima.iter().map(|place| self.name(*place)).collect();
        let dips = if self.metric.better == Direction::Lower { "dips" } else { "peaks" };
        (minima.len() > 1).then(|| format!("{} {dips}: at {}", minima.len(), names.join(" and ")))
    }

    fn knee(&self) -> Option<String> {
        let knee = self.curve.knee?;
        let cost = text::percent(self.curve.costs[knee].estimate.exp_m1());
        Some(format!("knee: {}, {cost} from the best; beyond it, less is gained", self.name(knee)))
    }

    fn default(&self) -> Option<String> {
        let default = self.names.default?;
        let Some(place) = self.places.iter().position(|command| *command == default) else {
            return Some(format!("default: `{}` is not among them", self.names.label(default)));
        };
        let name = self.name(place);
        if place == self.curve.best {
            return Some(format!("default: {name} is the best"));
        }
        let cost = self.curve.costs[place];
        let (low, high) = cost.interval;
        let percent = |cost: f64| text::percent(cost.exp_m1());
        let words = if self.metric.better == Direction::Lower { "costs" } else { "loses" };
        let is_alike = self.curve.plateau.contains(&place);
        let but = if is_alike { "; it cannot be distinguished from the best" } else { "" };
        Some(format!(
            "default: {name} {words} {} (95 %: {} … {}){but}",
            percent(cost.estimate),
            percent(low),
            percent(high)
        ))
    }
}
