//! How far a bisection has come, as it is kept and shown.

use crate::bisect::state::effect;
use jiff::Timestamp;
use tacho_record::bisection::{
    AsideSaid, Beside, Culprit, Found, Probed, Rung, Side, Stage, Standing, Suspects, Undecided,
    Unusable, UnusableKind,
};
use tacho_stats::bisect as stats;

use super::Fold;
use super::cpu::is_open;

impl Fold {
    /// How far it has come.
    #[must_use]
    pub fn standing(&self, updated: Timestamp) -> Standing {
        self.standing_if(updated, false)
    }

    /// The same where no more may be spent: it ends here, with the set that holds the cause as far
    /// as that is known.
    pub(super) fn spent(&self, updated: Timestamp) -> Standing {
        self.standing_if(updated, true)
    }

    fn standing_if(&self, updated: Timestamp, spent: bool) -> Standing {
        let Some(bisection) = &self.bisection else { return self.one_program(updated) };
        let stats::Standing { stage, belief, outcome, open } = bisection.standing();
        let probes = self.probes(&outcome);
        let mistaken = self.mistaken().is_some();
        let probing = probes.iter().any(|probe| probe.probed == Probed::UnderWay);
        let aside = self.told_of_aside();
        let is_aside_open = aside.as_ref().is_some_and(|aside| aside.said == AsideSaid::UnderWay);
        let constant = self.is_constant();
        let over =
            (stage == stats::Stage::Finished && !probing && !is_aside_open) || mistaken || constant;
        let found = match found(outcome.finding) {
            _ if mistaken => Found::Undecided { reason: Undecided::Command },
            _ if constant => Found::NotReproduced,
            // What is named stays; what is left of it is undecided.
            _ if spent && !open.is_empty() => Found::Verified,
            _ if spent && !over && outcome.culprits.is_empty() => {
                Found::Undecided { reason: Undecided::Budget }
            }
            Found::Verified if probes.iter().any(|it| it.probed.depends()) => {
                Found::DependsOnMachine
            }
            // Only what is beside a culprit was still to be measured.
            _ if spent && !over => Found::Verified,
            found => found,
        };
        let over = over || spent;
        let is_unnamed = over && outcome.culprits.is_empty();
        let cpu = if is_unnamed { self.cpu_of_ends(found) } else { None };
        let is_excluded = is_unnamed
            && (self.excludes_change(&outcome) || self.cpu_excludes_change(cpu.as_ref()));
        let found = if is_excluded && is_open(found) { Found::NotReproduced } else { found };
        Standing {
            updated,
            stage: match stage {
                _ if over => Stage::Finished,
                _ if is_aside_open => Stage::Proving,
                stats::Stage::Finished => Stage::Probing,
                stage => of_stage(stage),
            },
            found: over.then_some(found),
            ends: (self.first(outcome.ends.0), self.blocks[outcome.ends.1].1),
            nothing: outcome.nothing,
            belief: belief.iter().map(|it| self.suspects(it)).collect(),
            culprits: outcome.culprits.iter().map(|culprit| self.culprit(culprit)).collect(),
            probes,
            suspects: match found {
                _ if !over || mistaken => Vec::new(),
                Found::Verified | Found::DependsOnMachine => self.sets(&outcome.culprits),
                _ => outcome.suspects.iter().map(|it| self.suspects(it)).collect(),
            },
            sides: self.sides(&outcome.sides, if spent { &open } else { &[] }),
            aside,
            change: outcome.change.map(effect),
            left_over: outcome.left_over.map(effect),
            more: outcome.more,
            ladder: outcome.ladder.iter().map(|rung| self.rung(rung)).collect(),
            // Of two candidates, what came of the second one decides nothing any more.
            unusable: if mistaken {
                self.unusable.keys().map(|place| self.unusable_at(*place)).collect()
            } else {
                outcome.unusable.iter().map(|(block, _)| self.unusable(*block)).collect()
            },
            drift: outcome.drift,
            between_builds: outcome.between_builds,
            cpu,
            by_cpu: self.by_cpu,
            builds: self.builds,
            samples: outcome.samples + self.disturbed.samples() + self.samples_of_others(),
            building: self.spent.0,
            executing: self.spent.1,
        }
    }

