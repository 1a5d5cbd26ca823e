//! All changes, event by event: for people, for machines, and for a mail.

use std::collections::HashSet;

use serde::Serialize;
use tacho_experiment::changes::FalseAlarms;
use tacho_record::{Bisection, BuildGap, Change, ChangeVerdict, Revision, SeriesKey};
use tacho_report::bisection::{changed_subject, found};
use tacho_report::block::Block;
use tacho_report::build::gap_lines_by_host;
use tacho_report::change::place;
use tacho_report::change_event::together;
use tacho_report::change_list::{
    self, ChangeCounts, OTHER_WORK, OTHER_WORK_HINT, UNPLANNED, is_worse_and_new,
};
use tacho_report::change_row::ChangeRow;
use tacho_report::revision::link;
use tacho_report::series::{revision_name, series_name};
use tacho_stats::history::HistoryVerdict;

use super::answer::{ChangeAnswer, RevisionAnswer};
use super::history::HistoryAnswer;
use crate::output::unbuilt::UnbuiltAnswer;
use crate::output::{bisect, blocks, text};

/// The list for all series.
pub struct ChangeListing {
    /// The plan's link to a revision.
    pub link: Option<String>,
    /// The events, the newest first.
    pub events: Vec<ListedEvent>,
    /// How many series were judged.
    pub judged: usize,
    /// The series that were not judged, with the reasons.
    pub not_judged: Vec<(SeriesKey, String)>,
    /// The gaps of failed builds, which cannot be judged, each with the name of the host.
    pub unbuilt: Vec<(String, BuildGap)>,
    /// Remarks on series: drifts, modes, refused candidates.
    pub remarks: Vec<(SeriesKey, String)>,
    /// The number of false alarms.
    pub false_alarms: FalseAlarms,
    /// How many unacknowledged changes for the worse there are among those that are shown.
    pub regressions: usize,
    /// The names of changes of series that the plan no longer has: mentioned, and listed only where
    /// all are requested.
    pub unplanned: HashSet<String>,
    /// The names of changes that may be the host's: no run measured both sides.
    pub doubtful: Vec<String>,
    /// The names of changes whose levels are not the medians of what was measured.
    pub off_medians: Vec<String>,
    /// The verdicts from the runs of series that were judged by them.
    pub histories: Vec<(SeriesKey, HistoryVerdict, Vec<String>)>,
    /// Whether there is more than one host.
    pub hosts: bool,
    /// The changes that are probably other work on the host, not counted among the others.
    pub other_work: Vec<Change>,
    /// The bisections, newest first: where series are judged, those that found what no change
    /// shows.
    pub bisections: Vec<Bisection>,
    /// How many named a commit for a benchmark, or a version of one, that the plan no longer has.
    pub unplanned_bisections: usize,
    /// How many changes the options leave out.
    pub hidden: usize,
}

/// Changes at one place.
pub struct ListedEvent {
    /// The revision that is most likely the first at the new levels.
    pub revision: Revision,
    /// The last one that is surely before.
    pub good: Revision,
    /// The last one that may be the first.
    pub bad: Revision,
    /// How many commits are after `good`, up to `bad`, of which it may be one.
    pub commits: usize,
    /// How many more gave the same program as the one before.
    pub same_program: usize,
    /// The changes: those for the worse first, then the others, the largest first of each.
    pub changes: Vec<Change>,
}

/// The listing in JSON.
#[derive(Serialize)]
pub struct ListingAnswer<'a> {
    regressions: usize,
    unplanned: usize,
    doubtful: &'a [String],
    events: Vec<EventAnswer<'a>>,
    other_work: Vec<ChangeAnswer<'a>>,
    judged: usize,
    not_judged: Vec<RemarkAnswer<'a>>,
    unbuilt: Vec<StretchAnswer<'a>>,
    remarks: Vec<RemarkAnswer<'a>>,
    histories: Vec<SeriesHistory<'a>>,
    bisections: Vec<BisectedAnswer<'a>>,
    false_alarms: FalseAlarmsAnswer,
}

/// The finding of a bisection.
#[derive(Serialize)]
struct BisectedAnswer<'a> {
    name: &'a str,
    good: &'a str,
    bad: &'a str,
    of: String,
    found: String,
}

impl<'a> BisectedAnswer<'a> {
    fn of(bisection: &'a Bisection) -> Self {
        let Bisection { name, asked, .. } = bisection;
        let (of, found) = (changed_subject(bisection), found(bisection));
        Self { name, good: &asked.good, bad: &asked.bad, of, found }
    }
}

/// The verdict from a series' runs; places are those in `revisions`.
#[derive(Serialize)]
struct SeriesHistory<'a> {
    benchmark: String,
    host: &'a str,
    metric: &'a str,
    revisions: &'a [String],
    history: HistoryAnswer,
}

