//! All rows of a comparison together.

use std::time::Duration;

use tacho_record::{StopCondition, derived, in_backticks};
use tacho_stats::compare::Verdict;

use super::{ComparedRow, ComparisonReport, clauses, has_trade_off};
use crate::words::{self, count, duration, percent};

/// At most this many rows are named that did not reach a precision.
const NAMED: usize = 3;
/// From this multiple of the budget on it is said that a comparison took longer.
const EXCEEDED: f64 = 1.2;

/// How many rows have each verdict: `1 slower, 1 worse, 2 same`.
#[must_use]
pub fn counts(rows: &[ComparedRow]) -> String {
    let judged: Vec<&ComparedRow> = rows.iter().filter(|row| row.is_measured()).collect();
    let number = |verdict: Verdict| judged.iter().filter(|row| row.verdict == verdict).count();
    let of_time = |verdict: Verdict| {
        let of_time = |row: &&&ComparedRow| row.metric.unit.is_of_time();
        judged.iter().filter(|row| row.verdict == verdict).filter(of_time).count()
    };
    let [slower, faster] = [Verdict::Slower, Verdict::Faster].map(of_time);
    let failed = rows.iter().filter(|row| row.is_failed()).count();
    let all = [
        (slower, "slower"),
        (number(Verdict::Slower) - slower, "worse"),
        (faster, "faster"),
        (number(Verdict::Faster) - faster, "better"),
        (number(Verdict::Same), "same"),
        (number(Verdict::Unclear), "unclear"),
        (failed, "failed"),
        (rows.len() - judged.len() - failed, "not measured"),
    ];
    let shown = all.into_iter().filter(|(number, _)| *number > 0);
    shown.map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(", ")
}

/// The rule for judging several rows: at most this share of their reported differences is expected
/// to be false.
#[must_use]
pub fn judged_together(rows: usize, false_discovery: f64) -> String {
    format!("{rows} rows judged together: {}", rate(false_discovery))
}

fn rate(false_discovery: f64) -> String {
    let share = 100.0 * false_discovery;
    format!("at most {share:.0} % of reported differences are expected to be false")
}

impl ComparisonReport<'_> {
    /// How many of each verdict, what would have been found, what was left open and how rows were
    /// judged together; a line each.
    #[must_use]
    pub fn summary(&self) -> Vec<String> {
        let kind = if has_trade_off(self.rows) { "a trade-off: " } else { "" };
        let measured: Vec<&ComparedRow> =
            self.rows.iter().filter(|row| row.is_measured()).collect();
        let least = measured.iter().map(|row| row.least_detectable().unwrap_or(0.0));
        let seen = clauses::could_see(least).map_or_else(String::new, |what| {
            let below = measured.iter().filter(|row| row.found_below_least()).count();
            let why = match below {
                0 => String::new(),
                some => {
                    format!(
                        "; {} {} none, as a smaller difference was found",
                        count(some, "other row"),
                        if some == 1 { "has" } else { "have" }
                    )
                }
            };
            format!("; smallest detectable difference (with a chance of 80 %): {what}{why}")
        });
        let first = format!("{kind}{}{seen}", counts(self.rows));
        let rest = [self.spent_budget(), self.imprecise(), self.family()];
        std::iter::once(first).chain(rest.into_iter().flatten()).collect()
    }

    /// Says that several rows are judged together.
    fn family(&self) -> Option<String> {
        let all = self.rows.len();
        let is_judged = self.together > 1 && self.rows.iter().any(ComparedRow::is_measured);
        is_judged.then(|| match self.together {
            some if some < all => format!(
                "{all} rows judged together, as {some} tests{}: {}",
                self.apart(),
                rate(self.false_discovery)
            ),
            every => judged_together(every, self.false_discovery),
        })
    }

    /// The metrics that are not judged separately, and why: they are constant or computed from
    /// others.
    fn apart(&self) -> String {
        let (mut constant, mut derived): (Vec<&str>, Vec<&str>) = Default::default();
        for row in self.rows {
            let name = row.metric.name.as_str();
            let all = match (row.is_constant(), derived::DERIVED.contains(&name)) {
                (true, _) => &mut constant,
                (false, true) => &mut derived,
                (false, false) => continue,
            };
            if !all.contains(&name) {
                all.push(name);
            }
        }
        let said = |names: &[&str], one: &str, several: &str| match names {
            [] => None,
            [name] => Some(format!("`{name}` {one}, so it is not a test of its own")),
            names => {
                let names = in_backticks(names);
                Some(format!("{names} {several}, so they are not tests of their own"))
            }
        };
        let never = said(&constant, "never varies", "never vary");
        let follow = said(&derived, "follows from the others", "follow from the others");
        let apart: Vec<String> = never.into_iter().chain(follow).collect();
        if apart.is_empty() { String::new() } else { format!(" ({})", apart.join("; ")) }
    }

    /// Says that the budget ended the comparison with open rows. More rounds settle nothing if a
    /// side is not executed. Rows with the requested rounds or precision were not ended by the
    /// budget.
    #[must_use]
    pub fn spent_budget(&self) -> Option<String> {
        let rule = self.rule?;
        let budget = rule.budget?;
        let is_executed = (0..2).all(|side| self.terms.executes(side));
        let was_ended = |row: &&ComparedRow| {
            let is_open =
                row.verdict == Verdict::Unclear && row.is_measured() && row.failure.is_none();
            is_open
                && is_executed
                && !row.settled
                && row.comparison.counts.rounds < rule.max_rounds as usize
        };
        let ended: Vec<usize> =
            self.rows.iter().filter(was_ended).map(|row| row.comparison.counts.rounds).collect();
        let rounds = count(*ended.iter().min()?, "round");
        let open = if ended.len() == 1 { "row needs" } else { "rows need" };
        let budget = duration(budget);
        Some(format!(
            "the budget of {budget} ended measuring after {rounds}; the unclear {open} more"
        ))
    }

    /// Says that the only round took far longer than the budget.
    #[must_use]
    pub fn exceeded_budget(&self, executing: Option<Duration>) -> Option<String> {
        let (budget, took) = (self.rule?.budget?, executing?);
        let is_one = self.rows.iter().all(|row| row.comparison.counts.rounds <= 1);
        (is_one && took.as_secs_f64() > EXCEEDED * budget.as_secs_f64()).then(|| {
            let (took, budget) = (duration(took), duration(budget));
            format!(
                "the budget of {budget} was exceeded: one round is always executed, and took {took}"
            )
        })
    }

    /// The rows that did not reach the requested precision.
    fn imprecise(&self) -> Option<String> {
        let StopCondition::Precise(wanted) = self.terms.until else { return None };
        let reach = |row: &ComparedRow| row.comparison.estimate.and_then(|it| it.reach());
        let is_open =
            |row: &&ComparedRow| row.is_measured() && reach(row).is_none_or(|it| it > wanted);
        let open: Vec<&ComparedRow> = self.rows.iter().filter(is_open).collect();
        let name = |row: &&ComparedRow| {
            let found = reach(row)
                .map_or_else(|| "no interval".to_owned(), |it| format!("± {}", percent(it)));
            format!("{} {found} in {}", row.name(), count(row.comparison.counts.rounds, "round"))
        };
        let mut named: Vec<String> = open.iter().take(NAMED).map(name).collect();
        if open.len() > NAMED {
            named.push(format!("and {} more", count(open.len() - NAMED, "row")));
        }
        let wanted = words::precision(wanted);
        (!open.is_empty()).then(|| format!("{wanted} not reached: {}", named.join(", ")))
    }
}
