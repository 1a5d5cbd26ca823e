//! The advice for a comparison that other work on the host disturbs.

use tacho_stats::compare::Verdict;

use super::{ComparedRow, ComparisonReport};
use crate::block::AnswerNote;
use crate::busy_host_hint::{CALLGRIND, HostAbilities, WaysOut};

/// More rounds that take longer, in nanoseconds, are not the cheapest way to a verdict.
const LONG: f64 = 60e9;

/// Whether a row is unclear although it has an interval, and more rounds would take long. Other
/// work disturbs times.
fn is_far_from_clear(row: &ComparedRow) -> bool {
    let more = row.comparison.more.map_or(f64::INFINITY, |more| more.cost(row.round));
    let has_interval = row.comparison.estimate.is_some_and(|it| it.interval.is_some());
    row.verdict == Verdict::Unclear
        && row.is_measured()
        && row.metric.is_wall()
        && has_interval
        && more > LONG
}

impl ComparisonReport<'_> {
    /// The ways to measure with less disturbance, if other work was seen or something is unclear:
    /// the cheapest first.
    #[must_use]
    pub fn way_out(&self, host: HostAbilities) -> Option<AnswerNote> {
        let is_busy =
            self.loads.iter().any(|(run, load)| self.run == Some(*run) && load.others.is_some());
        let is_executed = (0..2).all(|side| self.terms.executes(side));
        let has = |name: &str| self.rows.iter().any(|row| row.metric.name == name);
        let has_time = self.rows.iter().any(|row| row.metric.is_wall() && row.is_measured());
        let helps = is_busy && has_time || self.rows.iter().any(is_far_from_clear);
        if !is_executed || !helps {
            return None;
        }
        // For a quirk the plan sets the compared metrics.
        let is_of_plan = self.terms.quirk.is_some();
        let counts = has(CALLGRIND) || !host.callgrind || is_of_plan;
        let ways = WaysOut {
            cpu: Some("`-m cpu` compares").filter(|_| !has("cpu") && !is_of_plan),
            busy_share: self.rows.iter().find_map(|row| row.busy_share),
            callgrind: Some("`--counter instructions=callgrind`").filter(|_| !counts),
            duet: host.several_cpus && self.can_be_duet(),
            quiet_wait: false,
        };
        Some(AnswerNote::hint(ways.line()))
    }

    /// Whether `--duet` is another way for the same question.
    fn can_be_duet(&self) -> bool {
        let is_plain = self.terms.patches.is_empty() && self.terms.quirk.is_none();
        let builds =
            self.terms.sides.iter().all(|side| side.program.builds() == 1) && self.build.is_none();
        is_plain && self.terms.duet.is_none() && builds
    }
}