#[derive(Serialize)]
struct EventAnswer<'a> {
    revision: RevisionAnswer<'a>,
    good: &'a str,
    bad: &'a str,
    commits: usize,
    same_program: usize,
    better: usize,
    worse: usize,
    changes: Vec<ChangeAnswer<'a>>,
}

/// A stretch that could not be built on a host.
#[derive(Serialize)]
struct StretchAnswer<'a> {
    host: &'a str,
    #[serde(flatten)]
    unbuilt: UnbuiltAnswer<'a>,
}

/// Something that is said of a series.
#[derive(Serialize)]
struct RemarkAnswer<'a> {
    benchmark: String,
    host: &'a str,
    metric: &'a str,
    what: &'a str,
}

#[derive(Serialize)]
struct FalseAlarmsAnswer {
    marked: usize,
    looked_at: usize,
    reported: usize,
    rate: Option<f64>,
}

impl<'a> SeriesHistory<'a> {
    fn of((key, verdict, revisions): &'a (SeriesKey, HistoryVerdict, Vec<String>)) -> Self {
        Self {
            benchmark: key.benchmark.to_string(),
            host: &key.host,
            metric: &key.metric.name,
            revisions,
            history: HistoryAnswer::of(verdict),
        }
    }
}

impl ChangeListing {
    /// All of it, in JSON.
    pub fn answer(&self) -> ListingAnswer<'_> {
        let alarms = self.false_alarms;
        ListingAnswer {
            regressions: self.regressions,
            unplanned: self.unplanned.len(),
            doubtful: &self.doubtful,
            events: self.events.iter().map(|event| event.answer(&self.unplanned)).collect(),
            other_work: (self.other_work.iter())
                .map(|change| ChangeAnswer::of(change, !self.unplanned.contains(&change.name)))
                .collect(),
            judged: self.judged,
            not_judged: remarks(&self.not_judged),
            unbuilt: (self.unbuilt.iter())
                .map(|(host, unbuilt)| StretchAnswer { host, unbuilt: UnbuiltAnswer::of(unbuilt) })
                .collect(),
            remarks: remarks(&self.remarks),
            histories: self.histories.iter().map(SeriesHistory::of).collect(),
            bisections: self.bisections.iter().map(BisectedAnswer::of).collect(),
            false_alarms: FalseAlarmsAnswer {
                marked: alarms.marked,
                looked_at: alarms.looked_at,
                reported: alarms.reported,
                rate: alarms.rate(),
            },
        }
    }

    /// All of it, for people.
    pub fn text(&self) -> String {
        let hint = "`tacho changes show NAME` shows the evidence";
        let mut parts = self.parts();
        if let Some(last) = parts.last_mut().filter(|_| !self.events.is_empty()) {
            last.push(Block::Sentence(hint.to_owned()));
        }
        blocks::parts_in_terminal(&parts)
    }

    /// All of it, for a mail or a pull request.
    pub fn markdown(&self) -> String {
        let all = self.parts().concat();
        blocks::markdown(&all, |prose| self.prose_in_markdown(prose)).trim_end().to_owned() + "\n"
    }

    /// The events, and below them what concerns all.
    fn parts(&self) -> Vec<Vec<Block>> {
        let remark = |it| Block::Sentence(change_list::remark(it, self.hosts));
        let remarks = self.remarks.iter().map(remark).collect();
        let events = self.events.iter().map(|event| event.blocks(self.hosts));
        events.chain([remarks, self.other_work(), self.summary()]).collect()
    }

    /// Prose in which the revision of an event is a link, and names of series are literal.
    fn prose_in_markdown(&self, prose: &str) -> String {
        let of_event = |event: &ListedEvent| {
            let name = revision_name(&event.revision);
            let rest = prose.strip_prefix(&name).filter(|rest| rest.starts_with("  "))?;
            let link = link(self.link.as_deref(), &event.revision.id);
            let name = link.map_or_else(|| format!("`{name}`"), |it| format!("[`{name}`]({it})"));
            Some(name + &text::markdown(rest))
        };
        let keys = self.not_judged.iter().chain(&self.remarks).map(|(key, _)| key);
        let keys = keys.chain(self.other_work.iter().map(|change| &change.series));
        let names = || -> Vec<String> { keys.map(|key| series_name(key, self.hosts)).collect() };
        let found = self.events.iter().find_map(of_event);
        found.unwrap_or_else(|| text::markdown_with(prose, &names()))
    }

    /// The changes that are probably other work on the host: a line each, with the reason.
    fn other_work(&self) -> Vec<Block> {
        if self.other_work.is_empty() {
            return Vec::new();
        }
        let line = |change: &Change| {
            let why = change_list::other_work(change, self.hosts);
            Block::Item(format!("{}  {why}", change.name))
        };
        let lead = [Block::Lead(format!("{OTHER_WORK}:"))];
        let hint = [Block::Sentence(OTHER_WORK_HINT.to_owned())];
        lead.into_iter().chain(self.other_work.iter().map(line)).chain(hint).collect()
    }

    /// The judged series, the others with the reasons, and the number of false alarms.
    fn summary(&self) -> Vec<Block> {
        let counts = self.counts();
        let is_untracked =
            self.judged == 0 && self.not_judged.is_empty() && self.unplanned.is_empty();
        if counts.changes == 0 && is_untracked && self.unbuilt.is_empty() {
            return bisect::untracked(&self.bisections);
        }
        let doubts =
            [change_list::doubtful(&self.doubtful), change_list::off_medians(&self.off_medians)];
        let not_judged = change_list::not_judged(&self.not_judged, self.hosts);
        let unbuilt = gap_lines_by_host(&self.unbuilt, self.hosts);
        let alarms = self.false_alarms;
        let alarms = change_list::false_alarms(alarms.marked, alarms.looked_at);
        let above = doubts.into_iter().flatten().chain(not_judged).map(Block::Sentence);
        let below = unbuilt.into_iter().chain(self.unplanned()).chain(alarms).map(Block::Sentence);
        let hidden = change_list::hidden(self.hidden).map(Block::Sentence);
        let lead = std::iter::once(Block::Lead(counts.lead())).chain(hidden);
        lead.chain(above).chain(bisect::newest(&self.bisections)).chain(below).collect()
    }

    /// How many changes are of series that the plan no longer has.
    fn unplanned(&self) -> Vec<String> {
        let mut listed = self.events.iter().flat_map(|event| &event.changes);
        let are_listed = listed.any(|change| !self.is_planned(change));
        let how = if are_listed { "" } else { " (`--all` lists them)" };
        let count = text::count(self.unplanned.len(), "change");
        let changes = (!self.unplanned.is_empty()).then(|| format!("{UNPLANNED}: {count}{how}"));
        changes.into_iter().chain(change_list::unplanned(self.unplanned_bisections)).collect()
    }

    /// How many changes there are; what the plan no longer has is counted apart.
    fn counts(&self) -> ChangeCounts {
        let changes = || self.events.iter().flat_map(|event| &event.changes);
        let is_bad = |change: &&Change| self.is_planned(change) && is_worse_and_new(change);
        ChangeCounts {
            changes: changes().count(),
            places: self.events.len(),
            judged: self.judged,
            regressions: self.regressions,
            worse_and_new: changes().filter(is_bad).count(),
        }
    }

    /// Whether its series is still in the plan.
    fn is_planned(&self, change: &Change) -> bool {
        !self.unplanned.contains(&change.name)
    }
}

