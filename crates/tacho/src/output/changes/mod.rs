//! Changes, for people and for machines.

mod answer;
mod confirmation;
mod evidence;
mod histogram;
mod history;
mod listing;
mod numbers;
mod sides;

pub use confirmation::{ConfirmationReport, ConfirmationRequest};
pub use evidence::{Evidence, EvidenceAnswer};
pub use listing::{ChangeListing, ListedEvent};
pub use numbers::GivenChanges;

use std::collections::HashSet;

use tacho_experiment::changes::{JudgedSeries, kind_of};
use tacho_record::{
    BuildGap, Change, ChangeKind, ChangeState, Finding, Life, Point, SeriesKey, first_of,
};
use tacho_report::detection;
use tacho_stats::changes::{self as stats, Drift};

use crate::cli::{self, StateFilter};
use crate::counters::usual_name;

/// Which changes are shown.
#[derive(Clone, Debug)]
pub struct Filter {
    benchmarks: Vec<String>,
    metrics: Vec<String>,
    /// The least effect, as a share.
    min_effect: f64,
    /// Empty: all kinds.
    kinds: Vec<cli::KindName>,
    /// What users say; empty: all but false alarms.
    words: Vec<StateFilter>,
    /// Where changes stand by themselves; empty: all but withdrawn.
    lives: Vec<StateFilter>,
    /// After the first, up to the second of these places in history.
    orders: (u64, u64),
    /// Also what was withdrawn or refused.
    pub all: bool,
}

impl Filter {
    /// As it was typed; `orders` is what the range means.
    pub fn of(list: &cli::ListChangesArgs, orders: (u64, u64)) -> Self {
        let is_life = |state: &StateFilter| {
            matches!(
                state,
                StateFilter::Provisional | StateFilter::Confirmed | StateFilter::Withdrawn
            )
        };
        let (lives, words) = list.state.iter().partition(|state| is_life(state));
        Self {
            benchmarks: list.benchmark.clone(),
            metrics: list.metric.iter().map(|name| usual_name(name)).collect(),
            min_effect: list.min_effect / 100.0,
            kinds: list.kind.clone(),
            words,
            lives,
            orders,
            all: list.all,
        }
    }

    /// The same, showing only what users have said nothing to, unless their words are asked for.
    pub fn of_new(list: &cli::ListChangesArgs, orders: (u64, u64)) -> Self {
        let mut filter = Self::of(list, orders);
        if filter.words.is_empty() {
            filter.words.push(StateFilter::New);
        }
        filter
    }

    /// Whether a change of anybody's numbers is shown.
    pub fn shows(&self, change: &stats::DetectedChange) -> bool {
        change.effect.abs() >= self.min_effect && self.shows_kind(kind_of(change.kind))
    }

    /// Whether a change that was asked for by name is shown, whatever its state.
    pub fn shows_asked(&self, change: &Change, place: (u64, u64)) -> bool {
        let all = self.all || self.words.is_empty() && self.lives.is_empty();
        Self { all, ..self.clone() }.shows_kept(change, place)
    }

    /// Whether a change that is kept is shown; its place is between these two in history.
    pub fn shows_kept(&self, change: &Change, (good, bad): (u64, u64)) -> bool {
        let key = &change.series;
        let large = change.effect().is_none_or(|effect| effect.abs() >= self.min_effect);
        large
            && self.shows_state(change)
            && self.shows_kind_of(&change.finding)
            && self.shows_series(key)
            && (bad > self.orders.0 && good < self.orders.1)
    }

    /// Whether what is said of a change, by users and by itself, is asked for.
    fn shows_state(&self, change: &Change) -> bool {
        let (word, life) = (word_of(change.state()), life_of(change.life));
        let said = match self.words.as_slice() {
            [] => self.all || word != StateFilter::FalseAlarm,
            words => words.contains(&word),
        };
        let stands = match self.lives.as_slice() {
            [] => self.all || change.stands(),
            lives => lives.contains(&life),
        };
        said && stands
    }

    /// Whether a gap is shown: whether it lies in the range, or in part.
    pub fn shows_gap(&self, gap: &BuildGap) -> bool {
        gap.last.order > self.orders.0 && gap.first.order <= self.orders.1
    }

    /// Whether a series is shown.
    pub fn shows_series(&self, key: &SeriesKey) -> bool {
        self.shows_benchmark(&key.benchmark.to_string(), &key.benchmark.name)
            && (self.metrics.is_empty()
                || self.names_metric(&key.metric.name)
                || self.names_metric("all"))
    }

    /// Whether a benchmark, or a series of a file, is shown: by its name, with its parameters or
    /// without.
    pub fn shows_benchmark(&self, whole: &str, name: &str) -> bool {
        self.benchmarks.is_empty()
            || self.benchmarks.iter().any(|asked| asked == whole || asked == name)
    }

    /// Whether a drift is shown: unless other kinds are asked for, or larger ones.
    pub fn shows_drift(&self, drift: &Drift) -> bool {
        let asked_for = self.kinds.is_empty() || self.kinds.contains(&cli::KindName::Drift);
        asked_for && drift.effect.abs() >= self.min_effect
    }

    /// Whether a metric is asked for by its name.
    pub fn names_metric(&self, name: &str) -> bool {
        self.metrics.iter().any(|asked| asked == name)
    }

    /// Whether the kind of a finding is shown: by its name, or by the cause that its row names.
    fn shows_kind_of(&self, finding: &Finding) -> bool {
        let by_cause = |cause| self.kinds.contains(&cause);
        self.shows_kind(finding.kind)
            || finding.is_of_machine() && by_cause(cli::KindName::Machine)
            || finding.is_of_other_work() && by_cause(cli::KindName::BusyHost)
    }

