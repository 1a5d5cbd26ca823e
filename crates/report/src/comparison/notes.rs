//! The limits and explanations of the numbers of a comparison.

use tacho_record::{Metric, Program, Side, factor};
use tacho_stats::compare::{ChoiceReason, Comparison, Estimate, Estimator, Note, Verdict};
use tacho_stats::levels::{Levels, Repetition};

use super::table::ratio_of_few;
use super::{ComparedRow, ComparisonReport, clauses};
use crate::bench::notes::duet;
use crate::block::AnswerNote;
use crate::host::HostLoad;
use crate::layouts::short;
use crate::words::{self, change, count, cut, percent};

/// The meaning of the metric that replaces wall time if a shell starts a command.
const NET_WALL: &str = "net-wall: wall time without the start of the shell";
/// The advice for reports of other tools with one value each, which give no interval.
const EVERY_SAMPLE: &str = "reports that hold every sample have intervals, such as criterion's \
                            folder `target/criterion` or `go test -bench . -count 10`";
/// From this distance of two ratios on (of their logarithms) it is said why they differ.
const APART: f64 = 0.03;
/// A line that a program printed is cut to this many characters.
const PRINTED: usize = 200;
/// From this difference between two processors on it is reported.
const PLACES: f64 = 0.01;

/// Within an interval whose ends differ by less, runs of the same two builds may differ: by up to
/// 3 % here, on an idle host.
const NARROW: f64 = 1.02;

