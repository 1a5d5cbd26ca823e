//! What is kept and said of a comparison with conditions of failure.

use tacho_record::Comparing;
use tacho_report::comparison::clauses::{clear_alone, slower};
use tacho_report::comparison::gate_record::{broken, slower_by};
use tacho_report::comparison::{ComparedRow, GateRecord, rounds_take};
use tacho_report::words::{as_written, count};
use tacho_stats::compare::Verdict;

use super::gate::{Gate, RowAtGate};

/// How many rows are named.
const NAMED: usize = 10;
/// More rounds than this are not given as a number.
const MOST_MORE: usize = 1000;

/// The result of all rows of a run for its conditions of failure, if any. `is_finished`: there will
/// be no more rows.
#[must_use]
pub fn gate_record(
    terms: &Comparing,
    rows: &[ComparedRow],
    is_finished: bool,
) -> Option<GateRecord> {
    let kept = terms.fail_on.as_ref()?;
    let gate = Gate::from(kept);
    let outcome = gate.outcome(rows, terms.margin, is_finished, !kept.lone.is_empty());
    let of = |wanted: RowAtGate| -> Vec<String> {
        let worded = |row: &ComparedRow| {
            let by = slower_by(row).filter(|_| gate.slower.is_some());
            let by = by.unwrap_or_else(|| "unclear".to_owned());
            let is_clear_alone = row.verdict == Verdict::Unclear
                && clear_alone(row.comparison.verdict, &row.metric.unit).is_some();
            let alone = if is_clear_alone { " if it were the only row" } else { "" };
            format!("{} ({by}{alone})", row.name())
        };
        outcome.at(wanted).map(worded).collect()
    };
    // Each row has its own note on other missing samples.
    let why = |row: &ComparedRow| format!("{}: {}", row.name(), why_open(gate, row, || None));
    Some(GateRecord {
        typed: kept.typed.clone(),
        failed: outcome.failed,
        broken: broken(terms, rows),
        slower: of(RowAtGate::Slower),
        open: of(RowAtGate::Open),
        deciding: outcome.at(RowAtGate::Open).take(NAMED).map(why).collect(),
        fails_on_open: gate.unclear,
        lone: kept.lone.clone(),
        fails_on_lone: gate.missing,
    })
}

/// The bounds of an open row, and the rounds that would decide, which may differ from those for a
/// difference; otherwise what is `missing`.
#[must_use]
pub fn why_open(gate: Gate, row: &ComparedRow, missing: impl Fn() -> Option<String>) -> String {
    let by = slower_by(row).filter(|_| gate.slower.is_some());
    let whether = gate.limit().map_or_else(String::new, |limit| {
        let slower = slower(&row.metric.unit);
        format!(" whether it is {slower} by more than {}", as_written(limit))
    });
    let more = gate.more(row);
    let more = more.filter(|_| by.is_some() && row.levels[0].is_none()).map(|more| {
        let rounds = match more.rounds {
            rounds if rounds > MOST_MORE => format!("over {MOST_MORE} more rounds"),
            rounds => {
                format!("{} ({})", count(rounds, "more round"), rounds_take(row, rounds))
            }
        };
        format!("{rounds} would decide{whether}")
    });
    let together = clear_alone(row.comparison.verdict, &row.metric.unit)
        .filter(|_| row.verdict == Verdict::Unclear);
    let parts = [by, together, more.or_else(missing)];
    let why = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    if why.is_empty() { "unclear".to_owned() } else { why }
}
