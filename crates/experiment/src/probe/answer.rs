//! The answer of a probe, from samples and terms alone.

use std::collections::BTreeMap;

use tacho_record::{BenchmarkKey, Metric, Outcome, Probing, Sample};
use tacho_stats::probe::{
    Dependence, LevelEffect, PROBE_ERROR, PairProbe, ProbeRules, ProbeValues, UsualDifference,
    judge_levels, judge_pair, probe_looks,
};
use tacho_stats::summary::median;

/// A benchmark, probed.
#[derive(Clone, Debug)]
pub struct ProbeRow {
    /// The benchmark, without the parameters that the sides fix.
    pub benchmark: BenchmarkKey,
    /// The metric.
    pub metric: Metric,
    /// The median of each side as usual, in the metric's unit.
    pub usual: Vec<Option<f64>>,
    /// Rounds that the usual state has.
    pub rounds: usize,
    /// The finding.
    pub finding: ProbeFinding,
    /// How the first execution failed that did, as usual and under each disturbance, in one line.
    pub failures: Vec<Option<String>>,
}

/// The finding of a probe.
#[derive(Clone, Debug, PartialEq)]
pub enum ProbeFinding {
    /// The effects on one program.
    Levels(Vec<LevelEffect>),
    /// The probe of two programs.
    Pair(PairProbe),
}

/// The verdict of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeVerdict {
    /// The difference depends on these disturbances, by their numbers.
    Depends(Vec<usize>),
    /// One program: these disturbances change its level.
    Levels(Vec<usize>),
    /// As usual the programs do not differ, and under no disturbance.
    NoDifference,
    /// Not decided; whether it is because the usual difference is not known.
    Undecided {
        /// As usual the programs may differ, or not.
        is_usual: bool,
    },
    /// The difference holds under all disturbances.
    Upheld,
}

impl ProbeRow {
    /// Whether each disturbance is decided.
    #[must_use]
    pub fn decided(&self) -> Vec<bool> {
        match &self.finding {
            ProbeFinding::Levels(levels) => levels.iter().map(|it| it.differs.is_some()).collect(),
            ProbeFinding::Pair(pair) => {
                pair.effects.iter().map(|it| it.dependence != Dependence::Unknown).collect()
            }
        }
    }

    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> ProbeVerdict {
        let pair = match &self.finding {
            ProbeFinding::Levels(levels) => {
                let changed = levels.iter().enumerate().filter(|(_, it)| it.differs == Some(true));
                return ProbeVerdict::Levels(changed.map(|(at, _)| at).collect());
            }
            ProbeFinding::Pair(pair) => pair,
        };
        let dependent: Vec<usize> =
            (0..pair.effects.len()).filter(|at| pair.effects[*at].dependence.depends()).collect();
        let all = |wanted| pair.effects.iter().all(|it| it.dependence == wanted);
        match pair.difference {
            _ if !dependent.is_empty() => ProbeVerdict::Depends(dependent),
            UsualDifference::Unknown => ProbeVerdict::Undecided { is_usual: true },
            UsualDifference::Differs if all(Dependence::Holds) => ProbeVerdict::Upheld,
            UsualDifference::Same if all(Dependence::NoneEither) => ProbeVerdict::NoDifference,
            _ => ProbeVerdict::Undecided { is_usual: false },
        }
    }
}

/// The rounds after which samples are looked at, of that number at the most.
pub(super) fn looked_at(most: u32) -> Vec<usize> {
    probe_looks(most as usize)
}

/// The rows of a probe of at most that number of rounds, from the samples of all cells.
#[must_use]
pub fn probed_rows(terms: &Probing, most: u32, samples: &[Vec<Sample>]) -> Vec<ProbeRow> {
    let rows = samples.chunks(terms.cells_of_row().max(1)).take(terms.rows.len());
    rows.enumerate().map(|(number, samples)| row(terms, most, number, samples)).collect()
}

/// A row, from the samples of its cells.
pub(super) fn row(terms: &Probing, most: u32, number: usize, samples: &[Vec<Sample>]) -> ProbeRow {
    let (benchmark, metric) = &terms.rows[number];
    let states: Vec<&[Vec<Sample>]> = samples.chunks(terms.sides.len()).collect();
    let values: Vec<ProbeValues> = states.iter().map(|sides| of_state(metric, sides)).collect();
    let rules = ProbeRules { margin: terms.margin, error: PROBE_ERROR, most: most as usize };
    let finding = match terms.sides.len() {
        1 => ProbeFinding::Levels(judge_levels(&values[0], &values[1..], &rules)),
        _ => ProbeFinding::Pair(judge_pair(&values[0], &values[1..], &rules)),
    };
    let middle = |of: &BTreeMap<u32, f64>| median(&of.values().copied().collect::<Vec<_>>());
    let usual = [&values[0].a, &values[0].b].map(middle);
    ProbeRow {
        benchmark: benchmark.clone(),
        metric: metric.clone(),
        usual: usual[..terms.sides.len()].to_vec(),
        rounds: values[0].a.len(),
        finding,
        failures: states.iter().map(|sides| failure(sides)).collect(),
    }
}

fn of_state(metric: &Metric, sides: &[Vec<Sample>]) -> ProbeValues {
    let of = |side: usize| {
        let samples = sides.get(side).into_iter().flatten().filter(|sample| sample.counts());
        let value = |sample: &Sample| Some((sample.place.round, sample.value(&metric.name)?));
        samples.filter_map(value).collect()
    };
    ProbeValues { a: of(0), b: of(1) }
}

/// How the first execution failed that did, in one line.
fn failure(sides: &[Vec<Sample>]) -> Option<String> {
    sides.iter().flatten().find_map(|sample| match &sample.outcome {
        Outcome::Failed { failure, .. } => Some(failure.line()),
        Outcome::LimitReached { reached, .. } => Some(reached.line()),
        _ => None,
    })
}
