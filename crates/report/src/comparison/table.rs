//! The rows of a comparison as a table.

use tacho_record::{Unit, factor};
use tacho_stats::compare::{ChoiceReason, Comparison, Estimate, Estimator, Verdict};
use tacho_stats::{Bound, BoundedValue, Summary};

use super::{ComparedRow, ComparisonReport, clauses, in_order};
use crate::block::{AnswerCell, AnswerColumn, AnswerTable, Tone};
use crate::words::{self, as_written, cut_apart, percent, times};

/// The head of the smallest differences that would have been found.
const LEAST: &str = "detectable";
/// How wide the name of a side may be where there is little room.
const NAME: usize = 20;
/// The place of the column of differences, which only values without a ratio have.
const DIFFERENCE: usize = 6;
/// The place of the column of the smallest differences.
const DETECTABLE: usize = 11;
/// The columns of numbers.
const NUMBERS: [usize; 8] = [2, 3, 4, 5, 6, 7, 10, 11];
/// The columns of pages in their order: the verdict is never cut off.
const PAGE: [usize; 13] = [0, 1, 12, 5, 6, 7, 3, 4, 2, 8, 9, 10, 11];

impl ComparisonReport<'_> {
    /// The rows.
    #[must_use]
    pub fn table(&self) -> AnswerTable {
        let [a, b] = self.short_names();
        let heads = [
            "benchmark",
            "metric",
            "n",
            a,
            b,
            "ratio",
            "difference",
            "95 %",
            "ratio of",
            "other ratio",
            "control",
            LEAST,
            "verdict",
        ];
        let column = |(place, head): (usize, &&str)| AnswerColumn {
            head: (*head).to_owned(),
            is_number: NUMBERS.contains(&place),
        };
        let ordered = in_order(self.rows);
        let rows: Vec<Vec<AnswerCell>> = ordered.iter().map(|row| self.cells(row)).collect();
        let has_difference = rows.iter().any(|cells| !cells[DIFFERENCE].text.is_empty());
        AnswerTable {
            columns: heads.iter().enumerate().map(column).collect(),
            page_order: PAGE.into_iter().filter(|at| *at != DIFFERENCE || has_difference).collect(),
            spare: vec![DETECTABLE],
            narrow: ordered.iter().zip(&rows).map(|(row, cells)| self.narrow(row, cells)).collect(),
            rows,
        }
    }

    /// The cells of a row.
    #[must_use]
    pub fn cells(&self, row: &ComparedRow) -> Vec<AnswerCell> {
        let Comparison { estimate, control, .. } = &row.comparison;
        let by_minima = estimate.is_some_and(|it| it.estimator == Estimator::Minimum);
        let of_side = |side: &Option<Summary>| {
            let shown = side.map(|of| if by_minima { of.known_min() } else { of.known_median() });
            shown.map_or_else(String::new, |it| it.shown(|it| row.metric.unit.show(it)))
        };
        let [first, between] =
            estimate.map_or_else(Default::default, |it| shown(&it, &row.metric.unit));
        let is_ratio = estimate.is_none_or(|it| it.ratio.is_some());
        let [of_all, difference] =
            if is_ratio { [first, String::new()] } else { [String::new(), first] };
        let texts = [
            row.benchmark.to_string(),
            row.metric.name.clone(),
            of_samples(row),
            of_side(&row.sides[0]),
            of_side(&row.sides[1]),
            of_all,
            difference,
            between,
            estimate.map_or_else(String::new, |it| clauses::of(it.estimator).to_owned()),
            second(row).map_or_else(String::new, |(ratio, of)| format!("{ratio} of {of}")),
            ratio(control.as_ref()).unwrap_or_default(),
            row.least_detectable().map_or_else(String::new, percent),
        ];
        texts.into_iter().map(AnswerCell::from).chain([self.verdict(row)]).collect()
    }

    /// The lines of a row where no table has room.
    fn narrow(&self, row: &ComparedRow, cells: &[AnswerCell]) -> Vec<String> {
        let names = cut_apart(&self.names, NAME);
        let text = |at: usize| cells[at].text.as_str();
        let headed = |head: &str, at: usize| match text(at) {
            "" => String::new(),
            text => format!("{head} {text}"),
        };
        let second = second(row);
        let of = row.comparison.estimate.map(|it| in_words(it.estimator, second.is_some()));
        let of = of.unwrap_or_default();
        let found = [text(5), text(6), text(7), of.as_str()];
        let found: Vec<&str> = found.into_iter().filter(|it| !it.is_empty()).collect();
        let also =
            second.map_or_else(String::new, |(ratio, of)| format!("the ratio of {of} is {ratio}"));
        let itself = format!("{} against itself, as a control:", names[0]);
        let verdict = cells.last().map_or_else(String::new, AnswerCell::whole);
        let sides =
            [(&names[0], 3), (&names[1], 4)].map(|(name, at)| headed(&format!("{name}:"), at));
        let sides: Vec<String> = sides.into_iter().filter(|it| !it.is_empty()).collect();
        let medians = if sides.is_empty() {
            String::new()
        } else {
            format!("{}, n {}", sides.join(", "), text(2))
        };
        let lines = [
            format!("{}: {verdict}", row.name()),
            found.join("  "),
            medians,
            also,
            headed(&itself, 10),
        ];
        lines.into_iter().filter(|line| !line.is_empty()).collect()
    }

    /// The word, and what would settle one that is unclear.
    fn verdict(&self, row: &ComparedRow) -> AnswerCell {
        let said = |text: &str| AnswerCell::from(text.to_owned());
        if let Some((why, side)) = row.failure.as_ref().filter(|_| row.is_failed()) {
            let alone =
                if row.sides.iter().any(Option::is_some) && row.comparison.counts.rounds == 0 {
                    "; no round has values of both sides"
                } else {
                    ""
                };
            return format!("failed at {} ({why}){alone}", self.names[*side]).into();
        }
        if let Some(why) = self.unmeasured(row) {
            return why.into();
        }
        let unit = &row.metric.unit;
        match row.verdict {
            Verdict::Faster => AnswerCell { tone: Tone::Better, ..said(clauses::faster(unit)) },
            Verdict::Slower => AnswerCell { tone: Tone::Worse, ..said(clauses::slower(unit)) },
            Verdict::Same => {
                clauses::same(row.comparison.estimate.as_ref(), self.terms.margin).into()
            }
            Verdict::Unclear => {
                let alone = clauses::clear_alone(row.comparison.verdict, unit);
                let parts = [alone.or_else(|| self.why_unclear(row)), self.missing(row)];
                let mut why: Vec<String> = parts.into_iter().flatten().collect();
                if why.is_empty() {
                    why.push(self.unknown_remedy().to_owned());
                }
                AnswerCell { detail: why.join("; "), ..said("unclear") }
            }
        }
    }

    /// The side without values, though nothing failed.
    #[must_use]
    pub fn unmeasured(&self, row: &ComparedRow) -> Option<String> {
        let lacks = [0, 1].map(|side| row.lacks(side));
        clauses::unmeasured(&row.benchmark, self.short_names(), lacks).filter(|_| !row.is_failed())
    }

    /// The way to settle an unclear row, or the reason why there is none.
    #[must_use]
    pub fn missing(&self, row: &ComparedRow) -> Option<String> {
        if let Some(of_few) = ratio_of_few(row) {
            return Some(of_few);
        }
        let names = cut_apart(&self.names, NAME);
        let layouts = row.levels[0].map(|levels| levels.layouts);
        let names = names.each_ref().map(String::as_str);
        // A gate has a limit of its own.
        let limit = self.terms.fail_on.as_ref().and_then(|it| it.slower).filter(|it| *it > 0.0);
        let what = limit.map_or_else(String::new, |_| {
            format!(" at the margin of {}", as_written(self.terms.margin))
        });
        let rounds = (|rounds| rounds_take(row, rounds), what.as_str());
        clauses::missing(&row.comparison, names, &row.metric.unit, layouts, rounds)
    }

    /// The words for an unclear row without a known remedy.
    fn unknown_remedy(&self) -> &'static str {
        match [0, 1].map(|side| self.terms.executes(side)) {
            [false, false] => "measuring both sides again may decide",
            _ => clauses::UNKNOWN_ROUNDS,
        }
    }

    /// Why a row is unclear although the interval that is shown does not hold 1.
    fn why_unclear(&self, row: &ComparedRow) -> Option<String> {
        let estimate = row.comparison.estimate?;
        let holds_one = |(low, high): (f64, f64)| low <= 1.0 && high >= 1.0;
        estimate.interval.filter(|shown| !holds_one(*shown))?;
        match estimate.repeated {
            Some(of_all) if holds_one(of_all) => {
                Some(format!("corrected for repeated judging, the interval is {}", ratios(of_all)))
            }
            Some(_) if row.comparison.notes.is_empty() => Some(format!(
                "the difference may be within {}",
                words::precision(self.terms.margin)
            )),
            _ => None,
        }
    }
}

