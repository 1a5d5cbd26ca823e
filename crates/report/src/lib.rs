//! The results of measurements, worded once for all media.
//!
//! An answer is made from what is kept, as [blocks](block). Three small renderers show it: `tacho`
//! in the terminal and in Markdown, `site` on pages. A number has one text (modules [`words`] and
//! [`summary`]), so a terminal and a page cannot disagree.
//!
//! This crate does *not* know where results are kept, what is measured, or how wide a terminal is.

pub mod bench;
pub mod bisection;
pub mod block;
pub mod build;
pub mod busy_host_hint;
pub mod change;
pub mod change_event;
pub mod change_list;
pub mod change_row;
pub mod comparison;
pub mod detection;
pub mod host;
pub mod layouts;
pub mod meaning;
pub mod median_difference;
pub mod probe;
pub mod quirk;
pub mod revision;
pub mod run;
pub mod series;
pub mod series_table;
pub mod summary;
pub mod survey;
pub mod sweep;
pub mod words;
