//! Lines of medians as SVG: the small ones of the overview, and what a chart shows without script.

use maud::{Markup, html};
use tacho_stats::probe::RatioBounds;
use tacho_stats::summary;

use crate::view::DisplayScale;

/// The largest number of places side by side in a small line.
const SPARK_PLACES: usize = 60;

/// A line's frame, in its own units.
struct Frame {
    width: f64,
    height: f64,
    pad: f64,
}

/// A small line of medians; the last one has a dot.
///
/// Its height is at least a tenth of the median, so that noise looks like noise.
pub(crate) fn spark(medians: &[Option<f64>], label: &str) -> Markup {
    let frame = Frame { width: 160.0, height: 32.0, pad: 3.0 };
    let points = placed(&thinned(medians, SPARK_PLACES), &frame);
    html! {
        svg.spark viewBox="0 0 160 32" role="img" aria-label=(label) {
            polyline points=(join(&points)) {}
            @if let Some((x, y)) = points.last() { circle cx=(short(*x)) cy=(short(*y)) r="2.5" {} }
        }
    }
}

/// The chart of a series as it is without script: the medians, stretched to the width of the page,
/// and a stripe behind each stretch, from its first place to its last.
pub(crate) fn still(medians: &[Option<f64>], stretches: &[(usize, usize)], label: &str) -> Markup {
    let frame = Frame { width: 1000.0, height: 300.0, pad: 12.0 };
    let points = placed(medians, &frame);
    let step = step(medians, &frame);
    html! {
        svg.still viewBox="0 0 1000 300" preserveAspectRatio="none" role="img" aria-label=(label) {
            @for (first, last) in stretches {
                @let (left, width) =
                    (frame.pad + (*first as f64 - 0.5) * step, (last - first + 1) as f64 * step);
                rect x=(short(left)) y="0" width=(short(width)) height="300" {}
            }
            polyline points=(join(&points)) {}
        }
    }
}

/// A low picture of values over the same places as a chart.
pub(crate) fn strip(values: &[Option<f64>], label: &str) -> Markup {
    let frame = Frame { width: 1000.0, height: 60.0, pad: 12.0 };
    let points = placed(values, &frame);
    html! {
        svg.still viewBox="0 0 1000 60" preserveAspectRatio="none" role="img" aria-label=(label)
            style="height:3.5rem" {
            polyline points=(join(&points)) {}
        }
    }
}

/// Samples of several groups, one strip each on one axis: a dot a sample, a bar at the median. A
/// value beyond an end of the axis is drawn at the end.
pub(crate) fn strips(groups: &[(&str, &[f64])], ends: (f64, f64), scale: &DisplayScale) -> Markup {
    const LEFT: f64 = 70.0;
    const WIDTH: f64 = 900.0;
    const STRIP: f64 = 70.0;
    let (low, high) = ends;
    let x = |value: f64| LEFT + ((value - low) / (high - low)).clamp(0.0, 1.0) * WIDTH;
    let bottom = STRIP * groups.len() as f64;
    html! {
        svg.strips.sides viewBox=(format!("0 0 {} {}", LEFT + WIDTH + 60.0, bottom + 24.0))
            role="img" aria-label="samples before and after" {
            @for (number, (name, values)) in groups.iter().enumerate() {
                @let top = STRIP * number as f64;
                text x="0" y=(short(top + STRIP / 2.0 + 4.0)) { (name) }
                @for (place, value) in
                    values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
                    circle cx=(short(x(*value))) cy=(short(top + STRIP * jitter(place))) r="3" {}
                }
                @if let Some(median) = summary::median(values) {
                    line x1=(short(x(median))) x2=(short(x(median)))
                        y1=(short(top + 6.0)) y2=(short(top + STRIP - 6.0)) {}
                }
            }
            @for value in [low, f64::midpoint(low, high), high] {
                text.axis x=(short(x(value))) y=(short(bottom + 18.0)) text-anchor="middle" {
                    (scale.show(value))
                }
            }
        }
    }
}

