//! A helper that counts what others write to a named pipe, and a client that does.
//!
//! The [helper](Helper) waits for input in one of two [ways](Waiting): it tries to read again and
//! again, or it sleeps until something is there. Both count the same. What differs is what they do
//! to the machine: a helper that tries again and again keeps a processor awake, so that other
//! programs may become faster or slower.

mod client;
mod error;
mod helper;
mod interrupt;
mod tally;
mod testcase;

pub use client::{PipeWriter, Product};
pub use error::PipeError;
pub use helper::{Helper, Waiting};
pub use interrupt::Interrupt;
pub use tally::{PipeCommand, PipeCommandError, Tally};
pub use testcase::{TestCase, TestResult};
