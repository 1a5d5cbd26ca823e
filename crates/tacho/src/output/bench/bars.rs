//! All executions as bars, side by side, on one scale that begins at 0.

use tacho_record::{Sample, Unit};
use tacho_stats::Summary;
use tacho_stats::summary::quantile;

use super::BenchReport;
use crate::output::text;

/// How high bars are, in lines.
const HEIGHT: usize = 8;
/// How wide all of them may be.
const WIDTH: usize = 92;
/// The width of the scale beside them: `100.0 ms`, and a blank.
const LABEL: usize = 9;
/// A command has at least this many bars.
const FEWEST: usize = 6;
/// How broad a bar may become.
const BROADEST: usize = 3;
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A bar that goes beyond the scale, or to an unknown end, as that of an execution which reached
/// a limit.
const BEYOND: char = '▲';
/// The scale ends at this many times the highest upper quartile, if no value is there: one slow
/// execution must not hide the others.
const TOP: f64 = 1.25;

impl BenchReport<'_> {
    /// One bar an execution in the order in which they were executed, or the median of several
    /// where there is no room.
    pub fn bars(&self) -> String {
        let values: Vec<(&str, Vec<f64>)> =
            (self.question.commands.iter().zip(&self.answer.samples))
                .map(|(command, samples)| {
                    let metric = command.time().name;
                    // The true value of an execution at a limit is larger.
                    let cut_off = |it: &Sample| it.is_limited().then_some(f64::INFINITY);
                    let height =
                        |it: &Sample| if it.counts() { it.value(&metric) } else { cut_off(it) };
                    (command.name.as_str(), samples.iter().filter_map(height).collect())
                })
                .filter(|(_, values): &(&str, Vec<f64>)| values.len() > 1)
                .collect();
        draw(&values, self.width.map_or(WIDTH, |width| width.saturating_sub(LABEL).min(WIDTH)))
    }
}

/// Bars of these values, which are times in nanoseconds; empty if there is no room for all.
fn draw(all: &[(&str, Vec<f64>)], width: usize) -> String {
    let Some(each) = (width + 2).checked_div(all.len()).filter(|each| *each >= FEWEST + 2) else {
        return String::new();
    };
    let bars: Vec<(&str, Vec<f64>)> =
        all.iter().map(|(name, values)| (*name, thinned(values, each - 2))).collect();
    let top = top(&bars);
    if top <= 0.0 {
        return String::new();
    }
    let bars = widened(bars, each - 2);
    let label = Unit::Nanoseconds.show(top);
    let width = label.chars().count();
    let mut out = String::new();
    for line in (0..HEIGHT).rev() {
        let shown = if line == HEIGHT - 1 {
            label.as_str()
        } else if line == 0 {
            "0"
        } else {
            ""
        };
        let rows: Vec<String> = bars
            .iter()
            .map(|(_, values)| values.iter().map(|value| block(value / top, line)).collect())
            .collect();
        out += &format!("{}\n", format!("{shown:>width$} {}", rows.join("  ")).trim_end());
    }
    let short = short_names(&bars);
    let widths = bars.iter().map(|(_, values)| values.len());
    let mut names: Vec<String> =
        widths.clone().zip(&short).map(|(width, name)| named(name, width)).collect();
    if names.iter().enumerate().any(|(at, name)| names[..at].contains(name)) {
        // As in the order of the table.
        let numbered = (1..).zip(&short).map(|(number, name)| format!("{number}: {name}"));
        names = widths.zip(numbered).map(|(width, name)| named(&name, width)).collect();
    }
    out + &format!("{}\n", format!("{:width$} {}", "", names.join("  ")).trim_end())
}

/// Broader bars where there are few: all equally, so that names have room.
fn widened(bars: Vec<(&str, Vec<f64>)>, most: usize) -> Vec<(&str, Vec<f64>)> {
    let longest = bars.iter().map(|(_, values)| values.len()).max().unwrap_or(1);
    let times = (most / longest.max(1)).clamp(1, BROADEST);
    let widen = |values: Vec<f64>| {
        values.into_iter().flat_map(|value| std::iter::repeat_n(value, times)).collect()
    };
    bars.into_iter().map(|(name, values)| (name, widen(values))).collect()
}

/// The end of the scale.
fn top(bars: &[(&str, Vec<f64>)]) -> f64 {
    let all = bars.iter().flat_map(|(_, values)| values).copied();
    let highest = all.filter(|value| value.is_finite()).fold(0.0, f64::max);
    let quartile = bars.iter().filter_map(|(_, values)| quantile(values, 0.75)).fold(0.0, f64::max);
    highest.min(TOP * quartile)
}

