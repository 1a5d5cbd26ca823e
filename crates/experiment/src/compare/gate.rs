//! The conditions under which a comparison fails, their status in each row, and the outcome.

use tacho_record::{Direction, FailOn};
use tacho_stats::compare::{MoreSamples, Verdict};

use super::rounds::{ROUNDING, reaches};
use tacho_report::comparison::{ComparedRow, in_order};

/// The conditions under which a comparison fails.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gate {
    /// Fail if a program is significantly slower by this share or more; with 0, if any program is
    /// called slower.
    pub slower: Option<f64>,
    /// Fail if such a slowdown is not excluded; without `slower`, if any result is unclear.
    pub unclear: bool,
    /// Fail if only the first side has a benchmark.
    pub missing: bool,
}

impl From<&FailOn> for Gate {
    fn from(&FailOn { slower, unclear, missing, .. }: &FailOn) -> Self {
        Self { slower, unclear, missing }
    }
}

/// The status of a row at a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowAtGate {
    /// The row is slower, by the limit or more.
    Slower,
    /// The row is surely not slower by the limit.
    Below,
    /// The samples are not conclusive.
    Open,
}

/// How a comparison comes out at a gate.
#[derive(Clone, Debug)]
pub struct GateOutcome<'a> {
    /// The rows with values of both sides, in the order of tables, each with its status.
    pub rows: Vec<(&'a ComparedRow, RowAtGate)>,
    /// Whether the comparison fails by the samples so far; a failed side makes it fail.
    pub fails: bool,
    /// Whether the comparison failed; `None` if no side failed and not all rows are measured.
    pub failed: Option<bool>,
}

impl GateOutcome<'_> {
    /// The rows with this status.
    pub fn at(&self, wanted: RowAtGate) -> impl Iterator<Item = &ComparedRow> {
        self.rows.iter().filter(move |(_, status)| *status == wanted).map(|(row, _)| *row)
    }
}

impl Gate {
    /// The share from which a slowdown is a failure, if there is one.
    #[must_use]
    pub fn limit(self) -> Option<f64> {
        self.slower.filter(|limit| *limit > 0.0)
    }

    /// The status of a row with values of both sides; `margin` is the share up to which two are the
    /// same.
    #[must_use]
    pub fn status(&self, row: &ComparedRow, margin: f64) -> RowAtGate {
        let Some(limit) = self.slower else {
            return if self.unclear && row.verdict == Verdict::Unclear {
                RowAtGate::Open
            } else {
                RowAtGate::Below
            };
        };
        let between = row.worse_by();
        match row.verdict {
            Verdict::Faster | Verdict::Same => RowAtGate::Below,
            Verdict::Slower => match between {
                _ if limit <= 0.0 => RowAtGate::Slower,
                Some((least, _)) if reaches(least, limit) => RowAtGate::Slower,
                Some((_, most)) if !reaches(most, limit) => RowAtGate::Below,
                _ => RowAtGate::Open,
            },
            // Its interval is that of the waiting.
            Verdict::Unclear if row.comparison.waited().is_some() => RowAtGate::Open,
            // Within the margin nothing is slower.
            Verdict::Unclear => match between {
                Some((_, most)) if limit > 0.0 && !reaches(most, limit) => RowAtGate::Below,
                Some((_, most)) if limit <= 0.0 && most <= margin + ROUNDING => RowAtGate::Below,
                _ => RowAtGate::Open,
            },
        }
    }

    /// Whether a measured row is unclear by itself, and surely below the limit.
    #[must_use]
    pub fn is_unclear_below(&self, row: &ComparedRow, margin: f64) -> bool {
        let is_unclear = row.verdict == Verdict::Unclear && row.is_measured();
        is_unclear && self.status(row, margin) == RowAtGate::Below
    }

    /// Whether a row with this status makes the comparison fail.
    #[must_use]
    pub fn fails_on(&self, row: RowAtGate) -> bool {
        match row {
            RowAtGate::Slower => true,
            RowAtGate::Open => self.unclear,
            RowAtGate::Below => false,
        }
    }

