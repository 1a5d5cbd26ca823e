//! Names of databases on servers.

/// The prefix of every database of this kind, and of no other.
pub(crate) const SERVER: &str = "postgresql://";
