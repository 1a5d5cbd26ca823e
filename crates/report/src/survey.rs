//! The findings from a few builds of a long history: the places where it changed, and the open
//! questions.

use tacho_record::{
    BenchmarkKey, ChangeKind, ChangeVerdict, Direction, Metric, Revision, TagChange,
};
use tacho_stats::history::Origin;
use tacho_stats::survey::{ChangePlace, PlaceStatus};

use crate::block::{AnswerCell, AnswerNote, AnswerTable, Block};
use crate::detection::NotReported;
use crate::words::{count, cut, effect, effect_interval, percent};

/// How wide the subject of a commit may become.
const SUBJECT: usize = 40;

/// Why a survey ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurveyEnd {
    /// No further build or sample would add information.
    Known,
    /// No change was seen, but the samples vary too much to show a change of the requested size.
    Noise,
    /// The builds are made.
    Builds,
    /// The time is spent.
    Budget,
    /// Some builds differ each time, so that they cannot be measured beside others.
    Unsettled,
    /// The user stopped it: the same command resumes from there.
    Interrupted,
}

/// A place where a benchmark changed, or may have changed.
#[derive(Clone, Debug)]
pub struct SurveyPlace<'a> {
    /// The place of the change.
    pub place: ChangePlace,
    /// The last revision before it, and the first one after it.
    pub ends: [&'a Revision; 2],
    /// The changes besides the program in its range, each with its first revision.
    pub edges: Vec<(&'a Revision, &'a TagChange)>,
    /// The name of the change that `tacho changes` reports there.
    pub change: Option<&'a str>,
    /// Why it reports none, where that was asked.
    pub not_reported: Option<NotReported>,
}

/// The findings about a benchmark over the history.
#[derive(Clone, Debug)]
pub struct SurveyFindings<'a> {
    /// The benchmark.
    pub key: &'a BenchmarkKey,
    /// By which metric.
    pub metric: &'a Metric,
    /// The smallest change that is looked for, as a share.
    pub least: f64,
    /// Between which revisions alone was looked.
    pub zoom: Option<[&'a Revision; 2]>,
    /// Changes below this share cannot be seen, where that leaves it undecided.
    pub unseen: Option<f64>,
    /// The longest stretch of commits that nothing was measured in.
    pub widest: usize,
    /// The places, in order of history.
    pub places: Vec<SurveyPlace<'a>>,
}

impl SurveyFindings<'_> {
    /// The certain findings, and the open ones.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = vec![Block::Sentence(self.lead())];
        if self.unseen.is_some() {
            blocks.push(Block::Note(AnswerNote::hint(more_rounds(self.metric))));
        } else if !self.places.is_empty() {
            blocks.push(Block::Table(self.table()));
        }
        let around = self.places.iter().flat_map(SurveyPlace::surroundings);
        let unnamed = self.places.iter().filter_map(SurveyPlace::unnamed);
        let undone = (self.widest > 1).then(|| {
            let stretch = count(self.widest, "commit");
            format!("a change that came and went within {stretch} would not be seen")
        });
        blocks.extend(around.chain(unnamed).chain(undone).map(Block::Item));
        blocks
    }

    /// How many changes are certain: `parse · wall in 18b5b85..76f4304: 2 changes of 5 % or more`.
    fn lead(&self) -> String {
        let zoom = self.zoom.map_or_else(String::new, |[first, last]| {
            format!(" in {}..{}", first.short(), last.short())
        });
        let least = percent(self.least);
        let certain: Vec<_> = self.places.iter().filter(|it| it.place.is_reported).collect();
        let besides = certain.iter().filter(|it| !it.edges.is_empty()).count();
        let found = match self.unseen {
            Some(unseen) => {
                let unseen = percent(unseen);
                format!("undecided: changes below {unseen} cannot be seen in these samples")
            }
            None if self.places.is_empty() => format!("no change of {least} or more was seen"),
            None => {
                let larger = format!("{least} or more{}", of_environment(besides));
                seen(certain.len(), self.places.len() - certain.len(), &larger)
            }
        };
        format!("{}{zoom}: {found}", self.metric.series_of(self.key))
    }

    fn table(&self) -> AnswerTable {
        let row = |it: &SurveyPlace| {
            let cells = [
                effect(it.place.effect).into(),
                effect_interval(it.place.interval).into(),
                verdict(&it.place, self.metric.better),
                it.kind().to_owned().into(),
                it.change.unwrap_or_default().to_owned().into(),
                it.whereabouts().into(),
            ];
            cells.into()
        };
        let heads = ["change", "95 %", "", "kind", "name", "where"];
        AnswerTable::of(&heads, &(0..1), self.places.iter().map(row).collect())
    }
}

