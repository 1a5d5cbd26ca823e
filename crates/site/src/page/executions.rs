//! The executions of a cell in order, with the warmup that was found shaded.

use maud::{Markup, html};
use tacho_record::{Measurement, Metric, Unit};
use tacho_report::comparison::clauses::NO_NAMES;
use tacho_report::comparison::sentence;
use tacho_report::series::steadiness;

use crate::svg::{self, Band, Dot};
use crate::view::DisplayScale;

/// A picture of the executions and a sentence, where a warmup was looked for.
pub(super) fn figure(measurement: &Measurement) -> Markup {
    let Some(found) = &measurement.steadiness else { return html! {} };
    let dots: Vec<Dot> = measurement
        .samples
        .iter()
        .filter(|sample| sample.place.round > 0 && sample.outcome.is_as_expected())
        .filter_map(|sample| {
            Some(Dot { round: sample.place.round, value: sample.value(&found.metric)? })
        })
        .collect();
    let bands: Vec<Band> = found
        .phases
        .iter()
        .map(|phase| Band { first: phase.first, last: phase.last, level: phase.level })
        .collect();
    let unit =
        Metric::known(&found.metric).map_or(Unit::Other(String::new()), |metric| metric.unit);
    let scale = DisplayScale::of(&unit, found.phases.last().map_or(0.0, |phase| phase.level));
    html! {
        @if !dots.is_empty() {
            figure {
                (svg::executions(&dots, &bands, found.warm_up(), &scale))
                figcaption {
                    (found.metric) " in order of rounds. "
                    (sentence(&steadiness(found), NO_NAMES))
                    @if found.warm_up() > 0 { " What is left out is shaded." }
                }
            }
        }
    }
}
