//! The plan: what `tacho.toml` says.
//!
//! This module has the types that the other crates use: checked, with all defaults filled in. How
//! the file spells them is in `file`; [`parse()`] leads from the one to the other and shows every
//! mistake at its place; [`fill`] puts values into commands and [`fill_shell`] into shell code;
//! [`schema()`] describes the file to editors.

mod alike;
mod check;
mod companion;
mod definition;
mod error;
mod file;
mod hook;
mod keys;
mod parse;
mod quirk;
mod reading;
mod schema;
mod shell;
mod spot;
mod syntax;
mod template;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    BenchmarkKey, Conditions, Digest, Limits, Metric, Parameter, Parameters, Precision,
    ReferenceMode, Rule, RuleError, RuleRequest, Warmup,
};

/// The reference to the folder of a build in commands and paths.
pub const BUILD: &str = "{build}";

pub use companion::{Companion, CompanionLifetime, Port, Ready};
pub use definition::Definition;
pub use error::PlanErrors;
pub use hook::{Hook, Hooks};
pub use parse::{parse, parse_quirks};
pub(crate) use quirk::Take;
pub use quirk::{Commands, Edge, EdgePlace, Quirk};
pub use reading::{Counting, OutputPlace, Pattern, PlannedMetric, Reading, Tool};
pub use schema::schema;
pub use shell::fill_shell;
pub use syntax::{shell_operator, shell_part};
pub use template::{fill, fill_known};

/// How to get, build and measure the subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The program under test.
    pub subject: Subject,
    /// How often, and what is kept.
    pub measure: Measure,
    /// The benchmarks; at least one.
    pub benchmarks: Vec<Benchmark>,
}

