//! The answers as a page of their own.

use jiff::Timestamp;
use tacho_experiment::sweep::{MissingCurve, SweepQuestion, SweepRow};
use tacho_record::{Direction, Metric, Sample};
use tacho_site::{
    SweepPage, SweepPageStage, SweepPageTrial, SweepPageValue, SweepPageVariant, VariantPlace,
};
use tacho_stats::sweep::{ExtraCost, LoadOutcome, SweepCurve};

use super::rows::SweepRows;
use super::{LoadReport, OptimumReport, SweepReport};

/// What a page has beside the answer.
pub struct PageFacts {
    /// What was swept: the parameters, or the number of variants.
    pub title: String,
    /// What was typed.
    pub typed: String,
    /// All values as numbers, where they are numbers.
    pub grid: Option<Vec<f64>>,
}

impl PageFacts {
    /// A page without numbers.
    fn page(&self, host: &tacho_record::Host, metric: Metric, lines: Vec<String>) -> SweepPage {
        SweepPage {
            title: self.title.clone(),
            typed: self.typed.clone(),
            host: host.clone(),
            made: Timestamp::now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            metric,
            lines,
            values: Vec::new(),
            grid: self.grid.clone(),
            stages: Vec::new(),
            variants: Vec::new(),
            trials: Vec::new(),
            highest: None,
        }
    }

    fn at(&self, value: usize) -> Option<f64> {
        self.grid.as_ref()?.get(value).copied()
    }
}

/// What is judged of the values of a grid.
struct JudgedGrid<'a> {
    facts: &'a PageFacts,
    rows: SweepRows<'a>,
    question: &'a SweepQuestion,
    curve: &'a Result<SweepCurve, MissingCurve>,
    samples: &'a [Vec<Sample>],
}

impl JudgedGrid<'_> {
    /// The values that were executed.
    fn values(&self) -> Vec<SweepPageValue> {
        let rows = self.rows.rows.iter().enumerate();
        let executed = rows.filter(|(_, row)| row.summary.is_some() || row.failed.0 > 0);
        executed.map(|(at, row)| self.value(at, row)).collect()
    }

    fn value(&self, at: usize, row: &SweepRow) -> SweepPageValue {
        let name = self.question.metric(at).name;
        let counted = self.samples[at].iter().filter(|sample| sample.counts());
        let cost = row.place.and_then(|place| Some(self.curve.as_ref().ok()?.costs[place]));
        SweepPageValue {
            label: self.rows.names.label(at),
            at: self.facts.at(at),
            summary: row.summary,
            samples: counted.filter_map(|sample| sample.value(&name)).collect(),
            cost: cost.map(|cost| beside_best(cost, self.question.metric(at).better)),
            marks: self.rows.marks(at, row),
            note: self.rows.notes(row).join(", "),
        }
    }
}

/// How far a value is from the best, with its interval: above 0 for a time, below for a throughput.
fn beside_best(cost: ExtraCost, better: Direction) -> (f64, (f64, f64)) {
    let (low, high) = cost.interval;
    match better {
        Direction::Lower => (cost.estimate.exp_m1(), (low.exp_m1(), high.exp_m1())),
        Direction::Higher => ((-cost.estimate).exp_m1(), ((-high).exp_m1(), (-low).exp_m1())),
    }
}

impl SweepReport<'_> {
    /// The page.
    pub fn page(&self, facts: &PageFacts) -> SweepPage {
        let (found, question) = (self.found, self.question);
        let judged = JudgedGrid {
            facts,
            rows: self.rows(),
            question,
            curve: &found.curve,
            samples: &found.answer.samples,
        };
        let mut lines = self.rows().lines();
        lines.extend(self.names.has_variants.then(|| self.front_line().trim().to_owned()));
        SweepPage {
            values: judged.values(),
            variants: self.page_variants(),
            ..facts.page(self.host, question.metric(0), lines)
        }
    }

    fn page_variants(&self) -> Vec<SweepPageVariant> {
        if !self.names.has_variants {
            return Vec::new();
        }
        let variant = |(at, standing)| {
            let [label, ratio, interval, cpu, _, word] = self.variant(at, standing);
            let place = if self.names.floor == Some(at) {
                VariantPlace::Floor
            } else if self.front.contains(&at) {
                VariantPlace::Front
            } else {
                VariantPlace::Behind
            };
            SweepPageVariant {
                label,
                time: standing.time,
                memory: standing.peak_memory.and_then(tacho_stats::BoundedValue::if_exact),
                place,
                cells: [ratio, interval, cpu, word],
            }
        };
        self.standings.each.iter().enumerate().map(variant).collect()
    }
}

impl OptimumReport<'_> {
    /// The page.
    pub fn page(&self, facts: &PageFacts) -> SweepPage {
        let (found, question) = (self.found, self.question);
        let judged = JudgedGrid {
            facts,
            rows: self.rows(),
            question,
            curve: &found.curve,
            samples: &found.samples,
        };
        let numbers = |values: &[usize]| values.iter().filter_map(|it| facts.at(*it)).collect();
        let stages = found.stages.iter().map(|stage| SweepPageStage {
            values: numbers(&stage.values),
            rounds: stage.rounds,
            spans: stage
                .spans
                .iter()
                .filter_map(|span| Some((facts.at(span.ends.0)?, facts.at(span.ends.1)?)))
                .collect(),
        });
        SweepPage {
            values: judged.values(),
            stages: stages.collect(),
            ..facts.page(self.host, question.metric(0), self.lines())
        }
    }
}

impl LoadReport<'_> {
    /// The page.
    pub fn page(&self, facts: &PageFacts) -> SweepPage {
        let found = self.found;
        let trial = |trial: &tacho_stats::sweep::LoadTrial| {
            Some(SweepPageTrial { load: facts.at(trial.load)?, is_kept: trial.is_good })
        };
        let highest = match found.outcome {
            Some(LoadOutcome::Between(low, _)) => facts.at(low),
            _ => None,
        };
        SweepPage {
            trials: found.search.trials().iter().filter_map(trial).collect(),
            highest,
            ..facts.page(self.host, self.question.limit.metric.clone(), self.lines())
        }
    }
}
