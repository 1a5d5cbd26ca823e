//! The trials of a search for the highest load, in order of time.

use maud::{Markup, html};

use super::axis::{LEFT, ValueAxis, WHOLE, plain};
use super::data::SweepPageTrial;
use crate::svg::short;

pub(super) fn figure(trials: &[SweepPageTrial], highest: Option<f64>, axis: &ValueAxis) -> Markup {
    let row = (360.0 / trials.len().max(1) as f64).clamp(6.0, 24.0);
    let bottom = row * trials.len() as f64 + 24.0;
    let y = |number: usize| row * number as f64 + row / 2.0 + 20.0;
    html! {
        figure.chart {
            svg.strips.swept viewBox=(format!("0 0 {WHOLE} {}", bottom + 28.0)) role="img"
                aria-label="trials in order" {
                @if let Some(load) = highest {
                    @let at = axis.x(load);
                    line.mark x1=(short(at)) x2=(short(at)) y1="18" y2=(short(bottom)) {}
                    text x=(short(at)) y="12" text-anchor="middle" { "highest load " (plain(load)) }
                }
                @for (number, trial) in trials.iter().enumerate() {
                    @let at = axis.x(trial.load);
                    @if trial.is_kept {
                        circle.median cx=(short(at)) cy=(short(y(number))) r="4"
                            { title { (plain(trial.load)) ": kept" } }
                    } @else {
                        path.broken d=(cross(at, y(number)))
                            { title { (plain(trial.load)) ": broken" } }
                    }
                }
                text.axis x=(short(LEFT - 8.0)) y=(short(y(0) + 5.0)) text-anchor="end"
                    { "trial 1" }
                @if trials.len() > 1 {
                    text.axis x=(short(LEFT - 8.0)) y=(short(y(trials.len() - 1) + 5.0))
                        text-anchor="end" { (trials.len()) }
                }
                (axis.below(bottom))
            }
            figcaption {
                "From top to bottom in order of time. "
                "Dot: the trial kept the limit. Cross: the trial broke it."
            }
        }
    }
}

fn cross(x: f64, y: f64) -> String {
    let [left, right, top, bottom] = [x - 4.0, x + 4.0, y - 4.0, y + 4.0].map(short);
    format!("M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}")
}