    /// Both ends built to the same: nothing can have changed.
    fn one_program(&self, updated: Timestamp) -> Standing {
        let aside = self.told_of_aside();
        let is_aside_open = aside.as_ref().is_some_and(|aside| aside.said == AsideSaid::UnderWay);
        Standing {
            updated,
            stage: if is_aside_open { Stage::Proving } else { Stage::Finished },
            found: (!is_aside_open).then_some(Found::NotReproduced),
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

    fn suspects(&self, suspects: &stats::Suspects) -> Suspects {
        let &stats::Suspects { first, last, posterior } = suspects;
        Suspects { first: self.first(first), last: self.first(last), posterior }
    }

    /// The sides of culprits, with those on which no more may be spent.
    fn sides(&self, settled: &[stats::Side], spent: &[stats::Side]) -> Vec<Side> {
        let side = |side: &stats::Side, found: Found| {
            let suspects = side.suspects.iter().map(|it| self.suspects(it)).collect();
            Side {
                first: self.blocks[side.good].1 + 1,
                last: self.first(side.bad),
                found,
                suspects,
            }
        };
        let budget = Found::Undecided { reason: Undecided::Budget };
        let settled = settled.iter().map(|it| side(it, found(it.finding)));
        let mut sides: Vec<Side> = settled.chain(spent.iter().map(|it| side(it, budget))).collect();
        sides.sort_by_key(|side| side.first);
        sides
    }

    /// What verified culprits stand for, as far as that is more than one commit each.
    fn sets(&self, culprits: &[stats::Culprit]) -> Vec<Suspects> {
        let set = |culprit: &stats::Culprit| {
            let Culprit { place, parent_place, posterior, .. } = self.culprit(culprit);
            let is_one = parent_place + 1 == place && self.candidates[place].left_out == 0;
            (!is_one).then_some(Suspects { first: parent_place + 1, last: place, posterior })
        };
        culprits.iter().filter_map(set).collect()
    }

    pub(super) fn culprit(&self, culprit: &stats::Culprit) -> Culprit {
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

    fn rung(&self, rung: &stats::Rung) -> Rung {
        let (place, same_to) = self.blocks[rung.revision];
        let values: Vec<(f64, bool)> =
            self.values.range(place..=same_to).flat_map(|(_, all)| all).copied().collect();
        let (limited, is_bound) = bounds(values);
        Rung {
            place,
            revision: self.names[place].clone(),
            same_to,
            samples: rung.samples,
            level: rounded(rung.level),
            error: rung.error,
            limited,
            is_bound,
            beside: Beside::of(self.host.range(place..=same_to).flat_map(|(_, all)| all)),
        }
    }

    fn unusable_at(&self, place: usize) -> Unusable {
        let known = self.unusable.get(&place);
        let (kind, why) = known.cloned().unwrap_or((UnusableKind::NoMetric, String::new()));
        Unusable { place, revision: self.names[place].clone(), kind, why }
    }

    fn unusable(&self, block: usize) -> Unusable {
        let (first, last) = self.blocks[block];
        let known = self.unusable.range(first..=last).next();
        let (place, kind, why) =
            known.map_or((first, UnusableKind::NoMetric, String::new()), |known| {
                let (place, (kind, why)) = known;
                (*place, *kind, why.clone())
            });
        Unusable { place, revision: self.names[place].clone(), kind, why }
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

/// Without what logarithms leave behind the digits that mean something.
fn rounded(level: f64) -> f64 {
    format!("{level:.11e}").parse().unwrap_or(level)
}

fn of_stage(stage: stats::Stage) -> Stage {
    match stage {
        stats::Stage::Finished => Stage::Finished,
        stats::Stage::Proving => Stage::Proving,
        stats::Stage::Searching => Stage::Searching,
        stats::Stage::Verifying => Stage::Verifying,
    }
}

fn found(finding: stats::Finding) -> Found {
    let reason = match finding {
        stats::Finding::Verified => return Found::Verified,
        stats::Finding::NotReproduced => return Found::NotReproduced,
        stats::Finding::Undecided(reason) => reason,
    };
    let reason = match reason {
        stats::Reason::Budget => Undecided::Budget,
        stats::Reason::Builds => Undecided::Builds,
        stats::Reason::End => Undecided::End,
        stats::Reason::Exhausted => Undecided::Exhausted,
        stats::Reason::Noise => Undecided::Noise,
        stats::Reason::NotConfirmed => Undecided::NotConfirmed,
    };
    Found::Undecided { reason }
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
