//! What builds made, kept by digest until there is too much of it.
//!
//! `content` says what artifacts consist of and when they are the same; `archive` makes one file of
//! them and back; `manifest` sees whether an unpacked copy was changed; the [`Cache`] keeps
//! archives and, of those in use, unpacked copies. Nothing here knows of revisions: the caller asks
//! for what was let go must build it again.

mod archive;
mod cache;
mod content;
pub(crate) mod manifest;
mod pattern;

pub(crate) use archive::copy;
pub(crate) use cache::Cache;
pub(crate) use content::{Content, relative};
