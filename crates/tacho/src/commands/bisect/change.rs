//! Which commit made a change that was found in a series: what that change asks of a bisection.

use std::collections::HashMap;

use tacho_experiment::bisect::Earlier;
use tacho_record::bisection::Candidate;
use tacho_record::{Change, ChangeKind, Revision};
use tacho_stats::summary::median;

use crate::cli::{Bisect, Global};
use crate::error::CliError;
use crate::project::Project;

/// The command that the change stands for, with all else as it was typed.
pub fn asked(global: &Global, command: &Bisect, name: &str) -> Result<Bisect, CliError> {
    let mut store = Project::open(global)?.store()?;
    let unknown = || CliError::UnknownChange { name: name.to_owned(), nearest: None };
    let (_, change) = store.change(name)?.ok_or_else(unknown)?;
    let revisions = store.revisions()?;
    let short = |id: &str| {
        let known = revisions.iter().find(|revision| revision.id == id);
        known.map_or(id, Revision::short).to_owned()
    };
    let finding = &change.finding;
    let (good, bad) = (short(&finding.good), short(&finding.bad));
    let unit = &change.series.metric.unit;
    let what = match finding.kind {
        ChangeKind::Spread => "its spread",
        ChangeKind::ModeShare => "how often it is at which level",
        ChangeKind::Step | ChangeKind::DipStart | ChangeKind::DipEnd | ChangeKind::Environment => "",
    };
    if !what.is_empty() {
        return Err(CliError::NoLevel { name: change.name, what, good, bad });
    }
    Ok(Bisect {
        good: Some(good),
        bad: Some(bad),
        benchmark: Some(change.series.benchmark.to_string()),
        metric: Some(change.series.metric.name.clone()),
        min_effect: command.min_effect.clone().or_else(|| Some(least(&change))),
        before: Some([finding.before, finding.after].map(|value| unit.exact(value)).join(",")),
        ..command.clone()
    })
}

/// So many revisions on either side of the range tell how far sessions are apart.
const AROUND: usize = 30;

/// How likely each candidate is to be the cause, by what the series has of revisions in the range and around it.
pub fn prior(project: &Project, name: &str, candidates: &[Candidate]) -> Result<Vec<f64>, CliError> {
    let mut store = project.store()?;
    let Some((_, change)) = store.change(name)? else { return Ok(Vec::new()) };
    let host = store.hosts()?.into_iter().find(|(_, host)| host.name == change.series.host);
    let (Some((host, _)), [first, .., last]) = (host, candidates) else { return Ok(Vec::new()) };
    let orders: HashMap<String, u64> = store.revisions()?.into_iter().map(|it| (it.id, it.order)).collect();
    let places: HashMap<&str, usize> =
        candidates.iter().enumerate().map(|(place, it)| (it.revision.id.as_str(), place)).collect();
    let mut sides = [Vec::new(), Vec::new()];
    let mut earlier = Earlier::default();
    for values in store.values(host, &change.series.benchmark, &change.series.metric.name)? {
        let (Some(order), Some(median)) = (orders.get(&values.revision), median(&values.values)) else {
            continue;
        };
        match places.get(values.revision.as_str()) {
            Some(place) if (1..candidates.len() - 1).contains(place) => {
                earlier.between.push((*place, median));
            }
            _ if *order <= first.revision.order => sides[0].push((first.revision.order - order, median)),
            _ if *order >= last.revision.order => sides[1].push((order - last.revision.order, median)),
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
        Some(effect) if effect != 0.0 => format!("{}%", (effect.abs() * 50.0).clamp(0.1, 50.0)),
        _ => change.series.metric.unit.exact((change.finding.after - change.finding.before).abs() / 2.0),
    }
}