/// The block of a bar with this height, as a share of the scale, in a line counted from below.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped to 0..=8
fn block(height: f64, line: usize) -> char {
    if height > 1.0 + 1e-9 && line == HEIGHT - 1 {
        return BEYOND;
    }
    let eighths = (height * HEIGHT as f64 - line as f64) * 8.0;
    BLOCKS[eighths.round().clamp(0.0, 8.0) as usize]
}

/// At most this many: the medians of neighbours.
fn thinned(values: &[f64], most: usize) -> Vec<f64> {
    let step = values.len().div_ceil(most).max(1);
    values.chunks(step).filter_map(middle).collect()
}

/// The median, which is without end where more than half are.
fn middle(chunk: &[f64]) -> Option<f64> {
    let known: Vec<f64> = chunk.iter().copied().filter(|value| value.is_finite()).collect();
    Summary::censored(&known, &vec![f64::MAX; chunk.len() - known.len()])
        .map(|summary| if summary.is_bound { f64::INFINITY } else { summary.median })
}

/// The names; where one has no room, without the words that all begin with.
fn short_names(bars: &[(&str, Vec<f64>)]) -> Vec<String> {
    let names: Vec<&str> = bars.iter().map(|(name, _)| *name).collect();
    let has_room = bars.iter().all(|(name, values)| name.chars().count() <= values.len());
    let common = if has_room || names.len() < 2 { 0 } else { common_words(&names) };
    let short = |name: &&str| match common {
        0 => (*name).to_owned(),
        common => format!("…{}", &name[common..]),
    };
    names.iter().map(short).collect()
}

/// How long the words are, in bytes, that all names begin with; something is left of each.
fn common_words(names: &[&str]) -> usize {
    let first = names[0];
    let is_common = |end: &usize| {
        names.iter().all(|name| name.len() > *end && name.starts_with(&first[..*end]))
    };
    let ends = first.match_indices(' ').map(|(at, _)| at + 1);
    ends.rev().find(is_common).unwrap_or(0)
}

/// A name, cut or filled to the width of its bars.
fn named(name: &str, width: usize) -> String {
    format!("{:width$}", text::cut(name, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_stand_side_by_side_on_one_scale() {
        let one = [1.0, 1.0, 0.5, 1.0, 1.0, 1.0].map(|ms| ms * 1e6).to_vec();
        let two = [2.0, 2.0, 2.0, 2.0, 2.0, 9.0].map(|ms| ms * 1e6).to_vec();
        insta::assert_snapshot!(draw(&[("one", one), ("the other", two)], WIDTH), @r"
    2.500 ms                                    ▲▲▲
                                 ▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃███
                                 ██████████████████
                                 ██████████████████
             ▂▂▂▂▂▂   ▂▂▂▂▂▂▂▂▂  ██████████████████
             ██████   █████████  ██████████████████
             ██████▅▅▅█████████  ██████████████████
           0 ██████████████████  ██████████████████
             one                 the other
    ");
        assert_eq!(draw(&[], WIDTH), "");
        let names = ["gzip -9 -c some/file", "gzip -9 -k some/file"];
        let bars: Vec<(&str, Vec<f64>)> = names.iter().map(|name| (*name, vec![1.0; 12])).collect();
        assert_eq!(short_names(&bars), ["…-c some/file", "…-k some/file"]);
        assert_eq!(short_names(&bars[..1]), [names[0]]);
        assert_eq!(common_words(&["a b", "a b c"]), 2, "something is left of each");
        assert_eq!(draw(&vec![("x", vec![1.0, 2.0]); 12], WIDTH), "", "no room");
    }

    #[test]
    fn what_was_cut_off_goes_beyond_the_scale() {
        let some = [1.0, f64::INFINITY, 1.0, 1.0, 1.0, 1.0].map(|ms| ms * 1e6).to_vec();
        let drawn = draw(&[("some", some), ("all", vec![f64::INFINITY; 6])], WIDTH);
        assert!(drawn.starts_with("1.000 ms ███▲▲▲████████████  ▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲\n"), "{drawn}");
        assert_eq!(draw(&[("all", vec![f64::INFINITY; 6])], WIDTH), "", "there is no scale");
        assert_eq!(
            thinned(&[1.0, f64::INFINITY, f64::INFINITY, 2.0, 3.0, f64::INFINITY], 2),
            [f64::INFINITY, 3.0]
        );
    }

    #[test]
    fn many_executions_become_medians() {
        let many: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(thinned(&many, 10).len(), 10);
        assert_eq!(thinned(&many, 10)[0], 49.5);
        assert_eq!(thinned(&[1.0, 2.0], 10), [1.0, 2.0]);
    }
}
