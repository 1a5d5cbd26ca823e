//! What should be said beside the numbers of a comparison.

use tacho_experiment::compare::{Row, Rows};
use tacho_record::factor;
use tacho_site::said;
use tacho_stats::compare::{Comparison, Estimate, Estimator, Note, Verdict};

use super::answer::{between_runs, places};
use super::family::in_order;
use crate::output::compare::report::{CompareReport, is_measured};
use crate::output::text;

/// From this distance of two ratios on (of their logarithms) it is said why they differ.
const APART: f64 = 0.03;
/// From this difference between two processors on it is told of.
const PLACES: f64 = 0.01;

impl CompareReport<'_> {
    /// All of them, in lines.
    pub(super) fn notes(&self, all: &Rows) -> String {
        self.of_rows(all)
            + &self.beside_control(all)
            + &self.at_once(all)
            + &self.carried(all)
            + &of_host(all)
            + &self.way_out(all)
            + &self.of_several_runs(all)
    }

    /// That A, executed a second time, differs from itself by no less than what is told of B.
    pub(super) fn beside_control(&self, all: &Rows) -> String {
        let mut out = String::new();
        let decides = |row: &&Row| row.comparison.notes.contains(&Note::NotBeyondControl);
        let is_told = |row: &&Row| row.verdict != Verdict::Unclear || decides(row);
        for row in in_order(&all.rows).into_iter().filter(is_told) {
            let ratio = |estimate: Option<Estimate>| estimate.and_then(|it| it.ratio);
            let (told, control) = (ratio(row.comparison.estimate), ratio(row.comparison.control));
            let Some((told, control)) = told.zip(control) else { continue };
            if is_beyond(control, told, self.terms.margin) {
                let [same, other] = [control, told].map(text::change);
                out += &format!(
                    "{} {}:\n  {} differs from itself by {same} here, which is no less than {other}\n",
                    row.benchmark,
                    row.metric.name,
                    self.names()[0],
                );
            }
        }
        out
    }

    /// That both were executed at the same time, and what the processors differ by.
    pub(super) fn at_once(&self, all: &Rows) -> String {
        let Some([first, second]) = self.terms.duet else { return String::new() };
        let mut out = format!(
            "executed at the same time on processors {first} and {second},\n  swapped each round; no control\n"
        );
        for row in in_order(&all.rows) {
            let Some(places) = places(&row.comparison).filter(|it| it.ln().abs() >= PLACES) else {
                continue;
            };
            out += &format!(
                "{} {}:\n  processor {first} has {} beside {second}, which was taken away\n",
                row.benchmark,
                row.metric.name,
                text::change(places)
            );
        }
        out
    }

    /// After which side executions differ.
    pub(super) fn carried(&self, all: &Rows) -> String {
        let Some(carried) = &all.carried else { return String::new() };
        let side = &self.names()[carried.side];
        format!(
            "warning: what is executed after {side} ({}) differs by {}\n\
             hint: a `prepare` can bring about the same state before each execution, such as `sleep 1`\n",
            carried.benchmark,
            text::change(1.0 + carried.share)
        )
    }

    /// That what is compared is not of one run, and what that costs.
    fn of_several_runs(&self, all: &Rows) -> String {
        let names = self.names();
        let kept: Vec<&str> = (0..2)
            .filter(|side| !self.terms.executes(*side))
            .map(|side| names[side].as_str())
            .collect();
        if kept.is_empty() {
            return String::new();
        }
        let found = || all.rows.iter().filter_map(|row| between_runs(&row.comparison));
        let most = found().max_by(|one, other| one.deviation.total_cmp(&other.deviation));
        // Of counts it is told in each row.
        let differ = most.map_or_else(String::new, |most| {
            let from = said::from_runs(found().any(|it| it.assumed), most.deviation);
            let most = text::percent(most.deviation);
            format!(
                "; the interval has in it what runs of one program differ by (up to {most}, {from})"
            )
        });
        let mut out = format!("not measured today: {}{differ}\n", kept.join(" and "));
        for otherwise in &self.terms.otherwise {
            out += &format!("not alike: {otherwise}\n");
        }
        out
    }
}

/// More rounds that take longer, in nanoseconds, are not the cheapest way to a verdict.
const LONG: f64 = 60e9;
/// The metric of instructions that callgrind counts.
const CALLGRIND: &str = "callgrind-instructions";

/// Whether a row is unclear although it has an interval, and more rounds would take long. Time is
/// what other work disturbs.
fn is_far_from_clear(row: &Row) -> bool {
    let more = row.comparison.more.map_or(f64::INFINITY, |more| more.cost(row.round));
    let has_interval = row.comparison.estimate.is_some_and(|it| it.interval.is_some());
    row.verdict == Verdict::Unclear
        && is_measured(row)
        && row.metric.name == "wall"
        && has_interval
        && more > LONG
}

