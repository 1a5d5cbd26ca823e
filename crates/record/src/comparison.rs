//! Comparisons: which two programs, and how they are compared.

use serde::{Deserialize, Serialize};

use crate::{BenchmarkKey, Digest, LimitedExecutions, Metric, Parameters};

/// One of the two programs that are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The name in the answer: as typed.
    pub name: String,
    /// The program that the name means.
    pub program: Program,
}

/// What can be executed beside another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Program {
    /// A build that was made before, whatever its revision builds to now.
    Build {
        /// The digest of the build.
        artifact: Digest,
        /// The revision that it was built of, by its full name: it is built again where the cache
        /// has let it go.
        revision: String,
    },
    /// A command, executed without a build.
    Command {
        /// As it was typed.
        command: String,
        /// The words that it is started as; with a shell, those of the shell, and the command comes
        /// after them.
        words: Vec<String>,
        /// Whether a shell starts it.
        shell: bool,
    },
    /// Samples from a file of another tool; nothing is executed.
    File {
        /// The file or folder, as it was typed.
        file: String,
        /// The tool that wrote the file.
        tool: String,
    },
    /// Builds of one source that were linked in different orders: one program, in several layouts.
    Layouts {
        /// The digests of the builds, each once.
        artifacts: Vec<Digest>,
        /// The revision that they were built of, by its full name.
        revision: String,
    },
    /// A revision of the plan's subject, by its full name: built if need be.
    Revision {
        /// The revision.
        revision: String,
    },
    /// A revision, with these values of parameters and no others.
    Variant {
        /// The revision, by its full name.
        revision: String,
        /// The values.
        parameters: Parameters,
    },
}

impl Program {
    /// The revision that it is built of, by its full name; `None` if it is not built.
    #[must_use]
    pub fn revision(&self) -> Option<&str> {
        match self {
            Program::Build { revision, .. }
            | Program::Layouts { revision, .. }
            | Program::Revision { revision }
            | Program::Variant { revision, .. } => Some(revision),
            Program::Command { .. } | Program::File { .. } => None,
        }
    }

    /// The parameters that it fixes.
    #[must_use]
    pub fn parameters(&self) -> Option<&Parameters> {
        if let Program::Variant { parameters, .. } = self { Some(parameters) } else { None }
    }

    /// The number of builds that represent the program; each is executed equally often.
    #[must_use]
    pub fn builds(&self) -> usize {
        if let Program::Layouts { artifacts, .. } = self { artifacts.len() } else { 1 }
    }

    /// The kind, in a word: `build`, `command`, `file`, `layouts`, `revision`, `variant`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Program::Build { .. } => "build",
            Program::Command { .. } => "command",
            Program::File { .. } => "file",
            Program::Layouts { .. } => "layouts",
            Program::Revision { .. } => "revision",
            Program::Variant { .. } => "variant",
        }
    }
}

/// The sides of a comparison and its terms. The run keeps them to judge the samples again.
///
/// Its cells are, row after row, those of the sides that are executed, in their order, and then the
/// control's; of a side in several layouts one a layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparing {
    /// Both sides: what is compared with, what is compared.
    pub sides: [Side; 2],
    /// The earlier run of a side that was not executed, and its side there.
    pub earlier: [Option<EarlierSide>; 2],
    /// The metrics of a side that is a file.
    #[serde(default)]
    pub exported: [Vec<ExportedMetric>; 2],
    /// Whether the first side is executed a second time.
    pub control: bool,
    /// The two processors on which both sides are executed at the same time, the one at the even
    /// position of a round on the first; `None`: one after the other.
    #[serde(default)]
    pub duet: Option<[u32; 2]>,
    /// The requested estimator of the ratio; `None` leaves the choice to the control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimator: Option<RequestedEstimator>,
    /// Up to which difference two are the same, as a share.
    pub margin: f64,
    /// The metrics of each benchmark; one row each.
    pub rows: Vec<(BenchmarkKey, Vec<Metric>)>,
    /// When a benchmark is executed no more.
    pub until: StopCondition,
    /// The quirk and the edge, if a revision is compared with itself under a quirk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quirk: Option<QuirkEdge>,
    /// The names of the second side's diffs, if a revision is compared with itself plus diffs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<String>,
    /// The differences of both sides' hosts or conditions, in words, if the user allowed them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub otherwise: Vec<String>,
    /// The conditions of failure, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_on: Option<FailOn>,
}

