//! The highest load that keeps a limit, in words.

use tacho_report::block::{AnswerCell, AnswerTable, Block};
use tacho_stats::sweep::{LoadOutcome, kept_at_least};

use super::{LoadReport, in_markdown, said};
use crate::output::{blocks, text};

impl LoadReport<'_> {
    /// The answer as people read it.
    pub fn text(&self) -> String {
        blocks::terminal(&[Block::Table(self.table())]) + &said(self.lines())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        in_markdown(self.table(), self.lines())
    }

    /// The loads that were tried, the lowest first.
    fn table(&self) -> AnswerTable {
        let search = &self.found.search;
        let tried = (0..self.question.bench.commands.len()).filter(|load| search.kept(*load).1 > 0);
        let row = |load: usize| {
            let (kept, all) = search.kept(load);
            let received = self.received(load).unwrap_or_default();
            [self.names.label(load), all.to_string(), kept.to_string(), received]
                .map(AnswerCell::from)
                .into()
        };
        AnswerTable::of(&["load", "trials", "kept", "received"], &(1..4), tried.map(row).collect())
    }

    fn received(&self, load: usize) -> Option<String> {
        let metric = self.question.received.as_ref()?;
        Some(metric.unit.show(self.found.search.received(load)?))
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let (limit, search) = (&self.question.limit, &self.found.search);
        let name = |load: usize| format!("`{}`", self.names.label(load));
        let last = self.question.bench.commands.len() - 1;
        let received = |load: usize| {
            self.received(load)
                .map_or_else(String::new, |received| format!(", received {received}"))
        };
        let mut lines = match self.found.outcome {
            None if self.found.is_interrupted => vec![super::INTERRUPTED.to_owned()],
            None => vec!["not found: the search did not end".to_owned()],
            Some(LoadOutcome::NoneKeeps) => {
                vec![format!("none: even {} breaks `{limit}`", name(0))]
            }
            Some(LoadOutcome::AllKeep) => vec![
                format!("highest load: at least {}{}", name(last), received(last)),
                format!("the whole range keeps `{limit}`: a wider one would show where that ends"),
            ],
            Some(LoadOutcome::Between(low, high)) => vec![
                format!("highest load that keeps `{limit}`: {}{}", name(low), received(low)),
                self.confidence(low),
                format!(
                    "{} breaks it in {} of {} trials",
                    name(high),
                    broken(search.kept(high)),
                    search.kept(high).1
                ),
            ],
        };
        let exceed = text::precision(self.question.goal.exceed_ratio).replace("± ", "");
        let trials = text::count(search.trials().len(), "trial");
        lines.push(format!(
            "{trials}, by MLRsearch (RFC 9971): {} decide on a load, {exceed} of them may break \
             the limit",
            self.question.goal.duration_sum
        ));
        lines
    }

    fn confidence(&self, load: usize) -> String {
        let (kept, all) = self.found.search.kept(load);
        let share = text::percent(kept_at_least(kept, all));
        format!(
            "kept in {kept} of {all} trials: at least {share} of such trials keep it, with 95 % \
             confidence"
        )
    }
}

fn broken((kept, all): (usize, usize)) -> usize {
    all - kept
}
