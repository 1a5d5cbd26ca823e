//! The stages of a search: what each executed, and where the best value may be after it.

use maud::{Markup, html};

use super::axis::{LEFT, ValueAxis, WHOLE};
use super::data::SweepPageStage;
use crate::svg::short;
use crate::text;

/// The height of a stage.
const ROW: f64 = 34.0;

pub(super) fn figure(stages: &[SweepPageStage], axis: &ValueAxis) -> Markup {
    let bottom = ROW * stages.len() as f64 + 4.0;
    html! {
        figure.chart {
            svg.strips.swept viewBox=(format!("0 0 {WHOLE} {}", bottom + 28.0)) role="img"
                aria-label="executed values of each stage" {
                @for (number, stage) in stages.iter().enumerate() {
                    @let middle = ROW * number as f64 + ROW / 2.0 + 4.0;
                    @for (low, high) in &stage.spans {
                        @let (low, high) = (axis.x(*low), axis.x(*high));
                        rect.plateau x=(short(low)) y=(short(middle - 13.0))
                            width=(short((high - low).max(2.0))) height="26" {}
                    }
                    text.axis x=(short(LEFT - 8.0)) y=(short(middle + 5.0)) text-anchor="end"
                        { (number + 1) " × " (stage.rounds) }
                    @for value in &stage.values {
                        circle.median cx=(short(axis.x(*value))) cy=(short(middle)) r="3.5" {}
                    }
                }
                (axis.below(bottom))
            }
            figcaption {
                "Left: the stage and its rounds. Dots: the values that it executed. "
                "Shaded: where the best value may be after it ("
                (text::count(executions(stages), "execution")) " in all)."
            }
        }
    }
}

/// How many executions all stages had.
fn executions(stages: &[SweepPageStage]) -> usize {
    stages.iter().map(|stage| stage.values.len() * stage.rounds as usize).sum()
}
