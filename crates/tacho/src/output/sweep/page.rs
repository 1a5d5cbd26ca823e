//! The answers as a page of their own.

use jiff::Timestamp;
use tacho_experiment::bench::CommandResult;
use tacho_experiment::sweep::SweepQuestion;
use tacho_record::{Metric, Sample};
use tacho_report::block::{AnswerNote, AnswerTable};
use tacho_report::sweep::{SweepFindings, SweepRow};
use tacho_site::{
    SweepPage, SweepPageStage, SweepPageTrial, SweepPageValue, SweepPageVariant, VariantPlace,
};
use tacho_stats::sweep::LoadOutcome;

use super::{LoadReport, OptimumReport, SweepReport};

/// The facts of a page beside the answer.
pub struct PageFacts {
    /// The subject: the parameters, or the number of variants.
    pub title: String,
    /// The typed command.
    pub typed: String,
    /// All values as numbers, where they are numbers.
    pub grid: Option<Vec<f64>>,
}

impl PageFacts {
    /// A page without numbers.
    fn page(&self, host: &tacho_record::Host, metric: Metric, lines: Vec<AnswerNote>) -> SweepPage {
        SweepPage {
            title: self.title.clone(),
            typed: self.typed.clone(),
            host: host.clone(),
            made: Timestamp::now(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            metric,
            lines,
            notes: Vec::new(),
            values: Vec::new(),
            table: AnswerTable::default(),
            grid: self.grid.clone(),
            stages: Vec::new(),
            variants: Vec::new(),
            variants_table: AnswerTable::default(),
            trials: Vec::new(),
            highest: None,
        }
    }

    fn at(&self, value: usize) -> Option<f64> {
        self.grid.as_ref()?.get(value).copied()
    }
}

/// The judgement of the values of a grid.
struct JudgedGrid<'a> {
    facts: &'a PageFacts,
    found: SweepFindings<'a>,
    question: &'a SweepQuestion,
    samples: &'a [Vec<Sample>],
}

impl JudgedGrid<'_> {
    /// The values that were executed.
    fn values(&self) -> Vec<SweepPageValue> {
        self.found.executed().map(|(at, row)| self.value(at, row)).collect()
    }

    fn value(&self, at: usize, row: &SweepRow) -> SweepPageValue {
        let name = self.question.metric(at).name;
        let counted = self.samples[at].iter().filter(|sample| sample.counts());
        SweepPageValue {
            label: self.found.names.label(at),
            at: self.facts.at(at),
            summary: row.summary,
            samples: counted.filter_map(|sample| sample.value(&name)).collect(),
            marks: self.found.marks(at, row),
            breaks_limit: row.limits.iter().flatten().any(|(is_kept, _)| !is_kept),
        }
    }
}

impl SweepReport<'_> {
    /// The page.
    pub fn page(&self, facts: &PageFacts) -> SweepPage {
        let (found, question) = (self.found, self.question);
        let judged =
            JudgedGrid { facts, found: self.findings(), question, samples: &found.answer.samples };
        let (variants, mut lines) = (self.variants(), judged.found.lines());
        lines.extend(self.names.has_variants.then(|| AnswerNote::plain(variants.front_line())));
        SweepPage {
            values: judged.values(),
            table: judged.found.table(),
            variants: self.page_variants(),
            variants_table: variants.table(),
            notes: self.warnings(),
            ..facts.page(self.host, question.metric(0), lines)
        }
    }

    fn page_variants(&self) -> Vec<SweepPageVariant> {
        if !self.names.has_variants {
            return Vec::new();
        }
        let variant = |(at, standing): (usize, &CommandResult)| {
            let place = if self.names.floor == Some(at) {
                VariantPlace::Floor
            } else if self.front.contains(&at) {
                VariantPlace::Front
            } else {
                VariantPlace::Behind
            };
            SweepPageVariant {
                label: self.names.label(at),
                time: standing.raw,
                memory: standing.peak_memory.and_then(tacho_stats::BoundedValue::if_exact),
                place,
            }
        };
        self.standings.each.iter().enumerate().map(variant).collect()
    }
}

impl OptimumReport<'_> {
    /// The page.
    pub fn page(&self, facts: &PageFacts) -> SweepPage {
        let (found, question) = (self.found, self.question);
        let findings = self.findings();
        let lines = findings.lines();
        let judged = JudgedGrid { facts, found: findings.grid, question, samples: &found.samples };
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
            table: judged.found.table(),
            stages: stages.collect(),
            ..facts.page(self.host, question.metric(0), lines)
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
            ..facts.page(self.host, self.question.limit.metric.clone(), self.findings().lines())
        }
    }
}
