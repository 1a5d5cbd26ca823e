//! What columns mean, where their heads do not say it.

use std::collections::BTreeMap;

use super::Report;

/// Of which kind the peak of memory is.
const MEMORY: &str = "the peak of the largest process, not of all together";
/// From so much processor time on, in nanoseconds, it means something how the kernel tells user from sys.
const EXACT: f64 = 1e9;
/// What these are below that.
const SPLIT: &str = "split as the kernel's ticks fell (every 4 ms, say): only the sum is exact";

/// What is not known where executions were cut off.
const LIMITED: &str =
    "not known of a command that reached a limit: what it would have used further is no share yet";

impl Report<'_> {
    /// Columns with what is to be known of them.
    pub(super) fn meanings(&self) -> Vec<(Vec<&'static str>, &'static str)> {
        let memory = self.standings.each.iter().any(|it| it.peak_memory.is_some());
        let split = self.is_split_by_ticks();
        let limited = self.standings.each.iter().any(|it| it.limited.count > 0);
        let all = [
            (memory, vec!["memory"], MEMORY),
            (split, vec!["user", "sys"], SPLIT),
            (limited, vec!["CPU"], LIMITED),
        ];
        all.into_iter().filter(|(is_shown, ..)| *is_shown).map(|(_, columns, what)| (columns, what)).collect()
    }

    /// The same by the keys of JSON.
    pub(super) fn notes(&self) -> BTreeMap<&'static str, &'static str> {
        let key = |column: &'static str| match column {
            "memory" => "peak_memory",
            "CPU" => "cpu_percent",
            column => column,
        };
        let all = self.meanings().into_iter();
        all.flat_map(|(columns, what)| columns.into_iter().map(move |column| (key(column), what))).collect()
    }

    /// Whether any execution used so little that it matters how the kernel tells user from sys.
    fn is_split_by_ticks(&self) -> bool {
        let counted = self.answer.samples.iter().flatten().filter(|sample| sample.counts());
        let is_short = |sample: &tacho_record::Sample| {
            sample.value("user").is_some() && sample.value("cpu").is_some_and(|cpu| cpu < EXACT)
        };
        counted.into_iter().any(is_short)
    }
}