    /// The outcome of a comparison; `margin` is as in [`Gate::status`]. `is_finished`: no more rows
    /// will be measured. `is_missing`: only the first side has some benchmark.
    #[must_use]
    pub fn outcome<'a>(
        &self,
        rows: &'a [ComparedRow],
        margin: f64,
        is_finished: bool,
        is_missing: bool,
    ) -> GateOutcome<'a> {
        let measured = in_order(rows).into_iter().filter(|row| row.is_measured());
        let standing: Vec<_> = measured.map(|row| (row, self.status(row, margin))).collect();
        let is_broken = rows.iter().any(ComparedRow::is_failed);
        let fails = is_broken
            || standing.iter().any(|(_, status)| self.fails_on(*status))
            || self.missing && is_missing;
        let is_whole = is_finished && standing.len() == rows.len();
        GateOutcome { rows: standing, fails, failed: (is_broken || is_whole).then_some(fails) }
    }

    /// The number of further samples that would decide an open row; for a row that would be decided
    /// alone, the number needed among all rows.
    #[must_use]
    pub fn more(&self, row: &ComparedRow) -> Option<MoreSamples> {
        let Some(limit) = self.limit() else {
            return row.comparison.more;
        };
        let ratio =
            if row.metric.better == Direction::Lower { 1.0 + limit } else { 1.0 / (1.0 + limit) };
        let against = row.comparison.more_against(ratio);
        let among = row.comparison.more.filter(|_| row.comparison.verdict != row.verdict);
        [against, among].into_iter().flatten().max_by_key(|more| more.rounds)
    }
}

#[cfg(test)]
mod tests {
    use tacho_record::{BenchmarkKey, LimitedExecutions, Metric, Unit};
    use tacho_stats::Summary;
    use tacho_stats::compare::{Better, ComparisonRules, Look, SampleValue, Sides, compare};

    use super::*;

    const MARGIN: f64 = 0.01;

    /// A row of two sides with these values, one a round.
    fn row(better: Direction, [a, b]: [&[f64]; 2]) -> ComparedRow {
        let side = |values: &[f64]| -> Vec<SampleValue> {
            (0..)
                .zip(values)
                .map(|(round, value)| SampleValue::new(*value).in_round(round))
                .collect()
        };
        let (of_a, of_b) = (side(a), side(b));
        let rules = ComparisonRules {
            better: if better == Direction::Lower { Better::Lower } else { Better::Higher },
            ..ComparisonRules::default()
        };
        let sides = Sides { a: &of_a, b: &of_b, control: &[] };
        let comparison = compare(&sides, &rules, Look::only(a.len(), 0.05));
        ComparedRow {
            benchmark: BenchmarkKey::plain("sort"),
            metric: Metric { name: "it".into(), unit: Unit::Nanoseconds, better },
            sides: [Summary::of(a), Summary::of(b)],
            levels: [None, None],
            verdict: comparison.verdict,
            comparison,
            settled: false,
            limited: [LimitedExecutions::default(), LimitedExecutions::default()],
            round: 0.0,
            busy_share: None,
            failure: None,
            printed: String::new(),
            is_wrong: false,
        }
    }

    /// Ten values around this that vary by so much from end to end.
    fn around(centre: f64, spread: f64, step: u32) -> Vec<f64> {
        (0..10).map(|n| centre * (1.0 + spread / 10.0 * (f64::from(n * step % 10) - 4.5))).collect()
    }

    fn status(better: Direction, (ratio, spread): (f64, f64), limit: f64) -> RowAtGate {
        let row = row(better, [&around(100.0, spread, 7), &around(100.0 * ratio, spread, 3)]);
        Gate { slower: Some(limit), ..Gate::default() }.status(&row, MARGIN)
    }

    #[test]
    fn a_row_is_open_where_its_interval_holds_the_limit() {
        for (ratio, spread, limit, wanted) in [
            (1.10, 0.01, 0.05, RowAtGate::Slower),
            (1.10, 0.01, 0.20, RowAtGate::Below),
            (1.05, 0.02, 0.05, RowAtGate::Open),
            (1.00, 0.001, 0.05, RowAtGate::Below),
            (0.80, 0.01, 0.05, RowAtGate::Below),
            // Unclear, and yet not by 20 %.
            (1.00, 0.10, 0.20, RowAtGate::Below),
            (1.00, 0.10, 0.02, RowAtGate::Open),
            // As slower as it may be.
            (1.03, 0.01, 0.0, RowAtGate::Slower),
            (1.00, 0.10, 0.0, RowAtGate::Open),
            (1.00, 0.001, 0.0, RowAtGate::Below),
        ] {
            assert_eq!(
                status(Direction::Lower, (ratio, spread), limit),
                wanted,
                "{ratio} {spread} {limit}"
            );
            let of_rate = status(Direction::Higher, (1.0 / ratio, spread), limit);
            assert_eq!(of_rate, wanted, "throughput: {ratio} {spread} {limit}");
        }
    }

