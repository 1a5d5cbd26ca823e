//! The definition that decides which version of a benchmark a plan's entry is.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Benchmark, ExpectOutput};
use crate::{Conditions, Digest};

/// The content of a version of a benchmark: what it executes, and the right answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The benchmark's name.
    pub name: String,
    /// The version that it is.
    pub version: u32,
    /// The content as JSON without absent keys: the same text for the same work.
    pub content: String,
}

impl Definition {
    /// The digest of the content, by which it is found again.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.content)
    }

    /// The digests of the input files that were read, by path.
    #[must_use]
    pub fn inputs(&self) -> BTreeMap<String, String> {
        let content = serde_json::from_str::<Value>(&self.content).unwrap_or_default();
        serde_json::from_value(content["inputs"].clone()).unwrap_or_default()
    }

    /// How alike another one with the same command is, spaces and quotes aside: by how few parts
    /// differ.
    #[must_use]
    pub fn likeness(&self, other: &Self) -> Option<Reverse<usize>> {
        let parts = |of: &Self| {
            serde_json::from_str::<BTreeMap<String, Value>>(&of.content).unwrap_or_default()
        };
        let [ours, theirs] = [parts(self), parts(other)];
        let names: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
        let differing = names.into_iter().filter(|name| ours.get(*name) != theirs.get(*name));
        let [ours, theirs] = [&ours, &theirs].map(|parts| bare(parts.get("command")));
        (ours == theirs).then(|| Reverse(differing.count()))
    }

    /// The content without the digests of input files: equal where only they differ.
    #[must_use]
    pub fn without_inputs(&self) -> String {
        let mut content = serde_json::from_str::<Value>(&self.content).unwrap_or_default();
        if let Some(all) = content.as_object_mut() {
            all.remove("inputs");
        }
        content.to_string()
    }
}

/// A command without spaces and quotes.
fn bare(command: Option<&Value>) -> Option<String> {
    let words: Vec<String> = serde_json::from_value(command?.clone()).ok()?;
    let is_word = |c: &char| !c.is_whitespace() && !['\'', '"'].contains(c);
    Some(words.concat().chars().filter(is_word).collect())
}

impl Benchmark {
    /// The definition: the command, its input, its conditions and limits, and the right answer.
    ///
    /// Values of parameters are part of the benchmark's key. Names, metrics, time limits and what
    /// happens after an execution change no value, and are left out. Absent and empty parts are
    /// too, so that a later key of plans changes no definition.
    #[must_use]
    pub fn definition(&self) -> Definition {
        let script = |hook: &Option<super::Hook>| hook.as_ref().map(|hook| hook.script.clone());
        let content = json!({
            "command": self.command,
            "companion": self.companion,
            "conditions": unusual(&self.conditions),
            "directory": self.directory,
            "exit": Some(self.expect.exit).filter(|exit| *exit != 0),
            "inputs": self.inputs,
            "limits": self.limits,
            "prepare": script(&self.hooks.prepare),
            "setup": script(&self.hooks.setup),
            "shell": self.shell,
            "stdin": self.stdin,
            "stdout": Some(&self.expect.stdout).filter(|stdout| **stdout != ExpectOutput::Anything),
            "version": Some(self.raised).filter(|raised| *raised > 1),
        });
        let content = stripped(content).unwrap_or_default().to_string();
        Definition { name: self.name.clone(), version: self.version, content }
    }
}

/// The conditions that differ from the defaults.
fn unusual(conditions: &Conditions) -> Value {
    let usual = json!(Conditions::default());
    let mut given = json!(conditions);
    if let Some(given) = given.as_object_mut() {
        given.retain(|key, value| usual[key] != *value);
    }
    given
}

/// The value without what is absent or empty in it; `None` if the rest is empty.
fn stripped(value: Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Array(all) if all.is_empty() => None,
        Value::Object(all) => {
            let kept = all.into_iter().filter_map(|(key, value)| Some((key, stripped(value)?)));
            let kept: serde_json::Map<String, Value> = kept.collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        value => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use crate::Digest;

    fn content(benchmark: &str) -> String {
        let text = format!("[subject]\n[[benchmark]]\nname = 'x'\n{benchmark}");
        parse(&text, "tacho.toml").unwrap().benchmarks[0].definition().content
    }

    #[test]
    fn the_content_is_what_is_executed_and_nothing_that_is_absent() {
        insta::assert_snapshot!(content("command = 'p 1'"), @r#"{"command":["p","1"]}"#);
        let more = "command = 'p'\nstdin = 'in'\nexpect = { exit = 3, stdout = 'same' }";
        insta::assert_snapshot!(
            content(more),
            @r#"{"command":["p"],"exit":3,"stdin":"in","stdout":"Same"}"#
        );
    }

    #[test]
    fn input_files_are_part_of_the_content_once_they_are_read() {
        let text = "[subject]\n[[benchmark]]\nname = 'x'\ncommand = 'p'\nstdin = 'in'";
        let mut benchmark = parse(text, "tacho.toml").unwrap().benchmarks.remove(0);
        assert_eq!(benchmark.input_files().collect::<Vec<_>>(), ["in"]);
        let unread = benchmark.definition();
        benchmark.inputs = [("in".to_owned(), Digest::of("1"))].into();
        let read = benchmark.definition();
        assert_ne!(read.content, unread.content);
        assert_eq!(read.without_inputs(), unread.content);
        assert_eq!(read.inputs(), [("in".to_owned(), Digest::of("1").to_string())].into());
        let hook = format!("{text}\nprepare = 'seq 9 > in'");
        let made = &parse(&hook, "tacho.toml").unwrap().benchmarks[0];
        assert_eq!(made.input_files().count(), 0, "the hook may write it");
    }

    #[test]
    fn only_what_changes_the_work_changes_the_definition() {
        let one = content("command = 'p 1'");
        for same in [
            "timeout = '9s'",
            "expect = { exit = 0 }",
            "metrics = ['cpu']",
            "cleanup = 'x'",
            "version = 1",
        ] {
            assert_eq!(content(&format!("command = 'p  1'\n{same}")), one, "{same}");
        }
        for other in
            ["version = 2", "shell = true", "stdin = 'x'", "prepare = 'x'", "expect = { exit = 1 }"]
        {
            assert_ne!(content(&format!("command = 'p 1'\n{other}")), one, "{other}");
        }
        assert_ne!(content("command = 'p 2'"), one);
    }
}
