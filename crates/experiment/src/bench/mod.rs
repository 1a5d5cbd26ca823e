//! Commands side by side: executed in rounds as all else, but from no plan, no repository and no
//! build.
//!
//! A [`BenchQuestion`] has the commands and the rule; [`measure()`] makes a session of them and has
//! it measured; [`Standings`] say how each did, and against which.

mod command;
mod findings;
mod measure;
mod processor_times;
mod standings;
#[cfg(test)]
pub(crate) mod tests;
mod warnings;

pub use command::{BenchCommand, Start};
pub use measure::{BenchQuestion, BenchResult, measure};
pub use standings::{BEATEN_BY, CommandResult, Standings};
pub use warnings::SHELL_SHARE;
