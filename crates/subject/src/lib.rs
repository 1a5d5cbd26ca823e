//! The program under test: its history, and its builds.
//!
//! [`history()`] lists the revisions and the commits between them, for git, for CVS and for
//! releases. A [`LocalBuilder`] makes builds of them, in a checkout of its own that always has the
//! same path, and keeps their artifacts by digest. `quirks` finds and applies the quirks of a
//! revision. This crate does *not* decide which revisions to measure next, execute or measure
//! builds, or keep results. The crates above see the traits [`History`] and [`Builder`]; their
//! tests use [`ScriptedBuilder`] instead of the real one.

mod artifacts;
mod build;
mod builder;
mod checkout;
mod checkout_quirks;
mod cvs;
mod detect;
mod error;
mod files;
#[doc(hidden)]
pub mod fuzz;
mod git;
mod git_repository;
mod history;
mod layout;
mod local_builder;
mod lock;
mod quirks;
mod scripted;
#[cfg(test)]
mod testing;
mod tools;

pub use crate::history::selection::{
    History, HistoryRelation, RevisionQuery, SelectedRevisions, Selection,
};
pub use builder::{BuildOutcome, Builder, NoBuilder};
pub use cvs::{ReadProgress, report_reading};
pub use detect::{CiSystem, FirstPlan, init_plan};
pub use error::SubjectError;
pub use git_repository::{FolderHistory, folder_in_repository};
pub use history::{RevisionStep, edited_files, fetch, history};
pub use layout::{FixedOrder, Layout, Linker};
pub use local_builder::LocalBuilder;
pub use quirks::{recipes, stray_edges};
pub use scripted::ScriptedBuilder;
