//! Checks a source archive in one pass: what is wrong with its files, and where.
//!
//! The way of the data: [`archive`] reads entries into batches → a [`Way`] carries batches to
//! threads → [`checks`] look at each file → `names` judges what only all files together show →
//! [`Report`].

pub mod archive;
pub mod checks;
mod error;
pub mod hint;
mod names;
mod options;
mod report;
mod source;
mod stopwatch;
mod ways;

pub use error::Error;
pub use hint::{Hint, Severity};
pub use options::{Options, Selection};
pub use report::{Cpu, Report, Totals};
pub use ways::{Way, check};
