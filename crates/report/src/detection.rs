//! The detector's other findings about a series, in words.

use tacho_record::{BenchmarkKey, Failure, Point, Withdrawal, first_of};
use tacho_stats::changes::{Drift, JudgementStatus, Mode, Modes, Refusal};
use tacho_stats::history::{HistoryVerdict, Settling};

use crate::change::{probability, withdrawal};
use crate::words::{change, count, effect, percent};

/// Why what looked clear in one series is not reported, be it one or many.
pub const BY_CHANCE: &str = "chance alone often produces a difference this large";

/// Why something is no change.
#[must_use]
pub fn refusal(why: Refusal) -> &'static str {
    match why {
        Refusal::Drift => "the level wanders by as much over the whole series",
        Refusal::Few => "too few values yet",
        Refusal::Mode => "the series returns to this level now and then",
        Refusal::Small => "not clear enough against the noise",
        Refusal::Spike => "only very few values are far off",
    }
}

/// Why no change is reported at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotReported {
    /// Chance alone shows one as clear too often.
    ByChance,
    /// There is no series to judge.
    NoSeries,
    /// Its series was not judged.
    NotJudged(JudgementStatus),
    /// The detector refused the place.
    Refused(Refusal),
    /// The place is not distinct yet.
    Unclear,
    /// The place was reported before.
    Withdrawn(Withdrawal),
}

impl NotReported {
    /// In words.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::ByChance => BY_CHANCE.to_owned(),
            Self::NoSeries => "its series is not judged".to_owned(),
            Self::NotJudged(judged) => not_judged(judged).unwrap_or_default(),
            Self::Refused(why) => refusal(why).to_owned(),
            Self::Unclear => "not clear enough yet".to_owned(),
            Self::Withdrawn(why) => withdrawal(why).to_owned(),
        }
    }
}

/// Why a series is not judged whose version of the plan was not measured, and another one was;
/// `measured` is the one with the same command.
#[must_use]
pub fn edited(planned: &BenchmarkKey, measured: Option<u32>) -> String {
    let join = measured.map_or_else(String::new, |version| {
        format!("; `same-as = {version}` keeps the samples of version {version}")
    });
    let BenchmarkKey { name, version, .. } = planned;
    format!("version {version} of `{name}` is not measured yet: `tacho track` measures it{join}")
}

/// Why a series is not judged whose benchmark was never executed.
#[must_use]
pub fn not_executed(planned: &BenchmarkKey) -> String {
    format!("`{}` is not measured yet: `tacho track` measures it", planned.name)
}

/// Why a series was not judged; `None` if it was.
#[must_use]
pub fn not_judged(judged: JudgementStatus) -> Option<String> {
    match judged {
        JudgementStatus::Yes | JudgementStatus::Constant => None,
        JudgementStatus::Empty => Some("no values".to_owned()),
        JudgementStatus::TooFew { points, needed } => {
            Some(format!("{} with values; {}", count(points, "point"), needs(needed)))
        }
    }
}

/// The requirement of a verdict.
fn needs(points: usize) -> String {
    format!("a verdict needs {points} points, or 3 points that one run measured in 3 rounds")
}

/// The same of a series with values at this number of revisions, some of which may have been built
/// to the same program.
#[must_use]
pub fn not_judged_of(judged: JudgementStatus, revisions: usize) -> Option<String> {
    match judged {
        JudgementStatus::TooFew { points, needed } if points < revisions => Some(format!(
            "{} count as {}, since equal builds in a row count once; {}",
            count(revisions, "measured revision"),
            count(points, "point"),
            needs(needed)
        )),
        judged => not_judged(judged),
    }
}

/// How many revisions are named at most where nothing was valid.
const FAILING: usize = 3;

/// Where all executions failed, and how the first did; `None` if there is no such revision. The
/// points are in order of history.
#[must_use]
pub fn not_judged_at(points: &[Point]) -> Option<String> {
    let own = points.iter().filter(|it| it.equal_to.is_none());
    let own: Vec<&Point> = own.filter(|it| it.failed > 0 || !it.values.is_empty()).collect();
    let is_failing = |point: &&&Point| point.values.is_empty();
    let failing: Vec<&Point> = own.iter().filter(is_failing).copied().collect();
    let (first, last) = (failing.first()?, failing.last()?);
    let are_last = own.iter().rev().take_while(|it| it.values.is_empty()).count() == failing.len();
    let are_first = own.iter().take_while(|it| it.values.is_empty()).count() == failing.len();
    let names: Vec<&str> = failing.iter().map(|it| it.revision.short()).collect();
    let place = match (are_first, are_last) {
        (false, true) if names.len() > 1 => format!("from {} on", first.revision.short()),
        (true, false) if names.len() > 1 => format!("up to {}", last.revision.short()),
        _ => format!("at {}", first_of(&names, FAILING)),
    };
    Some(format!("not judged {place}: all executions failed{}", failed_how(&failing)))
}

/// How executions failed at these revisions, in parentheses: each kind once, where there are
/// several with the first revision of each.
fn failed_how(failing: &[&Point]) -> String {
    let mut kinds: Vec<(String, &str)> = Vec::new();
    for point in failing {
        let kind = match &point.failure {
            Some(Failure::WrongAnswer { .. }) => "wrong answer".to_owned(),
            Some(failure) => failure.line(),
            None => continue,
        };
        if !kinds.iter().any(|(known, _)| *known == kind) {
            kinds.push((kind, point.revision.short()));
        }
    }
    match kinds.as_slice() {
        [] => String::new(),
        [(kind, _)] => format!(" ({kind})"),
        several => {
            let named = several.iter().map(|(kind, at)| format!("{kind} at {at}"));
            format!(" ({})", first_of(named, FAILING))
        }
    }
}

/// Points that reached a limit, in a clause.
#[must_use]
pub fn bounds(points: usize) -> String {
    let which = count(points, "revision");
    format!("left out: {which} with only a lower bound, since executions reached a limit")
}

/// A drift in a clause.
#[must_use]
pub fn drift(drift: &Drift) -> String {
    let places = drift.last.saturating_sub(drift.first) + 1;
    let points = count(places, "point");
    format!(
        "drifts by {} over {points}, gradually and apart from its changes",
        effect(drift.effect)
    )
}

/// Modes in a clause.
#[must_use]
pub fn modes(modes: &Modes) -> String {
    let level = |mode: &Mode| {
        let ratio =
            if mode.ratio == 1.0 { "its usual level".to_owned() } else { change(mode.ratio) };
        format!("{ratio} ({})", percent(mode.share))
    };
    let levels: Vec<String> = modes.levels.iter().map(level).collect();
    format!("alternates between {}", levels.join(" and "))
}

/// The measurement that would most likely decide whether a place is a change.
#[must_use]
pub fn settled_by(settling: Settling) -> &'static str {
    match settling {
        Settling::Rounds => "more rounds",
        Settling::Layout => "another layout",
        Settling::Link => "both revisions in one run",
    }
}

/// The places that are unclear by what the runs of a series know, a clause each.
pub fn unclear(verdict: &HistoryVerdict) -> impl Iterator<Item = String> {
    verdict.unclear.iter().map(|place| {
        format!(
            "unclear at {}: {}, {} likely to be a change; {} would decide",
            place.index,
            effect(place.effect.exp_m1()),
            probability(place.probability),
            settled_by(place.settling)
        )
    })
}
