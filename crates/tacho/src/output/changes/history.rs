//! The verdict from a series' runs, in JSON.

use serde::Serialize;
use tacho_report::detection::settled_by;
use tacho_stats::history::{Contribution, HistoryChange, HistoryLevel, HistoryVerdict, Origin};

/// How much of the scatter is noise, luck and run, and how sure each place is.
#[derive(Serialize)]
pub struct HistoryAnswer {
    /// The standard deviation of a reading by the noise of its samples, as a share.
    noise: f64,
    /// The deviation of the luck of one build.
    luck: f64,
    /// The deviation of the effects of runs; `null` with a single run.
    run: Option<f64>,
    reported: Vec<HistoryPlaceAnswer>,
    unclear: Vec<HistoryPlaceAnswer>,
    levels: Vec<HistoryLevelAnswer>,
    runs: Vec<RunEffectAnswer>,
    builds: Vec<BuildLuckAnswer>,
}

/// The level between two changes.
#[derive(Serialize)]
struct HistoryLevelAnswer {
    first: usize,
    last: usize,
    level: f64,
    interval: [f64; 2],
}

/// The effect of a run on all its readings, as a share.
#[derive(Serialize)]
struct RunEffectAnswer {
    run: u32,
    effect: f64,
    error: f64,
}

/// The luck of the builds of a revision, as a share.
#[derive(Serialize)]
struct BuildLuckAnswer {
    index: usize,
    luck: f64,
    error: f64,
}

#[derive(Serialize)]
struct HistoryPlaceAnswer {
    index: usize,
    range: [usize; 2],
    probability: f64,
    effect: f64,
    interval: [f64; 2],
    of: &'static str,
    settled_by: &'static str,
}

impl HistoryAnswer {
    /// The answer in JSON.
    pub fn of(verdict: &HistoryVerdict) -> Self {
        Self {
            noise: verdict.noise,
            luck: verdict.luck,
            run: verdict.run,
            reported: verdict.changes.iter().map(HistoryPlaceAnswer::of).collect(),
            unclear: verdict.unclear.iter().map(HistoryPlaceAnswer::of).collect(),
            levels: verdict.parts.levels.iter().map(HistoryLevelAnswer::of).collect(),
            runs: verdict.parts.runs.iter().map(RunEffectAnswer::of).collect(),
            builds: verdict.parts.builds.iter().map(BuildLuckAnswer::of).collect(),
        }
    }
}

impl HistoryLevelAnswer {
    fn of(level: &HistoryLevel) -> Self {
        Self {
            first: *level.revisions.start(),
            last: *level.revisions.end(),
            level: level.level.exp(),
            interval: [level.interval.0.exp(), level.interval.1.exp()],
        }
    }
}

impl RunEffectAnswer {
    fn of(run: &Contribution<u32>) -> Self {
        Self { run: run.of, effect: run.effect.exp_m1(), error: run.error }
    }
}

impl BuildLuckAnswer {
    fn of(build: &Contribution<usize>) -> Self {
        Self { index: build.of, luck: build.effect.exp_m1(), error: build.error }
    }
}

impl HistoryPlaceAnswer {
    fn of(change: &HistoryChange) -> Self {
        Self {
            index: change.index,
            range: [*change.range.start(), *change.range.end()],
            probability: change.probability,
            effect: change.effect.exp_m1(),
            interval: [change.interval.0.exp_m1(), change.interval.1.exp_m1()],
            of: match change.origin {
                Origin::Build => "build",
                Origin::Commit => "commit",
            },
            settled_by: settled_by(change.settling),
        }
    }
}
