//! Hosts: machines with their recorded properties.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Digest;

/// A machine, as it describes itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The name that people know it by.
    pub name: String,
    /// The facts of the host: `cpu`, `cpus`, `memory`, `kernel`, `os` and others, each as one line
    /// of text.
    ///
    /// Facts whose key starts with `now.` may differ from run to run and do not make another host.
    pub facts: BTreeMap<String, String>,
}

/// How a fact begins that cannot be known here; why follows. Facts are kept as text.
pub const NOT_AVAILABLE: &str = "not available here: ";

impl Host {
    /// Whether this text is a fact, and not the reason why there is no fact.
    #[must_use]
    pub fn is_known(fact: &str) -> bool {
        !fact.starts_with(NOT_AVAILABLE)
    }

    /// The identity of the host: its name and all facts that do not change by themselves.
    ///
    /// A series never crosses hosts, so whatever enters here splits series.
    #[must_use]
    pub fn key(&self) -> Digest {
        let lasting = self.facts.iter().filter(|(key, _)| !key.starts_with("now."));
        let lines: Vec<String> = lasting.map(|(key, value)| format!("{key}={value}")).collect();
        Digest::of(format!("{}\n{}", self.name, lines.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_fact_is_absent_is_no_fact() {
        assert!(Host::is_known("performance"));
        assert!(!Host::is_known(&format!("{NOT_AVAILABLE}/sys/x is missing")));
    }

    #[test]
    fn only_lasting_facts_make_the_identity() {
        let facts = |kernel: &str, load: &str| {
            BTreeMap::from([
                ("cpu".into(), "Z80".into()),
                ("now.kernel".into(), kernel.into()),
                ("now.load".into(), load.into()),
            ])
        };
        let one = Host { name: "lab".into(), facts: facts("6.1", "0.1") };
        let two = Host { name: "lab".into(), facts: facts("6.2", "3.0") };
        assert_eq!(one.key(), two.key());
        let three = Host { name: "lab2".into(), ..two };
        assert_ne!(one.key(), three.key());
    }
}
