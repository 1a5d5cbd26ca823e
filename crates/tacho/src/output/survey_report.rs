//! The findings from a few builds of a long history, as text and as JSON.

use std::io;

use serde::Serialize;
use tacho_experiment::survey::{SurveyOutcome, SurveyedBenchmark};
use tacho_record::{Revision, TagChange};
use tacho_report::block::Block;
use tacho_report::detection::NotReported;
use tacho_report::survey::{self, SurveyEnd, SurveyFindings, SurveyPlace};
use tacho_stats::survey::PlaceStatus;

use super::track_report::{ReportAnswer, TrackReport};
use super::{answer, blocks, print, print_json, table_width, text};

/// The result of a session.
pub struct SurveyReport<'a> {
    pub tracked: TrackReport<'a>,
    pub placed: &'a SurveyOutcome,
    /// One a benchmark.
    pub findings: Vec<SurveyFindings<'a>>,
    /// The smallest change that is looked for, as a share.
    pub least: f64,
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
    pub fn print(&self, json: bool) -> io::Result<()> {
        if json {
            return print_json(&answer::versioned(self.answer()));
        }
        self.tracked.print(false)?;
        // The items below a table belong to it.
        let shown = |block: Block| blocks::terminal(&[block]).trim_end().to_owned() + "\n";
        let places: Vec<String> =
            self.findings.iter().map(|it| it.blocks().into_iter().map(shown).collect()).collect();
        if places.is_empty() {
            return Ok(());
        }
        let made = [self.placed.made, self.tracked.0.session.revisions.len()];
        let end = survey::end(self.placed.ended, made, self.placed.open_places());
        let end = text::wrap(&end, Some(table_width()));
        print(&format!("\n{}\n{end}\n", places.join("\n")))
    }

    fn answer(&self) -> SurveyedAnswer<'_> {
        let found = self.findings.iter().zip(&self.placed.surveyed);
        SurveyedAnswer {
            tracked: self.tracked.answer(),
            survey: SurveyAnswer {
                ended: word(self.placed.ended),
                builds: self.placed.made,
                revisions: self.tracked.0.session.revisions.len(),
                least: self.least,
                series: found.map(|(found, one)| series(found, one.survey.luck)).collect(),
            },
        }
    }
}

fn series<'a>(found: &'a SurveyFindings<'_>, luck: f64) -> SurveySeriesAnswer<'a> {
    SurveySeriesAnswer {
        benchmark: found.key.to_string(),
        metric: &found.metric.name,
        widest: found.widest,
        luck,
        unseen: found.unseen,
        places: found.places.iter().map(place).collect(),
    }
}

fn place<'a>(found: &'a SurveyPlace<'_>) -> SurveyPlaceAnswer<'a> {
    let place = &found.place;
    let edge = |(at, tagged): &(&'a Revision, &'a TagChange)| EdgeAnswer {
        at: &at.id,
        tag: &tagged.tag,
        before: &tagged.before,
        after: &tagged.after,
    };
    SurveyPlaceAnswer {
        good: &found.ends[0].id,
        bad: &found.ends[1].id,
        commits: place.bad - place.good,
        effect: place.effect,
        interval: place.interval,
        certainty: place.certainty,
        reported: place.is_reported,
        known: known_word(place.known),
        environment: found.edges.iter().map(edge).collect(),
        change: found.change,
        why_not: found.not_reported.map(NotReported::words),
    }
}

/// One line on how far it has come; `None` before the first result.
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
