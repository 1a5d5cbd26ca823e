//! A merge that was named, among whose commits is bisected.

use serde::{Deserialize, Serialize};

use super::{BisectedEffect, Bisection, Candidate, Culprit, Left, none_limited};

/// A merge that was named. The candidates are then what was before it, each of the commits that it
/// brought merged into that, and the merge itself: all that lies between what it was measured
/// against and it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    /// Its full name.
    pub revision: String,
    /// The first line of its message.
    pub subject: String,
    /// What it changed as a whole.
    pub effect: BisectedEffect,
    /// How many samples of what was before it and of it reached a limit.
    #[serde(default, skip_serializing_if = "none_limited")]
    pub limited: [u32; 2],
    /// The name of the bisection that named it.
    pub bisection: String,
    /// The good end and the bad one of that bisection, by names that mean the same tomorrow.
    pub ends: (String, String),
    /// Whether the bad one of them is the earlier.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exchanged: bool,
    /// What changed there from end to end; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<BisectedEffect>,
    /// How many samples of the earlier end and of the later one reached a limit.
    #[serde(default, skip_serializing_if = "none_limited")]
    pub change_limited: [u32; 2],
    /// What all that it named leaves of that; absent where that is nothing to speak of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Left>,
    /// Which of those ends is the better one; absent where it is not known, or goes without saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better: Option<String>,
}

impl Merge {
    /// That of this culprit of a bisection.
    #[must_use]
    pub fn named(bisection: &Bisection, culprit: &Culprit) -> Option<Self> {
        let Candidate { revision, .. } = bisection.candidates.get(culprit.place)?;
        let [good, bad] = bisection.end_names().map(str::to_owned);
        let ends = [bisection.standing.ends.0, bisection.standing.ends.1];
        let better =
            bisection.bad_is_better().map(|bad_is| if bad_is { bad.clone() } else { good.clone() });
        Some(Self {
            revision: revision.id.clone(),
            subject: revision.subject.clone(),
            effect: culprit.effect,
            limited: [culprit.parent_place, culprit.place].map(|place| bisection.limited(place)),
            bisection: bisection.name.clone(),
            exchanged: bisection.asked.exchanged,
            change: bisection.standing.change,
            change_limited: ends.map(|place| bisection.limited(place)),
            left: bisection.left(),
            better,
            ends: (good, bad),
        })
    }
}

impl Bisection {
    /// Whether this place is that of the merge among whose commits is bisected: what lies there is
    /// its own doing.
    #[must_use]
    pub fn is_merge_itself(&self, place: usize) -> bool {
        let merge = self.asked.within.last();
        merge.is_some_and(|merge| {
            self.candidates.get(place).is_some_and(|it| it.revision.id == merge.revision)
        })
    }
}
