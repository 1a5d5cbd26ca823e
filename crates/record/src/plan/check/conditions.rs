//! The rules of `conditions` and `limits`, each over what holds where they say nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::error::Mistake;
use super::super::file::{CgroupName, ConditionsTable, CpusValue, InheritValue, LimitsTable};
use super::super::spot::Spot;
use super::{Check, Template};
use crate::{Cgroup, Conditions, Cpus, Inherit, Limits, Scheduling};

impl Check<'_> {
    /// `conditions`: what it does not say is as in the others.
    pub(super) fn conditions(
        &mut self,
        table: Option<ConditionsTable>,
        base: &Conditions,
        spot: Spot<'_>,
    ) -> Conditions {
        let Some(table) = table else { return base.clone() };
        let mut environment = base.environment.clone();
        for (name, value) in table.environment {
            self.variable(&name, false, spot.get("environment").key(&name));
            environment.insert(name, value);
        }
        let cpus = table.cpus.and_then(|value| self.cpus(value, spot.get("cpus")));
        let scheduling =
            table.scheduling.and_then(|text| self.scheduling(&text, spot.get("scheduling")));
        let inherit =
            table.inherit_environment.map(|it| self.inherit(it, spot.get("inherit-environment")));
        let cgroup = table.cgroup.map(|name| match name {
            CgroupName::Always => Cgroup::Always,
            CgroupName::Auto => Cgroup::Auto,
            CgroupName::Never => Cgroup::Never,
        });
        Conditions {
            cpus: cpus.or_else(|| base.cpus.clone()),
            nice: table.nice.map(|nice| self.nice(nice, spot.get("nice"))).or(base.nice),
            scheduling: scheduling.or(base.scheduling),
            environment,
            inherit: inherit.unwrap_or_else(|| base.inherit.clone()),
            random_environment: table.random_environment.unwrap_or(base.random_environment),
            aslr: table.aslr.or(base.aslr),
            cold: table.cold.unwrap_or(base.cold),
            cgroup: cgroup.unwrap_or(base.cgroup),
            huge_pages: base.huge_pages,
        }
    }

    /// What variables of the environment refer to, as [`Check::template`] returns it.
    pub(super) fn environment_references<'a>(
        &mut self,
        table: Option<&'a ConditionsTable>,
        names: &'a [&'a str],
        spot: Spot<'a>,
    ) -> Vec<(bool, Vec<&'a str>)> {
        let variables = table.into_iter().flat_map(|table| &table.environment);
        let value = |(name, text): (&'a String, &'a String)| {
            let spot = spot.get("environment").get(name);
            self.variable_value(Template { key: name, names, spot, text })
        };
        variables.map(value).collect()
    }

    /// `limits`: what it does not say is as in the others.
    pub(super) fn limits(
        &mut self,
        table: Option<LimitsTable>,
        base: Limits,
        spot: Spot<'_>,
    ) -> Limits {
        let Some(table) = table else { return base };
        let size = |check: &mut Self, text: Option<String>, key: &str| {
            text.map(|text| check.size(&text, spot.get(key)))
        };
        Limits {
            address_space: size(self, table.address_space, "address-space").or(base.address_space),
            cpu_time: table
                .cpu_time
                .map(|text| self.duration(&text, spot.get("cpu-time")))
                .or(base.cpu_time),
            memory: size(self, table.memory, "memory").or(base.memory),
        }
    }

    fn cpus(&mut self, value: CpusValue, spot: Spot<'_>) -> Option<Cpus> {
        let (list, text) = match value {
            CpusValue::Text(text) if text == "isolated" => return Some(Cpus::Isolated),
            CpusValue::Text(text) => (Cpus::list(&text), text),
            CpusValue::Numbers(numbers) => {
                let known = numbers.iter().all(|number| *number <= Cpus::LAST);
                let list = known.then(|| numbers.iter().copied().collect());
                (list, format!("{numbers:?}"))
            }
        };
        let list = list.filter(|list: &BTreeSet<u32>| !list.is_empty());
        if list.is_none() {
            self.report(spot, Mistake::BadCpus { text });
        }
        list.map(Cpus::List)
    }

    fn scheduling(&mut self, text: &str, spot: Spot<'_>) -> Option<Scheduling> {
        let scheduling = parse_scheduling(text);
        if scheduling.is_none() {
            self.report(spot, Mistake::BadScheduling { text: text.to_owned() });
        }
        scheduling
    }

    fn nice(&mut self, nice: i64, spot: Spot<'_>) -> i32 {
        let known = i32::try_from(nice).ok().filter(|nice| (-20..=19).contains(nice));
        known.unwrap_or_else(|| {
            let expected = "a whole number from -20 to 19".to_owned();
            self.report(spot, Mistake::WrongType { key: "nice".to_owned(), expected, found: None });
            0
        })
    }

    fn inherit(&mut self, value: InheritValue, spot: Spot<'_>) -> Inherit {
        match value {
            InheritValue::All(true) => Inherit::All,
            InheritValue::All(false) => Inherit::default(),
            InheritValue::Named(names) => {
                for (index, name) in names.iter().enumerate() {
                    self.variable(name, true, spot.item(index).span());
                }
                Inherit::Named(names)
            }
        }
    }

    /// The name of a variable of the environment, or a pattern for such names.
    pub(super) fn variable(&mut self, name: &str, pattern: bool, at: Range<usize>) {
        let plain = name.strip_suffix('*').filter(|_| pattern).unwrap_or(name);
        let hint = if plain.contains('*') && pattern {
            "`*` is allowed only at the end"
        } else if name.is_empty() || plain.contains(['=', '\0']) {
            "a name has no `=`"
        } else {
            return;
        };
        let name = name.escape_debug().to_string();
        self.found.push((at, Mistake::BadName { what: "variable", name, hint }));
    }
}

/// `other`, `batch`, `idle`, `fifo 50`, `rr 50`.
fn parse_scheduling(text: &str) -> Option<Scheduling> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let priority = match words.next() {
        Some(word) => Some(word.parse::<u8>().ok().filter(|priority| (1..=99).contains(priority))?),
        None => None,
    };
    match (name, priority, words.next()) {
        ("other", None, None) => Some(Scheduling::Other),
        ("batch", None, None) => Some(Scheduling::Batch),
        ("idle", None, None) => Some(Scheduling::Idle),
        ("fifo", Some(priority), None) => Some(Scheduling::Fifo(priority)),
        ("rr", Some(priority), None) => Some(Scheduling::RoundRobin(priority)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_read_as_they_are_shown() {
        for text in ["other", "batch", "idle", "fifo 1", "rr 99"] {
            assert_eq!(
                parse_scheduling(text).map(|class| class.to_string()).as_deref(),
                Some(text)
            );
        }
        for text in ["", "fifo", "rr 0", "fifo 100", "fifo 1 2", "other 1", "deadline"] {
            assert_eq!(parse_scheduling(text), None, "{text}");
        }
    }
}
