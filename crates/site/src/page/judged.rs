//! What is said of the rows of a comparison: all together, and beside the numbers of each.

use std::time::Duration;

use maud::{Markup, html};
use tacho_record::factor;
use tacho_stats::compare::{Note, Verdict, is_trade_off, order_of_telling};

use crate::lab::{ComparedRow, ComparisonRecord};
use crate::said::{self, Names};
use crate::text::{duration, end, percent, percent_change};

/// A ratio with its sign.
pub(super) fn ratio(ratio: f64) -> String {
    format!("× {}", factor(ratio))
}

/// The rows as they are told: of a trade-off what is slower first, then what is faster.
pub(super) fn in_order(one: &ComparisonRecord) -> Vec<&ComparedRow> {
    let all: Vec<_> = one.rows.iter().map(|row| (row.verdict, row.ratio())).collect();
    order_of_telling(&all).into_iter().map(|place| &one.rows[place]).collect()
}

/// How many rows are what, what would have been told, and that they are judged together.
pub(super) fn together(one: &ComparisonRecord, names: &[String; 2]) -> Markup {
    let rows: Vec<&ComparedRow> = one.rows.iter().filter(|row| is_measured(row)).collect();
    let verdicts: Vec<Verdict> = rows.iter().map(|row| row.verdict).collect();
    let words = [
        (Verdict::Slower, "slower"),
        (Verdict::Faster, "faster"),
        (Verdict::Same, "the same"),
        (Verdict::Unclear, "unclear"),
    ];
    let number = |verdict: Verdict| verdicts.iter().filter(|it| **it == verdict).count();
    let told = words.into_iter().filter(|(verdict, _)| number(*verdict) > 0);
    let told: Vec<String> =
        told.map(|(verdict, word)| format!("{} {word}", number(verdict))).collect();
    html! {
        @if rows.len() > 1 {
            p {
                @if is_trade_off(&verdicts) { b { "A trade-off" } ": " }
                (told.join(", ")) ". "
                (one.rows.len()) " rows judged together: of the differences that are told at most "
                (format!("{:.0} %", one.false_discovery * 100.0)) " are expected to be none (false discovery rate)."
            }
        }
        @if let Some(could) = said::could_see(rows.iter().filter_map(|row| least(row)), percent) {
            p.note {
                (said::sentence(&format!("{could} would have been told with a chance of 80 %"), names.each_ref().map(String::as_str)))
                " It is that of “tells from” in each row."
            }
        }
        @if let Some((benchmark, side, share)) = &one.carried {
            p.callout {
                "What was executed after " (names[*side]) " (" (benchmark) ") differed by " (percent_change(*share))
                ". A " code { "prepare" } " can bring about the same state before each execution."
            }
        }
    }
}

fn is_measured(row: &ComparedRow) -> bool {
    row.sides.iter().all(Option::is_some)
}

/// The smallest difference that would have been told, a share of a ratio.
pub(super) fn least(row: &ComparedRow) -> Option<f64> {
    row.comparison.detectable.filter(|_| row.ratio().is_some() && is_measured(row))
}

/// The ratio; the difference where there is none, since values are at zero or below.
pub(super) fn difference(row: &ComparedRow) -> String {
    let by_difference = || {
        let estimate = interval_of_difference(row).and(row.comparison.estimate)?;
        let signed =
            |it: f64| format!("{}{}", if it > 0.0 { "+" } else { "" }, row.metric.unit.show(it));
        Some(estimate.known_difference().shown(signed))
    };
    row.known_ratio().map(|it| it.shown(ratio)).or_else(by_difference).unwrap_or_default()
}

/// Where that is, with 95 %.
pub(super) fn between(row: &ComparedRow) -> String {
    let unit = &row.metric.unit;
    let to = |(low, high): (f64, f64), number: &dyn Fn(f64) -> String| {
        format!("{} to {}", end(low, number), end(high, number))
    };
    let is_known = row.known_ratio().is_none_or(|it| it.if_known().is_some());
    let by_difference = || interval_of_difference(row).map(|it| to(it, &|value| unit.show(value)));
    let by_ratio = row.interval().filter(|_| is_known).map(|it| to(it, &factor));
    by_ratio.or_else(by_difference).unwrap_or_default()
}

fn interval_of_difference(row: &ComparedRow) -> Option<(f64, f64)> {
    let estimate = row.comparison.estimate.filter(|it| it.ratio.is_none())?;
    estimate.difference_interval.filter(|ends| *ends != (0.0, 0.0))
}

/// What should be said beside the numbers of a row, a sentence each.
pub(super) fn notes(row: &ComparedRow, names: &[String; 2]) -> Vec<String> {
    let comparison = &row.comparison;
    let names: Names<'_> = names.each_ref().map(String::as_str);
    let counts = comparison.counts;
    let lacks = [(0, counts.a), (1, counts.b)]
        .map(|(side, number)| row.sides[side].is_none() && number == 0);
    let unmeasured =
        said::unmeasured(&row.benchmark, names, lacks).filter(|_| row.failure.is_none());
    let clauses = match unmeasured {
        Some(why) => vec![Some(why)],
        // What failed is told beside.
        None if row.failure.is_some() && !is_measured(row) => Vec::new(),
        None => {
            let earlier = comparison.notes.iter().find_map(between_runs);
            let is_unclear = row.verdict == Verdict::Unclear && is_measured(row);
            vec![
                said::limited(row.limited.each_ref(), names),
                is_unclear.then(|| unclear(row, names)).flatten(),
                comparison.modes.as_ref().map(|modes| {
                    said::two_modes(modes, names, &row.metric.unit, earlier.is_none())
                }),
                said::uneven(&comparison.choice),
                said::once(comparison),
                earlier,
            ]
        }
    };
    clauses.into_iter().flatten().map(|clause| said::sentence(&clause, names)).collect()
}

/// Why there is no verdict, and what would settle it.
fn unclear(row: &ComparedRow, names: Names<'_>) -> Option<String> {
    let comparison = &row.comparison;
    let time = |rounds: usize| {
        let seconds = rounds as f64 * row.round.as_secs_f64();
        duration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    };
    let alone = "clear on its own, not certain among all rows".to_owned();
    let alone = (comparison.verdict != Verdict::Unclear).then_some(alone);
    let layouts = row.levels[0].map(|levels| levels.layouts);
    let parts = [alone, said::missing(comparison, names, &row.metric.unit, layouts, time)];
    let why = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    (!why.is_empty()).then(|| format!("unclear: {why}"))
}

fn between_runs(note: &Note) -> Option<String> {
    let Note::BetweenRuns { deviation, assumed } = *note else { return None };
    let (by, from) = (percent(deviation), said::from_runs(assumed, deviation));
    Some(format!(
        "not measured in the same run: the interval has in it what runs of one program differ by ({by}, {from})"
    ))
}
