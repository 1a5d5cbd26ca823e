//! A series and its points, in words.

use tacho_record::{
    BenchmarkKey, Course, Direction, EndReason, Failure, HostUnevenness, LevelChange, Metric,
    Phase, Point, Revision, Sample, Series, SeriesKey, Steadiness, Stop, short_name,
};
use tacho_stats::{BoundedValue, Summary};

use crate::median_difference::MedianDifference;
use crate::summary;
use crate::words::{change, count, cut, effect, limited, moved, precision, uncorrected_cost};

/// The number of characters of a failure's reason beside the numbers.
const FAILURE: usize = 240;

/// The host's path explains most of a run's spread from this gain on.
const MOST_OF_SPREAD: f64 = 2.0;
/// A host whose speed moves by less is not worth a line.
const LITTLE: f64 = 0.01;

/// The changes that were reported and that the last analysis did not see, so that no row is marked.
#[must_use]
pub(crate) fn unseen_changes(series: &Series) -> Option<String> {
    let is_shown =
        |change: &&LevelChange| series.points.iter().any(|it| it.revision.id == change.revision);
    let unseen = series.changes.iter().filter(|change| !change.is_seen).filter(is_shown);
    let named = |change: &LevelChange| {
        let by = change.effect.map_or_else(String::new, |by| format!(" ({})", effect(by)));
        format!("{}{by}", short_name(&change.revision))
    };
    let all: Vec<String> = unseen.map(named).collect();
    let changes = if all.len() == 1 { "change" } else { "changes" };
    (!all.is_empty()).then(|| {
        format!(
            "no longer certain by what is measured now: the {changes} found earlier at {}",
            all.join(", ")
        )
    })
}

/// The runs of a series in which the host's speed moved, with the remark that its values are at the
/// usual speed.
#[must_use]
pub fn uneven_runs(series: &Series) -> Option<String> {
    let has_values = series.points.iter().any(|point| !point.values.is_empty());
    let all: Vec<&HostUnevenness> = series.uneven.iter().filter(|_| has_values).collect();
    let much: Vec<&HostUnevenness> =
        all.iter().copied().filter(|one| one.gain >= MOST_OF_SPREAD).collect();
    let uneven = if much.is_empty() { all } else { much };
    let most = uneven.iter().max_by(|a, b| a.slower.total_cmp(&b.slower))?;
    let by = moved(most.slower);
    let moved = match uneven.as_slice() {
        [one] => format!("{by} in run {}", one.run),
        several => format!("in {} runs, {by} in run {}", several.len(), most.run),
    };
    let metric = &series.key.metric.name;
    Some(if metric == "wall" {
        let cost = Some(most.gain).filter(|gain| *gain >= MOST_OF_SPREAD).map(uncorrected_cost);
        let cost = cost.map_or_else(String::new, |cost| format!("; {cost}"));
        usual_speed(&moved, "medians") + &cost
    } else {
        format!("`{metric}` moved with the host's speed {moved}; medians are corrected for that")
    })
}

/// Says that executions took longer by this share while the host was slow, and that these values
/// are at its usual speed; `None` if the share is small.
#[must_use]
pub fn uneven(by: Option<f64>, values: &str) -> Option<String> {
    by.filter(|by| *by >= LITTLE).map(|by| usual_speed(&moved(by), values))
}

/// Says that the host's speed moved (`by 5 % in run 3`), and that these values are at its usual
/// speed.
fn usual_speed(moved: &str, values: &str) -> String {
    format!("the host's speed moved {moved}; {values} are corrected to the host's usual speed")
}

/// The better direction: `lower is better`.
#[must_use]
pub fn better(direction: Direction) -> &'static str {
    match direction {
        Direction::Higher => "higher is better",
        Direction::Lower => "lower is better",
    }
}

/// A series by its name: `parse · wall`; `hosts`: whether there are several.
#[must_use]
pub fn series_name(key: &SeriesKey, hosts: bool) -> String {
    if hosts { format!("{} on {}", key.name(), key.host) } else { key.name() }
}

