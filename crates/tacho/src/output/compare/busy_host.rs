//! What helps where other work on the host disturbs a comparison.

use tacho_experiment::compare::ComparisonData;
use tacho_report::block::AnswerNote;
use tacho_report::busy_host_hint::{CALLGRIND, WaysOut};
use tacho_report::comparison::ComparedRow;
use tacho_stats::compare::Verdict;

use crate::output::compare::report::CompareReport;
use crate::output::text;

/// More rounds that take longer, in nanoseconds, are not the cheapest way to a verdict.
const LONG: f64 = 60e9;

/// Whether a row is unclear although it has an interval, and more rounds would take long. Time is
/// what other work disturbs.
fn is_far_from_clear(row: &ComparedRow) -> bool {
    let more = row.comparison.more.map_or(f64::INFINITY, |more| more.cost(row.round));
    let has_interval = row.comparison.estimate.is_some_and(|it| it.interval.is_some());
    row.verdict == Verdict::Unclear
        && row.is_measured()
        && row.metric.name == "wall"
        && has_interval
        && more > LONG
}

impl CompareReport<'_> {
    /// What is less disturbed by other work on the host, where such work was seen or something is
    /// unclear: the cheapest first.
    pub(super) fn way_out(&self, all: &ComparisonData) -> Option<AnswerNote> {
        let own = all.run.as_ref().map(|run| run.number);
        let is_busy =
            all.loads.iter().any(|(run, load)| Some(*run) == own && load.others.is_some());
        let is_executed = (0..2).all(|side| self.terms.executes(side));
        let has = |name: &str| all.rows.iter().any(|row| row.metric.name == name);
        let has_time = all.rows.iter().any(|row| row.metric.name == "wall" && row.is_measured());
        let helps = is_busy && has_time || all.rows.iter().any(is_far_from_clear);
        if !is_executed || !helps {
            return None;
        }
        // Of a quirk the plan says which metrics are compared.
        let is_of_plan = self.terms.quirk.is_some();
        let counts = has(CALLGRIND) || !text::has_callgrind() || is_of_plan;
        let ways = WaysOut {
            cpu: Some("`-m cpu` compares").filter(|_| !has("cpu") && !is_of_plan),
            busy_share: all.rows.iter().find_map(|row| row.busy_share),
            callgrind: Some("`--counter instructions=callgrind`").filter(|_| !counts),
            duet: self.can_be_duet(),
            quiet_wait: false,
        };
        Some(AnswerNote::hint(ways.line()))
    }

    /// Whether `--duet` is another way for the same question.
    fn can_be_duet(&self) -> bool {
        let is_plain = self.terms.patches.is_empty() && self.terms.quirk.is_none();
        let several = std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1);
        let builds = self.terms.sides.iter().all(|side| side.program.builds() == 1);
        is_plain && self.terms.duet.is_none() && several && builds
    }
}
