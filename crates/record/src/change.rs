//! Changes: places in a series where its level or spread changes, with their life and the user's
//! judgement.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Build, ChangeState, Digest, Direction, Life, SeriesKey};

/// A change of a series, as it is kept: it was found once, was confirmed or withdrawn since, and
/// keeps its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Its name, [made](change_name) when it was found; no other change of the store has it.
    pub name: String,
    /// The series.
    pub series: SeriesKey,
    /// When it was found.
    pub found: Timestamp,
    /// The finding of the last analysis that saw the change.
    pub finding: Finding,
    /// The state that the analyses gave it.
    pub life: Life,
    /// The user's word, which no analysis ever touches.
    pub word: ChangeState,
    /// The user's note; empty if there is no note.
    pub note: String,
    /// The name of the later change with which the level came back, if it did.
    pub fixed_by: Option<String>,
    /// The last result of measuring both sides again, if that was done.
    pub again: Option<RepeatMeasurement>,
    /// The name of the bisection that named its commit, if any. The revisions are then this commit
    /// and its parent. The bisection is the source; the name is not kept with the change.
    #[serde(default, skip_serializing)]
    pub named_by: Option<String>,
    /// For a change at a merge: the merge's commit that a bisection named, if any. The bisection is
    /// the source; the commit is not kept with the change.
    #[serde(default, skip_serializing)]
    pub of_merge: Option<CommitOfMerge>,
    /// The residual effect of a change that was fixed: the level after the fix over the level
    /// before the change, minus 1. The fix is another change; this value is not kept with this one.
    #[serde(default, skip_serializing)]
    pub left: Option<f64>,
    /// The full names of the commits between both sides that gave the same program as their
    /// predecessor, so the change is at none of them. The builds are the source; the names are not
    /// kept with the change.
    #[serde(default, skip_serializing)]
    pub same_program: Vec<String>,
}

/// The commit of a merge that made a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitOfMerge {
    /// Its full name.
    pub revision: String,
    /// The first line of its message.
    pub subject: String,
    /// The name of the bisection that named it.
    pub bisection: String,
}