impl ListedEvent {
    fn answer(&self, unplanned: &HashSet<String>) -> EventAnswer<'_> {
        let change = |change| ChangeAnswer::of(change, !unplanned.contains(&change.name));
        EventAnswer {
            revision: RevisionAnswer::of(&self.revision),
            good: &self.good.id,
            bad: &self.bad.id,
            commits: self.commits,
            same_program: self.same_program,
            better: self.count(ChangeVerdict::Better),
            worse: self.count(ChangeVerdict::Worse),
            changes: self.changes.iter().map(change).collect(),
        }
    }

    fn count(&self, wanted: ChangeVerdict) -> usize {
        self.changes.iter().filter(|change| change.verdict() == wanted).count()
    }

    /// Its revision, the commits that may have made it, and its changes.
    fn blocks(&self, hosts: bool) -> Vec<Block> {
        let ends = [self.good.short(), self.bad.short()];
        let place = (self.commits > 1).then(|| place(self.commits, self.same_program, ends));
        let items = place.into_iter().chain(together(&self.changes)).map(Block::Item);
        let lead = [Block::Lead(super::dated(&self.revision))].into_iter();
        lead.chain(items).chain([Block::Table(ChangeRow::table(&self.changes, hosts))]).collect()
    }
}

fn remarks(all: &[(SeriesKey, String)]) -> Vec<RemarkAnswer<'_>> {
    all.iter().map(|(key, what)| RemarkAnswer::of(key, what)).collect()
}

impl<'a> RemarkAnswer<'a> {
    fn of(key: &'a SeriesKey, what: &'a str) -> Self {
        Self {
            benchmark: key.benchmark.to_string(),
            host: &key.host,
            metric: &key.metric.name,
            what,
        }
    }
}
