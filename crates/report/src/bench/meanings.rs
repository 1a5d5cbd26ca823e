//! The meanings of columns whose heads do not show them.

use super::BenchFindings;
use crate::meaning::{PEAK_MEMORY, SPLIT};

/// The note on columns that include a shell's processes.
const SHELL: &str = "with a shell, these include the shell; only the wall time of the shell is \
    subtracted";

/// The note on columns that are unknown for executions that were cut off.
const LIMITED: &str = "unknown for a command that reached a limit";

/// The meaning of some columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnMeaning {
    /// Their heads.
    pub columns: Vec<&'static str>,
    /// The meaning.
    pub text: &'static str,
}

impl ColumnMeaning {
    /// All of it: `user, sys: …`.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{}: {}", self.columns.join(", "), self.text)
    }
}

impl BenchFindings<'_> {
    /// Columns with what is to be known of them.
    #[must_use]
    pub fn meanings(&self) -> Vec<ColumnMeaning> {
        let memory = self.rows.iter().any(|row| row.peak_memory.is_some());
        let split = self.is_split_by_ticks && self.rows.iter().any(|row| row.user.is_some());
        let limited = self.rows.iter().any(|row| row.limited.count > 0);
        let all = [
            (memory, vec!["memory"], PEAK_MEMORY),
            (split, vec!["user", "sys"], SPLIT),
            (memory && self.has_shell, vec!["user", "sys", "CPU", "memory"], SHELL),
            (limited, vec!["CPU"], LIMITED),
        ];
        let shown = all.into_iter().filter(|(is_shown, ..)| *is_shown);
        shown.map(|(_, columns, text)| ColumnMeaning { columns, text }).collect()
    }
}
