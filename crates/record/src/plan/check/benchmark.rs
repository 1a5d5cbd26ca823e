//! The rules of `[[benchmark]]`: a command that can be split, parameters that are used. The rules
//! of its metrics are in `metric`.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use super::super::error::Mistake;
use super::super::file::{
    BenchmarkTable, ExpectStdout, ExpectTable, OutputEntry, ParameterValue, ShellEntry, Words,
};
use super::super::spot::Spot;
use super::super::syntax::shell_part;
use super::super::template::{Piece, pieces};
use super::super::{BUILD, Benchmark, Expect, ExpectOutput, Output, OutputPlace, PlannedMetric};
use super::{Check, Template};
use crate::{Cgroup, Metric, Parameter, RuleError, is_shown, shown_name};

/// The characters allowed in names of tables and pages.
pub(super) const VISIBLE: &str =
    "tables show this name: one line of text, without invisible characters";

/// The references that are built in somewhere in a plan, and so cannot be names of parameters.
const RESERVED: [&str; 6] = ["build", "commit", "jobs", "port", "release", "revision"];

impl Check<'_> {
    /// One `[[benchmark]]`.
    pub(in super::super) fn benchmark(
        &mut self,
        table: BenchmarkTable,
        spot: Spot<'_>,
    ) -> Benchmark {
        self.name("benchmark", &table.name, spot.get("name"));
        self.references(&table, spot);
        if let Some(path) = &table.directory {
            self.directory(path, spot.get("directory"));
        }
        if let Some(path) = &table.stdin {
            self.path("stdin", path, spot.get("stdin"));
        }
        let shell =
            table.shell.as_ref().and_then(|entry| self.shell_words(entry, spot.get("shell")));
        let timeout = self.duration(&table.timeout, spot.get("timeout"));
        let hooks = self.hooks(&table, timeout, spot);
        let metrics = self.metrics(table.metrics, spot.get("metrics"));
        let metrics = if is_given("metrics", spot) {
            metrics
        } else {
            usual_metrics(shell.is_some(), metrics)
        };
        let expect = self.expect(table.expect, spot.get("expect").get("stdout"));
        let output = self.output(table.output, (&expect, &metrics), spot.get("output"));
        let companion =
            table.companion.and_then(|table| self.companion(table, spot.get("companion")));
        let command = match shell {
            Some(_) => self.code(table.command, spot.get("command")),
            None => self.words(table.command, spot.get("command")),
        };
        let (conditions, limits) = self.base.clone();
        let conditions = self.conditions(table.conditions, &conditions, spot.get("conditions"));
        let limits = self.limits(table.limits, limits, spot.get("limits"));
        if limits.memory.is_some() && conditions.cgroup == Cgroup::Never {
            self.report(spot.get("limits"), Mistake::LimitWithoutGroup);
        }
        Benchmark {
            name: table.name,
            version: table.same_as.unwrap_or(table.version).get(),
            raised: table.version.get(),
            same_as: table.same_as.map(NonZeroU32::get),
            inputs: BTreeMap::new(),
            command,
            shell,
            parameters: self.parameters(table.parameters, spot.get("parameters")),
            hooks,
            companion,
            timeout,
            directory: table.directory,
            stdin: table.stdin,
            output,
            conditions,
            limits,
            expect,
            metrics,
        }
    }

    /// Checks that a name can be shown.
    pub(super) fn name(&mut self, what: &'static str, name: &str, spot: Spot<'_>) {
        self.not_blank("name", name, spot);
        if !name.chars().all(is_shown) {
            self.report(spot, Mistake::BadName { what, name: shown_name(name), hint: VISIBLE });
        }
    }

    /// Checks that every reference exists, and that every parameter is referred to.
    fn references(&mut self, table: &BenchmarkTable, spot: Spot<'_>) {
        let parameters = table.parameters.keys().map(String::as_str);
        let steady = self.with_release(["build", "revision"].into_iter().chain(parameters));
        let companion = table.companion.as_ref();
        let port = companion.and_then(|companion| companion.port).map(|_| "port");
        let names: Vec<&str> = steady.iter().copied().chain(port).collect();
        let mut checked = match (&table.command, &table.shell) {
            (Words::Line(text), Some(ShellEntry::Line(_) | ShellEntry::Usual(true))) => {
                vec![self.shell(Template {
                    key: "command",
                    names: &names,
                    spot: spot.get("command"),
                    text,
                })]
            }
            (command, _) => self.words_references(command, &names, spot.get("command")),
        };
        if let Some(companion) = companion {
            checked.extend(self.companion_references(companion, &names, spot.get("companion")));
        }
        let conditions = table.conditions.as_ref();
        checked.extend(self.environment_references(conditions, &names, spot.get("conditions")));
        let setup = self.hook_references("setup", table.setup.as_ref(), &steady, spot.get("setup"));
        let prepare =
            self.hook_references("prepare", table.prepare.as_ref(), &names, spot.get("prepare"));
        checked.extend(setup.into_iter().chain(prepare));
        // These hooks run too late to distinguish values.
        self.hook_references("conclude", table.conclude.as_ref(), &names, spot.get("conclude"));
        self.hook_references("cleanup", table.cleanup.as_ref(), &steady, spot.get("cleanup"));
        if checked.iter().all(|(well, _)| *well) {
            let used: BTreeSet<&str> = checked.into_iter().flat_map(|(_, used)| used).collect();
            let unused = |name: &&String| !used.contains(name.as_str()) && why_not(name).is_none();
            for name in table.parameters.keys().filter(unused) {
                let mistake = Mistake::UnusedParameter { name: name.clone() };
                self.found.push((spot.get("parameters").key(name), mistake));
            }
        }
    }

    /// A command that is executed as it is.
    pub(super) fn words(&mut self, words: Words, spot: Spot<'_>) -> Vec<String> {
        let words = match words {
            Words::Split(words) => words,
            Words::Line(line) => {
                if let Some(part) = shell_part(&line) {
                    self.report(spot, Mistake::NeedsShell { part });
                }
                shell_words::split(&line).unwrap_or_else(|_| {
                    self.report(spot, Mistake::UnclosedQuote { key: "command" });
                    vec![line]
                })
            }
        };
        self.not_blank("command", words.first().map_or("", String::as_str), spot);
        words
    }

    /// A command that is left to a shell.
    fn code(&mut self, words: Words, spot: Spot<'_>) -> Vec<String> {
        match words {
            Words::Line(line) => {
                self.not_blank("command", &line, spot);
                vec![line]
            }
            Words::Split(words) => {
                self.report(spot, Mistake::WordsForShell);
                words
            }
        }
    }

    /// The words of the shell, up to the option that code follows; `None` if there is to be no
    /// shell.
    fn shell_words(&mut self, entry: &ShellEntry, spot: Spot<'_>) -> Option<Vec<String>> {
        let line = match entry {
            ShellEntry::Usual(usual) => {
                return usual.then(|| vec!["sh".to_owned(), "-c".to_owned()]);
            }
            ShellEntry::Line(line) => line,
        };
        let mut words = shell_words::split(line).unwrap_or_else(|_| {
            self.report(spot, Mistake::UnclosedQuote { key: "shell" });
            vec![line.clone()]
        });
        self.not_blank("shell", words.first().map_or("", String::as_str), spot);
        let takes_code = |word: &String| {
            word.strip_prefix('-').is_some_and(|rest| {
                rest.ends_with('c') && rest.chars().all(|letter| letter.is_ascii_alphabetic())
            })
        };
        if !words.last().is_some_and(takes_code) {
            words.push("-c".to_owned());
        }
        Some(words)
    }

    fn output(
        &mut self,
        entry: Option<OutputEntry>,
        (expect, metrics): (&Expect, &[PlannedMetric]),
        spot: Spot<'_>,
    ) -> Output {
        let is_read = |metric: &PlannedMetric| {
            metric.reading.as_ref().is_some_and(|reading| reading.place == OutputPlace::Stdout)
        };
        match entry {
            Some(OutputEntry::Null) if expect.stdout != ExpectOutput::Anything => {
                self.report(spot, Mistake::OutputNotRead { reader: "expect.stdout" });
                Output::Needed
            }
            Some(OutputEntry::Null) if metrics.iter().any(is_read) => {
                self.report(spot, Mistake::OutputNotRead { reader: "metrics" });
                Output::Needed
            }
            None | Some(OutputEntry::Null) => Output::Needed,
            Some(OutputEntry::Keep) => Output::Keep,
            Some(OutputEntry::Pipe) => Output::Pipe,
            Some(OutputEntry::File(path)) => {
                self.path("output.file", &path, spot.get("file"));
                Output::File(path)
            }
        }
    }

    fn parameters(
        &mut self,
        table: BTreeMap<String, Vec<ParameterValue>>,
        spot: Spot<'_>,
    ) -> BTreeMap<String, Vec<Parameter>> {
        let mut parameters = BTreeMap::new();
        for (name, values) in table {
            if let Some(hint) = why_not(&name) {
                let name = name.escape_debug().to_string();
                self.found
                    .push((spot.key(&name), Mistake::BadName { what: "parameter", name, hint }));
            }
            let values = self.values(&name, values, spot.get(&name));
            parameters.insert(name, values);
        }
        parameters
    }

    fn values(
        &mut self,
        name: &str,
        values: Vec<ParameterValue>,
        spot: Spot<'_>,
    ) -> Vec<Parameter> {
        if values.is_empty() {
            self.report(spot, Mistake::Empty { key: format!("parameters.{name}") });
        }
        let values: Vec<Parameter> = values.into_iter().map(Parameter::from).collect();
        let mut shown = BTreeSet::new();
        for (index, value) in values.iter().enumerate() {
            let spot = spot.item(index);
            if matches!(value, Parameter::Number(number) if !number.is_finite())
                || spot.is_too_large()
            {
                let (key, expected) =
                    (format!("parameters.{name}"), "numbers that fit into 64 bits".to_owned());
                self.report(spot, Mistake::WrongType { key, expected, found: None });
            }
            // 1, 1.0 and "1" are filled in alike, and shown alike.
            self.unique(&mut shown, "value", &value.to_string(), spot);
        }
        values
    }

    fn expect(&mut self, table: ExpectTable, spot: Spot<'_>) -> Expect {
        let stdout = match table.stdout {
            ExpectStdout::Anything => ExpectOutput::Anything,
            ExpectStdout::Same => {
                if self.warmup == Some(false) {
                    self.report(spot, RuleError::SameWithoutWarmup.into());
                }
                ExpectOutput::Same
            }
            ExpectStdout::Contains(text) => {
                if text.is_empty() {
                    self.report(
                        spot.get("contains"),
                        Mistake::Empty { key: "contains".to_owned() },
                    );
                }
                ExpectOutput::Contains(text)
            }
            ExpectStdout::File(path) => {
                self.path("file", &path, spot.get("file"));
                ExpectOutput::File(path)
            }
        };
        Expect { exit: table.exit.into(), stdout }
    }

    /// The folder that it is executed in: the same for all revisions, or that of the build.
    fn directory(&mut self, path: &str, spot: Spot<'_>) {
        let within = path.strip_prefix(BUILD);
        if within.is_none_or(|rest| !rest.is_empty() && !rest.starts_with('/')) {
            self.path("directory", path, spot);
        }
    }

    /// A path that is the same for all revisions, so that nothing is filled in.
    pub(super) fn path(&mut self, key: &str, path: &str, spot: Spot<'_>) {
        self.not_blank(key, path, spot);
        for (at, piece) in pieces(path) {
            if let Piece::Reference(name) = piece
                && RESERVED.contains(&name)
            {
                let mistake = Mistake::NotFilledIn { name: name.to_owned() };
                self.found.push((spot.part(at, name.len() + 2), mistake));
            }
        }
    }
}

/// Whether the table has that key.
fn is_given(key: &str, spot: Spot<'_>) -> bool {
    spot.key(key) != spot.span()
}

/// The metrics where the plan gives none: with a shell, the time without it goes first.
fn usual_metrics(shell: bool, usual: Vec<PlannedMetric>) -> Vec<PlannedMetric> {
    let named = |name: &str| Metric::known(name).map(PlannedMetric::plain).filter(|_| shell);
    let (first, last) = (named(Metric::NET_WALL), named(Metric::SHELL));
    first.into_iter().chain(usual).chain(last).collect()
}

/// The reason why a text cannot be the name of a parameter.
fn why_not(name: &str) -> Option<&'static str> {
    let rest = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if RESERVED.contains(&name) {
        Some("this name is filled in automatically")
    } else if name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(rest)
    {
        None
    } else {
        Some("names are made of letters, digits, `_` and `-`, and begin with a letter or `_`")
    }
}