impl ComparisonReport<'_> {
    /// The notes on one row.
    #[must_use]
    pub fn of_row(&self, row: &ComparedRow) -> Vec<AnswerNote> {
        if !row.is_measured() {
            return Vec::new();
        }
        let names = self.short_names();
        let median = |side: usize| row.sides[side].map_or(f64::NAN, |it| it.median);
        let medians = [median(0), median(1)];
        let choice = &row.comparison.choice;
        let corrected = match choice.because {
            ChoiceReason::HostMoves | ChoiceReason::Levels => {
                "; medians are corrected to the host's usual speed"
            }
            _ => "",
        };
        let clauses = [
            clauses::limited(row.limited.each_ref(), names),
            clauses::two_modes(&row.comparison, medians, names, &row.metric.unit),
            clauses::uneven(choice).map(|moved| moved + corrected),
            clauses::once(&row.comparison),
            beside_medians(row),
            self.beside_control(row),
            self.of_processors(row),
            self.of_levels(row),
        ];
        let note =
            |text: String| AnswerNote { subject: Some(row.name()), ..AnswerNote::plain(text) };
        clauses.into_iter().flatten().map(note).collect()
    }

    /// The notes on all rows.
    #[must_use]
    pub fn of_all(&self) -> Vec<AnswerNote> {
        let at_once = self.terms.duet.map(|places| AnswerNote::plain(duet(places)));
        let mut notes = self.printed();
        notes.extend(at_once.into_iter().chain(self.carried()));
        notes.extend(self.loads.iter().flat_map(|(run, load)| self.of_host(*run, load)));
        notes.extend(self.of_several_runs().map(AnswerNote::plain));
        notes.extend(self.of_one_run().map(AnswerNote::plain));
        let has_net = self.rows.iter().any(|row| row.metric.name == Metric::NET_WALL);
        notes.extend(has_net.then(|| AnswerNote::plain(NET_WALL.to_owned())));
        let is_file = |side: &Side| matches!(side.program, Program::File { .. });
        let is_few = self.rows.iter().any(|row| ratio_of_few(row).is_some());
        let has_few = is_few && self.terms.sides.iter().any(is_file);
        notes.extend(has_few.then(|| AnswerNote::hint(EVERY_SAMPLE.to_owned())));
        let otherwise = self.terms.otherwise.iter();
        notes
            .extend(otherwise.map(|what| AnswerNote::plain(format!("not measured alike: {what}"))));
        notes
    }

    /// The last line that each benchmark printed which failed.
    fn printed(&self) -> Vec<AnswerNote> {
        let line = |row: &ComparedRow| {
            let (_, side) = row.failure.as_ref().filter(|_| row.is_failed())?;
            let line = row.printed.lines().rev().find(|line| !line.trim().is_empty())?;
            let line = cut(line, PRINTED).replace('`', "'");
            let text = format!("its last line at {} is `{line}`", self.names[*side]);
            Some(AnswerNote::about(row.benchmark.to_string(), text))
        };
        let mut all: Vec<AnswerNote> = self.rows.iter().filter_map(line).collect();
        all.dedup();
        all
    }

    /// Says that A, executed a second time, differs from itself by no less than B differs from A.
    fn beside_control(&self, row: &ComparedRow) -> Option<String> {
        let decides = row.comparison.notes.contains(&Note::NotBeyondControl);
        let ratio = |estimate: Option<Estimate>| estimate.and_then(|it| it.ratio);
        let (found, control) = (row.ratio()?, ratio(row.comparison.control)?);
        let is_shown = row.verdict != Verdict::Unclear || decides;
        (is_shown && is_beyond(control, found, self.terms.margin)).then(|| {
            format!(
                "{} against itself differs by {}, at least as much as {} ({})",
                self.names[0],
                change(control),
                self.names[1],
                change(found)
            )
        })
    }

    /// The difference of the two processors on which both sides were executed at the same time.
    fn of_processors(&self, row: &ComparedRow) -> Option<String> {
        let [first, second] = self.terms.duet?;
        let places = places(&row.comparison).filter(|it| it.ln().abs() >= PLACES)?;
        let by = change(places);
        Some(format!(
            "values on processor {first} differ by {by} from those on processor {second}; the \
             ratio is corrected for this difference"
        ))
    }

    /// The variance of each level, and how often to repeat so that the mean of the side that varies
    /// more is known to the margin.
    fn of_levels(&self, row: &ComparedRow) -> Option<String> {
        let [Some(a), Some(b)] = row.levels else { return None };
        let of = |name: &str, levels: Levels| format!("{name}: {}", short(&levels));
        let [first, second] = self.short_names();
        let repetition = self.repetition(row).map_or_else(String::new, |it| {
            format!(
                "; with {} of {}, each mean would be known to {}",
                count(it.layouts as usize, "layout"),
                words::executions(it),
                words::precision(self.terms.margin),
            )
        });
        let layouts = a.layouts.min(b.layouts);
        let layouts = count(layouts, "layout");
        Some(format!("measured over {layouts}: {}; {}{repetition}", of(first, a), of(second, b)))
    }

    /// How often to repeat at each level; `None` if it is not known how long a build takes.
    #[must_use]
    pub fn repetition(&self, row: &ComparedRow) -> Option<Repetition> {
        let [Some(a), Some(b)] = row.levels else { return None };
        let execution = row.round / (2 * a.layouts + b.layouts) as f64 / 1e9;
        let cost = self.build?.as_secs_f64() / execution.max(f64::MIN_POSITIVE);
        let worst = if a.means >= b.means { a } else { b };
        worst.repetition(self.terms.margin, cost)
    }

    /// After which side executions differ.
    fn carried(&self) -> Vec<AnswerNote> {
        let Some(carried) = self.carried else { return Vec::new() };
        let (side, by) = (&self.names[carried.side], change(1.0 + carried.share));
        let after = format!(
            "executions right after {side} ({}) differ by {by} from those after the other side",
            carried.benchmark
        );
        let hint = "a `prepare` such as `sleep 1` can make the same state before each execution";
        vec![AnswerNote::warning(after), AnswerNote::hint(hint.to_owned())]
    }

    /// The use of the host by others meanwhile.
    fn of_host(&self, run: i64, load: &HostLoad) -> Vec<AnswerNote> {
        let is_own = self.run == Some(run);
        let meanwhile = if is_own { "meanwhile".to_owned() } else { format!("during run {run}") };
        load.clauses(&meanwhile).into_iter().map(AnswerNote::warning).collect()
    }

    /// Says that narrow intervals of builds are of one run alone: memory is laid out in another way
    /// in each.
    fn of_one_run(&self) -> Option<String> {
        let is_build = |side: &Side| side.program.revision().is_some();
        let are_builds = self.terms.sides.iter().all(is_build);
        let is_narrow = |row: &ComparedRow| {
            let interval = row.comparison.estimate.and_then(|it| it.interval);
            row.levels[0].is_none()
                && interval.is_some_and(|(low, high)| low < high && high / low < NARROW)
        };
        let of_one = are_builds && (0..2).all(|side| self.terms.executes(side));
        (of_one && self.rows.iter().any(is_narrow)).then(|| {
            "narrow intervals are of this run: another run of the same builds may differ by more"
                .to_owned()
        })
    }

    /// Says that the sides are not of one run, and what that costs.
    fn of_several_runs(&self) -> Option<String> {
        let is_kept = |side: &usize| !self.terms.executes(*side);
        let kept: Vec<&str> =
            (0..2).filter(is_kept).map(|side| self.names[side].as_str()).collect();
        if kept.is_empty() {
            return None;
        }
        let found = || self.rows.iter().filter_map(|row| between_runs(&row.comparison));
        let most = found().max_by(|one, other| one.0.total_cmp(&other.0));
        let differ = most.map_or_else(String::new, |(deviation, _)| {
            let from = clauses::from_runs(found().any(|(_, assumed)| assumed));
            let most = percent(deviation);
            format!(
                "; the interval includes the variation between runs of one program (a standard \
                 deviation of up to {most}, {from})"
            )
        });
        Some(format!("not executed in this run: {}{differ}", kept.join(" and ")))
    }
}

