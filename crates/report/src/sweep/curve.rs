//! A curve in sentences.

use tacho_record::Direction;
use tacho_stats::sweep::{SweepCurve, SweepShape};

use super::SweepFindings;
use crate::words::{cut, percent};

impl SweepFindings<'_> {
    /// A line each: the best value, the plateau, the shape, the knee, what the default costs.
    /// `medians` has one a place.
    pub(super) fn sentences(&self, curve: &SweepCurve, medians: &[f64]) -> Vec<String> {
        let best = format!(
            "best: {}, {}",
            self.name(curve.best),
            self.metric.unit.show(medians[curve.best])
        );
        let shape = [self.dips(curve), self.knee(curve), self.default(curve)];
        [best, self.plateau(curve)].into_iter().chain(shape.into_iter().flatten()).collect()
    }

    fn name(&self, place: usize) -> String {
        format!("`{}`", cut(&self.names.label(self.places[place]), 40))
    }

    /// The values that cannot be distinguished from the best one, and what all may differ by.
    fn plateau(&self, curve: &SweepCurve) -> String {
        let all = self.places.len();
        let most = curve.costs.iter().map(|cost| cost.interval.1).fold(0.0, f64::max);
        match curve.shape {
            _ if all < 2 => self.only_value(),
            SweepShape::Flat => {
                format!(
                    "flat: no value is more than {} worse than the best",
                    percent(most.exp_m1())
                )
            }
            SweepShape::Unresolved if most.is_infinite() => {
                "unclear: one execution of each value does not show how much values vary; `-r 10` \
                 executes each ten times"
                    .to_owned()
            }
            SweepShape::Unresolved => format!(
                "unclear: no value can be distinguished from the best. Some may be up to {} \
                 worse: {}",
                percent(most.exp_m1()),
                self.way_out(curve)
            ),
            SweepShape::Varied if curve.plateau.len() == 1 => {
                format!("plateau: {} alone (95 % confidence)", self.runs(curve, &curve.plateau))
            }
            SweepShape::Varied => format!(
                "plateau: {} of {} values cannot be distinguished from the best, with 95 % \
                 confidence: {}",
                curve.plateau.len(),
                all,
                self.runs(curve, &curve.plateau)
            ),
        }
    }

    /// Says that there is no other value to compare with, and which ones failed.
    fn only_value(&self) -> String {
        let failed: Vec<String> = (0..self.rows.len())
            .filter(|command| !self.places.contains(command))
            .map(|command| format!("`{}`", cut(&self.names.label(command), 40)))
            .collect();
        let failed = if failed.is_empty() {
            String::new()
        } else {
            format!(" ({} failed)", failed.join(", "))
        };
        format!("no other value to compare with{failed}")
    }

    /// Places in a row as their ends: `256 … 8192`.
    fn runs(&self, curve: &SweepCurve, places: &[usize]) -> String {
        let is_ordered = !curve.minima.is_empty();
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

    fn dips(&self, curve: &SweepCurve) -> Option<String> {
        let minima = &curve.minima;
        let names: Vec<String> = minima.iter().map(|place| self.name(*place)).collect();
        let dips = if self.metric.better == Direction::Lower { "dips" } else { "peaks" };
        (minima.len() > 1).then(|| format!("{} {dips}: at {}", minima.len(), names.join(" and ")))
    }

    fn knee(&self, curve: &SweepCurve) -> Option<String> {
        let knee = curve.knee?;
        let cost = percent(curve.costs[knee].estimate.exp_m1());
        let name = self.name(knee);
        Some(format!("knee: {name}, {cost} worse than the best: further steps gain less"))
    }

    fn default(&self, curve: &SweepCurve) -> Option<String> {
        let default = self.names.default?;
        let Some(place) = self.places.iter().position(|command| *command == default) else {
            let label = self.names.label(default);
            return Some(format!("default: `{label}` is not among the values"));
        };
        let name = self.name(place);
        if place == curve.best {
            return Some(format!("default: {name} is the best"));
        }
        let cost = curve.costs[place];
        let (low, high) = cost.interval;
        let share = |cost: f64| percent(cost.exp_m1());
        let is_alike = curve.plateau.contains(&place);
        let but = if is_alike { "; it cannot be distinguished from the best" } else { "" };
        Some(format!(
            "default: {name} is {} worse than the best (95 %: {} … {}){but}",
            share(cost.estimate),
            share(low),
            share(high)
        ))
    }
}