impl Plan {
    /// All benchmarks with all their parameters, in the plan's order.
    #[must_use]
    pub fn keyed_benchmarks(&self) -> Vec<(&Benchmark, BenchmarkKey)> {
        let keys = |benchmark: &'_ Benchmark| -> Vec<BenchmarkKey> {
            let key = |parameters| BenchmarkKey {
                name: benchmark.name.clone(),
                version: benchmark.version,
                parameters,
            };
            Parameters::product(&benchmark.parameters).into_iter().map(key).collect()
        };
        self.benchmarks.iter().flat_map(|b| keys(b).into_iter().map(move |key| (b, key))).collect()
    }

    /// The plan with only the benchmarks of these names. A key such as `sort v2 [batch=64]` means
    /// the benchmark at these parameters. The error is the first name that no benchmark has.
    pub fn only<'n>(&self, names: &'n [String]) -> Result<Self, &'n str> {
        let keyed = self.keyed_benchmarks();
        let is_unknown = |name: &&String| {
            !keyed.iter().any(|(it, key)| it.name == **name || key.to_string() == **name)
        };
        if let Some(unknown) = names.iter().find(is_unknown) {
            return Err(unknown);
        }
        let chosen = self.benchmarks.iter().flat_map(|benchmark| {
            if names.is_empty() || names.contains(&benchmark.name) {
                return vec![benchmark.clone()];
            }
            let of_it = keyed.iter().filter(|(it, _)| std::ptr::eq(*it, benchmark));
            let asked = of_it.filter(|(_, key)| names.contains(&key.to_string()));
            asked.map(|(_, key)| benchmark.at(&key.parameters)).collect()
        });
        Ok(Self { benchmarks: chosen.collect(), ..self.clone() })
    }

    /// The plan with these requests in place of its own, unless they contradict the rest of it.
    pub fn with_rule(&self, typed: RuleRequest) -> Result<Self, RuleError> {
        let request = typed.before(&self.measure.request);
        let rule = request.rule()?;
        let same = |benchmark: &Benchmark| benchmark.expect.stdout == ExpectOutput::Same;
        if !rule.warmup.is_any() && self.benchmarks.iter().any(same) {
            return Err(RuleError::SameWithoutWarmup);
        }
        let plan =
            Self { measure: Measure { request, rule, ..self.measure.clone() }, ..self.clone() };
        plan.known_precision().map(|()| plan)
    }

    /// The plan as revisions are tracked by it: where `levels` asks for several layouts, each build
    /// is linked in this many orders, which are executed in turn. `processes` are the executions of
    /// each, if not those that the plan says.
    pub fn over_layouts(&self, processes: Option<u32>) -> Result<Self, RuleError> {
        let Some(levels) = self.measure.levels.filter(|levels| levels.layouts > 1) else {
            return Ok(self.clone());
        };
        let rule = &self.measure.rule;
        if rule.precision.is_some() {
            return Err(RuleError::Contradiction { key: "precision", other: "levels" });
        }
        if self.subject.order.is_some() {
            return Err(RuleError::Contradiction { key: "order", other: "levels" });
        }
        if rule.warmup == Warmup::Found {
            return Err(RuleError::Contradiction { key: "warmup", other: "levels" });
        }
        let rounds = levels.layouts.saturating_mul(processes.unwrap_or(levels.processes));
        let rule = Rule {
            warmup: rule.warmup.times(levels.layouts),
            min_rounds: rounds,
            max_rounds: rounds,
            ..rule.clone()
        };
        let subject = self.subject.over(Some(levels));
        Ok(Self { subject, measure: Measure { rule, ..self.measure.clone() }, ..self.clone() })
    }

    /// Reports a metric that no benchmark has.
    fn known_precision(&self) -> Result<(), RuleError> {
        let metric =
            self.measure.rule.precision.as_ref().and_then(|precision| precision.metric.as_ref());
        match metric {
            Some(name) if !self.benchmarks.iter().any(|benchmark| benchmark.has(name)) => {
                Err(RuleError::UnknownMetric { name: name.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// The source of the subject's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// A git repository, by path from the plan's folder.
    Git(String),
    /// A module of a CVS repository.
    Cvs(CvsModule),
    /// Published releases, oldest first.
    Releases(Vec<String>),
    /// A shell command that prints releases, oldest first, separated by white space.
    ReleasesFrom(String),
}

/// A module of a CVS repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CvsModule {
    /// The repository as `cvs -d` takes it (`:ext:user@host:/cvs`), or a folder, by path from the
    /// plan's.
    pub root: String,
    /// The folder in the repository, or the name that its `CVSROOT/modules` gives it.
    pub module: String,
    /// The branch; `None`: the trunk.
    pub branch: Option<String>,
    /// The expansion of keywords such as `$Id$` in files, as `cvs checkout -k` takes it.
    pub keywords: String,
}

/// The program under test: its history, and how it is built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Its name on pages; the plan's folder when not given.
    pub name: Option<String>,
    /// The source of the history.
    pub source: Source,
    /// The shell command that builds it, in a clean checkout (or an empty folder for releases).
    ///
    /// `{jobs}`, `{release}` and `{revision}` are filled in by [`fill_shell`]; all other braces are
    /// the shell's. `None` means that the checkout is used without a build.
    pub build: Option<String>,
    /// How long a build may take.
    pub build_timeout: Duration,
    /// Files and folders that benchmarks use, from the root of the checkout, as patterns (`*.so`);
    /// `.` is all of it.
    pub artifacts: Vec<String>,
    /// Files and folders that decide what the program is, from the root of the repository, as
    /// patterns; empty: any file may.
    pub paths: Vec<String>,
    /// Whether submodules are checked out.
    #[serde(default = "yes")]
    pub submodules: bool,
    /// Where a commit can be seen, with `{commit}` for its hash (`{release}` for releases); for CVS
    /// with `{file}`, `{old}` and `{new}`, for the difference in one file.
    pub link: Option<String>,
    /// The additional steps that old revisions need to build.
    pub quirks: Vec<Quirk>,
    /// In how many orders each build is linked, all of them together being one build; `None`: as
    /// the command links it. A plan sets it for what it tracks ([`Plan::over_layouts`]).
    #[serde(default)]
    pub layouts: Option<u32>,
    /// The order that is the same each time in which everything is linked, by its name; `None`: as
    /// the command links it.
    #[serde(default)]
    pub order: Option<String>,
    /// The revisions into which a revision of git is merged before its build, in this order; all by
    /// full name. No plan sets this, but the bisection of a merge's commits does.
    #[serde(default)]
    pub onto: BTreeMap<String, Vec<String>>,
}

/// Submodules are part of a checkout unless a plan says otherwise.
fn yes() -> bool {
    true
}

impl Subject {
    /// The same, linked in as many orders as these levels say.
    #[must_use]
    pub fn over(&self, levels: Option<RepetitionLevels>) -> Self {
        let layouts = levels.map(|levels| levels.layouts).filter(|layouts| *layouts > 1);
        Self { layouts, ..self.clone() }
    }

    /// Whether one of these quirks, which a revision has, skips it.
    #[must_use]
    pub fn skips(&self, quirks: &[String]) -> bool {
        self.quirks.iter().any(|quirk| quirk.skip && quirks.contains(&quirk.name))
    }

    /// The digest of all in the plan that decides what is built where no quirk applies: the command
    /// and the artifacts, in how many orders it is linked, whether submodules are left out, and
    /// with CVS what becomes of keywords.
    #[must_use]
    pub fn recipe(&self) -> Digest {
        let mut artifacts: Vec<&str> = self.artifacts.iter().map(String::as_str).collect();
        artifacts.sort_unstable();
        artifacts.dedup();
        let command = self
            .build
            .as_deref()
            .map_or_else(|| "none".to_owned(), |command| format!("some {command}"));
        let keywords = match &self.source {
            Source::Cvs(module) => Some(module.keywords.as_str()),
            _ => None,
        };
        // No part holds a zero byte, since none could be passed to a shell or a file system.
        let parts = [&["recipe 1", command.as_str()], artifacts.as_slice()].concat().join("\0");
        let parts =
            keywords.map_or(parts.clone(), |keywords| format!("{parts}\0keywords\0{keywords}"));
        let parts = if self.submodules { parts } else { format!("{parts}\0no submodules") };
        let parts =
            self.order.as_ref().map_or(parts.clone(), |order| format!("{parts}\0order\0{order}"));
        Digest::of(
            self.layouts.map_or(parts.clone(), |layouts| format!("{parts}\0layouts\0{layouts}")),
        )
    }
}

/// How often, and how much is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// The request.
    pub request: RuleRequest,
    /// The rule that follows from it: the number of executions, and the warmup.
    pub rule: Rule,
    /// How often to repeat at each level, where that is said.
    pub levels: Option<RepetitionLevels>,
    /// How many of the newest measured revisions a run with new revisions measures again.
    pub link: u32,
    /// The program that is executed beside the subject to distinguish the machine's changes from
    /// the subject's.
    pub reference: PlannedReference,
    /// How large the cache of built artifacts may become, in bytes, compressed.
    pub cache_limit: u64,
    /// The conditions of benchmarks without their own.
    pub conditions: Conditions,
    /// Their limits, likewise.
    pub limits: Limits,
}

/// The program that is executed beside the subject to recognise changes of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedReference {
    /// The share of the time for fixed programs, if the plan sets it.
    pub programs: Option<ReferenceMode>,
    /// A revision of the subject that each run with new revisions measures again.
    pub revision: Option<String>,
}