impl SurveyPlace<'_> {
    fn commits(&self) -> usize {
        self.place.bad - self.place.good
    }

    /// The changes besides the program, which may be the cause.
    fn surroundings(&self) -> Vec<String> {
        let [good, bad] = self.ends.map(Revision::short);
        let is_one = self.commits() == 1;
        let whose = if is_one { bad.to_owned() } else { format!("{good}..{bad}") };
        let line = |(from, tagged): &(&Revision, &TagChange)| {
            let at = if is_one { String::new() } else { format!(" at {}:", from.short()) };
            let what = tagged.described();
            format!("{whose}: the cause may be outside the program:{at} {what}")
        };
        self.edges.iter().map(line).collect()
    }

    /// Says that `tacho changes` does not report a change, with the reason.
    fn unnamed(&self) -> Option<String> {
        let why = self.not_reported.filter(|_| self.place.is_reported)?.words();
        Some(format!("`tacho changes` does not report {} yet: {why}", self.ends[1].short()))
    }

    /// The kind of change, if it need not be the program's.
    fn kind(&self) -> &'static str {
        match (self.place.origin, self.edges.is_empty()) {
            (_, false) => ChangeKind::Environment.words(true),
            (Origin::Build, true) => ChangeKind::Build.words(true),
            (Origin::Commit, true) => "",
        }
    }

    fn whereabouts(&self) -> String {
        let [good, bad] = self.ends;
        match (self.place.known, self.commits()) {
            (PlaceStatus::Pinned, 1) => format!("{} {}", bad.short(), cut(&bad.subject, SUBJECT)),
            (known, commits) => {
                let why = match known {
                    PlaceStatus::Pinned | PlaceStatus::Closed => ", which cannot be distinguished",
                    PlaceStatus::Range => ": not pinned yet",
                };
                format!("one of {commits} commits, {}..{}{why}", good.short(), bad.short())
            }
        }
    }
}

/// The reason why a survey ended, by the builds it made and the revisions there are; `open` places
/// are not pinned.
#[must_use]
pub fn end(ended: SurveyEnd, [made, revisions]: [usize; 2], open: usize) -> String {
    let took = match made {
        0 => format!("no new builds; {} in the range", count(revisions, "revision")),
        made => format!("built {made} of {}", count(revisions, "revision")),
    };
    let left = || format!("{} {}", count(open, "change"), if open == 1 { "is" } else { "are" });
    match ended {
        SurveyEnd::Noise => format!("{took}: samples vary too much to exclude a change"),
        SurveyEnd::Known => format!("{took}: no further change of the level was found"),
        SurveyEnd::Interrupted => format!("{took} so far"),
        SurveyEnd::Unsettled => format!("{took}: some builds give a different result each time"),
        SurveyEnd::Builds => {
            format!("{took}: the limit of builds is reached; {} not pinned", left())
        }
        SurveyEnd::Budget => format!("{took}: the budget is used up; {} not pinned", left()),
    }
}

