//! The evidence for one change: both sides, the commits between, what else changed there, what
//! became of it.

use serde::Serialize;
use tacho_experiment::changes::{MeasuredSide, are_other_levels};
use tacho_record::{Change, Commit, Happening, Revision, first_of, short_name};
use tacho_report::change::{
    ChangeContext, effect, interval, levels_of, next_steps, place, reasons, state, story,
    which_levels,
};
use tacho_report::change_row::ChangeRow;
use tacho_report::quirk::QuirkEffect;
use tacho_report::revision::numbered;
use tacho_report::series::{revision_name, series_name};

use super::answer::{ChangeAnswer, CommitAnswer, RevisionAnswer};
use super::sides::{ChangeSideAnswer, drawn};
use crate::output::{table, text};

/// At most this many commits are shown, and this many files of each.
const COMMITS: usize = 20;
const FILES: usize = 6;

/// All that is known of a change.
pub struct Evidence {
    /// The change.
    pub change: Change,
    /// The plan's link to a revision.
    pub link: Option<String>,
    /// The last revision that is surely before.
    pub good: Revision,
    /// The one that is most likely the first.
    pub revision: Revision,
    /// The last one that may be the first.
    pub bad: Revision,
    /// The commits after `good` up to `bad` of which it may be one, newest first.
    pub commits: Vec<Commit>,
    /// The measurements on both sides; `None` if the series cannot be judged now.
    pub sides: Option<[MeasuredSide; 2]>,
    /// Whether its series is still in the plan.
    pub planned: bool,
    /// The other changes there, in series that the plan has.
    pub together: Vec<Change>,
    /// Its events, in order.
    pub happenings: Vec<Happening>,
    /// How many series were judged with it.
    pub judged: usize,
    /// Whether its series is judged by differences within runs.
    pub by_runs: bool,
    /// The known effects of the quirks that begin or end there.
    pub quirks: Vec<QuirkEffect>,
}

/// The evidence in JSON.
#[derive(Serialize)]
pub struct EvidenceAnswer<'a> {
    change: ChangeAnswer<'a>,
    revision: RevisionAnswer<'a>,
    good: RevisionAnswer<'a>,
    bad: RevisionAnswer<'a>,
    commits: Vec<CommitAnswer<'a>>,
    sides: Option<[ChangeSideAnswer<'a>; 2]>,
    together: Vec<ChangeAnswer<'a>>,
    happenings: &'a [Happening],
    quirks: Vec<QuirkAnswer<'a>>,
}

/// The effect of a quirk alone there.
#[derive(Serialize)]
struct QuirkAnswer<'a> {
    quirk: &'a str,
    begins: bool,
    at: &'a str,
    run: i64,
    effect: Option<f64>,
    interval: Option<(f64, f64)>,
    rest: Option<f64>,
}

