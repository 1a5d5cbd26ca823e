//! The request of a bisection from a change of a series: the range, the least effect, and the
//! likely commits.

use std::collections::{BTreeMap, HashMap};

use tacho_record::bisection::{Candidate, ValueComparison};
use tacho_record::{Change, Revision};
use tacho_stats::summary::median;
use tacho_store::{HostId, Store};

use super::prior::SeriesAround;
use crate::ExperimentError;

/// If there are fewer revisions between the ends of a change, this many before and after are
/// included: two builds alone do not show whether builds differ without a change of the source.
const BESIDE: u64 = 3;

/// The number of revisions on either side of the range that show the differences between sessions.
const AROUND: usize = 30;

/// The ends of a change; of a short range the farthest of the tracked revisions right before it and
/// after that have the same level. `revisions` are all that are known.
pub fn ends_of_change(
    store: &mut Store,
    change: &Change,
    revisions: &[Revision],
) -> Result<(String, String), ExperimentError> {
    let finding = &change.finding;
    let own = (finding.good.clone(), finding.bad.clone());
    let orders: HashMap<&str, u64> =
        revisions.iter().map(|it| (it.id.as_str(), it.order)).collect();
    let order = |id: &str| orders.get(id).copied();
    let (Some(host), Some(good), Some(bad)) =
        (host_of(store, change)?, order(&own.0), order(&own.1))
    else {
        return Ok(own);
    };
    if bad.saturating_sub(good) > BESIDE {
        return Ok(own);
    }
    // Whether all values of a revision are at the level after the change.
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

/// How likely each candidate is to be the cause of a change, as weights, by what the series has of
/// revisions in the range and around it; empty if that says nothing.
pub fn prior_of_change(
    store: &mut Store,
    change: &Change,
    candidates: &[Candidate],
) -> Result<Vec<f64>, ExperimentError> {
    let (Some(host), [first, .., last]) = (host_of(store, change)?, candidates) else {
        return Ok(Vec::new());
    };
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

/// The least effect to look for: half of what the change was then, since it may be less now. A
/// share of the value where the change has one, else a difference in the metric's base unit.
#[must_use]
pub fn least_of_change(change: &Change) -> (ValueComparison, f64) {
    let finding = &change.finding;
    match finding.effect {
        Some(effect) if effect != 0.0 => {
            (ValueComparison::Ratio, (effect.abs() / 2.0).clamp(0.001, 0.5))
        }
        _ => (ValueComparison::Difference, (finding.after - finding.before).abs() / 2.0),
    }
}

fn host_of(store: &mut Store, change: &Change) -> Result<Option<HostId>, ExperimentError> {
    let found = store.hosts()?.into_iter().find(|(_, host)| host.name == change.series.host);
    Ok(found.map(|(host, _)| host))
}
