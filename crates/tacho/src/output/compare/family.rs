//! How all rows of a comparison are judged together, in JSON.

use serde::Serialize;
use tacho_experiment::compare::FALSE_DISCOVERIES;
use tacho_report::comparison::judged_together;

/// How several rows are judged together; docs/src/formats says what each key means.
#[derive(Debug, PartialEq, Serialize)]
pub struct Family {
    rows: usize,
    false_discovery: f64,
}

impl Family {
    /// The family of this many rows; a single row is none.
    pub fn of(rows: usize) -> Option<Self> {
        (rows > 1).then_some(Self { rows, false_discovery: FALSE_DISCOVERIES })
    }

    /// Its sentence.
    pub fn line(&self) -> String {
        judged_together(self.rows, self.false_discovery)
    }
}

#[cfg(test)]
mod tests {
    use tacho_report::comparison::{ComparedRow, has_trade_off, in_order};

    use super::super::tests;
    use super::*;

    fn row(name: &str, ratio: f64) -> ComparedRow {
        tests::row(name, ratio, 0.001)
    }

    fn names(rows: &[ComparedRow]) -> String {
        in_order(rows).iter().map(|row| row.benchmark.name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_slower_and_what_is_faster_comes_first() {
        let mut rows = vec![
            row("same", 1.0),
            row("fast", 0.9),
            row("slow", 1.05),
            row("faster", 0.5),
            row("even", 1.0),
        ];
        assert!(has_trade_off(&rows));
        assert_eq!(names(&rows), "slow faster fast same even");
        rows.push(row("slowest", 1.3));
        assert_eq!(names(&rows), "slowest slow faster fast same even");
    }

    #[test]
    fn without_a_trade_off_rows_stand_as_they_are() {
        let rows = [row("same", 1.0), row("slow", 1.05), row("slowest", 1.3)];
        assert!(!has_trade_off(&rows));
        assert_eq!(names(&rows), "same slow slowest");
    }

    #[test]
    fn one_row_is_no_family() {
        assert_eq!(Family::of(1), None);
        assert_eq!(
            Family::of(2).unwrap().line(),
            "2 rows judged together: at most 5 % of reported differences are expected to be false"
        );
    }
}
