//! The life of alerts while a series grows: provisional, confirmed, withdrawn with a reason.
//!
//! The series is judged again whenever points are added, and the answers differ a little each time.
//! The ledger keeps the users' view steady: a change is an alert only if several successive
//! analyses agree on it or if it was measured again, and is withdrawn only if many successive
//! analyses do not see it. A change that is found again after its withdrawal is the same alert,
//! with its name. Its reported place is that of the last analysis that saw it, which had the most
//! data. The ranges of earlier analyses serve to recognise it and are not kept. Places are indexes
//! of the series; when points were inserted before an alert, the caller moves its places first.

use super::{DetectedChange, Detection, Kind};

/// The number of successive analyses that must see a change before it is confirmed.
pub const CONFIRM_AFTER: u32 = 5;
/// The number of successive analyses that must miss a provisional change before it is withdrawn.
/// While a level comes back, its two ends are not distinguished yet, and analyses miss the change
/// for a few values.
pub const DROP_AFTER: u32 = 12;
/// The number of successive analyses that must miss a confirmed change before it is withdrawn.
pub const WITHDRAW_AFTER: u32 = 20;
/// The number of points by which two analyses may differ about the place of one change.
pub const SAME_PLACE: usize = 2;

/// A change over time. Plain data: the caller of [`update`] keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct Alert {
    /// Its name within the series, for ever: 1 for the first, never used again.
    pub id: u32,
    /// The change as the last analysis saw it. Each analysis that sees the change replaces it,
    /// confirmed or not: a caller that keeps alerts shows users the differences, and keeps the
    /// earlier finding.
    pub change: DetectedChange,
    /// Its state.
    pub state: AlertState,
    /// In how many successive analyses it has been seen, up to the last one that saw it.
    pub seen: u32,
    /// In how many successive analyses it has not been seen since.
    pub missed: u32,
    /// How long the series was when it was first seen.
    pub since: usize,
}

impl Alert {
    /// Whether the alert is not withdrawn.
    #[must_use]
    pub fn is_active(&self) -> bool {
        !matches!(self.state, AlertState::Withdrawn(_))
    }

    /// Whether a change that is found now is this alert again, which was withdrawn because it was
    /// not seen. The direction must be the same, and the ranges of both must overlap.
    fn comes_again_as(&self, found: &DetectedChange) -> bool {
        let unseen = matches!(
            self.state,
            AlertState::Withdrawn(WithdrawalReason::NotConfirmed | WithdrawalReason::NotSeen)
        );
        let (was, is) = (&self.change.range, &found.range);
        let overlap = was.start() <= is.end() && is.start() <= was.end();
        let is_there = overlap && alike(found.kind, self.change.kind);
        unseen && (self.is_at(found) || is_there && self.has_direction_of(found))
    }

    fn has_direction_of(&self, found: &DetectedChange) -> bool {
        (found.effect > 0.0) == (self.change.effect > 0.0)
    }

    /// Whether a change that is found now is at this alert's place, in the same direction. The two
    /// ends of a short rise are two changes.
    fn is_at(&self, found: &DetectedChange) -> bool {
        self.change.index.abs_diff(found.index) <= SAME_PLACE
            && alike(found.kind, self.change.kind)
            && self.has_direction_of(found)
    }

    /// Whether the range of one of the two contains the place of the other, in the same direction:
    /// the place may be more or less exact now.
    fn has_in_range(&self, found: &DetectedChange) -> bool {
        (self.change.range.contains(&found.index) || found.range.contains(&self.change.index))
            && alike(found.kind, self.change.kind)
            && self.has_direction_of(found)
    }
}

/// The state of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlertState {
    /// Seen, but not often enough to be reported as a fact.
    Provisional,
    /// Reported as a fact.
    Confirmed,
    /// No longer held; it stays in the ledger.
    Withdrawn(WithdrawalReason),
}

