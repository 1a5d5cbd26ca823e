//! Bisections: which revision changed a metric, and how sure.
//!
//! What is alike in `stats::bisect` has no form in files: `experiment::bisect` makes these from it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Digest, Revision};

mod account;
mod budget;
mod by_cpu;
mod command;
mod constant;
mod culprit_set;
mod effect;
mod host_activity;
mod lack_of_values;
mod merge;
mod merges;
mod off_mainline;
mod probe;
mod request;
mod spent;
mod typed_subject;

pub use by_cpu::ByCpu;
pub use constant::{Constant, excluded_rate};
pub use culprit_set::CulpritSet;
pub use effect::{BisectedEffect, ResidualEffect, ResidualFinding};
pub use host_activity::{HostActivity, HostReadings};
pub use lack_of_values::{LackCause, LackOfValues, UnusableKind};
pub use merge::Merge;
pub use off_mainline::{OffMainline, OffMainlineFinding};
pub use probe::{Probe, ProbeOutcome};
pub use request::{BisectionRequest, ValueComparison, ValueSource};
pub use spent::BisectionCost;
pub use typed_subject::TypedSubject;

/// A bisection, finished or under way, as it is kept and as `--json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bisection {
    /// Its name; no other bisection of the store has it.
    pub name: String,
    /// The number of the run that its samples are kept under.
    pub run: i64,
    /// The host's name.
    pub host: String,
    /// When it began.
    pub started: Timestamp,
    /// The request.
    pub asked: BisectionRequest,
    /// The revisions that may be the cause and both ends, in order of history; the first is the
    /// earlier end.
    pub candidates: Vec<Candidate>,
    /// How far it has come.
    pub standing: BisectionState,
}

impl Bisection {
    /// The place of a revision among the candidates, by its full name.
    #[must_use]
    pub fn place(&self, revision: &str) -> Option<usize> {
        self.candidates.iter().position(|candidate| candidate.revision.id == revision)
    }
}

/// A revision that may be the cause, or an end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The candidate's revision.
    #[serde(flatten)]
    pub revision: Revision,
    /// How many revisions right before it are left out, since they touch none of the plan's paths.
    pub left_out: usize,
    /// The revisions left out right before the candidate, in order of history; empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Revision>,
    /// Whether the candidate was left out at first, and added after a later one was named.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub taken_up: bool,
}

impl Candidate {
    /// A candidate with no revision left out right before it.
    #[must_use]
    pub fn new(revision: Revision) -> Self {
        Self::after(revision, Vec::new())
    }

    /// A revision right before which these are left out.
    #[must_use]
    pub fn after(revision: Revision, before: Vec<Revision>) -> Self {
        Self { revision, left_out: before.len(), before, taken_up: false }
    }
}

/// The stage of a bisection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// The bisection has ended.
    Finished,
    /// The verified culprits are measured under disturbances.
    Probing,
    /// Both ends are measured until a change is certain or excluded.
    Proving,
    /// The revision is looked for.
    Searching,
    /// The culprit that was found is measured again.
    Verifying,
}

/// How a bisection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "finding", rename_all = "kebab-case")]
pub enum BisectionEnd {
    /// Culprits are named and verified, but the effect depends on the state of the machine.
    DependsOnMachine,
    /// The ends do not differ by what was requested, here and now.
    NotReproduced,
    /// The suspects are all that can be said.
    Undecided {
        /// Why.
        reason: UndecidedReason,
    },
    /// Culprits are named and verified.
    Verified,
}

/// Why nothing was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UndecidedReason {
    /// The budget, or the number of builds, is spent.
    Budget,
    /// Builds differ among themselves too much to distinguish one revision from its neighbours.
    Builds,
    /// The command fails in the same way at both ends, so the cause is probably not the revision.
    Command,
    /// No usable revision was found near an end, or an end failed later.
    End,
    /// No further measurement would help.
    Exhausted,
    /// Samples vary too much: many of both ends do not show whether anything changed.
    Noise,
    /// Fresh samples did not confirm what the search had found, several times.
    NotConfirmed,
}