impl PlannedReference {
    /// The share of the time for fixed programs: 0 by default.
    #[must_use]
    pub fn mode(&self) -> ReferenceMode {
        self.programs.unwrap_or_default()
    }
}

/// How often to repeat at each level of a program that is linked in several orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepetitionLevels {
    /// Layouts of each program.
    pub layouts: u32,
    /// Executions of each layout.
    pub processes: u32,
}

/// The expectation of an execution's standard output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExpectOutput {
    /// Anything; it is not even read.
    Anything,
    /// The output contains this text.
    Contains(String),
    /// Exactly the content of this file, by path from the plan's folder.
    File(String),
    /// The same as in all other executions of the benchmark with these parameters.
    Same,
}

/// The destination of an execution's standard output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// The output goes to this file, by path from the plan's folder, which is empty at the start of
    /// each execution.
    File(String),
    /// The output goes to the standard output of `tacho`, and so does standard error; no plan can
    /// request that.
    Inherit,
    /// The output is read and counted, and its beginning kept with the sample.
    Keep,
    /// The output is read as far as an expectation or a metric needs it; otherwise it is discarded.
    #[default]
    Needed,
    /// The output is read and counted.
    Pipe,
}

/// The right answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expect {
    /// The exit status.
    pub exit: i32,
    /// The standard output.
    pub stdout: ExpectOutput,
}