    fn shows_kind(&self, kind: ChangeKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&name_of(kind))
    }
}

/// A kind as it is typed.
fn name_of(kind: ChangeKind) -> cli::KindName {
    match kind {
        ChangeKind::Build => cli::KindName::Build,
        ChangeKind::Step => cli::KindName::Step,
        ChangeKind::DipStart | ChangeKind::DipEnd => cli::KindName::Temporary,
        ChangeKind::ModeShare => cli::KindName::ModeShare,
        ChangeKind::Spread => cli::KindName::Spread,
        ChangeKind::Environment => cli::KindName::Environment,
    }
}

/// The user's word as it is typed.
fn word_of(word: ChangeState) -> StateFilter {
    match word {
        ChangeState::Acknowledged => StateFilter::Acknowledged,
        ChangeState::Expected => StateFilter::Expected,
        ChangeState::FalseAlarm => StateFilter::FalseAlarm,
        ChangeState::Fixed => StateFilter::Fixed,
        ChangeState::New => StateFilter::New,
    }
}

/// Where a change stands, as it is typed.
fn life_of(life: Life) -> StateFilter {
    match life {
        Life::Confirmed => StateFilter::Confirmed,
        Life::Provisional => StateFilter::Provisional,
        Life::Withdrawn { .. } => StateFilter::Withdrawn,
    }
}

/// How sure it is: `99.99 %`, never a hundred.
pub fn confidence(p: f64) -> String {
    match p {
        p if p < 1e-4 => "> 99.99 %".to_owned(),
        p if p < 0.1 => format!("{:.2} %", 100.0 * (1.0 - p)),
        p => format!("{:.0} %", 100.0 * (1.0 - p)),
    }
}

/// Why a series was not judged, by its different builds; nothing if it was.
pub fn not_judged(series: &JudgedSeries) -> Option<String> {
    let material = &series.material;
    let revisions = material.series.points.iter().filter(|point| !point.values.is_empty()).count();
    detection::not_judged_of(series.judgement.detection.judged, revisions)
}

/// What is always to be said of a series beside its changes, drifts where they are `wanted`.
pub fn remarks(series: &JudgedSeries, wanted: impl Fn(&Drift) -> bool) -> Vec<String> {
    let left_out = (series.material.bounds > 0).then(|| detection::bounds(series.material.bounds));
    let drifts = series.judgement.detection.drift.iter().filter(|drift| wanted(drift));
    drifts.map(detection::drift).chain(left_out).collect()
}

/// How many revisions are named at most where nothing was valid.
const FAILING: usize = 3;

/// Where all executions of a benchmark failed, so that nothing is judged there: once a benchmark,
/// whatever its metrics.
pub fn failing<'a>(all: impl Iterator<Item = &'a JudgedSeries>) -> Vec<(SeriesKey, String)> {
    let mut seen = HashSet::new();
    let first = all.filter(|one| {
        let key = &one.material.series.key;
        seen.insert((key.benchmark.identity(), key.host.clone()))
    });
    let remark = |one: &JudgedSeries| {
        let is_failing = |point: &&Point| {
            point.values.is_empty() && point.failed > 0 && point.equal_to.is_none()
        };
        let series = &one.material.series;
        let names = series.points.iter().filter(is_failing).map(|it| it.revision.short());
        let names: Vec<&str> = names.collect();
        let list = first_of(&names, FAILING);
        (!names.is_empty())
            .then(|| (series.key.clone(), format!("not judged at {list}: all executions failed")))
    };
    first.filter_map(remark).collect()
}

/// Where a commit can be seen, by the plan's pattern; nowhere where that is of files.
pub fn link(pattern: &str, revision: &str) -> Option<String> {
    let link = || pattern.replace("{commit}", revision).replace("{release}", revision);
    (!pattern.contains("{file}")).then(link)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_help_of_a_kind_has_the_words_of_its_rows() {
        for kind in [
            ChangeKind::Build,
            ChangeKind::DipEnd,
            ChangeKind::DipStart,
            ChangeKind::Environment,
            ChangeKind::ModeShare,
            ChangeKind::Spread,
            ChangeKind::Step,
        ] {
            let option = clap::ValueEnum::to_possible_value(&name_of(kind)).unwrap();
            let help = option.get_help().unwrap().to_string();
            for words in [true, false].map(|rises| kind.words(rises)) {
                let is_there = option.get_name() == words || help.contains(&format!("`{words}`"));
                assert!(is_there, "{words}: {help}");
            }
        }
    }

    #[test]
    fn a_kind_is_asked_for_by_the_word_of_its_row() {
        let finding = |tag: &str| -> Finding {
            serde_json::from_value(json!({
                "revision": "b", "good": "a", "bad": "b", "before": 100.0, "after": 110.0,
                "effect": 0.1, "interval": null, "p": 0.0, "kind": "environment",
                "environment": [{ "tag": tag, "before": "", "after": "busy" }],
                "points": 9, "seen": 1, "missed": 0
            }))
            .unwrap()
        };
        let shown = |kind: &str| {
            let kind = vec![clap::ValueEnum::from_str(kind, false).unwrap()];
            let list = cli::ListChangesArgs { kind, ..cli::ListChangesArgs::default() };
            let filter = Filter::of(&list, (0, 9));
            ["kernel", "machine", "other work"].map(|tag| filter.shows_kind_of(&finding(tag)))
        };
        assert_eq!(shown("environment"), [true, true, true]);
        assert_eq!(shown("machine"), [false, true, false]);
        assert_eq!(shown("busy-host"), [false, false, true]);
        assert_eq!(shown("step"), [false, false, false]);
    }
}
