//! Changes, for people and for machines.

mod given;

pub use given::Found;

use tacho_experiment::changes::Verdict;
use tacho_stats::changes::{Change, Drift, Judged, Kind, Modes, Refusal};

use super::text;
use crate::cli;

/// Which changes are shown.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The least effect, as a share.
    min_effect: f64,
    /// Empty: all kinds.
    kinds: Vec<cli::Kind>,
    /// Also what was refused.
    pub all: bool,
}

impl Filter {
    /// As it was typed.
    pub fn of(command: &cli::Changes) -> Self {
        Self { min_effect: command.min_effect / 100.0, kinds: command.kind.clone(), all: command.all }
    }

    /// Whether a change is shown.
    pub fn shows(&self, change: &Change) -> bool {
        let kind = match change.kind {
            Kind::Step => cli::Kind::Step,
            Kind::DipStart | Kind::DipEnd => cli::Kind::Dip,
            Kind::ModeShare => cli::Kind::ModeShare,
            Kind::Spread => cli::Kind::Spread,
            Kind::Environment => cli::Kind::Environment,
        };
        let large = change.effect.abs() >= self.min_effect;
        large && (self.kinds.is_empty() || self.kinds.contains(&kind))
    }
}

/// A kind as it stands in JSON.
pub fn kind_key(kind: Kind) -> &'static str {
    match kind {
        Kind::DipEnd => "dip-end",
        Kind::DipStart => "dip-start",
        Kind::Environment => "environment",
        Kind::ModeShare => "mode-share",
        Kind::Spread => "spread",
        Kind::Step => "step",
    }
}

/// A kind in words.
pub fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::DipEnd => "dip ends",
        Kind::DipStart => "dip begins",
        Kind::Environment => "environment",
        Kind::ModeShare => "share of a mode",
        Kind::Spread => "spread",
        Kind::Step => "step",
    }
}

/// A verdict as it stands in JSON and in tables.
pub fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
    }
}

/// An effect in per cent: `+12.3 %`; a factor when it is huge, and words where there was nothing before.
pub fn effect(effect: f64) -> String {
    if effect.is_finite() { text::change(1.0 + effect) } else { "from zero".to_owned() }
}

/// The ends of an effect's interval: `+10.1 … +14.2 %`.
pub fn interval((low, high): (f64, f64)) -> String {
    if !low.is_finite() || !high.is_finite() {
        return String::new();
    }
    format!("{} … {}", effect(low), effect(high))
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
        Refusal::Mode => "a level that it goes to now and then",
        Refusal::Small => "too small against the noise",
        Refusal::Spike => "very few values far off",
    }
}

/// Why something that would be a change alone is none among so many series.
pub const BY_CHANCE: &str = "so many series show as clear ones by chance";

/// Why a series was not judged; nothing if it was.
pub fn not_judged(judged: Judged) -> Option<String> {
    match judged {
        Judged::Yes | Judged::Constant => None,
        Judged::Empty => Some("it has no values".to_owned()),
        Judged::TooFew { points, needed } => {
            Some(format!("it has {} with values, and {needed} are needed", text::count(points, "point")))
        }
    }
}

/// A drift in a sentence.
pub fn drift(drift: &Drift) -> String {
    let places = drift.last.saturating_sub(drift.first) + 1;
    format!("drifts by {} over {}, at no single place", effect(drift.effect), text::count(places, "point"))
}

/// Modes in a sentence.
pub fn modes(modes: &Modes) -> String {
    let level = |mode: &tacho_stats::changes::Mode| {
        let ratio = if mode.ratio == 1.0 { "its usual level".to_owned() } else { text::change(mode.ratio) };
        format!("{ratio} ({})", text::percent(mode.share))
    };
    let levels: Vec<String> = modes.levels.iter().map(level).collect();
    format!("goes to and fro between {}", levels.join(" and "))
}