/// What others had of the host meanwhile.
pub(super) fn of_host(all: &Rows) -> String {
    let mut out = String::new();
    for (run, load) in &all.loads {
        let own = all.run.as_ref().is_some_and(|own| own.number == *run);
        let meanwhile = if own { "meanwhile".to_owned() } else { format!("during run {run}") };
        if let Some(cpus) = load.others {
            out += &format!("warning: other processes used {cpus:.1} CPU {meanwhile}\n");
        }
        if let Some(share) = load.stolen {
            out += &format!(
                "warning: a hypervisor kept {share:.2} CPUs' time from this host {meanwhile}\n"
            );
        }
    }
    out
}

/// Whether what the control differs by is no less than what is told, and more than what counts as
/// none.
fn is_beyond(control: f64, told: f64, margin: f64) -> bool {
    let size = |ratio: f64| ratio.ln().abs();
    size(control) > margin.ln_1p().max(size(told))
}

impl CompareReport<'_> {
    /// What is less disturbed by other work on the host, where that was seen or something is
    /// unclear: the cheapest first.
    fn way_out(&self, all: &Rows) -> String {
        let own = all.run.as_ref().map(|run| run.number);
        let is_busy =
            all.loads.iter().any(|(run, load)| Some(*run) == own && load.others.is_some());
        let is_executed = (0..2).all(|side| self.terms.executes(side));
        let has = |name: &str| all.rows.iter().any(|row| row.metric.name == name);
        let is_asked = is_busy && has("wall") || all.rows.iter().any(is_far_from_clear);
        if !is_executed || !is_asked {
            return String::new();
        }
        let ways = [
            (!has("cpu"), "`-m cpu` compares the processor time, which varies less"),
            (
                !has(CALLGRIND) && text::has_callgrind(),
                "`--counter instructions=callgrind` hardly varies at all",
            ),
            (self.can_be_duet(), "`--duet` executes both at the same time"),
        ];
        let ways: Vec<&str> =
            ways.into_iter().filter(|(is_open, _)| *is_open).map(|(_, way)| way).collect();
        if ways.is_empty() {
            return "hint: measure again when the host is quiet\n".to_owned();
        }
        format!("hint: {}\n", ways.join("; "))
    }

    /// Whether `--duet` is another way for what was asked.
    fn can_be_duet(&self) -> bool {
        let is_plain = self.terms.patches.is_empty() && self.terms.quirk.is_none();
        let several = std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() > 1);
        let builds = self.terms.sides.iter().all(|side| side.program.builds() == 1);
        is_plain && self.terms.duet.is_none() && several && builds
    }

    /// Modes, and how uneven the host was.
    fn of_rows(&self, all: &Rows) -> String {
        let mut out = String::new();
        let names = self.names();
        let names = names.each_ref().map(String::as_str);
        for row in in_order(&all.rows).into_iter().filter(|row| is_measured(row)) {
            let Comparison { modes, choice, .. } = &row.comparison;
            let is_today = (0..2).all(|side| self.terms.executes(side));
            let clauses = [
                said::limited(row.limited.each_ref(), names),
                modes.map(|modes| said::two_modes(&modes, names, &row.metric.unit, is_today)),
                said::uneven(choice),
                said::once(&row.comparison),
                beside_medians(row),
            ];
            for clause in clauses.into_iter().flatten() {
                out += &format!("{} {}: {clause}\n", row.benchmark, row.metric.name);
            }
        }
        out
    }
}

/// What the ratio is of, where the medians that stand beside it have another one that is not shown.
fn beside_medians(row: &Row) -> Option<String> {
    let estimate = row.comparison.estimate?;
    let has_medians =
        row.comparison.second.is_some_and(|second| second.estimator == Estimator::Median);
    if has_medians && !row.comparison.second_is_of_levels() {
        return None;
    }
    let (ratio, [Some(a), Some(b)]) = (estimate.ratio?, &row.sides) else { return None };
    let medians = b.median / a.median;
    let is_far = medians > 0.0 && medians.is_finite() && (ratio / medians).ln().abs() > APART;
    let of = match estimate.estimator {
        Estimator::RoundRatios => "within each round",
        Estimator::AllRatios => "of all samples of one to all of the other",
        Estimator::Mean => "of the means",
        Estimator::Minimum => "of the minima",
        Estimator::Neighbours => "of executions next to each other in time",
        Estimator::Runs => "of runs",
        Estimator::Median => return None,
    };
    is_far.then(|| {
        format!(
            "× {} is the ratio {of}; that of the medians is × {}",
            factor(ratio),
            factor(medians)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_that_differs_by_no_less_is_told() {
        assert!(is_beyond(1.03, 1.02, 0.01) && is_beyond(0.97, 1.02, 0.01), "either way");
        assert!(is_beyond(1.02, 1.0, 0.01), "of what is the same too");
        assert!(!is_beyond(1.005, 1.0, 0.01), "within what counts as none");
        assert!(!is_beyond(1.03, 1.05, 0.01) && !is_beyond(1.0, 1.0, 0.0));
    }
}