/// The conditions under which a comparison fails. Together with the samples they decide whether the
/// comparison failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailOn {
    /// As it was typed.
    pub typed: String,
    /// Fail if a program is significantly slower by this share or more; with 0, if any program is
    /// called slower.
    pub slower: Option<f64>,
    /// Fail if such a slowdown is not excluded; without `slower`, if any result is unclear.
    pub unclear: bool,
    /// Fail if only the first side has a benchmark.
    pub missing: bool,
    /// The benchmarks that only the first side has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lone: Vec<String>,
}

/// An end of a quirk's range in history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuirkEdge {
    /// The quirk's name.
    pub quirk: String,
    /// The first revision with another build than its predecessor, by its full name.
    pub revision: String,
    /// Whether that is the first revision with the quirk; otherwise it is the first without.
    pub begins: bool,
}

impl Comparing {
    /// Both sides executed side by side with a control, by these metrics, and nothing else that can
    /// be requested.
    #[must_use]
    pub fn between(
        sides: [Side; 2],
        rows: Vec<(BenchmarkKey, Vec<Metric>)>,
        margin: f64,
        until: StopCondition,
    ) -> Self {
        Self {
            sides,
            earlier: [None, None],
            exported: [Vec::new(), Vec::new()],
            control: true,
            duet: None,
            estimator: None,
            margin,
            rows,
            until,
            quirk: None,
            patches: Vec::new(),
            otherwise: Vec::new(),
            fail_on: None,
        }
    }

    /// Whether a side (0 or 1) is executed, and does not come from an earlier run or a file.
    #[must_use]
    pub fn executes(&self, side: usize) -> bool {
        self.earlier[side].is_none() && !matches!(self.sides[side].program, Program::File { .. })
    }
}

/// The estimator of a ratio, if the user requests one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestedEstimator {
    /// The ratio of the means.
    Mean,
    /// The ratio of the medians.
    Median,
    /// The ratio of the smallest samples.
    Minimum,
}

/// A metric of a benchmark, read from a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExportedMetric {
    /// The benchmark's name in the comparison.
    pub benchmark: String,
    /// The metric.
    pub metric: Metric,
    /// Its values, in the metric's base unit.
    pub values: Vec<f64>,
    /// Executions beside these that reached a limit.
    #[serde(default, skip_serializing_if = "LimitedExecutions::is_nothing")]
    pub limited: LimitedExecutions,
}

/// A side of an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierSide {
    /// The run.
    pub run: i64,
    /// The side: 0 is the baseline, 1 is the program compared with it.
    pub side: usize,
}

/// When a benchmark that is compared is executed no more, before its rounds are done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopCondition {
    /// Never.
    AllRounds,
    /// When the ratio's interval reaches so far to either side, as a share.
    Precise(f64),
    /// When the verdict is clear; with a number also, of what is slower, whether it is slower by
    /// that share.
    Settled(Option<f64>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_before_there_were_estimators_or_gates_are_read() {
        let side =
            Side { name: "v1".into(), program: Program::Revision { revision: "abc".into() } };
        let sides = [side.clone(), side];
        let terms = Comparing::between(sides, Vec::new(), 0.01, StopCondition::AllRounds);
        let text = serde_json::to_string(&terms).unwrap();
        assert!(!text.contains("estimator") && !text.contains("fail_on"), "{text}");
        assert_eq!(serde_json::from_str::<Comparing>(&text).unwrap(), terms);
        let gate = FailOn {
            typed: "slower:5%".into(),
            slower: Some(0.05),
            unclear: false,
            missing: false,
            lone: Vec::new(),
        };
        let asked = Comparing {
            estimator: Some(RequestedEstimator::Minimum),
            fail_on: Some(gate),
            ..terms
        };
        let text = serde_json::to_string(&asked).unwrap();
        assert!(text.contains(r#""estimator":"minimum""#), "{text}");
        assert_eq!(serde_json::from_str::<Comparing>(&text).unwrap(), asked);
    }

    #[test]
    fn sides_are_written_with_what_they_were_taken_for() {
        let side =
            Side { name: "v1".into(), program: Program::Revision { revision: "abc".into() } };
        let text = serde_json::to_string(&side).unwrap();
        assert_eq!(text, r#"{"name":"v1","program":{"kind":"revision","revision":"abc"}}"#);
        assert_eq!(serde_json::from_str::<Side>(&text).unwrap(), side);
    }
}
