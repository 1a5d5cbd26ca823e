//! Sides that are taken as they were measured then: which, and whether host and conditions were those of the other.

use std::collections::BTreeMap;

use tacho_experiment::compare::Compared;
use tacho_record::{Earlier, Program};

use super::mistake::Mistake;
use super::sides::{Given, Taken};
use crate::cli::Compare;
use crate::error::CliError;
use crate::output;

/// The conditions that samples depend on; load and uptime are never the same twice.
const CONDITIONS: [&str; 9] =
    ["aslr", "cgroup-cpu", "cgroup-memory", "clocksource", "governor", "kernel", "smt", "thp", "turbo"];

/// Of which earlier runs the sides are that are not to be measured again.
pub fn earlier(command: &Compare, taken: &[Taken; 2]) -> Result<[Option<Earlier>; 2], CliError> {
    if !command.kept {
        return Ok([None, None]);
    }
    let earlier = taken.each_ref().map(|taken| taken.earlier);
    if earlier == [None, None] { Err(Mistake::NothingKept.into()) } else { Ok(earlier) }
}

/// In what the host or the conditions of one side were not those of the other; an error, unless the user lets that pass.
pub fn check_alike(given: &Given, command: &Compare, taken: &[Taken; 2]) -> Result<Vec<String>, CliError> {
    let is_kept = |taken: &Taken| is_file(taken) || command.kept && taken.earlier.is_some();
    if !taken.iter().any(is_kept) {
        return Ok(Vec::new());
    }
    let [a, b] = [facts(given, command, &taken[0])?, facts(given, command, &taken[1])?];
    let other = |(name, value): (&String, &String)| {
        let other = b.get(name).filter(|other| *other != value)?;
        Some(format!("{name} {value} of {}, {other} of {}", taken[0].side.name, taken[1].side.name))
    };
    let differ: Vec<String> = a.iter().filter_map(other).collect();
    if differ.is_empty() || command.regardless {
        Ok(differ)
    } else {
        Err(Mistake::NotAlike { differ }.into())
    }
}

pub fn is_file(taken: &Taken) -> bool {
    matches!(taken.side.program, Program::File { .. })
}

/// What is known of the host and the conditions of a side.
fn facts(given: &Given, command: &Compare, taken: &Taken) -> Result<BTreeMap<String, String>, CliError> {
    if let Some(report) = &taken.report {
        return Ok(report.host.clone());
    }
    let kept = taken.earlier.filter(|_| command.kept).zip(given.store());
    let (host, conditions) = if let Some((earlier, store)) = kept {
        let mut store = store.borrow_mut();
        let run = store.run(earlier.run)?.ok_or(Mistake::NoComparison { run: earlier.run })?;
        (run.host, store.conditions(earlier.run)?)
    } else {
        let now = tacho_measure::host();
        (now.name, now.facts)
    };
    let mut facts: BTreeMap<String, String> = CONDITIONS
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), conditions.get(&format!("now.{name}"))?.clone())))
        .collect();
    facts.insert("host".to_owned(), host);
    Ok(facts)
}

/// That a side which cannot be measured again was measured before.
pub fn tell_of_kept(compared: &Compared, taken: &[Taken; 2]) {
    let Compared::NotBuilt { side, .. } = compared else { return };
    if taken.iter().any(|taken| taken.side.name == *side && taken.earlier.is_some()) {
        output::note("note", &format!("`--kept` takes what was measured of {side} then"));
    }
}
