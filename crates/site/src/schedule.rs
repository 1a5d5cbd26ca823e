//! A run in order of time: its executions, and the host's speed below them.
//!
//! The horizontal axis counts executions: a pause between two sessions takes no room.

use jiff::Timestamp;
use maud::{Markup, html};

use crate::svg::{short, span};
use crate::text::{day, time_of_day};

const LEFT: f64 = 100.0;
const WIDTH: f64 = 870.0;
/// The most dots in a picture; of more, every second or third is drawn.
const DOTS: usize = 4000;
/// A pause takes at least this many times the usual distance of executions, and a minute.
const PAUSE: f64 = 20.0;
/// The label of the picture of the host's speed, for screen readers.
const PATH: &str = "the host's speed in order of time";
/// Colours that are easily distinguished, on light and on dark ground.
const COLOURS: [&str; 8] =
    ["#2f6fde", "#e0700f", "#1f9d55", "#9a4fd0", "#d23c3c", "#0f9bb3", "#b8860b", "#d6468f"];

/// An execution to be drawn.
pub(crate) struct DrawnExecution {
    pub at: Timestamp,
    /// `None` if it failed or its metric could not be read.
    pub value: Option<f64>,
    pub counts: bool,
    pub colour: String,
    /// The execution in words.
    pub words: String,
}

impl DrawnExecution {
    /// Full where its value counts, else hollow.
    fn style(&self) -> String {
        let how = if self.counts { "fill:" } else { "fill:none;stroke:" };
        format!("{how}{}", self.colour)
    }
}

/// The parts that all pictures of a run share.
pub(crate) struct ScheduleFrame<'a> {
    /// When each of the run's executions began, in order.
    pub times: &'a [Timestamp],
    /// The label of the picture, for screen readers.
    pub label: &'a str,
}

/// The colour of a program: of many, from blue to red in their order.
pub(crate) fn colour(number: usize, of: usize) -> String {
    match COLOURS.get(number) {
        Some(colour) if of <= COLOURS.len() => (*colour).to_owned(),
        _ => {
            let hue = 250.0 * (1.0 - number as f64 / (of.max(2) - 1) as f64);
            format!("hsl({hue:.0} 70% 48%)")
        }
    }
}

/// The executions, a dot each; a cross at the bottom for one without a value.
pub(crate) fn picture(
    executions: &[DrawnExecution],
    frame: &ScheduleFrame,
    show: &dyn Fn(f64) -> String,
) -> Markup {
    const HEIGHT: f64 = 220.0;
    let values: Vec<Option<f64>> = executions.iter().map(|it| it.value).collect();
    let (low, high) = span(&values);
    let y = |value: f64| 10.0 + (high - value) / (high - low) * (HEIGHT - 30.0);
    let every = executions.len().div_ceil(DOTS).max(1);
    html! {
        svg.strips.schedule viewBox=(view_box(HEIGHT)) role="img" aria-label=(frame.label) {
            (pauses(frame.times, HEIGHT))
            @for it in executions.iter().step_by(every) {
                @let x = x(frame.times, it.at);
                @match it.value.map(|value| short(y(value))) {
                    Some(y) => circle cx=(short(x)) cy=(y) r="3" style=(it.style()) {
                        title { (it.words) }
                    },
                    None => path d=(cross(x, HEIGHT - 8.0)) stroke=(it.colour) stroke-width="2" {
                        title { (it.words) }
                    },
                }
            }
            @for value in [low, f64::midpoint(low, high), high] { (level(y(value), &show(value))) }
            (ends(frame.times, HEIGHT + 18.0))
        }
    }
}

