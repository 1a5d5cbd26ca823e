//! A series as pages show it: a row a revision, with its summary, its change and its state.

use std::time::Duration;

use tacho_record::{BuildState, ChangeVerdict, Point, Series, Unit};
use tacho_report::median_difference::MedianDifference;
use tacho_report::series::{rows as rows_of, state};
use tacho_stats::{Summary, summary::median};

use super::DisplayScale;

/// The state of a revision in a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowState<'a> {
    /// The revision did not build.
    BuildFailed(&'a str),
    /// Its build was not tried.
    BuildSkipped(&'a str),
    /// Its build did not end in time.
    BuildTimedOut(Duration),
    /// Another revision was measured in its stead: both built to the same program.
    Equal(&'a str),
    /// The revision was executed without a valid value.
    ExecutionsFailed,
    /// Each of its executions that did not fail reached a limit.
    LimitReached,
    /// The revision was measured.
    Measured,
    /// The revision was never built or executed for this series.
    NotMeasured,
}

impl<'a> RowState<'a> {
    fn of(point: &'a Point) -> Self {
        let build = point.present_build().map(|build| &build.state);
        match (build, point.equal_to.as_deref()) {
            (_, Some(other)) => RowState::Equal(other),
            _ if !point.values.is_empty() => RowState::Measured,
            _ if point.limited.count > 0 => RowState::LimitReached,
            _ if point.failed > 0 => RowState::ExecutionsFailed,
            (Some(BuildState::Failed { why, .. }), _) => RowState::BuildFailed(why),
            (Some(BuildState::Skipped { why }), _) => RowState::BuildSkipped(why),
            (Some(BuildState::TimedOut { limit }), _) => RowState::BuildTimedOut(*limit),
            _ => RowState::NotMeasured,
        }
    }

    /// Its name in data and style sheets.
    pub(crate) fn key(self) -> &'static str {
        match self {
            RowState::BuildFailed(_) => "build-failed",
            RowState::BuildSkipped(_) => "build-skipped",
            RowState::BuildTimedOut(_) => "build-timed-out",
            RowState::Equal(_) => "equal",
            RowState::ExecutionsFailed => "executions-failed",
            RowState::LimitReached => "limit-reached",
            RowState::Measured => "measured",
            RowState::NotMeasured => "not-measured",
        }
    }

    /// Whether something went wrong. Reaching a limit is a result.
    pub(crate) fn is_failure(self) -> bool {
        use RowState::{BuildFailed, BuildTimedOut, ExecutionsFailed};
        matches!(self, BuildFailed(_) | BuildTimedOut(_) | ExecutionsFailed)
    }
}

/// A revision's place in a series, ready to be shown.
#[derive(Debug)]
pub(crate) struct SeriesRow<'a> {
    /// The measured point.
    pub(crate) point: &'a Point,
    /// The revision of the lab, by place in history.
    pub(crate) revision: usize,
    /// The summary of the values; absent without values.
    pub(crate) summary: Option<Summary>,
    /// The change against the row before that has values.
    pub(crate) change: Option<MedianDifference>,
    /// The run that begins here, where none measured both this one and the row before that has
    /// values.
    pub(crate) begins_run: Option<i64>,
    /// Whether its build is by another recipe than that row's.
    pub(crate) begins_recipe: bool,
    /// Its state.
    pub(crate) state: RowState<'a>,
}

impl SeriesRow<'_> {
    /// The remark on it beside its numbers; `short` gives the name of another revision.
    pub(crate) fn state_text(&self, short: impl Fn(&str) -> String) -> String {
        Some(state(self.point, short))
            .filter(|text| !text.is_empty())
            .unwrap_or_else(|| "measured".to_owned())
    }
}

/// A series, ready to be shown.
#[derive(Debug)]
pub(crate) struct SeriesView<'a> {
    /// The series.
    pub(crate) series: &'a Series,
    /// The name of its files, without their extension.
    pub(crate) slug: String,
    /// How its numbers are shown.
    pub(crate) scale: DisplayScale,
    /// One a revision, in order of history.
    pub(crate) rows: Vec<SeriesRow<'a>>,
    /// The change from the first measured revision to the last, by the runs that measured both.
    pub(crate) since_first: Option<MedianDifference>,
}

