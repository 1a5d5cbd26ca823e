//! The tests themselves, each on a ground of its own.

pub mod bisections;
pub mod changes;
pub mod names;
pub mod runs;
pub mod samples;
pub mod series;
pub mod stores;
