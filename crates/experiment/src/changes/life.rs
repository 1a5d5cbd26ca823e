//! The life of the changes of one series: what is kept is brought together with what is found now.

mod explained;

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use tacho_record::{
    Change, ChangeKind, ChangeState, Digest, Direction, Finding, Happening, HappeningKind, Life,
    TagChange, Withdrawal, change_name,
};
use tacho_stats::Summary;
use tacho_stats::changes::ledger::{
    self, Alert, AlertEvent, AlertState, CONFIRM_AFTER, SAME_PLACE, WITHDRAW_AFTER,
};
use tacho_stats::changes::{self as stats, Detection};
use tacho_store::Analysis;

use super::kept_alert::{alert, effect, kind_of, withdrawal};
use super::material::Material;
use super::verdict::{RETURNED, is_within};
use super::{Judgement, returns};

/// For at most this many points analyses are made up for, when many were added at once: no longer
/// does anything wait.
pub const CATCH_UP: usize = 25;

/// A return that this many revisions with values agree with, its own among them, is believed though
/// it is not confirmed: one run may have measured all of them.
const SETTLED: usize = 8;

/// The state of a change that was measured again and did not differ.
const NOT_REPRODUCED: Life = Life::Withdrawn { why: Withdrawal::NotReproduced };

/// The result of an analysis of one series.
#[derive(Debug)]
pub struct LifeUpdate {
    /// The changes that are new or differ from the kept ones.
    pub changes: Vec<Change>,
    /// The events, each with the name of its change.
    pub happenings: Vec<(String, Happening)>,
}

/// One series, being brought together with what is kept of it.
pub struct SeriesLife<'a> {
    /// The series.
    pub material: &'a Material,
    /// The present judgement.
    pub judgement: &'a Judgement,
    /// The kept changes, including withdrawn ones.
    pub known: &'a [Change],
    /// Its last analysis.
    pub before: Option<&'a Analysis>,
    /// The time.
    pub now: Timestamp,
}