/// The result of measuring both sides of a change again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatMeasurement {
    /// The number of the run that did.
    pub run: i64,
    /// How many samples each side got, of the side that got fewer.
    pub samples: u32,
    /// Whether the sides differ; absent if the samples are not conclusive.
    pub differs: Option<bool>,
    /// The level after by that before, minus 1, of these samples alone.
    pub effect: Option<f64>,
    /// The 95 % interval of the effect.
    pub interval: Option<(f64, f64)>,
    /// The numbers of samples before and after the change that reached a limit, if they make the
    /// effect a bound only.
    #[serde(default, skip_serializing_if = "is_none")]
    pub limited: [u32; 2],
    /// In how many layouts each side was executed, of the side that had fewer; 0 where each was one
    /// build.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub layouts: u32,
    /// Whether each execution got an environment of another size, since only one build differed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub environments: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_none(limited: &[u32; 2]) -> bool {
    *limited == [0, 0]
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(layouts: &u32) -> bool {
    *layouts == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_false(environments: &bool) -> bool {
    !environments
}

impl Change {
    /// The user's word, or *fixed* where the level came back and no other reason was given.
    #[must_use]
    pub fn state(&self) -> ChangeState {
        match self.word {
            ChangeState::New | ChangeState::Acknowledged if self.fixed_by.is_some() => {
                ChangeState::Fixed
            }
            word => word,
        }
    }

    /// Whether the environment changed at the revision, and nothing shows that the program did too.
    #[must_use]
    pub fn is_of_environment(&self) -> bool {
        self.finding.kind == ChangeKind::Environment && !self.differs_again()
    }

    /// Whether other work on the host explains the change, and nothing shows that the program
    /// changed too. Such a change is reported and blamed on no commit.
    #[must_use]
    pub fn is_of_other_work(&self) -> bool {
        self.is_of_environment() && self.finding.is_of_other_work()
    }

    /// Whether both sides were measured again, and differed.
    #[must_use]
    pub fn differs_again(&self) -> bool {
        self.again.as_ref().is_some_and(|again| again.differs == Some(true))
    }

    /// The result of measuring both sides again, if they still differ: this result then gives the
    /// size of the change.
    #[must_use]
    pub fn confirmation(&self) -> Option<&RepeatMeasurement> {
        self.again.as_ref().filter(|again| again.differs == Some(true) && again.effect.is_some())
    }

    /// Its size: the level after by that before, minus 1, of both sides measured again where they
    /// still differ, else as it was found; absent where the level before is 0.
    #[must_use]
    pub fn effect(&self) -> Option<f64> {
        self.confirmation().map_or(self.finding.effect, |again| again.effect)
    }

    /// The 95 % interval of the size.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.confirmation().map_or(self.finding.interval, |again| again.interval)
    }

    /// Whether it is sure: confirmed, or its interval, if it has one, is on one side of 0.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.differs_again() || self.finding.is_sure()
    }

    /// Whether only one build differed at first, and other layouts showed that the program differs.
    #[must_use]
    pub fn is_settled_by_layouts(&self) -> bool {
        let settled = |again: &RepeatMeasurement| again.environments && again.differs == Some(true);
        self.finding.kind != ChangeKind::Build && self.again.as_ref().is_some_and(settled)
    }

    /// Whether measuring the change again needs other layouts, since one build alone differs or
    /// differed.
    #[must_use]
    pub fn asks_for_layouts(&self) -> bool {
        self.finding.kind == ChangeKind::Build
            || self.again.as_ref().is_some_and(|again| again.environments)
    }

    /// Whether the change is good. A wider spread is never good, whatever the metric's direction.
    #[must_use]
    pub fn verdict(&self) -> ChangeVerdict {
        let finding = &self.finding;
        let is_spread = finding.kind == ChangeKind::Spread;
        let better = if is_spread { Direction::Lower } else { self.series.metric.better };
        ChangeVerdict::of(finding.after > finding.before, better)
    }

    /// The verdict in words: `probably worse` if the interval contains 0, and no judgement if other
    /// work on the host explains the change.
    #[must_use]
    pub fn verdict_words(&self) -> String {
        if self.is_of_other_work() {
            return "probably the host".to_owned();
        }
        let probably = if self.is_sure() { "" } else { "probably " };
        format!("{probably}{}", self.verdict().word())
    }

    /// Whether the change is not withdrawn.
    #[must_use]
    pub fn is_active(&self) -> bool {
        !matches!(self.life, Life::Withdrawn { .. })
    }

    /// Whether the change is not withdrawn, and is confirmed or was seen by the last analysis. Only
    /// such changes mark a chart.
    #[must_use]
    pub fn is_seen(&self) -> bool {
        self.is_active() && (self.finding.missed == 0 || self.life == Life::Confirmed)
    }
}

/// Whether a change is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeVerdict {
    /// The metric got better.
    Better,
    /// The metric got worse.
    Worse,
}

impl ChangeVerdict {
    /// The verdict on a level that rises or falls.
    #[must_use]
    pub fn of(rises: bool, better: Direction) -> Self {
        if rises == (better == Direction::Higher) { Self::Better } else { Self::Worse }
    }

    /// In a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
        }
    }
}

/// The finding of an analysis at one place of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The full name of the revision that is most likely the first at the new level.
    pub revision: String,
    /// The last measured revision that is surely at the old level. The change is after this one …
    pub good: String,
    /// … up to and including this one: the last measured revision that may be the first at the new
    /// level.
    pub bad: String,
    /// The level before, in the metric's base unit; for a change of spread that spread.
    pub before: f64,
    /// The level after.
    pub after: f64,
    /// The level after by that before, minus 1; absent where the level before is 0.
    pub effect: Option<f64>,
    /// The 95 % interval of the effect.
    pub interval: Option<(f64, f64)>,
    /// How often a series like this without any change would show one as clear somewhere.
    pub p: f64,
    /// What kind of change it is.
    pub kind: ChangeKind,
    /// The tags of the environment that changed at the same place.
    #[serde(default)]
    pub environment: Vec<TagChange>,
    /// How many revisions of the series had values when it was seen.
    pub points: u32,
    /// In how many analyses in a row it was seen, each with samples of another run, up to the last
    /// one that saw it.
    pub seen: u32,
    /// In how many it was not seen since.
    pub missed: u32,
}

impl Finding {
    /// A change with at least this probability is reported without its probability.
    const LIKELY: f64 = 0.95;

    /// Whether its interval, if it has one, is on one side of 0.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        !self.interval.is_some_and(|(low, high)| low <= 0.0 && 0.0 <= high)
    }
}

