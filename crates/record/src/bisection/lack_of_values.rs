//! Why a revision has no values.

use serde::{Deserialize, Serialize};

use crate::{AnswerDifference, BuildFailure, Failure};

/// A shell exits so when what it is to execute cannot be executed, and when it is not there.
const MISSING: [i32; 2] = [126, 127];

/// Why a revision has no values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LackOfValues {
    /// What kind of failure it is.
    pub kind: UnusableKind,
    /// The cause, as far as the next step or a message depends on it. Absent if nothing depends on
    /// it, and in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<LackCause>,
    /// What went wrong, in one line.
    pub why: String,
}

/// What kind of failure leaves a revision without values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnusableKind {
    /// The command crashed, exited with a wrong status, or its companion or hook failed.
    Crashed,
    /// Its output has no such metric, or its value cannot be compared so.
    NoMetric,
    /// The revision could not be built.
    NotBuilt,
    /// A quirk of the plan skips it; or the command that passes or fails could decide neither: it
    /// exited with status 125.
    Skipped,
    /// The command reached its time limit.
    TimedOut,
    /// The answer was wrong.
    WrongAnswer,
}

/// Why a revision has no values, as far as that decides what is done and said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LackCause {
    /// Its answer is wrong, as is shown by this.
    Answer(AnswerDifference),
    /// The revision does not merge without conflicts.
    Conflict,
    /// What its build needs could not be fetched.
    Fetch,
    /// A shell found no program that it was to execute, or could not execute it.
    Missing,
    /// An execution has no such metric.
    NoMetric,
    /// Values of 0 or below have no ratio to another.
    NoRatio,
    /// A signal had it stopped until its time was over.
    Suspended,
}

impl LackOfValues {
    /// A lack whose reason decides nothing.
    pub fn new(kind: UnusableKind, why: impl Into<String>) -> Self {
        Self { kind, cause: None, why: why.into() }
    }

    /// The same with its cause.
    #[must_use]
    pub fn because(self, cause: LackCause) -> Self {
        Self { cause: Some(cause), ..self }
    }

    /// The lack of values after a failed build.
    #[must_use]
    pub fn of_build(cause: Option<BuildFailure>, why: &str) -> Self {
        let cause = cause.and_then(|cause| match cause {
            BuildFailure::Conflict => Some(LackCause::Conflict),
            BuildFailure::Fetch => Some(LackCause::Fetch),
            BuildFailure::Missing => Some(LackCause::Missing),
            BuildFailure::Command | BuildFailure::TriedPatch => None,
        });
        Self { cause, ..Self::new(UnusableKind::NotBuilt, why) }
    }

    /// The lack of values after a failed execution.
    #[must_use]
    pub fn of_execution(failure: &Failure, why: String) -> Self {
        let (kind, cause) = match failure {
            Failure::Exit { code } => {
                (UnusableKind::Crashed, MISSING.contains(code).then_some(LackCause::Missing))
            }
            Failure::Companion { .. }
            | Failure::Hook { .. }
            | Failure::NotStarted { .. }
            | Failure::Setup { .. }
            | Failure::Signal { .. } => (UnusableKind::Crashed, None),
            Failure::Stopped { .. } => (UnusableKind::TimedOut, Some(LackCause::Suspended)),
            Failure::TimedOut => (UnusableKind::TimedOut, None),
            Failure::Unreadable { .. } => (UnusableKind::NoMetric, None),
            Failure::WrongAnswer { shown, .. } => {
                (UnusableKind::WrongAnswer, shown.map(LackCause::Answer))
            }
        };
        Self { kind, cause, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisection::{StepResult, UnusableRevision};

    #[test]
    fn those_of_earlier_versions_have_no_cause() {
        let old = r#"{"place": 3, "revision": "r", "kind": "no-metric", "why": "its `m` is 0"}"#;
        let read: UnusableRevision = serde_json::from_str(old).unwrap();
        assert_eq!(read.lack, LackOfValues::new(UnusableKind::NoMetric, "its `m` is 0"));
        let old = r#"{"seen": "unusable", "kind": "crashed", "why": "exit 127"}"#;
        let read: StepResult = serde_json::from_str(old).unwrap();
        let lack = LackOfValues::new(UnusableKind::Crashed, "exit 127");
        assert_eq!(read, StepResult::Unusable(lack));
        let shown = Some(AnswerDifference::Line);
        let wrong = Failure::WrongAnswer { why: "no".into(), shown };
        let now = StepResult::Unusable(LackOfValues::of_execution(&wrong, wrong.line()));
        let text = serde_json::to_string(&now).unwrap();
        let cause = r#""cause":{"answer":"line"},"why":"wrong answer: no""#;
        assert!(text.contains(cause), "{text}");
        assert_eq!(serde_json::from_str::<StepResult>(&text).unwrap(), now);
    }
}