/// How far a bisection has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectionState {
    /// When it was last worked on.
    pub updated: Timestamp,
    /// The current stage.
    pub stage: Stage,
    /// How it ended; absent before.
    pub found: Option<BisectionEnd>,
    /// The usable ends, by place among the candidates: not those given where they could not be
    /// used.
    pub ends: (usize, usize),
    /// How likely it is that nothing changed.
    pub nothing: f64,
    /// How likely each stretch of candidates is to hold the cause, in order of history; all of
    /// them, and `nothing`, are 1 together.
    pub belief: Vec<Suspects>,
    /// The named and verified culprits, in the order of verification.
    pub culprits: Vec<Culprit>,
    /// Whether the culprits' effects persist under other circumstances, if that was requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<Probe>,
    /// The smallest set that holds the cause with 95 %, likeliest first. With verified culprits:
    /// the culprits that represent a set, with all candidates of the set and the revisions left out
    /// right before them.
    pub suspects: Vec<Suspects>,
    /// If all changes are requested: the result on each side of the culprits, in order of history.
    /// Only sides that hold no other culprit have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<CulpritSide>,
    /// The result of the earlier end as it was named, where it is no candidate; absent as long as
    /// it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<OffMainline>,
    /// The change from end to end.
    pub change: Option<BisectedEffect>,
    /// The part of that change that the verified culprits do not explain.
    pub left_over: Option<BisectedEffect>,
    /// Whether the unexplained part is too large to be chance.
    pub more: bool,
    /// All revisions that have values, in order of history.
    pub ladder: Vec<TestedRevision>,
    /// All revisions that have none, and why.
    pub unusable: Vec<UnusableRevision>,
    /// How likely it is that the host drifted meanwhile; 0 of a metric without noise.
    pub drift: f64,
    /// How far builds vary here, as a standard deviation on the scale of `least`; only where that
    /// is why nothing was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_builds: Option<f64>,
    /// The difference of both ends in the CPU time of the same samples; present only if their wall
    /// time does not show whether anything changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<BisectedEffect>,
    /// Busy time by wall time of the samples of both ends; only where wall time does not show
    /// whether anything changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy_share: Option<f64>,
    /// Why levels and effects are those of the CPU time although wall time was requested; absent
    /// where they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_cpu: Option<ByCpu>,
    /// Builds made.
    pub builds: usize,
    /// Samples taken.
    pub samples: usize,
    /// Seconds spent on builds.
    pub building: f64,
    /// Seconds spent on executions, hooks included.
    pub executing: f64,
}

impl BisectionState {
    /// Whether a side of a culprit may hold another change, where all changes were requested.
    #[must_use]
    pub fn has_open_sides(&self) -> bool {
        self.sides.iter().any(CulpritSide::is_open)
    }

    /// Whether this reason left the bisection undecided because no revision could be measured.
    #[must_use]
    pub fn is_unmeasurable(&self, reason: UndecidedReason) -> bool {
        match reason {
            UndecidedReason::Command => true,
            UndecidedReason::End => self.ladder.is_empty(),
            _ => false,
        }
    }

    /// The named and verified culprits, in order of history.
    #[must_use]
    pub fn culprits_by_place(&self) -> Vec<&Culprit> {
        let mut all: Vec<&Culprit> = self.culprits.iter().collect();
        all.sort_by_key(|it| it.place);
        all
    }

    /// The longest row of candidates of a side that were not measured: a change that was undone
    /// within the row is not seen.
    #[must_use]
    pub fn unseen_in(&self, side: &CulpritSide) -> usize {
        let reach = side.first.saturating_sub(1)..=side.last;
        let places = self.ladder.iter().flat_map(TestedRevision::places);
        let mut known: Vec<usize> = places.filter(|place| reach.contains(place)).collect();
        known.sort_unstable();
        known.windows(2).map(|pair| pair[1] - pair[0] - 1).max().unwrap_or(0)
    }
}

/// A revision that did it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Culprit {
    /// The first usable revision that has the change, by place among the candidates.
    pub place: usize,
    /// Its full name.
    pub revision: String,
    /// The last revision known to be without it, by place. The candidates between both have no
    /// values, and those that are left out were never asked: any of them may be the cause
    /// ([`Bisection::others`]).
    pub parent_place: usize,
    /// The parent's full name.
    pub parent: String,
    /// How likely it is, with those that may be the cause in its place, of all revisions and *no
    /// change*.
    pub posterior: f64,
    /// The change from the parent to the culprit.
    pub effect: BisectedEffect,
    /// How many fresh pairs of both verified it.
    pub pairs: usize,
    /// How many further builds beside it were asked whether it is more than layout.
    pub neighbours: usize,
}