/// A difference between two findings of the same change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingDifference {
    /// The range of possible revisions.
    Ends,
    /// The kind of change.
    Kind,
    /// The most likely first revision.
    Revision,
    /// How much it is.
    Size,
}

impl Finding {
    /// Its kind in words: `step`, `probably temporary increase`.
    #[must_use]
    pub fn kind_words(&self) -> String {
        if self.is_of_machine() {
            return "machine".to_owned();
        }
        if self.is_of_other_work() {
            return "busy host".to_owned();
        }
        if self.is_of_recipe() {
            return "build recipe".to_owned();
        }
        self.kind.likely_words(self.after > self.before, self.p)
    }

    /// Whether the machine itself became faster or slower with it.
    #[must_use]
    pub fn is_of_machine(&self) -> bool {
        self.kind == ChangeKind::Environment
            && self.environment.iter().any(|tagged| tagged.tag == TagChange::MACHINE)
    }

    /// Whether the change is in the time that the subject waited for a CPU used by other work.
    #[must_use]
    pub fn is_of_other_work(&self) -> bool {
        self.kind == ChangeKind::Environment
            && self.environment.iter().any(|tagged| tagged.tag == TagChange::OTHER_WORK)
    }

    /// Whether the plan's build recipe was edited with it.
    #[must_use]
    pub fn is_of_recipe(&self) -> bool {
        self.kind == ChangeKind::Environment
            && self.environment.iter().any(|tagged| tagged.tag == TagChange::RECIPE)
    }

    /// How likely it is a change, where that is less than 95 %: 0.88.
    #[must_use]
    pub fn doubtful_likelihood(&self) -> Option<f64> {
        Some(1.0 - self.p).filter(|likely| *likely < Self::LIKELY)
    }

    /// The differences between this finding and `now`; the size if nothing else differs.
    #[must_use]
    pub fn otherwise(&self, now: &Self) -> Vec<FindingDifference> {
        let differs = [
            (FindingDifference::Revision, self.revision != now.revision),
            (FindingDifference::Ends, self.good != now.good || self.bad != now.bad),
            (FindingDifference::Kind, self.kind != now.kind),
        ];
        let mut all: Vec<FindingDifference> =
            differs.into_iter().filter(|(_, is)| *is).map(|(what, _)| what).collect();
        if all.is_empty() {
            all.push(FindingDifference::Size);
        }
        all
    }
}

/// Something of the environment that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagChange {
    /// The name of the tag: `kernel`, `compiler`.
    pub tag: String,
    /// The value before.
    pub before: String,
    /// The value after.
    pub after: String,
}

impl TagChange {
    /// The tag of the machine itself: it became faster or slower, by what `after` says.
    pub const MACHINE: &'static str = "machine";
    /// The tag of the build recipe of the plan.
    pub const RECIPE: &'static str = "build command";
    /// The tag of other work on the host, for which the program waited: by what `after` says.
    pub const OTHER_WORK: &'static str = "other work";

    /// The difference at the change, as the end of a sentence: ``the quirk `libc` begins here``.
    #[must_use]
    pub fn described(&self) -> String {
        let Self { tag, before, after } = self;
        if tag == Build::QUIRKS {
            quirk_words(before, after)
        } else if tag == Self::MACHINE {
            format!("the machine changed here: {after}")
        } else if tag == Self::OTHER_WORK {
            after.clone()
        } else {
            format!("the {tag} changed here too: {before}, then {after}")
        }
    }
}

/// Which quirks begin and end between two lists of their names.
fn quirk_words(before: &str, after: &str) -> String {
    let names = |list: &str| -> Vec<String> {
        list.split(", ")
            .filter(|&name| name != Build::NO_QUIRKS)
            .map(|name| format!("`{name}`"))
            .collect()
    };
    let (old, new) = (names(before), names(after));
    let worded = |mut names: Vec<String>, others: &[String], verb: &str| {
        names.retain(|name| !others.contains(name));
        match names.as_slice() {
            [] => None,
            [name] => Some(format!("the quirk {name} {verb}s here")),
            names => Some(format!("the quirks {} {verb} here", names.join(", "))),
        }
    };
    let all: Vec<String> = [worded(old.clone(), &new, "end"), worded(new, &old, "begin")]
        .into_iter()
        .flatten()
        .collect();
    if all.is_empty() {
        "the quirks act in another order from here on".to_owned()
    } else {
        all.join(", ")
    }
}