    #[test]
    fn without_an_interval_or_a_ratio_there_is_no_share_that_is_not_reached() {
        let few = row(Direction::Lower, [&[100.0, 101.0, 99.0], &[100.0, 99.0, 101.0]]);
        let gate = Gate { slower: Some(0.5), ..Gate::default() };
        assert_eq!(
            (gate.status(&few, MARGIN), few.worse_by(), gate.more(&few)),
            (RowAtGate::Open, None, None)
        );
        let raised = row(Direction::Lower, [&[0.0; 8], &[100.0; 8]]);
        assert_eq!(gate.status(&raised, MARGIN), RowAtGate::Slower);
        assert_eq!(
            gate.status(&row(Direction::Lower, [&[100.0; 8], &[0.0; 8]]), MARGIN),
            RowAtGate::Below
        );
        let around_zero = [0.0, 1.0, -1.0, 0.5, 0.2, 0.1, -0.3, 0.4];
        let open = row(Direction::Lower, [&around_zero, &around_zero.map(|value| 0.1 - value)]);
        assert_eq!((open.verdict, gate.status(&open, MARGIN)), (Verdict::Unclear, RowAtGate::Open));
        assert_eq!(open.worse_by(), Some((f64::NEG_INFINITY, f64::INFINITY)));
    }

    #[test]
    fn it_fails_on_what_the_user_requested() {
        let gate = |slower: bool, unclear: bool, missing: bool| Gate {
            slower: slower.then_some(0.05),
            unclear,
            missing,
        };
        let of = |ratio: f64, spread: f64| {
            let values = [around(100.0, spread, 7), around(100.0 * ratio, spread, 3)];
            [row(Direction::Lower, [&values[0], &values[1]])]
        };
        let (open, slower, same) = (of(1.0, 0.2), of(1.1, 0.01), of(1.0, 0.001));
        let fails = |gate: Gate, rows: &[ComparedRow], is_missing: bool| {
            gate.outcome(rows, MARGIN, true, is_missing).failed == Some(true)
        };
        assert!(!fails(gate(true, false, false), &open, true), "neither was requested");
        assert!(fails(gate(true, true, false), &open, false));
        assert!(fails(gate(true, false, true), &open, true));
        assert!(fails(gate(true, false, false), &slower, false));
        assert!(!fails(gate(true, true, true), &same, false));
        assert!(fails(gate(false, true, false), &open, false), "whatever is unclear");
        assert!(!fails(gate(false, false, true), &open, false));
    }

    #[test]
    fn what_is_not_measured_yet_leaves_a_gate_undecided() {
        let values = [around(100.0, 0.001, 7), around(110.0, 0.001, 3)];
        let slower = row(Direction::Lower, [&values[0], &values[1]]);
        let mut missing = row(Direction::Lower, [&values[0], &[]]);
        let gate = Gate { slower: Some(0.05), ..Gate::default() };
        let of = |rows: &[ComparedRow], is_finished: bool| {
            let outcome = gate.outcome(rows, MARGIN, is_finished, false);
            (outcome.rows.len(), outcome.fails, outcome.failed)
        };
        assert_eq!(of(std::slice::from_ref(&slower), false), (1, true, None), "interrupted");
        assert_eq!(of(&[slower.clone(), missing.clone()], true), (1, true, None));
        missing.failure = Some(("exit 1".to_owned(), 1));
        assert_eq!(of(&[missing, slower], false), (1, true, Some(true)), "a side failed");
    }

    #[test]
    fn so_many_more_as_would_tell_it_from_the_limit() {
        let of = |ratio: f64, limit: f64| {
            let row =
                row(Direction::Lower, [&around(100.0, 0.1, 7), &around(100.0 * ratio, 0.1, 3)]);
            Gate { slower: Some(limit), ..Gate::default() }.more(&row).map(|more| more.rounds)
        };
        assert!(of(1.0, 0.03) < of(1.0, 0.02) && of(1.0, 0.03).is_some(), "{:?}", of(1.0, 0.03));
        let wide = row(Direction::Lower, [&around(100.0, 0.1, 7), &around(100.0, 0.1, 3)]);
        assert_eq!(of(1.0, 0.0), wide.comparison.more.map(|more| more.rounds), "from none");
        let mut alone = row(Direction::Lower, [&around(100.0, 0.01, 7), &around(120.0, 0.01, 3)]);
        (alone.verdict, alone.comparison.more) =
            (Verdict::Unclear, Some(MoreSamples { rounds: 40 }));
        let gate = Gate { slower: Some(0.05), ..Gate::default() };
        assert_eq!(
            (gate.status(&alone, MARGIN), gate.more(&alone)),
            (RowAtGate::Open, Some(MoreSamples { rounds: 40 }))
        );
    }
}