/// Ratios with their intervals, one a line on one logarithmic scale, with a line at 1.
pub(crate) fn intervals(lines: &[(&str, Option<RatioBounds>)]) -> Markup {
    const LEFT: f64 = 150.0;
    const WIDTH: f64 = 760.0;
    const LINE: f64 = 26.0;
    // A very wide interval leaves no room for the others.
    let ends = lines.iter().filter_map(|(_, line)| *line).flat_map(|it| {
        let near = it.ratio.ln();
        [it.low.ln().max(near - 1.0), it.high.ln().min(near + 1.0)]
    });
    let (low, high) = ends.fold((0.0, 0.0), |(low, high): (f64, f64), end| {
        if end.is_finite() { (low.min(end), high.max(end)) } else { (low, high) }
    });
    let room = 0.02_f64.max(0.05 * (high - low));
    let (low, high) = (low - room, high + room);
    let x = |ratio: f64| LEFT + ((ratio.ln() - low) / (high - low)).clamp(0.0, 1.0) * WIDTH;
    let bottom = LINE * lines.len() as f64;
    html! {
        svg.strips
            viewBox=(format!("0 0 {} {}", LEFT + WIDTH + 60.0, bottom + 24.0))
            role="img" aria-label="ratios with intervals" {
            polyline points=(format!("{0},0 {0},{1}", short(x(1.0)), short(bottom))) {}
            @for (number, (name, line)) in lines.iter().enumerate() {
                @let y = LINE * (number as f64 + 0.5);
                text x="0" y=(short(y + 4.0)) { (name) }
                @if let Some(it) = line {
                    line x1=(short(x(it.low))) x2=(short(x(it.high))) y1=(short(y)) y2=(short(y)) {}
                    circle cx=(short(x(it.ratio))) cy=(short(y)) r="4" {}
                }
            }
            @for value in [low.exp(), 1.0, high.exp()] {
                @let (x, y) = (short(x(value)), short(bottom + 18.0));
                text.axis x=(x) y=(y) text-anchor="middle" { (format!("{value:.2}")) }
            }
        }
    }
}

/// A sample of a sequence.
pub(crate) struct Dot {
    pub round: u32,
    pub value: f64,
}

/// Rounds at one level.
pub(crate) struct Band {
    pub first: u32,
    pub last: u32,
    pub level: f64,
}

/// A sequence of executions: a dot a sample, a bar for the level of each phase, the first rounds
/// shaded.
pub(crate) fn executions(
    dots: &[Dot],
    bands: &[Band],
    shaded: u32,
    scale: &DisplayScale,
) -> Markup {
    const LEFT: f64 = 90.0;
    const WIDTH: f64 = 880.0;
    const HEIGHT: f64 = 150.0;
    let (low, high) = span(&dots.iter().map(|dot| Some(dot.value)).collect::<Vec<_>>());
    let rounds = f64::from(dots.iter().map(|dot| dot.round).max().unwrap_or(1));
    // A round is as wide as any other, and its dot is in its middle.
    let edge = |round: u32| LEFT + f64::from(round) / rounds * WIDTH;
    let y = |value: f64| 10.0 + (high - value) / (high - low) * (HEIGHT - 20.0);
    html! {
        svg.strips viewBox=(format!("0 0 {} {}", LEFT + WIDTH, HEIGHT + 24.0)) role="img"
            aria-label="executions in order, warmup shaded" {
            @if shaded > 0 {
                rect x=(short(LEFT)) y="0" width=(short(edge(shaded) - LEFT)) height=(short(HEIGHT))
                    fill="currentColor" fill-opacity="0.12" {}
            }
            @for dot in dots {
                circle cx=(short(edge(dot.round) - WIDTH / rounds / 2.0)) cy=(short(y(dot.value)))
                    r="3" {}
            }
            @for band in bands {
                line x1=(short(edge(band.first.saturating_sub(1)))) x2=(short(edge(band.last)))
                    y1=(short(y(band.level))) y2=(short(y(band.level))) {}
            }
            (labels(LEFT, [low, high], y, |value| scale.show(value)))
            text.axis x=(short(LEFT)) y=(short(HEIGHT + 18.0)) { "round 1" }
            text.axis x=(short(LEFT + WIDTH)) y=(short(HEIGHT + 18.0)) text-anchor="end" {
                (rounds)
            }
        }
    }
}

/// How likely each stretch of places is: a bar each, as wide as the stretch and never too thin to
/// be seen.
pub(crate) fn belief(stretches: &[(usize, usize, f64)], places: usize) -> Markup {
    const LEFT: f64 = 70.0;
    const WIDTH: f64 = 860.0;
    const HEIGHT: f64 = 120.0;
    let x = |place: usize| LEFT + place as f64 / places.max(1) as f64 * WIDTH;
    let thin = |first: usize, last: usize| (x(last + 1) - x(first)).max(3.0);
    let y = |chance: f64| HEIGHT * (1.0 - chance) + 8.0;
    html! {
        svg.strips viewBox=(format!("0 0 {} {}", LEFT + WIDTH + 30.0, HEIGHT + 34.0)) role="img"
            aria-label="how likely each stretch of commits is" {
            @for &(first, last, chance) in stretches {
                rect x=(short(x(first))) y=(short(y(chance))) width=(short(thin(first, last)))
                    height=(short(HEIGHT * chance)) fill="currentColor" fill-opacity="0.6" {}
            }
            rect x=(short(LEFT)) y=(short(HEIGHT + 8.0)) width=(short(WIDTH)) height="1"
                fill="currentColor" {}
            @for chance in [0.0, 0.5, 1.0] {
                text.axis x=(short(LEFT - 8.0)) y=(short(y(chance) + 5.0)) text-anchor="end" {
                    (format!("{:.0} %", 100.0 * chance))
                }
            }
            (ends(LEFT, WIDTH, HEIGHT + 26.0, places))
        }
    }
}

