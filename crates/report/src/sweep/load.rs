//! The highest load that keeps a limit, in words.

use tacho_record::Metric;
use tacho_stats::sweep::{LoadGoal, LoadOutcome, LoadSearch, kept_at_least};

use super::ValueNames;
use crate::block::{AnswerCell, AnswerNote, AnswerTable, Block};
use crate::run::INTERRUPTED;
use crate::words::{as_written, count, percent};

/// The result of a search for the highest load.
#[derive(Clone, Debug)]
pub struct LoadFindings<'a> {
    /// The names of the loads, the lowest first.
    pub names: &'a ValueNames,
    /// The limit that a trial must keep, as written.
    pub limit: String,
    /// The metric of the load that a trial really carried, if it is read.
    pub received: Option<&'a Metric>,
    /// The criterion for a load.
    pub goal: &'a LoadGoal,
    /// All trials, and what they decided.
    pub search: &'a LoadSearch,
    /// The outcome; `None` if the search was interrupted, or a trial failed.
    pub outcome: Option<LoadOutcome>,
    /// Whether the user stopped the search.
    pub is_interrupted: bool,
}

impl LoadFindings<'_> {
    /// The loads that were tried, and what was found.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        let lines = self.lines().into_iter().map(Block::Note);
        [Block::Table(self.table())].into_iter().chain(lines).collect()
    }

    /// The loads that were tried, the lowest first.
    fn table(&self) -> AnswerTable {
        let search = self.search;
        let tried = (0..self.names.labels.len()).filter(|load| search.kept(*load).1 > 0);
        let row = |load: usize| {
            let (kept, all) = search.kept(load);
            let received = self.shown(load).unwrap_or_default();
            [self.names.label(load), all.to_string(), kept.to_string(), received]
                .map(AnswerCell::from)
                .into()
        };
        AnswerTable::of(&["load", "trials", "kept", "received"], &(1..4), tried.map(row).collect())
    }

    fn shown(&self, load: usize) -> Option<String> {
        let metric = self.received?;
        Some(metric.unit.show(self.search.received(load)?))
    }

    /// The results, one a line.
    #[must_use]
    pub fn lines(&self) -> Vec<AnswerNote> {
        let (limit, search) = (&self.limit, self.search);
        let name = |load: usize| format!("`{}`", self.names.label(load));
        let last = self.names.labels.len() - 1;
        let received = |load: usize| {
            self.shown(load).map_or_else(String::new, |received| format!(", received {received}"))
        };
        let mut lines = match self.outcome {
            None if self.is_interrupted => vec![AnswerNote::plain(INTERRUPTED)],
            None => vec![AnswerNote::about("not found", "a trial failed before the search ended")],
            Some(LoadOutcome::NoneKeeps) => {
                vec![AnswerNote::about("none", format!("even {} breaks `{limit}`", name(0)))]
            }
            Some(LoadOutcome::AllKeep) => {
                let highest = format!("at least {}{}", name(last), received(last));
                let wider = "a wider range would show the highest load";
                let all = format!("the whole range keeps `{limit}`: {wider}");
                vec![AnswerNote::about("highest load", highest), AnswerNote::plain(all)]
            }
            Some(LoadOutcome::Between(low, high)) => {
                let highest = format!("{}{}", name(low), received(low));
                let (broken, trials) = (broken(search.kept(high)), search.kept(high).1);
                let next = format!("breaks the limit in {broken} of {trials} trials");
                let lines = [
                    format!("highest load that keeps `{limit}`: {highest}"),
                    self.confidence(low),
                    format!("{} {next}", name(high)),
                ];
                lines.map(AnswerNote::plain).into()
            }
        };
        let exceed = as_written(self.goal.exceed_ratio);
        let trials = count(search.trials().len(), "trial");
        let by = format!(
            "{trials}, by MLRsearch (RFC 9971): up to {} trials decide on each load, and {exceed} \
             of these may break the limit",
            self.goal.duration_sum
        );
        lines.push(AnswerNote::plain(by));
        lines
    }

    fn confidence(&self, load: usize) -> String {
        let (kept, all) = self.search.kept(load);
        let share = percent(kept_at_least(kept, all));
        format!(
            "kept in {kept} of {all} trials: with 95 % confidence, at least {share} of all trials \
             at this load keep it"
        )
    }
}

fn broken((kept, all): (usize, usize)) -> usize {
    all - kept
}