impl<'a> SeriesView<'a> {
    /// Summarises each point; `place` gives a revision's place in history.
    pub(crate) fn new(series: &'a Series, slug: String, place: impl Fn(&str) -> usize) -> Self {
        let mut points: Vec<&Point> = series.points.iter().collect();
        points.sort_by_key(|point| place(&point.revision.id));
        let rows = rows_of(series, points).into_iter().map(|row| SeriesRow {
            point: row.point,
            revision: place(&row.point.revision.id),
            summary: row.summary,
            change: row.change,
            begins_run: row.begins_run,
            begins_recipe: row.begins_recipe,
            state: RowState::of(row.point),
        });
        let rows: Vec<SeriesRow> = rows.collect();
        let better = series.key.metric.better;
        let mut first: Option<(&Point, Summary)> = None;
        let (mut since_first, mut any_reported) = (None, false);
        for row in &rows {
            let Some(summary) = row.summary else { continue };
            any_reported |= first.is_some() && series.change_at(&row.point.revision.id).is_some();
            since_first = first.and_then(|(point, first)| {
                // Changes of the host between two runs, or another build recipe, would be part of a
                // change between them.
                let found = MedianDifference::within_runs(point, row.point, None)
                    .filter(|_| !row.point.is_of_another_recipe(point))?;
                let way = ChangeVerdict::of(found.share > 0.0, better);
                // A rise that fell again leaves no difference beyond noise.
                let marked = any_reported && are_apart(&first, &summary);
                Some(MedianDifference { verdict: marked.then_some(way), ..found })
            });
            first.get_or_insert((row.point, summary));
        }
        let scale = DisplayScale::of(&series.key.metric.unit, typical(&rows));
        Self { series, slug, scale, rows, since_first }
    }

    /// Whether any revision has values.
    pub(crate) fn is_measured(&self) -> bool {
        self.latest().is_some()
    }

    /// The last row that has values.
    pub(crate) fn latest(&self) -> Option<&SeriesRow<'a>> {
        self.rows.iter().rev().find(|row| row.summary.is_some())
    }

    /// The name of the benchmark with its parameters.
    pub(crate) fn benchmark(&self) -> String {
        self.series.key.benchmark.to_string()
    }

    /// The name of the metric.
    pub(crate) fn metric(&self) -> &'a str {
        &self.series.key.metric.name
    }

    /// The unit of its values.
    pub(crate) fn unit(&self) -> &'a Unit {
        &self.series.key.metric.unit
    }

    /// Whether only a lower bound is known of any median.
    pub(crate) fn has_bounds(&self) -> bool {
        self.rows.iter().any(|row| row.summary.is_some_and(|summary| summary.is_bound))
    }

    /// The medians, absent where there are no values.
    pub(crate) fn medians(&self) -> Vec<Option<f64>> {
        self.rows.iter().map(|row| row.summary.map(|summary| summary.median)).collect()
    }
}

/// Whether the intervals of two medians are apart; medians without intervals are known exactly.
fn are_apart(one: &Summary, other: &Summary) -> bool {
    let bounds = |it: &Summary| it.interval.unwrap_or((it.median, it.median));
    let (one, other) = (bounds(one), bounds(other));
    one.1 < other.0 || other.1 < one.0
}

fn typical(rows: &[SeriesRow]) -> f64 {
    let medians: Vec<f64> = rows.iter().filter_map(|row| Some(row.summary?.median)).collect();
    median(&medians).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_differ_where_their_intervals_are_apart() {
        let of = |level: f64| {
            let values: Vec<f64> = (0..12).map(|at| level + f64::from(at % 4)).collect();
            Summary::of(&values).unwrap()
        };
        assert!(are_apart(&of(100.0), &of(110.0)) && are_apart(&of(110.0), &of(100.0)));
        assert!(!are_apart(&of(100.0), &of(101.0)));
        let one = |value: f64| Summary::of(&[value]).unwrap();
        assert!(are_apart(&one(7.0), &one(8.0)) && !are_apart(&one(7.0), &one(7.0)));
    }
}
