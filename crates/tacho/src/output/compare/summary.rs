//! What is said of all rows of a comparison together.

use tacho_experiment::compare::{Row, Rows};
use tacho_record::Until;
use tacho_site::said;
use tacho_stats::compare::Verdict;

use super::family::{Family, is_trade_off};
use crate::output::bench::word;
use crate::output::compare::report::{CompareReport, is_failed, is_measured};
use crate::output::text;

/// How many rows are named that a precision was not reached in.
const NAMED: usize = 3;

/// How many rows have each verdict: `1 slower, 2 same`.
pub(super) fn counts(all: &Rows) -> String {
    let judged: Vec<&Row> = all.rows.iter().filter(|row| is_measured(row)).collect();
    let words = [Verdict::Slower, Verdict::Faster, Verdict::Same, Verdict::Unclear];
    let count = |verdict: Verdict| judged.iter().filter(|row| row.verdict == verdict).count();
    let told = words
        .into_iter()
        .filter(|it| count(*it) > 0)
        .map(|it| format!("{} {}", count(it), word(it)));
    let failed = all.rows.iter().filter(|row| is_failed(row)).count();
    let others = [(failed, "failed"), (all.rows.len() - judged.len() - failed, "not measured")];
    let others = others.into_iter().filter(|(number, _)| *number > 0);
    let told = told.chain(others.map(|(number, word)| format!("{number} {word}")));
    told.collect::<Vec<_>>().join(", ")
}

impl CompareReport<'_> {
    /// How many of each, and what the run could have seen.
    pub(super) fn summary(&self, all: &Rows) -> String {
        let judged: Vec<&Row> = all.rows.iter().filter(|row| is_measured(row)).collect();
        let told = counts(all);
        let kind = if is_trade_off(&all.rows) { "a trade-off: " } else { "" };
        let family = Family::of(all.together).map_or_else(String::new, |family| family.line());
        let seen = could_see(&judged);
        let open = spent_budget(all) + &self.imprecise(&judged);
        format!("{kind}{told}{seen}\n{open}{family}{}", self.run(all))
    }

    /// In which rows a precision was not reached that was asked for.
    fn imprecise(&self, judged: &[&Row]) -> String {
        let Until::Precise(wanted) = self.terms.until else { return String::new() };
        let reach = |row: &Row| row.comparison.estimate.and_then(|estimate| estimate.reach());
        let open: Vec<&&Row> =
            judged.iter().filter(|row| reach(row).is_none_or(|it| it > wanted)).collect();
        if open.is_empty() {
            return String::new();
        }
        let name = |row: &&&Row| {
            let found = reach(row)
                .map_or_else(|| "no interval".to_owned(), |it| format!("± {}", text::percent(it)));
            let rounds = text::count(row.comparison.counts.rounds, "round");
            format!("{} {} {found} in {rounds}", row.benchmark, row.metric.name)
        };
        let mut named: Vec<String> = open.iter().take(NAMED).map(name).collect();
        if open.len() > NAMED {
            named.push(format!("and {} more", text::count(open.len() - NAMED, "row")));
        }
        format!("{} not reached: {}\n", text::precision(wanted), named.join(", "))
    }

    /// Under which number it is kept, how long it took and in which order it was executed.
    fn run(&self, all: &Rows) -> String {
        let Some(run) = &all.run else { return String::new() };
        let number = self.is_kept.then(|| format!("run {}", run.number));
        let executing = all.executing.map(|it| format!("{} executing", text::duration(it)));
        let parts = [number, executing, Some(format!("seed {}", run.seed))];
        format!("{}\n", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// The smallest difference that would have been told in a row, a share of a ratio.
pub(super) fn least(row: &Row) -> Option<f64> {
    let has_ratio = row.comparison.estimate.is_some_and(|it| it.ratio.is_some());
    row.comparison.detectable.filter(|_| has_ratio && is_measured(row))
}

/// The same of all rows: the smallest and the largest, if they differ as they are printed.
fn could_see(judged: &[&Row]) -> String {
    let what = said::could_see(judged.iter().filter_map(|row| least(row)), text::percent);
    what.map_or_else(String::new, |what| {
        format!("; {what} would have been told with a chance of 80 %")
    })
}

/// That the budget ended it with something open. Where a side is not executed more rounds settle
/// nothing, and what was executed as often as was asked for, or known precisely enough, was not
/// ended by it.
pub(super) fn spent_budget(all: &Rows) -> String {
    let rule = all.run.as_ref().map(|run| &run.rule).filter(|_| !all.interrupted);
    let Some((rule, budget)) = rule.and_then(|rule| Some((rule, rule.budget?))) else {
        return String::new();
    };
    let is_executed = (0..2).all(|side| all.terms.executes(side));
    let was_ended = |row: &&Row| {
        let is_open = row.verdict == Verdict::Unclear && is_measured(row) && row.failure.is_none();
        is_open
            && is_executed
            && !row.settled
            && row.comparison.counts.rounds < rule.max_rounds as usize
    };
    let fewest = all.rows.iter().filter(was_ended).map(|row| row.comparison.counts.rounds).min();
    fewest.map_or_else(String::new, |rounds| {
        let rounds = text::count(rounds, "round");
        format!(
            "the budget of {} held {rounds}, too few for what is unclear\n",
            text::duration(budget)
        )
    })
}
