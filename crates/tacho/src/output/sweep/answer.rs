//! The answers in JSON; docs/formats.md says what each key means.

use std::collections::BTreeMap;

use serde::Serialize;
use tacho_experiment::sweep::{MissingCurve, SweepQuestion};
use tacho_record::{Host, Sample};
use tacho_report::sweep::{SweepRow, ValueNames};
use tacho_stats::sweep::{LoadOutcome, SweepCurve, SweepShape, kept_at_least};

use super::{LoadReport, OptimumReport, SweepReport};
use crate::output::answer::SampleAnswer;

/// A whole grid.
#[derive(Serialize)]
pub struct GridAnswer<'a> {
    interrupted: bool,
    host: &'a Host,
    conditions: &'a BTreeMap<String, String>,
    seed: u64,
    #[serde(flatten)]
    curve: CurveAnswer,
    floor: Option<String>,
    front: Vec<String>,
    values: Vec<ValueAnswer<'a>>,
}

/// A search for the best value.
#[derive(Serialize)]
pub struct OptimumAnswer<'a> {
    interrupted: bool,
    host: &'a Host,
    conditions: &'a BTreeMap<String, String>,
    seed: u64,
    #[serde(flatten)]
    curve: CurveAnswer,
    spans: Vec<(String, String)>,
    stages: Vec<StageAnswer>,
    taken: usize,
    whole: usize,
    cut_short: bool,
    values: Vec<ValueAnswer<'a>>,
}

/// A stage of a search.
#[derive(Serialize)]
struct StageAnswer {
    values: Vec<String>,
    rounds: u32,
    spans: Vec<(String, String)>,
}

/// A search for the highest load.
#[derive(Serialize)]
pub struct HighestLoadAnswer<'a> {
    interrupted: bool,
    host: &'a Host,
    conditions: &'a BTreeMap<String, String>,
    seed: u64,
    limit: String,
    trials_of_goal: f64,
    exceed: f64,
    found: Option<&'static str>,
    highest: Option<String>,
    broken_at: Option<String>,
    received: Option<f64>,
    kept_at_least: Option<f64>,
    failure: Option<&'a str>,
    trials: usize,
    loads: Vec<TriedLoad<'a>>,
}

#[derive(Serialize)]
struct TriedLoad<'a> {
    name: String,
    parameters: BTreeMap<&'a str, &'a str>,
    trials: usize,
    kept: usize,
    received: Option<f64>,
    samples: Vec<SampleAnswer<'a>>,
}

#[derive(Serialize)]
struct CurveAnswer {
    metric: String,
    margin: f64,
    missing: Option<String>,
    shape: Option<&'static str>,
    best: Option<String>,
    plateau: Vec<String>,
    knee: Option<String>,
    minima: Vec<String>,
    default: Option<String>,
}

#[derive(Serialize)]
struct ValueAnswer<'a> {
    name: String,
    command: &'a str,
    parameters: BTreeMap<&'a str, &'a str>,
    failed: usize,
    failure: Option<&'a str>,
    limited: usize,
    median: Option<f64>,
    interval: Option<(f64, f64)>,
    cost: Option<f64>,
    cost_interval: Option<(f64, f64)>,
    limits: BTreeMap<String, Option<LimitAnswer>>,
    #[serde(flatten)]
    variant: Option<VariantAnswer>,
    samples: Vec<SampleAnswer<'a>>,
}

#[derive(Serialize)]
struct VariantAnswer {
    floor_ratio: Option<f64>,
    floor_interval: Option<(f64, f64)>,
    cpu_percent: Option<f64>,
    peak_memory: Option<f64>,
    on_front: bool,
}

#[derive(Serialize)]
struct LimitAnswer {
    kept: bool,
    certain: bool,
}

impl CurveAnswer {
    fn of(
        names: &ValueNames,
        question: &SweepQuestion,
        curve: &Result<SweepCurve, MissingCurve>,
        places: &[usize],
    ) -> Self {
        let name = |place: usize| names.label(places[place]);
        let known = curve.as_ref().ok();
        let all_of = |all: &[usize]| all.iter().map(|place| name(*place)).collect();
        Self {
            metric: question.metric(0).name,
            margin: question.margin,
            missing: curve.as_ref().err().map(ToString::to_string),
            shape: known.map(|curve| match curve.shape {
                SweepShape::Flat => "flat",
                SweepShape::Unresolved => "unresolved",
                SweepShape::Varied => "varied",
            }),
            best: known.map(|curve| name(curve.best)),
            plateau: known.map_or_else(Vec::new, |curve| all_of(&curve.plateau)),
            knee: known.and_then(|curve| curve.knee).map(name),
            minima: known.map_or_else(Vec::new, |curve| all_of(&curve.minima)),
            default: names.default.map(|default| names.label(default)),
        }
    }
}

/// A value with what the curve says of it.
fn value<'a>(
    names: &'a ValueNames,
    question: &'a SweepQuestion,
    (at, row): (usize, &'a SweepRow),
    curve: &Result<SweepCurve, MissingCurve>,
    samples: &'a [Sample],
) -> ValueAnswer<'a> {
    let command = &question.bench.commands[at];
    let cost = row.place.and_then(|place| Some(curve.as_ref().ok()?.costs[place]));
    let limit = |kept: &(bool, bool)| LimitAnswer { kept: kept.0, certain: kept.1 };
    let limits = question.limits.iter().zip(&row.limits);
    ValueAnswer {
        name: names.label(at),
        command: &command.text,
        parameters: command.parameters.iter().map(|(name, value)| (&**name, &**value)).collect(),
        failed: row.failed.0,
        failure: row.failed.1.as_deref(),
        limited: row.limited.0,
        median: row.summary.map(|it| it.median),
        interval: row.summary.and_then(|it| it.interval),
        cost: cost.map(|cost| cost.estimate.exp_m1()),
        cost_interval: cost.map(|cost| (cost.interval.0.exp_m1(), cost.interval.1.exp_m1())),
        limits: limits.map(|(it, kept)| (it.to_string(), kept.as_ref().map(limit))).collect(),
        variant: None,
        samples: samples.iter().map(|sample| SampleAnswer::of(1, sample, None)).collect(),
    }
}