/// Kinds of changes as they are kept, made from `stats::changes::Kind`, which has no form in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// One side is a single build, which may differ by its layout alone and not by the commit.
    Build,
    /// The level came back after a temporary change.
    DipEnd,
    /// The level changed for a few revisions only: a temporary change.
    DipStart,
    /// The level changed where the environment changed as well: it need not be the program.
    Environment,
    /// Values go to and fro between levels; the share of one of them changed.
    ModeShare,
    /// The spread of the values changed, not their level.
    Spread,
    /// The level changed for good, or for long.
    Step,
}

impl ChangeKind {
    /// A change that is false with at most this probability is reported without *probably*.
    const SURE: f64 = 0.2;

    /// Whether the level changed, and not the spread.
    #[must_use]
    pub fn is_of_level(self) -> bool {
        !matches!(self, Self::ModeShare | Self::Spread)
    }

    /// The kind in words, where there is no change with the probability `p`: above 20 % it is
    /// *probably* one.
    #[must_use]
    pub fn likely_words(self, rises: bool, p: f64) -> String {
        let words = self.words(rises);
        if p > Self::SURE { format!("probably {words}") } else { words.to_owned() }
    }

    /// The kind in words, of a change that rises or falls.
    #[must_use]
    pub const fn words(self, rises: bool) -> &'static str {
        match (self, rises) {
            (Self::Build, _) => "single build",
            (Self::DipStart, true) => "temporary increase",
            (Self::DipStart, false) => "temporary decrease",
            (Self::DipEnd, false) => "increase ends",
            (Self::DipEnd, true) => "decrease ends",
            (Self::Environment, _) => "environment",
            (Self::ModeShare, _) => "share of a mode",
            (Self::Spread, _) => "spread",
            (Self::Step, _) => "step",
        }
    }
}

/// A name made from a seed, short and to be spoken: `lodare`. Further attempts give further names,
/// for when the first is taken.
#[must_use]
pub fn change_name(seed: Digest, attempt: u32) -> String {
    const BEGINS: &[u8] = b"bdfghklmnprstvz";
    const ENDS: &[u8] = b"aeiou";
    let bytes = Digest::of([seed.as_bytes().as_slice(), &attempt.to_le_bytes()].concat());
    let letter = |letters: &[u8], byte: u8| char::from(letters[usize::from(byte) % letters.len()]);
    let syllable = |pair: &[u8]| [letter(BEGINS, pair[0]), letter(ENDS, pair[1])];
    bytes.as_bytes()[..6].chunks_exact(2).flat_map(syllable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_depends_on_nothing_but_its_seed() {
        let seed = Digest::of("parse wall lab 0123");
        assert_eq!(
            (change_name(seed, 0), change_name(seed, 1)),
            ("zurepi".into(), "bagusa".into())
        );
    }

    #[test]
    fn names_hardly_ever_meet() {
        let names: std::collections::HashSet<String> =
            (0..1000_u32).map(|n| change_name(Digest::of(n.to_le_bytes()), 0)).collect();
        assert!(names.len() >= 995, "{}", names.len());
        assert!(
            names
                .iter()
                .all(|name| name.len() == 6 && name.bytes().all(|byte| byte.is_ascii_lowercase()))
        );
    }

    #[test]
    fn what_changed_with_it_is_told_in_words() {
        let worded = |tag: &str, before: &str, after: &str| {
            TagChange { tag: tag.into(), before: before.into(), after: after.into() }.described()
        };
        assert_eq!(worded("kernel", "6.1", "6.2"), "the kernel changed here too: 6.1, then 6.2");
        assert_eq!(worded("quirks", "none", "libc"), "the quirk `libc` begins here");
        assert_eq!(worded("quirks", "libc", "none"), "the quirk `libc` ends here");
        assert_eq!(
            worded("quirks", "a, b", "b, c, d"),
            "the quirk `a` ends here, the quirks `c`, `d` begin here"
        );
        assert_eq!(
            worded("quirks", "a, b", "b, a"),
            "the quirks act in another order from here on"
        );
    }

    #[test]
    fn what_is_not_sure_is_probably_a_change() {
        let words = |p: f64| ChangeKind::Step.likely_words(true, p);
        assert_eq!((words(0.33), words(0.1)), ("probably step".to_owned(), "step".to_owned()));
    }
}
