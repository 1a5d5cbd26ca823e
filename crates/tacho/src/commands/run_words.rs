//! What a run was, in words: which command measured, and of what.

use std::collections::{HashMap, HashSet};

use tacho_record::{Build, Purpose, Revision, Run, short_name, shown};
use tacho_store::Store;

use crate::error::CliError;

/// What the run was: `track 18b5b85ede..76f430483c`, `compare main with HEAD`, `bisect calm-otter
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

/// The revisions that a run measured: the only one, or the first and the last. Where later ones
/// have the artifacts of the last, the newest that was built before the run ended is named: it was
/// the end of the range. A few with others between them that were not built are listed.
fn measured(store: &mut Store, run: &Run, revisions: &[Revision]) -> Result<String, CliError> {
    let orders: HashMap<&str, u64> =
        revisions.iter().map(|it| (it.id.as_str(), it.order)).collect();
    let mut measured: Vec<String> =
        store.cells(run.number)?.into_iter().map(|(_, cell)| cell.revision).collect();
    measured.sort_by_key(|id| orders.get(id.as_str()).copied().unwrap_or(u64::MAX));
    measured.dedup();
    if let Some(last) = measured.last() {
        let last = newest_alike(store, run, last, &orders)?;
        if measured.last() != Some(&last) {
            measured.push(last);
        }
    }
    Ok(match measured.as_slice() {
        [] => "nothing".to_owned(),
        [one] => short_name(one).to_owned(),
        [first, .., last]
            if measured.len() <= LISTED && has_gap(store, run, [first, last], &orders)? =>
        {
            let names: Vec<&str> = measured.iter().map(|id| short_name(id)).collect();
            names.join(", ")
        }
        [first, .., last] => format!("{}..{}", short_name(first), short_name(last)),
    })
}

/// Whether a revision between these was not built when the run ended: then they are no range.
fn has_gap(
    store: &mut Store,
    run: &Run,
    [first, last]: [&String; 2],
    orders: &HashMap<&str, u64>,
) -> Result<bool, CliError> {
    let order = |id: &str| orders.get(id).copied();
    let mut built: HashSet<String> = HashSet::new();
    for (host, _) in store.hosts()? {
        let builds = store.builds(host)?.into_iter();
        let before = builds.filter(|it| run.ended.is_none_or(|ended| it.started <= ended));
        built.extend(before.map(|it| it.revision));
    }
    let (Some(from), Some(to)) = (order(first), order(last)) else { return Ok(false) };
    let between = store.commits(from, to.saturating_sub(1))?;
    Ok(between.iter().any(|commit| !built.contains(&commit.id)))
}

/// The newest revision that the run knew to be the same program as this one, with no other program
/// between both.
fn newest_alike(
    store: &mut Store,
    run: &Run,
    revision: &str,
    orders: &HashMap<&str, u64>,
) -> Result<String, CliError> {
    let order = |id: &str| orders.get(id).copied();
    let hosts = store.hosts()?;
    let Some((host, _)) = hosts.into_iter().find(|(_, host)| host.name == run.host) else {
        return Ok(revision.to_owned());
    };
    let cells = store.cells(run.number)?;
    let artifact = cells.iter().find(|(_, cell)| cell.revision == revision).map(|it| it.1.artifact);
    let mut builds: Vec<Build> = store.builds(host)?;
    builds.retain(|build| {
        let is_later = order(&build.revision) > order(revision);
        is_later && run.ended.is_none_or(|ended| build.started <= ended)
    });
    builds.sort_by_key(|build| order(&build.revision));
    let alike = builds.iter().take_while(|build| build.state.artifact() == artifact);
    Ok(alike.last().map_or(revision, |build| &build.revision).to_owned())
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
