//! The cache: one file, mapped, in which a name leads to stanzas without reading an index.
//!
//! `layout` says what stands where, `build` makes it, [`write()`] stores it, `map` reads it.
//! Nothing read from the file is trusted: each place is checked before use, and each chain only
//! leads backwards, so that it ends.

mod build;
mod layout;
mod map;
mod mark;
mod write;

pub use build::{Builder, Image, Shape, digest};
pub use map::{Cache, Link, Verify, Version};
pub use write::{WriteWay, Written, folder_of, replacement, write};
