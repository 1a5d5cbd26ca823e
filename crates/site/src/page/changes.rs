//! All changes, by place in history: improvements and regressions of the same commit are together.

use maud::{Markup, html};
use tacho_record::Commit;
use tacho_report::change::place;
use tacho_report::change_event::together;
use tacho_report::change_list::{
    self, ChangeCounts, OTHER_WORK, OTHER_WORK_HINT, UNPLANNED, UNTRACKED, doubtful,
    is_worse_and_new, off_medians,
};
use tacho_report::change_row::ChangeRow;
use tacho_report::comparison::clauses::{NO_NAMES, sentence};

use super::blocks::{superseded, with_code};
use super::links::linked;
use super::{PageFrame, framed, revision_named, scrolling, tags};
use crate::text::day;
use crate::view::{ChangeView, EventView, View};

/// The most changes of one place in a list, what got worse first.
const EFFECTS: usize = 4;

/// Writes the page.
pub(crate) fn page(view: &View) -> Vec<u8> {
    let held = standing(view);
    let other: Vec<_> =
        view.events.iter().filter(|event| is_active(event) && !event.planned).collect();
    let gone: Vec<_> = view.events.iter().filter(|event| !is_active(event)).collect();
    let content = html! {
        h1 { "Changes" }
        @if super::is_untracked(view) {
            p.lead {
                (linked(view, "", UNTRACKED)) " "
                a href="bisections.html" { "What bisections found" } "."
            }
        } @else {
            p.lead { (linked(view, "", &counts(view, &held).lead())) }
        }
        @for doubt in [doubtful(&view.lab.doubtful), off_medians(&view.lab.off_medians)] {
            @if let Some(doubt) = doubt { p.note { (linked(view, "", &doubt)) } }
        }
        @if !held.is_empty() {
            (scrolling("changes", &table(view, &held)))
            p.legend { "Regressions come first at each place. Names link to the evidence."
                }
        }
        (other_work(view))
        (remarks(view))
        (unjudged(view))
        (false_alarms(view))
        @if !other.is_empty() {
            section {
                @let heading = format!("changes {UNPLANNED}");
                h2 { (self::heading(&heading)) }
                (scrolling(&heading, &table(view, &other)))
            }
        }
        @if !gone.is_empty() {
            section {
                h2 { "Withdrawn" }
                p.note { "Changes that were reported once and withdrawn later, with the reason." }
                (scrolling("withdrawn changes", &table(view, &gone)))
            }
        }
    };
    framed(
        view,
        &PageFrame { title: "Changes", root: "", active: "changes.html", scripts: &[] },
        &content,
    )
}

fn is_active(event: &EventView) -> bool {
    event.changes.iter().any(|one| one.change().is_active())
}

/// The places with changes that are still held, of series that the plan has, newest first; without
/// what other work on the host explains.
pub(super) fn standing<'v, 'a>(view: &'v View<'a>) -> Vec<&'v EventView<'a>> {
    let all = view.events.iter().filter(|event| is_active(event) && event.planned);
    all.filter(|event| !event.is_of_other_work()).collect()
}

/// The changes of series that the plan has which are probably other work on the host.
pub(super) fn of_other_work<'v, 'a>(view: &'v View<'a>) -> Vec<&'v ChangeView<'a>> {
    let all = view.events.iter().filter(|event| event.planned && event.is_of_other_work());
    all.flat_map(|event| &event.changes).collect()
}

/// How many active changes are of series that the plan no longer has.
pub(super) fn of_unplanned(view: &View) -> usize {
    let events = view.events.iter().filter(|event| !event.planned);
    events.flat_map(|event| &event.changes).filter(|one| one.change().is_active()).count()
}

/// Those changes, each with the reason.
fn other_work(view: &View) -> Markup {
    let all = of_other_work(view);
    let several = view.lab.hosts.len() > 1;
    html! {
        @if !all.is_empty() {
            section #other-work {
                h2 { (heading(OTHER_WORK)) }
                p.note { (linked(view, "", OTHER_WORK_HINT)) }
                ul { @for one in all { li {
                    a href={ "change/" (one.slug) ".html" } { (one.change().name) } ": "
                    (change_list::other_work(one.change(), several))
                } } }
            }
        }
    }
}

/// A clause as a heading.
pub(super) fn heading(clause: &str) -> String {
    let sentence = sentence(clause, NO_NAMES);
    sentence.trim_end_matches('.').to_owned()
}

/// A place in a list: its revision and what changed there.
pub(super) fn item(view: &View, event: &EventView) -> Markup {
    let standing: Vec<_> = event.changes.iter().filter(|one| one.change().is_active()).collect();
    let first = view.revision(event.revision);
    html! {
        li {
            (revision_named(view, "", event.revision))
            @if let Some(first) = first {
                (tags(first)) " "
                @if let Some(date) = first.revision.date { span.note { (day(date)) } " " }
                (first.revision.subject)
            }
            ul {
                @for one in standing.iter().take(EFFECTS) { li { (effect(view, one)) } }
                @if standing.len() > EFFECTS {
                    @let more = standing.len() - EFFECTS;
                    li.note { a href="changes.html" { "and " (more) " more there" } }
                }
            }
        }
    }
}