impl SeriesLife<'_> {
    /// Lives through all analyses since the last one: one for each run that added points at the
    /// end, else one.
    ///
    /// Names that are taken are `names`, which the new ones are added to.
    pub fn live(&self, names: &mut HashSet<String>) -> LifeUpdate {
        let places = self.material.programs();
        // A change that was not reproduced stays withdrawn.
        let known = self.known.iter().filter(|change| change.life != NOT_REPRODUCED);
        // A change that cannot be judged now is not changed.
        let mut kept: HashMap<u32, &Change> = HashMap::new();
        let mut alerts = Vec::new();
        for (id, change) in (1..).zip(known) {
            if let Some(alert) = alert(id, change, &places) {
                kept.insert(id, change);
                alerts.push(alert);
            }
        }
        let filled = self.refined(&kept, &places);
        let mut events = Vec::new();
        let refuted = self.refuted(&places);
        let hidden = self.hidden(&places);
        for length in self.lengths(&places) {
            hold(&mut alerts, &kept);
            let found = self.found(length, &alerts, (&refuted, &hidden), &places);
            let (after, new) = ledger::update(&alerts, &found, length);
            alerts = after;
            events.extend(new);
        }
        if !self.has_new_values() {
            uncount(&mut alerts, &kept, &mut events);
        }
        self.drop_farther(&mut alerts, &kept, &filled, &hidden, &mut events);
        self.drop_taken_back(&mut alerts, &kept, &mut events);
        self.reported(&alerts, &kept, &events, names)
    }

    /// Whether values were added since the last analysis: without new values, a point may still
    /// disappear or come back, as after an edit of the build recipe.
    fn has_new_values(&self) -> bool {
        self.before.is_none_or(|before| self.material.is_newer_than(before.at))
    }

    /// The last place with a value that is surely before a change.
    fn good(&self, change: &stats::DetectedChange) -> usize {
        self.material.places().rev().find(|place| place < change.range.start()).unwrap_or(0)
    }

    /// The alerts since whose analysis points were added that are not the newest.
    fn refined(&self, kept: &HashMap<u32, &Change>, places: &HashMap<&str, usize>) -> HashSet<u32> {
        let newest = self.before.and_then(|before| places.get(before.newest.as_str()));
        let then =
            newest.map(|newest| self.material.places().filter(|place| place <= newest).count());
        let is_refined = |change: &Change| then != usize::try_from(change.finding.points).ok();
        kept.iter().filter(|(_, change)| is_refined(change)).map(|(&id, _)| id).collect()
    }

    /// The changes that were measured again and did not differ: history still shows them, but they
    /// are not reported.
    fn refuted(&self, places: &HashMap<&str, usize>) -> Vec<PlaceMeasuredAgain> {
        let gone = self.known.iter().filter(|change| change.life == NOT_REPRODUCED);
        gone.filter_map(|change| PlaceMeasuredAgain::of(change, places)).collect()
    }

    /// The reported changes that cannot be judged now, as when their revisions do not build any
    /// more. Provisional changes count as well: no analysis can confirm or withdraw them. A change
    /// that was already not seen before is not reported.
    fn hidden(&self, places: &HashMap<&str, usize>) -> Vec<HiddenChange> {
        let points = self.material.series.points.iter().enumerate();
        let all: HashMap<&str, usize> =
            points.map(|(place, point)| (point.revision.id.as_str(), place)).collect();
        let is_hidden = |change: &&Change| {
            let is_reported = match change.life {
                Life::Confirmed => true,
                Life::Provisional => change.finding.missed == 0,
                Life::Withdrawn { .. } => false,
            };
            is_reported && change.finding.kind.is_of_level() && alert(0, change, places).is_none()
        };
        let hidden = |change: &Change| {
            let [good, bad] =
                [&change.finding.good, &change.finding.bad].map(|id| all.get(id.as_str()));
            let is_programs =
                change.finding.kind != ChangeKind::Environment || change.differs_again();
            Some(HiddenChange {
                good: *good?,
                bad: *bad?,
                effect: effect(&change.finding),
                is_programs,
            })
        };
        self.known.iter().filter(is_hidden).filter_map(hidden).collect()
    }

    /// Whether a change that is found now is one of those, or several together, seen from a
    /// distance. If it is twice as large, another change has been added. A change of the
    /// environment explains no change of the program.
    fn is_hidden<'a>(
        &self,
        found: &stats::DetectedChange,
        those: impl IntoIterator<Item = &'a HiddenChange>,
    ) -> bool {
        let (good, bad) = (self.good(found), *found.range.end());
        let overlaps = |it: &HiddenChange| it.good.max(good) < it.bad.min(bad);
        let explains = |it: &HiddenChange| it.is_programs || found.kind == stats::Kind::Environment;
        let is_alike = |it: &&HiddenChange| {
            overlaps(it) && explains(it) && (it.effect > 0.0) == (found.effect > 0.0)
        };
        let known: f64 = those.into_iter().filter(is_alike).map(|it| size(it.effect)).sum();
        found.kind.is_of_level() && known > 0.0 && size(found.effect) <= 2.0 * known
    }

    /// The lengths at which the series would have been judged, had it been after each run.
    fn lengths(&self, places: &HashMap<&str, usize>) -> Vec<usize> {
        // Judging by runs takes long, so a series without findings is not judged at earlier
        // lengths.
        if self.material.readings.is_some() && self.known.is_empty() && self.judgement.is_quiet() {
            return vec![self.material.points.len()];
        }
        let all: Vec<usize> = self.material.places().collect();
        let added = match self.before {
            None => CONFIRM_AFTER as usize,
            Some(_) if !self.has_new_values() => 1,
            Some(before) => {
                let newest = places.get(before.newest.as_str());
                newest.map_or(1, |newest| all.iter().filter(|&place| place > newest).count())
            }
        };
        let last = all.len().saturating_sub(added.clamp(1, CATCH_UP));
        let mut lengths: Vec<usize> =
            self.last_of_runs(&all[last..]).map(|place| place + 1).collect();
        // The last length is judged together with the other series.
        lengths.pop();
        lengths.push(self.material.points.len());
        lengths
    }

    /// The last of these places in each run: samples of one run are new only once.
    fn last_of_runs(&self, places: &[usize]) -> impl Iterator<Item = usize> {
        let run = |place: usize| self.material.series.points[place].runs.iter().max();
        let of_runs = places.chunk_by(move |one, other| run(*one) == run(*other));
        of_runs.filter_map(|of_run| of_run.last().copied())
    }

    /// The detector's findings at a length that are believed; known changes need less evidence.
    fn found(
        &self,
        length: usize,
        alerts: &[Alert],
        (refuted, hidden): (&[PlaceMeasuredAgain], &[HiddenChange]),
        places: &HashMap<&str, usize>,
    ) -> Detection {
        let whole = length == self.material.points.len();
        let mut detection =
            if whole { self.judgement.everything() } else { self.material.detect_until(length) };
        let identity = |change: &stats::DetectedChange| (change.index, change.kind);
        let known: Vec<_> = ledger::known(alerts, &detection).into_iter().map(identity).collect();
        let is_known = |change: &stats::DetectedChange| known.contains(&identity(change));
        let is_reported = |change: &stats::DetectedChange| {
            (is_known(change) || change.p <= self.judgement.cut && !self.is_hidden(change, hidden))
                && !refuted.iter().any(|refuted| refuted.is(change))
        };
        detection.changes.retain(is_reported);
        detection.scatter.retain(is_reported);
        self.keep_gains(&mut detection.changes, alerts);
        self.keep_settled(&mut detection.changes, places);
        detection
    }

    /// Leaves to the commit what other layouts have shown to be its own, though one build alone
    /// differs.
    fn keep_settled(&self, found: &mut [stats::DetectedChange], places: &HashMap<&str, usize>) {
        let settled = self.known.iter().filter(|change| change.is_settled_by_layouts());
        let settled: Vec<PlaceMeasuredAgain> =
            settled.filter_map(|change| PlaceMeasuredAgain::of(change, places)).collect();
        let is_build = |found: &&mut stats::DetectedChange| found.kind == stats::Kind::Build;
        for found in found.iter_mut().filter(is_build) {
            if settled.iter().any(|settled| settled.is(found)) {
                found.kind = stats::Kind::Step;
            }
        }
    }

    /// Leaves a step for the better that was confirmed one: when its level is lost soon after, it
    /// is not called a dip, whose end is no regression.
    fn keep_gains(&self, found: &mut [stats::DetectedChange], alerts: &[Alert]) {
        let rises_well = self.material.series.key.metric.better == Direction::Higher;
        let is_gain = |alert: &&Alert| {
            alert.state == AlertState::Confirmed
                && alert.change.kind == stats::Kind::Step
                && (alert.change.effect > 0.0) == rises_well
        };
        for gain in alerts.iter().filter(is_gain) {
            let is_it = |found: &stats::DetectedChange| {
                found.kind == stats::Kind::DipStart
                    && found.index.abs_diff(gain.change.index) <= SAME_PLACE
                    && (found.effect > 0.0) == rises_well
            };
            let Some(start) = found.iter().position(is_it) else { continue };
            let end = found[start..].iter().position(|found| found.kind == stats::Kind::DipEnd);
            for at in [Some(start), end.map(|end| start + end)].into_iter().flatten() {
                found[at].kind = stats::Kind::Step;
            }
        }
    }

    /// Alerts as they are kept, and what happened to them since.
    fn reported(
        &self,
        alerts: &[Alert],
        kept: &HashMap<u32, &Change>,
        events: &[AlertEvent],
        names: &mut HashSet<String>,
    ) -> LifeUpdate {
        // Changes that were withdrawn before do not change. New changes that are not seen any more
        // were not reported yet.
        let is_reported = |alert: &&Alert| match kept.get(&alert.id) {
            Some(change) => alert.is_active() || change.is_active(),
            None => {
                alert.is_active() && (alert.missed == 0 || alert.state == AlertState::Confirmed)
            }
        };
        let reported: Vec<&Alert> = alerts.iter().filter(is_reported).collect();
        let with_names: Vec<(String, &Alert)> = reported
            .into_iter()
            .map(|alert| match kept.get(&alert.id) {
                Some(change) => (change.name.clone(), alert),
                None => (self.name(alert, names), alert),
            })
            .collect();
        let mut fixed = fixed(&with_names, kept, |alert| self.is_settled(alert));
        self.keep_fixed(&mut fixed, alerts, kept);
        let mut lived = LifeUpdate { changes: Vec::new(), happenings: Vec::new() };
        for (name, alert) in &with_names {
            let before = kept.get(&alert.id).copied();
            let change = self.change(name, alert, before, fixed.get(name).cloned());
            let happened = happened(before, &change, alert, events);
            lived.happenings.extend(
                happened.into_iter().map(|what| (name.clone(), Happening { at: self.now, what })),
            );
            if before != Some(&change) {
                lived.changes.push(change);
            }
        }
        lived
    }

    /// Whether a change is confirmed, or many revisions agree with it.
    fn is_settled(&self, alert: &Alert) -> bool {
        let since = self.material.places().filter(|place| *place >= alert.change.index).count();
        alert.state == AlertState::Confirmed || (alert.missed == 0 && since >= SETTLED)
    }

    /// Keeps fixed changes fixed. A change that analyses do not see any more may still have had its
    /// level come back. A change whose fix is not seen any more stays fixed if the values show it.
    fn keep_fixed(
        &self,
        fixed: &mut HashMap<String, String>,
        alerts: &[Alert],
        kept: &HashMap<u32, &Change>,
    ) {
        let name = |alert: &Alert| kept.get(&alert.id).map(|change| change.name.as_str());
        for alert in alerts {
            let Some(change) = kept.get(&alert.id) else { continue };
            let Some(by) = change.fixed_by.as_ref().filter(|_| !fixed.contains_key(&change.name))
            else {
                continue;
            };
            let other = alerts.iter().find(|other| name(other) == Some(by) && !other.is_active());
            if !alert.is_active() || other.is_some_and(|other| self.is_back(alert, other, alerts)) {
                fixed.insert(change.name.clone(), by.clone());
            }
        }
    }

    /// Whether the values from the other change's place to the next change that is not withdrawn
    /// are back at the level before this one.
    fn is_back(&self, alert: &Alert, other: &Alert, alerts: &[Alert]) -> bool {
        let place = other.change.index;
        let later =
            alerts.iter().filter(|later| later.is_active() && later.change.kind.is_of_level());
        let next = later.map(|later| later.change.index).filter(|&later| later > place).min();
        let end = next.unwrap_or(self.material.points.len());
        let Some(since) = self.material.points.get(place..end) else { return false };
        let values: Vec<f64> = since.iter().map(|point| point.value).collect();
        let (before, after) = (alert.change.before, alert.change.after);
        Summary::of(&values)
            .is_some_and(|since| (since.median - before) / (after - before) <= RETURNED)
    }

    /// A name that nothing else has.
    fn name(&self, alert: &Alert, names: &mut HashSet<String>) -> String {
        let key = &self.material.series.key;
        let what = if alert.change.kind.is_of_level() { "level" } else { "spread" };
        let revision = self.material.revision(alert.change.index);
        let identity =
            [&key.benchmark.identity(), &key.metric.name, &key.host, revision, what].join("\n");
        let seed = Digest::of(identity);
        let mut attempt = 0;
        loop {
            let name = change_name(seed, attempt);
            if names.insert(name.clone()) {
                return name;
            }
            attempt += 1;
        }
    }

    fn change(
        &self,
        name: &str,
        alert: &Alert,
        before: Option<&Change>,
        fixed_by: Option<String>,
    ) -> Change {
        let life = match alert.state {
            AlertState::Provisional => Life::Provisional,
            AlertState::Confirmed => Life::Confirmed,
            AlertState::Withdrawn(why) => Life::Withdrawn { why: withdrawal(why) },
        };
        let mut finding = self.finding(alert);
        if let Some(before) = before.filter(|_| alert.missed > 0) {
            // A change that is not seen now keeps its environment.
            finding.environment.clone_from(&before.finding.environment);
        }
        match before {
            Some(before) => {
                let points = || self.material.series.points.iter();
                let place = |id: &str| points().position(|point| point.revision.id == id);
                let stays = !before.differs_again() || is_within(place, &finding, &before.finding);
                let again = before.again.clone().filter(|_| stays);
                Change { finding, life, fixed_by, again, ..before.clone() }
            }
            None => Change {
                name: name.to_owned(),
                series: self.material.series.key.clone(),
                found: self.now,
                finding,
                life,
                word: ChangeState::New,
                note: String::new(),
                fixed_by,
                again: None,
                named_by: None,
                of_merge: None,
                same_program: Vec::new(),
                left: None,
            },
        }
    }

    fn finding(&self, alert: &Alert) -> Finding {
        let change = &alert.change;
        let revision = |place: usize| self.material.revision(place).to_owned();
        let before =
            |place: usize| self.material.places().rev().find(|&other| other < place).unwrap_or(0);
        let (first, last) =
            (*change.range.start(), (*change.range.end()).min(self.material.points.len() - 1));
        let finite = |number: f64| Some(number).filter(|number| number.is_finite());
        // A change of the program is reported as that alone.
        let is_reported =
            !matches!(change.kind, stats::Kind::Step | stats::Kind::DipStart | stats::Kind::DipEnd);
        let differences = self.material.environments.differences(before(first), last).into_iter();
        let differences = differences.filter(|_| is_reported);
        let machine = self.judgement.machines.get(&change.index).filter(|_| is_reported);
        Finding {
            revision: revision(change.index),
            good: revision(self.material.last_with_program(before(first), change.index)),
            bad: revision(last),
            before: change.before,
            after: change.after,
            effect: finite(change.effect),
            interval: finite(change.interval.0).zip(finite(change.interval.1)),
            p: change.p,
            kind: kind_of(change.kind),
            environment: machine
                .cloned()
                .into_iter()
                .chain(differences.map(|d| TagChange {
                    tag: d.tag,
                    before: d.before,
                    after: d.after,
                }))
                .collect(),
            points: u32::try_from(self.material.places().count()).unwrap_or(u32::MAX),
            seen: alert.seen,
            missed: alert.missed,
        }
    }
}

