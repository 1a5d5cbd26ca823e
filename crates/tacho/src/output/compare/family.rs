//! All rows of a comparison together: in which order they are told, and how they are judged.

use serde::Serialize;
use tacho_experiment::compare::{FALSE_DISCOVERIES, Row};
use tacho_stats::compare::Verdict;

/// How several rows are judged together; docs/formats.md says what each key means.
#[derive(Debug, PartialEq, Serialize)]
pub struct Family {
    rows: usize,
    false_discovery: f64,
}

impl Family {
    /// That of so many rows; one alone is none.
    pub fn of(rows: usize) -> Option<Self> {
        (rows > 1).then_some(Self { rows, false_discovery: FALSE_DISCOVERIES })
    }

    /// What is said of it.
    pub fn line(&self) -> String {
        let Self { rows, false_discovery } = self;
        format!(
            "{rows} rows judged together: false discovery rate at most {:.0} %\n",
            false_discovery * 100.0
        )
    }
}

/// Whether something is slower and something else faster.
pub(super) fn is_trade_off(rows: &[Row]) -> bool {
    [Verdict::Slower, Verdict::Faster].iter().all(|verdict| rows.iter().any(|row| row.verdict == *verdict))
}

/// The rows as they are told: of a trade-off what is slower first, then what is faster, the largest difference first; all
/// others as they are.
pub(super) fn in_order(rows: &[Row]) -> Vec<&Row> {
    let mut order: Vec<&Row> = rows.iter().collect();
    if is_trade_off(rows) {
        order.sort_by(|one, other| {
            place(one).cmp(&place(other)).then_with(|| match place(one) {
                2 => std::cmp::Ordering::Equal,
                _ => size(other).total_cmp(&size(one)),
            })
        });
    }
    order
}

fn place(row: &Row) -> u8 {
    match row.verdict {
        Verdict::Slower => 0,
        Verdict::Faster => 1,
        Verdict::Same | Verdict::Unclear => 2,
    }
}

/// How large a difference is, either way; from nothing to something there is no larger one.
fn size(row: &Row) -> f64 {
    let ratio = row.comparison.estimate.and_then(|estimate| estimate.ratio);
    ratio.map_or(f64::INFINITY, |ratio| ratio.ln().abs())
}

#[cfg(test)]
mod tests {
    use tacho_record::{BenchmarkKey, Direction, Metric, Parameters, Unit};
    use tacho_stats::compare::{Look, Rules, Sample, Sides, compare};

    use super::*;

    /// A benchmark of that name, whose second side takes so many times as long.
    fn row(name: &str, ratio: f64) -> Row {
        let side = |centre: f64| -> Vec<Sample> {
            (0..10)
                .map(|n| Sample::new(centre * (1.0 + 0.0001 * f64::from(n * 7 % 10))).in_round(n))
                .collect()
        };
        let (a, b) = (side(100.0), side(100.0 * ratio));
        let comparison =
            compare(&Sides { a: &a, b: &b, control: &[] }, &Rules::default(), Look::only(10, 0.05));
        Row {
            benchmark: BenchmarkKey { name: name.into(), version: 1, parameters: Parameters::default() },
            metric: Metric { name: "wall".into(), unit: Unit::Nanoseconds, better: Direction::Lower },
            sides: [None, None],
            levels: [None, None],
            verdict: comparison.verdict,
            comparison,
            settled: false,
            round: 0.0,
            failure: None,
        }
    }

    fn names(rows: &[Row]) -> String {
        in_order(rows).iter().map(|row| row.benchmark.name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_slower_and_what_is_faster_comes_first() {
        let mut rows =
            vec![row("same", 1.0), row("fast", 0.9), row("slow", 1.05), row("faster", 0.5), row("even", 1.0)];
        assert!(is_trade_off(&rows));
        assert_eq!(names(&rows), "slow faster fast same even");
        rows.push(row("slowest", 1.3));
        assert_eq!(names(&rows), "slowest slow faster fast same even");
    }

    #[test]
    fn without_a_trade_off_rows_stand_as_they_are() {
        let rows = [row("same", 1.0), row("slow", 1.05), row("slowest", 1.3)];
        assert!(!is_trade_off(&rows));
        assert_eq!(names(&rows), "same slow slowest");
    }

    #[test]
    fn one_row_is_no_family() {
        assert_eq!(Family::of(1), None);
        assert_eq!(
            Family::of(2).unwrap().line(),
            "2 rows judged together: false discovery rate at most 5 %\n"
        );
    }
}
