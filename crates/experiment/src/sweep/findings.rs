//! The findings about values, as they are reported.

use tacho_report::sweep::{
    LoadFindings, OptimumFindings, SweepFindings, SweepLimit, SweepRow, ValueNames,
    VariantFindings, VariantRow,
};
use tacho_stats::sweep::SweepCurve;

use super::{FoundOptimum, HighestLoad, LoadQuestion, MissingCurve, SweepAnswer, SweepQuestion};
use crate::bench::{BEATEN_BY, CommandResult, Standings};

impl SweepAnswer {
    /// The findings about the values of a grid. `has_callgrind`: instructions can be counted in
    /// software here.
    #[must_use]
    pub fn findings<'a>(
        &'a self,
        question: &'a SweepQuestion,
        names: &'a ValueNames,
        has_callgrind: bool,
    ) -> SweepFindings<'a> {
        SweepFindings {
            has_callgrind,
            is_interrupted: self.answer.interrupted,
            ..question.findings(names, &self.rows, &self.curve, &self.places)
        }
    }
}

impl FoundOptimum {
    /// The findings of a search, likewise.
    #[must_use]
    pub fn findings<'a>(
        &'a self,
        question: &'a SweepQuestion,
        names: &'a ValueNames,
        has_callgrind: bool,
    ) -> OptimumFindings<'a> {
        OptimumFindings {
            grid: SweepFindings {
                has_callgrind,
                is_interrupted: self.is_interrupted,
                ..question.findings(names, &self.rows, &self.curve, &self.places)
            },
            spans: &self.spans,
            taken: self.taken,
            whole: self.whole,
            is_cut_short: self.is_cut_short,
        }
    }
}

impl HighestLoad {
    /// The findings about the loads.
    #[must_use]
    pub fn findings<'a>(
        &'a self,
        question: &'a LoadQuestion,
        names: &'a ValueNames,
    ) -> LoadFindings<'a> {
        LoadFindings {
            names,
            limit: question.limit.to_string(),
            received: question.received.as_ref(),
            goal: &question.goal,
            search: &self.search,
            outcome: self.outcome,
            is_interrupted: self.is_interrupted,
        }
    }
}

impl Standings {
    /// The findings about variants; no other variant beats those at `front`.
    #[must_use]
    pub fn variants<'a>(
        &'a self,
        names: &'a ValueNames,
        front: &'a [usize],
    ) -> VariantFindings<'a> {
        let row = |found: &'a CommandResult| VariantRow {
            time: found.raw.as_ref(),
            comparison: found.compared.as_ref(),
            verdict: found.verdict,
            cpu_percent: found.cpu_percent,
            peak_memory: found.peak_memory,
        };
        VariantFindings { names, rows: self.each.iter().map(row).collect(), front, most: BEATEN_BY }
    }
}

impl SweepQuestion {
    fn findings<'a>(
        &'a self,
        names: &'a ValueNames,
        rows: &'a [SweepRow],
        curve: &'a Result<SweepCurve, MissingCurve>,
        places: &'a [usize],
    ) -> SweepFindings<'a> {
        let limits = self.limits.iter();
        SweepFindings {
            names,
            metric: self.metric(places.first().copied().unwrap_or(0)),
            margin: self.margin,
            limits: limits
                .map(|it| SweepLimit { text: it.to_string(), metric: &it.metric.name })
                .collect(),
            rows,
            curve: curve.as_ref().map_err(ToString::to_string),
            places,
            has_callgrind: false,
            is_interrupted: false,
        }
    }
}