/// A change with its ends among all points, whose place has no values now.
struct HiddenChange {
    good: usize,
    bad: usize,
    effect: f64,
    /// Whether the change is the program's, and not the environment's.
    is_programs: bool,
}

/// A change that was measured again, with a known result.
struct PlaceMeasuredAgain {
    index: usize,
    effect: f64,
}

impl PlaceMeasuredAgain {
    /// The change; `None` if its place has no value now.
    fn of(change: &Change, places: &HashMap<&str, usize>) -> Option<Self> {
        let index = *places.get(change.finding.revision.as_str())?;
        Some(Self { index, effect: effect(&change.finding) })
    }

    /// Whether a change that is found now is this one again: at the same place, in the same
    /// direction, and less than twice as large; otherwise another change has been added.
    fn is(&self, found: &stats::DetectedChange) -> bool {
        let alike = (found.effect > 0.0) == (self.effect > 0.0) && found.kind.is_of_level();
        alike
            && self.index.abs_diff(found.index) <= SAME_PLACE
            && size(found.effect) <= 2.0 * size(self.effect)
    }
}

/// How large an effect is, whichever way it goes: the logarithm of its ratio.
fn size(effect: f64) -> f64 {
    effect.max(-1.0).ln_1p().abs()
}

/// A change that was measured again and differed is a fact, even if analyses miss it for long.
fn hold(alerts: &mut [Alert], kept: &HashMap<u32, &Change>) {
    for alert in alerts {
        if kept.get(&alert.id).is_some_and(|change| change.differs_again()) {
            alert.missed = alert.missed.min(WITHDRAW_AFTER - 2);
        }
    }
}

