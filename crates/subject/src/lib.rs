//! The program under test: its history, and its builds.
//!
//! [`history()`] says which revisions there are and what lies between them, for git, for CVS and
//! for releases. A [`LocalBuilder`] makes builds of them, in a checkout of its own that always has
//! the same path, and keeps what they are made of by digest. Which quirks apply to a revision, and
//! doing what they say, is in `quirks`. What does *not* live here: which revisions to measure next,
//! how builds are executed and measured, where results are kept. The floor above sees the traits
//! [`History`] and [`Builder`]; [`ScriptedBuilder`] stands in for the real one in its tests.

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
pub use detect::{CiSystem, init_plan, own_benchmark};
pub use error::SubjectError;
pub use git_repository::is_without_history;
pub use history::{RevisionStep, edited_files, fetch, history};
pub use layout::{FixedOrder, Layout, Linker};
pub use local_builder::LocalBuilder;
pub use quirks::{recipes, stray_edges};
pub use scripted::ScriptedBuilder;