/// A revision's name, with its first tag in front.
#[must_use]
pub fn revision_name(revision: &Revision) -> String {
    match revision.tags.first() {
        Some(tag) if *tag != revision.id => format!("{tag} {}", revision.short()),
        _ => revision.short().to_owned(),
    }
}

/// A point of a series beside those before it.
#[derive(Clone, Copy, Debug)]
pub struct PointRow<'a> {
    /// The measured point.
    pub point: &'a Point,
    /// The summary of the values; `None` without values.
    pub summary: Option<Summary>,
    /// The difference to the last point before it that has values.
    pub change: Option<MedianDifference>,
    /// The run that begins here, where no run measured both this point and that one.
    pub begins_run: Option<i64>,
    /// Whether the build is by another recipe than that one's.
    pub begins_recipe: bool,
}

impl PointRow<'_> {
    /// The difference to the row before, in words: `run 3 from here`.
    #[must_use]
    pub fn border(&self) -> Option<String> {
        let run = self.begins_run.map(|run| format!("run {run} from here"));
        let recipe = self.begins_recipe.then(|| ANOTHER_RECIPE.to_owned());
        let all: Vec<String> = run.into_iter().chain(recipe).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Whether the row shows no change because another run begins.
    #[must_use]
    pub fn is_border_of_runs(&self) -> bool {
        self.begins_run.is_some() && self.change.is_none() && !self.begins_recipe
    }
}

/// The rows of these points of a series, which are in order of history.
#[must_use]
pub fn rows<'a>(series: &Series, points: impl IntoIterator<Item = &'a Point>) -> Vec<PointRow<'a>> {
    let mut last: Option<&Point> = None;
    let row = |point: &'a Point| {
        let summary = summary::of_point(point);
        let before = last.filter(|_| summary.is_some());
        let begins_recipe = before.is_some_and(|before| point.is_of_another_recipe(before));
        let same = before.filter(|_| !begins_recipe);
        last = if summary.is_some() { Some(point) } else { last };
        PointRow {
            point,
            summary,
            change: same.and_then(|before| MedianDifference::of(series, before, point)),
            begins_run: before.and_then(|before| begun(before, point)),
            begins_recipe,
        }
    };
    points.into_iter().map(row).collect()
}

/// The run in which a point was measured, if none measured the point before too.
fn begun(before: &Point, point: &Point) -> Option<i64> {
    point.runs.iter().min().copied().filter(|_| !before.shares_run(point))
}

/// The explanation for rows without a change where another run begins.
pub(crate) const RUN_BEGINS: &str = "where another run begins, only reported changes are shown: \
                                     the host may differ from run to run";

/// Marks the first values of another build recipe than that of the values before.
pub const ANOTHER_RECIPE: &str = "another build recipe from here";
/// Why a row has no change there.
pub(crate) const ANOTHER_RECIPE_MEANS: &str =
    "where another build recipe begins, the difference may come from it, not from a commit";

/// Marks values of another build recipe than the plan has now.
const OTHER_RECIPE: &str = "by an older recipe";
/// The meaning of the remark on another recipe.
pub(crate) const OTHER_RECIPE_MEANS: &str =
    "by an older recipe: the plan or its quirks were edited after this build was measured";

/// Whether a point's values are of another build recipe than the plan has now.
#[must_use]
pub(crate) fn is_of_other_recipe(point: &Point) -> bool {
    point.outdated && !point.values.is_empty()
}

