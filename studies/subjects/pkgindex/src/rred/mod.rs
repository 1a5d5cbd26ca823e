//! Applies ed-style patches to an index, as `diff --ed` writes them and Debian's archive publishes
//! them.
//!
//! `script` reads patches, `merge` makes one of several, [`apply()`] makes the new file in one
//! pass over the old one.

mod apply;
mod merge;
mod script;

pub use apply::{ApplyError, Output, apply};
pub use merge::Merged;
pub use script::{Edit, parse};
