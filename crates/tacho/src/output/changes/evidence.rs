//! The evidence for one change: both sides, the commits between, what else changed there, what
//! became of it.

use serde::Serialize;
use tacho_experiment::changes::verdict_of;
use tacho_experiment::compare::QuirkEffect;
use tacho_record::{
    Build, Change, ChangeKind, Commit, Finding, FindingDifference, Happening, HappeningKind, Life,
    RepeatMeasurement, Revision, TagChange, short_name,
};

use super::answer::{ChangeAnswer, CommitAnswer, RevisionAnswer};
use super::listing::{revision_name, series_name, state};
use super::sides::{ChangeSide, ChangeSideAnswer, drawn};
use super::{effect, interval, verdict_word, withdrawal};
use crate::output::{table, text};

/// So many commits are shown at the most, and so many files of each.
const COMMITS: usize = 20;
const FILES: usize = 6;

/// All that is known of a change.
pub struct Evidence {
    /// The change.
    pub change: Change,
    /// Where a revision can be seen, as the plan has it.
    pub link: Option<String>,
    /// The last revision that is surely before.
    pub good: Revision,
    /// The one that is most likely the first.
    pub revision: Revision,
    /// The last one that may be the first.
    pub bad: Revision,
    /// The commits after `good` up to `bad`, newest first.
    pub commits: Vec<Commit>,
    /// What was measured on both sides; nothing when the series cannot be looked at now.
    pub sides: Option<[ChangeSide; 2]>,
    /// Whether the plan still has its series.
    pub planned: bool,
    /// What else changed there, in series that the plan has.
    pub together: Vec<Change>,
    /// What happened to it, in order.
    pub happenings: Vec<Happening>,
    /// How many series were judged with it.
    pub judged: usize,
    /// Whether its series is judged by what its runs know.
    pub by_runs: bool,
    /// What is known of what the quirks alone do that begin or end there.
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

/// What a quirk alone does there.
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
            sides: self.sides.as_ref().map(|[before, after]| [before.answer(), after.answer()]),
            together: self.together.iter().map(|other| ChangeAnswer::of(other, true)).collect(),
            happenings: &self.happenings,
            quirks: self.quirks.iter().map(|quirk| self.quirk(quirk)).collect(),
        }
    }

    fn quirk<'a>(&self, quirk: &'a QuirkEffect) -> QuirkAnswer<'a> {
        let less = |ratio: f64| ratio - 1.0;
        let rest = |ratio: f64| Some((1.0 + self.change.finding.effect?) / ratio - 1.0);
        QuirkAnswer {
            quirk: &quirk.edge.quirk,
            begins: quirk.edge.begins,
            at: &quirk.at,
            run: quirk.run,
            effect: quirk.ratio().map(less),
            interval: quirk.interval().map(|(low, high)| (less(low), less(high))),
            rest: quirk.ratio().and_then(rest),
        }
    }

    /// What part of it is that of quirks, where it is known, and else how that can be known.
    fn of_quirks(&self) -> Vec<String> {
        let told = |quirk: &QuirkEffect| {
            let known = self.quirk(quirk);
            let edge = if known.begins { "beginning" } else { "end" };
            let found = known.effect.map_or_else(|| "cannot be told".to_owned(), effect);
            let range =
                known.interval.map_or_else(String::new, |it| format!(" ({})", interval(it)));
            let rest =
                known.rest.map_or_else(String::new, |it| format!("; what is left: {}", effect(it)));
            format!(
                "the {edge} of the quirk `{}` alone: {found}{range}, side by side at {} in run \
                 {}{rest}",
                known.quirk,
                short_name(known.at),
                known.run
            )
        };
        let environment = &self.change.finding.environment;
        match self.quirks.as_slice() {
            [] if environment.iter().any(|tagged| tagged.tag == Build::QUIRKS) => {
                vec!["to measure what the quirk alone does: tacho quirk effect".to_owned()]
            }
            quirks => quirks.iter().map(told).collect(),
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

    /// What it is.
    fn head(&self) -> String {
        let (change, finding) = (&self.change, &self.change.finding);
        let words = [
            revision_name(&self.revision),
            text::day(self.revision.date),
            self.revision.subject.clone(),
        ];
        let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let range = finding
            .interval
            .map_or_else(String::new, |range| format!(" (95 %: {})", interval(range)));
        format!(
            "{}  {}  {} {}{range}  {}\n  {}\n  {}\n",
            change.name,
            series_name(&change.series, true),
            effect(finding.effect.unwrap_or(f64::INFINITY)),
            verdict_word(verdict_of(change)),
            finding.kind_words(),
            words.join("  "),
            state(change),
        )
    }

    /// Why it is believed, and what speaks against it.
    fn reasons(&self) -> String {
        let finding = &self.change.finding;
        let how_sure = if self.by_runs {
            format!("with {:.0} % a change, by what its runs know", 100.0 * (1.0 - finding.p))
        } else {
            format!(
                "a series like this shows one as clear by chance in {} of cases",
                chance(finding.p)
            )
        };
        let mut reasons = vec![format!(
            "{how_sure}; {}",
            match self.judged {
                1 => "it was judged alone".to_owned(),
                many => format!("{many} series were judged together"),
            },
        )];
        match self.change.life {
            Life::Provisional if finding.missed > 0 => {
                reasons.push(format!(
                    "provisional, and not seen in the last {}",
                    analyses(finding.missed)
                ));
            }
            Life::Provisional => {
                reasons.push(format!(
                    "seen in {} in a row so far: provisional",
                    analyses(finding.seen)
                ));
            }
            Life::Confirmed if finding.missed == 1 => {
                reasons.push("confirmed, but not seen in the last analysis".to_owned());
            }
            Life::Confirmed if finding.missed > 0 => {
                reasons.push(format!(
                    "confirmed, but not seen in the last {}",
                    analyses(finding.missed)
                ));
            }
            Life::Confirmed => reasons.push("confirmed".to_owned()),
            Life::Withdrawn { why } => reasons.push(format!("withdrawn: {}", withdrawal(why))),
        }
        reasons.extend(self.change.again.as_ref().map(again));
        if !self.planned {
            reasons.push("the plan no longer has its series".to_owned());
        }
        if finding.kind == ChangeKind::Environment {
            let changed: Vec<String> = finding.environment.iter().map(TagChange::told).collect();
            let program = if !self.change.is_of_environment() {
                "it is the program"
            } else if finding.is_of_machine() {
                "it is the machine, not the commit"
            } else {
                "it need not be the program"
            };
            reasons.push(format!("{program}: {}", changed.join("; ")));
        }
        if finding.kind == ChangeKind::Build {
            reasons.push(
                "one build differs, which may be its layout alone and not the commit".to_owned(),
            );
        }
        reasons.extend(self.of_quirks());
        if let Some([before, after]) = &self.sides
            && !before.runs.iter().any(|run| after.runs.contains(run))
            && self.change.again.is_none()
        {
            reasons.push(
                "no run has measured both sides: something that is not recorded may differ \
                 between them"
                    .to_owned(),
            );
        }
        reasons.into_iter().map(|reason| format!("  {reason}\n")).collect()
    }

    /// Which commits it may be, and how to go on.
    fn place(&self) -> String {
        let (good, bad) = (self.good.short(), self.bad.short());
        let mut out = match self.commits.len() {
            0 => format!("between {good} and {bad}\n"),
            1 => "the commit\n".to_owned(),
            many => format!("one of {many} commits after {good}, up to {bad}\n"),
        };
        for commit in self.commits.iter().take(COMMITS) {
            out += &self.commit(commit);
        }
        if self.commits.len() > COMMITS {
            out += &format!("  and {} more\n", self.commits.len() - COMMITS);
        }
        if self.change.again.is_none() && tacho_experiment::changes::why_not(&self.change).is_none()
        {
            out += &format!(
                "  to measure both sides again: tacho changes --confirm {}\n",
                self.change.name
            );
        }
        if self.commits.len() > 1 && self.change.finding.kind.is_of_level() {
            out += &format!("  to look for the one: tacho bisect --change {}\n", self.change.name);
        }
        if let [only] = self.commits.as_slice() {
            out += &format!("  to see what it did: tacho show {} --diff\n", short_name(&only.id));
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
        let files: Vec<String> =
            commit.files.iter().take(FILES).map(|file| text::numbered(commit, file)).collect();
        if !files.is_empty() {
            let more = commit.files.len() - files.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            out += &format!("      {}{more}\n", files.join(", "));
        }
        out
    }

    /// What else changed there: the trade-off.
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
                effect(change.finding.effect.unwrap_or(f64::INFINITY)),
                verdict_word(verdict_of(change)).to_owned(),
                state(change),
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
                effect(change.finding.effect.unwrap_or(f64::INFINITY)),
                verdict_word(verdict_of(change)),
                state(change),
            )
        });
        format!("{head}{}", lines.collect::<String>())
    }

    /// What became of it.
    fn story(&self) -> String {
        let line = |(at, happening): (usize, &Happening)| {
            let now = until(&self.happenings[at + 1..]).unwrap_or(&self.change.finding);
            format!("  {}  {}\n", text::moment(happening.at), self.happened(&happening.what, now))
        };
        let lines: String = self.happenings.iter().enumerate().map(line).collect();
        format!("what became of it\n{lines}")
    }

    /// In which words a finding was told until this one was.
    fn was(&self, from: &Finding, now: &Finding) -> String {
        let unit = &self.change.series.metric.unit;
        let words = |what| match what {
            FindingDifference::Ends => {
                format!("after {}, up to {}", short_name(&from.good), short_name(&from.bad))
            }
            FindingDifference::Kind => from.kind_words().to_owned(),
            FindingDifference::Revision => format!("first at {}", short_name(&from.revision)),
            FindingDifference::Size => {
                format!("{} → {}", unit.show(from.before), unit.show(from.after))
            }
        };
        from.otherwise(now).into_iter().map(words).collect::<Vec<_>>().join("; ")
    }

    /// What happened; `now` is what was found from then on.
    fn happened(&self, what: &HappeningKind, now: &Finding) -> String {
        match what {
            HappeningKind::Confirmed { seen: Some(seen) } => {
                format!("confirmed: seen in {} in a row", analyses(*seen))
            }
            HappeningKind::Confirmed { seen: None } => {
                "confirmed: both sides were measured again".to_owned()
            }
            HappeningKind::Fixed { by } => format!("the level came back with {by}"),
            HappeningKind::Found { revision } => format!("found at {}", short_name(revision)),
            HappeningKind::Measured(again) => {
                let RepeatMeasurement { run, samples, differs, .. } = again;
                let verb = match differs {
                    Some(true) => "they differ",
                    Some(false) => "they do not differ",
                    None => "whether they differ cannot be told",
                };
                let found = tacho_report::change::effect(again)
                    .map_or_else(String::new, |found| format!(" ({})", found.shown(effect)));
                format!(
                    "measured again in run {run}, {} on each side{}: {verb}{found}",
                    text::count(*samples as usize, "sample"),
                    tacho_report::change::layouts(again)
                )
            }
            HappeningKind::Moved { from } => {
                format!("told otherwise; until then: {}", self.was(from, now))
            }
            HappeningKind::Said { to, note, .. } if note.is_empty() => {
                format!("marked {}", super::word(*to))
            }
            HappeningKind::Said { to, note, .. } => {
                // What has several lines stays below its date.
                format!("marked {}: {}", super::word(*to), note.trim_end().replace('\n', "\n    "))
            }
            HappeningKind::Unfixed => "the level did not come back after all".to_owned(),
            HappeningKind::Withdrawn { why } => format!("withdrawn: {}", withdrawal(*why)),
        }
    }
}

/// What was found until the first of these times at which it was told otherwise.
fn until(happenings: &[Happening]) -> Option<&Finding> {
    happenings.iter().find_map(|happening| match &happening.what {
        HappeningKind::Moved { from } => Some(from.as_ref()),
        _ => None,
    })
}

/// What measuring both sides again said.
fn again(again: &RepeatMeasurement) -> String {
    let said = match again.differs {
        Some(true) => "both sides differ side by side as well",
        Some(false) => "side by side both sides do not differ",
        None => "whether both sides differ side by side could not be told",
    };
    let numbers = tacho_report::change::effect(again).map_or_else(String::new, |found| {
        format!(
            ": {}{}",
            found.shown(effect),
            again.interval.map_or_else(String::new, |it| format!(" ({})", interval(it)))
        )
    });
    format!("measured again{}: {said}{numbers}", tacho_report::change::layouts(again))
}

/// A p value as a share that people can read.
fn chance(p: f64) -> String {
    if p < 1e-4 { "less than 0.01 %".to_owned() } else { format!("{:.2} %", 100.0 * p) }
}

fn analyses(number: u32) -> String {
    if number == 1 { "1 analysis".to_owned() } else { format!("{number} analyses") }
}
