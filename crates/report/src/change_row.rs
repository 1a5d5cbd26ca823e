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
    /// Whether that is good.
    pub verdict: String,
    /// Where the effect is with 95 %.
    pub interval: String,
    /// What kind of change it is.
    pub kind: String,
    /// Where it stands, by itself and by the user's word.
    pub state: String,
}

impl ChangeRow {
    /// What is above the columns, in the order of the fields.
    pub const HEADS: [&str; 9] =
        ["name", "series", "before", "after", "change", "", "95 %", "kind", "state"];

    /// That of a change, with the host of its series where there are several.
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
