//! The output of `tacho bisect`.

mod estimate;
#[cfg(test)]
#[path = "../../../../report/src/bisection/example.rs"]
mod example;
mod forecast;
mod live;
mod log;
mod merge_note;
mod text;

use serde::Serialize;
use tacho_record::Bisection;
use tacho_record::bisection::{BisectionStep, Candidate};

use crate::output::compare::CompareAnswer;
use crate::output::compare::report::CompareReport;
use crate::output::text::{cut, day};

pub use estimate::{expected_answer, expected_text};
pub use forecast::forecast;
pub use live::{belief, live, plain};
pub use log::{list, log, newest, step, untracked};
pub use merge_note::merge_note;
pub use text::{markdown, measured_line, named_line, text};

/// A commit in a line: `0123456789 2024-03-01 parse faster`.
fn commit(candidate: &Candidate) -> String {
    let revision = &candidate.revision;
    let words = [revision.short().to_owned(), day(revision.date), cut(&revision.subject, 60)];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The answer in JSON.
#[derive(Serialize)]
pub struct BisectAnswer<'a> {
    interrupted: bool,
    #[serde(flatten)]
    bisection: &'a Bisection,
    #[serde(skip_serializing_if = "Option::is_none")]
    revert: Option<CompareAnswer<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inside: Vec<&'a Bisection>,
}

impl<'a> BisectAnswer<'a> {
    /// The answer for this bisection, whether the user stopped it, and for the reverted culprit.
    pub fn new(
        bisection: &'a Bisection,
        interrupted: bool,
        revert: Option<&'a CompareReport<'a>>,
    ) -> Self {
        Self {
            interrupted,
            bisection,
            revert: revert.map(CompareReport::answer),
            inside: Vec::new(),
        }
    }

    /// With those of what guilty merges brought, where several did it.
    pub fn with(self, inside: Vec<&'a Bisection>) -> Self {
        Self { inside, ..self }
    }
}

/// A bisection with its steps, in JSON.
#[derive(Serialize)]
pub struct BisectionLogAnswer<'a> {
    #[serde(flatten)]
    pub bisection: &'a Bisection,
    pub steps: &'a [BisectionStep],
}

/// All bisections, in JSON.
#[derive(Serialize)]
pub struct BisectionListAnswer<'a> {
    bisections: &'a [Bisection],
}

impl<'a> BisectionListAnswer<'a> {
    /// The list of these bisections.
    pub fn new(bisections: &'a [Bisection]) -> Self {
        Self { bisections }
    }
}
