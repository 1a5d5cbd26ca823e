//! pkgindex through its binary and its library.

// A helper that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod damage;
mod harness;
mod patches;
mod queries;
