//! The rules of `[[benchmark]]`: a command that can be split, parameters that are used. Those of its metrics are in
//! `metric`.

use std::collections::{BTreeMap, BTreeSet};

use super::super::error::Mistake;
use super::super::file::{BenchmarkTable, ExpectStdout, ExpectTable, ParameterValue, Words};
use super::super::spot::Spot;
use super::super::template::{Piece, pieces};
use super::super::{Benchmark, Expect, ExpectOutput};
use super::{Check, Template};
use crate::Parameter;

/// What is filled in by itself somewhere in a plan, and so cannot name a parameter.
const RESERVED: [&str; 5] = ["build", "commit", "jobs", "release", "revision"];

impl Check<'_> {
    /// One `[[benchmark]]`.
    pub(in super::super) fn benchmark(&mut self, table: BenchmarkTable, spot: Spot<'_>) -> Benchmark {
        self.name(&table.name, spot.get("name"));
        self.references(&table, spot);
        for (key, path) in [("directory", &table.directory), ("stdin", &table.stdin)] {
            if let Some(path) = path {
                self.path(key, path, spot.get(key));
            }
        }
        Benchmark {
            name: table.name,
            version: table.version.get(),
            command: self.command(table.command, spot.get("command")),
            parameters: self.parameters(table.parameters, spot.get("parameters")),
            prepare: table.prepare,
            conclude: table.conclude,
            timeout: self.duration(&table.timeout, spot.get("timeout")),
            directory: table.directory,
            stdin: table.stdin,
            expect: self.expect(table.expect, spot.get("expect").get("stdout")),
            metrics: self.metrics(table.metrics, spot.get("metrics")),
        }
    }

    fn name(&mut self, name: &str, spot: Spot<'_>) {
        self.not_blank("name", name, spot);
        if name.contains(char::is_control) {
            let name = name.escape_debug().to_string();
            let hint = "it is shown in tables, so it has to be one line of text";
            self.report(spot, Mistake::BadName { what: "benchmark", name, hint });
        }
    }

    /// That everything referred to exists, and that every parameter is referred to.
    fn references(&mut self, table: &BenchmarkTable, spot: Spot<'_>) {
        let parameters = table.parameters.keys().map(String::as_str);
        let names = self.with_release(["build", "revision"].into_iter().chain(parameters));
        let templates: Vec<Template<'_>> = match &table.command {
            Words::Line(text) => {
                vec![Template { key: "command", names: &names, spot: spot.get("command"), text }]
            }
            Words::Split(words) => (words.iter().enumerate())
                .map(|(index, text)| Template {
                    key: "command",
                    names: &names,
                    spot: spot.get("command").item(index),
                    text,
                })
                .collect(),
        };
        let mut checked: Vec<_> = templates.into_iter().map(|template| self.template(template)).collect();
        if let Some(text) = &table.prepare {
            self.not_blank("prepare", text, spot.get("prepare"));
            checked.push(self.shell(Template {
                key: "prepare",
                names: &names,
                spot: spot.get("prepare"),
                text,
            }));
        }
        if let Some(text) = &table.conclude {
            self.not_blank("conclude", text, spot.get("conclude"));
            self.shell(Template { key: "conclude", names: &names, spot: spot.get("conclude"), text });
        }
        if checked.iter().all(|(well, _)| *well) {
            let used: BTreeSet<&str> = checked.into_iter().flat_map(|(_, used)| used).collect();
            let unused = |name: &&String| !used.contains(name.as_str()) && why_not(name).is_none();
            for name in table.parameters.keys().filter(unused) {
                let mistake = Mistake::UnusedParameter { name: name.clone() };
                self.found.push((spot.get("parameters").key(name), mistake));
            }
        }
    }

    fn command(&mut self, words: Words, spot: Spot<'_>) -> Vec<String> {
        let words = match words {
            Words::Split(words) => words,
            Words::Line(line) => shell_words::split(&line).unwrap_or_else(|_| {
                self.report(spot, Mistake::UnclosedQuote);
                vec![line]
            }),
        };
        self.not_blank("command", words.first().map_or("", String::as_str), spot);
        words
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
                self.found.push((spot.key(&name), Mistake::BadName { what: "parameter", name, hint }));
            }
            let values = self.values(&name, values, spot.get(&name));
            parameters.insert(name, values);
        }
        parameters
    }

    fn values(&mut self, name: &str, values: Vec<ParameterValue>, spot: Spot<'_>) -> Vec<Parameter> {
        if values.is_empty() {
            self.report(spot, Mistake::Empty { key: format!("parameters.{name}") });
        }
        let values: Vec<Parameter> = values.into_iter().map(Parameter::from).collect();
        let mut shown = BTreeSet::new();
        for (index, value) in values.iter().enumerate() {
            let spot = spot.item(index);
            if matches!(value, Parameter::Number(number) if !number.is_finite()) || spot.is_too_large() {
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
                    self.report(spot, Mistake::SameWithoutWarmup);
                }
                ExpectOutput::Same
            }
            ExpectStdout::Contains(text) => {
                if text.is_empty() {
                    self.report(spot.get("contains"), Mistake::Empty { key: "contains".to_owned() });
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

/// What speaks against the name of a parameter.
fn why_not(name: &str) -> Option<&'static str> {
    let rest = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if RESERVED.contains(&name) {
        Some("it is filled in by itself")
    } else if name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(rest)
    {
        None
    } else {
        Some("names are made of letters, digits, `_` and `-`, and begin with a letter or `_`")
    }
}
