//! What repeating at each level adds in series that were measured over layouts, as text and in
//! JSON.

use serde::Serialize;
use tacho_record::{Point, Series};
use tacho_stats::levels::{LayoutValues, Levels, Process};
use tacho_store::{HostId, Store, StoreError};

use super::layouts::RepetitionAnswer;
use super::text;

/// For which precision it is said how often to repeat.
const PRECISION: f64 = 0.01;

/// What each level adds, in JSON.
#[derive(Debug, Serialize)]
pub struct LevelsAnswer {
    layouts: usize,
    restart: f64,
    relink: Option<f64>,
    relink_at_most: Option<f64>,
    by_chance: Option<f64>,
    repetition: Option<RepetitionAnswer>,
}

/// What a series says of its levels.
struct SeriesLevels {
    levels: Levels,
    /// How many executions a build takes as long as.
    cost: f64,
}

/// A line for each series that has several layouts; nothing for others.
pub fn text(store: &mut Store, series: &[Series]) -> Result<String, StoreError> {
    let mut out = String::new();
    for one in series {
        let Some(SeriesLevels { levels, cost }) = known(store, one)? else { continue };
        let relink = text::relinking(&levels);
        let chance = levels.by_chance().filter(|chance| *chance > 0.0).map(|chance| {
            format!(
                "; two builds differ by more than {} in one of twenty cases",
                text::percent(chance)
            )
        });
        let repetition = levels.repetition(PRECISION, cost).map(|repetition| {
            format!(
                "\n  for {}: {}, {} each; a build takes as long as {cost:.0}",
                text::precision(PRECISION),
                text::count(repetition.layouts as usize, "layout"),
                text::executions(repetition),
            )
        });
        out += &format!(
            "\n{} {}, medians over up to {}: relink {relink}, restart {}{}{}\n",
            one.key.benchmark,
            one.key.metric.name,
            text::count(levels.layouts, "layout"),
            text::percent(levels.restart),
            chance.unwrap_or_default(),
            repetition.unwrap_or_else(|| too_noisy(&levels, cost)),
        );
    }
    Ok(out)
}

/// That it is too noisy to distinguish relinking from restarting, if so.
fn too_noisy(levels: &Levels, cost: f64) -> String {
    if !levels.is_too_noisy() {
        return String::new();
    }
    let more = levels.would_tell(cost).map_or_else(String::new, |it| {
        let layouts = text::count(it.layouts as usize, "layout");
        format!("; {layouts} of {} executions each would probably", it.processes)
    });
    format!("\n  too noisy to distinguish relinking from restarting{more}")
}

/// The same in JSON, one each.
pub fn answers(
    store: &mut Store,
    series: &[Series],
) -> Result<Vec<Option<LevelsAnswer>>, StoreError> {
    let mut all = Vec::with_capacity(series.len());
    for one in series {
        all.push(known(store, one)?.map(|SeriesLevels { levels, cost }| LevelsAnswer {
            layouts: levels.layouts,
            restart: levels.restart,
            relink: levels.relink,
            relink_at_most: levels.relink_at_most,
            by_chance: levels.by_chance(),
            repetition: levels.repetition(PRECISION, cost).map(|it| RepetitionAnswer {
                precision: PRECISION,
                layouts: it.layouts,
                processes: it.processes,
            }),
        }));
    }
    Ok(all)
}

/// Of all revisions of a series together: their layouts are taken to differ alike.
fn known(store: &mut Store, series: &Series) -> Result<Option<SeriesLevels>, StoreError> {
    // What was cut off hides how far executions differ.
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
    let Some(host) = host(store, &series.key.host)? else { return Ok(None) };
    let execution = execution(store, host, series)?;
    let cost = if execution > 0.0 && number > 0.0 { sum / number / execution } else { 1.0 };
    Ok(levels.map(|levels| SeriesLevels { levels, cost }))
}

fn host(store: &mut Store, name: &str) -> Result<Option<HostId>, StoreError> {
    Ok(store.hosts()?.into_iter().find(|(_, host)| host.name == name).map(|(id, _)| id))
}

/// How long an execution takes, on average, in seconds.
fn execution(store: &mut Store, host: HostId, series: &Series) -> Result<f64, StoreError> {
    let walls = store.values(host, &series.key.benchmark, "wall")?;
    let of = |revision: &str| series.points.iter().any(|point| point.revision.id == revision);
    let walls: Vec<f64> = walls
        .into_iter()
        .filter(|values| of(&values.revision))
        .flat_map(|values| values.values)
        .collect();
    Ok(walls.iter().sum::<f64>() / walls.len().max(1) as f64 / 1e9)
}
