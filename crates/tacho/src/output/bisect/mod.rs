//! What `tacho bisect` prints.

mod expected;
mod forecast;
mod live;
mod log;
mod markdown;
mod sizes;
mod text;
mod why;
mod words;

use serde::Serialize;
use tacho_record::Bisection;
use tacho_record::bisection::Observed;

use crate::output::compare::CompareAnswer;
use crate::output::compare::report::CompareReport;

pub use expected::Expected;
pub use forecast::{WrongAnswers, forecast};
pub use live::{belief, live};
pub use log::{list, log, step};
pub use markdown::markdown;
pub use text::{named_line, text};

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
    /// Of this bisection, which the user stopped or not, and of what was named reverted.
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
pub struct Log<'a> {
    #[serde(flatten)]
    pub bisection: &'a Bisection,
    pub steps: &'a [Observed],
}

/// All bisections, in JSON.
#[derive(Serialize)]
pub struct List<'a> {
    bisections: &'a [Bisection],
}

impl<'a> List<'a> {
    /// These.
    pub fn new(bisections: &'a [Bisection]) -> Self {
        Self { bisections }
    }
}
