//! What is said of the rows of a comparison: all together, and beside the numbers of each.

use std::time::Duration;

use maud::{Markup, html};
use tacho_record::Unit;
use tacho_stats::compare::{
    Because, Choice, Comparison, Estimator, Modes, Note, Told, Verdict, is_trade_off, order_of_telling,
};

use super::comparison::ratio;
use crate::lab::{ComparedRow, ComparisonRecord};
use crate::text::{count, duration, grouped, percent, percent_change};

/// From this gain on pairing is told of.
const PAIRING: f64 = 1.5;
/// More rounds than this are given as a number to nobody.
const MOST_MORE: usize = 1000;

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
    let told: Vec<String> = told.map(|(verdict, word)| format!("{} {word}", number(verdict))).collect();
    html! {
        @if rows.len() > 1 {
            p {
                @if is_trade_off(&verdicts) { b { "A trade-off" } ": " }
                (told.join(", ")) ". "
                (one.rows.len()) " rows judged together: of the differences that are told at most "
                (format!("{:.0} %", one.false_discovery * 100.0)) " are expected to be none (false discovery rate)."
            }
        }
        @if let Some(could) = could_see(&rows) {
            p.note { (could) " would have been told with a chance of 80 %: in each row from “tells from” on." }
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

fn could_see(rows: &[&ComparedRow]) -> Option<String> {
    let all = rows.iter().filter_map(|row| least(row)).filter(|it| *it > 0.0);
    let (low, high) = all.fold((f64::INFINITY, 0.0_f64), |(low, high), it| (low.min(it), high.max(it)));
    match [low, high].map(percent) {
        _ if high == 0.0 => None,
        [low, high] if low == high => Some(format!("A difference of {low}")),
        [low, high] => Some(format!("A difference of {low} to {high}")),
    }
}

/// The ratio; the difference where there is none, since values are at zero or below.
pub(super) fn difference(row: &ComparedRow) -> String {
    let by_difference =
        || Some(row.metric.unit.show(interval_of_difference(row).and(row.comparison.estimate)?.difference));
    row.ratio().map(ratio).or_else(by_difference).unwrap_or_default()
}

/// Where that is, with 95 %.
pub(super) fn between(row: &ComparedRow) -> String {
    let unit = &row.metric.unit;
    let by_difference = || {
        interval_of_difference(row).map(|(low, high)| format!("{} to {}", unit.show(low), unit.show(high)))
    };
    let by_ratio = row.interval().map(|(low, high)| {
        let high = if high.is_finite() { format!("{high:.3}") } else { "∞".to_owned() };
        format!("{low:.3} to {high}")
    });
    by_ratio.or_else(by_difference).unwrap_or_default()
}

fn interval_of_difference(row: &ComparedRow) -> Option<(f64, f64)> {
    let estimate = row.comparison.estimate.filter(|it| it.ratio.is_none())?;
    estimate.difference_interval.filter(|(low, high)| low < high)
}

/// What should be said beside the numbers of a row, a sentence each.
pub(super) fn notes(row: &ComparedRow, names: &[String; 2]) -> Vec<String> {
    let comparison = &row.comparison;
    // What failed is told beside.
    let is_failed = row.failure.is_some() && !is_measured(row);
    if let Some(why) = unmeasured(row, names).map(|why| vec![why]).or(is_failed.then(Vec::new)) {
        return why;
    }
    let is_today = comparison.notes.iter().find_map(between_runs).is_none();
    let parts =
        [
            (row.verdict == Verdict::Unclear && is_measured(row)).then(|| unclear(row)).flatten(),
            comparison.modes.as_ref().map(|modes| two_modes(modes, &row.metric.unit, names, is_today)),
            decided(&comparison.choice),
            comparison.choice.pairing_gain.filter(|gain| *gain >= PAIRING).map(|gain| {
                format!("Without pairing by rounds {gain:.1} times as many would have been needed.")
            }),
            comparison.notes.iter().find_map(between_runs),
            comparison.notes.contains(&Note::NotBeyondControl).then(|| {
                "The first program, measured a second time, differs from itself by no less: no verdict."
                    .to_owned()
            }),
            opposite(comparison),
        ];
    parts.into_iter().flatten().collect()
}

/// Which side nothing is known of, though nothing failed.
fn unmeasured(row: &ComparedRow, [a, b]: &[String; 2]) -> Option<String> {
    let counts = row.comparison.counts;
    let who = match [row.sides[0].is_none() && counts.a == 0, row.sides[1].is_none() && counts.b == 0] {
        _ if row.failure.is_some() => return None,
        [true, true] => "Neither",
        [true, false] => a,
        [false, true] => b,
        [false, false] => return None,
    };
    Some(format!("{who} was not measured at {}.", row.benchmark))
}

/// That two ratios say the opposite, so that no number of rounds settles it.
fn opposite(comparison: &Comparison) -> Option<String> {
    let (first, second) = comparison.estimate.zip(comparison.second)?;
    if comparison.notes.contains(&Note::Contradicted) {
        return Some(match comparison.modes.map(|modes| modes.told) {
            Some(Told::Levels | Told::Shares | Told::SharesOnly) => {
                "Levels and means say the opposite: no verdict.".to_owned()
            }
            _ => format!(
                "The ratios of {} and of {} say the opposite: no verdict.",
                of(first.estimator),
                of(second.estimator)
            ),
        });
    }
    let is_open = comparison.notes.contains(&Note::MeansOpen) && comparison.more.is_none();
    is_open.then(|| "The means do not follow the levels: no verdict.".to_owned())
}

/// Why there is no verdict, and what would settle it.
fn unclear(row: &ComparedRow) -> Option<String> {
    let comparison = &row.comparison;
    let alone = comparison.verdict != Verdict::Unclear;
    let alone = alone.then(|| "Judged alone it would be told, but not among all rows together.".to_owned());
    let missing = match comparison.more {
        _ if row.ratio().is_none() || comparison.notes.contains(&Note::NotPositive) => {
            Some("Values of zero or below have no ratio.".to_owned())
        }
        // More executions of the same builds would not settle it.
        Some(more) if row.levels[0].is_some() => {
            let layouts = row.levels[0].map_or(0, |levels| levels.layouts) as f64;
            let rounds = comparison.counts.rounds.max(1) as f64;
            let layouts = layouts * (1.0 + more.rounds as f64 / rounds);
            Some(format!("Unclear: some {:.0} layouts would settle it.", layouts.ceil()))
        }
        Some(more) if more.rounds > MOST_MORE => {
            Some(format!("Unclear: over {} more rounds would be needed.", grouped(MOST_MORE)))
        }
        Some(more) => {
            let seconds = more.cost(row.round.as_secs_f64());
            let time = duration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
            let rounds = count(more.rounds, "more round", "more rounds");
            Some(format!("Unclear: {rounds} ({time}) would settle it."))
        }
        None if comparison.estimate.is_some_and(|it| it.interval.is_none()) => {
            Some("Unclear: too few rounds for an interval.".to_owned())
        }
        None => None,
    };
    let parts: Vec<String> = alone.into_iter().chain(missing).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Where two modes are, who is how often in the upper one, and what of that is compared; of what was not measured in the same run the
/// shares are those of its own.
fn two_modes(modes: &Modes, unit: &Unit, [a, b]: &[String; 2], is_today: bool) -> String {
    let around = |(low, high): (f64, f64)| format!("around {} and {}", unit.show(low), unit.show(high));
    if modes.told == Told::Means {
        let of = |name: &String, levels: Option<(f64, f64)>| Some(format!("{name} {}", around(levels?)));
        let each = [of(a, modes.a), of(b, modes.b)].into_iter().flatten().collect::<Vec<_>>().join(", ");
        return format!("Two modes ({each}): compared by the means.");
    }
    let at = modes.a.or(modes.b).map_or_else(String::new, |levels| format!(", {}", around(levels)));
    let points = |share: f64| {
        let sign = if share < 0.0 { '−' } else { '+' };
        format!("{sign}{:.1}", share.abs() * 100.0)
    };
    let [first, second] =
        [modes.upper_share_a, modes.upper_share_b].map(|share| format!("{:.1} %", share * 100.0));
    let (low, high) = modes.difference;
    let is_between = low <= 0.0 && high >= 0.0;
    let compared = match modes.told {
        Told::Shares => " The shares differ, so it is compared by the means.",
        Told::SharesOnly => {
            " The shares differ, but it was not certain by then that the means follow them: the ratio is that of the levels."
        }
        Told::Levels if !is_today => " The ratio is that of the levels, as shares may be others in each run.",
        Told::Levels if is_between => " No certain difference of shares: the ratio is that of the levels.",
        Told::Levels => {
            " Not certain enough by then to compare by the means: the ratio is that of the levels."
        }
        Told::Rounds => " Both are so in the same rounds, with which it is taken away.",
        Told::Means | Told::Given => "",
    };
    format!(
        "Two modes{at}: {first} of {a} and {second} of {b} in the upper one ({} points, 95 %: {} to {}).{compared}",
        points(modes.upper_share_b - modes.upper_share_a),
        points(low),
        points(high)
    )
}

/// That another ratio than the usual one decides, since it was sharper where nothing differed.
fn decided(choice: &Choice) -> Option<String> {
    let width = |of: Estimator| choice.widths.iter().find(|(one, _)| *one == of).map(|(_, width)| *width);
    let usual = [Estimator::RoundRatios, Estimator::AllRatios].into_iter().find(|it| width(*it).is_some());
    let (usual, sharper) = usual.zip(width(choice.estimator)).filter(|(it, _)| *it != choice.estimator)?;
    let by = match choice.because {
        Because::Control => "the first program and its repetition",
        Because::Pairing => "both as if alike",
        _ => return None,
    };
    Some(format!(
        "Decided by the ratio of {}, which {by} showed to be sharper: ± {}, that of {} ± {}.",
        of(choice.estimator),
        percent(sharper),
        of(usual),
        percent(width(usual)?)
    ))
}

fn between_runs(note: &Note) -> Option<String> {
    let Note::BetweenRuns { deviation, assumed } = *note else { return None };
    let from = if assumed { "assumed, as too little is known of this host" } else { "as earlier runs show" };
    Some(format!(
        "Not measured in the same run: the interval has in it what runs of one program differ by ({}, {from}).",
        percent(deviation)
    ))
}

/// What a ratio is of, in a word.
pub(super) fn of(estimator: Estimator) -> &'static str {
    match estimator {
        Estimator::RoundRatios => "rounds",
        Estimator::AllRatios => "all pairs",
        Estimator::Median => "medians",
        Estimator::Mean => "means",
        Estimator::Minimum => "minima",
        Estimator::LowDecile => "tenth percentiles",
        Estimator::Runs => "runs",
    }
}

#[cfg(test)]
mod tests {
    use tacho_stats::compare::{Look, Rules, Sample, Sides, compare};

    use super::*;

    fn modes(told: Told, difference: (f64, f64)) -> String {
        let levels = Some((100e6, 122e6));
        let shares = [0.2, 0.7];
        let modes = Modes {
            a: levels,
            b: levels,
            upper_share_a: shares[0],
            upper_share_b: shares[1],
            difference,
            p: 0.01,
            told,
        };
        two_modes(&modes, &Unit::Nanoseconds, &["old", "new"].map(str::to_owned), true)
    }

    #[test]
    fn shares_that_are_clear_of_none_are_never_said_not_to_differ() {
        assert!(modes(Told::Levels, (-0.1, 0.7)).contains("No certain difference of shares"));
        for told in [Told::Levels, Told::SharesOnly] {
            let said = modes(told, (0.2, 0.7));
            assert!(!said.contains("No certain difference") && said.contains("by then"), "{said}");
        }
    }

    #[test]
    fn levels_and_means_that_say_the_opposite_are_no_verdict() {
        let side = |level: f64, is_slow: fn(u32) -> bool| -> Vec<Sample> {
            let value = |n: u32| if is_slow(n) { 1.22 } else { 1.0 } * (1.0 + 0.001 * f64::from(n * 7 % 13));
            (0..30).map(|n| Sample::new(level * value(n)).in_round(n)).collect()
        };
        let (a, b) = (side(1.0, |n| n.is_multiple_of(6)), side(0.95, |n| n % 10 != 5));
        let sides = Sides { a: &a, b: &b, control: &[] };
        let compared = compare(&sides, &Rules::default(), Look::only(30, 0.05));
        let said = opposite(&compared);
        assert_eq!(said.as_deref(), Some("Levels and means say the opposite: no verdict."));
        assert_eq!(compared.more, None);
    }
}
