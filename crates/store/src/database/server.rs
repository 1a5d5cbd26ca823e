//! Names of databases on servers.

/// What the name of each database of this kind begins with, and that of no other.
pub(crate) const SERVER: &str = "postgresql://";
