//! What repeating at each level adds in series that were measured over layouts, as text and in
//! JSON.

use serde::Serialize;
use tacho_experiment::ExperimentError;
use tacho_experiment::analysis::levels::{SeriesLevels, series_levels};
use tacho_record::Series;
use tacho_report::layouts::{by_chance, repetition, short};
use tacho_stats::levels::Levels;
use tacho_store::Store;

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

/// A line for each series that has several layouts; nothing for others.
pub fn text(store: &mut Store, series: &[Series]) -> Result<String, ExperimentError> {
    let mut out = String::new();
    for one in series {
        let Some(SeriesLevels { levels, cost }) = series_levels(store, one)? else { continue };
        let chance = by_chance(&levels).map(|clause| format!("; {clause}"));
        let repetition = repetition(&levels, cost, PRECISION).map(|clause| format!("\n  {clause}"));
        out += &format!(
            "\n{} {}, medians over up to {}: {}{}{}\n",
            one.key.benchmark,
            one.key.metric.name,
            text::count(levels.layouts, "layout"),
            short(&levels),
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
) -> Result<Vec<Option<LevelsAnswer>>, ExperimentError> {
    let mut all = Vec::with_capacity(series.len());
    for one in series {
        all.push(series_levels(store, one)?.map(|SeriesLevels { levels, cost }| LevelsAnswer {
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
