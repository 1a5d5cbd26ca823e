//! A command that is measured beside others.

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_record::plan::{self, Expect, ExpectOutput, Hooks, Output};
use tacho_record::{BenchmarkKey, Conditions, Direction, Inherit, Limits, Metric, Unit};

use crate::trial::env_padding;

/// A command, with all that belongs to it filled in.
#[derive(Clone, Debug)]
pub struct BenchCommand {
    /// The name, which is unique.
    pub name: String,
    /// The command as it was typed, with its parameters filled in.
    pub text: String,
    /// The values that were filled in, by name.
    pub parameters: Vec<(String, String)>,
    /// How it is started.
    pub start: Start,
    /// A file for its standard input; `None`: empty input.
    pub input: Option<String>,
    /// The destination of its output.
    pub output: Output,
    /// The hooks of its executions.
    pub hooks: Hooks,
    /// How long one execution may take.
    pub timeout: Duration,
    /// Its conditions.
    pub conditions: Conditions,
    /// Its limits; reaching one is a result.
    pub limits: Limits,
}

/// How a command is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// As these words.
    Words(Vec<String>),
    /// By a shell, whose words come first.
    Shell(Vec<String>, String),
}

impl BenchCommand {
    /// The metric that its time is: without that of its shell, if it has one.
    #[must_use]
    pub fn time(&self) -> Metric {
        let name = match self.start {
            Start::Words(_) => "wall",
            Start::Shell(..) => Metric::NET_WALL,
        };
        Metric { name: name.to_owned(), unit: Unit::Nanoseconds, better: Direction::Lower }
    }

    /// The key under which its samples are kept.
    pub(super) fn key(&self) -> BenchmarkKey {
        BenchmarkKey::plain(self.name.clone())
    }

    /// The default conditions of a command: the whole environment of `tacho`, whose length varies
    /// by a variable that is [added](Self::padding).
    #[must_use]
    pub fn usual_conditions() -> Conditions {
        Conditions { inherit: Inherit::All, random_environment: true, ..Conditions::default() }
    }

    /// The variable that is added to its environment, and what it holds, in words; `None` if its
    /// length does not vary.
    #[must_use]
    pub fn padding(&self) -> Option<(&'static str, String)> {
        let what = || {
            format!("0 to {} letters X, another number for each execution", env_padding::LONGEST)
        };
        self.conditions.random_environment.then(|| (env_padding::NAME, what()))
    }

    /// The benchmark that it is, as a plan would have it.
    pub(crate) fn benchmark(&self) -> plan::Benchmark {
        let plain = |word: &String| word.replace('{', "{{").replace('}', "}}");
        let (shell, command) = match &self.start {
            Start::Words(words) => (None, words.iter().map(plain).collect()),
            Start::Shell(shell, code) => (Some(shell.clone()), vec![code.clone()]),
        };
        plan::Benchmark {
            name: self.name.clone(),
            version: 1,
            raised: 1,
            same_as: None,
            inputs: BTreeMap::new(),
            command,
            shell,
            parameters: BTreeMap::new(),
            hooks: self.hooks.clone(),
            companion: None,
            timeout: self.timeout,
            directory: None,
            stdin: self.input.clone(),
            output: self.output.clone(),
            conditions: self.conditions.clone(),
            limits: self.limits,
            expect: Expect { exit: 0, stdout: ExpectOutput::Anything },
            metrics: Vec::new(),
        }
    }
}
