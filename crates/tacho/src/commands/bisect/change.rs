//! Which commit made a change that was found in a series: what that change asks of a bisection.

use std::collections::{BTreeMap, HashMap};

use tacho_experiment::bisect::SeriesAround;
use tacho_record::bisection::Candidate;
use tacho_record::{Change, ChangeKind, Revision};
use tacho_stats::summary::median;
use tacho_store::Store;

use crate::cli::{BisectArgs, GlobalArgs};
use crate::error::CliError;
use crate::output;
use crate::project::Project;

/// The command that the change stands for, with all else as it was typed.
pub fn asked(
    global: &GlobalArgs,
    command: &BisectArgs,
    name: &str,
) -> Result<BisectArgs, CliError> {
    let mut store = Project::open(global)?.store()?;
    let unknown = || CliError::UnknownChange { name: name.to_owned(), nearest: None };
    let (_, change) = store.change(name)?.ok_or_else(unknown)?;
    let revisions = store.revisions()?;
    let short = |id: &str| {
        let known = revisions.iter().find(|revision| revision.id == id);
        known.map_or(id, Revision::short).to_owned()
    };
    let finding = &change.finding;
    let (good, bad) = (&finding.good, &finding.bad);
    let wider = ends_beside(&mut store, &change, &revisions)?;
    if wider != (good.clone(), bad.clone()) {
        let [from, to] = [&wider.0, &wider.1].map(|id| short(id));
        let why = format!(
            "from `{from}` to `{to}`: neighbours of so short a range show how far builds vary"
        );
        output::note("note", &why);
    }
    let (good, bad) = (short(&wider.0), short(&wider.1));
    let unit = &change.series.metric.unit;
    let what = match finding.kind {
        ChangeKind::Spread => "its spread",
        ChangeKind::ModeShare => "how often it is at which level",
        ChangeKind::Build
        | ChangeKind::Step
        | ChangeKind::DipStart
        | ChangeKind::DipEnd
        | ChangeKind::Environment => "",
    };
    if !what.is_empty() {
        return Err(CliError::NoLevel { name: change.name, what, good, bad });
    }
    Ok(BisectArgs {
        good: Some(good),
        bad: Some(bad),
        benchmark: Some(change.series.benchmark.to_string()),
        metric: Some(change.series.metric.name.clone()),
        min_effect: command.min_effect.clone().or_else(|| Some(least(&change))),
        before: Some([finding.before, finding.after].map(|value| unit.exact(value)).join(",")),
        ..command.clone()
    })
}

/// Where there are fewer revisions between the ends of a change, this many before and after are
/// bisected with them: of two builds alone it is unknown whether they differ for no reason of the
/// source.
const BESIDE: u64 = 3;

/// The ends of a change; of a short range the farthest of the tracked revisions right before it and
/// after that have the same level.
fn ends_beside(
    store: &mut Store,
    change: &Change,
    revisions: &[Revision],
) -> Result<(String, String), CliError> {
    let finding = &change.finding;
    let own = (finding.good.clone(), finding.bad.clone());
    let orders: HashMap<&str, u64> =
        revisions.iter().map(|it| (it.id.as_str(), it.order)).collect();
    let host = store.hosts()?.into_iter().find(|(_, host)| host.name == change.series.host);
    let order = |id: &str| orders.get(id).copied();
    let (Some((host, _)), Some(good), Some(bad)) = (host, order(&own.0), order(&own.1)) else {
        return Ok(own);
    };
    if bad.saturating_sub(good) > BESIDE {
        return Ok(own);
    }
    // Whether all that was measured of a revision is at the level after the change.
    let mut levels: BTreeMap<u64, (String, Vec<bool>)> = BTreeMap::new();
    for values in store.values(host, &change.series.benchmark, &change.series.metric.name)? {
        let (Some(order), Some(median)) = (order(&values.revision), median(&values.values)) else {
            continue;
        };
        let is_after = (median - finding.after).abs() < (median - finding.before).abs();
        levels.entry(order).or_insert_with(|| (values.revision, Vec::new())).1.push(is_after);
    }
    let same = |after: bool| {
        move |(_, (_, levels)): &(&u64, &(String, Vec<bool>))| levels.iter().all(|it| *it == after)
    };
    let before =
        levels.range(good.saturating_sub(BESIDE)..good).rev().take_while(same(false)).last();
    let after = levels.range(bad + 1..=bad + BESIDE).take_while(same(true)).last();
    let name = |found: Option<(&u64, &(String, Vec<bool>))>, own: String| {
        found.map_or(own, |it| it.1.0.clone())
    };
    Ok((name(before, own.0), name(after, own.1)))
}

/// This many revisions on either side of the range show how far sessions are apart.
const AROUND: usize = 30;

/// How likely each candidate is to be the cause, by what the series has of revisions in the range
/// and around it.
pub fn prior(
    project: &Project,
    name: &str,
    candidates: &[Candidate],
) -> Result<Vec<f64>, CliError> {
    let mut store = project.store()?;
    let Some((_, change)) = store.change(name)? else { return Ok(Vec::new()) };
    let host = store.hosts()?.into_iter().find(|(_, host)| host.name == change.series.host);
    let (Some((host, _)), [first, .., last]) = (host, candidates) else { return Ok(Vec::new()) };
    let orders: HashMap<String, u64> =
        store.revisions()?.into_iter().map(|it| (it.id, it.order)).collect();
    let places: HashMap<&str, usize> =
        candidates.iter().enumerate().map(|(place, it)| (it.revision.id.as_str(), place)).collect();
    let mut sides = [Vec::new(), Vec::new()];
    let mut earlier = SeriesAround::default();
    for values in store.values(host, &change.series.benchmark, &change.series.metric.name)? {
        let (Some(order), Some(median)) = (orders.get(&values.revision), median(&values.values))
        else {
            continue;
        };
        match places.get(values.revision.as_str()) {
            Some(place) if (1..candidates.len() - 1).contains(place) => {
                earlier.between.push((*place, median));
            }
            _ if *order <= first.revision.order => {
                sides[0].push((first.revision.order - order, median));
            }
            _ if *order >= last.revision.order => {
                sides[1].push((order - last.revision.order, median));
            }
            _ => {}
        }
    }
    let nearest = |mut side: Vec<(u64, f64)>| -> Vec<f64> {
        side.sort_by_key(|(distance, _)| *distance);
        side.into_iter().take(AROUND).map(|(_, median)| median).collect()
    };
    [earlier.before, earlier.after] = sides.map(nearest);
    Ok(earlier.weights(candidates.len()))
}

/// Half of what it changed: what it was then, it need not be now.
fn least(change: &Change) -> String {
    match change.finding.effect {
        Some(effect) if effect != 0.0 => format!("{:.1}%", (effect.abs() * 50.0).clamp(0.1, 50.0)),
        _ => change
            .series
            .metric
            .unit
            .exact((change.finding.after - change.finding.before).abs() / 2.0),
    }
}