/// Why an alert is no longer held; `record::Withdrawal` is the kept form, as `stats` uses no crate
/// of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WithdrawalReason {
    /// The change was seen from a distance, and another change within its ends explains it.
    Nearer,
    /// The change was not seen again before it could be confirmed.
    NotConfirmed,
    /// The change was confirmed, but later points do not show it.
    NotSeen,
    /// Both sides were measured again and do not differ.
    NotReproduced,
    /// Its values are of a build recipe that no longer counts.
    OtherRecipe,
}

/// What happened to an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlertEvent {
    /// The alert was seen for the first time.
    Appeared {
        /// The alert's name.
        id: u32,
    },
    /// The alert was withdrawn because it was not seen, and is seen again.
    Revived {
        /// The alert's name.
        id: u32,
    },
    /// The alert is confirmed.
    Confirmed {
        /// The alert's name.
        id: u32,
    },
    /// The alert was withdrawn.
    Withdrawn {
        /// The alert's name.
        id: u32,
        /// Why.
        why: WithdrawalReason,
    },
}

/// Takes the analysis of the series at its present length into the ledger.
#[must_use]
pub fn update(
    alerts: &[Alert],
    detection: &Detection,
    length: usize,
) -> (Vec<Alert>, Vec<AlertEvent>) {
    let (mut alerts, mut events) = (alerts.to_vec(), Vec::new());
    let (mut unclaimed, mut again) = (detection.everything(), Vec::new());
    let seen = claim(&alerts, &mut unclaimed);
    for gone in alerts.iter().filter(|alert| !alert.is_active()) {
        again.push((gone.id, take_nearest(&mut unclaimed, gone, Alert::comes_again_as)));
    }
    let standing = alerts.iter_mut().filter(|alert| alert.is_active());
    for (alert, seen) in standing.zip(seen) {
        match seen {
            Some(change) => see(alert, change, &mut events),
            None => miss(alert, &mut events),
        }
    }
    for alert in &mut alerts {
        let seen = again.iter().find_map(|(id, seen)| seen.filter(|_| *id == alert.id));
        if let Some(change) = seen {
            revive(alert, change, &mut events);
        }
    }
    for change in unclaimed {
        let id = alerts.iter().map(|alert| alert.id).max().unwrap_or(0) + 1;
        events.push(AlertEvent::Appeared { id });
        alerts.push(Alert {
            id,
            change: change.clone(),
            state: AlertState::Provisional,
            seen: 1,
            missed: 0,
            since: length,
        });
    }
    (alerts, events)
}

/// The changes found now that are alerts already: keeping an alert needs less evidence than finding
/// it.
#[must_use]
pub fn known<'a>(alerts: &[Alert], detection: &'a Detection) -> Vec<&'a DetectedChange> {
    claim(alerts, &mut detection.everything()).into_iter().flatten().collect()
}

/// Takes out the changes that belong to alerts which are not withdrawn: at most one for each of
/// these alerts, in order.
fn claim<'a>(
    alerts: &[Alert],
    unclaimed: &mut Vec<&'a DetectedChange>,
) -> Vec<Option<&'a DetectedChange>> {
    let standing = || alerts.iter().filter(|alert| alert.is_active());
    let mut seen: Vec<Option<&DetectedChange>> =
        standing().map(|alert| take_nearest(unclaimed, alert, Alert::is_at)).collect();
    // Changes at unchanged places go first, so that no other alert whose range contains them takes
    // them.
    for (seen, alert) in seen.iter_mut().zip(standing()).filter(|(seen, _)| seen.is_none()) {
        *seen = take_nearest(unclaimed, alert, Alert::has_in_range);
    }
    seen
}

/// Takes the nearest change out that is the alert's.
fn take_nearest<'a>(
    changes: &mut Vec<&'a DetectedChange>,
    alert: &Alert,
    is_its: fn(&Alert, &DetectedChange) -> bool,
) -> Option<&'a DetectedChange> {
    let its = changes.iter().enumerate().filter(|(_, change)| is_its(alert, change));
    let (which, _) = its.min_by_key(|(_, change)| change.index.abs_diff(alert.change.index))?;
    Some(changes.remove(which))
}

