//! The ranking of commands, and its certainty.

use tacho_record::RequestedEstimator;
use tacho_stats::compare::{ChoiceReason, Verdict};

use super::{BenchFindings, BenchReference};
use crate::block::{AnswerCell, AnswerTable, Block, Tone};
use crate::comparison::{clauses, far_from_medians, ratio_of, shown};
use crate::words::percent;

/// The columns of a ranking.
pub const RANKED: [&str; 4] = ["", "", "", ""];

impl BenchFindings<'_> {
    /// The commands that others beat in time and memory, then each command against the reference,
    /// by time. Empty without a reference.
    #[must_use]
    pub fn ranking(&self) -> Vec<Block> {
        let Some(reference) = self.reference else { return Vec::new() };
        let rows = self.others().map(|index| self.ranked(index)).collect();
        let sentences = self.modes(reference.index).into_iter().chain(self.beaten());
        let table = AnswerTable::of(&RANKED, &(0..1), rows);
        let sentences = sentences.chain(self.beside_smaller_median(reference));
        let lines = sentences.chain([self.above(reference)]).map(Block::Sentence);
        let apart = self.others().filter_map(|index| self.apart(index, reference.index));
        lines.chain([Block::Table(table)]).chain(apart.map(Block::Sentence)).collect()
    }

    /// The estimator of a command's ratio, if the medians above have another ratio.
    fn apart(&self, index: usize, reference: usize) -> Option<String> {
        let [time, other] =
            [index, reference].map(|at| self.rows[at].time.filter(|time| !time.is_bound));
        let comparison = self.rows[index].comparison?;
        let (time, other) = (time?, other?);
        let rounds = comparison.counts.rounds;
        let rounds = Some(rounds).filter(|&rounds| time.n.max(other.n) > rounds);
        let apart = far_from_medians(&comparison.estimate?, time.median / other.median, rounds)?;
        Some(format!("{}: {apart}", self.quoted(index)))
    }

    /// Says that the ratio decides, if the reference is not the command with the smallest median.
    fn beside_smaller_median(&self, reference: BenchReference) -> Option<String> {
        let smaller = reference.smaller_median?;
        let estimate = self.rows[smaller].comparison?.estimate?;
        let of = ratio_of(estimate.estimator).map_or_else(String::new, |of| format!(" {of}"));
        Some(format!(
            "no command is faster than {} by the ratio{of}, which decides, although the median of \
             {} is smaller",
            self.quoted(reference.index),
            self.quoted(smaller),
        ))
    }

    /// The heading of the rows: `ratios to a, the fastest, with 95 % intervals`.
    fn above(&self, reference: BenchReference) -> String {
        let name = self.quoted(reference.index);
        // In an undecided row the reference may be faster by chance.
        let are_slower =
            self.rows.iter().all(|row| matches!(row.verdict, None | Some(Verdict::Slower)));
        let word = if reference.is_fastest && are_slower { ", the fastest" } else { "" };
        let by = match self.estimator {
            None => "",
            Some(RequestedEstimator::Mean) => " by means,",
            Some(RequestedEstimator::Median) => " by medians,",
            Some(RequestedEstimator::Minimum) => " by minima,",
        };
        let what = match self.quantities() {
            (false, false) => return format!("against {name}{word}"),
            (true, false) => format!("ratios to {name}{word}"),
            (false, true) => format!("differences from {name}{word}"),
            (true, true) => format!("ratios to {name}{word}, or differences from it"),
        };
        format!("{what},{by} with 95 % intervals")
    }

    /// Whether rows have ratios, and whether they have differences: a time that may be 0 has no
    /// ratio.
    fn quantities(&self) -> (bool, bool) {
        let estimates = self.rows.iter().filter_map(|row| {
            let estimate = row.comparison?.estimate?;
            let [number, _] = shown(&estimate, &row.metric.unit);
            Some(estimate.ratio.is_some()).filter(|_| !number.is_empty())
        });
        estimates.fold((false, false), |(ratios, differences), is_ratio| {
            (ratios || is_ratio, differences || !is_ratio)
        })
    }

    /// How long commands take that are now fast, now slow, and what is compared then: a line for
    /// each that is compared.
    fn modes(&self, reference: usize) -> Vec<String> {
        let line = |index: usize| {
            let comparison = self.rows[index].comparison?;
            let modes = comparison.modes?;
            let unit = &self.rows[index].metric.unit;
            let times = |index: usize, levels: Option<(f64, f64)>, share: f64| {
                let (low, high) = levels?;
                let name = self.quoted(index);
                let (low, high, share) = (unit.show(low), unit.show(high), percent(share));
                Some(format!("{name} takes about {low}, or {high} in {share} of its executions"))
            };
            let sides = [
                times(reference, modes.a, modes.upper_share_a),
                times(index, modes.b, modes.upper_share_b),
            ];
            let sides: Vec<String> = sides.into_iter().flatten().collect();
            let compared = match comparison.choice.because {
                ChoiceReason::Modes => "; the ratio is that of the means",
                _ => "",
            };
            (!sides.is_empty()).then(|| format!("two modes: {}{compared}", sides.join("; ")))
        };
        let mut lines: Vec<String> = self.by_time.iter().copied().filter_map(line).collect();
        lines.dedup();
        lines
    }

    /// A line for each command that another beats on time and memory.
    fn beaten(&self) -> Vec<String> {
        let line = |(index, by): (usize, &[usize])| {
            let names: Vec<String> = by.iter().map(|index| self.quoted(*index)).collect();
            let line = format!(
                "{} is beaten on time and memory by {}",
                self.quoted(index),
                names.join(", ")
            );
            (!by.is_empty()).then_some(line)
        };
        self.rows.iter().map(|row| row.beaten_by).enumerate().filter_map(line).collect()
    }

    /// The ratio or the difference, its interval, the command and the verdict.
    fn ranked(&self, index: usize) -> Vec<AnswerCell> {
        let row = &self.rows[index];
        let estimate = row.comparison.and_then(|comparison| comparison.estimate);
        let [ratio, interval] =
            estimate.map_or_else(Default::default, |it| shown(&it, &row.metric.unit));
        let tone = match row.verdict {
            Some(Verdict::Faster) => Tone::Better,
            Some(Verdict::Slower) => Tone::Worse,
            _ => Tone::Plain,
        };
        let verdict = AnswerCell { tone, ..self.verdict(index).into() };
        [ratio, interval, self.name(index)]
            .map(AnswerCell::from)
            .into_iter()
            .chain([verdict])
            .collect()
    }

    /// The verdict on a command, and what would settle one that is unclear; empty of the reference.
    #[must_use]
    pub fn verdict(&self, index: usize) -> String {
        let row = &self.rows[index];
        let Some(verdict) = row.verdict else { return String::new() };
        let reference = self.reference.map_or_else(String::new, |it| self.quoted(it.index));
        let name = self.quoted(index);
        let names = [reference.as_str(), name.as_str()];
        let why = || match (row.comparison?.more, clauses::refuted(row.comparison?, names)) {
            (_, Some(refuted)) => Some(refuted),
            (Some(more), None) => Some(self.more_rounds(more.rounds)),
            (None, None) => clauses::clear_alone(row.comparison?.verdict, &row.metric.unit)
                .or_else(|| clauses::beyond_rounds(row.comparison?, names, &row.metric.unit)),
        };
        match verdict {
            Verdict::Faster => clauses::faster(&row.metric.unit).to_owned(),
            Verdict::Slower => clauses::slower(&row.metric.unit).to_owned(),
            Verdict::Same => {
                clauses::same(row.comparison.and_then(|it| it.estimate.as_ref()), self.margin)
            }
            Verdict::Unclear => {
                let why = why().unwrap_or_else(|| clauses::UNKNOWN_ROUNDS.to_owned());
                format!("unclear: {why}")
            }
        }
    }
}