impl SweepReport<'_> {
    /// All of it.
    pub fn answer(&self) -> GridAnswer<'_> {
        let (names, question, found) = (self.names, self.question, self.found);
        let rows = found.rows.iter().enumerate().zip(&found.answer.samples);
        GridAnswer {
            interrupted: found.answer.interrupted,
            host: self.host,
            conditions: &question.bench.conditions,
            seed: question.bench.seed,
            curve: CurveAnswer::of(names, question, &found.curve, &found.places),
            floor: names.floor.map(|floor| names.label(floor)),
            front: self.front.iter().map(|at| names.label(*at)).collect(),
            values: rows
                .map(|(row, samples)| ValueAnswer {
                    variant: Some(self.variant_answer(row.0)),
                    ..value(names, question, row, &found.curve, samples)
                })
                .collect(),
        }
    }

    fn variant_answer(&self, at: usize) -> VariantAnswer {
        let standing = &self.standings.each[at];
        let compared = standing.compared.as_ref().filter(|_| self.names.floor.is_some());
        let estimate = compared.and_then(|row| row.estimate);
        VariantAnswer {
            floor_ratio: estimate.and_then(|it| it.known_ratio()?.if_exact()),
            floor_interval: estimate.and_then(|it| it.interval),
            cpu_percent: standing.cpu_percent,
            peak_memory: standing.peak_memory.and_then(tacho_stats::BoundedValue::if_exact),
            on_front: self.front.contains(&at),
        }
    }
}

impl OptimumReport<'_> {
    /// All of it; values that were not executed are left out.
    pub fn answer(&self) -> OptimumAnswer<'_> {
        let (names, question, found) = (self.names, self.question, self.found);
        let rows = found.rows.iter().enumerate().zip(&found.samples);
        let executed = rows.filter(|(_, samples)| !samples.is_empty());
        let ends = |ends: (usize, usize)| (names.label(ends.0), names.label(ends.1));
        OptimumAnswer {
            interrupted: found.is_interrupted,
            host: self.host,
            conditions: &question.bench.conditions,
            seed: question.bench.seed,
            curve: CurveAnswer::of(names, question, &found.curve, &found.places),
            spans: found.spans.iter().map(|span| ends(span.ends)).collect(),
            stages: found
                .stages
                .iter()
                .map(|stage| StageAnswer {
                    values: stage.values.iter().map(|value| names.label(*value)).collect(),
                    rounds: stage.rounds,
                    spans: stage.spans.iter().map(|span| ends(span.ends)).collect(),
                })
                .collect(),
            taken: found.taken,
            whole: found.whole,
            cut_short: found.is_cut_short,
            values: executed
                .map(|(row, samples)| value(names, question, row, &found.curve, samples))
                .collect(),
        }
    }
}

impl LoadReport<'_> {
    /// All of it; loads that were not tried are left out.
    pub fn answer(&self) -> HighestLoadAnswer<'_> {
        let (names, found) = (self.names, self.found);
        let last = self.question.bench.commands.len() - 1;
        let (word, low, high) = match found.outcome {
            None => (None, None, None),
            Some(LoadOutcome::AllKeep) => (Some("all-keep"), Some(last), None),
            Some(LoadOutcome::NoneKeeps) => (Some("none-keeps"), None, Some(0)),
            Some(LoadOutcome::Between(low, high)) => (Some("between"), Some(low), Some(high)),
        };
        let tried = (0..=last).filter(|load| !found.samples[*load].is_empty());
        HighestLoadAnswer {
            interrupted: found.is_interrupted,
            host: self.host,
            conditions: &self.question.bench.conditions,
            seed: self.question.bench.seed,
            limit: self.question.limit.to_string(),
            trials_of_goal: self.question.goal.duration_sum,
            exceed: self.question.goal.exceed_ratio,
            found: word,
            highest: low.map(|load| names.label(load)),
            broken_at: high.map(|load| names.label(load)),
            received: low.and_then(|load| found.search.received(load)),
            kept_at_least: low.map(|load| {
                let (kept, all) = found.search.kept(load);
                kept_at_least(kept, all)
            }),
            failure: found.failure.as_ref().map(|(_, why, _)| why.as_str()),
            trials: found.search.trials().len(),
            loads: tried.map(|load| self.tried(load)).collect(),
        }
    }

    fn tried(&self, load: usize) -> TriedLoad<'_> {
        let command = &self.question.bench.commands[load];
        let (kept, trials) = self.found.search.kept(load);
        let samples = &self.found.samples[load];
        TriedLoad {
            name: self.names.label(load),
            parameters: command
                .parameters
                .iter()
                .map(|(name, value)| (&**name, &**value))
                .collect(),
            trials,
            kept,
            received: self.found.search.received(load),
            samples: samples.iter().map(|sample| SampleAnswer::of(1, sample, None)).collect(),
        }
    }
}
