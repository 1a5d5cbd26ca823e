//! What columns mean, where their heads do not say it.

use std::collections::BTreeMap;

use tacho_experiment::bench::Start;

use super::BenchReport;

/// Of which kind the peak of memory is.
const MEMORY: &str = "the peak of the largest process, not of all together";
/// From this much processor time on, in nanoseconds, it means something how the kernel splits user
/// from sys.
const EXACT: f64 = 1e9;
/// What these are below that.
const SPLIT: &str = "split as the kernel's ticks fell (every 4 ms, say): only the sum is exact";

/// What holds of all that a shell's processes used.
const SHELL: &str = "with a shell, its own is part of them: only its wall time is taken off";

/// What is not known where executions were cut off.
const LIMITED: &str = "unknown for a command that reached a limit";

impl BenchReport<'_> {
    /// Columns with what is to be known of them.
    pub(super) fn meanings(&self) -> Vec<(Vec<&'static str>, &'static str)> {
        let memory = self.standings.each.iter().any(|it| it.peak_memory.is_some());
        let split = self.is_split_by_ticks();
        let limited = self.standings.each.iter().any(|it| it.limited.count > 0);
        let shell =
            memory && self.question.commands.iter().any(|it| matches!(it.start, Start::Shell(..)));
        let all = [
            (memory, vec!["memory"], MEMORY),
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

    /// Whether any execution used so little that it matters how the kernel splits user from sys.
    fn is_split_by_ticks(&self) -> bool {
        let all = self.answer.samples.iter().flatten();
        let mut shown = all.filter(|sample| sample.counts() || sample.is_limited());
        let is_short = |sample: &tacho_record::Sample| {
            sample.value("user").is_some() && sample.value("cpu").is_some_and(|cpu| cpu < EXACT)
        };
        shown.any(is_short)
    }
}
