//! Samples: the raw readings of one execution.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Direction, Metric, MetricName, ReachedLimit};

/// The place of an execution in its run's schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The round, counted from 1; round 0 is the warmup, recorded and never summarised.
    pub round: u32,
    /// The position in the round's random order, counted from 0.
    pub position: u32,
}

/// At most this many characters of what a program printed say why it failed.
const PRINTED: usize = 160;
/// A line that is longer by fewer is shown whole: a mark in its middle would save nothing.
const LITTLE: usize = 20;

/// Why an execution gave no valid value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "kebab-case")]
pub enum Failure {
    /// Its companion did not become ready, or ended before it.
    Companion {
        /// What went wrong, in one line.
        why: String,
    },
    /// The execution ended with another exit status than expected.
    Exit {
        /// The status.
        code: i32,
    },
    /// A hook of the plan (`prepare`, `conclude`) or the empty shell beside it failed, so the
    /// execution was not valid.
    Hook {
        /// What went wrong, in one line.
        why: String,
    },
    /// The plan's `setup` failed, after which nothing is executed.
    Setup {
        /// What went wrong, in one line.
        why: String,
    },
    /// The command could not be started.
    NotStarted {
        /// What went wrong, in one line.
        why: String,
        /// The program, by path or name, if that is not there; absent of earlier versions too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missing: Option<String>,
    },
    /// A signal of another process killed it.
    Signal {
        /// The signal's number.
        number: i32,
    },
    /// The execution exceeded the plan's limit and was killed. A signal had stopped it before, as a
    /// terminal does to a background process that reads.
    Stopped {
        /// The signal's number.
        number: i32,
    },
    /// The execution exceeded the plan's limit and was killed.
    TimedOut,
    /// A metric that the plan reads from its output is not there.
    Unreadable {
        /// The metric, and the text found instead, in one line.
        why: String,
    },
    /// The answer was not the expected one: such a sample is never a fast one.
    WrongAnswer {
        /// What differed, in one line.
        why: String,
        /// The kind of difference that the line shows; absent in files of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<AnswerDifference>,
    },
}

/// The way in which a difference from the expected answer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerDifference {
    /// By its digest, which is not that of the first answer.
    Digest,
    /// By its digest, which is not that of the expected file.
    FileDigest,
    /// By the text that it lacks.
    Lacks,
    /// By the first line that differs.
    Line,
}

impl AnswerDifference {
    /// The revision that gave the right answer, as the end of a sentence on a wrong one: `, the
    /// answer of 0123456789` after its digest, else `; 0123456789 printed the expected one`.
    #[must_use]
    pub fn right_is_of(self, giver: &str) -> String {
        match self {
            Self::Digest => format!(", the answer of {giver}"),
            Self::FileDigest | Self::Lacks | Self::Line => {
                format!("; {giver} printed the expected one")
            }
        }
    }
}

impl Failure {
    /// The failure in one line, for tables: `exit 1`, `killed by signal 11 (SIGSEGV)`, `timed out`.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Failure::Exit { code: 0 } => "exit 0, another status is expected".to_owned(),
            Failure::Exit { code } => format!("exit {code}"),
            Failure::Companion { why }
            | Failure::Hook { why }
            | Failure::NotStarted { why, .. }
            | Failure::Setup { why } => why.clone(),
            Failure::Signal { number } => crate::killed_by(*number),
            Failure::Stopped { number } => {
                format!("suspended by {}, so it was killed", crate::signal::signal(*number))
            }
            Failure::TimedOut => "timed out".to_owned(),
            Failure::Unreadable { why } => format!("unreadable: {why}"),
            Failure::WrongAnswer { why, .. } => format!("wrong answer: {why}"),
        }
    }

    /// The same, with the program's last printed error or line if it ended by itself. That line
    /// mostly has the cause: `exit 1: no such file`.
    #[must_use]
    pub fn said(&self, output: &str) -> String {
        let lines = || output.lines().rev().map(str::trim).filter(|line| !line.is_empty());
        let last =
            lines().find(|line| line.to_lowercase().contains("error")).or_else(|| lines().next());
        match (self, last) {
            (Failure::Exit { .. } | Failure::Signal { .. }, Some(last)) => {
                format!("{}: {}", self.line(), without_middle(last))
            }
            _ => self.line(),
        }
    }
}

/// A line of at most [`PRINTED`] characters: a longer one without its middle, since the cause is
/// mostly at its end.
fn without_middle(line: &str) -> String {
    let shown: Vec<char> = line.chars().filter(|c| crate::is_shown(*c)).collect();
    let Some(over) = shown.len().checked_sub(PRINTED).filter(|over| *over >= LITTLE) else {
        return shown.into_iter().collect();
    };
    let first = PRINTED / 4;
    let (start, end) = (&shown[..first], &shown[first + over + 1..]);
    start.iter().chain(&['…']).chain(end).collect()
}

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// As the plan expects; its values count, unless it was the warmup.
    Valid,
    /// As the plan expects, in a round that was found to be warmup.
    WarmUp,
    /// The execution reached a limit. Its values are lower bounds of the full values.
    LimitReached {
        /// The limit.
        #[serde(flatten)]
        reached: ReachedLimit,
        /// The last of what it printed, as that of a failure.
        output: String,
    },
    /// As the plan expects, in a round that the host disturbed and that was therefore repeated; its
    /// values are kept and never summarised.
    Disturbed {
        /// The disturbance, in one line.
        why: String,
    },
    /// Otherwise; its values are kept and never summarised.
    Failed {
        /// The failure.
        #[serde(flatten)]
        failure: Failure,
        /// The last of what it printed, as far as it was kept; what is not UTF-8 in it is replaced.
        output: String,
    },
}