/// The host's speed as a share of its usual one.
pub(crate) fn path(speeds: &[(Timestamp, f64)], times: &[Timestamp]) -> Markup {
    const HEIGHT: f64 = 130.0;
    let top = speeds.iter().map(|(_, speed)| *speed).fold(1.1, f64::max);
    let y = |speed: f64| 8.0 + (top - speed) / top * (HEIGHT - 8.0);
    let every = speeds.len().div_ceil(DOTS).max(1);
    let points: Vec<String> = speeds
        .iter()
        .step_by(every)
        .map(|(at, speed)| format!("{},{}", short(x(times, *at)), short(y(*speed))))
        .collect();
    html! {
        svg.strips.schedule viewBox=(view_box(HEIGHT)) role="img" aria-label=(PATH) {
            (pauses(times, HEIGHT))
            (thin((LEFT, y(1.0)), (WIDTH, 1.0)))
            polyline points=(points.join(" ")) {}
            @for share in [0.0, 0.5, 1.0] { (level(y(share), &format!("{:.0} %", 100.0 * share))) }
            (ends(times, HEIGHT + 18.0))
        }
    }
}

fn view_box(height: f64) -> String {
    format!("0 0 {} {}", LEFT + WIDTH + 10.0, height + 24.0)
}

/// A label of the vertical axis.
fn level(y: f64, label: &str) -> Markup {
    html! {
        text.axis x=(short(LEFT - 10.0)) y=(short(y + 5.0)) text-anchor="end" { (label) }
    }
}

/// A line that is no part of the data.
fn thin((x, y): (f64, f64), (width, height): (f64, f64)) -> Markup {
    let [x, y, width, height] = [x, y, width, height].map(short);
    html! {
        rect x=(x) y=(y) width=(width) height=(height) fill="currentColor" fill-opacity="0.45" {}
    }
}

/// The position of an execution: by its place among all of the run.
fn x(times: &[Timestamp], at: Timestamp) -> f64 {
    let place = times.partition_point(|other| *other < at);
    LEFT + (place as f64 + 0.5) / times.len().max(1) as f64 * WIDTH
}

fn cross(x: f64, y: f64) -> String {
    let [left, right] = [x - 4.0, x + 4.0].map(short);
    let [top, bottom] = [y - 4.0, y + 4.0].map(short);
    format!("M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}")
}

/// Whether the run paused, as between two sessions.
pub(crate) fn has_pauses(times: &[Timestamp]) -> bool {
    !paused(times).is_empty()
}

/// The places before which the run paused.
fn paused(times: &[Timestamp]) -> Vec<usize> {
    let apart = |pair: &[Timestamp]| pair[1].duration_since(pair[0]).as_secs_f64();
    let mut distances: Vec<f64> = times.windows(2).map(apart).collect();
    distances.sort_by(f64::total_cmp);
    let usual = distances.get(distances.len() / 2).copied().unwrap_or(0.0);
    let least = (usual * PAUSE).max(60.0);
    let pairs = times.windows(2).enumerate();
    pairs.filter(|(_, pair)| apart(pair) > least).map(|(at, _)| at + 1).collect()
}

fn pauses(times: &[Timestamp], height: f64) -> Markup {
    html! {
        @for place in paused(times) {
            @let left = LEFT + place as f64 / times.len() as f64 * WIDTH;
            (thin((left, 0.0), (1.0, height)))
        }
    }
}

/// When the first and the last began, below the picture.
fn ends(times: &[Timestamp], y: f64) -> Markup {
    let ends = times.first().zip(times.last());
    html! {
        @if let Some((first, last)) = ends {
            @let y = short(y);
            text.axis x=(short(LEFT)) y=(y) { (day(*first)) " " (time_of_day(*first)) }
            text.axis x=(short(LEFT + WIDTH)) y=(y) text-anchor="end" {
                @if day(*first) != day(*last) { (day(*last)) " " }
                (time_of_day(*last))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_long_for_the_run() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let times: Vec<Timestamp> = [0, 1, 2, 3, 100, 101].map(at).to_vec();
        assert_eq!(paused(&times), [4]);
        let slow: Vec<Timestamp> = [0, 50, 100, 190, 240].map(at).to_vec();
        assert!(!has_pauses(&slow) && !has_pauses(&[]));
    }

    #[test]
    fn programs_have_colours_of_their_own() {
        for of in [1, 2, 8, 9, 40] {
            let mut all: Vec<String> = (0..of).map(|number| colour(number, of)).collect();
            all.dedup();
            assert_eq!(all.len(), of);
        }
    }
}