/// The remark on a point beside its numbers, empty for a point that was just measured; `short`
/// gives the name of another revision.
#[must_use]
pub fn state(point: &Point, short: impl Fn(&str) -> String) -> String {
    let failed = (point.failed > 0).then(|| {
        let line = || point.failure.as_ref().map(Failure::line);
        let why = cut(&point.failure_said.clone().or_else(line).unwrap_or_default(), FAILURE);
        failed(point.failed as usize, &why)
    });
    let limit = (point.limited.count > 0).then(|| limited(&point.limited));
    let stopped = point.stopped.as_ref().map(stopped);
    let steadiness = point.steadiness.as_ref().map(steadiness_word);
    let recipe = is_of_other_recipe(point).then(|| OTHER_RECIPE.to_owned());
    let all = [recipe, failed, limit, stopped, steadiness].into_iter().flatten();
    let said: Vec<String> = all.filter(|it| !it.is_empty()).collect();
    match (point.shown_build(), &point.equal_to) {
        (_, Some(other)) => format!("same build as {}", short(other)),
        _ if !said.is_empty() => said.join("; "),
        _ if !point.values.is_empty() => String::new(),
        (None, _) => NOT_BUILT.to_owned(),
        (Some(build), _) if build.state.artifact().is_none() => {
            let kept = point.absent.as_ref().map_or_else(String::new, |kept| format!("; {kept}"));
            format!("build {}{kept}", build.state.word())
        }
        _ => point.absent.clone().unwrap_or_else(|| NOT_MEASURED.to_owned()),
    }
}

/// Says of a revision that does not build by the plan how many samples of other builds it has.
#[must_use]
pub fn kept_samples(number: usize) -> String {
    format!("{} by an older recipe", count(number, "sample"))
}

/// What a point lacks that has no values.
fn missing(point: &Point) -> Option<&'static str> {
    let is_known = !point.values.is_empty() || point.failed > 0 || point.limited.count > 0;
    let is_unbuilt = point.shown_build().is_none() && point.equal_to.is_none() && !is_known;
    if is_unbuilt { Some(NOT_BUILT) } else { point.is_left().then_some(NOT_MEASURED) }
}

const NOT_BUILT: &str = "not built yet";
const NOT_MEASURED: &str = "not measured yet";

/// A series without the revisions of which nothing is known, and how many those are; with them
/// where nothing is known of any.
#[must_use]
pub fn without_unknown(series: &Series) -> (Series, Option<String>) {
    let missing: Vec<Option<&str>> = series.points.iter().map(missing).collect();
    let left_out = |what: &str| missing.iter().filter(|it| **it == Some(what)).count();
    let (unbuilt, unmeasured) = (left_out(NOT_BUILT), left_out(NOT_MEASURED));
    if unbuilt + unmeasured == 0 || unbuilt + unmeasured == missing.len() {
        return (series.clone(), None);
    }
    let part = |number: usize, what: &str| {
        (number > 0).then(|| format!("{} {what}", count(number, "revision")))
    };
    let lacks = format!("without a value of `{}`", series.key.metric.name);
    let parts = [part(unbuilt, NOT_BUILT), part(unmeasured, &lacks)];
    let note = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let known = series.points.iter().zip(&missing).filter(|(_, missing)| missing.is_none());
    let points = known.map(|(point, _)| point.clone()).collect();
    (Series { points, ..series.clone() }, Some(format!("not shown: {note}")))
}

/// Marks an interval that is valid at all times.
pub const LOOKED_AT: &str = " *";
/// The meaning of the mark.
pub const LOOKED_AT_MEANS: &str =
    "wider than for a fixed number of rounds, because the values decided when to stop";

/// Says that executions failed, and how the first one did: `3 executions failed (exit 1)`.
#[must_use]
pub fn failed(executions: usize, why: &str) -> String {
    format!("{} failed ({why})", count(executions, "execution"))
}

/// An outlier: `round 5: +61.2 %, right after a pause`.
#[must_use]
pub fn outlier(round: u32, ratio: f64, causes: &str) -> String {
    format!("round {round}: {}, {causes}", change(ratio))
}

/// The value of a metric of a sample, or what it would have been at least.
#[must_use]
pub fn sample_value(sample: &Sample, metric: &Metric) -> Option<String> {
    let value = BoundedValue::least(sample.value(&metric.name)?, sample.bound(metric).is_some());
    Some(value.shown(|it| metric.unit.show(it)))
}

/// The remark on values of a benchmark that the plan does not have.
pub const UNPLANNED: &str = "the plan no longer has this benchmark";

