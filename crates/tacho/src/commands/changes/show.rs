//! `tacho changes show`: the evidence for a change.

use std::ops::Range;

use serde::Serialize;
use tacho_experiment::changes::{JudgedSeries, Material};
use tacho_experiment::compare::quirk_effects;
use tacho_record::Change;
use tacho_report::quirk::QuirkEffect;
use tacho_store::Store;

use super::found::StoredChanges;
use crate::cli::GlobalArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::output::answer::versioned;
use crate::output::changes::{ChangeSide, Evidence, EvidenceAnswer};
use crate::project::Project;

/// At most this many revisions of each side are looked at.
const NEAR: usize = 30;

pub fn execute(global: &GlobalArgs, name: &str, json: bool) -> Result<Exit, CliError> {
    let project = Project::open(global)?;
    let mut store = project.store_to_read()?;
    let found = StoredChanges::look(&project, &mut store)?;
    let mut all = Vec::new();
    for change in found.named(&project, name)? {
        all.push(evidence(&project, &mut store, &found, change)?);
    }
    if json {
        let changes = all.iter().map(Evidence::answer).collect();
        output::print_json(&versioned(ChangesShowAnswer { changes }))?;
    } else {
        let width = Some(output::table_width());
        output::print(&all.iter().map(|one| one.text(width)).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(Exit::Success)
}

/// The answer in JSON.
#[derive(Serialize)]
struct ChangesShowAnswer<'a> {
    changes: Vec<EvidenceAnswer<'a>>,
}

fn evidence(
    project: &Project,
    store: &mut Store,
    found: &StoredChanges,
    change: &Change,
) -> Result<Evidence, CliError> {
    let finding = &change.finding;
    let (after, up_to) = found.place(change);
    let event = found
        .events()
        .into_iter()
        .find(|event| event.changes.iter().any(|one| one.name == change.name));
    let others =
        event.into_iter().flat_map(|event| event.changes).filter(|one| one.name != change.name);
    Ok(Evidence {
        link: project.plan.subject.link.clone(),
        good: found.revision(&finding.good),
        revision: found.revision(&finding.revision),
        bad: found.revision(&finding.bad),
        commits: store.commits(after, up_to)?,
        sides: found.series_of(change).and_then(|judged| sides(found, judged, change)),
        planned: found.is_planned(change),
        together: others.filter(|other| found.is_planned(other)).cloned().collect(),
        happenings: store.happenings(&change.name)?,
        judged: found.series().count(),
        by_runs: found.series_of(change).is_some_and(|judged| judged.judgement.history.is_some()),
        quirks: of_quirks(store, (after, up_to), change)?,
        change: change.clone(),
    })
}

/// What is known of what quirks alone do at these places of history, in the series of the change.
fn of_quirks(
    store: &mut Store,
    (after, up_to): (u64, u64),
    change: &Change,
) -> Result<Vec<QuirkEffect>, CliError> {
    let mut all = quirk_effects(store)?;
    if all.is_empty() {
        return Ok(all);
    }
    let revisions = store.revisions()?;
    all.retain(|effect| {
        let order = revisions.iter().find(|it| it.id == effect.edge.revision).map(|it| it.order);
        let row = (&effect.row.benchmark, &effect.row.metric.name, &effect.host);
        let of = (&change.series.benchmark, &change.series.metric.name, &change.series.host);
        row == of && order.is_some_and(|order| after < order && order <= up_to)
    });
    Ok(all)
}

/// What was measured on both sides, from the change before to the change after.
pub fn sides(
    found: &StoredChanges,
    judged: &JudgedSeries,
    change: &Change,
) -> Option<[ChangeSide; 2]> {
    let material = &judged.material;
    let place = |id: &str| material.series.points.iter().position(|point| point.revision.id == id);
    let here = place(&change.finding.revision)?;
    let neighbours =
        found.changes().filter(|other| other.series == change.series && other.stands());
    let places: Vec<usize> =
        neighbours.filter_map(|other| place(&other.finding.revision)).collect();
    let from = places.iter().copied().filter(|&other| other < here).max().unwrap_or(0);
    let to =
        places.iter().copied().filter(|&other| other > here).min().unwrap_or(material.points.len());
    let good = place(&change.finding.good)?;
    Some([side(material, from..good + 1, true), side(material, here..to, false)])
}

/// The revisions of a range that have values: the last ones, or the first.
fn side(material: &Material, range: Range<usize>, last: bool) -> ChangeSide {
    let mut places: Vec<usize> = material.places().filter(|place| range.contains(place)).collect();
    let spare = places.len().saturating_sub(NEAR);
    let places =
        if last { places.split_off(spare) } else { places[..places.len() - spare].to_vec() };
    let points = || places.iter().map(|&place| &material.series.points[place]);
    let mut runs: Vec<i64> = points().flat_map(|point| point.runs.iter().copied()).collect();
    runs.sort_unstable();
    runs.dedup();
    ChangeSide {
        revisions: points().map(|point| point.revision.id.clone()).collect(),
        levels: places.iter().map(|&place| material.points[place].value).collect(),
        values: points().flat_map(|point| point.values.iter().copied()).collect(),
        runs,
    }
}