/// A change in a line: its series, size and state.
fn effect(view: &View, one: &ChangeView) -> Markup {
    let series = &one.change().series;
    let several = view.lab.hosts.len() > 1;
    html! {
        a href={ "change/" (one.slug) ".html" } { (series.name()) } " "
        b class=(one.word()) { (one.row.effect) " " (one.row.verdict) }
        span.note {
            @if several { " on " (series.host) }
            ", " (one.row.kind) ", " (one.row.state)
        }
    }
}

/// How many changes these places have.
fn counts(view: &View, events: &[&EventView]) -> ChangeCounts {
    let standing = || {
        let all = events.iter().flat_map(|event| &event.changes).map(ChangeView::change);
        all.filter(|change| change.is_active())
    };
    ChangeCounts {
        changes: standing().count(),
        places: events.len(),
        judged: view.lab.judged,
        regressions: view.lab.regressions,
        worse_and_new: standing().filter(|change| is_worse_and_new(change)).count(),
    }
}

/// The heads of a row of a change.
pub(super) fn heads() -> Markup {
    let [_, series, before, after, change, _, interval, kind, state] = ChangeRow::HEADS;
    html! {
        th scope="col" { (series) }
        th.change scope="col" colspan="2" { (change) }
        @for number in [interval, before, after] { th.num scope="col" { (number) } }
        @for word in [kind, state] { th scope="col" { (word) } }
    }
}

/// A group of rows an event.
fn table(view: &View, events: &[&EventView]) -> Markup {
    html! {
        table.overview.changes {
            thead { tr {
                th scope="col" { "first at" }
                (heads())
            } }
            @for event in events {
                tbody { @for (number, one) in event.changes.iter().enumerate() {
                    tr class=[(number == 0).then_some("first")] {
                        @if number == 0 { (head(view, event)) }
                        (row(view, one, "", true))
                    }
                } }
            }
        }
    }
}

/// The event's revision with its tags, the subject of its commit, and what was paid with what.
fn head(view: &View, event: &EventView) -> Markup {
    html! {
        th.name scope="rowgroup" rowspan=(event.changes.len()) {
            (revision_named(view, "", event.revision))
            @if let Some(first) = view.revision(event.revision) {
                (tags(first))
                div.note { (first.revision.subject) }
            }
            @if let Some(range) = range(view, event) { div.note { (range) } }
            @if let Some(paid) = together(event.changes.iter().map(ChangeView::change)) {
                div.note { (paid) }
            }
        }
    }
}

/// The possible commits, if there are several: of all changes of the event together.
fn range(view: &View, event: &EventView) -> Option<String> {
    let [good, bad] = [event.good?, event.bad?].map(|place| &view.revisions[place].revision);
    let is_between = |order: u64| good.order < order && order <= bad.order;
    let is_same = |commit: &&Commit| {
        event.changes.iter().any(|one| one.change().same_program.contains(&commit.id))
    };
    let commits = view.lab.commits.iter().filter(|commit| is_between(commit.order));
    let (same, commits): (Vec<&Commit>, Vec<&Commit>) = commits.partition(is_same);
    let ends = [good.short(), bad.short()];
    (commits.len() > 1).then(|| place(commits.len(), same.len(), ends))
}

/// A change's row, without the revision.
pub(super) fn row(view: &View, one: &ChangeView, root: &str, link: bool) -> Markup {
    let shown = &one.row;
    html! {
        td.metric {
            @if link {
                a href={ (root) "change/" (one.slug) ".html" } { (shown.series) }
            } @else {
                (shown.series)
            }
            (superseded(view, &one.change().series.benchmark))
        }
        td.num.change.(one.word()) { (shown.effect) }
        td.word.(one.word()) { (shown.verdict) }
        // Broken between its ends, where it is broken.
        td.num.count { (shown.interval.replace(" %", "\u{a0}%")) }
        @for level in &shown.levels { td.num.latest { (level) } }
        td.count { (shown.kind) }
        td.state {
            (shown.state)
            @if !one.change().note.is_empty() { div.note { (one.change().note) } }
        }
    }
}

/// The remarks on series beside their changes.
fn remarks(view: &View) -> Markup {
    let (all, several) = (&view.lab.remarks, view.lab.hosts.len() > 1);
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Also seen" }
                ul { @for one in all { li { (with_code(&change_list::remark(one, several))) } } }
            }
        }
    }
}

/// The number of false alarms, by the users' own judgement.
fn false_alarms(view: &View) -> Markup {
    let (marked, looked_at) = view.lab.false_alarms;
    html! {
        @if let Some(line) = change_list::false_alarms(marked, looked_at) {
            p.note { (sentence(&line, NO_NAMES)) }
        }
    }
}

/// The stretches of history and the series that could not be judged: silence about them would pass
/// for good news.
fn unjudged(view: &View) -> Markup {
    let (all, unbuilt, several) = (&view.lab.unjudged, &view.lab.unbuilt, view.lab.hosts.len() > 1);
    let lines = change_list::not_judged(all, several);
    html! {
        @if !all.is_empty() || !unbuilt.is_empty() {
            section {
                h2 { "Not judged" }
                ul { @for line in lines.iter().chain(unbuilt) { li { (linked(view, "", line)) } } }
                @if all.len() > lines.len() {
                    details {
                        summary { "Each series" }
                        ul { @for one in all {
                            li { (with_code(&change_list::remark(one, several))) }
                        } }
                    }
                }
            }
        }
    }
}