/// Says that the plan has another version of this benchmark: a later one, or an earlier one again.
#[must_use]
pub fn superseded(key: &BenchmarkKey, by: u32) -> String {
    let name = &key.name;
    if by < key.version {
        format!("not used any more: the plan's `{name}` is version {by} again")
    } else {
        format!("of an older definition: the plan's `{name}` is version {by} since its last edit")
    }
}

/// Says that executions left processes behind.
#[must_use]
pub fn left_behind(executions: usize) -> String {
    format!("{} left processes behind, which were killed", count(executions, "execution"))
}

/// The advice for [`left_behind`].
pub const LEFT_BEHIND_HINT: &str =
    "the command should wait for its child processes, so that all of their work is measured";

/// The reason why measuring ended, unless the number of rounds was fixed in advance: `± 1 %
/// reached`.
#[must_use]
pub fn stopped(stopped: &Stop) -> String {
    let why = match stopped.by {
        EndReason::Budget => "the budget was used up",
        EndReason::MaxRounds => "the limit of rounds was reached",
        EndReason::Precision => "",
    };
    match (&stopped.precision, stopped.by) {
        (Some(wanted), EndReason::Precision) => format!("{} reached", precision(wanted.share)),
        (Some(wanted), _) => format!("{} not reached: {why}", precision(wanted.share)),
        (None, _) => why.to_owned(),
    }
}

/// The result of the search for a warmup, in as few words as possible; empty if there is none.
#[must_use]
pub(crate) fn steadiness_word(found: &Steadiness) -> String {
    match (found.course, found.warm_up()) {
        (Course::NoSteadyState, _) => Course::NoSteadyState.words().to_owned(),
        (_, 0) => String::new(),
        (course, rounds) => {
            let why = if course == Course::Slowdown { " (better at first)" } else { "" };
            format!("warmup: {} left out{why}", count(rounds as usize, "round"))
        }
    }
}

/// The result of the search for a warmup, in a line: the rounds that are left out, and the course
/// of the executions.
#[must_use]
pub fn steadiness(found: &Steadiness) -> String {
    let course = found.course.words();
    let out = match (found.course, found.warm_up()) {
        (Course::Flat, 0) => course.to_owned(),
        (_, 0) => format!("{course}, no rounds left out"),
        (Course::WarmUp, 1) => "round 1 left out".to_owned(),
        (Course::WarmUp, last) => format!("rounds 1 to {last} left out"),
        (_, 1) => format!("{course}, round 1 left out"),
        (_, last) => format!("{course}, rounds 1 to {last} left out"),
    };
    let (Some(last), true) = (found.phases.last(), found.phases.len() > 1) else {
        return format!("warmup: {out}");
    };
    let level = |phase: &Phase| match phase {
        Phase { first, last, .. } if first == last => format!("round {first}"),
        Phase { first, last, .. } => format!("rounds {first} to {last}"),
    };
    let before = &found.phases[..found.phases.len() - 1];
    let phases: Vec<String> = before
        .iter()
        .map(|phase| format!("{} in {}", change(phase.level / last.level), level(phase)))
        .collect();
    format!(
        "warmup: {out} ({}: {}, compared with {})",
        found.metric,
        phases.join(", "),
        level(last)
    )
}

#[cfg(test)]
mod tests {
    use tacho_record::{BenchmarkKey, Precision};

    use super::*;

    /// A point whose values, around a level each, were taken in runs of these numbers.
    fn point(id: &str, levels: &[(i64, f64)], noise: f64) -> Point {
        let each =
            |&(run, level): &(i64, f64)| (-3..=3).map(move |i| (run, level + noise * f64::from(i)));
        let all: Vec<(i64, f64)> = levels.iter().flat_map(each).collect();
        Point {
            revision: Revision::bare(id),
            build: None,
            outdated: false,
            equal_to: None,
            values: all.iter().map(|it| it.1).collect(),
            layouts: vec![],
            absent: None,
            limited: tacho_record::LimitedExecutions::default(),
            runs: levels.iter().map(|it| it.0).collect(),
            value_runs: all.iter().map(|it| it.0).collect(),
            reach: None,
            failed: 0,
            failure: None,
            failure_said: None,
            looked_at: false,
            stopped: None,
            steadiness: None,
        }
    }

