//! The rules of hooks: something to do, and a time limit.

use std::time::Duration;

use super::super::file::{BenchmarkTable, HookEntry};
use super::super::spot::Spot;
use super::super::{Hook, Hooks};
use super::{Check, Template};

impl HookEntry {
    /// The command, if it is there; `keys` reports a missing one.
    fn script(&self) -> Option<&str> {
        match self {
            HookEntry::Line(line) => Some(line),
            HookEntry::Limited(table) => table.command.as_deref(),
        }
    }
}

impl Check<'_> {
    /// The hooks of a benchmark, one execution of which may take that long.
    pub(super) fn hooks(
        &mut self,
        table: &BenchmarkTable,
        usual: Duration,
        spot: Spot<'_>,
    ) -> Hooks {
        let mut hook = |key: &str, entry: &Option<HookEntry>| {
            let entry = entry.as_ref()?;
            let timeout = match entry {
                HookEntry::Limited(table) => table.timeout.as_deref(),
                HookEntry::Line(_) => None,
            };
            let timeout =
                timeout.map_or(usual, |text| self.duration(text, spot.get(key).get("timeout")));
            Some(Hook { script: entry.script()?.to_owned(), timeout })
        };
        Hooks {
            setup: hook("setup", &table.setup),
            prepare: hook("prepare", &table.prepare),
            conclude: hook("conclude", &table.conclude),
            cleanup: hook("cleanup", &table.cleanup),
        }
    }

    /// The references of a hook, if it is there; see [`Check::shell`].
    pub(super) fn hook_references<'a>(
        &mut self,
        key: &'a str,
        entry: Option<&'a HookEntry>,
        names: &'a [&'a str],
        spot: Spot<'a>,
    ) -> Option<(bool, Vec<&'a str>)> {
        let text = entry?.script()?;
        let spot = if let Some(HookEntry::Limited(_)) = entry { spot.get("command") } else { spot };
        self.not_blank(key, text, spot);
        Some(self.shell(Template { key, names, spot, text }))
    }
}