/// The difference between runs of one program, if the sides are of several runs, and whether it is
/// assumed.
#[must_use]
pub fn between_runs(comparison: &Comparison) -> Option<(f64, bool)> {
    comparison.notes.iter().find_map(|note| match *note {
        Note::BetweenRuns { deviation, assumed } => Some((deviation, assumed)),
        _ => None,
    })
}

/// How many times as much of the metric the first of two processors has, where that was taken away.
#[must_use]
pub fn places(comparison: &Comparison) -> Option<f64> {
    comparison
        .notes
        .iter()
        .find_map(|note| if let Note::Places(places) = note { Some(*places) } else { None })
}

/// Whether the control's difference is at least as large as the difference found, and larger than
/// the margin.
fn is_beyond(control: f64, found: f64, margin: f64) -> bool {
    let size = |ratio: f64| ratio.ln().abs();
    size(control) > margin.ln_1p().max(size(found))
}

/// The estimator of the ratio, if the medians beside it have another ratio that is not shown. Or a
/// remark that the displayed ratio of medians is not of the displayed medians, if those are at the
/// host's usual speed.
fn beside_medians(row: &ComparedRow) -> Option<String> {
    let (estimate, [Some(a), Some(b)]) = (row.comparison.estimate?, &row.sides) else {
        return None;
    };
    let medians = b.median / a.median;
    let second = row.comparison.second.filter(|it| it.estimator == Estimator::Median);
    if let Some(second) = second {
        second.ratio.filter(|ratio| is_far(*ratio, medians))?;
        // An estimate that is the ratio of the medians that are shown needs no word.
        estimate.ratio.filter(|ratio| is_far(*ratio, medians))?;
        let is_corrected = row.comparison.choice.because == ChoiceReason::HostMoves;
        let medians = factor(medians);
        // The uncorrected ratio is in the row.
        return is_corrected.then(|| {
            format!(
                "the medians shown are corrected to the host's usual speed: their ratio is × \
                 {medians}"
            )
        });
    }
    far_from_medians(&estimate, medians, None)
}

/// The estimator of a ratio, if the ratio of the medians differs; `rounds`: in how many both were
/// executed, if one was executed more often.
#[must_use]
pub fn far_from_medians(
    estimate: &Estimate,
    medians: f64,
    rounds: Option<usize>,
) -> Option<String> {
    let of = ratio_of(estimate.estimator)?;
    let rounds =
        rounds.map_or_else(String::new, |rounds| format!(" in the {rounds} rounds of both"));
    let ratio = estimate.ratio.filter(|ratio| is_far(*ratio, medians))?;
    let [ratio, medians] = [ratio, medians].map(factor);
    Some(format!("× {ratio} is the ratio {of}{rounds}; the ratio of the medians is × {medians}"))
}

/// The estimator of a ratio, in words that follow *the ratio*; `None` for the ratio of medians.
#[must_use]
pub fn ratio_of(estimator: Estimator) -> Option<&'static str> {
    Some(match estimator {
        Estimator::RoundRatios => "within each round",
        Estimator::AllRatios => "over all pairs of samples",
        Estimator::Mean => "of the means",
        Estimator::Minimum => "of the minima",
        Estimator::Neighbours => "of executions next to each other",
        Estimator::Runs => "of runs",
        Estimator::Median => return None,
    })
}

/// Whether a ratio contradicts the ratio of the medians.
fn is_far(ratio: f64, medians: f64) -> bool {
    medians > 0.0 && medians.is_finite() && (ratio / medians).ln().abs() > APART
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_that_differs_by_no_less_is_reported() {
        assert!(is_beyond(1.03, 1.02, 0.01) && is_beyond(0.97, 1.02, 0.01), "either way");
        assert!(is_beyond(1.02, 1.0, 0.01), "of what is the same too");
        assert!(!is_beyond(1.005, 1.0, 0.01), "within what counts as none");
        assert!(!is_beyond(1.03, 1.05, 0.01) && !is_beyond(1.0, 1.0, 0.0));
    }
}