/// A step may turn out to be the start of a dip; a change of the scatter is never a change of
/// level.
fn alike(one: Kind, other: Kind) -> bool {
    one.is_of_level() == other.is_of_level()
}

fn see(alert: &mut Alert, change: &DetectedChange, events: &mut Vec<AlertEvent>) {
    alert.change = change.clone();
    alert.seen = if alert.missed == 0 { alert.seen.saturating_add(1) } else { 1 };
    alert.missed = 0;
    if alert.state == AlertState::Provisional && alert.seen >= CONFIRM_AFTER {
        confirm(alert, events);
    }
}

fn revive(alert: &mut Alert, change: &DetectedChange, events: &mut Vec<AlertEvent>) {
    alert.state = AlertState::Provisional;
    events.push(AlertEvent::Revived { id: alert.id });
    see(alert, change, events);
}

fn miss(alert: &mut Alert, events: &mut Vec<AlertEvent>) {
    alert.missed = alert.missed.saturating_add(1);
    match alert.state {
        AlertState::Provisional if alert.missed >= DROP_AFTER => {
            withdraw(alert, WithdrawalReason::NotConfirmed, events);
        }
        AlertState::Confirmed if alert.missed >= WITHDRAW_AFTER => {
            withdraw(alert, WithdrawalReason::NotSeen, events);
        }
        _ => {}
    }
}

fn confirm(alert: &mut Alert, events: &mut Vec<AlertEvent>) {
    alert.state = AlertState::Confirmed;
    events.push(AlertEvent::Confirmed { id: alert.id });
}

