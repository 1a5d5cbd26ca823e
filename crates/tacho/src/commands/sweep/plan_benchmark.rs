//! A benchmark of the plan as commands: one for each choice of its parameters, at what is built in
//! a folder.

use std::path::Path;

use tacho_experiment::bench::{BenchCommand, Start};
use tacho_record::in_backticks;
use tacho_record::plan::{Benchmark, Expect, ExpectOutput, Hook, Hooks, Output, fill, fill_shell};

use super::mistake::SweepMistake;
use super::values;
use crate::commands::bench::parameters::{ParameterRange, ParameterSet, choices};
use crate::output;
use crate::project::Project;

/// A benchmark of a plan, and what it is executed with.
pub struct PlannedBenchmark<'a> {
    pub project: &'a Project,
    pub benchmark: &'a Benchmark,
    /// The meaning of `{build}`.
    pub build: &'a Path,
}

impl PlannedBenchmark<'_> {
    /// The parameters of the plan; those that are typed have the values that are typed.
    pub fn parameters(
        &self,
        typed: Vec<ParameterRange>,
    ) -> Result<Vec<ParameterRange>, SweepMistake> {
        let known = &self.benchmark.parameters;
        if let Some((name, _)) = typed.iter().find(|(name, _)| !known.contains_key(name)) {
            let known = in_backticks(known.keys());
            return Err(SweepMistake::NotAParameter { name: name.clone(), known });
        }
        let of_plan =
            known.iter().filter(|(name, _)| typed.iter().all(|(other, _)| other != *name));
        let shown = |(name, all): (&String, &Vec<tacho_record::Parameter>)| {
            (name.clone(), values::in_order(all.iter().map(ToString::to_string).collect()))
        };
        let of_plan: Vec<ParameterRange> = of_plan.map(shown).collect();
        Ok([typed, of_plan].concat())
    }

    /// A command for each choice of these parameters.
    pub fn commands(
        &self,
        parameters: &[ParameterRange],
    ) -> Result<Vec<BenchCommand>, SweepMistake> {
        if self.benchmark.companion.is_some() {
            return Err(SweepMistake::Companion { name: self.benchmark.name.clone() });
        }
        if self.benchmark.expect.stdout != ExpectOutput::Anything {
            output::note("note", "`sweep` does not check the output against `expect`");
        }
        Ok(choices(parameters).into_iter().map(|choice| self.command(choice)).collect())
    }

    fn command(&self, choice: ParameterSet) -> BenchCommand {
        let benchmark = self.benchmark;
        let build = self.build.to_string_lossy();
        let mut all: Vec<(&str, &str)> =
            vec![("build", &*build), ("revision", "HEAD"), ("release", "HEAD")];
        all.extend(choice.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let (start, text) = match &benchmark.shell {
            None => {
                let words: Vec<String> =
                    benchmark.command.iter().map(|word| fill(word, &all)).collect();
                (Start::Words(words.clone()), words.join(" "))
            }
            Some(shell) => {
                let code: String =
                    benchmark.command.iter().map(|code| fill_shell(code, &all)).collect();
                (Start::Shell(shell.clone(), code.clone()), code)
            }
        };
        let hook = |hook: &Option<Hook>| {
            hook.as_ref()
                .map(|hook| Hook { script: fill_shell(&hook.script, &all), ..hook.clone() })
        };
        let Hooks { setup, prepare, conclude, cleanup } = &benchmark.hooks;
        let hooks = Hooks {
            setup: hook(setup),
            prepare: hook(prepare),
            conclude: hook(conclude),
            cleanup: hook(cleanup),
        };
        let values: Vec<String> =
            choice.iter().map(|(name, value)| format!("{name}={value}")).collect();
        BenchCommand {
            name: format!("{} {}", benchmark.name, values.join(" ")),
            text,
            start,
            input: benchmark.stdin.as_ref().map(|file| self.path(file)),
            output: match &benchmark.output {
                Output::File(file) => Output::File(self.path(file)),
                other => other.clone(),
            },
            hooks,
            timeout: benchmark.timeout,
            conditions: benchmark.conditions.clone(),
            limits: benchmark.limits,
            parameters: choice,
        }
    }

    /// A path of the plan.
    fn path(&self, file: &str) -> String {
        self.project.folder.join(file).display().to_string()
    }

    /// The exit status of a right execution.
    pub fn exit(&self) -> i32 {
        let Expect { exit, .. } = &self.benchmark.expect;
        *exit
    }
}
