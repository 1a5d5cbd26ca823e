//! Changes, for people and for machines.

mod answer;
mod confirmation;
mod evidence;
mod given;
mod histogram;
mod history;
mod listing;
mod sides;

pub use confirmation::{ConfirmationReport, ConfirmationRequest};
pub use evidence::{Evidence, EvidenceAnswer};
pub use given::GivenChanges;
pub use listing::{ChangeListing, ListedEvent};
pub use sides::ChangeSide;

use tacho_experiment::BuildGap;
use tacho_experiment::changes::{ChangeVerdict, JudgedSeries, kind_of};
use tacho_record::{Change, ChangeKind, ChangeState, Life, SeriesKey, Withdrawal};
pub use tacho_report::words::{effect, effect_interval as interval};
use tacho_stats::changes::{self as stats, Drift, JudgementStatus, Modes, Refusal};

use super::text;
use crate::cli::{self, StateFilter};

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
            metrics: list.metric.clone(),
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
        let large = change.finding.effect.is_none_or(|effect| effect.abs() >= self.min_effect);
        large
            && self.shows_state(change)
            && self.shows_kind(change.finding.kind)
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

    /// Whether a stretch that could not be built is shown: whether it lies in the range, or in
    /// part.
    pub fn shows_stretch(&self, stretch: &BuildGap) -> bool {
        stretch.last.order > self.orders.0 && stretch.first.order <= self.orders.1
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

    fn shows_kind(&self, kind: ChangeKind) -> bool {
        let kind = match kind {
            ChangeKind::Build => cli::KindName::Build,
            ChangeKind::Step => cli::KindName::Step,
            ChangeKind::DipStart | ChangeKind::DipEnd => cli::KindName::Temporary,
            ChangeKind::ModeShare => cli::KindName::ModeShare,
            ChangeKind::Spread => cli::KindName::Spread,
            ChangeKind::Environment => cli::KindName::Environment,
        };
        self.kinds.is_empty() || self.kinds.contains(&kind)
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

/// A kind as it stands in JSON.
pub fn kind_key(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Build => "build",
        ChangeKind::DipEnd => "dip-end",
        ChangeKind::DipStart => "dip-start",
        ChangeKind::Environment => "environment",
        ChangeKind::ModeShare => "mode-share",
        ChangeKind::Spread => "spread",
        ChangeKind::Step => "step",
    }
}

/// A verdict as it stands in JSON and in tables.
pub fn verdict_word(verdict: ChangeVerdict) -> &'static str {
    match verdict {
        ChangeVerdict::Better => "better",
        ChangeVerdict::Worse => "worse",
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

/// Why something is no change.
pub fn refusal(why: Refusal) -> &'static str {
    match why {
        Refusal::Drift => "the level wanders as much everywhere",
        Refusal::Few => "too few values yet",
        Refusal::Mode => "a level that it goes to now and then",
        Refusal::Small => "not clear enough against the noise",
        Refusal::Spike => "very few values far off",
    }
}

/// Why what was found is told of no series, be it one or many.
pub const BY_CHANCE: &str = "chance alone shows one as clear too often";

/// Why a series was not judged; nothing if it was.
pub fn not_judged(judged: JudgementStatus) -> Option<String> {
    match judged {
        JudgementStatus::Yes | JudgementStatus::Constant => None,
        JudgementStatus::Empty => Some("it has no values".to_owned()),
        JudgementStatus::TooFew { points, needed } => Some(format!(
            "it has {} with values, and {needed} are needed",
            text::count(points, "point")
        )),
    }
}

/// What is always to be said of a series beside its changes, drifts where they are `wanted`.
pub fn remarks(series: &JudgedSeries, wanted: impl Fn(&Drift) -> bool) -> Vec<String> {
    let left_out = (series.material.bounds > 0).then(|| bounds(series.material.bounds));
    let drifts = series.judgement.detection.drift.iter().filter(|drift| wanted(drift));
    drifts.map(drift).chain(left_out).collect()
}

/// Points that reached a limit, in a sentence.
fn bounds(points: usize) -> String {
    let which = text::count(points, "revision");
    format!(
        "left out: {which} of which only a lower bound is known, since executions reached a limit"
    )
}

/// A drift in a sentence.
pub fn drift(drift: &Drift) -> String {
    let places = drift.last.saturating_sub(drift.first) + 1;
    format!(
        "drifts by {} over {}, at no single place",
        effect(drift.effect),
        text::count(places, "point")
    )
}

/// Modes in a sentence.
pub fn modes(modes: &Modes) -> String {
    let level = |mode: &stats::Mode| {
        let ratio =
            if mode.ratio == 1.0 { "its usual level".to_owned() } else { text::change(mode.ratio) };
        format!("{ratio} ({})", text::percent(mode.share))
    };
    let levels: Vec<String> = modes.levels.iter().map(level).collect();
    format!("goes to and fro between {}", levels.join(" and "))
}

/// The user's word, in words.
pub fn word(word: ChangeState) -> &'static str {
    match word {
        ChangeState::Acknowledged => "acknowledged",
        ChangeState::Expected => "expected",
        ChangeState::FalseAlarm => "false alarm",
        ChangeState::Fixed => "fixed",
        ChangeState::New => "new",
    }
}

/// Why a change was withdrawn, in words.
pub fn withdrawal(why: Withdrawal) -> &'static str {
    match why {
        Withdrawal::Nearer => "seen from farther away: a change within its range explains it",
        Withdrawal::NotConfirmed => "not seen again before it could be confirmed",
        Withdrawal::NotReproduced => "measured again, both sides do not differ",
        Withdrawal::NotSeen => "not seen in what was measured since",
    }
}

/// Where a change stands by itself, in a word.
pub fn life_word(life: Life) -> &'static str {
    match life {
        Life::Confirmed => "confirmed",
        Life::Provisional => "provisional",
        Life::Withdrawn { .. } => "withdrawn",
    }
}

/// Where a commit can be seen, by the plan's pattern; nowhere where that is of files.
pub fn link(pattern: &str, revision: &str) -> Option<String> {
    let link = || pattern.replace("{commit}", revision).replace("{release}", revision);
    (!pattern.contains("{file}")).then(link)
}