/// The parts of a whole: one bar with a section for each, its name and size below.
pub(crate) fn shares(parts: &[(&str, f64, String)]) -> Markup {
    const WIDTH: f64 = 960.0;
    const BAR: f64 = 26.0;
    let whole: f64 = parts.iter().map(|(_, part, _)| part).sum::<f64>().max(f64::MIN_POSITIVE);
    let share = |part: f64| part / whole * WIDTH;
    let from = |number: usize| share(parts[..number].iter().map(|(_, part, _)| part).sum());
    let opacity = |number: usize| [0.75, 0.45, 0.2][number.min(2)];
    let column = WIDTH / parts.len().max(1) as f64;
    html! {
        svg.strips viewBox=(format!("0 0 {WIDTH} {}", BAR + 34.0)) role="img"
            aria-label="of what the scatter is made" {
            @for (number, (_, part, _)) in parts.iter().enumerate() {
                rect x=(short(from(number))) y="0" width=(short(share(*part))) height=(short(BAR))
                    fill="currentColor" fill-opacity=(opacity(number)) {}
            }
            @for (number, (name, part, size)) in parts.iter().enumerate() {
                rect x=(short(column * number as f64)) y=(short(BAR + 12.0)) width="14" height="14"
                    fill="currentColor" fill-opacity=(opacity(number)) {}
                text.axis x=(short(column * number as f64 + 20.0)) y=(short(BAR + 24.0)) {
                    (name) " " (size) ", " (format!("{:.0} %", 100.0 * part / whole))
                    // The columns have no room for it each time.
                    @if number == 0 { " of the variance" }
                }
            }
        }
    }
}

/// The values at both ends of an upright axis and in its middle.
fn labels(left: f64, of: [f64; 2], y: impl Fn(f64) -> f64, show: impl Fn(f64) -> String) -> Markup {
    html! { @for value in [of[0], f64::midpoint(of[0], of[1]), of[1]] {
        text.axis x=(short(left - 10.0)) y=(short(y(value) + 5.0)) text-anchor="end" {
            (show(value))
        }
    } }
}

/// The ends of a bisection, below a picture of all places between them.
fn ends(left: f64, width: f64, y: f64, places: usize) -> Markup {
    html! {
        text.axis x=(short(left)) y=(short(y)) { "earlier end" }
        text.axis x=(short(left + width)) y=(short(y)) text-anchor="end" {
            "later end, " (crate::text::count(places.saturating_sub(1), "commit")) " after it"
        }
    }
}

/// A share of one as a bar in a line of text.
pub(crate) fn bar(share: f64) -> Markup {
    html! {
        svg.spark viewBox="0 0 160 32" role="img" aria-label=(crate::text::percent(share)) {
            rect x="0" y="8" width=(short((160.0 * share).max(1.0))) height="16" fill="currentColor"
                fill-opacity="0.6" {}
        }
    }
}

/// A commit that is named, at its place.
pub(crate) struct NamedPlace<'a> {
    pub place: usize,
    pub name: &'a str,
}

/// The level of a measured commit, and where it may be.
pub(crate) struct LevelDot {
    pub(crate) place: usize,
    pub(crate) level: f64,
    pub(crate) interval: (f64, f64),
}

