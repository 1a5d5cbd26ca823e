//! The state of a bisection, as it is kept and shown.

use crate::bisect::state::effect;
use jiff::Timestamp;
use tacho_record::bisection::{
    BisectionEnd, BisectionState, Culprit, CulpritSide, HostActivity, LackOfValues,
    OffMainlineFinding, ProbeOutcome, Stage, Suspects, TestedRevision, UndecidedReason,
    UnusableKind, UnusableRevision,
};
use tacho_stats::bisect as stats;

use super::Fold;
use super::cpu::is_open;

impl Fold {
    /// How far it has come.
    #[must_use]
    pub fn standing(&self, updated: Timestamp) -> BisectionState {
        self.standing_if(updated, false)
    }

    /// The same where no more may be spent: it ends here, with the set that holds the cause as far
    /// as that is known.
    pub(super) fn spent(&self, updated: Timestamp) -> BisectionState {
        self.standing_if(updated, true)
    }

    fn standing_if(&self, updated: Timestamp, spent: bool) -> BisectionState {
        let Some(bisection) = &self.bisection else { return self.one_program(updated) };
        let stats::BisectorState { stage, belief, outcome, open } = bisection.standing();
        let probes = self.probes(&outcome);
        let mistaken = self.mistaken().is_some();
        let probing = probes.iter().any(|probe| probe.probed == ProbeOutcome::UnderWay);
        let aside = self.reported_aside();
        let is_aside_open =
            aside.as_ref().is_some_and(|aside| aside.said == OffMainlineFinding::UnderWay);
        let constant = self.is_constant();
        let over = (stage == stats::BisectorStage::Finished && !probing && !is_aside_open)
            || mistaken
            || constant;
        let found = match found(outcome.finding) {
            _ if mistaken => BisectionEnd::Undecided { reason: UndecidedReason::Command },
            _ if constant => BisectionEnd::NotReproduced,
            // The named culprits remain; the rest is undecided.
            _ if spent && !open.is_empty() => BisectionEnd::Verified,
            _ if spent && !over && outcome.culprits.is_empty() => {
                BisectionEnd::Undecided { reason: UndecidedReason::Budget }
            }
            BisectionEnd::Verified if probes.iter().any(|it| it.probed.depends()) => {
                BisectionEnd::DependsOnMachine
            }
            // Only what is beside a culprit was still to be measured.
            _ if spent && !over => BisectionEnd::Verified,
            found => found,
        };
        let over = over || spent;
        let is_unnamed = over && outcome.culprits.is_empty();
        let cpu = if is_unnamed { self.cpu_of_ends(found) } else { None };
        let busy_share = if is_unnamed { self.busy_share(found) } else { None };
        let is_excluded = is_unnamed
            && (self.excludes_change(&outcome) || self.cpu_excludes_change(cpu.as_ref()));
        let found = if is_excluded && is_open(found) { BisectionEnd::NotReproduced } else { found };
        BisectionState {
            updated,
            stage: match stage {
                _ if over => Stage::Finished,
                _ if is_aside_open => Stage::Proving,
                stats::BisectorStage::Finished => Stage::Probing,
                stage => of_stage(stage),
            },
            found: over.then_some(found),
            ends: (self.first(outcome.ends.0), self.blocks[outcome.ends.1].1),
            nothing: outcome.nothing,
            belief: belief.iter().flat_map(|it| self.suspects(it)).collect(),
            culprits: outcome.culprits.iter().map(|culprit| self.culprit(culprit)).collect(),
            probes,
            suspects: match found {
                _ if !over || mistaken => Vec::new(),
                BisectionEnd::Verified | BisectionEnd::DependsOnMachine => {
                    self.sets(&outcome.culprits)
                }
                _ => outcome.suspects.iter().flat_map(|it| self.suspects(it)).collect(),
            },
            sides: self.sides(&outcome.sides, if spent { &open } else { &[] }),
            aside,
            change: outcome.change.map(effect),
            left_over: outcome.left_over.map(effect),
            more: outcome.more,
            ladder: outcome.ladder.iter().map(|rung| self.rung(rung)).collect(),
            // Of two candidates, the result of the second one decides nothing any more.
            unusable: if mistaken {
                self.unusable.keys().map(|place| self.unusable_at(*place)).collect()
            } else {
                self.unusable_of(&outcome)
            },
            drift: outcome.drift,
            between_builds: outcome.between_builds,
            cpu,
            busy_share,
            by_cpu: self.by_cpu,
            builds: self.builds,
            samples: self.samples_of_all(),
            building: self.spent.0,
            executing: self.spent.1,
        }
    }