/// The ratio of sides of other runs or tools that have too few values for an interval.
pub(super) fn ratio_of_few(row: &ComparedRow) -> Option<String> {
    let needed = row.comparison.fewest.filter(|_| row.comparison.estimate.is_none())?;
    let [Some(a), Some(b)] = row.sides else { return None };
    let is_earlier = row.comparison.choice.because == ChoiceReason::Earlier;
    let ratio = b.median / a.median;
    (is_earlier && ratio.is_finite() && ratio > 0.0).then(|| {
        format!(
            "the ratio of medians is {}; an interval needs {needed} values of each",
            times(ratio)
        )
    })
}

/// The number of values of each side.
fn of_samples(row: &ComparedRow) -> String {
    match row.sides.each_ref().map(|side| side.as_ref().map_or(0, |it| it.n)) {
        [a, b] if a == b => a.to_string(),
        [a, b] => format!("{a} and {b}"),
    }
}

/// A ratio as text, where it is known.
fn ratio(estimate: Option<&Estimate>) -> Option<String> {
    let ratio = estimate.and_then(Estimate::known_ratio);
    ratio.map(|it| it.shown(times)).filter(|it| !it.is_empty())
}

/// The other ratio of a row, and what it is of.
fn second(row: &ComparedRow) -> Option<(String, &'static str)> {
    ratio(row.comparison.second.as_ref()).zip(clauses::of_second(&row.comparison))
}

