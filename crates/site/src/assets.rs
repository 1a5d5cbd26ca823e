//! The front end, as built from `web/` and committed there: a build needs no Node.js.

/// Draws the charts; pages are complete without it.
pub(crate) const SCRIPT: &str = include_str!("../../../web/dist/app.js");

/// How all pages look, charts included.
pub(crate) const STYLE: &str = include_str!("../../../web/dist/app.css");
