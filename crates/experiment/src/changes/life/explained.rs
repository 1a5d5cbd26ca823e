//! Changes that something else explains now: they are withdrawn at once.

use std::collections::{HashMap, HashSet};

use tacho_record::{Change, TagChange};
use tacho_stats::changes as stats;
use tacho_stats::changes::ledger::{Alert, AlertEvent, AlertState, WithdrawalReason};

use super::{HiddenChange, SeriesLife};

impl SeriesLife<'_> {
    /// Withdraws what was seen from farther away, over revisions without values, where a change
    /// within its ends explains it: one that cannot be looked at now, or one that is seen where it
    /// is not, now that there are values between.
    pub(super) fn drop_farther(
        &self,
        alerts: &mut [Alert],
        kept: &HashMap<u32, &Change>,
        filled: &HashSet<u32>,
        hidden: &[HiddenChange],
        events: &mut Vec<AlertEvent>,
    ) {
        let seen: Vec<HiddenChange> = alerts
            .iter()
            .filter(|alert| {
                alert.is_active() && alert.missed == 0 && alert.change.kind.is_of_level()
            })
            .map(|alert| HiddenChange {
                good: self.good(&alert.change),
                bad: *alert.change.range.end(),
                effect: alert.change.effect,
                is_programs: alert.change.kind != stats::Kind::Environment,
            })
            .collect();
        for alert in alerts.iter_mut().filter(|alert| alert.is_active()) {
            let (good, bad) = (self.good(&alert.change), *alert.change.range.end());
            let is_nearer = |it: &&HiddenChange| {
                good <= it.good && it.bad <= bad && it.bad.saturating_sub(it.good) < bad - good
            };
            let shown =
                if filled.contains(&alert.id) && alert.missed > 0 { &seen[..] } else { &[] };
            let nearer: Vec<&HiddenChange> = hidden.iter().chain(shown).filter(is_nearer).collect();
            let is_fact = kept.get(&alert.id).is_some_and(|change| change.differs_again());
            if !is_fact && self.is_hidden(&alert.change, nearer) {
                alert.state = AlertState::Withdrawn(WithdrawalReason::Nearer);
                events.push(AlertEvent::Withdrawn { id: alert.id, why: WithdrawalReason::Nearer });
            }
        }
    }

    /// Withdraws what came with an edit of the build recipe, is not seen any more, and has both
    /// sides built by one recipe now: the edit was taken back.
    pub(super) fn drop_taken_back(
        &self,
        alerts: &mut [Alert],
        kept: &HashMap<u32, &Change>,
        events: &mut Vec<AlertEvent>,
    ) {
        for alert in alerts.iter_mut().filter(|alert| alert.is_active() && alert.missed > 0) {
            let is_of_recipe =
                kept.get(&alert.id).is_some_and(|change| change.finding.is_of_recipe());
            let last = self.material.points.len() - 1;
            let (good, bad) = (self.good(&alert.change), (*alert.change.range.end()).min(last));
            let now = self.material.environments.differences(good, bad);
            if is_of_recipe && now.iter().all(|difference| difference.tag != TagChange::RECIPE) {
                alert.state = AlertState::Withdrawn(WithdrawalReason::OtherRecipe);
                let (id, why) = (alert.id, WithdrawalReason::OtherRecipe);
                events.push(AlertEvent::Withdrawn { id, why });
            }
        }
    }
}
