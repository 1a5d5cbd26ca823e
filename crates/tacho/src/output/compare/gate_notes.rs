//! The notes on `--fail-on`: rows that are unclear to it, and rows that it does not see.

use serde::Serialize;
use tacho_experiment::compare::{
    ComparisonData, ComparisonResult, Gate, RowAtGate, gate_record, why_open,
};
use tacho_record::{Comparing, Program, Side, first_of, in_backticks, short_name};
use tacho_report::build::log_hint;
use tacho_report::comparison::gate_record::broken;
use tacho_report::comparison::{ComparedRow, GateRecord, in_order};
use tacho_report::words::as_written;

use crate::output::compare::report::{CompareReport, FailOnGate};
use crate::output::{self, text};

/// How many rows are named.
const NAMED: usize = 10;

/// The answer in JSON; docs/src/formats says what each key means.
#[derive(Serialize)]
pub(super) struct FailOnAnswer<'a> {
    typed: &'a str,
    slower: Option<f64>,
    unclear: bool,
    missing: bool,
    open: usize,
    failed: bool,
}

/// A warning: what it is, and a line for each row that it is of, and what to do.
struct GateWarning {
    what: String,
    rows: Vec<String>,
    hint: Option<String>,
}

impl CompareReport<'_> {
    /// The status of a row for the conditions of failure; `None` without conditions, or if a side
    /// was not measured.
    pub(super) fn status(&self, row: &ComparedRow) -> Option<RowAtGate> {
        let fail_on = self.fail_on?;
        row.is_measured().then(|| fail_on.gate.status(row, self.terms.margin))
    }

    pub(super) fn fail_on_answer(&self, all: Option<&ComparisonData>) -> Option<FailOnAnswer<'_>> {
        let FailOnGate { typed, gate } = self.fail_on?;
        let rows = all.map_or(&[][..], |all| &all.rows);
        let outcome = gate.outcome(rows, self.terms.margin, true, !self.lone[0].is_empty());
        Some(FailOnAnswer {
            typed,
            slower: gate.slower,
            unclear: gate.unclear,
            missing: gate.missing,
            open: outcome.at(RowAtGate::Open).count(),
            failed: outcome.fails,
        })
    }

    /// The result of all rows for the conditions of failure, if any.
    pub(super) fn recorded(&self) -> Option<GateRecord> {
        let (Some(fail_on), ComparisonResult::Measured(all)) = (self.fail_on, self.compared) else {
            return None;
        };
        let terms = Comparing { fail_on: Some(fail_on.kept(&self.lone[0])), ..self.terms.clone() };
        gate_record(&terms, &all.rows, !all.interrupted)
    }

    /// How the gate came out: `--fail-on slower: failed because of sort · wall (slower by 7.7 % ±
    /// 0.6 %)`. The warning beside it lists the undecided rows.
    pub(super) fn gate_line(&self, recorded: &GateRecord) -> String {
        let outcome = recorded.outcome(&self.names()[0]);
        format!("`--fail-on {}`{}: {outcome}", recorded.typed, self.with())
    }

    /// The addition that names one of several tried diffs.
    fn with(&self) -> String {
        let is_tried = !self.terms.patches.is_empty();
        if is_tried { format!(" with {}", self.names()[1]) } else { String::new() }
    }

    /// Says beside the answer, at its end, why the gate failed, or nothing was compared.
    fn report_failure(&self) {
        let gate = self.recorded().filter(|recorded| recorded.failed == Some(true));
        let gate = gate.map(|recorded| self.gate_line(&recorded));
        for why in gate.or_else(|| self.failures()).into_iter().chain(self.not_built()) {
            output::note("error", &why);
        }
        if let Some(revision) = self.revision_not_built() {
            output::note("hint", &log_hint(revision));
        }
    }

    /// The failures of sides and the sides without values.
    fn failures(&self) -> Option<String> {
        let ComparisonResult::Measured(all) = self.compared else { return None };
        let names = self.names();
        let lacking = all.rows.iter().filter(|row| row.is_error() && !row.is_failed());
        let lacking = lacking.filter_map(|row| {
            let side = row.sides.iter().position(Option::is_none)?;
            Some(format!("`{}` has no values of {}", names[side], row.name()))
        });
        let why: Vec<String> = broken(self.terms, &all.rows).into_iter().chain(lacking).collect();
        (!why.is_empty() && !all.interrupted)
            .then(|| format!("not compared{}: {}", self.with(), first_of(&why, NAMED)))
    }

    /// The revision whose own build failed, so that its log has more.
    fn revision_not_built(&self) -> Option<&str> {
        let ComparisonResult::NotBuilt { side, has_log, .. } = self.compared else { return None };
        let is_it = |it: &&Side| it.name == *side && matches!(it.program, Program::Revision { .. });
        let side = self.terms.sides.iter().find(is_it)?;
        has_log.then_some(short_name(&side.name))
    }

    /// Says beside the answer what is unclear to `--fail-on` or what it does not see, and what only
    /// one side has.
    pub fn announce(&self) {
        for GateWarning { what, rows, hint } in self.warnings() {
            let end = if rows.is_empty() { "" } else { ":" };
            output::note("warning", &format!("{what}{end}"));
            for row in rows {
                output::note_more(&row);
            }
            if let Some(hint) = hint {
                output::note("hint", &hint);
            }
        }
        for line in self.decided().into_iter().chain(self.lone()) {
            output::note("note", &line);
        }
        self.report_failure();
    }

    /// The same as a list in Markdown.
    pub(super) fn in_markdown(&self) -> String {
        let item = |GateWarning { what, rows, .. }: GateWarning| {
            let end = if rows.is_empty() { "" } else { ":" };
            let rows: String = rows.iter().map(|row| format!("  - {row}\n")).collect();
            format!("- warning: {what}{end}\n{rows}")
        };
        let warnings: String = self.warnings().into_iter().map(item).collect();
        let notes = self.decided().into_iter().chain(self.lone());
        warnings + &notes.map(|line| format!("- {line}\n")).collect::<String>()
    }

    /// Explains why a gate that fails on unclear rows passes some: these are not unclear at its
    /// limit.
    fn decided(&self) -> Option<String> {
        let (Some(fail_on), ComparisonResult::Measured(all)) = (self.fail_on, self.compared) else {
            return None;
        };
        let limit = fail_on.limit().filter(|_| fail_on.gate.unclear)?;
        let is_open = |row: &ComparedRow| self.status(row) == Some(RowAtGate::Open);
        let is_below = |row: &&ComparedRow| fail_on.gate.is_unclear_below(row, self.terms.margin);
        let below = all.rows.iter().filter(is_below).count();
        let are = if below == 1 { "is" } else { "are" };
        (below > 0 && !all.rows.iter().any(is_open)).then(|| {
            format!(
                "no row is unclear at the limit of {}: {} {are} certainly below it",
                as_written(limit),
                text::count(below, "unclear row")
            )
        })
    }

    /// The benchmarks of one side only, except those in a warning.
    fn lone(&self) -> impl Iterator<Item = String> {
        let names = self.names();
        let is_shown = |side: &usize| *side > 0 || self.fail_on.is_none();
        (0..2)
            .filter(is_shown)
            .filter(|side| !self.lone[*side].is_empty())
            .map(move |side| only_has(&names[side], &self.lone[side]))
    }

    fn warnings(&self) -> Vec<GateWarning> {
        let (Some(fail_on), ComparisonResult::Measured(all)) = (self.fail_on, self.compared) else {
            return Vec::new();
        };
        [self.open(fail_on, all), self.unseen(fail_on)].into_iter().flatten().collect()
    }

    /// The rows of which it is not decided whether they are slower.
    fn open(&self, fail_on: &FailOnGate, all: &ComparisonData) -> Option<GateWarning> {
        let FailOnGate { typed, gate } = fail_on;
        let rows = in_order(&all.rows);
        let open: Vec<&ComparedRow> =
            rows.into_iter().filter(|row| self.status(row) == Some(RowAtGate::Open)).collect();
        let so = match (gate.unclear, open.len()) {
            (_, 0) => return None,
            (true, _) => "fails",
            (false, 1) => "lets it pass",
            (false, _) => "lets them pass",
        };
        let with = self.with();
        let rows_of = text::count(all.rows.len(), "row");
        let is = if open.len() == 1 { "is" } else { "are" };
        // A row that is slower for certain may be so by less than the limit.
        let what = match fail_on.limit() {
            Some(limit) => format!("undecided at the limit of {}", as_written(limit)),
            None if gate.slower.is_some() => {
                format!("undecided at the margin of {}", as_written(self.terms.margin))
            }
            None => "unclear".to_owned(),
        };
        let of = format!("{} of {rows_of}{with} {is} {what}", open.len());
        let line = |row: &&ComparedRow| {
            let why = why_open(fail_on.gate, row, || self.worded(all).missing(row));
            format!("{}: {why}", row.name())
        };
        let mut rows: Vec<String> = open.iter().take(NAMED).map(line).collect();
        if open.len() > NAMED {
            rows.push(format!("and {} more", text::count(open.len() - NAMED, "row")));
        }
        rows.extend(self.surely_below(gate, all));
        let them = if open.len() == 1 { "it" } else { "them" };
        Some(GateWarning {
            what: format!("{of}, and `--fail-on {typed}` {so}"),
            rows,
            hint: (!gate.unclear).then(|| format!("`--fail-on {typed},unclear` fails on {them}")),
        })
    }

    /// Says that other rows are unclear by themselves, but not at the limit.
    fn surely_below(&self, gate: &Gate, all: &ComparisonData) -> Option<String> {
        let is_below = |row: &&ComparedRow| gate.is_unclear_below(row, self.terms.margin);
        let below = all.rows.iter().filter(is_below);
        let names: Vec<String> = below.map(ComparedRow::name).collect();
        let list = first_of(&names, NAMED);
        (!names.is_empty()).then(|| format!("unclear too, but certainly below the limit: {list}"))
    }

    /// Warns of benchmarks that the gate does not see, since only the first side has them.
    fn unseen(&self, FailOnGate { typed, gate }: &FailOnGate) -> Option<GateWarning> {
        let so = if gate.missing { "fails" } else { "ignores this" };
        let only = only_has(&self.names()[0], &self.lone[0]);
        let what = format!("{only}: `--fail-on {typed}` {so}");
        let hint = (!gate.missing)
            .then(|| format!("`--fail-on {typed},missing` fails on benchmarks that only A has"));
        (!self.lone[0].is_empty()).then_some(GateWarning { what, rows: Vec::new(), hint })
    }
}

/// Says that only one side has these benchmarks.
fn only_has(side: &str, names: &[String]) -> String {
    let names = in_backticks(names.iter().map(|name| text::cut(name, usize::MAX)));
    format!("only `{side}` has {names}")
}
