//! The changes that the user wants to see.

use tacho_record::{BuildGap, Change, ChangeKind, ChangeState, Finding, Life, SeriesKey};
use tacho_stats::changes::{DetectedChange, Drift};

use super::kept_alert::kind_of;

/// The kinds of changes that may be requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedKind {
    /// Its kind.
    Kind(ChangeKind),
    /// The machine, which became faster or slower at the same place.
    Machine,
    /// Other work on the host, which explains it.
    OtherWork,
    /// A level that moved slowly: there is no single change.
    Drift,
}

/// A life, whatever its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedLife {
    /// [`Life::Confirmed`].
    Confirmed,
    /// [`Life::Provisional`].
    Provisional,
    /// [`Life::Withdrawn`].
    Withdrawn,
}

impl From<Life> for WantedLife {
    fn from(life: Life) -> Self {
        match life {
            Life::Confirmed => Self::Confirmed,
            Life::Provisional => Self::Provisional,
            Life::Withdrawn { .. } => Self::Withdrawn,
        }
    }
}

/// A filter of changes.
#[derive(Clone, Debug)]
pub struct ChangeFilter {
    /// The names of benchmarks; empty: all.
    pub benchmarks: Vec<String>,
    /// The names of metrics; empty: all.
    pub metrics: Vec<String>,
    /// The least effect, as a share.
    pub min_effect: f64,
    /// Empty: all kinds.
    pub kinds: Vec<WantedKind>,
    /// The states given by users; empty: all but false alarms.
    pub states: Vec<ChangeState>,
    /// The states given by analyses; empty: all but withdrawn.
    pub lives: Vec<WantedLife>,
    /// After the first, up to the second of these places in history.
    pub orders: (u64, u64),
    /// Also what was withdrawn or refused.
    pub all: bool,
}

impl Default for ChangeFilter {
    /// All changes of all history that are neither withdrawn nor false alarms.
    fn default() -> Self {
        Self {
            benchmarks: Vec::new(),
            metrics: Vec::new(),
            min_effect: 0.0,
            kinds: Vec::new(),
            states: Vec::new(),
            lives: Vec::new(),
            orders: (0, u64::MAX),
            all: false,
        }
    }
}

impl ChangeFilter {
    /// The same, showing only what users have said nothing to, unless states are wanted.
    #[must_use]
    pub fn or_new(mut self) -> Self {
        if self.states.is_empty() {
            self.states.push(ChangeState::New);
        }
        self
    }

    /// Whether a change of the user's own numbers is shown.
    #[must_use]
    pub fn shows(&self, change: &DetectedChange) -> bool {
        change.effect.abs() >= self.min_effect && self.shows_kind(kind_of(change.kind))
    }

    /// Whether a change that was given by name is shown, whatever its state.
    #[must_use]
    pub fn shows_named(&self, change: &Change, place: (u64, u64)) -> bool {
        let all = self.all || self.states.is_empty() && self.lives.is_empty();
        Self { all, ..self.clone() }.shows_kept(change, place)
    }

    /// Whether a change that is kept is shown; its place is between these two in history.
    #[must_use]
    pub fn shows_kept(&self, change: &Change, (good, bad): (u64, u64)) -> bool {
        let key = &change.series;
        let large = change.effect().is_none_or(|effect| effect.abs() >= self.min_effect);
        large
            && self.shows_state(change)
            && self.shows_kind_of(&change.finding)
            && self.shows_series(key)
            && (bad > self.orders.0 && good < self.orders.1)
    }

    /// Whether the states of a change, from users and from analyses, are requested.
    fn shows_state(&self, change: &Change) -> bool {
        let (state, life) = (change.state(), WantedLife::from(change.life));
        let said = match self.states.as_slice() {
            [] => self.all || state != ChangeState::FalseAlarm,
            states => states.contains(&state),
        };
        let has_life = match self.lives.as_slice() {
            [] => self.all || change.is_active(),
            lives => lives.contains(&life),
        };
        said && has_life
    }

    /// Whether a gap is shown: whether it is in the range, at least in part.
    #[must_use]
    pub fn shows_gap(&self, gap: &BuildGap) -> bool {
        gap.last.order > self.orders.0 && gap.first.order <= self.orders.1
    }

    /// Whether a series is shown.
    #[must_use]
    pub fn shows_series(&self, key: &SeriesKey) -> bool {
        self.shows_benchmark(&key.benchmark.to_string(), &key.benchmark.name)
            && (self.metrics.is_empty()
                || self.names_metric(&key.metric.name)
                || self.names_metric("all"))
    }

