//! The numbers of a summary as text.

use tacho_record::{Point, Unit};
use tacho_stats::{BoundedValue, Summary};

use crate::words::{interval, median, percent};

/// Both ends of an interval are printed if one is at least this many times as far from the median
/// as the other …
const LOPSIDED: f64 = 2.0;
/// … and farther than this share of the median.
const WIDE: f64 = 0.1;

/// The numbers of a summary as text; each is empty where it is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryText {
    /// How many samples it is of.
    pub n: String,
    /// `12.34 ms`, `> 10.00 s`.
    pub median: String,
    /// How far the interval reaches, where there is no room for both ends: `± 0.3 %`.
    pub margin: String,
    /// `12.30 ms … 12.41 ms`.
    pub interval: String,
    /// The middle half of the samples: `0.6 %`.
    pub spread: String,
    /// The smallest sample.
    pub min: String,
    /// The largest one.
    pub max: String,
}

impl SummaryText {
    /// The cells of a summary of values in this unit, if there is one.
    #[must_use]
    pub fn of(unit: &Unit, summary: Option<&Summary>) -> Self {
        let Some(summary) = summary else { return Self::default() };
        let show = |value| unit.show(value);
        Self {
            n: summary.n.to_string(),
            median: median(unit, summary),
            margin: margin(summary, unit).unwrap_or_default(),
            interval: summary.interval.map_or_else(String::new, |ends| interval(unit, ends)),
            spread: spread(summary, unit).unwrap_or_default(),
            min: summary.known_min().shown(show),
            max: summary.known_max().shown(show),
        }
    }
}

/// The summary of a point's values, including the executions that reached a limit.
#[must_use]
pub fn of_point(point: &Point) -> Option<Summary> {
    if !point.layouts.is_empty() {
        return Summary::over_layouts(&point.values, &point.limited.bounds);
    }
    // An interval of a fixed number of values does not hold where looking at them chose it.
    let reach = point.reach.filter(|_| !point.looked_at);
    let summary = Summary::sampled(&point.values, &point.limited.bounds, point.looked_at)?;
    Some(summary.with_reach(reach))
}

/// Whether values are on both sides of 0, as those of a difference may be, or 0 is their median:
/// shares of the median mean nothing then.
fn is_around_zero(summary: &Summary) -> bool {
    let is_across = |(low, high): (f64, f64)| low < 0.0 && high >= 0.0;
    summary.median == 0.0 || summary.interval.is_some_and(is_across)
}

/// A share of the median: percents however large it is.
fn of_median(share: f64) -> String {
    match share {
        10.0.. => format!("{:.0} %", 100.0 * share),
        _ => percent(share),
    }
}

/// How far the median's interval reaches, to its farther side: as a share of the median, or in the
/// unit if the interval contains 0. If only the lower end is known, the lower end.
fn margin(summary: &Summary, unit: &Unit) -> Option<String> {
    let (low, high) = summary.interval?;
    if high.is_infinite() {
        return Some(BoundedValue::least(low, true).shown(|it| unit.show(it)));
    }
    let [below, above] = [summary.median - low, high - summary.median];
    let reach = below.max(above);
    let share = |reach: f64| reach / summary.median.abs();
    let is_around_zero = is_around_zero(summary);
    let is_lopsided = reach > LOPSIDED * above.min(below) && share(reach) > WIDE;
    // An interval that reaches as far below the median as the median's size would include negative
    // values.
    if !is_around_zero && (is_lopsided || share(reach) >= 1.0) {
        let ends = [below, above].map(|reach| format!("{:.0}", 100.0 * share(reach)));
        let signed = |sign: char, end: &str| match end {
            "0" => end.to_owned(),
            end => format!("{sign}{end}"),
        };
        return Some(format!("{} … {} %", signed('−', &ends[0]), signed('+', &ends[1])));
    }
    let shown = if is_around_zero { unit.show(reach) } else { of_median(share(reach)) };
    (low != 0.0 || high != 0.0).then(|| format!("± {shown}"))
}

/// The middle half of the samples, as a share of the median, or in the unit if the interval
/// contains 0 or a time is below 0.
fn spread(summary: &Summary, unit: &Unit) -> Option<String> {
    let share = summary.spread()?;
    let is_no_time = *unit == Unit::Nanoseconds && summary.median < 0.0;
    Some(if is_no_time || is_around_zero(summary) {
        unit.show(summary.q3 - summary.q1)
    } else {
        of_median(share)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(values: [f64; 8]) -> SummaryText {
        SummaryText::of(&Unit::Nanoseconds, Summary::of(&values).as_ref())
    }

    #[test]
    fn a_summary_has_one_text_a_number() {
        let near = text([100e6, 101e6, 100e6, 101e6, 102e6, 99e6, 100e6, 101e6]);
        assert_eq!((near.n.as_str(), near.median.as_str()), ("8", "100.5 ms"));
        assert!(near.margin.starts_with("± 1") && near.spread.ends_with(" %"), "{near:?}");
        assert_eq!((near.min.as_str(), near.max.as_str()), ("99.00 ms", "102.0 ms"));
        assert!(near.interval.contains(" ms … "), "{near:?}");
        let lopsided = text([100e6, 100e6, 100e6, 100e6, 100e6, 180e6, 180e6, 180e6]);
        assert!(lopsided.margin.starts_with("0 … +"), "{lopsided:?}");
        let wide = text([58e6, 60e6, 100e6, 100e6, 100e6, 180e6, 200e6, 220e6]);
        assert!(wide.margin.starts_with("−42 … +120"), "no time is below 0: {wide:?}");
        let counts = SummaryText::of(
            &Unit::Other(String::new()),
            Summary::of(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 40.0]).as_ref(),
        );
        assert_eq!((&*counts.spread, &*counts.margin), ("100 %", "−100 … +3900 %"));
        assert_eq!(SummaryText::of(&Unit::Bytes, None), SummaryText::default());
    }

    #[test]
    fn around_zero_there_are_no_shares() {
        let around = text([-3e3, -2e3, 1e3, 1e3, 2e3, 3e3, 1e3, 2e3]);
        assert!(around.margin.ends_with(" µs") && around.spread.ends_with(" µs"), "{around:?}");
    }

    #[test]
    fn of_an_open_interval_its_lower_end_is_known() {
        let summary = Summary::censored(&[1e9, 1.1e9, 1.2e9, 1.3e9], &[2e9; 4]);
        let text = SummaryText::of(&Unit::Nanoseconds, summary.as_ref());
        assert!(text.interval.ends_with("… ∞") && text.margin.starts_with("> 1."), "{text:?}");
    }
}
