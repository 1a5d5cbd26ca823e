//! What of a history could not be built, in JSON.

use serde::Serialize;
use tacho_measure::nearest_program;
use tacho_record::{BuildGap, build_error};
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

/// What to do about a build that failed in this way, where that is since a program is not there.
pub fn missing_program(why: &str) -> Option<String> {
    let program = build_error::missing_program(why)?;
    Some(match nearest_program(program) {
        _ if program.contains('/') => {
            format!(
                "`{program}` is not in the checkout, which has only committed files: let `build` \
                 make it"
            )
        }
        Some(nearest) => format!("did you mean `{nearest}`? `{program}` is not installed"),
        None => format!("`{program}` is not installed, or not in `PATH`"),
    })
}