    /// Whether a benchmark, or a series of a file, is shown: by its name, with its parameters or
    /// without.
    #[must_use]
    pub fn shows_benchmark(&self, whole: &str, name: &str) -> bool {
        self.benchmarks.is_empty()
            || self.benchmarks.iter().any(|wanted| wanted == whole || wanted == name)
    }

    /// Whether a drift is shown: unless other kinds are wanted, or larger ones.
    #[must_use]
    pub fn shows_drift(&self, drift: &Drift) -> bool {
        let is_wanted = self.kinds.is_empty() || self.kinds.contains(&WantedKind::Drift);
        is_wanted && drift.effect.abs() >= self.min_effect
    }

    /// Whether a metric is wanted by its name.
    #[must_use]
    pub fn names_metric(&self, name: &str) -> bool {
        self.metrics.iter().any(|wanted| wanted == name)
    }

    /// Whether the kind of a finding is shown: by its name, or by the cause that its row names.
    fn shows_kind_of(&self, finding: &Finding) -> bool {
        let by_cause = |cause| self.kinds.contains(&cause);
        self.shows_kind(finding.kind)
            || finding.is_of_machine() && by_cause(WantedKind::Machine)
            || finding.is_of_other_work() && by_cause(WantedKind::OtherWork)
    }

    fn shows_kind(&self, kind: ChangeKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&WantedKind::Kind(kind))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tacho_record::Withdrawal;

    use super::super::tests::change;
    use super::*;

    #[test]
    fn a_finding_is_wanted_by_its_kind_or_its_cause() {
        let finding = |tag: &str| -> Finding {
            serde_json::from_value(json!({
                "revision": "b", "good": "a", "bad": "b", "before": 100.0, "after": 110.0,
                "effect": 0.1, "interval": null, "p": 0.0, "kind": "environment",
                "environment": [{ "tag": tag, "before": "", "after": "busy" }],
                "points": 9, "seen": 1, "missed": 0
            }))
            .unwrap()
        };
        let shown = |kind: WantedKind| {
            let filter = ChangeFilter { kinds: vec![kind], ..ChangeFilter::default() };
            ["kernel", "machine", "other work"].map(|tag| filter.shows_kind_of(&finding(tag)))
        };
        assert_eq!(shown(WantedKind::Kind(ChangeKind::Environment)), [true, true, true]);
        assert_eq!(shown(WantedKind::Machine), [false, true, false]);
        assert_eq!(shown(WantedKind::OtherWork), [false, false, true]);
        assert_eq!(shown(WantedKind::Kind(ChangeKind::Step)), [false, false, false]);
    }

    #[test]
    fn states_and_lives_must_both_be_wanted() {
        let at = |state: ChangeState, life: Life| Change {
            word: state,
            life,
            ..change("zurepi", "a", "b", 0.1)
        };
        let withdrawn = Life::Withdrawn { why: Withdrawal::NotConfirmed };
        let changes = [
            at(ChangeState::New, Life::Confirmed),
            at(ChangeState::New, Life::Provisional),
            at(ChangeState::Expected, Life::Confirmed),
            at(ChangeState::FalseAlarm, Life::Confirmed),
            at(ChangeState::New, withdrawn),
        ];
        let shown = |filter: &ChangeFilter| {
            changes.each_ref().map(|change| filter.shows_kept(change, (1, 2)))
        };
        let filter = ChangeFilter::default;
        assert_eq!(shown(&filter()), [true, true, true, false, false]);
        assert_eq!(shown(&filter().or_new()), [true, true, false, false, false]);
        assert_eq!(shown(&ChangeFilter { all: true, ..filter() }), [true; 5]);
        let confirmed = ChangeFilter { lives: vec![WantedLife::Confirmed], ..filter() };
        assert_eq!(shown(&confirmed), [true, false, true, false, false]);
        assert_eq!(shown(&confirmed.or_new()), [true, false, false, false, false]);
        let gone = ChangeFilter { lives: vec![WantedLife::Withdrawn], ..filter() };
        assert_eq!(shown(&gone), [false, false, false, false, true]);
        assert!(changes.iter().all(|change| filter().shows_named(change, (1, 2))));
        let range = ChangeFilter { orders: (2, 9), ..filter() };
        assert!(!range.shows_kept(&changes[0], (1, 2)) && range.shows_kept(&changes[0], (1, 3)));
    }
}