    /// Both ends built to the same: nothing can have changed.
    fn one_program(&self, updated: Timestamp) -> BisectionState {
        let aside = self.reported_aside();
        let is_aside_open =
            aside.as_ref().is_some_and(|aside| aside.said == OffMainlineFinding::UnderWay);
        BisectionState {
            updated,
            stage: if is_aside_open { Stage::Proving } else { Stage::Finished },
            found: (!is_aside_open).then_some(BisectionEnd::NotReproduced),
            ends: (0, self.names.len().saturating_sub(1)),
            nothing: 1.0,
            belief: Vec::new(),
            culprits: Vec::new(),
            probes: Vec::new(),
            suspects: Vec::new(),
            sides: Vec::new(),
            aside,
            change: None,
            left_over: None,
            more: false,
            ladder: Vec::new(),
            unusable: Vec::new(),
            drift: 0.0,
            between_builds: None,
            cpu: None,
            busy_share: None,
            by_cpu: self.by_cpu,
            builds: self.builds,
            samples: self.samples_of_all(),
            building: self.spent.0,
            executing: self.spent.1,
        }
    }

    /// The first candidate of a block: where a change from the block before was made.
    fn first(&self, block: usize) -> usize {
        self.blocks[block].0
    }

    /// The candidates that may be the cause. Those that are the same program as the one before them
    /// cannot, so they part a stretch.
    fn suspects(&self, suspects: &stats::BisectorSuspects) -> Vec<Suspects> {
        let &stats::BisectorSuspects { first, last, posterior } = suspects;
        let share = posterior / (last - first + 1) as f64;
        let mut all: Vec<Suspects> = Vec::new();
        for block in first..=last {
            let place = self.first(block);
            match all.last_mut().filter(|before| before.last + 1 == place) {
                Some(before) => (before.last, before.posterior) = (place, before.posterior + share),
                None => all.push(Suspects { first: place, last: place, posterior: share }),
            }
        }
        all
    }

    /// The sides of culprits, with those on which no more may be spent.
    fn sides(
        &self,
        settled: &[stats::BisectorSide],
        spent: &[stats::BisectorSide],
    ) -> Vec<CulpritSide> {
        let side = |side: &stats::BisectorSide, found: BisectionEnd| {
            let suspects = side.suspects.iter().flat_map(|it| self.suspects(it)).collect();
            CulpritSide {
                first: self.blocks[side.good].1 + 1,
                last: self.first(side.bad),
                found,
                suspects,
            }
        };
        let budget = BisectionEnd::Undecided { reason: UndecidedReason::Budget };
        let settled = settled.iter().map(|it| side(it, found(it.finding)));
        let open = spent.iter().map(|it| match found(it.finding) {
            BisectionEnd::NotReproduced => side(it, BisectionEnd::NotReproduced),
            _ => side(it, budget),
        });
        let mut sides: Vec<CulpritSide> = settled.chain(open).collect();
        sides.sort_by_key(|side| side.first);
        sides
    }

    /// The sets that verified culprits represent, if they have more than one commit.
    fn sets(&self, culprits: &[stats::BisectorCulprit]) -> Vec<Suspects> {
        let set = |culprit: &stats::BisectorCulprit| {
            let Culprit { place, parent_place, posterior, .. } = self.culprit(culprit);
            let is_one = parent_place + 1 == place && self.candidates[place].left_out == 0;
            (!is_one).then_some(Suspects { first: parent_place + 1, last: place, posterior })
        };
        culprits.iter().filter_map(set).collect()
    }

    pub(super) fn culprit(&self, culprit: &stats::BisectorCulprit) -> Culprit {
        let (place, parent_place) = (self.first(culprit.revision), self.blocks[culprit.parent].1);
        Culprit {
            place,
            revision: self.names[place].clone(),
            parent_place,
            parent: self.names[parent_place].clone(),
            posterior: culprit.posterior,
            effect: effect(culprit.effect),
            pairs: culprit.pairs,
            neighbours: culprit.neighbours,
        }
    }

    fn rung(&self, rung: &stats::RevisionEstimate) -> TestedRevision {
        let (place, same_to) = self.blocks[rung.revision];
        let all = || self.blocks_of(rung.revision);
        let values = all().flat_map(|(from, to)| self.values.range(from..=to));
        let (limited, is_bound) = bounds(values.flat_map(|(_, all)| all).copied().collect());
        let host = all().flat_map(|(from, to)| self.host.range(from..=to));
        let mut failures = all().flat_map(|(from, to)| self.failures.range(from..=to));
        TestedRevision {
            place,
            revision: self.names[place].clone(),
            same_to,
            also: all().skip(1).flat_map(|(from, to)| from..=to).collect(),
            samples: rung.samples,
            level: rounded(rung.level),
            error: rung.error,
            limited,
            is_bound,
            beside: HostActivity::of(host.flat_map(|(_, all)| all)),
            failure: failures.next().map(|(_, how)| how.clone()),
        }
    }

