//! What columns mean, where their heads do not say it.

use std::collections::BTreeMap;

use tacho_experiment::bench::Start;
use tacho_report::meaning::{PEAK_MEMORY, SPLIT, is_split_by_ticks};

use super::BenchReport;

/// What holds of all that a shell's processes used.
const SHELL: &str = "with a shell, these include the shell; only the wall time of the shell is \
    subtracted";

/// What is not known where executions were cut off.
const LIMITED: &str = "unknown for a command that reached a limit";

impl BenchReport<'_> {
    /// Columns with what is to be known of them.
    pub(super) fn meanings(&self) -> Vec<(Vec<&'static str>, &'static str)> {
        let memory = self.standings.each.iter().any(|it| it.peak_memory.is_some());
        let split = is_split_by_ticks(self.answer.samples.iter().flatten());
        let limited = self.standings.each.iter().any(|it| it.limited.count > 0);
        let shell =
            memory && self.question.commands.iter().any(|it| matches!(it.start, Start::Shell(..)));
        let all = [
            (memory, vec!["memory"], PEAK_MEMORY),
            (split, vec!["user", "sys"], SPLIT),
            (shell, vec!["user", "sys", "CPU", "memory"], SHELL),
            (limited, vec!["CPU"], LIMITED),
        ];
        all.into_iter()
            .filter(|(is_shown, ..)| *is_shown)
            .map(|(_, columns, what)| (columns, what))
            .collect()
    }

    /// The same by the keys of JSON.
    pub(super) fn notes(&self) -> BTreeMap<&'static str, String> {
        let key = |column: &'static str| match column {
            "memory" => "peak_memory",
            "CPU" => "cpu_percent",
            column => column,
        };
        let mut notes: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
        for (columns, what) in self.meanings() {
            for column in columns {
                notes.entry(key(column)).or_default().push(what);
            }
        }
        notes.into_iter().map(|(key, all)| (key, all.join("; "))).collect()
    }
}