fn withdraw(alert: &mut Alert, why: WithdrawalReason, events: &mut Vec<AlertEvent>) {
    alert.state = AlertState::Withdrawn(why);
    events.push(AlertEvent::Withdrawn { id: alert.id, why });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detection(places: &[usize]) -> Detection {
        let changes = places
            .iter()
            .map(|&index| DetectedChange {
                index,
                range: index..=index,
                before: 1.0,
                after: 2.0,
                effect: 1.0,
                interval: (0.9, 1.1),
                p: 1e-6,
                confidence: 1.0 - 1e-6,
                kind: Kind::Step,
            })
            .collect();
        Detection { changes, ..Detection::default() }
    }

    /// The states after each of these analyses, and all events.
    fn replay(analyses: &[&[usize]]) -> (Vec<Alert>, Vec<AlertEvent>) {
        analyses.iter().enumerate().fold(
            (Vec::new(), Vec::new()),
            |(alerts, mut events), (at, places)| {
                let (alerts, new) = update(&alerts, &detection(places), 30 + at);
                events.extend(new);
                (alerts, events)
            },
        )
    }

    #[test]
    fn seen_often_enough_it_is_confirmed_once() {
        let (alerts, events) = replay(&[&[20], &[21], &[20], &[20], &[20], &[20]]);
        assert_eq!(events, [AlertEvent::Appeared { id: 1 }, AlertEvent::Confirmed { id: 1 }]);
        assert_eq!(
            (alerts[0].state, alerts[0].change.range.clone(), alerts[0].since),
            (AlertState::Confirmed, 20..=20, 30)
        );
    }

    /// A change that was known to be in ten places, and another at one of them.
    fn two_alerts() -> Vec<Alert> {
        let (mut alerts, _) = replay(&[&[20, 25]]);
        alerts[0].change.range = 20..=30;
        alerts
    }

    #[test]
    fn within_its_range_it_is_the_same_one() {
        let (alerts, events) = update(&two_alerts(), &detection(&[25, 28]), 31);
        assert_eq!(events, []);
        assert_eq!(
            (alerts[0].change.index, alerts[1].change.index),
            (28, 25),
            "what is where it was goes first"
        );
        assert_eq!((alerts[0].seen, alerts[1].seen), (2, 2));
    }

    #[test]
    fn beyond_its_range_or_in_the_other_direction_it_is_another() {
        let (_, events) = update(&two_alerts()[..1], &detection(&[31]), 31);
        assert_eq!(events.last(), Some(&AlertEvent::Appeared { id: 2 }));
        let mut other = detection(&[27]);
        other.changes[0].effect = -0.5;
        let (alerts, _) = update(&two_alerts()[..1], &other, 31);
        assert_eq!((alerts[0].missed, alerts[1].id), (1, 2));
    }

    #[test]
    fn a_step_that_is_lost_does_not_give_its_name_to_one_of_the_other_direction() {
        let rise = detected(20, 20..=20, true);
        let all = after(&[vec![rise.clone()], vec![detected(22, 22..=22, false)], vec![rise]]);
        let names = |alerts: &[Alert]| -> Vec<(u32, usize, bool)> {
            alerts.iter().map(|it| (it.id, it.change.index, it.change.effect > 0.0)).collect()
        };
        assert_eq!(names(&all[1]), [(1, 20, true), (2, 22, false)]);
        assert_eq!((all[1][0].missed, all[2][0].missed, all[2][1].missed), (1, 0, 1));
    }

    /// What an analysis tells of one change, upwards or not: first at the index, or anywhere in the
    /// range.
    fn detected(index: usize, range: std::ops::RangeInclusive<usize>, up: bool) -> DetectedChange {
        let effect = if up { 1.0 } else { -0.5 };
        DetectedChange { range, effect, ..detection(&[index]).changes.remove(0) }
    }

    /// The alerts after each of these analyses.
    fn after(analyses: &[Vec<DetectedChange>]) -> Vec<Vec<Alert>> {
        let mut alerts = Vec::new();
        let mut all = Vec::new();
        for (length, changes) in (30..).zip(analyses) {
            let found = Detection { changes: changes.clone(), ..Detection::default() };
            alerts = update(&alerts, &found, length).0;
            all.push(alerts.clone());
        }
        all
    }

    #[test]
    fn it_is_told_where_the_last_analysis_sees_it_with_one_name() {
        let wide = vec![detected(38, 1..=71, true)];
        let exact = vec![detected(70, 70..=70, true)];
        let analyses =
            [wide.clone(), exact.clone(), exact.clone(), exact.clone(), exact.clone(), wide];
        let all = after(&analyses);
        let ranges: Vec<_> = all.iter().map(|alerts| alerts[0].change.range.clone()).collect();
        assert_eq!(ranges, [1..=71, 70..=70, 70..=70, 70..=70, 70..=70, 1..=71]);
        assert!(
            all.iter().all(|alerts| alerts.len() == 1),
            "exact after wide, and wide after exact, is the same"
        );
        assert_eq!(
            all[4][0].state,
            AlertState::Confirmed,
            "that its range narrows does not delay it"
        );
        let unseen = after(&[&analyses[..2], &[vec![]]].concat());
        assert_eq!(unseen[2][0].change.range, 70..=70, "where it was last seen");
    }

    #[test]
    fn two_near_changes_keep_their_names_while_one_has_a_wide_range() {
        let near = |wide: bool| {
            let range = if wide { 40..=70 } else { 60..=60 };
            vec![detected(50, 50..=50, true), detected(60, range, true)]
        };
        let all = after(&[
            near(false),
            near(true),
            near(false),
            vec![detected(60, 40..=70, true)],
            near(true),
        ]);
        for alerts in &all {
            let places: Vec<(u32, usize)> =
                alerts.iter().map(|it| (it.id, it.change.index)).collect();
            assert_eq!(places, [(1, 50), (2, 60)]);
        }
        assert_eq!(
            (all[3][0].missed, all[3][1].missed),
            (1, 0),
            "what is where it was is that one"
        );
    }

    #[test]
    fn a_held_change_vouches_for_one_that_is_found_and_no_more() {
        let alerts = after(&[vec![detected(70, 70..=70, true)]]).remove(0);
        let changes = vec![detected(30, 1..=75, true), detected(70, 70..=70, true)];
        let found = Detection { changes, ..Detection::default() };
        let places: Vec<usize> = known(&alerts, &found).iter().map(|change| change.index).collect();
        assert_eq!(places, [70]);
    }

    proptest::proptest! {
        #[test]
        fn what_is_told_is_what_an_analysis_said(
            analyses in proptest::collection::vec(
                proptest::collection::vec((0_usize..80, 0_usize..40, 0_usize..40, proptest::bool::ANY), 0..4),
                1..30,
            ),
        ) {
            let change = |&(index, before, after, up): &(usize, usize, usize, bool)| {
                detected(index, index.saturating_sub(before)..=index + after, up)
            };
            let analyses: Vec<Vec<DetectedChange>> =
                analyses.iter().map(|changes| changes.iter().map(change).collect()).collect();
            for (alerts, found) in after(&analyses).iter().zip(&analyses) {
                let mut ids: Vec<u32> = alerts.iter().map(|alert| alert.id).collect();
                ids.dedup();
                assert_eq!(ids.len(), alerts.len(), "each name once");
                for Alert { change, missed, .. } in alerts {
                    assert!(change.range.contains(&change.index));
                    assert!(*missed > 0 || found.contains(change), "it is what was just found");
                }
                let seen = alerts.iter().filter(|alert| alert.is_active() && alert.missed == 0).count();
                assert_eq!(seen, found.len(), "each change that is found is one alert");
            }
        }
    }

    /// Seen once, and then not for this many analyses.
    fn unseen(analyses: u32) -> (Vec<Alert>, Vec<AlertEvent>) {
        let unseen: Vec<&[usize]> = (0..analyses).map(|_| &[][..]).collect();
        replay(&[&[&[20][..]][..], &unseen].concat())
    }

    #[test]
    fn a_provisional_one_outlives_short_gaps_and_needs_to_be_seen_anew() {
        let (alerts, _) = unseen(DROP_AFTER - 1);
        assert_eq!((alerts[0].state, alerts[0].missed), (AlertState::Provisional, DROP_AFTER - 1));
        let (alerts, events) = update(&alerts, &detection(&[20]), 40);
        assert_eq!((alerts[0].seen, alerts[0].missed, events), (1, 0, vec![]));
        assert_eq!(
            unseen(DROP_AFTER).0[0].state,
            AlertState::Withdrawn(WithdrawalReason::NotConfirmed)
        );
    }

    #[test]
    fn what_was_withdrawn_comes_again_with_its_name() {
        let (gone, _) = unseen(DROP_AFTER);
        let (alerts, events) = update(&gone, &detection(&[21]), 40);
        assert_eq!(
            (alerts.len(), alerts[0].state, alerts[0].seen),
            (1, AlertState::Provisional, 1)
        );
        assert_eq!(events, [AlertEvent::Revived { id: 1 }]);
        let mut other = detection(&[20]);
        other.changes[0].effect = -0.5;
        for found in [other, detection(&[24])] {
            let (_, events) = update(&gone, &found, 40);
            assert_eq!(events, [AlertEvent::Appeared { id: 2 }], "the other way, or elsewhere");
        }
    }

    #[test]
    fn what_measuring_again_did_not_show_does_not_come_again() {
        let (mut gone, _) = replay(&[&[20]]);
        gone[0].state = AlertState::Withdrawn(WithdrawalReason::NotReproduced);
        assert_eq!(update(&gone, &detection(&[20]), 31).1, [AlertEvent::Appeared { id: 2 }]);
    }

    #[test]
    fn a_confirmed_one_outlives_gaps_but_not_long_ones() {
        let seen: [&[usize]; 5] = [&[20]; 5];
        let unseen: [&[usize]; 20] = [&[]; 20];
        let (alerts, _) = replay(&[&seen[..], &unseen[..19]].concat());
        assert_eq!((alerts[0].state, alerts[0].missed), (AlertState::Confirmed, 19));
        let (alerts, events) = replay(&[&seen[..], &unseen[..]].concat());
        assert_eq!(alerts[0].state, AlertState::Withdrawn(WithdrawalReason::NotSeen));
        assert_eq!(
            events.last(),
            Some(&AlertEvent::Withdrawn { id: 1, why: WithdrawalReason::NotSeen })
        );
    }
}