impl Outcome {
    /// Whether the execution failed; reaching a limit is no failure.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(self, Outcome::Failed { .. })
    }

    /// Whether it gave another answer than expected.
    #[must_use]
    pub fn is_wrong_answer(&self) -> bool {
        matches!(self, Outcome::Failed { failure: Failure::WrongAnswer { .. }, .. })
    }

    /// Whether it ended as the plan expects.
    #[must_use]
    pub fn is_as_expected(&self) -> bool {
        matches!(self, Outcome::Valid | Outcome::WarmUp)
    }

    /// Whether the execution counts as one of the requested ones: it ended as expected or reached a
    /// limit, in a round that was not disturbed.
    #[must_use]
    pub fn is_result(&self) -> bool {
        matches!(self, Outcome::Valid | Outcome::WarmUp | Outcome::LimitReached { .. })
    }

    /// The description of an unexpected end, in one line, and the last line of the output.
    #[must_use]
    pub fn described(&self) -> Option<(String, &str)> {
        match self {
            Outcome::Valid | Outcome::WarmUp => None,
            Outcome::Disturbed { why } => Some((format!("disturbed: {why}"), "")),
            Outcome::LimitReached { reached, output } => Some((reached.line(), output)),
            Outcome::Failed { failure, output } => Some((failure.line(), output)),
        }
    }
}

/// The raw readings of one execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The place in the schedule.
    pub place: Place,
    /// When it was started.
    pub at: Timestamp,
    /// How it ended.
    pub outcome: Outcome,
    /// The values by metric name, in the metric's base unit, in order of the names.
    ///
    /// A metric that could not be read is absent, never 0. A name that repeats holds the replicates
    /// of that metric within this one execution, in the order in which they were found.
    pub values: Vec<(MetricName, f64)>,
}

impl Sample {
    /// The value of that metric, if it was read: the median of its replicates, where there are
    /// several.
    ///
    /// One execution gives one value, however many its output has. Values of one execution are not
    /// independent, so they would look like more evidence than there is.
    #[must_use]
    pub fn value(&self, metric: &str) -> Option<f64> {
        let begin = self.values.partition_point(|(name, _)| &**name < metric);
        let named = self.values[begin..].iter().take_while(|(name, _)| name == metric);
        let mut all = named.map(|(_, value)| *value);
        let first = all.next()?;
        match all.next() {
            None => Some(first),
            Some(second) => median_of_replicates([first, second].into_iter().chain(all).collect()),
        }
    }

    /// Adds a value, in order of the names and after others of the same name.
    pub fn add(&mut self, metric: &str, value: f64) {
        let at = self.values.partition_point(|(name, _)| &**name <= metric);
        self.values.insert(at, (Metric::shared_name(metric), value));
    }

    /// Whether its values may be summarised: it ended as expected and was not the warmup.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.outcome == Outcome::Valid && self.place.round > 0
    }

    /// Whether it reached a limit, and not in the warmup.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        matches!(self.outcome, Outcome::LimitReached { .. }) && self.place.round > 0
    }

    /// The lower bound of the metric if a limit was reached and less is better. Other metrics have
    /// no bound, since their direction without the limit is unknown.
    #[must_use]
    pub fn bound(&self, metric: &Metric) -> Option<f64> {
        let is_known = self.is_limited() && metric.better == Direction::Lower;
        is_known.then(|| self.value(&metric.name))?
    }
}

/// The value that represents the replicates of a metric within one execution: their median, if
/// there are any.
#[must_use]
pub fn median_of_replicates(mut replicates: Vec<f64>) -> Option<f64> {
    replicates.sort_by(f64::total_cmp);
    let (upper, lower) = (replicates.len() / 2, replicates.len().checked_sub(1)? / 2);
    Some(f64::midpoint(replicates[lower], replicates[upper]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_earlier_versions_have_text_alone() {
        let read = |text: &str| serde_json::from_str::<Failure>(text).unwrap();
        let wrong = Failure::WrongAnswer { why: "digest 1".into(), shown: None };
        assert_eq!(read(r#"{"failure": "wrong-answer", "why": "digest 1"}"#), wrong);
        assert_eq!(wrong.line(), "wrong answer: digest 1");
        let missing = Some("x".to_owned());
        let why = "command not found: `x`".to_owned();
        let old = r#"{"failure": "not-started", "why": "command not found: `x`"}"#;
        assert_eq!(read(old), Failure::NotStarted { why: why.clone(), missing: None });
        let now = Failure::NotStarted { why, missing };
        assert_eq!(read(&serde_json::to_string(&now).unwrap()), now);
    }

    #[test]
    fn replicates_are_one_value() {
        assert_eq!(median_of_replicates(vec![]), None);
        assert_eq!(median_of_replicates(vec![7.0]), Some(7.0));
        assert_eq!(median_of_replicates(vec![9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median_of_replicates(vec![9.0, 1.0, 2.0, 4.0]), Some(3.0));
        let values = [("a", 3.0), ("b", 1.0), ("b", 5.0), ("b", 2.0)];
        let sample = Sample {
            place: Place { round: 1, position: 0 },
            at: Timestamp::UNIX_EPOCH,
            outcome: Outcome::Valid,
            values: values.map(|(name, value)| (name.into(), value)).into(),
        };
        assert_eq!(
            [sample.value("a"), sample.value("b"), sample.value("c")],
            [Some(3.0), Some(2.0), None]
        );
        let mut sample = sample;
        sample.add("b", 9.0);
        sample.add("aa", 7.0);
        let names: Vec<&str> = sample.values.iter().map(|(name, _)| &**name).collect();
        assert_eq!((names, sample.values[5].1), (vec!["a", "aa", "b", "b", "b", "b"], 9.0));
    }
}