/// How far a survey has come by this many builds, in a line.
#[must_use]
pub fn progress(builds: usize, places: &[ChangePlace]) -> String {
    let certain = || places.iter().filter(|place| place.is_reported);
    let (seen, doubtful) = (certain().count(), places.len() - certain().count());
    let pinned = certain().filter(|place| place.known == PlaceStatus::Pinned).count();
    let ranges = certain().filter(|place| place.known == PlaceStatus::Range);
    let widest = ranges.map(|place| place.bad - place.good).max().map(|widest| {
        format!("; the longest range with an unpinned change has {}", count(widest, "commit"))
    });
    let doubt = (doubtful > 0).then(|| format!("; {} in doubt", count(doubtful, "place")));
    let (builds, seen) = (count(builds, "build"), count(seen, "change"));
    let open = widest.into_iter().chain(doubt).collect::<String>();
    format!("{builds}: {seen} seen, {pinned} pinned{open}")
}

/// The advice if no change was seen, which proves little.
fn more_rounds(metric: &Metric) -> String {
    let by_cpu = if metric.is_wall() { "; `-m cpu` uses CPU time" } else { "" };
    format!("more rounds (`--rounds`) show smaller changes{by_cpu}")
}

/// How many changes need not be the program's.
fn of_environment(changes: usize) -> String {
    match changes {
        0 => String::new(),
        some => format!(", {some} with a possible cause outside the program"),
    }
}

/// The direction of a change.
fn verdict(place: &ChangePlace, better: Direction) -> AnswerCell {
    if !place.is_reported {
        return "may have changed".to_owned().into();
    }
    let verdict = ChangeVerdict::of(place.effect > 0.0, better);
    AnswerCell { tone: verdict.into(), ..verdict.word().to_owned().into() }
}

/// How many changes there are of what is looked for (`larger`, in words), and at how many places
/// there may be one.
fn seen(certain: usize, doubtful: usize, larger: &str) -> String {
    let (changes, places) = (count(certain, "change"), count(doubtful, "place"));
    match (certain, doubtful) {
        (_, 0) => format!("{changes} of {larger}"),
        (0, _) => format!("no change of {larger} is certain; possible changes at {places}"),
        _ => {
            let more = count(doubtful, "more place");
            format!("{changes} of {larger}; possible changes at {more}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Tone;

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
            let found = verdict(&place(effect, is_reported), Direction::Lower);
            assert_eq!(found.text, word, "{effect}");
        }
        let higher = verdict(&place(0.3, true), Direction::Higher);
        assert_eq!((higher.text.as_str(), higher.tone), ("better", Tone::Better));
    }

    #[test]
    fn where_a_change_would_not_be_seen_the_way_out_is_said() {
        let (key, wall) = (BenchmarkKey::plain("b"), Metric::built_in("wall").unwrap());
        let found = SurveyFindings {
            key: &key,
            metric: &wall,
            least: 0.05,
            zoom: None,
            unseen: Some(0.182),
            widest: 1,
            places: vec![],
        };
        let lead = "b · wall: undecided: changes below 18.2 % cannot be seen in these samples";
        let hint = "more rounds (`--rounds`) show smaller changes; `-m cpu` uses CPU time";
        let note = Block::Note(AnswerNote::hint(hint.to_owned()));
        assert_eq!(found.blocks(), [Block::Sentence(lead.to_owned()), note]);
        assert!(!more_rounds(&Metric::built_in("cpu").unwrap()).contains("-m cpu"));
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
        let of = |known, bad, is_reported| ChangePlace { bad, known, ..place(0.1, is_reported) };
        let doubtful = of(PlaceStatus::Range, 31, false);
        let certain = [of(PlaceStatus::Pinned, 1, true), of(PlaceStatus::Range, 8, true)];
        assert_eq!(progress(1, &[]), "1 build: 0 changes seen, 0 pinned");
        assert_eq!(
            progress(2, &[doubtful]),
            "2 builds: 0 changes seen, 0 pinned; 1 place in doubt"
        );
        assert_eq!(
            progress(3, &[certain[0], certain[1], doubtful]),
            "3 builds: 2 changes seen, 1 pinned; the longest range with an unpinned change has 8 \
             commits; 1 place in doubt"
        );
    }
}