/// The estimator of a ratio, for a table without a column of it; empty for the usual one, unless
/// another one is beside it.
fn in_words(of: Estimator, has_second: bool) -> String {
    match of {
        Estimator::AllRatios if has_second => "(all pairs)".to_owned(),
        Estimator::AllRatios => String::new(),
        Estimator::Neighbours => "(neighbours in time)".to_owned(),
        Estimator::RoundRatios => "(within each round)".to_owned(),
        Estimator::Runs => "(by runs)".to_owned(),
        other => format!("(of the {})", clauses::of(other)),
    }
}

/// How long this many rounds of a row take.
#[must_use]
pub fn rounds_take(row: &ComparedRow, rounds: usize) -> String {
    let seconds = rounds as f64 * row.round / 1e9;
    words::duration(
        std::time::Duration::try_from_secs_f64(seconds).unwrap_or(std::time::Duration::MAX),
    )
}

/// The ratio with its interval; the difference if there is no ratio, since values are at zero or
/// below.
#[must_use]
pub fn shown(estimate: &Estimate, unit: &Unit) -> [String; 2] {
    let difference = estimate.known_difference();
    match (estimate.known_ratio(), estimate.difference_interval) {
        (Some(BoundedValue { bound: Bound::Unknown, .. }), _) => Default::default(),
        (Some(ratio), _) => {
            [ratio.shown(times), estimate.interval.map_or_else(String::new, ratios)]
        }
        (None, Some(ends)) if ends != (0.0, 0.0) && difference.bound != Bound::Unknown => {
            [difference.shown(|it| signed(unit, it)), words::interval(unit, ends)]
        }
        _ => Default::default(),
    }
}

/// A difference, which has a sign as no ratio has.
fn signed(unit: &Unit, value: f64) -> String {
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", unit.show(value))
}

fn ratios((low, high): (f64, f64)) -> String {
    format!("{} … {}", factor(low), factor(high))
}