/// Levels of some places, each with how far it may be off; above, the names of some of them.
pub(crate) fn ladder(
    rungs: &[LevelDot],
    named: &[NamedPlace<'_>],
    places: usize,
    (limits, show): ((f64, f64), &dyn Fn(f64) -> String),
) -> Markup {
    const LEFT: f64 = 100.0;
    const WIDTH: f64 = 830.0;
    const HEIGHT: f64 = 180.0;
    let top = if named.is_empty() { 0.0 } else { 22.0 };
    let view_box = format!("0 {} {} {}", -top, LEFT + WIDTH + 30.0, HEIGHT + 26.0 + top);
    let all = rungs.iter().flat_map(|rung| [Some(rung.interval.0), Some(rung.interval.1)]);
    let (low, high) = span(&all.collect::<Vec<_>>());
    let (low, high) = (low.max(limits.0), high.min(limits.1));
    let x = |place: usize| LEFT + (place as f64 + 0.5) / places.max(1) as f64 * WIDTH;
    let y = |value: f64| 10.0 + (high - value) / (high - low) * (HEIGHT - 20.0);
    html! {
        svg.strips viewBox=(view_box) role="img" aria-label="levels of measured commits in order" {
            @for NamedPlace { place, name } in named {
                @let anchor = anchor(*place, places);
                text.axis x=(short(x(*place))) y="-6" text-anchor=(anchor) { (name) }
                rect x=(short(x(*place) - 0.5)) y="0" width="1" height=(short(HEIGHT - 10.0))
                    fill="currentColor" fill-opacity="0.4" {}
            }
            @for rung in rungs {
                @let at = short(x(rung.place));
                line x1=(at) x2=(at)
                    y1=(short(y(rung.interval.0))) y2=(short(y(rung.interval.1))) {}
                circle cx=(at) cy=(short(y(rung.level))) r="4" {}
            }
            (labels(LEFT, [low, high], y, show))
            (ends(LEFT, WIDTH, HEIGHT + 18.0, places))
        }
    }
}

/// At which of its ends a name is at its place, so that it stays in the picture.
fn anchor(place: usize, places: usize) -> &'static str {
    if place * 2 > places { "end" } else { "start" }
}

/// A group of dots, their middle, and a band around it.
pub(crate) struct Panel {
    pub name: String,
    pub dots: Vec<f64>,
    /// The lower bounds of executions that reached a limit: arrows up.
    pub cut_off: Vec<f64>,
    pub band: Option<(f64, f64)>,
    pub middle: Option<f64>,
}

/// No more dots than this are in a picture of panels; of more, only every n-th is shown.
const PANEL_DOTS: usize = 4000;

/// Panels side by side on one scale; `ground` is shaded through all of them.
pub(crate) fn panels(
    panels: &[Panel],
    ground: Option<(f64, f64)>,
    label: &str,
    show: &dyn Fn(f64) -> String,
) -> Markup {
    const LEFT: f64 = 100.0;
    const WIDTH: f64 = 860.0;
    const HEIGHT: f64 = 240.0;
    let each = WIDTH / panels.len().max(1) as f64;
    let (low, high) = extent(panels, ground);
    let y = |value: f64| 10.0 + (high - value) / (high - low) * (HEIGHT - 20.0);
    let shade = |(low, high): (f64, f64), left: f64, width: f64, strength: &str| {
        html! {
            rect x=(short(left)) y=(short(y(high))) width=(short(width))
                height=(short((y(low) - y(high)).max(1.0))) fill="currentColor"
                fill-opacity=(strength) {}
        }
    };
    let drawn = |panel: &Panel| panel.dots.len() + panel.cut_off.len();
    let of_dots = panels.iter().map(drawn).sum::<usize>().div_ceil(PANEL_DOTS).max(1);
    let of_names = panels.len().div_ceil(25).max(1);
    html! {
        svg.strips viewBox=(format!("0 0 {} {}", LEFT + WIDTH + 10.0, HEIGHT + 26.0)) role="img"
            aria-label=(label) {
            @if let Some(ground) = ground { (shade(ground, LEFT, WIDTH, "0.1")) }
            @for (number, panel) in panels.iter().enumerate() {
                @let left = LEFT + each * number as f64;
                @if let Some(band) = panel.band {
                    (shade(band, left + each * 0.05, each * 0.9, "0.15"))
                }
                @for (place, value) in panel.dots.iter().enumerate().step_by(of_dots) {
                    circle cx=(short(left + each * jitter(place))) cy=(short(y(*value))) r="3" {}
                }
                @for (place, value) in panel.cut_off.iter().enumerate().step_by(of_dots) {
                    (arrow(left + each * jitter(place), y(*value)))
                }
                @if let Some(middle) = panel.middle {
                    line x1=(short(left + each * 0.1)) x2=(short(left + each * 0.9))
                        y1=(short(y(middle))) y2=(short(y(middle))) {}
                }
                @if number % of_names == 0 {
                    text x=(short(left + each / 2.0)) y=(short(HEIGHT + 20.0)) text-anchor="middle"
                        {
                        (panel.name)
                    }
                }
            }
            (labels(LEFT, [low, high], y, show))
        }
    }
}

