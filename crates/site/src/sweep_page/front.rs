//! Variants in a picture of time and memory, with the front: what no other beats at both.

use maud::{Markup, html};
use tacho_record::Unit;

use super::axis::{LEFT, WHOLE, WIDTH, round_label, round_numbers};
use super::curve::{crop, joined};
use super::data::{SweepPage, SweepPageVariant, VariantPlace};
use crate::page::blocks;
use crate::svg::short;
use crate::view::DisplayScale;

const TOP: f64 = 20.0;
const BOTTOM: f64 = 350.0;
/// Names are in a column that begins here, no nearer than this below each other.
const NAMES: f64 = LEFT + WIDTH - 250.0;
const LINE: f64 = 17.0;

/// The picture, where two variants have both numbers, and the table.
pub(super) fn section(page: &SweepPage) -> Markup {
    let points: Vec<(f64, f64, &SweepPageVariant)> =
        page.variants.iter().filter_map(|it| Some((it.time?.median, it.memory?, it))).collect();
    html! {
        section {
            h2 { "Time and memory" }
            @if points.len() > 1 { (picture(&points)) }
            (blocks::table(&page.variants_table))
        }
    }
}

/// Both axes are logarithmic: ways differ by factors.
fn picture(points: &[(f64, f64, &SweepPageVariant)]) -> Markup {
    let times = ends(points.iter().map(|it| it.0));
    let memories = ends(points.iter().map(|it| it.1));
    let x = |time: f64| LEFT + share(times, time) * (NAMES - LEFT);
    let y = |memory: f64| BOTTOM - share(memories, memory) * (BOTTOM - TOP);
    let (time, memory) =
        (DisplayScale::of(&Unit::Nanoseconds, times.0), DisplayScale::of(&Unit::Bytes, memories.0));
    let placed: Vec<(f64, f64)> = points.iter().map(|it| (x(it.0), y(it.1))).collect();
    let lines = name_lines(&placed);
    html! {
        figure.chart {
            svg.strips.swept viewBox=(format!("0 0 {WHOLE} {}", BOTTOM + 46.0)) role="img"
                aria-label="time and memory of each variant" {
                @for tick in ticks(&time, times) {
                    line.grid x1=(short(x(tick))) x2=(short(x(tick))) y1=(short(TOP))
                        y2=(short(BOTTOM)) {}
                    text.axis x=(short(x(tick))) y=(short(BOTTOM + 20.0)) text-anchor="middle"
                        { (round_label(&time, tick)) }
                }
                @for tick in ticks(&memory, memories) {
                    line.grid x1=(short(LEFT)) x2=(short(NAMES)) y1=(short(y(tick)))
                        y2=(short(y(tick))) {}
                    text.axis x=(short(LEFT - 8.0)) y=(short(y(tick) + 5.0)) text-anchor="end"
                        { (round_label(&memory, tick)) }
                }
                text.axis x=(short(NAMES)) y=(short(BOTTOM + 40.0)) text-anchor="end" { "time" }
                text.axis x="0" y="14" { "memory" }
                polyline points=(front(points, &x, &y)) {}
                @for ((one, (left, top)), line) in points.iter().zip(&placed).zip(&lines) {
                    line.lead x1=(short(*left)) x2=(short(NAMES + 6.0)) y1=(short(*top))
                        y2=(short(*line - 5.0)) {}
                    @let is_front = one.2.place == VariantPlace::Front;
                    @let is_floor = one.2.place == VariantPlace::Floor;
                    circle.median.best[is_front].floor[is_floor]
                        cx=(short(*left)) cy=(short(*top)) r="5" {}
                    text x=(short(NAMES + 10.0)) y=(short(*line)) {
                        (crop(&one.2.label)) @if one.2.place == VariantPlace::Floor { " (floor)" }
                    }
                }
            }
            figcaption {
                "Medians, both axes by ratios. "
                "Joined: the front, of which no other variant is certainly better at both."
            }
        }
    }
}

/// The ends of an axis, with room; at least a doubling.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|it| *it > 0.0)
        .fold((f64::INFINITY, 0.0_f64), |(low, high), it| (low.min(it), high.max(it)));
    let middle = (low * high).sqrt();
    let half = (high / low).max(2.0).sqrt() * 1.08;
    (middle / half, middle * half)
}

fn share((low, high): (f64, f64), value: f64) -> f64 {
    (value / low).ln() / (high / low).ln()
}

/// Values that are round in their unit, few where the axis is long.
fn ticks(scale: &DisplayScale, (low, high): (f64, f64)) -> Vec<f64> {
    let all = by_ratios((low / scale.divisor, high / scale.divisor));
    all.into_iter().map(|it| it * scale.divisor).collect()
}

fn by_ratios((low, high): (f64, f64)) -> Vec<f64> {
    if high / low < 8.0 {
        return round_numbers((low, high), 5.0);
    }
    let steps = [1.0, 2.0, 5.0];
    let first = 10_f64.powf(low.log10().floor());
    let all = (0..12).flat_map(|power| steps.map(|step| step * first * 10_f64.powi(power)));
    all.filter(|it| (low..=high).contains(it)).collect()
}

/// The height of each name: that of its dot, or below the name before if they would touch.
fn name_lines(placed: &[(f64, f64)]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by(|one, other| placed[*one].1.total_cmp(&placed[*other].1));
    let mut lines = vec![0.0; placed.len()];
    let mut last = f64::NEG_INFINITY;
    for at in order {
        last = (placed[at].1 + 5.0).max(last + LINE);
        lines[at] = last;
    }
    // A crowd at the bottom is moved up as far as it goes below the picture.
    let beyond = (last - BOTTOM).max(0.0);
    lines.iter().map(|line| line - beyond).collect()
}

/// The front from the fastest to the smallest.
fn front(
    points: &[(f64, f64, &SweepPageVariant)],
    x: &dyn Fn(f64) -> f64,
    y: &dyn Fn(f64) -> f64,
) -> String {
    let mut on: Vec<(f64, f64)> = points
        .iter()
        .filter(|it| it.2.place == VariantPlace::Front)
        .map(|it| (x(it.0), y(it.1)))
        .collect();
    on.sort_by(|one, other| one.0.total_cmp(&other.0));
    joined(on.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_dots_at_one_place_do_not_touch() {
        let lines = name_lines(&[(0.0, 100.0), (0.0, 101.0), (5.0, 40.0)]);
        assert!((lines[1] - lines[0]).abs() >= LINE && lines[2] == 45.0, "{lines:?}");
    }

    #[test]
    fn an_axis_by_ratios_has_round_numbers() {
        let (low, high) = ends([1.0, 100.0].into_iter());
        assert!(low < 1.0 && high > 100.0);
        assert_eq!(by_ratios((low, high)), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        let (low, high) = ends([3.0].into_iter());
        assert!((high / low - 2.0 * 1.08 * 1.08).abs() < 1e-9);
    }
}
