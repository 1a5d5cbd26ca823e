//! What is checked before anything is measured, so that a mistake in the plan costs seconds and not hours.

pub(crate) mod overwrite_guard;
pub(crate) mod programs_exist;
