//! The findings of a survey, as they are reported.

use tacho_record::{Revision, Series};
use tacho_report::survey::{SurveyFindings, SurveyPlace};
use tacho_stats::survey::{ChangePlace, PlaceStatus};

use super::{EnvironmentEdge, ReportedPlace, SurveyOutcome, SurveyRequest, SurveyedBenchmark};

impl SurveyOutcome {
    /// The findings about each benchmark at these revisions, with the report of `tacho changes` for
    /// each place, which is unknown for an interrupted survey.
    #[must_use]
    pub fn findings<'a>(
        &'a self,
        goal: &SurveyRequest,
        revisions: &'a [Revision],
        (reports, series): (&'a [Vec<ReportedPlace>], &[Series]),
    ) -> Vec<SurveyFindings<'a>> {
        // Where all executions failed, nothing is known of changes.
        let has_values = |one: &SurveyedBenchmark| {
            let is_its = |it: &&Series| it.key.benchmark == one.key && it.key.metric == one.metric;
            let mut own = series.iter().filter(is_its).peekable();
            own.peek().is_none() || own.any(|it| it.points.iter().any(|at| !at.values.is_empty()))
        };
        let found = |(at, one): (usize, &'a SurveyedBenchmark)| SurveyFindings {
            key: &one.key,
            metric: &one.metric,
            least: goal.least,
            zoom: goal.zoom.map(|(first, last)| [&revisions[first], &revisions[last]]),
            unseen: one.survey.unseen,
            widest: one.survey.widest,
            places: one.places(revisions, reports.get(at)),
        };
        self.surveyed.iter().enumerate().filter(|(_, one)| has_values(one)).map(found).collect()
    }

    /// How many places may still be narrowed.
    #[must_use]
    pub fn open_places(&self) -> usize {
        let places = self.surveyed.iter().flat_map(|one| &one.survey.places);
        places.filter(|place| place.known == PlaceStatus::Range).count()
    }
}

impl SurveyedBenchmark {
    fn places<'a>(
        &'a self,
        revisions: &'a [Revision],
        reports: Option<&'a Vec<ReportedPlace>>,
    ) -> Vec<SurveyPlace<'a>> {
        let edge = |edge: &'a EnvironmentEdge| (&revisions[edge.at], &edge.tagged);
        let found = |(at, place): (usize, &ChangePlace)| {
            let (change, not_reported) = match reports.map(|reports| &reports[at]) {
                Some(ReportedPlace::Change(name)) => (Some(name.as_str()), None),
                Some(ReportedPlace::Nothing(why)) => (None, Some(*why)),
                None => (None, None),
            };
            SurveyPlace {
                place: *place,
                ends: [place.good, place.bad].map(|at| &revisions[at]),
                edges: self.edges.get(at).into_iter().flatten().map(edge).collect(),
                change,
                not_reported,
            }
        };
        self.survey.places.iter().enumerate().map(found).collect()
    }
}
