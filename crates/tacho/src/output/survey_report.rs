//! What few builds say of a long history, as text and as JSON.

use std::time::Duration;

use serde::Serialize;
use tacho_experiment::survey::{
    EnvironmentEdge, ReportedPlace, SurveyOutcome, SurveyRequest, SurveyedBenchmark,
};
use tacho_record::Revision;
use tacho_report::block::Block;
use tacho_report::detection::NotReported;
use tacho_report::survey::{self, SurveyEnd, SurveyFindings, SurveyPlace};
use tacho_stats::survey::{ChangePlace, PlaceStatus};
use tacho_store::Store;

use super::track_report::{self, ReportAnswer};
use super::{answer, blocks, print, print_json};
use crate::error::CliError;

/// What a session came to.
pub struct SurveyReport<'a> {
    pub tracked: track_report::TrackReport<'a>,
    pub placed: &'a SurveyOutcome,
    pub goal: &'a SurveyRequest,
    /// What `tacho changes` reports of each place of each series; empty where it was not asked.
    pub reports: &'a [Vec<ReportedPlace>],
}

/// The report in JSON: that of tracking, and what is known of each place.
#[derive(Serialize)]
struct SurveyedAnswer<'a> {
    #[serde(flatten)]
    tracked: ReportAnswer<'a>,
    survey: SurveyAnswer<'a>,
}

#[derive(Serialize)]
struct SurveyAnswer<'a> {
    ended: &'static str,
    builds: usize,
    revisions: usize,
    least: f64,
    series: Vec<SurveySeriesAnswer<'a>>,
}

#[derive(Serialize)]
struct SurveySeriesAnswer<'a> {
    benchmark: String,
    metric: &'a str,
    widest: usize,
    luck: f64,
    unseen: Option<f64>,
    places: Vec<SurveyPlaceAnswer<'a>>,
}

#[derive(Serialize)]
struct SurveyPlaceAnswer<'a> {
    good: &'a str,
    bad: &'a str,
    commits: usize,
    effect: f64,
    interval: (f64, f64),
    certainty: f64,
    reported: bool,
    known: &'static str,
    environment: Vec<EdgeAnswer<'a>>,
    change: Option<&'a str>,
    why_not: Option<String>,
}

#[derive(Serialize)]
struct EdgeAnswer<'a> {
    at: &'a str,
    tag: &'a str,
    before: &'a str,
    after: &'a str,
}