/// Candidates of which one may have done it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suspects {
    /// The first that may be the cause, by place.
    pub first: usize,
    /// The last, by place: the first known to have the change.
    pub last: usize,
    /// How likely it is that the cause is among them.
    pub posterior: f64,
}

/// The result of the candidates on one side of a culprit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CulpritSide {
    /// The first of them, by place: the one before it was measured, and is not in question.
    pub first: usize,
    /// The last, by place.
    pub last: usize,
    /// No candidate changed as much as requested, or the reason why that is undecided.
    #[serde(flatten)]
    pub found: BisectionEnd,
    /// If undecided: the smallest set that holds a cause, likeliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspects>,
}

impl CulpritSide {
    /// Whether this side may hold a change that is not named.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.found, BisectionEnd::Undecided { .. })
    }
}

/// A revision that has values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestedRevision {
    /// Its place among the candidates.
    pub place: usize,
    /// Its full name.
    pub revision: String,
    /// The place of the last candidate right after it that is known to be the same program; the
    /// candidate's own place if there is no such candidate.
    pub same_to: usize,
    /// The places of all others that are the same program, after a change that was reverted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<usize>,
    /// How many samples it has.
    pub samples: usize,
    /// Their median, in the metric's base unit; of failures their share.
    pub level: f64,
    /// The standard error of the level: of ratios relative, else in the base unit; 0 of a metric
    /// without noise.
    pub error: f64,
    /// How many of its samples reached a limit: what they took is at least what was read.
    #[serde(default, skip_serializing_if = "is_none")]
    pub limited: u32,
    /// Whether the level is only a lower bound, since samples that reached a limit may be above it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_bound: bool,
    /// The host's activity meanwhile; absent if no sample has readings of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<HostActivity>,
    /// How the last execution failed, where failures are compared and one failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl TestedRevision {
    /// Whether the candidate at this place is this program.
    #[must_use]
    pub fn is_of(&self, place: usize) -> bool {
        (self.place..=self.same_to).contains(&place) || self.also.contains(&place)
    }

    /// Whether the candidate at this place was built to this program: the candidates between two
    /// such places count as the same program and need no build.
    #[must_use]
    pub fn is_built_at(&self, place: usize) -> bool {
        [self.place, self.same_to].contains(&place) || self.also.contains(&place)
    }

    /// The places of all candidates that are this program.
    fn places(&self) -> impl Iterator<Item = usize> {
        (self.place..=self.same_to).chain(self.also.iter().copied())
    }
}

/// Whether a count is 0, so that files leave it out.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_none(number: &u32) -> bool {
    *number == 0
}

/// A revision that has no values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnusableRevision {
    /// Its place among the candidates.
    pub place: usize,
    /// Its full name.
    pub revision: String,
    /// Why it has none.
    #[serde(flatten)]
    pub lack: LackOfValues,
}

/// One step of a bisection, as it is kept. A bisection is resumed by replaying these in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectionStep {
    /// Its number, counted from 1: the round of its samples.
    pub number: u32,
    /// When it was over.
    pub at: Timestamp,
    /// The revision's full name.
    pub revision: String,
    /// Seconds that building took now; absent where there was a build already.
    pub build: Option<f64>,
    /// Seconds that its executions took, hooks included.
    pub executing: f64,
    /// The disturbance, absent in the usual conditions. The result holds for that disturbance only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<crate::Disturbance>,
    /// The result.
    #[serde(flatten)]
    pub seen: StepResult,
}

/// The result of a step for one revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "seen", rename_all = "kebab-case")]
pub enum StepResult {
    /// The revision is built.
    Built {
        /// The digest of its artifacts.
        artifact: Digest,
    },
    /// One value for each execution.
    Samples {
        /// In the metric's base unit.
        values: Vec<f64>,
        /// The indices, from 0, of the values that are lower bounds since a limit was reached.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        limited: Vec<usize>,
        /// The readings of the host during each execution; empty if there were no readings.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        host: Vec<HostReadings>,
        /// How the last execution failed, where failures are compared and one failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<String>,
    },
    /// The revision has no values.
    Unusable(LackOfValues),
}

impl StepResult {
    /// Samples with these values and nothing else.
    #[must_use]
    pub fn of_values(values: Vec<f64>) -> Self {
        Self::Samples { values, limited: Vec::new(), host: Vec::new(), failure: None }
    }
}
