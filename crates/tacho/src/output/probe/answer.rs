//! The answer of a probe in JSON; docs/src/formats says what each key means.

use serde::Serialize;
use tacho_experiment::probe::{
    Availability, ProbeAnswer, ProbeEnd, ProbeFinding, ProbeRow, ProbeVerdict, sentence,
};
use tacho_record::{Disturbance, UnavailableDisturbance, Unit};
use tacho_stats::probe::{RatioBounds, UsualDifference};

use super::{ProbeReport, level_word, word};

#[derive(Serialize)]
pub struct ProbeJson<'a> {
    sides: &'a [String],
    margin: Option<f64>,
    not_built: Option<NotBuiltSide<'a>>,
    interrupted: bool,
    run: Option<i64>,
    executing: Option<f64>,
    left_out: &'a [UnavailableDisturbance],
    rows: Vec<ProbeRowJson<'a>>,
}

#[derive(Serialize)]
struct NotBuiltSide<'a> {
    side: &'a str,
    why: &'a str,
}

#[derive(Serialize)]
struct ProbeRowJson<'a> {
    benchmark: String,
    metric: &'a str,
    unit: &'a Unit,
    usual: &'a [Option<f64>],
    rounds: usize,
    ratio: Option<RatioJson>,
    difference: Option<&'static str>,
    verdict: &'static str,
    sentence: String,
    depends: Vec<&'static str>,
    failure: Option<&'a str>,
    disturbances: Vec<DisturbanceJson<'a>>,
}

#[derive(Serialize)]
struct DisturbanceJson<'a> {
    name: &'static str,
    under: Disturbance,
    words: String,
    ratio: Option<RatioJson>,
    change: Option<RatioJson>,
    levels: Vec<Option<RatioJson>>,
    says: &'static str,
    rounds: usize,
    failure: Option<&'a str>,
}

#[derive(Serialize)]
struct RatioJson {
    ratio: f64,
    interval: (f64, f64),
}

impl From<RatioBounds> for RatioJson {
    fn from(it: RatioBounds) -> Self {
        Self { ratio: it.ratio, interval: (it.low, it.high) }
    }
}

/// All disturbances with their availability.
#[derive(Serialize)]
pub struct DisturbanceList<'a> {
    available: Vec<ListedDisturbance>,
    left_out: &'a [UnavailableDisturbance],
}

#[derive(Serialize)]
struct ListedDisturbance {
    name: &'static str,
    words: String,
}

/// The list of `--list`.
pub fn list_answer(found: &Availability) -> DisturbanceList<'_> {
    let one = |it: &Disturbance| ListedDisturbance { name: it.name(), words: it.words() };
    DisturbanceList { available: found.under.iter().map(one).collect(), left_out: &found.left_out }
}

impl ProbeReport<'_> {
    pub fn answer(&self) -> ProbeJson<'_> {
        let measured =
            if let ProbeEnd::Measured(answer) = self.end { Some(&**answer) } else { None };
        let terms = match self.end {
            ProbeEnd::Measured(answer) => Some(&answer.terms),
            ProbeEnd::NothingToDo(terms) => Some(terms),
            _ => None,
        };
        let not_built = match self.end {
            ProbeEnd::NotBuilt { side, why } => Some(NotBuiltSide { side, why }),
            _ => None,
        };
        ProbeJson {
            sides: &self.sides,
            margin: terms.map(|terms| terms.margin),
            not_built,
            interrupted: measured
                .map_or(matches!(self.end, ProbeEnd::Interrupted), |it| it.interrupted),
            run: measured.filter(|_| self.is_kept).map(|it| it.run.number),
            executing: measured.and_then(|it| it.executing).map(|it| it.as_secs_f64()),
            left_out: terms.map_or(&[], |terms| &terms.left_out),
            rows: measured.map_or_else(Vec::new, |all| {
                all.rows.iter().map(|row| row_json(all, row)).collect()
            }),
        }
    }
}

fn row_json<'a>(answer: &ProbeAnswer, row: &'a ProbeRow) -> ProbeRowJson<'a> {
    let (ratio, difference) = match &row.finding {
        ProbeFinding::Levels(_) => (None, None),
        ProbeFinding::Pair(pair) => (pair.usual, Some(usual_word(pair.difference))),
    };
    let verdict = row.verdict();
    let depends = match &verdict {
        ProbeVerdict::Depends(which) => which.clone(),
        _ => Vec::new(),
    };
    ProbeRowJson {
        benchmark: row.benchmark.to_string(),
        metric: &row.metric.name,
        unit: &row.metric.unit,
        usual: &row.usual,
        rounds: row.rounds,
        ratio: ratio.map(Into::into),
        difference,
        verdict: verdict_word(&verdict),
        sentence: sentence(&answer.terms, row),
        depends: depends.into_iter().map(|at| answer.terms.under[at].name()).collect(),
        failure: row.failures.first().and_then(Option::as_deref),
        disturbances: (0..answer.terms.under.len())
            .map(|at| disturbance(answer, row, at))
            .collect(),
    }
}

fn disturbance<'a>(answer: &ProbeAnswer, row: &'a ProbeRow, at: usize) -> DisturbanceJson<'a> {
    let under = answer.terms.under[at];
    let (ratio, change, levels, says, rounds) = match &row.finding {
        ProbeFinding::Levels(all) => {
            let it = &all[at];
            (None, None, vec![it.level], level_word(it.differs, it.level), it.rounds)
        }
        ProbeFinding::Pair(pair) => {
            let it = &pair.effects[at];
            (it.ratio, it.change, it.levels.to_vec(), word(it.dependence), it.rounds)
        }
    };
    DisturbanceJson {
        name: under.name(),
        under,
        words: under.words(),
        ratio: ratio.map(Into::into),
        change: change.map(Into::into),
        levels: levels.into_iter().map(|level| level.map(Into::into)).collect(),
        says,
        rounds,
        failure: row.failures.get(at + 1).and_then(Option::as_deref),
    }
}

fn usual_word(difference: UsualDifference) -> &'static str {
    match difference {
        UsualDifference::Differs => "differs",
        UsualDifference::Same => "same",
        UsualDifference::Unknown => "undecided",
    }
}

fn verdict_word(verdict: &ProbeVerdict) -> &'static str {
    match verdict {
        ProbeVerdict::Depends(_) => "depends",
        ProbeVerdict::Levels(_) => "levels",
        ProbeVerdict::NoDifference => "no-difference",
        ProbeVerdict::Undecided { .. } => "undecided",
        ProbeVerdict::Upheld => "upheld",
    }
}
