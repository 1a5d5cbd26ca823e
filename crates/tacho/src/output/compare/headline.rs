//! The first line of a comparison in Markdown: what came of it, in one line.

use tacho_experiment::compare::{Row, Rows, Stands};

use super::family::in_order;
use super::summary::counts;
use crate::output::compare::report::CompareReport;

impl CompareReport<'_> {
    /// What came of it in one line: the number of each verdict, and what `--fail-on` fails on.
    pub(super) fn headline(&self, all: &Rows) -> String {
        let counts = counts(all);
        let failing = |row: &&Row| self.stands(row) == Some(Stands::Slower);
        let slower: Vec<&Row> = in_order(&all.rows).into_iter().filter(failing).collect();
        let Some(first) = slower.first() else {
            return match self.stood() {
                Some(stood) => format!("**{counts}; {}**\n", self.gate_line(&stood)),
                None => format!("**{counts}**\n"),
            };
        };
        let cells = self.cells(first);
        let effect = [&cells[5], &cells[6]].into_iter().find(|cell| !cell.is_empty());
        let effect = effect.map_or_else(String::new, |effect| format!(" {effect}"));
        let more = if slower.len() > 1 {
            format!(" and {} more", slower.len() - 1)
        } else {
            String::new()
        };
        let typed = self.fail_on.map_or("", |fail_on| fail_on.typed.as_str());
        format!(
            "**{counts}: fails on `{typed}`: {} {}{effect}{more}**\n",
            first.benchmark, first.metric.name
        )
    }
}
