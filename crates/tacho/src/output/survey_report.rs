//! What few builds say of a long history, as text and as JSON.

use std::time::Duration;

use serde::Serialize;
use tacho_experiment::survey::{
    EnvironmentEdge, ReportedPlace, SurveyEnd, SurveyOutcome, SurveyRequest, SurveyedBenchmark,
};
use tacho_record::{ChangeKind, ChangeVerdict, Direction, Metric, Revision};
use tacho_report::detection::NotReported;
use tacho_report::words::{effect, effect_interval};
use tacho_stats::history::Origin;
use tacho_stats::survey::{ChangePlace, PlaceStatus};
use tacho_store::Store;

use super::track_report::{self, ReportAnswer};
use super::{answer, print, print_json, table, text};
use crate::error::CliError;

/// What a session came to.
pub struct SurveyReport<'a> {
    pub tracked: track_report::TrackReport<'a>,
    pub placed: &'a SurveyOutcome,
    pub wish: &'a SurveyRequest,
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
        let places: Vec<String> =
            surveyed.map(|(at, one)| self.places(one, self.reports.get(at))).collect();
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
                least: self.wish.least,
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

    /// What is certain of a benchmark, and what is not yet.
    fn places(&self, one: &SurveyedBenchmark, reports: Option<&Vec<ReportedPlace>>) -> String {
        let least = text::percent(self.wish.least);
        let mut lines = format!("{} · {}{}: ", one.key, one.metric.name, self.zoomed());
        let places = &one.survey.places;
        if let Some(unseen) = one.survey.unseen {
            lines += &undecided(unseen, &one.metric);
        } else if places.is_empty() {
            lines += &format!("no change of {least} or more was seen\n");
        } else {
            let certain: Vec<usize> =
                (0..places.len()).filter(|at| places[*at].is_reported).collect();
            let besides = certain.iter().filter(|at| !edges(one, **at).is_empty()).count();
            let larger = format!("{least} or more{}", of_environment(besides));
            lines += &format!("{}\n", seen(certain.len(), places.len() - certain.len(), &larger));
            let mut list = table::plain(&["change", "95 %", "", "kind", "name", "where"], &[0]);
            for (at, place) in places.iter().enumerate() {
                let name = reports.and_then(|reports| name_of(&reports[at]));
                list.add_row([
                    effect(place.effect),
                    effect_interval(place.interval),
                    verdict(place, one.metric.better).to_owned(),
                    kind(place, edges(one, at)).to_owned(),
                    name.unwrap_or_default().to_owned(),
                    self.place(place),
                ]);
            }
            table::hide_empty_columns(&mut list);
            lines += &table::indent(&table::render(&list));
        }
        let surroundings =
            places.iter().enumerate().map(|(at, place)| self.surroundings(place, edges(one, at)));
        lines += &surroundings.collect::<String>();
        lines += &reports.map_or_else(String::new, |reports| self.unnamed(one, reports));
        if one.survey.widest > 1 {
            let stretch = text::count(one.survey.widest, "commit");
            lines += &format!("  a change that was undone within {stretch} would not be seen\n");
        }
        lines
    }

    /// What besides the program changed at a place, so that it need not be the program.
    fn surroundings(&self, place: &ChangePlace, edges: &[EnvironmentEdge]) -> String {
        let (good, bad) = (self.revision(place.good).short(), self.revision(place.bad).short());
        let is_one = place.bad - place.good == 1;
        let whose = if is_one { bad.to_owned() } else { format!("{good}..{bad}") };
        let line = |edge: &EnvironmentEdge| {
            let at = if is_one { "" } else { &format!(" at {}:", self.revision(edge.at).short()) };
            format!(
                "  {whose}: the cause may be outside the program:{at} {}\n",
                edge.tagged.described()
            )
        };
        edges.iter().map(line).collect()
    }

    /// In which range alone was looked.
    fn zoomed(&self) -> String {
        let short = |place: usize| self.revision(place).short();
        self.wish.zoom.map_or_else(String::new, |(first, last)| {
            format!(" in {}..{}", short(first), short(last))
        })
    }

    /// The changes that `tacho changes` does not report, with the reasons.
    fn unnamed(&self, one: &SurveyedBenchmark, reports: &[ReportedPlace]) -> String {
        let mut lines = String::new();
        for (place, at) in one.survey.places.iter().zip(reports) {
            if let Some(why) = why_not(at).filter(|_| place.is_reported) {
                let why = why.words();
                let bad = self.revision(place.bad).short();
                lines += &format!("  `tacho changes` does not report {bad} yet: {why}\n");
            }
        }
        lines
    }

    fn place(&self, place: &ChangePlace) -> String {
        let (good, bad) = (self.revision(place.good), self.revision(place.bad));
        let subject = text::cut(&bad.subject, 40);
        match (place.known, place.bad - place.good) {
            (PlaceStatus::Pinned, 1) => format!("{} {subject}", bad.short()),
            (known, commits) => {
                let why = match known {
                    PlaceStatus::Pinned | PlaceStatus::Closed => ", which cannot be distinguished",
                    PlaceStatus::Range => ": not pinned yet",
                };
                format!("one of {commits} commits, {}..{}{why}", good.short(), bad.short())
            }
        }
    }

    /// What ended it, and what it took.
    fn end(&self) -> String {
        let places = || self.placed.surveyed.iter().flat_map(|one| &one.survey.places);
        let open = places().filter(|place| place.known == PlaceStatus::Range).count();
        let took = format!(
            "{} of {}",
            text::count(self.placed.made, "build"),
            text::count(self.tracked.revisions.len(), "revision")
        );
        match self.placed.ended {
            SurveyEnd::Noise => format!("{took}: samples vary too much to exclude a change"),
            SurveyEnd::Known => format!("{took}: no lasting change is left to find"),
            SurveyEnd::Interrupted => format!("{took} so far"),
            SurveyEnd::Unsettled => {
                format!("{took}: some builds give a different result each time")
            }
            SurveyEnd::Builds | SurveyEnd::Budget => {
                let is_of_builds = self.placed.ended == SurveyEnd::Builds;
                let what = if is_of_builds {
                    "the limit of builds is reached"
                } else {
                    "the budget is used up"
                };
                format!("{took}: {what}; {} not pinned", places_left(open))
            }
        }
    }
}

