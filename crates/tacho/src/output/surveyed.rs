//! What few builds say of a long history, as text and as JSON.

use std::time::Duration;

use serde::Serialize;
use tacho_experiment::survey::{Ended, Placed, Surveyed, Wish};
use tacho_record::{Direction, Revision};
use tacho_stats::place::{Known, Place};
use tacho_store::Store;

use super::tracked::{self, ReportAnswer};
use super::{answer, print, print_json, table, text};
use crate::error::CliError;

/// What a session came to.
pub struct Report<'a> {
    pub tracked: tracked::Report<'a>,
    pub placed: &'a Placed,
    pub wish: &'a Wish,
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
    series: Vec<OneAnswer<'a>>,
}

#[derive(Serialize)]
struct OneAnswer<'a> {
    benchmark: String,
    metric: &'a str,
    widest: usize,
    between: f64,
    places: Vec<PlaceAnswer<'a>>,
}

#[derive(Serialize)]
struct PlaceAnswer<'a> {
    good: &'a str,
    bad: &'a str,
    commits: usize,
    effect: f64,
    interval: (f64, f64),
    certainty: f64,
    known: &'static str,
}

impl Report<'_> {
    pub fn print(&self, store: &mut Store, json: bool, total: Duration) -> Result<(), CliError> {
        if json {
            return Ok(print_json(&answer::versioned(self.answer(store, total)?))?);
        }
        self.tracked.print(store, false, total)?;
        let places: Vec<String> = self.placed.surveyed.iter().map(|one| self.places(one)).collect();
        Ok(print(&format!("\n{}\n{}\n", places.join("\n"), self.end()))?)
    }

    fn answer(&self, store: &mut Store, total: Duration) -> Result<SurveyedAnswer<'_>, CliError> {
        let series = self.placed.surveyed.iter().map(|one| self.one(one)).collect();
        Ok(SurveyedAnswer {
            tracked: self.tracked.answer(store, total)?,
            survey: SurveyAnswer {
                ended: word(self.placed.ended),
                builds: self.placed.made,
                revisions: self.tracked.revisions.len(),
                least: self.wish.least,
                series,
            },
        })
    }

    fn one<'a>(&'a self, one: &'a Surveyed) -> OneAnswer<'a> {
        let place = |place: &Place| PlaceAnswer {
            good: &self.revision(place.good).id,
            bad: &self.revision(place.bad).id,
            commits: place.bad - place.good,
            effect: place.effect,
            interval: place.interval,
            certainty: place.certainty,
            known: known_word(place.known),
        };
        OneAnswer {
            benchmark: one.key.to_string(),
            metric: &one.metric.name,
            widest: one.survey.widest,
            between: one.survey.between,
            places: one.survey.places.iter().map(place).collect(),
        }
    }

    fn revision(&self, place: usize) -> &Revision {
        &self.tracked.revisions[place]
    }

    /// What is certain of a benchmark, and what is not yet.
    fn places(&self, one: &Surveyed) -> String {
        let least = text::percent(self.wish.least);
        let mut lines = format!("{} · {}: ", one.key, one.metric.name);
        let places = &one.survey.places;
        if places.is_empty() {
            lines += &format!("no change of {least} or more was seen\n");
        } else {
            let certain = places.iter().filter(|place| !may_be_none(place.interval)).count();
            lines += &format!("{}\n", seen(certain, places.len() - certain, &least));
            let mut list = table::plain(&["change", "95 %", "", "where"], &[0]);
            for place in places {
                list.add_row([
                    text::change(1.0 + place.effect),
                    format!(
                        "{} to {}",
                        text::change(1.0 + place.interval.0),
                        text::change(1.0 + place.interval.1)
                    ),
                    verdict(place.effect, place.interval, one.metric.better).to_owned(),
                    self.place(place),
                ]);
            }
            lines += &table::indent(&table::render(&list));
        }
        if one.survey.widest > 1 {
            let stretch = text::count(one.survey.widest, "commit");
            lines += &format!("  what came and went within {stretch}, between two builds, was not seen\n");
        }
        lines
    }

    fn place(&self, place: &Place) -> String {
        let (good, bad) = (self.revision(place.good), self.revision(place.bad));
        let subject = text::cut(&bad.subject, 40);
        match (place.known, place.bad - place.good) {
            (Known::Pinned, 1) => format!("{} {subject}", bad.short()),
            (known, commits) => {
                let why = match known {
                    Known::Pinned | Known::Closed => "the others cannot be told from it",
                    Known::Range => "not pinned yet",
                };
                format!("one of {commits} commits, {}..{}: {why}", good.short(), bad.short())
            }
        }
    }

    /// What ended it, and what it took.
    fn end(&self) -> String {
        let places = || self.placed.surveyed.iter().flat_map(|one| &one.survey.places);
        let open = places().filter(|place| place.known == Known::Range).count();
        let took = format!(
            "{} of {}",
            text::count(self.placed.made, "build"),
            text::count(self.tracked.revisions.len(), "revision")
        );
        match self.placed.ended {
            Ended::Known if places().next().is_none() => format!("{took}: nothing is left to pin"),
            Ended::Known => format!("{took}: all that can be pinned is"),
            Ended::Interrupted => format!("{took} so far"),
            Ended::Unsettled => format!("{took}: some come out otherwise each time"),
            Ended::Builds => format!("{took}: there are to be no more; {} not pinned", places_left(open)),
            Ended::Budget => format!("{took}: the time is spent; {} not pinned", places_left(open)),
        }
    }
}

