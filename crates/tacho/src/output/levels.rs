//! The variation at each level in series that were measured over layouts, as text and in JSON.

use serde::Serialize;
use tacho_experiment::analysis::levels::SeriesLevels;
use tacho_record::Series;
use tacho_report::layouts::of_series;

use super::blocks;
use super::layouts::RepetitionAnswer;

/// For which precision it is said how often to repeat.
const PRECISION: f64 = 0.01;

/// The variation of each level, in JSON.
#[derive(Debug, Serialize)]
pub struct LevelsAnswer {
    layouts: usize,
    restart: f64,
    relink: Option<f64>,
    relink_at_most: Option<f64>,
    by_chance: Option<f64>,
    repetition: Option<RepetitionAnswer>,
}

/// A paragraph for each series that has several layouts; empty for others.
pub fn text(series: &[Series], levels: &[Option<SeriesLevels>]) -> String {
    let known = series.iter().zip(levels).filter_map(|(one, of)| Some((one, of.as_ref()?)));
    let shown = |(one, SeriesLevels { levels, cost }): (&Series, &SeriesLevels)| {
        format!("\n{}", blocks::terminal(&of_series(&one.key, levels, *cost, PRECISION)))
    };
    known.map(shown).collect()
}

/// The same in JSON, one each.
pub fn answers(levels: &[Option<SeriesLevels>]) -> Vec<Option<LevelsAnswer>> {
    levels.iter().map(|of| of.as_ref().map(answer)).collect()
}

fn answer(SeriesLevels { levels, cost }: &SeriesLevels) -> LevelsAnswer {
    let repetition = levels.repetition(PRECISION, *cost);
    LevelsAnswer {
        layouts: levels.layouts,
        restart: levels.restart,
        relink: levels.relink,
        relink_at_most: levels.relink_at_most,
        by_chance: levels.by_chance(),
        repetition: repetition.map(|it| RepetitionAnswer {
            precision: PRECISION,
            layouts: it.layouts,
            processes: it.processes,
        }),
    }
}