impl SurveyReport<'_> {
    pub fn print(&self, store: &mut Store, json: bool, total: Duration) -> Result<(), CliError> {
        if json {
            return Ok(print_json(&answer::versioned(self.answer(store, total)?))?);
        }
        self.tracked.print(store, false, total)?;
        let surveyed = self.placed.surveyed.iter().enumerate();
        // The items below a table belong to it.
        let shown = |block: Block| blocks::terminal(&[block]).trim_end().to_owned() + "\n";
        let places: Vec<String> = surveyed
            .map(|(at, one)| self.findings(one, self.reports.get(at)).blocks())
            .map(|blocks| blocks.into_iter().map(shown).collect())
            .collect();
        Ok(print(&format!("\n{}\n{}\n", places.join("\n"), self.end()))?)
    }

    fn answer(&self, store: &mut Store, total: Duration) -> Result<SurveyedAnswer<'_>, CliError> {
        let surveyed = self.placed.surveyed.iter().enumerate();
        let series = surveyed.map(|(at, one)| self.one(one, self.reports.get(at))).collect();
        Ok(SurveyedAnswer {
            tracked: self.tracked.answer(store, total)?,
            survey: SurveyAnswer {
                ended: word(self.placed.ended),
                builds: self.placed.made,
                revisions: self.tracked.revisions.len(),
                least: self.goal.least,
                series,
            },
        })
    }

    fn one<'a>(
        &'a self,
        one: &'a SurveyedBenchmark,
        reports: Option<&'a Vec<ReportedPlace>>,
    ) -> SurveySeriesAnswer<'a> {
        let place = |(at, place): (usize, &ChangePlace)| SurveyPlaceAnswer {
            good: &self.revision(place.good).id,
            bad: &self.revision(place.bad).id,
            commits: place.bad - place.good,
            effect: place.effect,
            interval: place.interval,
            certainty: place.certainty,
            reported: place.is_reported,
            known: known_word(place.known),
            environment: edges(one, at).iter().map(|edge| self.edge(edge)).collect(),
            change: reports.and_then(|reports| name_of(&reports[at])),
            why_not: reports.and_then(|reports| why_not(&reports[at])).map(NotReported::words),
        };
        SurveySeriesAnswer {
            benchmark: one.key.to_string(),
            metric: &one.metric.name,
            widest: one.survey.widest,
            luck: one.survey.luck,
            unseen: one.survey.unseen,
            places: one.survey.places.iter().enumerate().map(place).collect(),
        }
    }

    fn edge<'a>(&'a self, edge: &'a EnvironmentEdge) -> EdgeAnswer<'a> {
        let tagged = &edge.tagged;
        EdgeAnswer {
            at: &self.revision(edge.at).id,
            tag: &tagged.tag,
            before: &tagged.before,
            after: &tagged.after,
        }
    }

    fn revision(&self, place: usize) -> &Revision {
        &self.tracked.revisions[place]
    }

    /// What is known of a benchmark; the reports are those of its places, where they were asked.
    fn findings<'a>(
        &'a self,
        one: &'a SurveyedBenchmark,
        reports: Option<&'a Vec<ReportedPlace>>,
    ) -> SurveyFindings<'a> {
        let found = |(at, place): (usize, &ChangePlace)| {
            let report = reports.map(|reports| &reports[at]);
            let edge = |edge: &'a EnvironmentEdge| (self.revision(edge.at), &edge.tagged);
            SurveyPlace {
                place: *place,
                ends: [place.good, place.bad].map(|at| self.revision(at)),
                edges: edges(one, at).iter().map(edge).collect(),
                change: report.and_then(name_of),
                not_reported: report.and_then(why_not),
            }
        };
        SurveyFindings {
            key: &one.key,
            metric: &one.metric,
            least: self.goal.least,
            zoom: self.goal.zoom.map(|(first, last)| [first, last].map(|at| self.revision(at))),
            unseen: one.survey.unseen,
            widest: one.survey.widest,
            places: one.survey.places.iter().enumerate().map(found).collect(),
        }
    }

    /// What ended it, and what it took.
    fn end(&self) -> String {
        let places = self.placed.surveyed.iter().flat_map(|one| &one.survey.places);
        let open = places.filter(|place| place.known == PlaceStatus::Range).count();
        let made = [self.placed.made, self.tracked.revisions.len()];
        survey::end(self.placed.ended, made, open)
    }
}

/// The name of the change that is reported at a place.
fn name_of(place: &ReportedPlace) -> Option<&str> {
    if let ReportedPlace::Change(name) = place { Some(name) } else { None }
}

/// Why none is.
fn why_not(place: &ReportedPlace) -> Option<NotReported> {
    if let ReportedPlace::Nothing(why) = place { Some(*why) } else { None }
}

/// What besides the program changed at a place of a survey.
fn edges(one: &SurveyedBenchmark, at: usize) -> &[EnvironmentEdge] {
    one.edges.get(at).map_or(&[], Vec::as_slice)
}

/// One line on how far it has come; none before anything is known.
pub fn progress(surveyed: &[SurveyedBenchmark], builds: usize) -> Option<String> {
    let places = surveyed.iter().flat_map(|one| one.survey.places.iter().copied());
    (builds > 0).then(|| survey::progress(builds, &places.collect::<Vec<_>>()))
}

fn word(ended: SurveyEnd) -> &'static str {
    match ended {
        SurveyEnd::Known => "known",
        SurveyEnd::Noise => "noise",
        SurveyEnd::Builds => "builds",
        SurveyEnd::Budget => "budget",
        SurveyEnd::Unsettled => "unsettled",
        SurveyEnd::Interrupted => "interrupted",
    }
}

fn known_word(known: PlaceStatus) -> &'static str {
    match known {
        PlaceStatus::Pinned => "pinned",
        PlaceStatus::Range => "range",
        PlaceStatus::Closed => "closed",
    }
}