/// A named, versioned command to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Its name, unique in the plan.
    pub name: String,
    /// The version of the benchmark: the plan's, until the store gives the version of this
    /// definition.
    pub version: u32,
    /// The version that the plan gives: part of the definition.
    #[serde(skip)]
    pub raised: u32,
    /// The version that the plan says it is, however it reads.
    #[serde(skip)]
    pub same_as: Option<u32>,
    /// The digest of each of its [input files](Self::input_files) that was read, by path.
    #[serde(skip)]
    pub inputs: BTreeMap<String, Digest>,
    /// The command, as its words; `{build}`, `{revision}`, `{release}`, parameters and, with a
    /// companion that has one, `{port}` are filled in by [`fill`]. With a `shell` it is one word,
    /// filled in by [`fill_shell`].
    pub command: Vec<String>,
    /// The words of the shell that the command is for, up to the option that code follows; `None`:
    /// there is no shell.
    pub shell: Option<Vec<String>>,
    /// Values for each parameter; all combinations are measured.
    pub parameters: BTreeMap<String, Vec<Parameter>>,
    /// The steps around executions, which are not timed.
    pub hooks: Hooks,
    /// The program that is up during each execution.
    pub companion: Option<Companion>,
    /// How long one execution may take.
    pub timeout: Duration,
    /// The folder that it is executed in, by path from the plan's folder; [`BUILD`] at its start is
    /// the folder of the build.
    pub directory: Option<String>,
    /// A file for its standard input, by path from the plan's folder; `None`: empty input.
    pub stdin: Option<String>,
    /// The destination of its standard output.
    pub output: Output,
    /// Its conditions, including those of `[measure]`.
    pub conditions: Conditions,
    /// The limits, likewise.
    pub limits: Limits,
    /// The right answer.
    pub expect: Expect,
    /// The metrics that are shown, the most telling first, and those that are read from the output;
    /// the built-in ones are all recorded.
    pub metrics: Vec<PlannedMetric>,
}

impl Benchmark {
    /// The benchmark with one choice of its parameters.
    #[must_use]
    pub fn at(&self, parameters: &Parameters) -> Self {
        let one = |(name, value): (&String, &Parameter)| (name.clone(), vec![value.clone()]);
        Self { parameters: parameters.0.iter().map(one).collect(), ..self.clone() }
    }

    /// The folder that it is executed in, for a plan and a build in these folders; `None` if it is
    /// the build's folder, and there is no build yet.
    #[must_use]
    pub fn folder(&self, plan: &Path, build: Option<&Path>) -> Option<PathBuf> {
        let path = self.directory.as_deref().unwrap_or_default();
        match path.strip_prefix(BUILD) {
            Some(within) => build.map(|build| build.join(within.trim_start_matches('/'))),
            None if path.is_empty() => Some(plan.to_owned()),
            None => Some(plan.join(path)),
        }
    }

    /// The files, by path from the plan's folder, whose content is part of the definition: the
    /// standard input and the expected output. Files that a hook may write are not part of it, but
    /// the hook's script is.
    pub fn input_files(&self) -> impl Iterator<Item = &str> {
        let is_written = self.hooks.setup.is_some() || self.hooks.prepare.is_some();
        let expected = match &self.expect.stdout {
            ExpectOutput::File(path) => Some(path.as_str()),
            _ => None,
        };
        self.stdin.as_deref().into_iter().chain(expected).filter(move |_| !is_written)
    }

    /// Whether each execution gives that metric, as far as it can be read.
    fn has(&self, metric: &str) -> bool {
        Metric::built_in(metric).is_some()
            || self.metrics.iter().any(|planned| planned.metric.name == metric)
    }

    /// Whether any command of the benchmark refers to the revision or its build.
    #[must_use]
    pub fn names_revisions(&self) -> bool {
        const NAMES: [&str; 4] = ["{build}", "{revision}", "{release}", "TACHO_REVISION"];
        let companion = self.companion.iter().flat_map(|it| &it.command);
        let commands = self.command.iter().chain(companion).map(String::as_str);
        let commands = commands.chain(self.directory.as_deref());
        let commands = commands.chain(self.conditions.environment.values().map(String::as_str));
        let mut texts = commands.chain(self.hooks.each().map(|(_, hook)| hook.script.as_str()));
        texts.any(|text| NAMES.iter().any(|name| text.contains(name)))
    }

    /// The metric whose median is to be known so precisely.
    #[must_use]
    pub fn precise_metric(&self, precision: &Precision) -> Option<Metric> {
        let own = |name: &str| {
            self.metrics.iter().map(|it| &it.metric).find(|it| it.name == name).cloned()
        };
        let named = precision
            .metric
            .as_deref()
            .and_then(|name| own(name).or_else(|| Metric::built_in(name)));
        named.or_else(|| Some(self.metrics.first()?.metric.clone()))
    }
}
