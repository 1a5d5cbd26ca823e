//! A curve in sentences.

use tacho_record::Direction;
use tacho_stats::sweep::{SweepCurve, SweepShape};

use super::SweepFindings;
use crate::block::AnswerNote;
use crate::words::{cut, percent};

impl SweepFindings<'_> {
    /// A line each: the best value, the plateau, the shape, the knee, what the default costs.
    /// `medians` has one a place.
    pub(super) fn sentences(&self, curve: &SweepCurve, medians: &[f64]) -> Vec<AnswerNote> {
        let median = self.metric.unit.show(medians[curve.best]);
        let best = AnswerNote::about("best", format!("{}, {median}", self.name(curve.best)));
        let shape = [self.dips(curve), self.knee(curve), self.default(curve)];
        [best, self.plateau(curve)].into_iter().chain(shape.into_iter().flatten()).collect()
    }

    fn name(&self, place: usize) -> String {
        format!("`{}`", cut(&self.names.label(self.places[place]), 40))
    }

    /// The values that cannot be distinguished from the best one, and what all may differ by.
    fn plateau(&self, curve: &SweepCurve) -> AnswerNote {
        let all = self.places.len();
        let most = curve.costs.iter().map(|cost| cost.interval.1).fold(0.0, f64::max);
        let worse = percent(most.exp_m1());
        match curve.shape {
            _ if all < 2 => AnswerNote::plain(self.only_value()),
            SweepShape::Flat => {
                let most = format!("no value is more than {worse} worse than the best");
                AnswerNote::about("flat", most)
            }
            SweepShape::Unresolved if most.is_infinite() => AnswerNote::about(
                "unclear",
                "one execution of each value does not show how much values vary; `-r 10` executes \
                 each ten times",
            ),
            SweepShape::Unresolved => {
                let way_out = self.way_out(curve);
                let why = "no value can be distinguished from the best. Some may be up to";
                AnswerNote::about("unclear", format!("{why} {worse} worse: {way_out}"))
            }
            SweepShape::Varied => {
                let (number, values) = (curve.plateau.len(), self.runs(curve, &curve.plateau));
                let plateau = match number {
                    1 => format!("{values} alone (95 % confidence)"),
                    _ => format!(
                        "the best and {} of {} other values, which cannot be distinguished from it \
                         with 95 % confidence: {values}",
                        number - 1,
                        all - 1
                    ),
                };
                AnswerNote::about("plateau", plateau)
            }
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

    fn dips(&self, curve: &SweepCurve) -> Option<AnswerNote> {
        let minima = &curve.minima;
        let names: Vec<String> = minima.iter().map(|place| self.name(*place)).collect();
        let dips = if self.metric.better == Direction::Lower { "dips" } else { "peaks" };
        let topic = format!("{} {dips}", minima.len());
        (minima.len() > 1).then(|| AnswerNote::about(topic, format!("at {}", names.join(" and "))))
    }

    fn knee(&self, curve: &SweepCurve) -> Option<AnswerNote> {
        let knee = curve.knee?;
        let (name, cost) = (self.name(knee), percent(curve.costs[knee].estimate.exp_m1()));
        let gain = format!("{name}, {cost} worse than the best: further steps gain less");
        Some(AnswerNote::about("knee", gain))
    }

    fn default(&self, curve: &SweepCurve) -> Option<AnswerNote> {
        let default = self.names.default?;
        let line = |text: String| Some(AnswerNote::about("default", text));
        let Some(place) = self.places.iter().position(|command| *command == default) else {
            return line(format!("`{}` is not among the values", self.names.label(default)));
        };
        let name = self.name(place);
        if place == curve.best {
            return line(format!("{name} is the best"));
        }
        let cost = curve.costs[place];
        let (low, high) = cost.interval;
        let [cost, low, high] = [cost.estimate, low, high].map(|cost| percent(cost.exp_m1()));
        let is_alike = curve.plateau.contains(&place);
        let but = if is_alike { "; it cannot be distinguished from the best" } else { "" };
        line(format!("{name} is {cost} worse than the best (95 %: {low} … {high}){but}"))
    }
}
