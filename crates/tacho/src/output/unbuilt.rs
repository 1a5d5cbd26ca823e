//! The parts of a history that could not be built, in JSON.

use serde::Serialize;
use tacho_record::BuildGap;
use tacho_report::build::why;

/// A gap in JSON.
#[derive(Serialize)]
pub struct UnbuiltAnswer<'a> {
    first: &'a str,
    last: &'a str,
    revisions: usize,
    among: usize,
    state: &'static str,
    why: String,
}

impl<'a> UnbuiltAnswer<'a> {
    pub fn of(gap: &'a BuildGap) -> Self {
        Self {
            first: &gap.first.id,
            last: &gap.last.id,
            revisions: gap.tried,
            among: gap.among(),
            state: gap.state.word(),
            why: why(&gap.state),
        }
    }
}
