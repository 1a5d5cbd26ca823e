//! The answer: hints in order, and how much was read.

use std::time::Duration;

use serde::Serialize;

use crate::hint::{Hint, Severity};

/// How much was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Entries of the archive.
    pub entries: u64,
    /// Bytes of the file.
    pub packed: u64,
    /// Bytes of the tar stream.
    pub unpacked: u64,
}

/// Processor time, in which a busy machine matters little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    /// Of the thread that reads, without what it checked itself.
    pub reading: Duration,
    /// Of the thread that unpacks ahead of it, if there is one; what threads cost is in it too.
    pub unpacking: Option<Duration>,
    /// Of all checks.
    pub checking: Duration,
}

impl Cpu {
    /// `key: value` lines, in which plans find metrics.
    #[must_use]
    pub fn lines(&self) -> String {
        let (reading, checking) = (self.reading.as_secs_f64(), self.checking.as_secs_f64());
        let unpacking = self.unpacking.map(|time| {
            let seconds = time.as_secs_f64();
            format!("cpu-unpacking: {seconds:.6} s\n")
        });
        let unpacking = unpacking.unwrap_or_default();
        format!("cpu-reading: {reading:.6} s\n{unpacking}cpu-checking: {checking:.6} s\n")
    }
}

/// What was found in an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How much was read.
    pub totals: Totals,
    /// What was found, ordered by file, line and tag.
    pub hints: Vec<Hint>,
    /// Where processor time went.
    pub cpu: Cpu,
}

impl Report {
    /// How many hints have a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.hints.iter().filter(|hint| hint.severity == severity).count()
    }

    /// The worst severity, if there is any hint.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.hints.iter().map(|hint| hint.severity).max()
    }

    /// The last line: what was read, and how many hints there are.
    #[must_use]
    pub fn summary(&self) -> String {
        format!(
            "{}, {:.1} MB: {}, {}, {}",
            plural(usize::try_from(self.totals.entries).unwrap_or(usize::MAX), "entry", "entries"),
            self.totals.unpacked as f64 / 1e6,
            plural(self.count(Severity::Error), "error", "errors"),
            plural(self.count(Severity::Warning), "warning", "warnings"),
            plural(self.count(Severity::Info), "info", "infos"),
        )
    }
}

/// A number with its noun.
pub(crate) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
