//! Debian `Packages` indices as a memory-mapped cache, and the patches that update such indices.
//!
//! The way of the data: [`cache::Builder`] reads indices into one image → [`cache::write()`] stores
//! it → [`cache::Cache`] maps it and trusts nothing in it → [`query`] answers. [`rred`] stands by
//! itself.

pub mod cache;
pub mod checksum;
mod error;
pub mod hash;
pub mod query;
pub mod rred;
pub mod session;
pub mod stanza;
pub mod version;

pub use error::Error;