    fn series(points: Vec<Point>, changes: Vec<tacho_record::LevelChange>) -> Series {
        let benchmark = BenchmarkKey {
            name: "b".into(),
            version: 1,
            parameters: tacho_record::Parameters::default(),
        };
        let metric = Metric::built_in("wall").unwrap();
        let key = tacho_record::SeriesKey { benchmark, host: "lab".into(), metric };
        Series { key, points, uneven: vec![], changes }
    }

    /// The changes of the rows of these points, and where a run begins.
    fn shown(
        points: Vec<Point>,
        changes: Vec<tacho_record::LevelChange>,
    ) -> Vec<(String, Option<i64>)> {
        let series = series(points, changes);
        let text = |row: &PointRow| row.change.map_or_else(String::new, |change| change.text());
        rows(&series, &series.points).iter().map(|row| (text(row), row.begins_run)).collect()
    }

    #[test]
    fn what_the_host_did_between_two_runs_is_no_change() {
        // The host is 40 % slower in the second run; the last commit is 10 % slower.
        let apart = vec![
            point("a", &[(1, 100.0)], 1.0),
            point("b", &[(2, 140.0)], 1.0),
            point("c", &[(2, 154.0)], 1.0),
        ];
        let none = String::new;
        let rows = [(none(), None), (none(), Some(2)), ("+10.0 %".to_owned(), None)];
        assert_eq!(shown(apart.clone(), vec![]), rows);
        // A run that measured both says what the change is, whatever other runs add.
        let mut linked = apart.clone();
        linked[0] = point("a", &[(1, 100.0), (2, 140.0)], 1.0);
        assert_eq!(shown(linked, vec![])[1], ("+0.0 %".to_owned(), None));
        // What is reported is said all the same; and counts that no host moves.
        let revision = "b".to_owned();
        let reported = tacho_record::LevelChange {
            revision,
            rises: true,
            effect: Some(0.02),
            is_sure: true,
            is_seen: true,
        };
        assert_eq!(shown(apart, vec![reported])[1], ("+2.0 %".to_owned(), Some(2)));
        let counts = vec![point("a", &[(1, 100.0)], 0.0), point("b", &[(2, 101.0)], 0.0)];
        assert_eq!(shown(counts, vec![])[1], ("+1.0 %".to_owned(), Some(2)));
    }

    #[test]
    fn a_change_that_is_not_certain_any_more_is_reported_and_not_marked() {
        let revision = "b".to_owned();
        let unseen =
            LevelChange { revision, rises: true, effect: Some(0.1), is_sure: true, is_seen: false };
        let points = vec![point("a", &[(1, 100.0)], 1.0), point("b", &[(1, 110.0)], 1.0)];
        let series = series(points, vec![unseen]);
        let marked = rows(&series, &series.points)[1].change.unwrap();
        assert_eq!((marked.text().as_str(), marked.word()), ("+10.0 %", ""));
        let line = unseen_changes(&series).unwrap();
        assert!(line.ends_with("the change found earlier at b (+10.0 %)"), "{line}");
    }