    /// All blocks that are the same program as this one, which is the first of them.
    fn blocks_of(&self, block: usize) -> impl Iterator<Item = (usize, usize)> {
        let same = self.blocks.iter().zip(&self.programs);
        same.filter(move |(_, program)| **program == block).map(|(block, _)| *block)
    }

    /// All that have no values, in order.
    fn unusable_of(&self, outcome: &stats::BisectorOutcome) -> Vec<UnusableRevision> {
        let blocks = outcome.unusable.iter().map(|(block, _)| self.unusable(*block));
        let within = self.unbuildable_within().map(|place| self.unusable_at(place));
        let mut all: Vec<UnusableRevision> = blocks.chain(within).collect();
        all.sort_by_key(|it| it.place);
        all
    }

    fn unusable_at(&self, place: usize) -> UnusableRevision {
        let known = self.unusable.get(&place);
        let unknown = || LackOfValues::new(UnusableKind::NoMetric, "");
        let lack = known.cloned().unwrap_or_else(unknown);
        UnusableRevision { place, revision: self.names[place].clone(), lack }
    }

    fn unusable(&self, block: usize) -> UnusableRevision {
        let all = std::iter::once(self.blocks[block]).chain(self.blocks_of(block));
        let known = all.flat_map(|(first, last)| self.unusable.range(first..=last)).next();
        self.unusable_at(known.map_or(self.first(block), |(place, _)| *place))
    }
}

/// How many values are only known to be at least that, and whether so is the median of all: if one
/// of them is not above it.
fn bounds(mut values: Vec<(f64, bool)>) -> (u32, bool) {
    let limited = values.iter().filter(|(_, is_bound)| *is_bound).count();
    if limited == 0 {
        return (0, false);
    }
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let upper = values[values.len() / 2].0;
    (
        u32::try_from(limited).unwrap_or(u32::MAX),
        values.iter().any(|(value, is_bound)| *is_bound && *value <= upper),
    )
}

/// Removes the digits that rounding of logarithms adds.
fn rounded(level: f64) -> f64 {
    format!("{level:.11e}").parse().unwrap_or(level)
}

fn of_stage(stage: stats::BisectorStage) -> Stage {
    match stage {
        stats::BisectorStage::Finished => Stage::Finished,
        stats::BisectorStage::Proving => Stage::Proving,
        stats::BisectorStage::Searching => Stage::Searching,
        stats::BisectorStage::Verifying => Stage::Verifying,
    }
}

fn found(finding: stats::BisectorFinding) -> BisectionEnd {
    let reason = match finding {
        stats::BisectorFinding::Verified => return BisectionEnd::Verified,
        stats::BisectorFinding::NotReproduced => return BisectionEnd::NotReproduced,
        stats::BisectorFinding::Undecided(reason) => reason,
    };
    let reason = match reason {
        stats::NoCulpritReason::Budget => UndecidedReason::Budget,
        stats::NoCulpritReason::Builds => UndecidedReason::Builds,
        stats::NoCulpritReason::End => UndecidedReason::End,
        stats::NoCulpritReason::Exhausted => UndecidedReason::Exhausted,
        stats::NoCulpritReason::Noise => UndecidedReason::Noise,
        stats::NoCulpritReason::NotConfirmed => UndecidedReason::NotConfirmed,
    };
    BisectionEnd::Undecided { reason }
}

#[cfg(test)]
mod tests {
    use super::bounds;

    #[test]
    fn a_level_is_a_bound_where_a_limited_sample_may_lie_above_it() {
        let of = |values: &[f64], limit: f64| {
            bounds(values.iter().map(|it| (*it, *it >= limit)).collect())
        };
        assert_eq!(of(&[1.0, 2.0, 3.0], 9.0), (0, false));
        assert_eq!(of(&[1.0, 2.0, 4.0, 4.0, 3.0], 4.0), (2, false));
        assert_eq!(of(&[1.0, 2.0, 4.0, 4.0], 4.0), (2, true), "the upper one of the middle two");
        assert_eq!(of(&[4.0], 4.0), (1, true));
        // Another limit may be reached early.
        assert_eq!(bounds(vec![(1.0, true), (2.0, false), (3.0, false)]), (1, true));
    }
}