/// Takes what was seen once more without new values as not seen once more: it confirms nothing.
fn uncount(alerts: &mut [Alert], kept: &HashMap<u32, &Change>, events: &mut Vec<AlertEvent>) {
    for alert in alerts {
        let Some(change) = kept.get(&alert.id) else { continue };
        alert.seen = alert.seen.min(change.finding.seen);
        if alert.state == AlertState::Confirmed && change.life == Life::Provisional {
            alert.state = AlertState::Provisional;
            events.retain(|event| *event != AlertEvent::Confirmed { id: alert.id });
        }
    }
}

/// For each change the name of that with which its level came back, by name: once that is settled,
/// as else each that is withdrawn would make a regression new again.
fn fixed(
    named: &[(String, &Alert)],
    kept: &HashMap<u32, &Change>,
    is_settled: impl Fn(&Alert) -> bool,
) -> HashMap<String, String> {
    let mut standing: Vec<&(String, &Alert)> =
        named.iter().filter(|(_, alert)| alert.is_active()).collect();
    standing.sort_by_key(|(_, alert)| alert.change.index);
    let changes: Vec<stats::DetectedChange> =
        standing.iter().map(|(_, alert)| as_known(alert, kept.get(&alert.id).copied())).collect();
    let back = returns(&changes)
        .into_iter()
        .enumerate()
        .filter_map(|(at, by)| Some((standing[at], standing[by?])));
    let was_fixed = |alert: &Alert, by: &String| {
        kept.get(&alert.id).is_some_and(|change| change.fixed_by.as_ref() == Some(by))
    };
    let settled = back.filter(|((_, alert), (name, by))| is_settled(by) || was_fixed(alert, name));
    settled.map(|((name, _), (by, _))| (name.clone(), by.clone())).collect()
}