    #[test]
    fn no_change_is_shown_across_an_edit_of_the_recipe() {
        let built = |id: &str, level: f64, recipe: &str, outdated: bool| Point {
            build: Some(
                serde_json::from_value(serde_json::json!({
                    "revision": id, "recipe": tacho_record::Digest::of(recipe),
                    "state": { "state": "skipped", "why": "" },
                    "started": "2026-01-01T00:00:00Z", "took": { "secs": 1, "nanos": 0 },
                    "log": null
                }))
                .unwrap(),
            ),
            outdated,
            ..point(id, &[(1, level)], 1.0)
        };
        let points = vec![
            built("a", 100.0, "first", true),
            built("b", 700.0, "second", true),
            built("c", 100.0, "third", false),
            built("d", 110.0, "of a quirk", false),
        ];
        let revision = "c".to_owned();
        let reported = tacho_record::LevelChange {
            revision,
            rises: false,
            effect: None,
            is_sure: true,
            is_seen: true,
        };
        let series = series(points, vec![reported]);
        let rows = rows(&series, &series.points);
        let borders: Vec<Option<String>> = rows.iter().map(PointRow::border).collect();
        let edited = || Some("another build recipe from here".to_owned());
        assert_eq!(borders, [None, edited(), edited(), None]);
        let changes: Vec<bool> = rows.iter().map(|row| row.change.is_some()).collect();
        assert_eq!(changes, [false, false, false, true]);
    }

    #[test]
    fn a_change_that_contradicts_the_medians_beside_it_is_known() {
        let is_apart = |points: Vec<Point>, effect: Option<f64>| {
            let change = |effect| tacho_record::LevelChange {
                revision: "b".to_owned(),
                rises: true,
                effect: Some(effect),
                is_sure: true,
                is_seen: true,
            };
            let series = series(points, effect.map(change).into_iter().collect());
            rows(&series, &series.points)[1].change.unwrap().is_apart()
        };
        let linked = [point("a", &[(1, 100.0), (2, 140.0)], 1.0), point("b", &[(2, 140.0)], 1.0)];
        assert!(is_apart(linked.to_vec(), None), "+0 % in run 2, beside 120 and 140");
        let one_run = [point("a", &[(1, 100.0)], 1.0), point("b", &[(1, 120.0)], 1.0)];
        assert!(!is_apart(one_run.to_vec(), None));
        assert!(!is_apart(one_run.to_vec(), Some(0.22)), "+22 % beside +20 %");
        assert!(is_apart(one_run.to_vec(), Some(0.10)), "+10 % beside +20 %");
    }

    #[test]
    fn ends_of_measuring_read_well() {
        let precision = Some(Precision { share: 0.005, metric: None });
        let by = |by| stopped(&Stop { by, precision: precision.clone() });
        assert_eq!(by(EndReason::Precision), "± 0.5 % reached");
        assert_eq!(
            by(EndReason::MaxRounds),
            "± 0.5 % not reached: the limit of rounds was reached"
        );
        let spent = Stop { by: EndReason::Budget, precision: None };
        assert_eq!(stopped(&spent), "the budget was used up");
    }

    #[test]
    fn runs_on_an_uneven_host_are_reported_where_its_speed_is_most_of_the_spread() {
        let one = |run, slower, gain| HostUnevenness { run, slower, gain };
        let of = |uneven: &[HostUnevenness]| {
            let benchmark = BenchmarkKey::plain("b");
            let metric = tacho_record::Metric::built_in("wall").unwrap();
            let key = tacho_record::SeriesKey { benchmark, host: "lab".into(), metric };
            let points = vec![point("a", &[(1, 100.0)], 1.0)];
            uneven_runs(&Series { key, points, uneven: uneven.to_vec(), changes: vec![] })
        };
        assert_eq!(of(&[]), None);
        assert_eq!(
            of(&[one(3, 0.05, 1.9)]).unwrap(),
            "the host's speed moved by 5 % in run 3; medians are corrected to the host's usual \
             speed"
        );
        assert_eq!(
            of(&[one(2, 0.1, 1.0), one(3, 0.78, 12.2)]).unwrap(),
            "the host's speed moved by 78 % in run 3; medians are corrected to the host's usual \
             speed; without that, 12 times as many samples would be needed"
        );
        let several = of(&[one(2, 0.1, f64::INFINITY), one(3, 0.05, 12.2)]).unwrap();
        assert!(several.starts_with("the host's speed moved in 2 runs, by 10 % in run 2; "));
        assert!(
            several
                .contains("; medians are corrected to the host's usual speed; without that, over"),
            "{several}"
        );
    }
}
