//! A row of the table of changes.

use tacho_record::Change;

use crate::change::{effect, interval, state};
use crate::series::series_name;

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

    /// The cells, in the order of the heads.
    #[must_use]
    pub fn cells(self) -> [String; 9] {
        let Self { name, series, levels: [before, after], effect, verdict, .. } = self;
        [name, series, before, after, effect, verdict, self.interval, self.kind, self.state]
    }
}
