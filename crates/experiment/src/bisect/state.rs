//! The state of a bisection, without what is concluded from it.

use std::collections::BTreeMap;

use tacho_record::bisection::{BisectedEffect, Candidate, StepResult};
use tacho_record::{Bisection, Digest, Disturbance};
use tacho_stats::bisect as stats;

/// The result of a bisection.
#[derive(Clone, Debug)]
pub struct BisectionResult {
    /// The bisection, as it is kept.
    pub bisection: Bisection,
    /// Whether the user stopped it: the same question resumes from there.
    pub interrupted: bool,
    /// Samples taken by this session.
    pub samples: usize,
    /// Whether it was finished before, so that nothing was measured now.
    pub known: bool,
}

/// The observations of the end beside the main line.
#[derive(Clone, Debug)]
pub(super) struct OffMainlineState {
    /// Its full name.
    pub(super) name: String,
    pub(super) artifact: Option<Digest>,
    /// Why it has no values.
    pub(crate) unusable: Option<String>,
    /// The bisector of the first candidate and the end itself.
    pub(crate) both: stats::Bisector,
    /// Why nothing is measured any more.
    pub(crate) given_up: Option<&'static str>,
}

/// The state of the revisions that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SkippedState {
    /// They are added if a culprit is named right after them.
    #[default]
    Asked,
    /// They stay so: no more may be spent on them.
    Spent,
    /// They stay left out: they were added without a result.
    Unknown,
}

/// The candidates without those that were taken up.
pub(super) fn left_out_again(candidates: &[Candidate]) -> Vec<Candidate> {
    let kept = |chunk: &[Candidate]| match chunk.split_last() {
        Some((kept, taken_up)) if !taken_up.is_empty() => {
            let before = taken_up.iter().map(|it| it.revision.clone()).collect();
            Candidate::after(kept.revision.clone(), before)
        }
        _ => chunk[0].clone(),
    };
    with_left_out(candidates).map(kept).collect()
}

/// The samples under disturbances.
#[derive(Clone, Debug, Default)]
pub(super) struct DisturbanceSamples {
    values: BTreeMap<(usize, Disturbance), Vec<f64>>,
    /// How many of these reached a limit.
    pub(crate) limited: BTreeMap<(usize, Disturbance), u32>,
    /// The artifacts of candidates.
    pub(super) artifacts: BTreeMap<(usize, Disturbance), Digest>,
    /// Why there are no values.
    pub(crate) refused: BTreeMap<(usize, Disturbance), String>,
}

impl DisturbanceSamples {
    pub(super) fn add(&mut self, place: usize, under: Disturbance, seen: &StepResult) {
        match seen {
            StepResult::Built { artifact } => {
                self.artifacts.insert((place, under), *artifact);
            }
            StepResult::Samples { values, limited, .. } => {
                self.values.entry((place, under)).or_default().extend(values);
                let count = u32::try_from(limited.len()).unwrap_or(u32::MAX);
                *self.limited.entry((place, under)).or_default() += count;
            }
            StepResult::Unusable(lack) => {
                self.refused.insert((place, under), lack.why.clone());
            }
        }
    }

    pub(crate) fn of(&self, place: usize, under: Disturbance) -> &[f64] {
        self.values.get(&(place, under)).map_or(&[], Vec::as_slice)
    }
}

pub(super) fn effect(effect: stats::EffectEstimate) -> BisectedEffect {
    BisectedEffect { estimate: effect.estimate, interval: effect.interval }
}

/// The added revisions, each group with the candidate after it.
pub(super) fn with_left_out(candidates: &[Candidate]) -> impl Iterator<Item = &[Candidate]> {
    candidates.chunk_by(|one, _| one.taken_up)
}
