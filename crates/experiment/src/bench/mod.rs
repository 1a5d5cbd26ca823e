//! Commands side by side: executed in rounds as all else, but from no plan, no repository and no
//! build.
//!
//! A [`Question`] has the commands and the rule; [`measure()`] makes a session of them and has it
//! measured; [`Standings`] say how each did, and against which.

mod command;
mod measure;
mod standings;
#[cfg(test)]
mod tests;
mod warnings;

pub use command::{Command, Start};
pub use measure::{Answer, Question, measure};
pub use standings::{BEATEN_BY, Standing, Standings};
pub use warnings::{SHELL_SHARE, Warning};