/// A change as it was found, or the program's where it differed when it was measured again.
fn as_known(alert: &Alert, kept: Option<&Change>) -> stats::DetectedChange {
    let mut change = alert.change.clone();
    if change.kind == stats::Kind::Environment && kept.is_some_and(Change::differs_again) {
        change.kind = stats::Kind::Step;
    }
    change
}

/// The events of a change since it was kept, in order.
fn happened(
    before: Option<&Change>,
    now: &Change,
    alert: &Alert,
    events: &[AlertEvent],
) -> Vec<HappeningKind> {
    let mut all = Vec::new();
    match before {
        None => all.push(HappeningKind::Found { revision: now.finding.revision.clone() }),
        Some(before) if has_moved(&before.finding, &now.finding) => {
            all.push(HappeningKind::Moved { from: Box::new(before.finding.clone()) });
        }
        Some(_) => {}
    }
    for event in events {
        match *event {
            AlertEvent::Revived { id } if id == alert.id && before.is_some() => {
                all.push(HappeningKind::Found { revision: now.finding.revision.clone() });
            }
            AlertEvent::Confirmed { id } if id == alert.id => {
                all.push(HappeningKind::Confirmed { seen: Some(alert.seen) });
            }
            AlertEvent::Withdrawn { id, why } if id == alert.id => {
                all.push(HappeningKind::Withdrawn { why: withdrawal(why) });
            }
            _ => {}
        }
    }
    let fixed = before.and_then(|before| before.fixed_by.as_ref());
    match (fixed, &now.fixed_by) {
        (old, Some(by)) if old != Some(by) => all.push(HappeningKind::Fixed { by: by.clone() }),
        (Some(_), None) => all.push(HappeningKind::Unfixed),
        _ => {}
    }
    all
}

/// Whether the reported finding differs from the earlier one: another place, kind, range or size.
fn has_moved(before: &Finding, now: &Finding) -> bool {
    let outside = now
        .effect
        .zip(before.interval)
        .is_some_and(|(effect, (low, high))| !(low..=high).contains(&effect));
    let ends = |finding: &Finding| (finding.good.clone(), finding.bad.clone());
    before.revision != now.revision
        || before.kind != now.kind
        || ends(before) != ends(now)
        || outside
}
