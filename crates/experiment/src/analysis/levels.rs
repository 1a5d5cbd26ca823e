//! The variation at each level in a series that was measured over layouts.

use tacho_record::{Point, Series};
use tacho_stats::levels::{LayoutValues, Levels, Process};
use tacho_store::{HostId, Store};

use crate::ExperimentError;

/// The levels of a series.
#[derive(Clone, Debug)]
pub struct SeriesLevels {
    /// The variation of each level.
    pub levels: Levels,
    /// How many executions a build takes as long as.
    pub cost: f64,
}

/// The levels of all revisions of a series together: their layouts are assumed to differ alike.
/// `None` for a series of single builds.
fn series_levels(
    store: &mut Store,
    series: &Series,
) -> Result<Option<SeriesLevels>, ExperimentError> {
    // Executions that were cut off hide how far executions differ.
    let is_known = |point: &&Point| !point.layouts.is_empty() && point.limited.count == 0;
    let own = series.points.iter().filter(|point| point.equal_to.is_none()).filter(is_known);
    let of = |layout: &Vec<f64>| layout.iter().map(|value| vec![*value]).collect::<Vec<Process>>();
    let programs: Vec<Vec<Vec<Process>>> =
        own.clone().map(|point| point.layouts.iter().map(of).collect()).collect();
    let measured: Vec<LayoutValues<'_>> = programs.iter().map(|of| LayoutValues(of)).collect();
    if measured.is_empty() {
        return Ok(None);
    }
    let builds = own.filter_map(|point| point.build.as_ref());
    let (sum, number) = builds
        .filter_map(|build| Some(build.took.as_secs_f64() / f64::from(build.state.layouts()?)))
        .fold((0.0, 0.0), |(sum, number), took| (sum + took, number + 1.0));
    let levels = Levels::together(&measured);
    let host = store.hosts()?.into_iter().find(|(_, host)| host.name == series.key.host);
    let Some((host, _)) = host else { return Ok(None) };
    let execution = execution(store, host, series)?;
    let cost = if execution > 0.0 && number > 0.0 { sum / number / execution } else { 1.0 };
    Ok(levels.map(|levels| SeriesLevels { levels, cost }))
}

/// The levels of each of these series.
pub fn all_levels(
    store: &mut Store,
    series: &[Series],
) -> Result<Vec<Option<SeriesLevels>>, ExperimentError> {
    series.iter().map(|one| series_levels(store, one)).collect()
}

/// How long an execution takes, on average, in seconds.
fn execution(store: &mut Store, host: HostId, series: &Series) -> Result<f64, ExperimentError> {
    let walls = store.values(host, &series.key.benchmark, "wall")?;
    let of = |revision: &str| series.points.iter().any(|point| point.revision.id == revision);
    let walls: Vec<f64> = walls
        .into_iter()
        .filter(|values| of(&values.revision))
        .flat_map(|values| values.values)
        .collect();
    Ok(walls.iter().sum::<f64>() / walls.len().max(1) as f64 / 1e9)
}
