//! End to end, through the binary: what a user types, and exactly what comes back.
//!
//! One file a topic. `harness` has the projects that tests are made of.

#![allow(clippy::unwrap_used)] // in a test that is what a failure is

mod bench;
mod beside;
mod bisect;
mod bisect_accounted;
mod bisect_beside;
mod bisect_hints;
mod bisect_merges;
mod branches;
mod changes;
mod changes_agree;
mod changes_confirm;
mod changes_events;
mod changes_from;
mod compare;
mod conditions;
mod counters;
mod cvs;
mod doctor;
mod documents;
mod failures;
mod fuzz;
mod generate;
mod harness;
mod init;
mod layouts;
mod limits;
mod metrics;
mod mistakes;
mod probe;
mod quiet;
mod quirks;
mod reference;
mod resume;
mod schedule;
mod stopped;
mod stopping;
mod survey;
mod sweep;
mod track;
mod r#try;
mod tune;
mod voice;
