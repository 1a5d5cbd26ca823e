//! Builds of revisions: made once, unpacked for a run, and the ranges of history that do not build.

pub(crate) mod build_error;
pub(crate) mod builds;
pub mod edited_recipe;
pub mod failure_range;
pub(crate) mod known_remedies;
pub(crate) mod layout_rotation;
pub mod layouts;
pub mod linking;
pub mod programs;