/// An arrow up from that place: there, or anywhere above.
fn arrow(x: f64, y: f64) -> Markup {
    let points = [(-5.0, 1.0), (0.0, -8.0), (5.0, 1.0)]
        .map(|(dx, dy)| [x + dx, y + dy].map(short).join(","));
    html! { polygon.cut-off points=(points.join(" ")) fill="currentColor" {} }
}

/// From the lowest to the highest of all that is drawn: small differences are what these pictures
/// are for.
fn extent(panels: &[Panel], ground: Option<(f64, f64)>) -> (f64, f64) {
    let bands = panels.iter().filter_map(|panel| panel.band).chain(ground);
    let ends = bands.flat_map(|(low, high)| [low, high]);
    let of = |panel: &Panel| {
        [panel.dots.clone(), panel.cut_off.clone(), panel.middle.into_iter().collect()]
    };
    let all = panels.iter().flat_map(of).flatten().chain(ends);
    let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if high > low {
        (low, high)
    } else if low.is_finite() {
        // All are the same.
        let around = (low.abs() * 0.01).max(0.001);
        (if low < 0.0 { low - around } else { (low - around).max(0.0) }, low + around)
    } else {
        (0.0, 1.0)
    }
}

/// The position of a dot in its strip, so that equal ones do not hide each other: the golden ratio
/// fills evenly.
fn jitter(place: usize) -> f64 {
    0.2 + 0.6 * (place as f64 * 0.618_033_988_749_895).fract()
}

/// As many places as can be distinguished: the median of each stretch.
fn thinned(medians: &[Option<f64>], places: usize) -> Vec<Option<f64>> {
    if medians.len() <= places {
        return medians.to_vec();
    }
    let bounds = |place: usize| place * medians.len() / places;
    (0..places)
        .map(|place| {
            let stretch: Vec<f64> =
                medians[bounds(place)..bounds(place + 1)].iter().copied().flatten().collect();
            summary::median(&stretch)
        })
        .collect()
}

/// How far places are apart.
fn step(medians: &[Option<f64>], frame: &Frame) -> f64 {
    (frame.width - 2.0 * frame.pad) / (medians.len().max(2) - 1) as f64
}

fn placed(medians: &[Option<f64>], frame: &Frame) -> Vec<(f64, f64)> {
    let (low, high) = span(medians);
    let inner = frame.height - 2.0 * frame.pad;
    let step = step(medians, frame);
    let point = |(place, median): (usize, &Option<f64>)| {
        let y = frame.height - frame.pad - ((*median)? - low) / (high - low) * inner;
        Some((frame.pad + place as f64 * step, y))
    };
    medians.iter().enumerate().filter_map(point).collect()
}

/// From the lowest to the highest, and at least a tenth of the median about its middle; below 0
/// only if a value is.
pub(crate) fn span(medians: &[Option<f64>]) -> (f64, f64) {
    let values: Vec<f64> =
        medians.iter().copied().flatten().filter(|value| value.is_finite()).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = summary::median(&values).unwrap_or(0.0).abs() * 0.1;
    let lack = (least - (high - low)).max(0.0) / 2.0;
    if high - low + lack > 0.0 { (low - lack, high + lack) } else { (low, high + 1.0) }
}

fn join(points: &[(f64, f64)]) -> String {
    let texts: Vec<String> =
        points.iter().map(|(x, y)| format!("{},{}", short(*x), short(*y))).collect();
    texts.join(" ")
}

/// One decimal is a fraction of a pixel.
pub(crate) fn short(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_stays_flat_and_a_step_is_seen() {
        assert_eq!(span(&[Some(100.0), None, Some(101.0)]), (95.475, 105.525));
        assert_eq!(span(&[Some(100.0), Some(200.0)]), (100.0, 200.0));
        assert_eq!(span(&[Some(0.0)]), (0.0, 1.0));
    }

    #[test]
    fn a_gap_is_bridged_and_the_last_median_has_its_dot() {
        let svg = spark(&[Some(1.0), None, Some(2.0)], "a").into_string();
        assert!(svg.contains(r#"points="3,29 157,3""#), "{svg}");
        assert!(svg.contains(r#"cx="157" cy="3""#), "{svg}");
        assert!(!spark(&[None], "b").into_string().contains("circle"));
    }

    #[test]
    fn long_lines_are_thinned() {
        let medians: Vec<Option<f64>> = (0..500).map(|i| Some(f64::from(i))).collect();
        let thin = thinned(&medians, SPARK_PLACES);
        assert_eq!((thin.len(), thin[0]), (60, Some(3.5)));
    }
}