/// That nothing was seen says little, with what helps.
fn undecided(unseen: f64, metric: &Metric) -> String {
    let by_cpu = if metric.name == "wall" { "; `-m cpu` uses CPU time" } else { "" };
    format!(
        "undecided: changes below {} cannot be seen in these samples\n  hint: more rounds \
         (`--rounds`) show smaller changes{by_cpu}\n",
        text::percent(unseen)
    )
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

/// Of which kind a change is, where it need not be the program's.
fn kind(place: &ChangePlace, edges: &[EnvironmentEdge]) -> &'static str {
    match (place.origin, edges) {
        (_, [_, ..]) => ChangeKind::Environment.words(true),
        (Origin::Build, []) => ChangeKind::Build.words(true),
        (Origin::Commit, []) => "",
    }
}

/// How many changes need not be the program's.
fn of_environment(changes: usize) -> String {
    match changes {
        0 => String::new(),
        some => format!(", {some} with a possible cause outside the program"),
    }
}

/// Which way it went, where there is a change.
fn verdict(place: &ChangePlace, better: Direction) -> &'static str {
    if place.is_reported {
        ChangeVerdict::of(place.effect > 0.0, better).word()
    } else {
        "may have changed"
    }
}

/// How many changes there are of what is looked for (`larger`, in words), and at how many places
/// there may be one.
fn seen(certain: usize, doubtful: usize, larger: &str) -> String {
    let places = text::count(doubtful, "place");
    match (certain, doubtful) {
        (_, 0) => format!("{} of {larger}", text::count(certain, "change")),
        (0, _) => format!("no change of {larger} is certain; possible changes at {places}"),
        _ => format!(
            "{} of {larger}; possible changes at {}",
            text::count(certain, "change"),
            text::count(doubtful, "more place")
        ),
    }
}

