//! The artifacts of builds, kept by digest within a limit of size.
//!
//! `content` has the parts of artifacts and their digest; `archive` makes one file of them and
//! back; `manifest` detects changes of an unpacked copy; the [`Cache`] keeps archives and, of those
//! in use, unpacked copies. Nothing here knows of revisions: the caller must build evicted
//! artifacts again.

mod archive;
mod cache;
mod content;
pub(crate) mod manifest;
mod pattern;

pub(crate) use archive::copy;
pub(crate) use cache::Cache;
pub(crate) use content::{Content, relative};
