//! All changes, event by event: for people, for machines, and for a mail.

use std::collections::HashSet;

use serde::Serialize;
use tacho_experiment::changes::FalseAlarms;
use tacho_record::{Bisection, BuildGap, Change, ChangeVerdict, Revision, SeriesKey, shown};
use tacho_report::bisection::{changed_subject, found};
use tacho_report::build::gap_lines_by_host;
use tacho_report::change::{levels_of, place};
use tacho_report::change_event::together;
use tacho_report::change_list::{
    self, ChangeCounts, OTHER_WORK, OTHER_WORK_HINT, UNPLANNED, is_worse_and_new,
};
use tacho_report::change_row::ChangeRow;
use tacho_report::series::revision_name;
use tacho_stats::history::HistoryVerdict;

use super::answer::{ChangeAnswer, RevisionAnswer};
use super::history::HistoryAnswer;
use crate::output::unbuilt::UnbuiltAnswer;
use crate::output::{bisect, colour, table, text};

/// How wide a subject line may become.
const SUBJECT: usize = 60;
/// How wide a note may become.
const NOTE: usize = 40;

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

    /// All of it, for people; `width` is that of their terminal, in columns.
    pub fn text(&self, width: Option<usize>) -> String {
        let has_room = |event: &ListedEvent| table::fits(&event.table(self.hosts), width);
        let as_tables = self.events.iter().all(has_room);
        let events: Vec<String> =
            self.events.iter().map(|event| event.text(self.hosts, width, as_tables)).collect();
        let mut out = events.join("\n");
        let remark =
            |it: &(SeriesKey, String)| format!("{}\n", change_list::remark(it, self.hosts));
        let remarks: String = self.remarks.iter().map(remark).collect();
        for part in
            [remarks, self.other_work(), self.summary()].map(|part| text::wrap(&part, width))
        {
            if !out.is_empty() && !part.is_empty() {
                out.push('\n');
            }
            out += &part;
        }
        if !self.events.is_empty() {
            out += "`tacho changes show NAME` shows the evidence\n";
        }
        out
    }

    /// All of it, for a mail or a pull request.
    pub fn markdown(&self) -> String {
        let events: Vec<String> = self
            .events
            .iter()
            .map(|event| event.markdown(self.link.as_deref(), self.hosts))
            .collect();
        let remark = |it: &(SeriesKey, String)| {
            format!("- {}\n", escaped(&change_list::remark(it, self.hosts)))
        };
        let remarks: String = self.remarks.iter().map(remark).collect();
        let summary: String = self.summary().lines().map(|line| format!("{line}  \n")).collect();
        let other_work: Vec<String> = self.other_work().lines().map(escaped).collect();
        let other_work: String = other_work.iter().map(|line| format!("{line}  \n")).collect();
        let parts = [events.join("\n"), remarks, other_work, summary];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("\n")
    }

    /// The changes that are probably other work on the host: a line each, with the reason.
    fn other_work(&self) -> String {
        if self.other_work.is_empty() {
            return String::new();
        }
        let line = |change: &Change| {
            format!("  {}  {}\n", change.name, change_list::other_work(change, self.hosts))
        };
        let lines: String = self.other_work.iter().map(line).collect();
        format!("{OTHER_WORK}:\n{lines}{OTHER_WORK_HINT}\n")
    }

    /// The judged series, the others with the reasons, and the number of false alarms.
    fn summary(&self) -> String {
        let counts = self.counts();
        let is_untracked = self.judged == 0 && self.not_judged.is_empty();
        if counts.changes == 0 && is_untracked && !self.bisections.is_empty() {
            return bisect::untracked(&self.bisections);
        }
        let doubts =
            [change_list::doubtful(&self.doubtful), change_list::off_medians(&self.off_medians)];
        let not_judged = change_list::not_judged(&self.not_judged, self.hosts);
        let lines = [counts.lead()].into_iter().chain(doubts.into_iter().flatten());
        let mut out: String = lines.chain(not_judged).map(|line| line + "\n").collect();
        if !self.bisections.is_empty() {
            out += &bisect::newest(&self.bisections);
        }
        out += &self.unbuilt();
        if !self.unplanned.is_empty() {
            let count = text::count(self.unplanned.len(), "change");
            let mut listed = self.events.iter().flat_map(|event| &event.changes);
            let are_listed = listed.any(|change| !self.is_planned(change));
            let how = if are_listed { "" } else { " (`--all` lists them)" };
            out += &format!("{UNPLANNED}: {count}{how}\n");
        }
        let alarms = self.false_alarms;
        let alarms = change_list::false_alarms(alarms.marked, alarms.looked_at);
        out + &alarms.map_or_else(String::new, |line| line + "\n")
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

    /// The stretches that could not be built, host by host.
    fn unbuilt(&self) -> String {
        let lines = gap_lines_by_host(&self.unbuilt, self.hosts);
        lines.into_iter().map(|line| line + "\n").collect()
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

    /// The trade-off, if one metric got worse and another one better.
    fn together(&self) -> Option<String> {
        together(&self.changes)
    }

    /// Its host, if there are several.
    fn place(&self) -> Option<String> {
        let ends = [self.good.short(), self.bad.short()];
        (self.commits > 1).then(|| place(self.commits, self.same_program, ends))
    }

    fn text(&self, hosts: bool, width: Option<usize>, as_table: bool) -> String {
        let revision = &self.revision;
        let words = [revision_name(revision), text::day(revision.date)];
        let taken = words.iter().map(|word| word.chars().count() + 2).sum();
        let subject = width.map_or(SUBJECT, |width| width.saturating_sub(taken).min(SUBJECT));
        let words = words.into_iter().chain([text::cut(&revision.subject, subject)]);
        let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        let mut out = words.join("  ") + "\n";
        for line in self.place().into_iter().chain(self.together()) {
            out += &format!("  {line}\n");
        }
        let rows = if as_table { self.table(hosts) } else { text::wrap(&self.lines(hosts), width) };
        let judged = self.changes.iter().filter(|change| !change.is_of_other_work());
        let verdicts = judged.map(|change| (change.verdict().word(), change.verdict().into()));
        out + "\n" + &colour::verdicts(&rows, verdicts)
    }

    fn table(&self, hosts: bool) -> String {
        let mut list = table::plain(&ChangeRow::HEADS, &[2, 3, 4]);
        for change in &self.changes {
            list.add_row(row(change, hosts).cells());
        }
        table::hide_empty_columns(&mut list);
        table::indent(&table::render(&list))
    }

    /// The rows where tables have no room: some lines each.
    fn lines(&self, hosts: bool) -> String {
        let line = |change: &Change| {
            let ChangeRow { name, series, levels, effect, verdict, interval, kind, state } =
                row(change, hosts);
            let [before, after] = levels;
            let range = if interval.is_empty() { interval } else { format!(" ({interval})") };
            let of = format!(" {}", levels_of(change));
            format!(
                "  change {name}: {series}\n    {effect} {verdict}{range}\n    {before} → \
                 {after}{}  {kind}, {state}\n",
                of.trim_end()
            )
        };
        self.changes.iter().map(line).collect()
    }

    fn markdown(&self, link: Option<&str>, hosts: bool) -> String {
        let revision = &self.revision;
        let name = match link.and_then(|link| super::link(link, &revision.id)) {
            Some(link) => format!("[`{}`]({link})", revision_name(revision)),
            None => format!("`{}`", revision_name(revision)),
        };
        let mut out = format!("**{name}** {}", escaped(&revision.subject));
        if let Some(place) = self.place() {
            out += &format!(" ({place})");
        }
        if let Some(together) = self.together() {
            out += &format!(", {together}");
        }
        let rule = "|---|---|--:|--:|--:|---|---|---|---|";
        let head = format!("| {} |", ChangeRow::HEADS.join(" | ")).replace("  ", " ");
        out += &format!("\n\n{head}\n{rule}\n");
        for change in &self.changes {
            let mut cells = row(change, hosts).cells().map(|cell| escaped(&cell));
            cells[0] = format!("`{}`", cells[0]);
            if change.verdict() == ChangeVerdict::Worse {
                cells[5] = format!("**{}**", cells[5]);
            }
            out += &format!("| {} |\n", cells.join(" | "));
        }
        out
    }
}

/// A change as a row, with what the user wrote to it.
fn row(change: &Change, hosts: bool) -> ChangeRow {
    let row = ChangeRow::of(change, hosts);
    ChangeRow { state: with_note(change, row.state.clone()), ..row }
}

/// The state of a change, in words, with the user's note.
pub fn state(change: &Change) -> String {
    with_note(change, tacho_report::change::state(change))
}

/// The same where it is said besides whether it was confirmed.
pub fn state_beside_outcome(change: &Change) -> String {
    with_note(change, tacho_report::change::state_beside_outcome(change))
}

fn with_note(change: &Change, state: String) -> String {
    if change.note.is_empty() {
        state
    } else {
        format!("{state}: {}", text::cut(&change.note, NOTE))
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

/// Text that means itself in Markdown, on one line.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in shown(text).chars() {
        if r"\`*_[]<>|".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_label_cannot_break_a_table() {
        assert_eq!(escaped("a|b\nc\td\u{1b}e"), "a\\|b c de");
    }
}