fn places_left(open: usize) -> String {
    format!("{} {}", text::count(open, "change"), if open == 1 { "is" } else { "are" })
}

/// One line on how far it has come; none before anything is known.
pub fn progress(surveyed: &[SurveyedBenchmark], builds: usize) -> Option<String> {
    let places = surveyed.iter().flat_map(|one| &one.survey.places);
    let places = places.map(|place| (place.known, place.bad - place.good, place.is_reported));
    (builds > 0).then(|| {
        format!("{}: {}", text::count(builds, "build"), so_far(&places.collect::<Vec<_>>()))
    })
}

/// How many changes are seen so far, how many of them are pinned, and at how many places there may
/// be one; of each place how well it is known, in a range of how many commits, and whether it is
/// reported.
fn so_far(places: &[(PlaceStatus, usize, bool)]) -> String {
    let certain = || places.iter().filter(|(_, _, is_reported)| *is_reported);
    let (seen, doubtful) = (certain().count(), places.len() - certain().count());
    let pinned = certain().filter(|(known, ..)| *known == PlaceStatus::Pinned).count();
    let widest = certain()
        .filter(|(known, ..)| *known == PlaceStatus::Range)
        .map(|(_, commits, _)| *commits)
        .max();
    let mut line = format!("{} seen, {pinned} pinned", text::count(seen, "change"));
    line += &widest.map_or_else(String::new, |widest| {
        format!("; the longest range with an unpinned change has {widest} commits")
    });
    if doubtful > 0 {
        line += &format!("; {} in doubt", text::count(doubtful, "place"));
    }
    line
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

#[cfg(test)]
mod tests {
    use super::*;

    fn place(effect: f64, is_reported: bool) -> ChangePlace {
        ChangePlace {
            good: 0,
            bad: 1,
            effect,
            interval: (effect - 0.01, effect + 0.01),
            certainty: 0.5,
            is_reported,
            origin: Origin::Commit,
            known: PlaceStatus::Pinned,
            likeliest: 1,
        }
    }

    #[test]
    fn a_change_that_is_not_reported_has_no_direction() {
        let cases =
            [(0.09, false, "may have changed"), (0.3, true, "worse"), (-0.15, true, "better")];
        for (effect, is_reported, word) in cases {
            assert_eq!(verdict(&place(effect, is_reported), Direction::Lower), word, "{effect}");
        }
        assert_eq!(verdict(&place(0.3, true), Direction::Higher), "better");
    }

    #[test]
    fn where_a_change_would_not_be_seen_the_way_out_is_said() {
        let of = |name: &str| undecided(0.182, &Metric::built_in(name).unwrap());
        assert_eq!(
            of("wall"),
            "undecided: changes below 18.2 % cannot be seen in these samples\n  hint: more rounds \
             (`--rounds`) show smaller changes; `-m cpu` uses CPU time\n"
        );
        assert!(!of("cpu").contains("-m cpu"));
    }

    #[test]
    fn only_what_is_certain_is_counted_as_a_change() {
        assert_eq!(seen(2, 0, "5.0 % or more"), "2 changes of 5.0 % or more");
        assert_eq!(
            seen(0, 1, "5.0 % or more"),
            "no change of 5.0 % or more is certain; possible changes at 1 place"
        );
        assert_eq!(
            seen(1, 2, "5.0 % or more"),
            "1 change of 5.0 % or more; possible changes at 2 more places"
        );
    }

    #[test]
    fn what_is_in_doubt_is_not_seen_yet() {
        let cases = [
            (vec![], "0 changes seen, 0 pinned"),
            (vec![(PlaceStatus::Range, 31, false)], "0 changes seen, 0 pinned; 1 place in doubt"),
            (
                vec![
                    (PlaceStatus::Pinned, 1, true),
                    (PlaceStatus::Range, 8, true),
                    (PlaceStatus::Range, 31, false),
                ],
                "2 changes seen, 1 pinned; the longest range with an unpinned change has 8 \
                 commits; 1 place in doubt",
            ),
        ];
        for (places, line) in cases {
            assert_eq!(so_far(&places), line);
        }
    }
}
