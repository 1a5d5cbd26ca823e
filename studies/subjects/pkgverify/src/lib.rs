//! Verifies the files of installed packages against the package database.
//!
//! The database of Debian ([`dpkg`]) or FreeBSD ([`freebsd`]) becomes a list of [`Package`]s, of
//! which some are [selected](select). [`verify()`] checks their files in one of several [ways](Way)
//! and reports each [`Discrepancy`] with its reason. Nothing here prints or knows the command line.

mod checksum;
pub mod database;
pub mod dpkg;
mod error;
pub mod freebsd;
mod lanes;
mod package;
mod reason;
mod root;
pub mod select;
mod verify;

pub use checksum::Checksum;
pub use error::VerifyError;
pub use package::{ListedFile, Package, Requirement};
pub use reason::{Discrepancy, Fault};
pub use root::RootFolder;
pub use verify::{Links, Notice, VerifyOptions, Way, verify};
