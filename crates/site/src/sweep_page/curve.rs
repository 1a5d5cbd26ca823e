//! The curve with its band, and what its values are; or a row a value, where values are words.

use maud::{Markup, html};
use tacho_record::Unit;
use tacho_report::sweep::SweepMark;
use tacho_report::words::median;

use super::axis::{LEFT, ValueAxis, WHOLE, WIDTH, round_label, ticks};
use super::data::{SweepPage, SweepPageValue};
use crate::svg::short;

const TOP: f64 = 30.0;
const BOTTOM: f64 = 330.0;
/// The height of a value's row.
const ROW: f64 = 24.0;
/// Names of rows end here.
const NAMES: f64 = 330.0;

/// The curve over values that are numbers.
pub(super) fn figure(page: &SweepPage, axis: &ValueAxis) -> Markup {
    let drawn: Vec<&SweepPageValue> =
        page.values.iter().filter(|it| it.at.is_some() && it.summary.is_some()).collect();
    let kept: Vec<&SweepPageValue> =
        drawn.iter().copied().filter(|value| !value.breaks_limit).collect();
    let (low, high) = ends(&drawn);
    let y = |value: f64| BOTTOM - (value - low) / (high - low) * (BOTTOM - TOP);
    let (scale, unit) = (page.scale(), &page.metric.unit);
    html! {
        figure.chart {
            svg.strips.swept viewBox=(format!("0 0 {WHOLE} {}", BOTTOM + 30.0)) role="img"
                aria-label="the metric over the values of the parameter" {
                (plateau(&drawn, axis))
                @for tick in ticks(&scale, (low, high), 6.0) {
                    line.grid x1=(short(LEFT)) x2=(short(LEFT + WIDTH)) y1=(short(y(tick)))
                        y2=(short(y(tick))) {}
                    text.axis x=(short(LEFT - 8.0)) y=(short(y(tick) + 5.0)) text-anchor="end"
                        { (round_label(&scale, tick)) }
                }
                polygon.band points=(band(&kept, axis, &y)) {}
                @for value in &drawn { @for sample in finite(value) {
                    circle cx=(short(x(value, axis))) cy=(short(y(*sample))) r="2.5" {}
                } }
                polyline points=(line(&kept, axis, &y)) {}
                @for value in &drawn {
                    @if let Some(of) = value.summary {
                        circle.median.best[value.is(SweepMark::Best)].broken[value.breaks_limit]
                            cx=(short(x(value, axis))) cy=(short(y(of.median)))
                            r=(if value.is(SweepMark::Best) { "6" } else { "4" }) {
                            title { (value.label) ": " (median(unit, &of)) }
                        }
                    }
                }
                (names(&drawn, axis))
                (axis.below(BOTTOM))
            }
            figcaption {
                "Line: medians. Band: the 95 % interval of each. Small dots: samples. "
                (legend(&drawn))
            }
        }
    }
}

/// The meaning of shading and hollow points, if there are any.
fn legend(drawn: &[&SweepPageValue]) -> Markup {
    html! {
        @if has_plateau(drawn) { "Shaded: the plateau, not distinguishable from the best. " }
        @if drawn.iter().any(|value| value.breaks_limit) { "Hollow: breaks a limit. " }
    }
}

/// Whether other values than the best one may be the best, and not all.
fn has_plateau(drawn: &[&SweepPageValue]) -> bool {
    drawn.iter().any(|value| value.is(SweepMark::Plateau))
}

fn x(value: &SweepPageValue, axis: &ValueAxis) -> f64 {
    axis.x(value.at.unwrap_or_default())
}

/// The range of the picture. A few outliers must not flatten it: they are cut off.
fn ends(drawn: &[&SweepPageValue]) -> (f64, f64) {
    let known = drawn.iter().filter_map(|value| value.summary);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for of in known {
        let (from, to) = of.interval.unwrap_or((of.min, of.max));
        low = low.min(from).min(of.median);
        high = high.max(if to.is_finite() { to } else { of.median }).max(of.median);
    }
    let room = (high - low).max(high.abs() * 0.02).max(f64::MIN_POSITIVE) * 0.06;
    (low - room, high + room)
}

/// Stripes behind the values that may be the best.
fn plateau(drawn: &[&SweepPageValue], axis: &ValueAxis) -> Markup {
    let may_be_best =
        |value: &&&SweepPageValue| value.is(SweepMark::Best) || value.is(SweepMark::Plateau);
    html! {
        @for value in drawn.iter().filter(may_be_best).filter(|_| has_plateau(drawn)) {
            @let (low, high) = axis.stripe(value.at.unwrap_or_default());
            rect.plateau x=(short(low)) y=(short(TOP)) width=(short(high - low))
                height=(short(BOTTOM - TOP)) {}
        }
    }
}

/// The words above values that are more than values.
fn names(drawn: &[&SweepPageValue], axis: &ValueAxis) -> Markup {
    let words = |value: &SweepPageValue| {
        let marks = value.marks.iter().filter(|mark| **mark != SweepMark::Plateau);
        marks.map(|mark| mark.word()).collect::<Vec<_>>().join(", ")
    };
    let named: Vec<(f64, String)> = drawn
        .iter()
        .map(|value| (x(value, axis), words(value)))
        .filter(|(_, words)| !words.is_empty())
        .collect();
    html! {
        @for (number, (at, words)) in named.iter().enumerate() {
            // Neighbours are on two lines.
            @let is_near = number % 2 == 1 && at - named[number - 1].0 < 90.0;
            @let anchor = anchor(*at);
            line.mark x1=(short(*at)) x2=(short(*at)) y1=(short(TOP)) y2=(short(BOTTOM)) {}
            text x=(short(*at)) y=(if is_near { "11" } else { "24" }) text-anchor=(anchor)
                { (words) }
        }
    }
}

