//! The earlier end as it was named, where the main line of the later one does not pass through it:
//! no candidate, but measured beside the first of them, once the ends of the main line are proven
//! or excluded.
//!
//! A difference of the two is proved and verified as in a bisection of these two.

use tacho_record::bisection::{BisectionStep, OffMainline, OffMainlineFinding, StepResult};
use tacho_stats::bisect::{
    BisectionRules, Bisector, BisectorFinding, BisectorStage, BisectorState, BuildVariation,
    NextStep, Observation, ObservedValues,
};

use super::Fold;
use crate::bisect::state::{OffMainlineState, effect};

/// Why nothing more is measured beside the candidates.
pub(super) const OUT_OF_BUILDS: &str = "the limit of builds is reached";

impl OffMainlineState {
    /// The end of this name, by the rules of the bisection to which it belongs.
    pub(super) fn named(name: &str, rules: BisectionRules) -> Option<Self> {
        // No neighbours show how far builds differ.
        let builds = if rules.builds == BuildVariation::Unknown {
            BuildVariation::Alike
        } else {
            rules.builds
        };
        let both = Bisector::new(BisectionRules { builds, budget: None, all: false, ..rules }, 2)?;
        Some(Self { name: name.to_owned(), artifact: None, unusable: None, both, given_up: None })
    }

    /// Takes up a step of it.
    fn take(&mut self, observed: &BisectionStep) {
        match &observed.seen {
            StepResult::Built { artifact } => self.artifact = Some(*artifact),
            StepResult::Unusable(lack) => self.unusable = Some(lack.why.clone()),
            StepResult::Samples { values, .. } => self.observe(1, values, observed),
        }
    }

    fn observe(&mut self, revision: usize, values: &[f64], observed: &BisectionStep) {
        let seen = ObservedValues::Samples(values.to_vec());
        let BisectionStep { build, executing, .. } = *observed;
        self.both.observe(&Observation { revision, seen, build, executing });
    }

    fn samples(&self) -> usize {
        let of_itself = |rung: &tacho_stats::bisect::RevisionEstimate| rung.revision == 1;
        let BisectorState { outcome, .. } = self.both.standing();
        outcome.ladder.iter().find(|rung| of_itself(rung)).map_or(0, |rung| rung.samples)
    }
}

impl Fold {
    /// The place of the end beside the main line: after all candidates.
    pub(super) fn aside_place(&self) -> usize {
        self.names.len()
    }

    /// The full name of a candidate, or of the end beside the main line.
    pub(super) fn name(&self, place: usize) -> &str {
        let aside = || self.aside.as_ref().map_or("", |aside| aside.name.as_str());
        self.names.get(place).map_or_else(aside, String::as_str)
    }

    /// The next revision and number of samples, if the end beside the main line is to be measured
    /// now.
    pub(super) fn next_of_aside(&self) -> Option<(usize, usize)> {
        let aside = self.aside.as_ref().filter(|_| self.asks_aside())?;
        if aside.artifact.is_none() && self.by_artifact {
            return Some((self.aside_place(), 1));
        }
        let NextStep::Measure(portions) = aside.both.next() else { return None };
        let portion = portions.first()?;
        let place = if portion.revision == 0 { self.first_usable() } else { self.aside_place() };
        Some((place, portion.samples))
    }

    /// Takes up a step if it is one of the end beside the main line. While that is asked, what is
    /// seen of the first candidate holds for both.
    pub(super) fn take_aside(&mut self, observed: &BisectionStep) {
        let is_first = self.names.get(self.first_usable()) == Some(&observed.revision);
        let asks = self.asks_aside() && observed.under.is_none();
        let Some(aside) = &mut self.aside else { return };
        match &observed.seen {
            _ if aside.name == observed.revision => aside.take(observed),
            StepResult::Samples { values, .. } if is_first && asks => {
                aside.observe(0, values, &BisectionStep { build: None, ..observed.clone() });
            }
            _ => {}
        }
    }

    /// Leaves it at what is known: no more may be spent on it.
    pub(super) fn give_up_aside(&mut self) {
        if let Some(aside) = &mut self.aside {
            aside.given_up = Some(OUT_OF_BUILDS);
        }
    }

    /// Its result; `None` before its turn.
    pub(super) fn reported_aside(&self) -> Option<OffMainline> {
        let aside = self.aside.as_ref()?;
        let because = |why: &str| (OffMainlineFinding::Unknown, Some(why.to_owned()));
        let (said, why) =
            match (self.asks_aside(), &aside.unusable, aside.given_up, aside.both.next()) {
                (true, ..) => (OffMainlineFinding::UnderWay, None),
                (_, Some(why), ..) => because(why),
                (_, _, Some(why), _) => because(why),
                _ if self.is_same_program(aside) => (OffMainlineFinding::SameProgram, None),
                (.., NextStep::Finished(outcome)) => match outcome.finding {
                    BisectorFinding::NotReproduced => (OffMainlineFinding::Alike, None),
                    BisectorFinding::Verified => (OffMainlineFinding::Otherwise, None),
                    BisectorFinding::Undecided(_) => because("the samples are unclear"),
                },
                // The end had no turn, or the time is used up.
                _ if aside.samples() == 0 => return None,
                _ => because("the budget is used up"),
            };
        let known = matches!(
            said,
            OffMainlineFinding::Alike | OffMainlineFinding::Otherwise | OffMainlineFinding::Unknown
        );
        let change = aside.both.standing().outcome.change.filter(|_| known).map(effect);
        Some(OffMainline { said, change, samples: aside.samples(), why })
    }

    /// Whether the end has its turn: the result of the main line's ends is known, and its own is
    /// not.
    fn asks_aside(&self) -> bool {
        let Some(aside) = &self.aside else { return false };
        let is_over =
            matches!(aside.both.next(), NextStep::Finished(_)) || self.is_same_program(aside);
        let gave_up = aside.unusable.is_some() || aside.given_up.is_some();
        !is_over && !gave_up && !self.is_spent() && self.are_ends_judged()
    }

    fn are_ends_judged(&self) -> bool {
        let Some(bisection) = &self.bisection else { return true };
        match (bisection.stage(), bisection.next()) {
            (BisectorStage::Proving, _) => false,
            (_, NextStep::Finished(outcome)) => {
                !matches!(outcome.finding, BisectorFinding::Undecided(_))
            }
            _ => true,
        }
    }

    fn is_same_program(&self, aside: &OffMainlineState) -> bool {
        let first = self.artifacts.range(..=self.last_of_first()).next_back();
        self.by_artifact
            && aside.artifact.is_some()
            && first.map(|(_, artifact)| *artifact) == aside.artifact
    }

    /// The candidate that it is measured beside: the first that has values.
    fn first_usable(&self) -> usize {
        let block = self.bisection.as_ref().map_or(0, |bisection| bisection.ends().0);
        self.speaker(block)
    }

    /// The last candidate of that program.
    fn last_of_first(&self) -> usize {
        let block = self.bisection.as_ref().map_or(0, |bisection| bisection.ends().0);
        self.blocks[block].1
    }
}
