//! tarcheck through its binary, and each check at an archive made for it.

// A helper that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod checks;
mod command;
mod harness;