/// Whether nothing at all may have changed there: its interval holds 0.
fn may_be_none((low, high): (f64, f64)) -> bool {
    low <= 0.0 && 0.0 <= high
}

/// Which way it went, where that is known.
fn verdict(effect: f64, interval: (f64, f64), better: Direction) -> &'static str {
    match (effect > 0.0) == (better == Direction::Higher) {
        _ if may_be_none(interval) => "may have changed",
        true => "better",
        false => "worse",
    }
}

/// How many changes there are, and at how many places there may be one.
fn seen(certain: usize, doubtful: usize, least: &str) -> String {
    let places = text::count(doubtful, "place");
    match (certain, doubtful) {
        (_, 0) => format!("{} of {least} or more", text::count(certain, "change")),
        (0, _) => format!("no change of {least} or more is certain; it may have changed at {places}"),
        _ => format!(
            "{} of {least} or more; it may have changed at {places} more",
            text::count(certain, "change")
        ),
    }
}

fn places_left(open: usize) -> String {
    format!("{} {}", text::count(open, "change"), if open == 1 { "is" } else { "are" })
}

/// One line on how far it has come; none before anything is known.
pub fn progress(surveyed: &[Surveyed], builds: usize) -> Option<String> {
    let places: Vec<&Place> = surveyed.iter().flat_map(|one| &one.survey.places).collect();
    let pinned = places.iter().filter(|place| place.known == Known::Pinned).count();
    let widest =
        places.iter().filter(|place| place.known == Known::Range).map(|place| place.bad - place.good).max();
    let open = widest.map(|widest| format!(", the widest other in a range of {widest} commits"));
    (builds > 0).then(|| {
        format!(
            "{}: {} seen, {pinned} pinned{}",
            text::count(builds, "build"),
            text::count(places.len(), "change"),
            open.unwrap_or_default()
        )
    })
}

fn word(ended: Ended) -> &'static str {
    match ended {
        Ended::Known => "known",
        Ended::Builds => "builds",
        Ended::Budget => "budget",
        Ended::Unsettled => "unsettled",
        Ended::Interrupted => "interrupted",
    }
}

fn known_word(known: Known) -> &'static str {
    match known {
        Known::Pinned => "pinned",
        Known::Range => "range",
        Known::Closed => "closed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_may_be_none_has_no_direction() {
        let cases = [
            ((0.09, (-0.219, 0.523)), "may have changed"),
            ((-0.09, (-0.3, 0.0)), "may have changed"),
            ((0.3, (0.29, 0.31)), "worse"),
            ((-0.15, (-0.16, -0.14)), "better"),
        ];
        for ((effect, interval), word) in cases {
            assert_eq!(verdict(effect, interval, Direction::Lower), word, "{interval:?}");
        }
        assert_eq!(verdict(0.3, (0.29, 0.31), Direction::Higher), "better");
    }

    #[test]
    fn only_what_is_certain_is_counted_as_a_change() {
        assert_eq!(seen(2, 0, "5.0 %"), "2 changes of 5.0 % or more");
        assert_eq!(
            seen(0, 1, "5.0 %"),
            "no change of 5.0 % or more is certain; it may have changed at 1 place"
        );
        assert_eq!(seen(1, 2, "5.0 %"), "1 change of 5.0 % or more; it may have changed at 2 places more");
    }
}
