//! A run in words: its command and its subject.

use std::collections::HashMap;

use tacho_record::{Purpose, Revision, Run, short_name, shown};
use tacho_store::Store;

use crate::error::CliError;

/// The run in words: `track 18b5b85ede..76f430483c`, `compare main with HEAD`, `bisect calm-otter
/// 18b5b85ede..76f430483c`.
pub fn of_run(store: &mut Store, run: &Run, revisions: &[Revision]) -> Result<String, CliError> {
    Ok(match run.purpose {
        Purpose::Track => format!("track {}", measured(store, run, revisions)?),
        Purpose::Confirm => format!("confirm a change, {}", measured(store, run, revisions)?),
        Purpose::Layouts => format!("layouts of {}", measured(store, run, revisions)?),
        Purpose::Bisect => bisected(store, run)?,
        Purpose::Compare => compared(store, run)?,
        Purpose::Probe => probed(store, run)?,
    })
}

/// At most this many revisions that are no range are listed.
const LISTED: usize = 3;

/// By this name the conditions of a run have the revisions that it was asked to measure, in words.
pub const ASKED: &str = "asked";

/// The revisions that were typed, as names that last: both ends of a range, a few of a list. The
/// measured ones differ: equal builds are measured once, and others link runs.
pub fn asked(typed: &[String], revisions: &[Revision]) -> Option<String> {
    let is_range = typed.is_empty() || typed.iter().any(|it| it.contains(".."));
    let names: Vec<&str> = revisions.iter().map(Revision::short).collect();
    named(&names, is_range)
}

/// These in words, in order of history; `None` if there are none.
fn named(names: &[&str], is_range: bool) -> Option<String> {
    match names {
        [] => None,
        [one] => Some((*one).to_owned()),
        some if some.len() <= LISTED && !is_range => Some(some.join(", ")),
        [first, .., last] if is_range => Some(format!("{first}..{last}")),
        some => {
            let (shown, rest) = some.split_at(LISTED);
            Some(format!("{} and {} more", shown.join(", "), rest.len()))
        }
    }
}

/// The revisions that a run was asked to measure; where that is not known, those that it measured.
fn measured(store: &mut Store, run: &Run, revisions: &[Revision]) -> Result<String, CliError> {
    if let Some(asked) = store.conditions(run.number)?.remove(ASKED) {
        return Ok(asked);
    }
    let orders: HashMap<&str, u64> =
        revisions.iter().map(|it| (it.id.as_str(), it.order)).collect();
    let mut measured: Vec<String> =
        store.cells(run.number)?.into_iter().map(|(_, cell)| cell.revision).collect();
    measured.sort_by_key(|id| orders.get(id.as_str()).copied().unwrap_or(u64::MAX));
    measured.dedup();
    let names: Vec<&str> = measured.iter().map(|id| short_name(id)).collect();
    Ok(named(&names, false).unwrap_or_else(|| "nothing".to_owned()))
}

fn bisected(store: &mut Store, run: &Run) -> Result<String, CliError> {
    let Some(bisection) = store.bisection_of(run.number)? else { return Ok("bisect".to_owned()) };
    let range = match bisection.candidates.as_slice() {
        [good, .., bad] => format!(" {}..{}", good.revision.short(), bad.revision.short()),
        _ => String::new(),
    };
    Ok(format!("bisect {}{range}", bisection.name))
}

fn compared(store: &mut Store, run: &Run) -> Result<String, CliError> {
    let Some(terms) = store.comparing(run.number)? else { return Ok("compare".to_owned()) };
    let [a, b] = terms.sides.each_ref().map(|side| shown(&side.name));
    Ok(if terms.patches.is_empty() {
        format!("compare {a} with {b}")
    } else {
        format!("try {b} on {a}")
    })
}

fn probed(store: &mut Store, run: &Run) -> Result<String, CliError> {
    let Some(terms) = store.probing(run.number)? else { return Ok("probe".to_owned()) };
    let names: Vec<String> = terms.sides.iter().map(|it| shown(&it.side.name)).collect();
    Ok(format!("probe {}", names.join(" and ")))
}