impl Evidence {
    /// All of it, in JSON.
    pub fn answer(&self) -> EvidenceAnswer<'_> {
        let link = self.link.as_deref();
        EvidenceAnswer {
            change: ChangeAnswer::of(&self.change, self.planned),
            revision: RevisionAnswer::of(&self.revision),
            good: RevisionAnswer::of(&self.good),
            bad: RevisionAnswer::of(&self.bad),
            commits: self.commits.iter().map(|commit| CommitAnswer::of(commit, link)).collect(),
            sides: self.sides.as_ref().map(|sides| sides.each_ref().map(ChangeSideAnswer::of)),
            together: self.together.iter().map(|other| ChangeAnswer::of(other, true)).collect(),
            happenings: &self.happenings,
            quirks: self.quirks.iter().map(|quirk| self.quirk(quirk)).collect(),
        }
    }

    fn quirk<'a>(&self, quirk: &'a QuirkEffect) -> QuirkAnswer<'a> {
        let less = |ratio: f64| ratio - 1.0;
        QuirkAnswer {
            quirk: &quirk.edge.quirk,
            begins: quirk.edge.begins,
            at: &quirk.at,
            run: quirk.run,
            effect: quirk.ratio().map(less),
            interval: quirk.interval().map(|(low, high)| (less(low), less(high))),
            rest: quirk.rest(self.change.effect()),
        }
    }

    /// All of it, for people; `width` is that of their terminal, in columns.
    pub fn text(&self, width: Option<usize>) -> String {
        let unit = &self.change.series.metric.unit;
        let sides = self.sides.as_ref().map_or_else(String::new, |sides| drawn(sides, unit, width));
        let prose = |text: String| text::wrap(&text, width);
        let parts = [
            prose(self.head()),
            sides,
            prose(self.reasons()),
            prose(self.place()),
            self.others(width),
            prose(self.story()),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The heading.
    fn head(&self) -> String {
        let (change, finding) = (&self.change, &self.change.finding);
        let words = [
            revision_name(&self.revision),
            text::day(self.revision.date),
            self.revision.subject.clone(),
        ];
        let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let range = interval(change);
        let range = if range.is_empty() { range } else { format!(" (95 %: {range})") };
        let show = |value| change.series.metric.unit.show(value);
        let of = format!("{} ", levels_of(change)).trim_start().to_owned();
        format!(
            "{}  {}  {} {}{range}  {}\n  {}{} → {}{}\n  {}\n  {}\n",
            change.name,
            series_name(&change.series, true),
            effect(change),
            change.verdict_words(),
            finding.kind_words(),
            // The medians of both sides are below.
            if finding.kind.is_of_level() { format!("levels {of}") } else { of },
            show(finding.before),
            show(finding.after),
            self.otherwise_measured().unwrap_or_default(),
            words.join("  "),
            ChangeRow::noted(change, state(change)).whole(),
        )
    }

    /// Why it is believed, and what speaks against it.
    fn reasons(&self) -> String {
        let is_apart = |[before, after]: &[MeasuredSide; 2]| {
            !before.runs.iter().any(|run| after.runs.contains(run))
        };
        let beside = ChangeContext {
            judged: self.judged,
            by_runs: self.by_runs,
            planned: self.planned,
            is_apart: self.sides.as_ref().is_some_and(is_apart),
            quirks: &self.quirks,
        };
        let reasons = reasons(&self.change, beside);
        reasons.into_iter().map(|reason| format!("  {reason}\n")).collect()
    }

    /// Why the medians of what was measured are not the levels of the change, where they differ.
    fn otherwise_measured(&self) -> Option<String> {
        let sides = self.sides.as_ref().filter(|it| are_other_levels(it, &self.change))?;
        let is_one_run =
            sides.iter().all(|side| side.runs.len() == 1 && side.runs == sides[0].runs);
        let which = which_levels(&self.change, self.by_runs, is_one_run);
        Some(format!("; these levels {which}, so the medians below differ"))
    }

    /// The possible commits, and the next step.
    fn place(&self) -> String {
        let ends = [self.good.short(), self.bad.short()];
        let mut out = place(self.commits.len(), self.change.same_program.len(), ends) + "\n";
        for commit in self.commits.iter().take(COMMITS) {
            out += &self.commit(commit);
        }
        if self.commits.len() > COMMITS {
            out += &format!("  and {} more\n", self.commits.len() - COMMITS);
        }
        let names: Vec<&str> = self.commits.iter().map(|it| short_name(&it.id)).collect();
        for (what, command) in next_steps(&self.change, &names) {
            out += &format!("  {what}: {command}\n");
        }
        out
    }

    fn commit(&self, commit: &Commit) -> String {
        let id = short_name(&commit.id);
        let mut out =
            format!("  {id}  {}  {}  {}\n", text::day(commit.date), commit.author, commit.subject);
        if let Some(link) = self.link.as_ref().and_then(|link| super::link(link, &commit.id)) {
            out += &format!("      {link}\n");
        }
        let files = first_of(commit.files.iter().map(|file| numbered(commit, file)), FILES);
        if !files.is_empty() {
            out += &format!("      {files}\n");
        }
        out
    }

    /// The other changes there: the trade-off.
    fn others(&self, width: Option<usize>) -> String {
        if self.together.is_empty() {
            return String::new();
        }
        let head = "changed at the same place\n";
        let mut list = table::plain(&["", "", "", "", ""], &[2]);
        for change in &self.together {
            list.add_row([
                change.name.clone(),
                series_name(&change.series, true),
                effect(change),
                change.verdict_words(),
                ChangeRow::noted(change, state(change)).whole(),
            ]);
        }
        let rows: String =
            table::render(&list).lines().skip(1).map(|row| format!("  {row}\n")).collect();
        if table::fits(&rows, width) {
            return format!("{head}{rows}");
        }
        let lines = self.together.iter().map(|change| {
            format!(
                "  {}  {}\n    {} {}  {}\n",
                change.name,
                series_name(&change.series, true),
                effect(change),
                change.verdict_words(),
                ChangeRow::noted(change, state(change)).whole(),
            )
        });
        format!("{head}{}", text::wrap(&lines.collect::<String>(), width))
    }

    /// Its history.
    fn story(&self) -> String {
        let lines = story(&self.change, &self.happenings);
        let line = |(happening, line): (&Happening, String)| {
            // A text of several lines stays below its date.
            format!("  {}  {}\n", text::moment(happening.at), line.replace('\n', "\n    "))
        };
        let lines: String = self.happenings.iter().zip(lines).map(line).collect();
        format!("what happened\n{lines}")
    }
}
