//! The evidence for one change: both sides, the commits between, what else changed there, what
//! became of it.

use serde::Serialize;
use tacho_experiment::changes::{MeasuredSide, are_other_levels};
use tacho_record::{Change, Commit, Happening, Revision, first_of, short_name};
use tacho_report::block::Block;
use tacho_report::change::{
    ALSO_CHANGED, ChangeContext, STORY, levels_of, next_steps, place, reasons, story, which_levels,
};
use tacho_report::change_row::ChangeRow;
use tacho_report::quirk::QuirkEffect;
use tacho_report::revision::{link, numbered, older_commits};

use super::answer::{ChangeAnswer, CommitAnswer, RevisionAnswer};
use super::sides::{ChangeSideAnswer, drawn};
use crate::output::{blocks, text};

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
        let below = [self.reasons(), self.place(), self.others(), self.story()];
        let prose = blocks::parts_in_terminal;
        let parts = [prose(&[self.head()]), sides, prose(&below)];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The change in short, its levels, its revision and its state.
    fn head(&self) -> Vec<Block> {
        let row = ChangeRow::of(&self.change, true);
        let ChangeRow { name, series, levels: [before, after], effect, verdict, kind, .. } = row;
        let range = match row.interval.as_str() {
            "" => String::new(),
            range => format!(" (95 %: {range})"),
        };
        // The medians of both sides are below.
        let levels = if self.change.finding.kind.is_of_level() { "levels" } else { "" };
        let of = [levels, levels_of(&self.change)].into_iter().filter(|word| !word.is_empty());
        let of: String = of.map(|word| format!("{word} ")).collect();
        let otherwise = self.otherwise_measured().unwrap_or_default();
        let items = [
            format!("{of}{before} → {after}{otherwise}"),
            super::dated(&self.revision),
            ChangeRow::noted(&self.change, row.state).whole(),
        ];
        let lead = format!("{name}  {series}  {effect} {verdict}{range}  {kind}");
        [Block::Lead(lead)].into_iter().chain(items.map(Block::Item)).collect()
    }

    /// Why it is believed, and what speaks against it.
    fn reasons(&self) -> Vec<Block> {
        let beside = ChangeContext {
            judged: self.judged,
            by_runs: self.by_runs,
            planned: self.planned,
            is_apart: self.sides.as_ref().is_some_and(MeasuredSide::are_apart),
            quirks: &self.quirks,
        };
        reasons(&self.change, beside).into_iter().map(Block::Item).collect()
    }

    /// Why the medians of what was measured are not the levels of the change, where they differ.
    fn otherwise_measured(&self) -> Option<String> {
        let sides = self.sides.as_ref().filter(|it| are_other_levels(it, &self.change))?;
        let is_one_run = MeasuredSide::are_of_one_run(sides);
        let which = which_levels(&self.change, self.by_runs, is_one_run);
        Some(format!("; these levels {which}, so the medians below differ"))
    }

    /// The possible commits, and the next step.
    fn place(&self) -> Vec<Block> {
        let ends = [self.good.short(), self.bad.short()];
        let place = place(self.commits.len(), self.change.same_program.len(), ends);
        let commits = self.commits.iter().take(COMMITS).map(|commit| self.commit(commit));
        let more = self.commits.len().saturating_sub(COMMITS);
        let more = (more > 0).then(|| older_commits(more));
        let names: Vec<&str> = self.commits.iter().map(|it| short_name(&it.id)).collect();
        let steps = next_steps(&self.change, &names).into_iter();
        let steps = steps.map(|(what, command)| format!("{what}: {command}"));
        let items = commits.chain(more).chain(steps).map(Block::Item);
        [Block::Sentence(place)].into_iter().chain(items).collect()
    }

    fn commit(&self, commit: &Commit) -> String {
        let (id, date) = (short_name(&commit.id), text::day(commit.date));
        let first = format!("{id}  {date}  {}  {}", commit.author, commit.subject);
        let link = link(self.link.as_deref(), &commit.id);
        let files = first_of(commit.files.iter().map(|file| numbered(commit, file)), FILES);
        let lines = [first, link.unwrap_or_default(), files].into_iter();
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The other changes there: the trade-off.
    fn others(&self) -> Vec<Block> {
        if self.together.is_empty() {
            return Vec::new();
        }
        let table = ChangeRow::table(&self.together, true);
        vec![Block::Sentence(ALSO_CHANGED.to_owned()), Block::Table(table)]
    }

    /// Its history.
    fn story(&self) -> Vec<Block> {
        let lines = self.happenings.iter().zip(story(&self.change, &self.happenings));
        let line = |(it, line): (&Happening, String)| format!("{}  {line}", text::moment(it.at));
        let first = [Block::Sentence(STORY.to_owned())].into_iter();
        first.chain(lines.map(line).map(Block::Item)).collect()
    }
}
