//! A row of the table of changes.

use tacho_record::Change;

use crate::block::{AnswerCell, AnswerTable, Tone};
use crate::change::{effect, interval, levels_of, state};
use crate::series::series_name;
use crate::words::cut;

/// How wide a user's note may become in a table.
const NOTE: usize = 40;

/// A change as a row of a table.
#[derive(Clone, Debug)]
pub struct ChangeRow {
    /// Its name.
    pub name: String,
    /// Its series.
    pub series: String,
    /// The levels before and after it.
    pub levels: [String; 2],
    /// How much the level changed.
    pub effect: String,
    /// The verdict.
    pub verdict: String,
    /// The 95 % interval of the effect.
    pub interval: String,
    /// The kind of change.
    pub kind: String,
    /// The states from the analyses and from the user.
    pub state: String,
}

impl ChangeRow {
    /// The heads of the columns, in the order of the fields.
    pub const HEADS: [&str; 9] =
        ["name", "series", "before", "after", "change", "", "95 %", "kind", "state"];

    /// The row of a change, with the host of its series if there are several.
    #[must_use]
    pub fn of(change: &Change, hosts: bool) -> Self {
        let (finding, unit) = (&change.finding, &change.series.metric.unit);
        Self {
            name: change.name.clone(),
            series: series_name(&change.series, hosts),
            levels: [finding.before, finding.after].map(|level| unit.show(level)),
            effect: effect(change),
            verdict: change.verdict_words(),
            interval: interval(change),
            kind: finding.kind_words(),
            state: state(change),
        }
    }

    /// These changes as a table, each with the user's note.
    #[must_use]
    pub fn table<'a>(changes: impl IntoIterator<Item = &'a Change>, hosts: bool) -> AnswerTable {
        let (rows, narrow) = changes
            .into_iter()
            .map(|change| {
                let row = Self::of(change, hosts);
                let noted = Self::noted(change, row.state.clone());
                let lines = row.lines(levels_of(change), &noted.whole());
                (row.cells(tone(change), noted), lines)
            })
            .unzip();
        AnswerTable { narrow, ..AnswerTable::of(&Self::HEADS, &(2..5), rows) }
    }

    /// A state of a change, with the user's note as its detail.
    #[must_use]
    pub fn noted(change: &Change, state: String) -> AnswerCell {
        AnswerCell { detail: cut(&change.note, NOTE), ..state.into() }
    }

    fn cells(self, tone: Tone, noted: AnswerCell) -> Vec<AnswerCell> {
        let Self { name, series, levels: [before, after], effect, verdict, .. } = self;
        let words = [name, series, before, after, effect].map(AnswerCell::from);
        let verdict = AnswerCell { tone, ..verdict.into() };
        let rest = [verdict, self.interval.into(), self.kind.into(), noted];
        words.into_iter().chain(rest).collect()
    }

    /// The row where tables have no room; `of` is the origin of the levels.
    fn lines(&self, of: &str, state: &str) -> Vec<String> {
        let Self { name, series, levels: [before, after], effect, verdict, kind, .. } = self;
        let range = match self.interval.as_str() {
            "" => String::new(),
            range => format!(" ({range})"),
        };
        let of = if of.is_empty() { String::new() } else { format!(" {of}") };
        vec![
            format!("  change {name}: {series}"),
            format!("  {effect} {verdict}{range}"),
            format!("  {before} → {after}{of}  {kind}, {state}"),
        ]
    }
}

/// The meaning of a change for the subject, unless other work on the host explains it.
fn tone(change: &Change) -> Tone {
    if change.is_of_other_work() { Tone::Plain } else { change.verdict().into() }
}