/// On which side of a place a word there has room.
fn anchor(at: f64) -> &'static str {
    if at > LEFT + WIDTH - 60.0 {
        "end"
    } else if at < LEFT + 60.0 {
        "start"
    } else {
        "middle"
    }
}

/// The samples that can be drawn.
fn finite(value: &SweepPageValue) -> impl Iterator<Item = &f64> {
    value.samples.iter().filter(|sample| sample.is_finite())
}

fn band(drawn: &[&SweepPageValue], axis: &ValueAxis, y: &dyn Fn(f64) -> f64) -> String {
    let ends = |value: &&&SweepPageValue| {
        let of = value.summary?;
        let (low, high) = of.interval.unwrap_or((of.median, of.median));
        Some((x(value, axis), y(low), y(if high.is_finite() { high } else { of.median })))
    };
    let all: Vec<(f64, f64, f64)> = drawn.iter().filter_map(|value| ends(&value)).collect();
    let above = all.iter().map(|(x, _, high)| (*x, *high));
    let below = all.iter().rev().map(|(x, low, _)| (*x, *low));
    joined(above.chain(below))
}

fn line(drawn: &[&SweepPageValue], axis: &ValueAxis, y: &dyn Fn(f64) -> f64) -> String {
    joined(drawn.iter().filter_map(|value| Some((x(value, axis), y(value.summary?.median)))))
}

pub(super) fn joined(points: impl Iterator<Item = (f64, f64)>) -> String {
    points.map(|(x, y)| format!("{},{}", short(x), short(y))).collect::<Vec<_>>().join(" ")
}

/// A row a value: its median with the interval, and samples. For values that are words, and for
/// combinations.
pub(super) fn rungs(page: &SweepPage) -> Markup {
    let drawn: Vec<&SweepPageValue> =
        page.values.iter().filter(|value| value.summary.is_some()).collect();
    let (low, high) = ends(&drawn);
    let x = |value: f64| NAMES + (value - low) / (high - low) * (WHOLE - NAMES - 14.0);
    let bottom = ROW * drawn.len() as f64 + 8.0;
    let (scale, unit) = (page.scale(), &page.metric.unit);
    html! {
        figure.chart {
            svg.strips.swept viewBox=(format!("0 0 {WHOLE} {}", bottom + 24.0)) role="img"
                aria-label="the metric of each value" {
                @for tick in ticks(&scale, (low, high), 5.0) {
                    line.grid x1=(short(x(tick))) x2=(short(x(tick))) y1="4" y2=(short(bottom)) {}
                    text.axis x=(short(x(tick))) y=(short(bottom + 18.0)) text-anchor="middle"
                        { (round_label(&scale, tick)) }
                }
                @for (number, value) in drawn.iter().enumerate() {
                    @let middle = ROW * number as f64 + 4.0 + ROW / 2.0;
                    (rung(value, middle, (&x, unit), has_plateau(&drawn)))
                }
            }
            figcaption {
                "Bar: the 95 % interval of each median. Small dots: samples. "
                (legend(&drawn))
            }
        }
    }
}

fn rung(
    value: &SweepPageValue,
    middle: f64,
    (x, unit): (&dyn Fn(f64) -> f64, &Unit),
    has_plateau: bool,
) -> Markup {
    let is_alike = has_plateau && (value.is(SweepMark::Best) || value.is(SweepMark::Plateau));
    let marks: String = value
        .marks
        .iter()
        .filter(|it| **it != SweepMark::Plateau)
        .map(|it| format!(" ({})", it.word()))
        .collect();
    html! {
        @if let Some(of) = value.summary {
            @let (low, high) = of.interval.unwrap_or((of.median, of.median));
            @let high = if high.is_finite() { high } else { of.median };
            @if is_alike {
                @let top = middle - ROW / 2.0;
                rect.plateau x="0" y=(short(top)) width=(short(WHOLE)) height=(short(ROW)) {}
            }
            text x=(short(NAMES - 12.0)) y=(short(middle + 5.0)) text-anchor="end"
                { (crop(&value.label)) (marks) }
            line x1=(short(x(low))) x2=(short(x(high))) y1=(short(middle)) y2=(short(middle)) {}
            @for sample in value.samples.iter().filter(|it| x(**it) < WHOLE) {
                circle cx=(short(x(*sample))) cy=(short(middle)) r="2.5" {}
            }
            circle.median.best[value.is(SweepMark::Best)].broken[value.breaks_limit]
                cx=(short(x(of.median))) cy=(short(middle)) r="4.5" {
                title { (value.label) ": " (median(unit, &of)) }
            }
        }
    }
}

/// As much of a name as there is room for.
pub(super) fn crop(label: &str) -> String {
    const MOST: usize = 36;
    if label.chars().count() <= MOST {
        return label.to_owned();
    }
    label.chars().take(MOST - 1).chain(['…']).collect()
}
