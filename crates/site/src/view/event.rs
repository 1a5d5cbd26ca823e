//! Changes as pages show them: those of one place of history together, so that a trade-off is seen.

use std::collections::{HashMap, HashSet};

use tacho_record::{ChangeKind, ChangeState, Direction, Life, Withdrawal};

use super::{DifferenceVerdict, SeriesView};
use crate::{ChangeRecord, Lab, slug};

/// The changes of several series at one place.
#[derive(Debug)]
pub(crate) struct EventView<'a> {
    /// After which revision it is, by place in history, if that is there.
    pub(crate) good: Option<usize>,
    /// Its likeliest first revision.
    pub(crate) revision: &'a str,
    /// Up to which revision it is, by place in history, if that is there.
    pub(crate) bad: Option<usize>,
    /// At least one, what got worse first, the largest first.
    pub(crate) changes: Vec<ChangeView<'a>>,
}

/// A change, ready to be shown.
#[derive(Debug)]
pub(crate) struct ChangeView<'a> {
    /// The change and its life.
    pub(crate) record: &'a ChangeRecord,
    /// The name of its page, without folder and extension.
    pub(crate) slug: String,
    /// Its series, by place in the lab, if that is there.
    pub(crate) series: Option<usize>,
    /// Its first revision, by place in history, if that is there.
    pub(crate) place: Option<usize>,
    /// The last revision that is surely at the old level, by place in history.
    pub(crate) good: Option<usize>,
    /// The last revision that may be the first at the new level, by place in history.
    pub(crate) bad: Option<usize>,
    /// Whether it is good.
    pub(crate) judged: DifferenceVerdict,
}

impl<'a> ChangeView<'a> {
    /// The change itself.
    pub(crate) fn change(&self) -> &'a tacho_record::Change {
        &self.record.change
    }

    /// The effect for people: `+6.1 %`; the levels say it where the one before is 0.
    pub(crate) fn effect(&self) -> String {
        self.change()
            .finding
            .effect
            .map_or_else(|| "from 0".to_owned(), crate::text::percent_change)
    }

    /// What kind of change it is, in words.
    pub(crate) fn kind(&self) -> &'static str {
        self.change().finding.kind_words()
    }

    /// Where it stands, in words: by itself, and what the user says.
    pub(crate) fn state(&self) -> String {
        let life = match self.change().life {
            Life::Confirmed => "confirmed",
            Life::Provisional => "provisional",
            Life::Withdrawn { why } => return format!("withdrawn: {}", withdrawal(why)),
        };
        let state = match (self.change().state(), self.judged) {
            // What is lost again was never broken.
            (ChangeState::Fixed, DifferenceVerdict::Better) => "lost again",
            (state, _) => word(state),
        };
        match state {
            "" => life.to_owned(),
            word => format!("{word}, {life}"),
        }
    }

    /// Whether its levels are those of the values, so that they can be drawn among them.
    pub(crate) fn has_levels(&self) -> bool {
        self.change().finding.kind.is_of_level()
    }
}

/// Why it is no longer held, in words.
pub(crate) fn withdrawal(why: Withdrawal) -> &'static str {
    match why {
        Withdrawal::Nearer => {
            "it was seen from farther away, and a change within its range explains it"
        }
        Withdrawal::NotConfirmed => "it was not seen again before it could be confirmed",
        Withdrawal::NotReproduced => "both sides were measured again and do not differ",
        Withdrawal::NotSeen => "with what was measured since it is not seen",
    }
}

/// The user's word; nothing while he has said nothing.
pub(crate) fn word(word: ChangeState) -> &'static str {
    match word {
        ChangeState::Acknowledged => "acknowledged",
        ChangeState::Expected => "expected",
        ChangeState::FalseAlarm => "false alarm",
        ChangeState::Fixed => "fixed",
        ChangeState::New => "",
    }
}

/// All events of the lab, in its order.
pub(crate) fn all<'a>(
    lab: &'a Lab,
    series: &[SeriesView<'a>],
    places: &HashMap<&str, usize>,
) -> Vec<EventView<'a>> {
    let mut taken = HashSet::new();
    let mut one = |record: &'a ChangeRecord| {
        let change = &record.change;
        let place = |id: &str| places.get(id).copied();
        ChangeView {
            record,
            slug: slug::unique(slug::revision(&change.name), &mut taken),
            series: series.iter().position(|one| one.series.key == change.series),
            place: place(&change.finding.revision),
            good: place(&change.finding.good),
            bad: place(&change.finding.bad),
            judged: judged(change),
        }
    };
    let mut events: Vec<EventView> = lab
        .events
        .iter()
        .map(|event| EventView {
            good: places.get(event.good.as_str()).copied(),
            revision: &event.revision,
            bad: places.get(event.bad.as_str()).copied(),
            changes: event.changes.iter().map(&mut one).collect(),
        })
        .collect();
    for event in &mut events {
        let size = |one: &ChangeView| one.change().finding.effect.map_or(f64::INFINITY, f64::abs);
        let key = |one: &ChangeView| (one.judged == DifferenceVerdict::Better, -size(one));
        event
            .changes
            .sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    }
    events
}

/// A wider spread is never better, whichever way the metric is.
fn judged(change: &tacho_record::Change) -> DifferenceVerdict {
    let finding = &change.finding;
    let is_spread = finding.kind == ChangeKind::Spread;
    let better = if is_spread { Direction::Lower } else { change.series.metric.better };
    DifferenceVerdict::of(finding.before, finding.after, better)
}
