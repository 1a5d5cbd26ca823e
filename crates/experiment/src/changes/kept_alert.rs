//! Conversions between a kept change and an alert of the detector's ledger.

use std::collections::HashMap;

use tacho_record::{Change, ChangeKind, Finding, Life, Withdrawal};
use tacho_stats::changes as stats;
use tacho_stats::changes::ledger::{Alert, AlertState, WithdrawalReason};

/// The effect as the detector has it: infinite where the level before is nothing.
pub(super) fn effect(finding: &Finding) -> f64 {
    finding.effect.unwrap_or((finding.after - finding.before).signum() * f64::INFINITY)
}

/// The alert of a kept change; `None` if its places have no values now.
pub(super) fn alert(id: u32, change: &Change, places: &HashMap<&str, usize>) -> Option<Alert> {
    let finding = &change.finding;
    let place = |revision: &str| places.get(revision).copied();
    let index = place(&finding.revision)?;
    let (good, bad) = (place(&finding.good)?, place(&finding.bad)?);
    let effect = effect(finding);
    let found = stats::DetectedChange {
        index,
        range: good + 1..=bad,
        before: finding.before,
        after: finding.after,
        effect,
        interval: finding.interval.unwrap_or((effect, effect)),
        p: finding.p,
        confidence: 1.0 - finding.p,
        kind: stats_kind(finding.kind),
    };
    let state = match change.life {
        Life::Confirmed => AlertState::Confirmed,
        Life::Provisional => AlertState::Provisional,
        Life::Withdrawn { why } => AlertState::Withdrawn(reason(why)),
    };
    let since = finding.points as usize;
    Some(Alert { id, change: found, state, seen: finding.seen, missed: finding.missed, since })
}

pub(super) fn withdrawal(why: WithdrawalReason) -> Withdrawal {
    match why {
        WithdrawalReason::Nearer => Withdrawal::Nearer,
        WithdrawalReason::NotConfirmed => Withdrawal::NotConfirmed,
        WithdrawalReason::NotReproduced => Withdrawal::NotReproduced,
        WithdrawalReason::NotSeen => Withdrawal::NotSeen,
        WithdrawalReason::OtherRecipe => Withdrawal::OtherRecipe,
    }
}

fn reason(why: Withdrawal) -> WithdrawalReason {
    match why {
        Withdrawal::Nearer => WithdrawalReason::Nearer,
        Withdrawal::NotConfirmed => WithdrawalReason::NotConfirmed,
        Withdrawal::NotReproduced => WithdrawalReason::NotReproduced,
        Withdrawal::NotSeen => WithdrawalReason::NotSeen,
        Withdrawal::OtherRecipe => WithdrawalReason::OtherRecipe,
    }
}

/// The kept form of a kind.
#[must_use]
pub fn kind_of(kind: stats::Kind) -> ChangeKind {
    match kind {
        stats::Kind::Build => ChangeKind::Build,
        stats::Kind::DipEnd => ChangeKind::DipEnd,
        stats::Kind::DipStart => ChangeKind::DipStart,
        stats::Kind::Environment => ChangeKind::Environment,
        stats::Kind::ModeShare => ChangeKind::ModeShare,
        stats::Kind::Spread => ChangeKind::Spread,
        stats::Kind::Step => ChangeKind::Step,
    }
}

fn stats_kind(kind: ChangeKind) -> stats::Kind {
    match kind {
        ChangeKind::Build => stats::Kind::Build,
        ChangeKind::DipEnd => stats::Kind::DipEnd,
        ChangeKind::DipStart => stats::Kind::DipStart,
        ChangeKind::Environment => stats::Kind::Environment,
        ChangeKind::ModeShare => stats::Kind::ModeShare,
        ChangeKind::Spread => stats::Kind::Spread,
        ChangeKind::Step => stats::Kind::Step,
    }
}
